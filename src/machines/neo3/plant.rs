//! What planted faults change besides cells.

use super::fault::Neo3Fault;
use super::item::Neo3Item;
use super::machine::Neo3;
use crate::machines::plant::{PlantFaults, PlantInCompounds};

impl PlantFaults for Neo3 {
    fn go_to(&mut self, pc: usize) -> bool {
        let is_there = pc <= self.length();
        if is_there {
            self.pc = pc;
        }
        is_there
    }

    fn push(&mut self) -> bool {
        self.core.stack.push(Neo3Item::Integer(0));
        true
    }

    fn pop(&mut self) -> bool {
        let popped = self.core.stack.pop();
        if let Some(item) = &popped {
            self.core.heap.let_go(item);
        }
        popped.is_some()
    }

    fn overflow(&mut self) -> bool {
        let most = self.core.limits.stack_size;
        self.fail(Neo3Fault::References { count: most as usize + 1, most })
    }

    fn fail_otherwise(&mut self) -> bool {
        self.fail(Neo3Fault::Unhandled(None))
    }

    fn compounds(&mut self) -> Option<&mut dyn PlantInCompounds> {
        Some(self)
    }
}

impl Neo3 {
    /// Ends a run that has not ended.
    fn fail(&mut self, fault: Neo3Fault) -> bool {
        let runs = self.stop.is_none();
        if runs {
            self.stop = Some(fault.into());
        }
        runs
    }
}

impl PlantInCompounds for Neo3 {
    fn copy_top(&mut self) -> bool {
        let Some(top) = self.core.stack.last().cloned() else { return false };
        let (Neo3Item::Array(id) | Neo3Item::Struct(id)) = top else { return false };
        let items = self.core.heap.list(id).to_vec();
        let copy = self.core.heap.add_list(Vec::new());
        let copied =
            if matches!(top, Neo3Item::Array(_)) { Neo3Item::Array(copy) } else { Neo3Item::Struct(copy) };
        self.core.heap.hold(&copied);
        for item in &items {
            self.core.heap.acquire(item);
        }
        *self.core.heap.list_mut(copy) = items;
        self.core.heap.let_go(&top);
        self.core.stack.pop();
        self.core.stack.push(copied);
        true
    }

    fn count_more(&mut self, references: usize) -> bool {
        self.core.heap.counted += references;
        true
    }

    fn top_as_array(&mut self) -> bool {
        let Some(top @ &mut Neo3Item::Struct(list)) = self.core.stack.last_mut() else { return false };
        *top = Neo3Item::Array(list);
        true
    }

    fn stored_as_struct(&mut self, compound: usize) -> bool {
        for item in self.core.heap.items_mut() {
            match *item {
                Neo3Item::Array(list) if list.0 as usize == compound => *item = Neo3Item::Struct(list),
                _ => {}
            }
        }
        true
    }
}
