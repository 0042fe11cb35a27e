//! Arrays, Structs and Maps, and the reference counter of the engine.
//!
//! The machine counts references, not objects: one for each entry of a stack or slot, and one for each
//! position inside a compound that is reachable from such an entry. For this, it counts how many of those
//! references hold each compound: its *stack references*. A compound without stack references is unreachable,
//! so the counter also decides which ones may be freed. The compounds of a cycle keep each other's count
//! above zero; they stay until the end of the run, and their positions count against the limit as long, which
//! bounds them.

use super::item::{Neo3Id, Neo3Item};
use super::map::Neo3Map;

/// All compounds of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Neo3Heap {
    compounds: Vec<Neo3Compound>,
    free: Vec<u32>,
    /// Compounds that are new or lost their last stack reference, without duplicates; some may have been
    /// referenced again since.
    unheld: Vec<Neo3Id>,
    /// How many of them had to stay at the last sweep.
    kept: usize,
    /// How many positions were in the compounds that lost their last stack reference.
    unheld_positions: usize,
    /// References other than the entries of the evaluation stack: slot entries, and positions inside
    /// compounds that have stack references.
    pub(super) counted: usize,
    /// How many positions were counted or uncounted since [`Neo3Heap::take_visited`].
    visited: usize,
    /// Kept for its allocation.
    work: Vec<Neo3Id>,
}

#[derive(Debug, Clone)]
pub(super) enum CompoundContent {
    /// The items of an Array or Struct.
    List(Vec<Neo3Item>),
    /// The pairs of a Map, in order of insertion.
    Map(Neo3Map),
    /// The content of a free slot.
    Nothing,
}

#[derive(Debug, Clone)]
struct Neo3Compound {
    stack_references: u32,
    /// Whether it is in [`Neo3Heap::unheld`].
    is_listed: bool,
    content: CompoundContent,
}

/// How many compounds may have lost their last reference before a sweep.
const UNHELD_BEFORE_SWEEP: usize = 256;
/// How many positions may be in them, since each can be the last one that holds a Buffer of the maximum size.
const UNHELD_POSITIONS_BEFORE_SWEEP: usize = 1024;

impl Neo3Heap {
    /// Removes everything.
    pub(super) fn reset(&mut self) {
        self.compounds.clear();
        self.free.clear();
        self.unheld.clear();
        self.kept = 0;
        self.unheld_positions = 0;
        self.visited = 0;
        self.counted = 0;
    }

    /// Adds a compound without references.
    pub(super) fn add(&mut self, content: CompoundContent) -> Neo3Id {
        // It is listed at once, since it may never be held.
        let compound = Neo3Compound { stack_references: 0, is_listed: true, content };
        let id = if let Some(place) = self.free.pop() {
            self.compounds[place as usize] = compound;
            Neo3Id(place)
        } else {
            self.compounds.push(compound);
            Neo3Id(self.compounds.len() as u32 - 1)
        };
        self.unheld.push(id);
        id
    }

    /// Adds a list without references.
    pub(super) fn add_list(&mut self, items: Vec<Neo3Item>) -> Neo3Id {
        self.add(CompoundContent::List(items))
    }

