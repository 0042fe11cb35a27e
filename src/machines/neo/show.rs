//! Converts items to values. Items may contain themselves, and a few shared ones can make a tree of any size;
//! this is the only place that limits both. Whatever is written from a value (text, JSON, a blessed
//! expectation) is therefore about as large as the value here. A text in place of a compound or bytes says
//! how much is omitted.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;

use crate::machines::view::CONTAINS_ITSELF;
use crate::model::Value;

/// The maximum number of items, and pieces of 64 bytes, that are shown at once. A vector that demands more is
/// as large itself.
const MAX_SHOWN: usize = 1_000_000;
/// How many of them may be items of compounds that were shown before. Other items are never omitted, since
/// the machine's limit on items is lower than [`MAX_SHOWN`].
const MAX_REPEATED: usize = 1 << 16;
/// Like [`MAX_SHOWN`], for an item that is shown with each instruction.
const MAX_SHOWN_OFTEN: usize = 256;
/// The maximum nesting depth that is shown: more than a vector can demand.
const MAX_DEPTH: usize = 512;

/// How many bytes count as one item.
const BYTES_OF_ITEM: usize = 64;

/// The items of a machine, as needed by [`Show`]; implemented by its heap.
pub(in crate::machines) trait Items {
    /// The type of stack items.
    type Item;

    /// The type of an item, by its name in vectors.
    fn type_name(&self, item: &Self::Item) -> &'static str;

    /// What an item contains.
    fn content<'i>(&'i self, item: &'i Self::Item) -> ItemContent<'i, Self::Item>;

    /// A non-compound item as a value.
    fn plain(&self, item: &Self::Item) -> Value;

    /// The pairs of a Map item, by the text of their keys.
    fn pairs<'i>(&'i self, map: &'i Self::Item) -> Vec<(String, &'i Self::Item)>;
}

/// What an item contains.
pub(in crate::machines) enum ItemContent<'i, I> {
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
    /// Those of them from which nothing is omitted.
    whole: HashMap<usize, WholeCompound>,
    /// The compounds that contain the item being shown.
    around: Vec<usize>,
    /// Whether something was omitted in the compound being shown.
    is_cut: bool,
    /// How many items of compounds were shown.
    shown: usize,
    /// How many compounds were around the innermost item of the compound being shown.
    deepest: usize,
}

/// A compound from which nothing is omitted. It is shared wherever it occurs again.
#[derive(Clone)]
struct WholeCompound {
    value: Arc<Value>,
    /// What showing it takes of [`Show::left`].
    takes: usize,
    /// How many items of compounds are in it.
    items: usize,
    /// How deeply compounds are nested in it.
    height: usize,
}

