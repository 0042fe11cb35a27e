//! The loop over the instructions.

use super::cpu::{Cpu, MiniStop};
use super::opcodes::{MiniOp, rows};
use super::{arith, call, compare, flow, local, stack};
use crate::machines::machine::Meter;

/// Generates the loop.
macro_rules! interpreter {
    ($($name:ident $(= $alias:ident)? [$($operand:literal)?] ($pops:literal -> $pushes:literal)
        $handler:path, $doc:literal, $effects:tt;)*) => {
        /// The loop: fetches and executes until a handler or the meter ends it. An instruction that stops the
        /// run has changed nothing and stays the next one.
        // Inlined, so that the state is a local variable of the caller and its fields can be in registers.
        #[inline(always)]
        pub(super) fn interpret(cpu: &mut Cpu<'_>, meter: &mut impl Meter) -> Option<Box<MiniStop>> {
            loop {
                if meter.tick(|| cpu.lead()).is_break() {
                    return None;
                }
                let (op, argument) = cpu.fetch();
                let flow = match op {
                    $(MiniOp::$name => $handler(cpu, argument),)*
                    MiniOp::Undecodable => flow::undecodable(cpu),
                    MiniOp::End => flow::end(cpu),
                };
                if let Err(stop) = flow {
                    cpu.ip -= 1;
                    return Some(stop);
                }
            }
        }
    };
}

rows!(interpreter);
