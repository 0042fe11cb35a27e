//! What planted faults change besides cells.

use super::cells;
use super::frame::{PADDING, STACK_LIMIT};
use super::machine::Evm;
use super::program::stored_before;
use super::stop::{EvmStop, Halt};
use super::word::Halves;
use crate::machines::plant::{PlantFaults, PlantInCells};
use crate::model::{Cell, Program, Value};

impl PlantFaults for Evm {
    /// The word of storage before the program runs, so that a forgotten write is always forgotten.
    fn unwritten(&self, program: &Program, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Named(cells::STORAGE, key) => stored_before(program, key),
            _ => self.content(cell),
        }
    }

    fn go_to(&mut self, pc: usize) -> bool {
        let is_there = pc <= self.program().len() + PADDING;
        if is_there {
            self.context.count.jump(self.pc, pc);
            self.pc = pc;
        }
        is_there
    }

    fn push(&mut self) -> bool {
        let has_room = self.height < STACK_LIMIT;
        if has_room {
            self.height += 1;
            self.stack[self.height] = Halves::default();
        }
        has_room
    }

    fn pop(&mut self) -> bool {
        let has_item = self.height > 0;
        self.height -= usize::from(has_item);
        has_item
    }

    fn spend(&mut self, gas: i64) -> bool {
        let left = self.gas.checked_add_signed(-gas);
        self.gas = left.unwrap_or(self.gas);
        left.is_some()
    }

    fn overflow(&mut self) -> bool {
        self.stop = Some(EvmStop::Halted(Halt::StackOverflow));
        true
    }
}
