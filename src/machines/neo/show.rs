//! Items as values. Items may contain themselves, and a few that are shared can be written as a tree
//! of any size; both end here.

use crate::model::value::Value;

/// How many items, and pieces of 64 bytes, are shown at once; a vector that demands more is itself as
/// large.
const MOST_SHOWN: usize = 1_000_000;
/// As [`MOST_SHOWN`], for an item shown with each instruction.
const MOST_SHOWN_OFTEN: usize = 256;
/// How many compounds around an item are shown: more than a vector can demand.
const DEEPEST: usize = 512;

/// Bytes that count as one item.
const BYTES_OF_ITEM: usize = 64;

/// The items of a machine, as [`Show`] sees them: its heap.
pub(in crate::machines) trait Items {
    /// What a stack holds.
    type Item;

    /// The type of an item as vectors name it.
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
    /// No items, and about so many bytes.
    Bytes(usize),
    /// Of an Array or a Struct, which compound it is and its items.
    List(usize, &'i [I]),
    /// Of a Map, which compound it is and how many pairs it has.
    Map(usize, usize),
}

/// Turns items into values.
pub(in crate::machines) struct Show<'h, C: Items> {
    heap: &'h C,
    /// How many items may still be shown.
    left: usize,
    /// The compounds that contain the item being shown.
    around: Vec<usize>,
}

impl<'h, C: Items> Show<'h, C> {
    /// To show the items of one field.
    pub(in crate::machines) fn new(heap: &'h C) -> Show<'h, C> {
        Show { heap, left: MOST_SHOWN, around: Vec::new() }
    }

    /// One item, of a compound only a small one.
    pub(in crate::machines) fn briefly(heap: &'h C, item: &C::Item) -> Value {
        Show { heap, left: MOST_SHOWN_OFTEN, around: Vec::new() }.item(item)
    }

    /// A stack, the top first.
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
                None => too_large(),
            },
            Content::List(id, items) => self.compound(id, items.len(), |show| show.in_order(items)),
            Content::Map(id, size) => self.compound(id, size, |show| {
                let pairs = heap.pairs(item).into_iter();
                Value::Record(pairs.map(|(name, item)| (name, show.item(item))).collect())
            }),
        };
        Value::typed(heap.type_name(item), value)
    }

    fn compound(&mut self, id: usize, size: usize, content: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.around.contains(&id) {
            return Value::text("contains itself");
        }
        if self.left < size.max(1) {
            return too_large();
        }
        if self.around.len() == DEEPEST {
            return Value::text("too deep to show");
        }
        self.around.push(id);
        let value = content(self);
        self.around.pop();
        value
    }
}

fn too_large() -> Value {
    Value::text("too large to show")
}
