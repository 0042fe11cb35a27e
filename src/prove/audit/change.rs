//! The changes made to a case: each leaf gets a different value, type and length, each element is removed,
//! two elements are swapped, and one element is added.

use serde_json::{Map, Value as Json};

use crate::text::edit;
use crate::text::json::{JsonDatum, JsonNode};

/// How a datum is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AuditChangeKind {
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

impl AuditChangeKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            AuditChangeKind::Value => "value",
            AuditChangeKind::Type => "type",
            AuditChangeKind::Length => "length",
            AuditChangeKind::Removed => "removed",
            AuditChangeKind::ItemRemoved => "item removed",
            AuditChangeKind::Order => "order",
            AuditChangeKind::Members => "member order",
            AuditChangeKind::Added => "added",
        }
    }
}

/// A change of one datum.
pub(super) struct AuditChange<'d> {
    pub(super) kind: AuditChangeKind,
    /// The path, with `*` for an index or a key that is a number.
    pub(super) at: String,
    /// The step of the case that the datum belongs to, if cases list their steps.
    pub(super) step: Option<usize>,
    pub(super) edit: edit::TextChange<'d>,
}

/// All changes of a case, in document order.
pub(super) fn changes(case: JsonNode<'_>) -> Vec<AuditChange<'_>> {
    let mut found = Vec::new();
    add_changes(case, "", None, &mut found);
    found
}

/// All changes of a datum outside a case, with this name.
pub(super) fn changes_below<'d>(node: JsonNode<'d>, name: &str) -> Vec<AuditChange<'d>> {
    let mut found = Vec::new();
    add_changes(node, name, None, &mut found);
    found
}

fn add_changes<'d>(node: JsonNode<'d>, at: &str, step: Option<usize>, found: &mut Vec<AuditChange<'d>>) {
    let mut add = |kind, edit| found.push(AuditChange { kind, at: at.to_owned(), step, edit });
    let elements: Vec<(String, JsonNode<'d>)> = match node.datum() {
        JsonDatum::Array => node.items().map(|item| (below(at, "*"), item)).collect(),
        JsonDatum::Object => {
            node.members().map(|member| (below(at, pattern_of(&member.key)), member.value)).collect()
        }
        JsonDatum::Null | JsonDatum::Bool(_) | JsonDatum::Number(_) | JsonDatum::Text(_) => {
            for (kind, value) in other_values(node) {
                add(kind, edit::TextChange::Replace { node, value });
            }
            return;
        }
    };
    if let Some(edit) = more(node, elements.len()) {
        add(AuditChangeKind::Added, edit);
    }
    if let Some(edit) = exchanged(node, &elements) {
        add(if node.is_object() { AuditChangeKind::Members } else { AuditChangeKind::Order }, edit);
    }
    let is_steps = at == "steps";
    for (index, (at, element)) in elements.into_iter().enumerate() {
        let step = if is_steps { Some(index) } else { step };
        found.push(AuditChange {
            kind: if node.is_object() { AuditChangeKind::Removed } else { AuditChangeKind::ItemRemoved },
            at: at.clone(),
            step,
            edit: edit::TextChange::Remove { from: node, index },
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
fn other_values(node: JsonNode<'_>) -> Vec<(AuditChangeKind, Json)> {
    let text = Json::String("other".to_owned());
    match node.datum() {
        JsonDatum::Bool(truth) => {
            vec![(AuditChangeKind::Value, Json::Bool(!truth)), (AuditChangeKind::Type, text)]
        }
        JsonDatum::Number(digits) => {
            let other = digits.parse::<i64>().map_or(7, |number| number ^ 1);
            vec![(AuditChangeKind::Value, other.into()), (AuditChangeKind::Type, text)]
        }
        JsonDatum::Text(old) => vec![
            (AuditChangeKind::Value, Json::String(other_text(&old))),
            (AuditChangeKind::Type, Json::Bool(true)),
            (AuditChangeKind::Length, Json::String(longer(&old))),
        ],
        JsonDatum::Null | JsonDatum::Array | JsonDatum::Object => {
            vec![(AuditChangeKind::Value, 7.into()), (AuditChangeKind::Type, text)]
        }
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
fn more(node: JsonNode<'_>, count: usize) -> Option<edit::TextChange<'_>> {
    let (key, last) = match node.datum() {
        JsonDatum::Object => {
            let last = node.members().last()?;
            (Some(other_text(&last.key) + "1"), last.value)
        }
        _ => (None, node.items().last()?),
    };
    let value = serde_json::from_str(last.raw()).unwrap_or_else(|_| Json::Object(Map::new()));
    Some(edit::TextChange::Insert { into: node, before: count, key, value })
}

/// The change that swaps the first two elements that differ.
fn exchanged<'d>(node: JsonNode<'d>, elements: &[(String, JsonNode<'d>)]) -> Option<edit::TextChange<'d>> {
    let differs = |pair: &[(String, JsonNode<'d>)]| pair[0].1.raw() != pair[1].1.raw();
    let first = elements.windows(2).position(differs)?;
    if node.is_object() {
        let mut order: Vec<_> = (0..elements.len()).collect();
        order.swap(first, first + 1);
        return Some(edit::TextChange::Reorder { object: node, order });
    }
    let mut items: Vec<Json> = serde_json::from_str(node.raw()).ok()?;
    items.swap(first, first + 1);
    Some(edit::TextChange::Replace { node, value: Json::Array(items) })
}
