//! What traces see.

use std::hash::{DefaultHasher, Hash, Hasher};

use revm::interpreter::interpreter_types::{Jumps, LegacyBytecode};

use super::machine::Ethereum;
use super::table::ETHEREUM;
use crate::isa::disassembler::disassemble;
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::machine::Machine;
use crate::machines::record::word_value;
use crate::machines::view::{CodeLine, Row, Section, code_lines};
use crate::model::path::Path;
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

    fn sections(&self) -> Vec<Section> {
        let gas = self.gas_left().map(|gas| Row::new("gas", gas.to_string(), None));
        let frames = Row::new("frames", self.depth().to_string(), None);
        let top = self.height();
        let path = |below: usize| Path::field("stack").child(top - 1 - below);
        let memory = self.frame().map(|frame| frame.interpreter.memory.context_memory().to_vec());
        vec![
            Section::of("status", gas.into_iter().chain([frames])),
            Section::stack(self, path),
            Section::memory("memory", "memory", &memory.unwrap_or_default()),
        ]
    }

    /// Another call may execute other code in the same place.
    fn unit(&self) -> usize {
        let mut hasher = DefaultHasher::new();
        self.frame().map(|frame| frame.interpreter.bytecode.bytecode_slice()).hash(&mut hasher);
        hasher.finish() as usize
    }

    fn listing(&self) -> Vec<CodeLine> {
        let code = self.frame().map(|frame| frame.interpreter.bytecode.bytecode_slice());
        code_lines(&ETHEREUM, code.unwrap_or_default())
    }

    fn declared(&self, _: &dyn Fn(usize) -> bool) -> Effects {
        Effects::default()
    }
}
