//! The loop over the instructions.

use super::fault::Neo2Stop;
use super::frame::Neo2Frame;
use super::opcodes::{Op, rows};
use super::{arith, bitwise, call, compound, crypto, equal, flow, host, isolated, push, splice, stack};
use crate::machines::interpreter::interpreter;

rows!(interpreter { interpret(Neo2Frame: Op) -> Neo2Stop });
