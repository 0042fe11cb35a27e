//! What the frames share: the stacks, the compounds, the environment and the account for the runner's limits.

use std::collections::HashMap;
use std::rc::Rc;

use super::context::Neo2Context;
use super::fault::{Neo2Flow, Neo2Stop};
use super::heap::{COMPOUND, Neo2Heap, PLACE};
use super::item::Neo2Id;
use super::item::Neo2Item;
use super::script::Hash;
use crate::machines::account::{COPIES, CaseAccount};

/// The charge for an allocation, including its later release, in units.
pub(super) const ALLOCATION: u64 = 6;
/// How many bytes are copied per unit.
const BYTES_OF_UNIT: usize = 64;
/// How many items are moved per unit.
const ITEMS_OF_UNIT: usize = 14;
/// The charge for a search for live items, in units, and how many items it visits per unit.
const SURVEY: u64 = 4;
const SEEN_IN_UNIT: u64 = 2;

/// The state that the program changes, and the environment that it can query.
#[derive(Clone)]
pub(super) struct Neo2Core {
    /// The evaluation stacks of all frames, one after another, the current one last. Only the current one
    /// changes, so each frame only stores where its stack starts.
    pub(super) stack: Vec<Neo2Item>,
    /// The alt stacks, likewise.
    pub(super) alt: Vec<Neo2Item>,
    /// The frames, the current one last.
    pub(super) frames: Vec<Neo2Context>,
    /// What the last frame returned.
    pub(super) results: Vec<Neo2Item>,
    pub(super) heap: Neo2Heap,
    pub(super) estimate: ItemEstimate,
    /// The scripts that can be called, by their hashes; `None` if the program has no table.
    pub(super) table: Option<HashMap<Hash, usize>>,
    /// The message that signatures sign.
    pub(super) message: Option<Rc<Vec<u8>>>,
    /// How often the script requested the script container without a message.
    pub(super) nothings: u32,
    pub(super) account: CaseAccount,
}

impl Neo2Core {
    /// A core without frames and without an environment.
    pub(super) fn new(account: CaseAccount) -> Neo2Core {
        Neo2Core {
            stack: Vec::new(),
            alt: Vec::new(),
            frames: Vec::new(),
            results: Vec::new(),
            heap: Neo2Heap::new(),
            estimate: ItemEstimate::default(),
            table: None,
            message: None,
            nothings: 0,
            account,
        }
    }

    /// Charges the extra time that an instruction takes compared with a plain one.
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Neo2Flow {
        Ok(self.account.charge(units)?)
    }

    /// Charges for reading or writing this number of bytes.
    #[inline(always)]
    pub(super) fn work_on_bytes(&mut self, length: usize) -> Neo2Flow {
        self.work(length.div_ceil(BYTES_OF_UNIT) as u64)
    }

    /// Charges for moving this number of items.
    #[inline(always)]
    pub(super) fn work_on_items(&mut self, count: usize) -> Neo2Flow {
        self.work(count.div_ceil(ITEMS_OF_UNIT) as u64)
    }

    /// Counts bytes that are about to be allocated.
    #[inline(always)]
    pub(super) fn hold(&mut self, bytes: u64) -> Neo2Flow {
        Ok(self.account.hold(COPIES * bytes)?)
    }

    pub(super) fn add_list(&mut self, items: Vec<Neo2Item>) -> Result<Neo2Id, Neo2Stop> {
        self.work(ALLOCATION + items.len() as u64)?;
        self.hold(COMPOUND + PLACE * items.len() as u64)?;
        Ok(self.heap.add_list(items))
    }

    /// Adds an empty map.
    pub(super) fn add_map(&mut self) -> Result<Neo2Id, Neo2Stop> {
        self.work(ALLOCATION)?;
        self.hold(COMPOUND)?;
        Ok(self.heap.add_map())
    }

    /// Removes garbage if there is enough of it. Every live item must be on a stack.
    #[inline(always)]
    pub(super) fn clean(&mut self) -> Neo2Flow {
        if self.account.is_due() { self.survey().map(drop) } else { Ok(()) }
    }

    /// How many items there are (see [`Neo2Heap::search`]). Also removes garbage, like [`Neo2Core::clean`].
    #[cold]
    #[inline(never)]
    pub(super) fn survey(&mut self) -> Result<usize, Neo2Stop> {
        let Neo2Core { stack, alt, heap, account, .. } = self;
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

/// The machine's estimate of the number of items.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemEstimate {
    pub(super) count: i64,
    /// Whether every change since the last recount was stated as exact.
    pub(super) exact: bool,
}

impl Default for ItemEstimate {
    fn default() -> ItemEstimate {
        ItemEstimate { count: 0, exact: true }
    }
}
