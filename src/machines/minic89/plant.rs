//! What planted faults change besides cells.

use super::machine::{MiniC89, RunStatus};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::change;
use crate::machines::plant::PlantFaults;
use crate::model::cell::Cell;
use crate::model::value::Value;

impl PlantFaults for MiniC89 {
    fn content(&self, cell: &Cell) -> Option<Value> {
        change::content(self, cell)
    }

    fn write(&mut self, cell: &Cell, value: &Value) -> bool {
        self.has_begun() && change::write(self, cell, value)
    }

    fn go_to(&mut self, ip: usize) -> bool {
        let length = self.stand().last().map(|(function, _)| function.instructions.len());
        let is_there = length.is_some_and(|length| ip < length);
        if is_there {
            self.ip = ip;
        }
        is_there
    }

    fn push(&mut self) -> bool {
        self.stack.push(MiniWord::int(0));
        true
    }

    fn pop(&mut self) -> bool {
        self.stack.pop().is_some()
    }

    fn overflow(&mut self) -> bool {
        self.count(1);
        self.end(RunStatus::Trapped(Trap::Overflow { limit: self.limits.operand_stack }));
        true
    }

    fn fail_otherwise(&mut self) -> bool {
        let RunStatus::Trapped(trap) = &mut self.status else { return false };
        *trap = Trap::Reported { code: "another".to_owned(), details: trap.details() };
        true
    }
}
