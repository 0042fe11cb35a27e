//! What planted faults change besides cells.

use super::fault::{Neo2Fault, Neo2Stop};
use super::item::Neo2Item;
use super::machine::{Neo2, Neo2End};
use crate::machines::plant::{PlantFaults, PlantInCompounds};

impl PlantFaults for Neo2 {
    fn go_to(&mut self, pc: usize) -> bool {
        let Some(frame) = self.core.frames.last_mut() else { return false };
        let is_there = pc <= self.scripts[frame.script].code.len();
        if is_there {
            frame.pc = pc as i64;
        }
        is_there
    }

    fn push(&mut self) -> bool {
        let runs = !self.core.frames.is_empty();
        if runs {
            self.core.stack.push(Neo2Item::Integer(0));
        }
        runs
    }

    fn pop(&mut self) -> bool {
        !self.core.frames.is_empty() && self.core.stack.pop().is_some()
    }

    fn overflow(&mut self) -> bool {
        let Some(frame) = self.core.frames.last().filter(|_| self.end.is_none()) else { return false };
        let at = usize::try_from(frame.pc).unwrap_or_default();
        let code = self.scripts[frame.script].code.get(at).copied().unwrap_or_default();
        self.end = Some(Neo2End { stop: Neo2Stop::Faulted(Neo2Fault::TooManyItems), at, code });
        true
    }

    fn compounds(&mut self) -> Option<&mut dyn PlantInCompounds> {
        if self.core.frames.is_empty() { None } else { Some(self) }
    }
}

impl PlantInCompounds for Neo2 {
    fn copy_top(&mut self) -> bool {
        let heap = &mut self.core.heap;
        let mut copy = |list| heap.add_list(heap.list(list).to_vec());
        match self.core.stack.last_mut() {
            Some(Neo2Item::Array(list) | Neo2Item::Struct(list)) => *list = copy(*list),
            _ => return false,
        }
        true
    }

    fn count_more(&mut self, references: usize) -> bool {
        self.core.estimate.count += references as i64;
        true
    }

    fn top_as_array(&mut self) -> bool {
        let Some(top @ &mut Neo2Item::Struct(list)) = self.core.stack.last_mut() else { return false };
        *top = Neo2Item::Array(list);
        true
    }

    fn stored_as_struct(&mut self, compound: usize) -> bool {
        for item in self.core.heap.items_mut() {
            match *item {
                Neo2Item::Array(list) if item.compound() == Some(compound) => *item = Neo2Item::Struct(list),
                _ => {}
            }
        }
        true
    }
}
