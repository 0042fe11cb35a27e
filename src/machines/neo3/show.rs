//! Items as values. Items may contain themselves, and a few that are shared can be written as a
//! tree of any size; both end somewhere here.

use std::collections::HashMap;

use super::convert::number;
use super::heap::Heap;
use super::item::{Id, Item};
use crate::value::{Value, bytes_key};

/// How many items are shown at once; a vector that demands more is itself as large.
const MOST_SHOWN: usize = 1_000_000;
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
        Value::Typed(name, Box::new(value))
    }

    /// Bytes, which many items may share.
    fn bytes(&mut self, bytes: &[u8]) -> Value {
        if self.left == 0 && bytes.len() > BYTES_OF_ITEM {
            return too_large();
        }
        self.left = self.left.saturating_sub(bytes.len() / BYTES_OF_ITEM);
        Value::Bytes(bytes.to_vec())
    }

    fn compound(&mut self, id: Id, content: fn(&mut Self, Id) -> Value) -> Value {
        if self.around.contains(&id) {
            return Value::text("contains itself");
        }
        if self.left == 0 || self.around.len() >= DEEPEST {
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

    /// Pairs by the text of their keys. Keys of different types may have the same text; those get
    /// a number, so that none hides another.
    fn map(&mut self, id: Id) -> Value {
        let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
        let pairs = self.heap.map(id).iter().map(|(key, value)| {
            let bytes = key.bytes();
            let text = if bytes.is_empty() { String::new() } else { bytes_key(&bytes) };
            let count = counts.entry(bytes).or_default();
            *count += 1;
            let name = if *count == 1 { text } else { format!("{text}#{count}") };
            (name, self.item(value))
        });
        Value::Record(pairs.collect())
    }
}

fn too_large() -> Value {
    Value::text("too large to show")
}
