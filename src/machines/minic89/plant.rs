//! What planted faults change besides cells.

use super::machine::{MiniC89, RunStatus};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::plant::PlantFaults;

impl PlantFaults for MiniC89 {
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