    /// The items of an Array or Struct.
    pub(super) fn list(&self, id: Neo3Id) -> &[Neo3Item] {
        match &self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => items,
            CompoundContent::Map(_) | CompoundContent::Nothing => &[],
        }
    }

    /// The items of an Array or Struct, mutable.
    pub(super) fn list_mut(&mut self, id: Neo3Id) -> &mut Vec<Neo3Item> {
        match &mut self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => items,
            CompoundContent::Map(_) | CompoundContent::Nothing => unreachable!("expected a list"),
        }
    }

    /// The pairs of a Map.
    pub(super) fn map(&self, id: Neo3Id) -> &Neo3Map {
        match &self.compounds[id.0 as usize].content {
            CompoundContent::Map(pairs) => pairs,
            CompoundContent::List(_) | CompoundContent::Nothing => unreachable!("expected a map"),
        }
    }

    /// The pairs of a Map, mutable.
    pub(super) fn map_mut(&mut self, id: Neo3Id) -> &mut Neo3Map {
        match &mut self.compounds[id.0 as usize].content {
            CompoundContent::Map(pairs) => pairs,
            CompoundContent::List(_) | CompoundContent::Nothing => unreachable!("expected a map"),
        }
    }

    /// Takes everything out of a compound: items, or keys and values.
    pub(super) fn take_all(&mut self, id: Neo3Id) -> Vec<Neo3Item> {
        match &mut self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => std::mem::take(items),
            CompoundContent::Map(pairs) => {
                std::mem::take(pairs).into_iter().flat_map(|(key, value)| [key.item(), value]).collect()
            }
            CompoundContent::Nothing => Vec::new(),
        }
    }

    /// The items in all compounds, including garbage.
    pub(super) fn items(&self) -> impl Iterator<Item = &Neo3Item> {
        self.compounds.iter().flat_map(|compound| {
            let (list, map) = match &compound.content {
                CompoundContent::List(items) => (&items[..], None),
                CompoundContent::Map(pairs) => (&[][..], Some(pairs.values())),
                CompoundContent::Nothing => (&[][..], None),
            };
            list.iter().chain(map.into_iter().flatten())
        })
    }

    /// Like [`Neo3Heap::items`], but mutable.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Neo3Item> {
        self.compounds.iter_mut().flat_map(|compound| {
            let (list, map) = match &mut compound.content {
                CompoundContent::List(items) => (&mut items[..], None),
                CompoundContent::Map(pairs) => (&mut [][..], Some(pairs.values_mut())),
                CompoundContent::Nothing => (&mut [][..], None),
            };
            list.iter_mut().chain(map.into_iter().flatten())
        })
    }

    /// How many items or pairs it has.
    pub(super) fn size(&self, id: Neo3Id) -> usize {
        match &self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => items.len(),
            CompoundContent::Map(pairs) => pairs.len(),
            CompoundContent::Nothing => 0,
        }
    }

    /// Whether positions inside it are counted.
    pub(super) fn is_held(&self, id: Neo3Id) -> bool {
        self.compounds[id.0 as usize].stack_references > 0
    }

    /// Removes one reference to a list if it is held more than once, so that no other count changes. Returns
    /// its items.
    #[inline(always)]
    pub(super) fn let_go_shared(&mut self, id: Neo3Id) -> Option<&mut Vec<Neo3Item>> {
        match &mut self.compounds[id.0 as usize] {
            Neo3Compound { stack_references, content: CompoundContent::List(items), .. }
                if *stack_references > 1 =>
            {
                *stack_references -= 1;
                Some(items)
            }
            _ => None,
        }
    }

    /// A stack or slot holds the item once more. The caller counts the entry itself.
    #[inline(always)]
    pub(super) fn hold(&mut self, item: &Neo3Item) {
        if let Some(id) = item.compound() {
            self.hold_compound(id);
        }
    }

    /// A stack or slot no longer holds the item. The caller uncounts the entry itself.
    #[inline(always)]
    pub(super) fn let_go(&mut self, item: &Neo3Item) {
        if let Some(id) = item.compound() {
            self.let_go_compound(id);
        }
    }

    /// A position inside a held compound receives the item: *acquire* of the reference.
    pub(super) fn acquire(&mut self, item: &Neo3Item) {
        self.counted += 1;
        self.hold(item);
    }

    /// A position inside a held compound loses the item, or a slot is removed: *release* of the reference. A
    /// compound that nothing holds is skipped and not uncounted; therefore a compound that overwrites the
    /// only reference to itself leaves the count one too high.
    pub(super) fn release(&mut self, item: &Neo3Item) {
        match item.compound() {
            Some(id) if !self.is_held(id) => {}
            _ => {
                self.counted -= 1;
                self.let_go(item);
            }
        }
    }

    /// Like [`Neo3Heap::hold`], for a compound.
    #[inline(always)]
    pub(super) fn hold_compound(&mut self, id: Neo3Id) {
        let compound = &mut self.compounds[id.0 as usize];
        compound.stack_references += 1;
        if compound.stack_references == 1 {
            self.hold_content(id);
        }
    }

    /// Counts the contents, at any depth, of a compound that nothing held before.
    #[inline(never)]
    fn hold_content(&mut self, id: Neo3Id) {
        let mut work = std::mem::take(&mut self.work);
        work.push(id);
        while let Some(id) = work.pop() {
            let (inside, positions) = (self.inside(id), self.positions(id));
            self.counted += positions;
            self.visited += positions;
            for inner in inside {
                let compound = &mut self.compounds[inner.0 as usize];
                compound.stack_references += 1;
                if compound.stack_references == 1 {
                    work.push(inner);
                }
            }
        }
        self.work = work;
    }

    /// Like [`Neo3Heap::let_go`], for a compound.
    #[inline(always)]
    pub(super) fn let_go_compound(&mut self, id: Neo3Id) {
        let compound = &mut self.compounds[id.0 as usize];
        compound.stack_references -= 1;
        if compound.stack_references == 0 {
            self.let_go_content(id);
        }
    }

    /// Uncounts the contents, at any depth, of a compound that nothing holds any longer.
    #[inline(never)]
    fn let_go_content(&mut self, id: Neo3Id) {
        let mut work = std::mem::take(&mut self.work);
        work.push(id);
        while let Some(id) = work.pop() {
            let compound = &mut self.compounds[id.0 as usize];
            if !std::mem::replace(&mut compound.is_listed, true) {
                self.unheld.push(id);
            }
            let inside = self.inside(id);
            let positions = self.positions(id);
            self.unheld_positions += positions;
            self.visited += positions;
            self.counted -= positions - inside.len();
            for inner in inside {
                let compound = &mut self.compounds[inner.0 as usize];
                if compound.stack_references > 0 {
                    self.counted -= 1;
                    compound.stack_references -= 1;
                    if compound.stack_references == 0 {
                        work.push(inner);
                    }
                }
            }
        }
        self.work = work;
    }

    /// How many positions a compound has: a pair has two.
    fn positions(&self, id: Neo3Id) -> usize {
        match &self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => items.len(),
            CompoundContent::Map(pairs) => 2 * pairs.len(),
            CompoundContent::Nothing => 0,
        }
    }

    /// The compounds in a compound, with duplicates. Keys are never compounds.
    fn inside(&self, id: Neo3Id) -> Vec<Neo3Id> {
        match &self.compounds[id.0 as usize].content {
            CompoundContent::List(items) => items.iter().filter_map(Neo3Item::compound).collect(),
            CompoundContent::Map(pairs) => pairs.values().filter_map(Neo3Item::compound).collect(),
            CompoundContent::Nothing => Vec::new(),
        }
    }

    /// How many positions were counted or uncounted since the last call: the hidden work of holding and
    /// releasing compounds.
    pub(super) fn take_visited(&mut self) -> usize {
        std::mem::take(&mut self.visited)
    }

    /// Frees unreachable compounds. Call this before an instruction makes new ones and before it pops
    /// anything; `pending` is the exception being thrown, which no stack holds.
    pub(super) fn make_room(&mut self, pending: Option<&Neo3Item>) {
        if self.unheld.len() >= self.kept + UNHELD_BEFORE_SWEEP
            || self.unheld_positions >= UNHELD_POSITIONS_BEFORE_SWEEP
        {
            self.sweep(pending);
        }
    }

    /// Like [`Neo3Heap::make_room`], however little there is to free.
    #[cold]
    pub(super) fn sweep(&mut self, pending: Option<&Neo3Item>) {
        let pending = self.reachable(pending);
        for id in std::mem::take(&mut self.unheld) {
            let compound = &mut self.compounds[id.0 as usize];
            if compound.stack_references > 0 {
                compound.is_listed = false;
            } else if pending.contains(&id) {
                self.unheld.push(id);
            } else {
                compound.content = CompoundContent::Nothing;
                self.free.push(id.0);
            }
        }
        self.kept = self.unheld.len();
        self.unheld_positions = 0;
    }

    fn reachable(&self, from: Option<&Neo3Item>) -> std::collections::HashSet<Neo3Id> {
        let mut found = std::collections::HashSet::new();
        let mut work: Vec<Neo3Id> = from.and_then(Neo3Item::compound).into_iter().collect();
        while let Some(id) = work.pop() {
            if found.insert(id) {
                work.extend(self.inside(id));
            }
        }
        found
    }
}
