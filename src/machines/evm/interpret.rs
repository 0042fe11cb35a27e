//! The loop over the instructions.

use super::frame::EvmFrame;
use super::opcodes::{Op, rows};
use super::stop::EvmStop;
use super::{arith, bitwise, call, environment, flow, hash, log, memory, stack, storage, wide};
use crate::machines::interpreter::{Interpreted, interpreter};
use crate::machines::machine::{Meter, Metered};

rows!(interpreter { interpret(EvmFrame: Op) -> EvmStop });

/// The loop. Returns why it ended; `None` if the meter ended it.
#[inline(never)]
pub(super) fn cycle(frame: &mut EvmFrame<'_>, mut meter: impl Meter) -> Option<EvmStop> {
    // A local copy, so that its fields can be in registers.
    let mut lent = frame.lend();
    let stop = interpret(&mut lent, &mut meter);
    let hot = lent.hot();
    frame.take(hot);
    stop
}

/// Executes one instruction.
pub(super) fn once(frame: &mut EvmFrame<'_>) -> Option<EvmStop> {
    cycle(frame, Metered(1))
}
