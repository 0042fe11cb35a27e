//! Converts items to values. Items may contain themselves, and a few shared ones can make a tree of any size;
//! this is the only place that limits both. Whatever is written from a value (text, JSON, a blessed
//! expectation) is therefore about as large as the value here. A text in place of a compound or bytes says
//! how much is omitted.

use std::collections::HashSet;

use crate::model::value::Value;

/// The maximum number of items, and pieces of 64 bytes, that are shown at once. A vector that demands more is
/// as large itself.
const MOST_SHOWN: usize = 1_000_000;
/// How many of them may be items of compounds that were shown before. Other items are never omitted, since
/// the machine's limit on items is lower than [`MOST_SHOWN`].
const MOST_REPEATED: usize = 1 << 16;
/// Like [`MOST_SHOWN`], for an item that is shown with each instruction.
const MOST_SHOWN_OFTEN: usize = 256;
/// The maximum nesting depth that is shown: more than a vector can demand.
const DEEPEST: usize = 512;

/// How many bytes count as one item.
const BYTES_OF_ITEM: usize = 64;

/// The items of a machine, as needed by [`Show`]; implemented by its heap.
pub(in crate::machines) trait Items {
    /// The type of stack items.
    type Item;

    /// The type of an item, by its name in vectors.
    fn type_name(&self, item: &Self::Item) -> &'static str;

    /// What an item contains.
    fn content<'i>(&'i self, item: &'i Self::Item) -> Content<'i, Self::Item>;

    /// A non-compound item as a value.
    fn plain(&self, item: &Self::Item) -> Value;

    /// The pairs of a Map item, by the text of their keys.
    fn pairs<'i>(&'i self, map: &'i Self::Item) -> Vec<(String, &'i Self::Item)>;
}

/// What an item contains.
pub(in crate::machines) enum Content<'i, I> {
    /// No items, but about this number of bytes.
    Bytes(usize),
    /// An Array or a Struct: the number of the compound, and its items.
    List(usize, &'i [I]),
    /// A Map: the number of the compound, and how many pairs it has.
    Map(usize, usize),
}

/// Turns items into values.
pub(in crate::machines) struct Show<'h, C: Items> {
    heap: &'h C,
    /// How many items may still be shown.
    left: usize,
    /// How many items of compounds that were shown before may still be shown.
    repeats_left: usize,
    /// The compounds that were shown.
    seen: HashSet<usize>,
    /// The compounds that contain the item being shown.
    around: Vec<usize>,
}

impl<'h, C: Items> Show<'h, C> {
    /// For the items of one field.
    pub(in crate::machines) fn new(heap: &'h C) -> Show<'h, C> {
        Show::up_to(MOST_SHOWN, heap)
    }

    /// Shows one item; a compound only if it is small.
    pub(in crate::machines) fn briefly(heap: &'h C, item: &C::Item) -> Value {
        Show::up_to(MOST_SHOWN_OFTEN, heap).item(item)
    }

    fn up_to(left: usize, heap: &'h C) -> Show<'h, C> {
        Show { heap, left, repeats_left: MOST_REPEATED, seen: HashSet::new(), around: Vec::new() }
    }

    /// A stack, the top item first.
    pub(in crate::machines) fn top_first(&mut self, items: &[C::Item]) -> Value {
        Value::List(items.iter().rev().map(|item| self.item(item)).collect())
    }

    /// A slot or a list.
    pub(in crate::machines) fn in_order(&mut self, items: &[C::Item]) -> Value {
        Value::List(items.iter().map(|item| self.item(item)).collect())
    }

    fn item(&mut self, item: &C::Item) -> Value {
        let heap = self.heap;
        self.left = self.left.saturating_sub(1);
        let value = match heap.content(item) {
            Content::Bytes(length) => match self.left.checked_sub(length / BYTES_OF_ITEM) {
                Some(left) => {
                    self.left = left;
                    heap.plain(item)
                }
                None => left_out(length, "bytes"),
            },
            Content::List(id, items) => self.compound(id, items.len(), |show| show.in_order(items)),
            Content::Map(id, size) => self.compound(id, size, |show| {
                let pairs = heap.pairs(item).into_iter();
                Value::Record(pairs.map(|(name, item)| (name.into(), show.item(item))).collect())
            }),
        };
        Value::typed(heap.type_name(item), value)
    }

    fn compound(&mut self, id: usize, size: usize, content: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.around.contains(&id) {
            return Value::text("contains itself");
        }
        let repeats = if self.seen.insert(id) { 0 } else { size };
        if self.left < size.max(1) || self.repeats_left < repeats || self.around.len() == DEEPEST {
            return left_out(size, "items");
        }
        self.repeats_left -= repeats;
        self.around.push(id);
        let value = content(self);
        self.around.pop();
        value
    }
}

fn left_out(count: usize, unit: &str) -> Value {
    Value::text(format!("{count} {unit} left out"))
}