impl<'h, C: Items> Show<'h, C> {
    /// For the items of one field.
    pub(in crate::machines) fn new(heap: &'h C) -> Show<'h, C> {
        Show::up_to(MAX_SHOWN, heap)
    }

    /// Shows one item; a compound only if it is small.
    pub(in crate::machines) fn briefly(heap: &'h C, item: &C::Item) -> Value {
        Show::up_to(MAX_SHOWN_OFTEN, heap).item(item)
    }

    /// Shows one item of any size.
    pub(in crate::machines) fn whole(heap: &'h C, item: &C::Item) -> Value {
        Show::new(heap).item(item)
    }

    fn up_to(left: usize, heap: &'h C) -> Show<'h, C> {
        Show {
            heap,
            left,
            repeats_left: MAX_REPEATED,
            seen: HashSet::new(),
            whole: HashMap::new(),
            around: Vec::new(),
            is_cut: false,
            shown: 0,
            deepest: 0,
        }
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
            ItemContent::Bytes(length) => match self.left.checked_sub(length / BYTES_OF_ITEM) {
                Some(left) => {
                    self.left = left;
                    Arc::new(heap.plain(item))
                }
                None => Arc::new(self.left_out(length, "bytes")),
            },
            ItemContent::List(id, items) => self.compound(id, items.len(), |show| show.in_order(items)),
            ItemContent::Map(id, size) => self.compound(id, size, |show| {
                let pairs = heap.pairs(item).into_iter();
                Value::Record(pairs.map(|(name, item)| (name.into(), show.item(item))).collect())
            }),
        };
        Value::Typed(heap.type_name(item).into(), value)
    }

    fn compound(&mut self, id: usize, size: usize, content: impl FnOnce(&mut Self) -> Value) -> Arc<Value> {
        if self.around.contains(&id) {
            self.is_cut = true;
            return Arc::new(Value::text(CONTAINS_ITSELF));
        }
        if let Some(value) = self.again(id) {
            return value;
        }
        let repeats = if self.seen.insert(id) { 0 } else { size };
        if self.left < size.max(1) || self.repeats_left < repeats || self.around.len() == MAX_DEPTH {
            return Arc::new(self.left_out(size, "items"));
        }
        self.repeats_left -= repeats;
        self.shown += size;
        self.around.push(id);
        let (left, shown, depth) = (self.left, self.shown - size, self.around.len());
        let (was_cut, deepest) = (mem::take(&mut self.is_cut), mem::replace(&mut self.deepest, depth));
        let value = Arc::new(content(self));
        self.around.pop();
        if !self.is_cut {
            let (takes, items) = (left - self.left, self.shown - shown);
            let whole =
                WholeCompound { value: value.clone(), takes, items, height: self.deepest - depth + 1 };
            self.whole.insert(id, whole);
        }
        self.is_cut |= was_cut;
        self.deepest = self.deepest.max(deepest);
        value
    }

    /// The compound, if it was shown before and showing it again would omit nothing.
    fn again(&mut self, id: usize) -> Option<Arc<Value>> {
        let WholeCompound { value, takes, items, height } = self.whole.get(&id)?;
        let depth = self.around.len() + height;
        if self.left <= *takes || self.repeats_left < *items || depth > MAX_DEPTH {
            return None;
        }
        self.left -= takes;
        self.repeats_left -= items;
        self.shown += items;
        self.deepest = self.deepest.max(depth);
        Some(value.clone())
    }

    fn left_out(&mut self, count: usize, unit: &str) -> Value {
        self.is_cut = true;
        Value::text(format!("{count} {unit} left out"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compounds of compounds, by their numbers; an item is the number of one, or bytes.
    #[derive(Debug, Clone)]
    struct ItemGraph(Vec<Vec<ShownItem>>);

    #[derive(Debug, Clone, Copy)]
    enum ShownItem {
        Bytes(usize),
        List(usize),
    }

    impl Items for ItemGraph {
        type Item = ShownItem;

        fn type_name(&self, item: &ShownItem) -> &'static str {
            match item {
                ShownItem::Bytes(_) => "Bytes",
                ShownItem::List(_) => "List",
            }
        }

        fn content<'i>(&'i self, item: &'i ShownItem) -> ItemContent<'i, ShownItem> {
            match item {
                ShownItem::Bytes(length) => ItemContent::Bytes(*length),
                ShownItem::List(id) => ItemContent::List(*id, &self.0[*id]),
            }
        }

        fn plain(&self, item: &ShownItem) -> Value {
            let ShownItem::Bytes(length) = item else { return Value::Null };
            Value::int(*length)
        }

        fn pairs<'i>(&'i self, _: &'i ShownItem) -> Vec<(String, &'i ShownItem)> {
            Vec::new()
        }
    }

    /// Shows items as [`Show`] does, and shares nothing.
    struct Unshared<'g> {
        graph: &'g ItemGraph,
        left: usize,
        repeats_left: usize,
        seen: HashSet<usize>,
        around: Vec<usize>,
    }

    impl Unshared<'_> {
        fn item(&mut self, item: ShownItem) -> Value {
            self.left = self.left.saturating_sub(1);
            let text = |count: usize, unit: &str| Value::text(format!("{count} {unit} left out"));
            match item {
                ShownItem::Bytes(length) if self.left < length / BYTES_OF_ITEM => {
                    Value::typed("Bytes", text(length, "bytes"))
                }
                ShownItem::Bytes(length) => {
                    self.left -= length / BYTES_OF_ITEM;
                    Value::typed("Bytes", Value::int(length))
                }
                ShownItem::List(id) if self.around.contains(&id) => {
                    Value::typed("List", Value::text("contains itself"))
                }
                ShownItem::List(id) => {
                    let items = &self.graph.0[id];
                    let size = items.len();
                    let repeats = if self.seen.insert(id) { 0 } else { size };
                    let is_deep = self.around.len() == MAX_DEPTH;
                    if self.left < size.max(1) || self.repeats_left < repeats || is_deep {
                        return Value::typed("List", text(size, "items"));
                    }
                    self.repeats_left -= repeats;
                    self.around.push(id);
                    let items = items.iter().map(|item| self.item(*item)).collect();
                    self.around.pop();
                    Value::typed("List", Value::List(items))
                }
            }
        }
    }

    fn item(compounds: usize) -> impl Strategy<Value = ShownItem> {
        prop_oneof![
            1 => (0..4_000_usize).prop_map(ShownItem::Bytes),
            3 => (0..compounds).prop_map(ShownItem::List),
        ]
    }

    /// Any graph, with cycles; and chains of compounds that each hold the next one several times.
    fn graph() -> impl Strategy<Value = ItemGraph> {
        let any = (1..12_usize).prop_flat_map(|compounds| {
            prop::collection::vec(prop::collection::vec(item(compounds), 0..4), compounds)
        });
        let chain = (1..600_usize, 1..3_usize, prop::collection::vec(item(1), 0..3)).prop_map(
            |(length, times, end)| {
                // A chain of more than 20 that doubles is as good as endless.
                let length = if times == 2 { length.min(20) } else { length };
                let link = |id| if id == length { end.clone() } else { vec![ShownItem::List(id + 1); times] };
                (0..=length).map(link).collect()
            },
        );
        prop_oneof![any, chain].prop_map(ItemGraph)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn sharing_does_not_change_the_text(graph in graph(), left in prop_oneof![Just(MAX_SHOWN), 1..2_000_usize]) {
            let stack: Vec<_> = (0..graph.0.len().min(4)).map(ShownItem::List).collect();
            let mut unshared = Unshared {
                graph: &graph,
                left,
                repeats_left: MAX_REPEATED,
                seen: HashSet::new(),
                around: Vec::new(),
            };
            let expected = Value::List(stack.iter().map(|item| unshared.item(*item)).collect());
            prop_assert!(Show::up_to(left, &graph).in_order(&stack) == expected);
        }
    }

    /// 16 pairs, each of the one before it, have 65,536 leaves.
    #[test]
    fn shared_parts_are_kept_once() {
        let pair = |id: usize| if id == 0 { Vec::new() } else { vec![ShownItem::List(id - 1); 2] };
        let graph = ItemGraph((0..=15).map(pair).collect());
        let shown = Show::new(&graph).in_order(&[ShownItem::List(15)]);
        assert!(shown.has_more_values_than(1 << 16), "{}", shown.weight(usize::MAX));
        assert!(shown.weight(usize::MAX) < 16 * 1_000, "{}", shown.weight(usize::MAX));
    }
}
