//! What the program can learn about the call, the block and the accounts.

use super::frame::{Flow, Frame, Word, small};
use super::hash::keccak;

/// The call and the block that a program runs in.
#[derive(Debug, Default)]
pub(super) struct Environment {
    pub(super) address: Word,
    pub(super) caller: Word,
    pub(super) origin: Word,
    pub(super) value: Word,
    pub(super) gas_price: Word,
    pub(super) data: Vec<u8>,
    pub(super) coinbase: Word,
    pub(super) difficulty: Word,
    pub(super) gas_limit: Word,
    pub(super) number: Word,
    pub(super) timestamp: Word,
    /// Whether a recorded call or creation takes its value off the executing account's balance,
    /// as vectors of the decimal era have it.
    pub(super) debit: bool,
}

fn push(f: &mut Frame<'_>, word: Word) -> Flow {
    f.push(word);
    Ok(())
}

pub(super) fn address(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.address)
}

pub(super) fn origin(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.origin)
}

pub(super) fn caller(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.caller)
}

pub(super) fn callvalue(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.value)
}

pub(super) fn calldatasize(f: &mut Frame<'_>) -> Flow {
    push(f, Word::from(f.context.environment.data.len()))
}

pub(super) fn codesize(f: &mut Frame<'_>) -> Flow {
    push(f, Word::from(f.code.len()))
}

pub(super) fn gasprice(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.gas_price)
}

pub(super) fn coinbase(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.coinbase)
}

pub(super) fn timestamp(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.timestamp)
}

pub(super) fn number(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.number)
}

pub(super) fn difficulty(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.difficulty)
}

pub(super) fn gaslimit(f: &mut Frame<'_>) -> Flow {
    push(f, f.context.environment.gas_limit)
}

pub(super) fn calldataload(f: &mut Frame<'_>) -> Flow {
    let from = small(*f.peek(0));
    let data = &f.context.environment.data;
    let rest = from.and_then(|from| data.get(from..)).unwrap_or_default();
    let mut bytes = [0; 32];
    let size = rest.len().min(32);
    bytes[..size].copy_from_slice(&rest[..size]);
    *f.peek(0) = Word::from_be_bytes(bytes);
    Ok(())
}

pub(super) fn balance(f: &mut Frame<'_>) -> Flow {
    let address = *f.peek(0);
    *f.peek(0) = f.context.world.touch(address).balance;
    Ok(())
}

pub(super) fn extcodesize(f: &mut Frame<'_>) -> Flow {
    let address = *f.peek(0);
    *f.peek(0) = Word::from(f.context.world.touch(address).code.len());
    Ok(())
}

pub(super) fn blockhash(f: &mut Frame<'_>) -> Flow {
    let block = *f.peek(0);
    let number = f.context.environment.number;
    let known = block < number && number - block <= Word::from(256);
    // The reference, section 7: the hash of a block is that of its number's decimal digits.
    *f.peek(0) = if known { Word::from_be_bytes(keccak(block.to_string().as_bytes())) } else { Word::ZERO };
    Ok(())
}
