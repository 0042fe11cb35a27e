//! Instructions that query the call, the block and the accounts.

use super::frame::{EvmFrame, PADDING};
use super::hash::{keccak, keccak_units};
use super::operands::Operands;
use super::stop::EvmFlow;
use super::word::{Word, small};
use super::world::LOOK_UP;

#[inline(always)]
fn push(f: &mut EvmFrame<'_>, word: Word) -> EvmFlow {
    f.push(word);
    Ok(())
}

#[inline(always)]
pub(super) fn address(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.address)
}

#[inline(always)]
pub(super) fn origin(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.origin)
}

#[inline(always)]
pub(super) fn caller(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.caller)
}

#[inline(always)]
pub(super) fn callvalue(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.value)
}

#[inline(always)]
pub(super) fn calldatasize(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, Word::from(f.context.environment.data.len()))
}

#[inline(always)]
pub(super) fn codesize(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, Word::from(f.code.len() - PADDING))
}

#[inline(always)]
pub(super) fn gasprice(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.gas_price)
}

#[inline(always)]
pub(super) fn coinbase(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.coinbase)
}

#[inline(always)]
pub(super) fn timestamp(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.timestamp)
}

#[inline(always)]
pub(super) fn number(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.number)
}

#[inline(always)]
pub(super) fn difficulty(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.difficulty)
}

#[inline(always)]
pub(super) fn gaslimit(f: &mut EvmFrame<'_>) -> EvmFlow {
    push(f, f.context.environment.gas_limit)
}

#[inline(always)]
pub(super) fn calldataload(f: &mut EvmFrame<'_>) -> EvmFlow {
    let from = small(f.top());
    let data = &f.context.environment.data;
    let rest = from.and_then(|from| data.get(from..)).unwrap_or_default();
    let mut bytes = [0; 32];
    let size = rest.len().min(32);
    bytes[..size].copy_from_slice(&rest[..size]);
    f.set_top(Word::from_be_bytes(bytes));
    Ok(())
}

#[inline(never)]
pub(super) fn balance(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.work(LOOK_UP)?;
    let balance = f.context.touch(f.top())?.balance;
    f.set_top(balance);
    Ok(())
}

#[inline(never)]
pub(super) fn extcodesize(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.work(LOOK_UP)?;
    let size = f.context.touch(f.top())?.code.len();
    f.set_top(Word::from(size));
    Ok(())
}

#[inline(never)]
pub(super) fn blockhash(f: &mut EvmFrame<'_>) -> EvmFlow {
    let number = f.context.environment.number;
    f.work(keccak_units(0))?;
    f.unary(|block| {
        if block >= number || number - block > Word::from(256) {
            return Word::ZERO;
        }
        // In these vectors, a block's hash is the hash of its number in decimal digits.
        Word::from_be_bytes(keccak(block.to_string().as_bytes()))
    })
}
