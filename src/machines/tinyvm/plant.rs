//! What planted faults change besides cells.

use super::machine::TinyVm;
use crate::machines::change;
use crate::machines::plant::PlantFaults;
use crate::model::cell::Cell;
use crate::model::value::Value;

impl PlantFaults for TinyVm {
    fn content(&self, cell: &Cell) -> Option<Value> {
        change::content(self, cell)
    }

    fn write(&mut self, cell: &Cell, value: &Value) -> bool {
        change::write(self, cell, value)
    }

    fn go_to(&mut self, pc: usize) -> bool {
        let (Ok(single), Ok(pc)) = (self.alone(), u16::try_from(pc)) else { return false };
        single.core.pc = pc;
        true
    }
}
