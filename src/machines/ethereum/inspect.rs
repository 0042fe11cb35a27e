//! What traces see.

use revm::interpreter::interpreter_types::{Jumps, LegacyBytecode};

use super::machine::Ethereum;
use super::table::ETHEREUM;
use crate::isa::disassembler::disassemble;
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::record::word_value;
use crate::model::value::Value;

/// The most bytes of an instruction.
const LONGEST: usize = 33;

impl Inspect for Ethereum {
    fn instruction(&self) -> String {
        let rest = self.frame().and_then(|frame| {
            let bytecode = &frame.interpreter.bytecode;
            bytecode.bytecode_slice().get(bytecode.pc()..)
        });
        let rest = rest.unwrap_or_default();
        let line = disassemble(&ETHEREUM, &rest[..rest.len().min(LONGEST)]).next();
        line.map_or_else(|| "(end of the code)".to_owned(), |line| line.source())
    }

    fn height(&self) -> usize {
        self.frame().map_or(0, |frame| frame.interpreter.stack.len())
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.frame()?.interpreter.stack.peek(below).ok().map(word_value)
    }

    /// Of all frames, so that a call costs what is not given back.
    fn gas(&self) -> Option<u64> {
        self.gas_left()
    }

    fn declared(&self, _: &dyn Fn(usize) -> bool) -> Effects {
        Effects::default()
    }
}
