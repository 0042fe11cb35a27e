//! Items as values, to be compared with what a vector demands.

use super::heap::Neo3Heap;
use super::item::Neo3Item;
use super::map::pairs;
use super::value::number;
use crate::machines::neo::show::{ItemContent, Items};
use crate::model::Value;

impl Items for Neo3Heap {
    type Item = Neo3Item;

    fn type_name(&self, item: &Neo3Item) -> &'static str {
        match item {
            Neo3Item::Null => "Null",
            Neo3Item::Boolean(_) => "Boolean",
            Neo3Item::Integer(_) | Neo3Item::Big(_) => "Integer",
            Neo3Item::ByteString(_) => "ByteString",
            Neo3Item::Buffer(_) => "Buffer",
            Neo3Item::Pointer(_) => "Pointer",
            Neo3Item::Interop(_) => "Interop",
            Neo3Item::Array(_) => "Array",
            Neo3Item::Struct(_) => "Struct",
            Neo3Item::Map(_) => "Map",
        }
    }

    fn content<'i>(&'i self, item: &'i Neo3Item) -> ItemContent<'i, Neo3Item> {
        match item {
            Neo3Item::Array(id) | Neo3Item::Struct(id) => ItemContent::List(id.0 as usize, self.list(*id)),
            Neo3Item::Map(id) => ItemContent::Map(id.0 as usize, self.size(*id)),
            Neo3Item::ByteString(bytes) => ItemContent::Bytes(bytes.len()),
            Neo3Item::Buffer(buffer) => ItemContent::Bytes(buffer.bytes.borrow().len()),
            Neo3Item::Null
            | Neo3Item::Boolean(_)
            | Neo3Item::Integer(_)
            | Neo3Item::Big(_)
            | Neo3Item::Pointer(_)
            | Neo3Item::Interop(_) => ItemContent::Bytes(0),
        }
    }

    fn plain(&self, item: &Neo3Item) -> Value {
        match item {
            Neo3Item::Boolean(truth) => Value::Bool(*truth),
            Neo3Item::Integer(_) | Neo3Item::Big(_) => Value::Int(number(item).unwrap_or_default()),
            Neo3Item::ByteString(bytes) => Value::Bytes(bytes.to_vec()),
            Neo3Item::Buffer(buffer) => Value::Bytes(buffer.bytes.borrow().clone()),
            Neo3Item::Pointer(position) => Value::int(*position),
            Neo3Item::Interop(_) => Value::text("Object"),
            Neo3Item::Null | Neo3Item::Array(_) | Neo3Item::Struct(_) | Neo3Item::Map(_) => Value::Null,
        }
    }

    fn pairs<'i>(&'i self, map: &'i Neo3Item) -> Vec<(String, &'i Neo3Item)> {
        let Neo3Item::Map(map) = map else { return Vec::new() };
        pairs(self.map(*map)).collect()
    }
}
