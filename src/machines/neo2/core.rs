//! What the frames share: the stacks, the compounds, the environment and the accounts of the
//! runner's limits.

use std::collections::HashMap;
use std::rc::Rc;

use super::context::Context;
use super::count::Estimate;
use super::fault::{Flow, Stop};
use super::heap::Heap;
use super::item::Item;
use super::script::Hash;
use crate::machines::limit::Limit;

/// What the program changes, and what it can ask for.
pub(super) struct Core {
    /// The evaluation stacks of all frames one after the other, the current one last. A frame
    /// that others are called from does not change, so each needs to know only where it starts.
    pub(super) stack: Vec<Item>,
    /// The alt stacks, likewise.
    pub(super) alt: Vec<Item>,
    /// The frames, the current one last.
    pub(super) frames: Vec<Context>,
    /// What the last frame returned.
    pub(super) results: Vec<Item>,
    pub(super) heap: Heap,
    pub(super) estimate: Estimate,
    /// The scripts that can be called, by their hashes; `None` when the program has no table.
    pub(super) table: Option<HashMap<Hash, usize>>,
    /// What a signature signs.
    pub(super) message: Option<Rc<Vec<u8>>>,
    /// How often the script requested the script container without a message.
    pub(super) nothings: u32,
    worked: u64,
    /// The most work; see [`Core::work`].
    steps: u64,
}

impl Core {
    /// Without frames and an environment. At most `steps` units of work and `memory` bytes.
    pub(super) fn new(steps: u64, memory: u64) -> Core {
        Core {
            stack: Vec::new(),
            alt: Vec::new(),
            frames: Vec::new(),
            results: Vec::new(),
            heap: Heap::new(memory),
            estimate: Estimate::default(),
            table: None,
            message: None,
            nothings: 0,
            worked: 0,
            steps,
        }
    }

    /// Counts work that one instruction does much of. A unit takes about as long as an
    /// instruction.
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Flow {
        self.worked += units;
        Limit::Steps.check(self.worked, self.steps).map_err(Stop::Limited)
    }

    /// Counts the work of reading or writing so many bytes.
    #[inline(always)]
    pub(super) fn work_on_bytes(&mut self, length: usize) -> Flow {
        self.work(length as u64 / 32)
    }

    /// Counts the work of moving so many items.
    #[inline(always)]
    pub(super) fn work_on_items(&mut self, count: usize) -> Flow {
        self.work(count as u64 / 8)
    }

    /// Removes garbage when there is enough of it. Every live item must be on a stack.
    #[inline(always)]
    pub(super) fn clean(&mut self) -> Flow {
        if self.heap.is_due() { self.survey().map(drop) } else { Ok(()) }
    }

    /// How many items there are, see [`Heap::search`]; and [`Core::clean`].
    #[cold]
    #[inline(never)]
    pub(super) fn survey(&mut self) -> Result<usize, Stop> {
        let Core { stack, alt, heap, .. } = self;
        let roots = || stack.iter().chain(alt.iter());
        let count = heap.search(roots());
        let mut seen = count;
        if heap.is_due() {
            heap.sweep(roots())?;
            seen += count + heap.len();
        }
        self.work(seen as u64)?;
        Ok(count)
    }
}
