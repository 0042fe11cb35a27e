//! Changes of the running frame that no instruction makes, for planted faults.

use std::ops::Range;

use revm_context::JournalTr;
use revm_interpreter::interpreter::EthInterpreter;
use revm_interpreter::interpreter_types::{Jumps, LegacyBytecode, LoopControl};
use revm_interpreter::{Gas, InstructionResult, Interpreter};
use revm_primitives::{Address, U256};

use super::Ethereum;
use crate::machines::ethereum::trail::{MAX_ITEMS, storage_of};
use crate::machines::machine::{Status, Tamper};
use crate::machines::record::{word, word_value};
use crate::model::cell::Cell;
use crate::model::value::Value;

/// The frame as it continues if its next instruction fails.
pub(super) struct Excuse {
    stack: Vec<U256>,
    gas: Gas,
    pc: usize,
}

impl Excuse {
    /// Continues after an instruction that has failed.
    pub(super) fn continue_with(self, interpreter: &mut Interpreter<EthInterpreter>) {
        if interpreter.bytecode.action().is_some() {
            interpreter.take_next_action();
        }
        *interpreter.stack.data_mut() = self.stack;
        interpreter.gas = self.gas;
        interpreter.bytecode.absolute_jump(self.pc);
    }
}

impl Ethereum {
    fn interpreter(&mut self) -> Option<&mut Interpreter<EthInterpreter>> {
        let frame = self.frames[..self.depth].last_mut()?;
        Some(&mut frame.interpreter)
    }

    /// See [`Machine::tamper`](crate::machines::machine::Machine::tamper).
    pub(super) fn tamper_with_frame(&mut self, tamper: Tamper) -> bool {
        let Some(interpreter) = self.interpreter() else { return false };
        match tamper {
            Tamper::Push => interpreter.stack.push(U256::ZERO),
            Tamper::Pop => interpreter.stack.pop().is_ok(),
            Tamper::GoTo(pc) if pc <= interpreter.bytecode.bytecode_slice().len() => {
                interpreter.bytecode.absolute_jump(pc);
                true
            }
            Tamper::Spend(gas) => spend(&mut interpreter.gas, gas),
            Tamper::Overflow => self.overflow(),
            Tamper::Excuse { pops, pushes, next } => {
                let mut stack = interpreter.stack.data().clone();
                stack.truncate(stack.len().saturating_sub(pops));
                stack.resize((stack.len() + pushes).min(MAX_ITEMS), U256::ZERO);
                self.excuse = Some(Excuse { stack, gas: interpreter.gas, pc: next });
                true
            }
            _ => false,
        }
    }

    fn overflow(&mut self) -> bool {
        let Some(interpreter) = self.interpreter() else { return false };
        interpreter.halt(InstructionResult::StackOverflow);
        let action = interpreter.take_next_action();
        let done = self.act(action);
        !matches!(self.status_after(done), Status::Refused(_))
    }

    /// The whole value of a cell of the running frame.
    pub(super) fn whole(&self, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Range(name, range) if self.is_own_memory(name) => {
                let memory = self.running()?.interpreter.memory.context_memory();
                let byte = |at| memory.get(at).copied().unwrap_or_default();
                Some(Value::Bytes(range.clone().map(byte).collect()))
            }
            Cell::Named("storage", name) => {
                let (address, key) = storage_of(name)?;
                Some(word_value(self.stored(address, key)))
            }
            Cell::Named("transient storage", name) => {
                let (address, key) = storage_of(name)?;
                let words = self.engine.ctx.journaled_state.inner.transient_storage.get(&address);
                Some(word_value(words.and_then(|words| words.get(&key)).copied().unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// Gives a cell of the running frame a value; false if it cannot have it.
    pub(super) fn give(&mut self, cell: &Cell, value: &Value) -> bool {
        match (cell, value) {
            (Cell::Stack(at), Value::Int(_)) => self.give_item(*at, value).is_some(),
            (Cell::Range(name, range), Value::Bytes(bytes)) if self.is_own_memory(name) => {
                self.give_memory(range, bytes).is_some()
            }
            (Cell::Named("storage" | "transient storage", name), Value::Int(_)) => {
                self.give_word(cell, storage_of(name), value).is_some()
            }
            _ => false,
        }
    }

    fn give_item(&mut self, at: usize, value: &Value) -> Option<()> {
        let word = word("an item", value).ok()?;
        *self.interpreter()?.stack.data_mut().get_mut(at)? = word;
        Some(())
    }

    fn give_memory(&mut self, range: &Range<usize>, bytes: &[u8]) -> Option<()> {
        let memory = &mut self.interpreter()?.memory;
        if memory.len() < range.end {
            memory.resize(range.end.next_multiple_of(32));
        }
        memory.set(range.start, bytes);
        Some(())
    }

    fn give_word(&mut self, cell: &Cell, at: Option<(Address, U256)>, value: &Value) -> Option<()> {
        let (address, key) = at?;
        let value = word("a word", value).ok()?;
        let journal = &mut self.engine.ctx.journaled_state;
        match cell {
            Cell::Named("transient storage", _) => journal.tstore(address, key, value),
            _ => {
                journal.sstore(address, key, value).ok()?;
            }
        }
        Some(())
    }

    fn is_own_memory(&self, name: &str) -> bool {
        self.memory_name().is_some_and(|own| own == name)
    }
}

/// Takes gas from a frame, or gives it some; false if it has too little.
fn spend(gas: &mut Gas, amount: i64) -> bool {
    if amount > 0 {
        return gas.record_regular_cost(amount.unsigned_abs());
    }
    gas.erase_cost(amount.unsigned_abs());
    true
}
