//! What the frames share: the stack, the compounds, the host and the accounts of the runner's limits.

use super::context::Context;
use super::fault::{Flow, Stop};
use super::heap::Heap;
use super::host::Host;
use super::item::Item;
use crate::machines::limit::Limit;
use crate::model::limits::Limits;

/// What a script changes.
#[derive(Default)]
pub(super) struct Core {
    /// The evaluation stack, which all frames share; at the end the result stack.
    pub(super) stack: Vec<Item>,
    pub(super) heap: Heap,
    /// The current frame.
    pub(super) context: Context,
    /// The frames that wait for it, the first one first.
    pub(super) callers: Vec<Context>,
    /// Static fields, once initialised.
    pub(super) statics: Vec<Item>,
    /// The exception being thrown while finally blocks run.
    pub(super) uncaught: Option<Item>,
    pub(super) host: Host,
    /// Those of the engine as the program demands them.
    pub(super) limits: Limits,
    /// Where the current instruction starts.
    pub(super) at: usize,
    /// Bytes copied and items visited in bulk, in units of 32, and how many there may be.
    pub(super) worked: u64,
    pub(super) work_limit: u64,
    /// How many host objects were made.
    pub(super) interops: u32,
}

impl Core {
    /// Forgets the last run.
    pub(super) fn reset(&mut self, host: Host, limits: Limits) {
        self.stack.clear();
        self.heap.reset();
        self.context = Context::default();
        self.callers.clear();
        self.statics.clear();
        self.uncaught = None;
        self.host = host;
        self.at = 0;
        self.worked = 0;
        self.work_limit = limits.steps;
        self.limits = limits;
        self.interops = 0;
    }

    /// How many references there are.
    #[inline(always)]
    pub(super) fn references(&self) -> usize {
        self.stack.len() + self.heap.counted
    }

    /// The item so many below the top, if it is there.
    pub(super) fn below(&self, below: usize) -> Option<&Item> {
        self.stack.iter().nth_back(below)
    }

    /// Counts bulk work, so that few instructions cannot take forever.
    pub(super) fn work(&mut self, amount: usize) -> Flow {
        self.worked += amount as u64 / 32;
        Limit::Steps.check(self.worked, self.work_limit).map_err(Stop::Limited)
    }
}
