//! Items as values, to be compared with what a vector demands.

use super::convert::number;
use super::heap::Heap;
use super::item::Item;
use super::map::pairs;
use crate::machines::neo::show::{Content, Items};
use crate::model::value::Value;

impl Items for Heap {
    type Item = Item;

    fn type_name(&self, item: &Item) -> &'static str {
        match item {
            Item::Null => "Null",
            Item::Boolean(_) => "Boolean",
            Item::Integer(_) | Item::Big(_) => "Integer",
            Item::ByteString(_) => "ByteString",
            Item::Buffer(_) => "Buffer",
            Item::Pointer(_) => "Pointer",
            Item::Interop(_) => "Interop",
            Item::Array(_) => "Array",
            Item::Struct(_) => "Struct",
            Item::Map(_) => "Map",
        }
    }

    fn content<'i>(&'i self, item: &'i Item) -> Content<'i, Item> {
        match item {
            Item::Array(id) | Item::Struct(id) => Content::List(id.0 as usize, self.list(*id)),
            Item::Map(id) => Content::Map(id.0 as usize, self.size(*id)),
            Item::ByteString(bytes) => Content::Bytes(bytes.len()),
            Item::Buffer(buffer) => Content::Bytes(buffer.bytes.borrow().len()),
            Item::Null
            | Item::Boolean(_)
            | Item::Integer(_)
            | Item::Big(_)
            | Item::Pointer(_)
            | Item::Interop(_) => Content::Bytes(0),
        }
    }

    fn plain(&self, item: &Item) -> Value {
        match item {
            Item::Boolean(truth) => Value::Bool(*truth),
            Item::Integer(_) | Item::Big(_) => Value::Int(number(item).unwrap_or_default()),
            Item::ByteString(bytes) => Value::Bytes(bytes.to_vec()),
            Item::Buffer(buffer) => Value::Bytes(buffer.bytes.borrow().clone()),
            Item::Pointer(position) => Value::int(*position),
            Item::Interop(_) => Value::text("Object"),
            Item::Null | Item::Array(_) | Item::Struct(_) | Item::Map(_) => Value::Null,
        }
    }

    fn pairs<'i>(&'i self, map: &'i Item) -> Vec<(String, &'i Item)> {
        let Item::Map(map) = map else { return Vec::new() };
        pairs(self.map(*map)).collect()
    }
}
