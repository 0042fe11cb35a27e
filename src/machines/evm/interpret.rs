//! The loop over the instructions.

use super::frame::{EvmFrame, EvmStop};
use super::opcodes::rows;
use super::{arith, bitwise, call, environment, flow, hash, log, memory, stack, storage, wide};
use crate::machines::interpreter::interpreter;

rows!(interpreter { interpret(EvmFrame) -> EvmStop });
