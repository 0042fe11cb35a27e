//! Items as values, to be compared with what a vector demands.

use super::heap::Neo2Heap;
use super::item::{HostObject, Neo2Item};
use super::map::key_name;
use crate::machines::neo::show::{ItemContent, Items};
use crate::model::Value;

impl Items for Neo2Heap {
    type Item = Neo2Item;

    fn type_name(&self, item: &Neo2Item) -> &'static str {
        item.type_name()
    }

    fn content<'i>(&'i self, item: &'i Neo2Item) -> ItemContent<'i, Neo2Item> {
        match (item, item.compound()) {
            (Neo2Item::Array(list) | Neo2Item::Struct(list), Some(id)) => {
                ItemContent::List(id, self.list(*list))
            }
            (Neo2Item::Map(map), Some(id)) => ItemContent::Map(id, self.map(*map).len()),
            _ => ItemContent::Bytes(item.length()),
        }
    }

    fn plain(&self, item: &Neo2Item) -> Value {
        match item {
            Neo2Item::Integer(number) => Value::int(*number),
            Neo2Item::Big(number) => Value::Int((**number).clone()),
            Neo2Item::Boolean(truth) => Value::Bool(*truth),
            Neo2Item::Bytes(bytes) => Value::Bytes((**bytes).clone()),
            Neo2Item::Interop(HostObject::Message) => Value::text("MessageProvider"),
            Neo2Item::Interop(HostObject::Nothing(_))
            | Neo2Item::Array(_)
            | Neo2Item::Struct(_)
            | Neo2Item::Map(_) => Value::Null,
        }
    }

    /// The pairs, by the bytes of their keys, in the order of the slots.
    fn pairs<'i>(&'i self, map: &'i Neo2Item) -> Vec<(String, &'i Neo2Item)> {
        let Neo2Item::Map(map) = map else { return Vec::new() };
        self.map(*map).entries().map(|entry| (key_name(&entry.key), &entry.value)).collect()
    }
}
