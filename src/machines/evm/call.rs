//! CALL, CALLCODE, DELEGATECALL and CREATE: charged, recorded and given a result, but never executed.

use std::ops::Range;

use rlp::RlpStream;

use super::context::RecordedCall;
use super::frame::{EvmFrame, range};
use super::hash::{keccak, keccak_units};
use super::operands::Operands;
use super::stop::{EvmFlow, EvmStop, Halt};
use super::word::{Word, small, words};
use super::world::{address_bytes, low_160};

const VALUE: u64 = 9_000;
const STIPEND: u64 = 2_300;
const NEW_ACCOUNT: u64 = 25_000;

/// The size of a recorded call in bytes, with its copies as values.
const ENTRY: u64 = 2048;

/// The charge for a call, in units.
const WORK: u64 = 4;

#[inline(never)]
pub(super) fn call(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (gas, to, value) = (f.pop(), low_160(f.pop()), f.pop());
    let new = !f.context.world.contains(to);
    answer(f, CallRequest { gas, destination: to, value, extra: if new { NEW_ACCOUNT } else { 0 } })
}

#[inline(never)]
pub(super) fn callcode(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (gas, _code_of, value) = (f.pop(), f.pop(), f.pop());
    let destination = f.context.environment.address;
    answer(f, CallRequest { gas, destination, value, extra: 0 })
}

#[inline(never)]
pub(super) fn delegatecall(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (gas, _code_of) = (f.pop(), f.pop());
    let destination = f.context.environment.address;
    answer(f, CallRequest { gas, destination, value: Word::ZERO, extra: 0 })
}

/// The differences between the three calls.
#[derive(Clone, Copy)]
struct CallRequest {
    gas: Word,
    destination: Word,
    value: Word,
    extra: u64,
}

/// Pops the four memory operands, charges, records, returns the gas and pushes the result.
fn answer(f: &mut EvmFrame<'_>, asked: CallRequest) -> EvmFlow {
    let (in_offset, in_size, out_offset, out_size) = (f.pop(), f.pop(), f.pop(), f.pop());
    let (input, output) = (range(in_offset, in_size)?, range(out_offset, out_size)?);
    let gas = small(asked.gas).ok_or(EvmStop::Halted(Halt::OutOfGas))? as u64;
    let (price, stipend) = if asked.value.is_zero() { (0, 0) } else { (VALUE, STIPEND) };
    f.pay(gas.saturating_add(asked.extra + price), input.end.max(output.end))?;
    let made = can_pay(f, asked.value)?;
    if made {
        let destination = Some(asked.destination);
        record(
            f,
            input,
            RecordedCall { destination, gas_limit: gas + stipend, value: asked.value, data: vec![] },
        )?;
    }
    f.gas += gas + stipend;
    f.context.given_back += gas + stipend;
    f.push(Word::from(made));
    Ok(())
}

#[inline(never)]
pub(super) fn create(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (value, offset, size) = (f.pop(), f.pop(), f.pop());
    let code = range(offset, size)?;
    f.pay(0, code.end)?;
    f.work(keccak_units(0))?;
    if !can_pay(f, value)? {
        f.push(Word::ZERO);
        return Ok(());
    }
    let address = f.context.environment.address;
    let nonce = f.context.touch(address)?.nonce;
    record(f, code, RecordedCall { destination: None, gas_limit: f.gas, value, data: vec![] })?;
    f.push(new_address(address, nonce));
    Ok(())
}

/// The address of an account that `creator` creates: the low 160 bits of a hash of creator and nonce.
fn new_address(creator: Word, nonce: Word) -> Word {
    let mut list = RlpStream::new_list(2);
    list.append(&address_bytes(creator).as_slice());
    list.append(&nonce.to_be_bytes_trimmed_vec());
    low_160(Word::from_be_bytes(keccak(&list.out())))
}

fn can_pay(f: &mut EvmFrame<'_>, value: Word) -> Result<bool, EvmStop> {
    let address = f.context.environment.address;
    Ok(f.context.touch(address)?.balance >= value)
}

/// Records a call with its data, a range of memory.
fn record(f: &mut EvmFrame<'_>, data: Range<usize>, mut recorded: RecordedCall) -> EvmFlow {
    f.work(WORK + 3 * words(data.len()))?;
    f.context.keep(ENTRY, data.len())?;
    recorded.data = f.context.memory[data].to_vec();
    if f.context.environment.debit {
        let address = f.context.environment.address;
        f.context.touch(address)?.balance -= recorded.value;
    }
    f.context.calls.push(recorded);
    Ok(())
}
