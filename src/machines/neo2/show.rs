//! Items as values to be compared with what a vector demands.

use super::heap::{Heap, Id};
use super::item::{Host, Item};
use crate::model::hex::bytes_key;
use crate::model::value::Value;

/// Items and words of 32 bytes that are shown at once. As a tree, what a few containers share can
/// be more than fits any memory.
const MOST: usize = 1_000_000;

/// As [`MOST`], of an item that is shown with each instruction.
const MOST_OFTEN: usize = 256;

/// Containers in containers that are shown: more than a vector can demand.
const DEEPEST: usize = 256;

/// What shows the items of one field.
pub(super) struct Show<'m> {
    heap: &'m Heap,
    /// What is left of [`MOST`].
    left: usize,
    /// The containers around the item that is shown.
    above: Vec<Item>,
}

impl<'m> Show<'m> {
    pub(super) fn new(heap: &'m Heap) -> Show<'m> {
        Show { heap, left: MOST, above: Vec::new() }
    }

    /// One item, of a container only a small one.
    pub(super) fn briefly(heap: &'m Heap, item: &Item) -> Value {
        Show { heap, left: MOST_OFTEN, above: Vec::new() }.item(item)
    }

    /// A stack, the top first.
    pub(super) fn stack(&mut self, items: &[Item]) -> Value {
        Value::List(items.iter().rev().map(|item| self.item(item)).collect())
    }

    fn item(&mut self, item: &Item) -> Value {
        let value = match self.refusal(item) {
            Some(refusal) => Value::text(refusal),
            None => self.content(item),
        };
        Value::typed(item.type_name(), value)
    }

    /// Why an item is not shown.
    fn refusal(&mut self, item: &Item) -> Option<&'static str> {
        let cost = 1 + item.length() / 32;
        if cost > self.left {
            return Some("too large to show");
        }
        self.left -= cost;
        if !item.is_container() {
            None
        } else if self.above.iter().any(|above| same_container(above, item)) {
            Some("contains itself")
        } else if self.above.len() == DEEPEST {
            Some("too deep to show")
        } else {
            None
        }
    }

    fn content(&mut self, item: &Item) -> Value {
        match item {
            Item::Integer(number) => Value::int(*number),
            Item::Big(number) => Value::Int((**number).clone()),
            Item::Boolean(truth) => Value::Bool(*truth),
            Item::Bytes(bytes) => Value::Bytes((**bytes).clone()),
            Item::Interop(Host::Message) => Value::text("MessageProvider"),
            Item::Interop(Host::Nothing(_)) => Value::Null,
            Item::Array(id) | Item::Struct(id) => self.within(item, |show| show.list(*id)),
            Item::Map(id) => self.within(item, |show| show.map(*id)),
        }
    }

    fn within(&mut self, container: &Item, show: impl FnOnce(&mut Self) -> Value) -> Value {
        self.above.push(container.clone());
        let value = show(self);
        self.above.pop();
        value
    }

    fn list(&mut self, id: Id) -> Value {
        Value::List(self.heap.list(id).iter().map(|item| self.item(item)).collect())
    }

    /// By the bytes of the keys, in the order of the slots.
    fn map(&mut self, id: Id) -> Value {
        let entries = self.heap.map(id).entries();
        let shown = entries.map(|entry| (key_name(&entry.key), self.item(&entry.value)));
        Value::Record(shown.collect())
    }
}

fn same_container(one: &Item, other: &Item) -> bool {
    match (one, other) {
        (Item::Map(one), Item::Map(other))
        | (Item::Array(one) | Item::Struct(one), Item::Array(other) | Item::Struct(other)) => one == other,
        _ => false,
    }
}

/// The text of a key: its bytes.
pub(super) fn key_name(item: &Item) -> String {
    match item.bytes() {
        Some(bytes) if !bytes.is_empty() => bytes_key(&bytes),
        _ => String::new(),
    }
}
