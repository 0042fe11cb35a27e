//! Replaces expected values with actual ones: what the formats share.
//!
//! A format only makes the next change. Data that still differs, such as the items of a new list, fails again
//! when the changed file runs, and is written then.

use num_bigint::BigInt;
use serde_json::Value as Json;

use crate::model::{Expected, Origin, Path, Value, brief};
use crate::text::edit::TextChange;
use crate::text::json::{Document, JsonNode};

/// An assertion that failed, and the data around its place in the document.
#[derive(Debug, Clone)]
pub struct WrongAssertion<'d, 'm> {
    around: Vec<JsonNode<'d>>,
    /// The datum at that place.
    pub node: JsonNode<'d>,
    /// The datum of the state.
    pub at: &'m Path,
    /// What the vector expects.
    pub expected: &'m Expected,
    /// The actual value; `None` if the machine has no such datum.
    pub actual: Option<&'m Value>,
}

/// The changes to a document that write the actual value, or why it cannot be written.
pub type WrittenBack<'d> = Result<Vec<TextChange<'d>>, NotRepresentable>;

/// Why an actual value cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NotRepresentable {
    /// A sentence without a full stop.
    pub why: String,
    /// What cannot be written.
    pub what: Unwritable,
}

/// What cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritable {
    /// The datum.
    Datum,
    /// The list or record with the datum, as a whole: to write its other data would leave it wrong.
    Container,
}

impl NotRepresentable {
    /// The datum cannot be written: `why`, as a sentence without a full stop.
    pub fn because(why: impl Into<String>) -> NotRepresentable {
        NotRepresentable { why: why.into(), what: Unwritable::Datum }
    }

    /// The format has no way to write this value.
    pub fn value(value: &Value) -> NotRepresentable {
        const MAX_LENGTH: usize = 60;
        NotRepresentable::because(format!("the format has no way to write {}", brief(value, MAX_LENGTH)))
    }

    /// The format has no way to write that there is no value.
    pub fn nothing() -> NotRepresentable {
        NotRepresentable::because("the format cannot express that there is no value")
    }
}

impl<'d, 'm> WrongAssertion<'d, 'm> {
    /// The assertion at `origin`.
    pub fn new(
        document: &'d Document,
        origin: Origin,
        at: &'m Path,
        expected: &'m Expected,
        actual: Option<&'m Value>,
    ) -> WrongAssertion<'d, 'm> {
        let mut around = document.around(origin.0);
        let node = around.pop().unwrap_or(document.root());
        WrongAssertion { around, node, at, expected, actual }
    }

    /// The actual value; an error if the machine has no such datum.
    pub fn present(&self) -> Result<&'m Value, NotRepresentable> {
        self.actual.ok_or_else(NotRepresentable::nothing)
    }

    /// The array or object that contains the datum, or the one `further` levels out. An error if the document is not
    /// nested that deeply around the datum.
    pub fn outer(&self, further: usize) -> Result<JsonNode<'d>, NotRepresentable> {
        let outer = self.around.iter().rev().nth(further).copied();
        outer.ok_or_else(|| NotRepresentable::because("the file has no place for it"))
    }

    /// The datum and all that it lies in, from the inside out.
    pub fn chain(&self) -> impl Iterator<Item = JsonNode<'d>> {
        std::iter::once(self.node).chain(self.around.iter().rev().copied())
    }

    /// The change that replaces this datum.
    pub fn replace(&self, value: Json) -> WrittenBack<'d> {
        Ok(vec![TextChange::Replace { node: self.node, value }])
    }

    /// The change that removes the member or item that contains this datum, or the one `further` levels out. An error
    /// if the document is not nested that deeply around the datum.
    pub fn remove(&self, further: usize) -> WrittenBack<'d> {
        Ok(TextChange::remove(self.outer(further)?, self.node).into_iter().collect())
    }
}

/// The changes that give an array the length of the new one. Equal items at the start and at the end are kept; items
/// between them that differ are written back later. Fails if an inserted item cannot be written.
pub(super) fn resize(
    array: JsonNode<'_>,
    new: impl Iterator<Item = Result<Json, NotRepresentable>>,
) -> WrittenBack<'_> {
    let old: Vec<Option<Json>> = array.items().map(|item| serde_json::from_str(item.raw()).ok()).collect();
    let new: Vec<_> = new.collect();
    let same =
        |(old, new): &(&Option<Json>, &Result<Json, _>)| old.is_some() && old.as_ref() == new.as_ref().ok();
    let lead = old.iter().zip(&new).take_while(same).count();
    let trail = old[lead..].iter().rev().zip(new[lead..].iter().rev()).take_while(same).count();
    let kept = old.len().min(new.len()) - trail;
    let removed = kept..old.len() - trail;
    let inserted = kept..new.len() - trail;
    let remove = removed.map(|index| Ok(TextChange::Remove { from: array, index }));
    let insert = new.into_iter().skip(inserted.start).take(inserted.len());
    let insert =
        insert.map(|value| Ok(TextChange::Insert { into: array, before: kept, key: None, value: value? }));
    remove.chain(insert).collect()
}

/// Bytes as hex digits in the style of the old text: with or without prefix, and in the same case.
pub(super) fn hex_like(old: &str, bytes: &[u8]) -> String {
    let (prefix, digits) = prefix_of(old);
    format!("{prefix}{}", in_case_of(digits, &hex::encode(bytes)))
}

/// The optional `0x` of the text, and its digits. An empty text counts as having `0x`.
fn prefix_of(text: &str) -> (&str, &str) {
    match text.get(..2) {
        Some("0x" | "0X") => text.split_at(2),
        _ if text.is_empty() => ("0x", ""),
        _ => ("", text),
    }
}

/// A non-negative number in the style of the old text: hex with at least as many digits if that has `0x`,
/// otherwise decimal.
pub(super) fn number_like(old: &str, number: &BigInt) -> String {
    let (prefix, digits) = prefix_of(old);
    if prefix.is_empty() {
        let width = if digits.starts_with('0') { digits.len() } else { 0 };
        return format!("{:0>width$}", number.to_string());
    }
    let new = number.magnitude().to_str_radix(16);
    let whole_bytes = digits.len().is_multiple_of(2) && new.len() > digits.len();
    let width = if whole_bytes { new.len().next_multiple_of(2) } else { digits.len() };
    format!("{prefix}{}", in_case_of(digits, &format!("{new:0>width$}")))
}

/// The new text in the case of the old one: letter by letter if both have the same length, otherwise in the
/// case that all letters of the old text share, if any.
pub(super) fn in_case_of(old: &str, new: &str) -> String {
    let has = |case: fn(&char) -> bool| old.chars().any(|it| case(&it));
    let new = match [has(char::is_ascii_uppercase), has(char::is_ascii_lowercase)] {
        [true, false] => new.to_ascii_uppercase(),
        [false, true] => new.to_ascii_lowercase(),
        _ => new.to_owned(),
    };
    if old.len() != new.len() {
        return new;
    }
    let in_case = |(old, new): (char, char)| match old {
        'a'..='z' => new.to_ascii_lowercase(),
        'A'..='Z' => new.to_ascii_uppercase(),
        _ => new,
    };
    old.chars().zip(new.chars()).map(in_case).collect()
}
