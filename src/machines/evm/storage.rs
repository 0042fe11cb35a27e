//! Instructions on storage, and SUICIDE.

use super::frame::EvmFrame;
use super::operands::Operands;
use super::stop::{EvmFlow, EvmStop};

const SET: u64 = 20_000;
const RESET: u64 = 5_000;
const CLEAR_REFUND: u64 = 15_000;
const SUICIDE_REFUND: u64 = 24_000;

/// The size of a word in bytes, with its copies as values.
const ENTRY: u64 = 768;

/// The charge for looking up a key, in units.
const LOOK_UP: u64 = 15;

#[inline(never)]
pub(super) fn sload(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.work(LOOK_UP)?;
    let word = f.context.storage.get(&f.top()).copied().unwrap_or_default();
    f.set_top(word);
    Ok(())
}

#[inline(never)]
pub(super) fn sstore(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (key, value) = (f.pop(), f.pop());
    f.work(LOOK_UP)?;
    let current = f.context.storage.get(&key).copied().unwrap_or_default();
    match (current.is_zero(), value.is_zero()) {
        (true, true) => {}
        (true, false) => {
            f.charge(SET - RESET)?;
            f.context.keep(ENTRY, 0)?;
            f.context.storage.insert(key, value);
        }
        (false, true) => {
            f.context.refund += CLEAR_REFUND;
            f.context.account.release(ENTRY);
            f.context.storage.remove(&key);
        }
        (false, false) => {
            f.context.storage.insert(key, value);
        }
    }
    Ok(())
}

#[inline(never)]
pub(super) fn suicide(f: &mut EvmFrame<'_>) -> EvmFlow {
    let beneficiary = f.pop();
    let address = f.context.environment.address;
    let balance = f.context.touch(address)?.balance;
    let heir = f.context.touch(beneficiary)?;
    heir.balance = heir.balance.wrapping_add(balance);
    f.context.world.remove(address);
    f.context.storage.clear();
    f.context.refund += SUICIDE_REFUND;
    Err(EvmStop::Stopped)
}
