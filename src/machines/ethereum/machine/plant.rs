//! Changes of the running frame that no instruction makes, for planted faults.

use std::ops::Range;

use revm_context::JournalTr;
use revm_interpreter::interpreter::EthInterpreter;
use revm_interpreter::interpreter_types::{Jumps, LegacyBytecode};
use revm_interpreter::{Gas, InstructionResult, Interpreter};
use revm_primitives::{Address, U256};

use super::Ethereum;
use super::excused::Excused;
use crate::machines::ethereum::cells;
use crate::machines::ethereum::trail::{MAX_ITEMS, storage_of};
use crate::machines::inspect::Inspect;
use crate::machines::plant::{Excuse, PlantFaults, PlantInCells};
use crate::machines::record::word;
use crate::machines::status::Status;
use crate::model::{Cell, Value};

impl PlantInCells for Ethereum {
    fn content(&self, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Stack(at) => self.item(self.height().checked_sub(at + 1)?),
            Cell::Range(name, range) if self.is_own_memory(name) => {
                let memory = self.running()?.interpreter.memory.context_memory();
                let byte = |at| memory.get(at).copied().unwrap_or_default();
                Some(Value::Bytes(range.clone().map(byte).collect()))
            }
            Cell::Named(cells::STORAGE | cells::TRANSIENT_STORAGE, _) => self.value(cell),
            _ => None,
        }
    }

    fn write(&mut self, cell: &Cell, value: &Value) -> bool {
        let written = match (cell, value) {
            (Cell::Stack(at), Value::Int(_)) => self.give_item(*at, value),
            (Cell::Range(name, range), Value::Bytes(bytes)) if self.is_own_memory(name) => {
                self.give_memory(range, bytes)
            }
            (Cell::Named(cells::STORAGE | cells::TRANSIENT_STORAGE, name), Value::Int(_)) => {
                self.give_word(cell, storage_of(name), value)
            }
            _ => None,
        };
        written.is_some()
    }
}

impl PlantFaults for Ethereum {
    fn go_to(&mut self, pc: usize) -> bool {
        let bytecode = self.interpreter().map(|interpreter| &mut interpreter.bytecode);
        let bytecode = bytecode.filter(|bytecode| pc <= bytecode.bytecode_slice().len());
        bytecode.map(|bytecode| bytecode.absolute_jump(pc)).is_some()
    }

    fn push(&mut self) -> bool {
        self.interpreter().is_some_and(|interpreter| interpreter.stack.push(U256::ZERO))
    }

    fn pop(&mut self) -> bool {
        self.interpreter().is_some_and(|interpreter| interpreter.stack.pop().is_ok())
    }

    fn spend(&mut self, gas: i64) -> bool {
        self.interpreter().is_some_and(|interpreter| spend(&mut interpreter.gas, gas))
    }

    fn overflow(&mut self) -> bool {
        let Some(interpreter) = self.interpreter() else { return false };
        interpreter.halt(InstructionResult::StackOverflow);
        let action = interpreter.take_next_action();
        let done = self.act(action);
        !matches!(self.status_after(done), Status::Refused(_))
    }

    fn excuse(&mut self, excuse: &Excuse) -> bool {
        let Some(interpreter) = self.interpreter() else { return false };
        let mut stack = interpreter.stack.data().clone();
        stack.truncate(stack.len().saturating_sub(excuse.pops));
        stack.resize((stack.len() + excuse.pushes).min(MAX_ITEMS), U256::ZERO);
        self.excused = Some(Excused { stack, gas: interpreter.gas, pc: excuse.next });
        true
    }
}

impl Ethereum {
    fn interpreter(&mut self) -> Option<&mut Interpreter<EthInterpreter>> {
        let frame = self.frames[..self.depth].last_mut()?;
        Some(&mut frame.interpreter)
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
            Cell::Named(cells::TRANSIENT_STORAGE, _) => journal.tstore(address, key, value),
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
