//! The changes made to a case: each leaf gets a different value, type and length, each element is removed,
//! two elements are swapped, and one element is added.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::formats::uncompared::common_name;
use crate::text::edit;
use crate::text::json::{JsonDatum, JsonMember, JsonNode, pointer_key};

/// How a datum is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum AuditChangeKind {
    Value,
    Type,
    Length,
    /// A member of an object is removed.
    Removed,
    /// An item of an array is removed.
    #[strum(serialize = "item removed")]
    ItemRemoved,
    Order,
    /// The members of an object are reordered.
    #[strum(serialize = "member order")]
    Members,
    Added,
}

impl AuditChangeKind {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// A change of one datum.
pub(super) struct AuditChange<'d> {
    pub(super) kind: AuditChangeKind,
    /// The path, with `*` for an index or a key that is a number, and `~1` for `/` in a name.
    pub(super) at: String,
    /// The step of the case that the datum belongs to, if cases list their steps.
    pub(super) step: Option<usize>,
    /// Whether it is in a member which comes again in the same object, so that the later one counts.
    pub(super) is_overridden: bool,
    pub(super) edit: edit::TextChange<'d>,
}

/// All changes of a case of a format, in document order.
pub(super) fn changes<'d>(case: JsonNode<'d>, format: &str) -> Vec<AuditChange<'d>> {
    changes_below(case, "", format)
}

/// All changes of a datum outside a case, with this name.
pub(super) fn changes_below<'d>(node: JsonNode<'d>, name: &str, format: &str) -> Vec<AuditChange<'d>> {
    let mut found = Vec::new();
    let changed = ChangedDatum { node, at: name.to_owned(), step: None, is_overridden: false };
    add_changes(&changed, format, &mut found);
    found
}

/// A datum to change; see [`AuditChange`].
struct ChangedDatum<'d> {
    node: JsonNode<'d>,
    at: String,
    step: Option<usize>,
    is_overridden: bool,
}

impl<'d> ChangedDatum<'d> {
    fn change(&self, kind: AuditChangeKind, edit: edit::TextChange<'d>) -> AuditChange<'d> {
        let ChangedDatum { ref at, step, is_overridden, .. } = *self;
        AuditChange { kind, at: at.clone(), step, is_overridden, edit }
    }

    /// The elements of an array or object; `None` for other data.
    fn elements(&self, format: &str) -> Option<Vec<ChangedDatum<'d>>> {
        let ChangedDatum { node, ref at, step, is_overridden } = *self;
        let is_steps = at.eq_ignore_ascii_case("steps");
        let step_of = |index| if is_steps { Some(index) } else { step };
        let item =
            |(index, node)| ChangedDatum { node, at: below(at, "*"), step: step_of(index), is_overridden };
        match node.datum() {
            JsonDatum::Array => Some(node.items().enumerate().map(item).collect()),
            JsonDatum::Object => {
                let members: Vec<_> = node.members().collect();
                let names = members.iter().map(|member| common_name(format, &member.key));
                let last: HashMap<_, _> = names.zip(0..).collect();
                let member = |(index, JsonMember { key, value, .. }): (usize, &JsonMember<'d>)| {
                    let is_overridden = is_overridden || last[&common_name(format, key)] != index;
                    let at = below(at, &pattern_of(key));
                    ChangedDatum { node: *value, at, step, is_overridden }
                };
                Some(members.iter().enumerate().map(member).collect())
            }
            JsonDatum::Null | JsonDatum::Bool(_) | JsonDatum::Number(_) | JsonDatum::Text(_) => None,
        }
    }
}

fn add_changes<'d>(changed: &ChangedDatum<'d>, format: &str, found: &mut Vec<AuditChange<'d>>) {
    let node = changed.node;
    let Some(elements) = changed.elements(format) else {
        let each = other_values(node).into_iter();
        found.extend(
            each.map(|(kind, value)| changed.change(kind, edit::TextChange::Replace { node, value })),
        );
        return;
    };
    found.extend(more(node, elements.len()).map(|edit| changed.change(AuditChangeKind::Added, edit)));
    if let Some(edit) = exchanged(node, &elements) {
        let kind = if node.is_object() { AuditChangeKind::Members } else { AuditChangeKind::Order };
        found.push(changed.change(kind, edit));
    }
    let kind = if node.is_object() { AuditChangeKind::Removed } else { AuditChangeKind::ItemRemoved };
    for (index, element) in elements.iter().enumerate() {
        found.push(element.change(kind, edit::TextChange::Remove { from: node, index }));
        add_changes(element, format, found);
    }
}

fn below(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}/{key}") }
}

/// The key of a member, or `*` for a key that is a number or an address.
fn pattern_of(key: &str) -> Cow<'_, str> {
    let is_data = key.is_empty() || key.starts_with("0x") || key.starts_with(|it: char| it.is_ascii_digit());
    if is_data { "*".into() } else { pointer_key(key) }
}

/// Different values for a scalar.
fn other_values(node: JsonNode<'_>) -> Vec<(AuditChangeKind, Json)> {
    let text = Json::String("other".to_owned());
    match node.datum() {
        JsonDatum::Bool(truth) => {
            vec![(AuditChangeKind::Value, Json::Bool(!truth)), (AuditChangeKind::Type, text)]
        }
        JsonDatum::Number(digits) => {
            let seven = || if digits.parse() == Ok(7.0) { 8 } else { 7 };
            let other = digits.parse::<i64>().map_or_else(|_| seven(), |number| number ^ 1);
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
fn exchanged<'d>(node: JsonNode<'d>, elements: &[ChangedDatum<'d>]) -> Option<edit::TextChange<'d>> {
    let differs = |pair: &[ChangedDatum<'d>]| pair[0].node.raw() != pair[1].node.raw();
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
