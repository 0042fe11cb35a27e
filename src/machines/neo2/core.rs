//! What the frames share: the stacks, the compounds, the environment and the accounts of the
//! runner's limits.

use std::collections::HashMap;
use std::rc::Rc;

use super::context::Context;
use super::count::Estimate;
use super::fault::{Flow, Stop};
use super::heap::{COMPOUND, Heap, Id, PLACE};
use super::item::Item;
use super::script::Hash;
use crate::machines::account::{Account, COPIES};

/// What an allocation is charged, with what becomes of it.
pub(super) const ALLOCATION: u64 = 6;
/// The bytes that are copied in a unit.
const BYTES_OF_UNIT: usize = 64;
/// The items that are moved in a unit.
const ITEMS_OF_UNIT: usize = 32;
/// What a search for live items is charged, and how many items it meets in a unit.
const SURVEY: u64 = 4;
const SEEN_IN_UNIT: u64 = 2;

/// What the program changes, and what it can ask for.
#[derive(Clone)]
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
    pub(super) account: Account,
}

impl Core {
    /// Without frames and an environment.
    pub(super) fn new(account: Account) -> Core {
        Core {
            stack: Vec::new(),
            alt: Vec::new(),
            frames: Vec::new(),
            results: Vec::new(),
            heap: Heap::new(),
            estimate: Estimate::default(),
            table: None,
            message: None,
            nothings: 0,
            account,
        }
    }

    /// Charges what an instruction takes longer than a plain one.
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Flow {
        Ok(self.account.charge(units)?)
    }

    /// Counts the work of reading or writing this number of bytes.
    #[inline(always)]
    pub(super) fn work_on_bytes(&mut self, length: usize) -> Flow {
        self.work(length.div_ceil(BYTES_OF_UNIT) as u64)
    }

    /// Counts the work of moving this number of items.
    #[inline(always)]
    pub(super) fn work_on_items(&mut self, count: usize) -> Flow {
        self.work(count.div_ceil(ITEMS_OF_UNIT) as u64)
    }

    /// Counts bytes of what is about to be made.
    #[inline(always)]
    pub(super) fn hold(&mut self, bytes: u64) -> Flow {
        Ok(self.account.hold(COPIES * bytes)?)
    }

    /// A list with these items.
    pub(super) fn add_list(&mut self, items: Vec<Item>) -> Result<Id, Stop> {
        self.work(ALLOCATION + items.len() as u64)?;
        self.hold(COMPOUND + PLACE * items.len() as u64)?;
        Ok(self.heap.add_list(items))
    }

    /// An empty map.
    pub(super) fn add_map(&mut self) -> Result<Id, Stop> {
        self.work(ALLOCATION)?;
        self.hold(COMPOUND)?;
        Ok(self.heap.add_map())
    }

    /// Removes garbage when there is enough of it. Every live item must be on a stack.
    #[inline(always)]
    pub(super) fn clean(&mut self) -> Flow {
        if self.account.is_due() { self.survey().map(drop) } else { Ok(()) }
    }

    /// How many items there are, see [`Heap::search`]; and [`Core::clean`].
    #[cold]
    #[inline(never)]
    pub(super) fn survey(&mut self) -> Result<usize, Stop> {
        let Core { stack, alt, heap, account, .. } = self;
        let roots = || stack.iter().chain(alt.iter());
        let count = heap.search(roots());
        let mut seen = count;
        if account.is_due() {
            account.settle(COPIES * heap.sweep(roots()));
            account.hold(0)?;
            seen += count + heap.len();
        }
        self.work(SURVEY + seen as u64 / SEEN_IN_UNIT)?;
        Ok(count)
    }
}
