//! The changes made to a case: each leaf gets a different value, type and length, each element is removed,
//! two elements are swapped, and one element is added.

use serde_json::{Map, Value as Json};

use crate::text::edit;
use crate::text::json::{Datum, Node};

/// How a datum is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Value,
    Type,
    Length,
    /// A member of an object is removed.
    Removed,
    /// An item of an array is removed.
    ItemRemoved,
    Order,
    /// The members of an object are reordered.
    Members,
    Added,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Value => "value",
            Kind::Type => "type",
            Kind::Length => "length",
            Kind::Removed => "removed",
            Kind::ItemRemoved => "item removed",
            Kind::Order => "order",
            Kind::Members => "member order",
            Kind::Added => "added",
        }
    }
}

/// A change of one datum.
pub(super) struct Change<'d> {
    pub(super) kind: Kind,
    /// The path, with `*` for an index or a key that is a number.
    pub(super) at: String,
    /// The step of the case that the datum belongs to, if cases list their steps.
    pub(super) step: Option<usize>,
    pub(super) edit: edit::Change<'d>,
}

/// All changes of a case, in document order.
pub(super) fn changes(case: Node<'_>) -> Vec<Change<'_>> {
    let mut found = Vec::new();
    add_changes(case, "", None, &mut found);
    found
}

/// All changes of a datum outside a case, with this name.
pub(super) fn changes_below<'d>(node: Node<'d>, name: &str) -> Vec<Change<'d>> {
    let mut found = Vec::new();
    add_changes(node, name, None, &mut found);
    found
}

fn add_changes<'d>(node: Node<'d>, at: &str, step: Option<usize>, found: &mut Vec<Change<'d>>) {
    let mut add = |kind, edit| found.push(Change { kind, at: at.to_owned(), step, edit });
    let elements: Vec<(String, Node<'d>)> = match node.datum() {
        Datum::Array => node.items().map(|item| (below(at, "*"), item)).collect(),
        Datum::Object => {
            node.members().map(|member| (below(at, pattern_of(&member.key)), member.value)).collect()
        }
        Datum::Null | Datum::Bool(_) | Datum::Number(_) | Datum::Text(_) => {
            for (kind, value) in other_values(node) {
                add(kind, edit::Change::Replace { node, value });
            }
            return;
        }
    };
    if let Some(edit) = more(node, elements.len()) {
        add(Kind::Added, edit);
    }
    if let Some(edit) = exchanged(node, &elements) {
        add(if node.is_object() { Kind::Members } else { Kind::Order }, edit);
    }
    let is_steps = at == "steps";
    for (index, (at, element)) in elements.into_iter().enumerate() {
        let step = if is_steps { Some(index) } else { step };
        found.push(Change {
            kind: if node.is_object() { Kind::Removed } else { Kind::ItemRemoved },
            at: at.clone(),
            step,
            edit: edit::Change::Remove { from: node, index },
        });
        add_changes(element, &at, step, found);
    }
}

fn below(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}/{key}") }
}

/// The key of a member, or `*` for a key that is a number or an address.
fn pattern_of(key: &str) -> &str {
    let is_data = key.is_empty() || key.starts_with("0x") || key.starts_with(|it: char| it.is_ascii_digit());
    if is_data { "*" } else { key }
}

/// Different values for a scalar.
fn other_values(node: Node<'_>) -> Vec<(Kind, Json)> {
    let text = Json::String("other".to_owned());
    match node.datum() {
        Datum::Bool(truth) => vec![(Kind::Value, Json::Bool(!truth)), (Kind::Type, text)],
        Datum::Number(digits) => {
            let other = digits.parse::<i64>().map_or(7, |number| number ^ 1);
            vec![(Kind::Value, other.into()), (Kind::Type, text)]
        }
        Datum::Text(old) => vec![
            (Kind::Value, Json::String(other_text(&old))),
            (Kind::Type, Json::Bool(true)),
            (Kind::Length, Json::String(longer(&old))),
        ],
        Datum::Null | Datum::Array | Datum::Object => vec![(Kind::Value, 7.into()), (Kind::Type, text)],
    }
}

/// A text of the same length and kind of characters, but with a different last character.
fn other_text(old: &str) -> String {
    let Some(last) = old.chars().next_back() else { return "7".to_owned() };
    let other = match last {
        '0'..='8' | 'a'..='e' | 'A'..='E' => char::from(last as u8 + 1),
        '9' => '8',
        'f' => 'e',
        'F' => 'E',
        _ => 'a',
    };
    let start = &old[..old.len() - last.len_utf8()];
    format!("{start}{other}")
}

/// A longer text: with one more byte of hex digits or one more character.
fn longer(old: &str) -> String {
    let digits = old.strip_prefix("0x");
    let is_hex = digits.is_some_and(|digits| digits.chars().all(|it| it.is_ascii_hexdigit()));
    if is_hex { format!("{old}01") } else { format!("{old}1") }
}

/// The change that adds a copy of the last element.
fn more(node: Node<'_>, count: usize) -> Option<edit::Change<'_>> {
    let (key, last) = match node.datum() {
        Datum::Object => {
            let last = node.members().last()?;
            (Some(other_text(&last.key) + "1"), last.value)
        }
        _ => (None, node.items().last()?),
    };
    let value = serde_json::from_str(last.raw()).unwrap_or_else(|_| Json::Object(Map::new()));
    Some(edit::Change::Insert { into: node, before: count, key, value })
}

/// The change that swaps the first two elements that differ.
fn exchanged<'d>(node: Node<'d>, elements: &[(String, Node<'d>)]) -> Option<edit::Change<'d>> {
    let differs = |pair: &[(String, Node<'d>)]| pair[0].1.raw() != pair[1].1.raw();
    let first = elements.windows(2).position(differs)?;
    if node.is_object() {
        let mut order: Vec<_> = (0..elements.len()).collect();
        order.swap(first, first + 1);
        return Some(edit::Change::Reorder { object: node, order });
    }
    let mut items: Vec<Json> = serde_json::from_str(node.raw()).ok()?;
    items.swap(first, first + 1);
    Some(edit::Change::Replace { node, value: Json::Array(items) })
}
