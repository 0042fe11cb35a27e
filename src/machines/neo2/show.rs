//! Items as values, to be compared with what a vector demands.

use super::heap::Heap;
use super::item::{Host, Item};
use super::map::key_name;
use crate::machines::neo::show::{Content, Items};
use crate::model::value::Value;

impl Items for Heap {
    type Item = Item;

    fn type_name(&self, item: &Item) -> &'static str {
        item.type_name()
    }

    fn content<'i>(&'i self, item: &'i Item) -> Content<'i, Item> {
        match (item, item.compound()) {
            (Item::Array(list) | Item::Struct(list), Some(id)) => Content::List(id, self.list(*list)),
            (Item::Map(map), Some(id)) => Content::Map(id, self.map(*map).len()),
            _ => Content::Bytes(item.length()),
        }
    }

    fn plain(&self, item: &Item) -> Value {
        match item {
            Item::Integer(number) => Value::int(*number),
            Item::Big(number) => Value::Int((**number).clone()),
            Item::Boolean(truth) => Value::Bool(*truth),
            Item::Bytes(bytes) => Value::Bytes((**bytes).clone()),
            Item::Interop(Host::Message) => Value::text("MessageProvider"),
            Item::Interop(Host::Nothing(_)) | Item::Array(_) | Item::Struct(_) | Item::Map(_) => Value::Null,
        }
    }

    /// The pairs, by the bytes of their keys, in the order of the slots.
    fn pairs<'i>(&'i self, map: &'i Item) -> Vec<(String, &'i Item)> {
        let Item::Map(map) = map else { return Vec::new() };
        self.map(*map).entries().map(|entry| (key_name(&entry.key), &entry.value)).collect()
    }
}
