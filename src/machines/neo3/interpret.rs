//! The loop over the instructions.

use super::fault::Neo3Stop;
use super::frame::Neo3Frame;
use super::opcodes::{Op, rows};
use super::slot::{self, Arguments, Locals, Statics};
use super::{arith, bitwise, call, compound, convert, equal, flow, host, push, splice, stack, try_catch};
use crate::machines::interpreter::interpreter;

rows!(interpreter { interpret(Neo3Frame: Op) -> Neo3Stop });
