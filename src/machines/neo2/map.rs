//! A Map's entries.

use std::collections::HashMap;
use std::rc::Rc;

use super::item::Neo2Item;
use crate::model::bytes_key;

/// Entries by the bytes of their keys. They are ordered by slot, and a new entry gets the slot that was freed last.
#[derive(Debug, Clone, Default)]
pub(super) struct Neo2Map {
    slots: Vec<Option<MapEntry>>,
    free: Vec<usize>,
    by_key: HashMap<Rc<Vec<u8>>, usize>,
}

/// A key as it was when its entry was created, and its value.
#[derive(Debug, Clone)]
pub(super) struct MapEntry {
    pub(super) key: Neo2Item,
    pub(super) value: Neo2Item,
}

impl Neo2Map {
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether it never had an entry.
    pub(super) fn is_untouched(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &MapEntry> {
        self.slots.iter().flatten()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Neo2Item> {
        self.slots.iter_mut().flatten().map(|entry| &mut entry.value)
    }

    pub(super) fn get(&self, key: &Rc<Vec<u8>>) -> Option<&Neo2Item> {
        let slot = *self.by_key.get(key)?;
        self.slots[slot].as_ref().map(|entry| &entry.value)
    }

    /// The value of an existing entry, mutable.
    pub(super) fn get_mut(&mut self, key: &Rc<Vec<u8>>) -> Option<&mut Neo2Item> {
        let slot = *self.by_key.get(key)?;
        self.slots[slot].as_mut().map(|entry| &mut entry.value)
    }

    /// Adds a new entry. `bytes` are the bytes of its key.
    pub(super) fn insert(&mut self, bytes: Rc<Vec<u8>>, entry: MapEntry) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[slot] = Some(entry);
        self.by_key.insert(bytes, slot);
    }

    pub(super) fn remove(&mut self, key: &Rc<Vec<u8>>) {
        if let Some(slot) = self.by_key.remove(key) {
            self.slots[slot] = None;
            self.free.push(slot);
        }
    }
}

/// The text of a key: its bytes.
pub(super) fn key_name(key: &Neo2Item) -> String {
    match key.bytes() {
        Some(bytes) if !bytes.is_empty() => bytes_key(&bytes),
        _ => String::new(),
    }
}
