//! Items as values. Items may contain themselves, and a few that are shared can be written as a
//! tree of any size; both end somewhere here.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::convert::number;
use super::heap::Heap;
use super::item::{Id, Item};
use super::key::Key;
use crate::model::hex::bytes_key;
use crate::model::value::Value;

/// How many items are shown at once; a vector that demands more is itself as large.
const MOST_SHOWN: usize = 1_000_000;
/// As [`MOST_SHOWN`], of an item that is shown with each instruction.
const MOST_SHOWN_OFTEN: usize = 256;
/// So many bytes are shown in place of an item.
const BYTES_OF_ITEM: usize = 64;
/// How deep items are shown.
const DEEPEST: usize = 512;

/// Turns items into values.
pub(super) struct Show<'h> {
    heap: &'h Heap,
    left: usize,
    /// The compounds around the item that is being shown.
    around: Vec<Id>,
}

impl<'h> Show<'h> {
    pub(super) fn new(heap: &'h Heap) -> Show<'h> {
        Show { heap, left: MOST_SHOWN, around: Vec::new() }
    }

    /// One item, of a compound only a small one.
    pub(super) fn briefly(heap: &'h Heap, item: &Item) -> Value {
        Show { heap, left: MOST_SHOWN_OFTEN, around: Vec::new() }.item(item)
    }

    /// A stack, the top first.
    pub(super) fn top_first(&mut self, items: &[Item]) -> Value {
        Value::List(items.iter().rev().map(|item| self.item(item)).collect())
    }

    /// A slot or a list.
    pub(super) fn in_order(&mut self, items: &[Item]) -> Value {
        Value::List(items.iter().map(|item| self.item(item)).collect())
    }

    fn item(&mut self, item: &Item) -> Value {
        self.left = self.left.saturating_sub(1);
        let (name, value) = match item {
            Item::Null => ("Null", Value::Null),
            Item::Boolean(value) => ("Boolean", Value::Bool(*value)),
            Item::Integer(_) | Item::Big(_) => ("Integer", Value::Int(number(item).unwrap_or_default())),
            Item::ByteString(bytes) => ("ByteString", self.bytes(bytes)),
            Item::Buffer(bytes) => ("Buffer", self.bytes(&bytes.borrow())),
            Item::Pointer(position) => ("Pointer", Value::int(*position)),
            Item::Interop(_) => ("Interop", Value::text("Object")),
            Item::Array(id) => ("Array", self.compound(*id, Show::list)),
            Item::Struct(id) => ("Struct", self.compound(*id, Show::list)),
            Item::Map(id) => ("Map", self.compound(*id, Show::map)),
        };
        Value::typed(name, value)
    }

    /// Bytes, which many items may share.
    fn bytes(&mut self, bytes: &[u8]) -> Value {
        let Some(left) = self.left.checked_sub(bytes.len() / BYTES_OF_ITEM) else { return too_large() };
        self.left = left;
        Value::Bytes(bytes.to_vec())
    }

    fn compound(&mut self, id: Id, content: fn(&mut Self, Id) -> Value) -> Value {
        if self.around.contains(&id) {
            return Value::text("contains itself");
        }
        if self.left < self.heap.size(id).max(1) || self.around.len() >= DEEPEST {
            return too_large();
        }
        self.around.push(id);
        let value = content(self, id);
        self.around.pop();
        value
    }

    fn list(&mut self, id: Id) -> Value {
        self.in_order(self.heap.list(id))
    }

    fn map(&mut self, id: Id) -> Value {
        Value::Record(pairs(self.heap.map(id)).map(|(name, value)| (name, self.item(value))).collect())
    }
}

/// Pairs by the text of their keys. Keys of different types may have the same text; those get a
/// number, so that none hides another.
pub(super) fn pairs(map: &IndexMap<Key, Item>) -> impl Iterator<Item = (String, &Item)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    map.iter().map(move |(key, value)| {
        let text = key_name(key);
        let count = counts.entry(text.clone()).or_default();
        *count += 1;
        (if *count == 1 { text } else { format!("{text}#{count}") }, value)
    })
}

/// The text of a key: its bytes.
pub(super) fn key_name(key: &Key) -> String {
    let bytes = key.bytes();
    if bytes.is_empty() { String::new() } else { bytes_key(&bytes) }
}

fn too_large() -> Value {
    Value::text("too large to show")
}
