//! The compounds, and the memory that they use.
//!
//! Items refer to compounds by number, so that one may contain itself. Compounds that are not reachable from
//! a stack are garbage. Garbage is removed when it may be half of all compounds, and only between two
//! instructions or at the end of one, when every live item is on a stack.

use super::item::{Neo2Id, Neo2Item};
use super::map::Neo2Map;

/// The size in bytes of an item in a list.
pub(super) const PLACE: u64 = size_of::<Neo2Item>() as u64;
/// The size in bytes of an entry in a map.
pub(super) const ENTRY: u64 = 128;
/// The size in bytes of an empty compound.
pub(super) const COMPOUND: u64 = 64;

/// All compounds.
#[derive(Debug, Clone)]
pub(super) struct Neo2Heap {
    lists: Arena<Vec<Neo2Item>>,
    maps: Arena<Neo2Map>,
    /// The number of the last search for live compounds.
    search: u64,
}

impl Neo2Heap {
    /// A heap without compounds.
    pub(super) fn new() -> Neo2Heap {
        Neo2Heap { lists: Arena::new(), maps: Arena::new(), search: 1 }
    }

    pub(super) fn add_list(&mut self, items: Vec<Neo2Item>) -> Neo2Id {
        self.lists.insert(items, self.search)
    }

    /// Adds an empty map.
    pub(super) fn add_map(&mut self) -> Neo2Id {
        self.maps.insert(Neo2Map::default(), self.search)
    }

    /// The items of an Array or a Struct.
    pub(super) fn list(&self, id: Neo2Id) -> &[Neo2Item] {
        &self.lists.values[id.0 as usize]
    }

    /// Like [`Neo2Heap::list`], but mutable. The caller accounts for what it adds.
    pub(super) fn list_mut(&mut self, id: Neo2Id) -> &mut Vec<Neo2Item> {
        &mut self.lists.values[id.0 as usize]
    }

    /// The items in all lists and maps, including garbage, mutable.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Neo2Item> {
        let lists = self.lists.values.iter_mut().flatten();
        lists.chain(self.maps.values.iter_mut().flat_map(Neo2Map::values_mut))
    }

    pub(super) fn map(&self, id: Neo2Id) -> &Neo2Map {
        &self.maps.values[id.0 as usize]
    }

    /// Like [`Neo2Heap::map`], but mutable. The caller accounts for what it adds.
    pub(super) fn map_mut(&mut self, id: Neo2Id) -> &mut Neo2Map {
        &mut self.maps.values[id.0 as usize]
    }

    /// Finds everything reachable from the roots, and counts items as the machine does: each root, and each
    /// item and value in a reachable compound, however many references the compound has.
    pub(super) fn search<'i>(&mut self, roots: impl Iterator<Item = &'i Neo2Item>) -> usize {
        self.search += 1;
        let Neo2Heap { lists, maps, search, .. } = self;
        let mut found = FoundCompound {
            search: *search,
            lists: &mut lists.found,
            maps: &mut maps.found,
            pending: Vec::new(),
            count: 0,
        };
        roots.for_each(|item| found.meet(item));
        while let Some(compound) = found.pending.pop() {
            match compound {
                Neo2Compound::List(id) => lists.values[id].iter().for_each(|item| found.meet(item)),
                Neo2Compound::Map(id) => {
                    maps.values[id].entries().for_each(|entry| found.meet(&entry.value));
                }
            }
        }
        found.count
    }

    /// Removes everything that the last search, with the same roots, did not find. Returns how many bytes are
    /// in use.
    pub(super) fn sweep<'i>(&mut self, roots: impl Iterator<Item = &'i Neo2Item>) -> u64 {
        self.lists.sweep(self.search);
        self.maps.sweep(self.search);
        let lists = self
            .lists
            .in_use()
            .map(|list| COMPOUND + list.iter().map(|item| PLACE + item.size()).sum::<u64>());
        let maps = self.maps.in_use().map(|map| {
            let entries = map.entries().map(|entry| ENTRY + entry.key.size() + entry.value.size());
            COMPOUND + entries.sum::<u64>()
        });
        roots.map(Neo2Item::size).sum::<u64>() + lists.sum::<u64>() + maps.sum::<u64>()
    }

    /// The number of slots for compounds, including garbage and free ones.
    pub(super) fn len(&self) -> usize {
        self.lists.values.len() + self.maps.values.len()
    }
}

/// Values by number.
#[derive(Debug, Clone)]
struct Arena<T> {
    values: Vec<T>,
    /// The last search that found each value; [`FREE`] for an unused number.
    found: Vec<u64>,
    free: Vec<u32>,
}

const FREE: u64 = 0;

impl<T: Default> Arena<T> {
    fn new() -> Arena<T> {
        Arena { values: Vec::new(), found: Vec::new(), free: Vec::new() }
    }

    fn insert(&mut self, value: T, search: u64) -> Neo2Id {
        if let Some(id) = self.free.pop() {
            self.values[id as usize] = value;
            self.found[id as usize] = search;
            return Neo2Id(id);
        }
        self.values.push(value);
        self.found.push(search);
        Neo2Id((self.values.len() - 1) as u32)
    }

    fn sweep(&mut self, search: u64) {
        for (id, found) in self.found.iter_mut().enumerate() {
            if *found != search && *found != FREE {
                *found = FREE;
                self.values[id] = T::default();
                self.free.push(id as u32);
            }
        }
    }

    fn in_use(&self) -> impl Iterator<Item = &T> {
        let used = self.values.iter().zip(&self.found);
        used.filter(|(_, found)| **found != FREE).map(|(value, _)| value)
    }
}

#[derive(Debug, Clone, Copy)]
enum Neo2Compound {
    List(usize),
    Map(usize),
}

/// The state of a search.
struct FoundCompound<'h> {
    search: u64,
    lists: &'h mut [u64],
    maps: &'h mut [u64],
    /// Compounds that were found but not visited yet.
    pending: Vec<Neo2Compound>,
    count: usize,
}

impl FoundCompound<'_> {
    fn meet(&mut self, item: &Neo2Item) {
        self.count += 1;
        let (found, compound) = match item {
            Neo2Item::Array(id) | Neo2Item::Struct(id) => {
                (&mut self.lists[id.0 as usize], Neo2Compound::List(id.0 as usize))
            }
            Neo2Item::Map(id) => (&mut self.maps[id.0 as usize], Neo2Compound::Map(id.0 as usize)),
            Neo2Item::Integer(_)
            | Neo2Item::Big(_)
            | Neo2Item::Boolean(_)
            | Neo2Item::Bytes(_)
            | Neo2Item::Interop(_) => return,
        };
        if std::mem::replace(found, self.search) != self.search {
            self.pending.push(compound);
        }
    }
}
