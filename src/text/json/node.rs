//! Access to the data of a document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::document::{Document, NodeParent};
use super::escapes::unescape;
use super::slot::{JsonSlot, SlotKind};
use crate::model::brief;

/// A datum of a [`Document`].
#[derive(Clone, Copy)]
pub struct JsonNode<'d> {
    document: &'d Document,
    slot: u32,
}

/// A datum by type. Strings are unescaped, numbers are as written.
#[derive(Debug, Clone)]
pub enum JsonDatum<'d> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, exactly as written, with any number of digits.
    Number(&'d str),
    /// A string.
    Text(Cow<'d, str>),
    /// An array; see [`JsonNode::items`].
    Array,
    /// An object; see [`JsonNode::members`].
    Object,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub struct JsonMember<'d> {
    /// The key, unescaped.
    pub key: Cow<'d, str>,
    /// The position of the key.
    pub key_at: u32,
    /// The value.
    pub value: JsonNode<'d>,
}

impl Document {
    /// The outermost datum.
    pub fn root(&self) -> JsonNode<'_> {
        JsonNode::new(self, 0)
    }

    /// The data that contain the byte at `at`, the outermost first; keys do not count as data.
    pub fn around(&self, at: u32) -> Vec<JsonNode<'_>> {
        let parents = self.parents();
        let mut around = Vec::new();
        let mut next = self.slots.partition_point(|slot| slot.at <= at).checked_sub(1);
        while let Some(number) = next {
            let node = JsonNode::new(self, number as u32);
            let NodeParent { container, is_key } = parents[number];
            if node.range().contains(&(at as usize)) && !is_key {
                around.push(node);
            }
            next = container.map(|container| container as usize);
        }
        around.reverse();
        around
    }

    /// The datum or key that starts at a byte.
    pub fn node_at(&self, at: u32) -> Option<JsonNode<'_>> {
        let slot = self.slots.binary_search_by_key(&at, |slot| slot.at).ok()?;
        Some(JsonNode::new(self, slot as u32))
    }
}

/// Nodes are equal if they are the same node of the same document.
impl PartialEq for JsonNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.slot == other.slot
    }
}

/// Shows the position and the text.
impl fmt::Debug for JsonNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.document.position(self.at()), self.shown())
    }
}

impl<'d> JsonMember<'d> {
    /// The key as a datum.
    pub fn key_node(&self) -> JsonNode<'d> {
        // The slot of a key is followed by that of its value.
        JsonNode::new(self.value.document, self.value.slot - 1)
    }
}

impl<'d> JsonNode<'d> {
    pub(super) fn new(document: &'d Document, slot: u32) -> JsonNode<'d> {
        JsonNode { document, slot }
    }

    #[inline]
    fn get(self) -> JsonSlot {
        self.document.slots[self.slot as usize]
    }

    /// Where the datum starts.
    pub fn at(self) -> u32 {
        self.get().at
    }

    /// Where this column of the text of a string is, in characters from 1. In JSON text with escapes the columns
    /// differ from those of the string, so that it is where the string starts.
    pub(crate) fn at_column(self, column: usize) -> u32 {
        // The first character is the quote.
        let inside = self.raw().char_indices().nth(column).filter(|_| !self.raw().contains('\\'));
        self.at() + inside.map_or(0, |inside| inside.0 as u32)
    }

    /// The bytes of the datum, brackets or quotes included.
    pub fn range(self) -> Range<usize> {
        let JsonSlot { at, end, .. } = self.get();
        at as usize..end as usize
    }

    /// The text of the datum, brackets or quotes included.
    pub fn raw(self) -> &'d str {
        &self.document.text()[self.range()]
    }

    /// The datum as shown in messages: a string in quotes, anything else as written, truncated if long.
    pub fn shown(self) -> String {
        const MAX_LENGTH: usize = 60;
        match self.text() {
            Some(text) => quoted(&text),
            None => brief(self.raw(), MAX_LENGTH),
        }
    }

    /// The document.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// A number that names this datum within its document; see [`JsonNode::at_index`].
    pub fn index(self) -> u32 {
        self.slot
    }

    /// The datum of `document` that [`JsonNode::index`] named.
    ///
    /// # Panics
    ///
    /// If the index is from another document and this one has fewer data.
    pub fn at_index(document: &'d Document, index: u32) -> JsonNode<'d> {
        assert!((index as usize) < document.slots.len(), "an index of another document");
        JsonNode { document, slot: index }
    }

    /// The datum by its type.
    pub fn datum(self) -> JsonDatum<'d> {
        match self.get().kind() {
            SlotKind::Null => JsonDatum::Null,
            SlotKind::False => JsonDatum::Bool(false),
            SlotKind::True => JsonDatum::Bool(true),
            SlotKind::Number => JsonDatum::Number(self.raw()),
            SlotKind::PlainString | SlotKind::EscapedString => JsonDatum::Text(self.string()),
            SlotKind::Array => JsonDatum::Array,
            SlotKind::Object => JsonDatum::Object,
        }
    }

    /// The type of the datum with an article, for messages.
    pub fn type_name(self) -> &'static str {
        match self.get().kind() {
            SlotKind::Null => "null",
            SlotKind::False | SlotKind::True => "a boolean",
            SlotKind::Number => "a number",
            SlotKind::PlainString | SlotKind::EscapedString => "a string",
            SlotKind::Array => "an array",
            SlotKind::Object => "an object",
        }
    }

    /// Whether this is null.
    pub fn is_null(self) -> bool {
        self.get().kind() == SlotKind::Null
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.get().kind() == SlotKind::Object
    }

    /// Whether this is an array.
    pub fn is_array(self) -> bool {
        self.get().kind() == SlotKind::Array
    }

    /// The string, if this is one.
    pub fn text(self) -> Option<Cow<'d, str>> {
        match self.get().kind() {
            SlotKind::PlainString | SlotKind::EscapedString => Some(self.string()),
            _ => None,
        }
    }

    pub(super) fn string(self) -> Cow<'d, str> {
        let slot @ JsonSlot { at, end, .. } = self.get();
        let inside = &self.document.text()[at as usize + 1..end as usize - 1];
        match slot.kind() {
            SlotKind::EscapedString => Cow::Owned(unescape(inside)),
            _ => Cow::Borrowed(inside),
        }
    }

    #[inline]
    fn is_string(self, text: &str) -> bool {
        let slot @ JsonSlot { at, end, .. } = self.get();
        if slot.kind() == SlotKind::EscapedString {
            return self.string() == text;
        }
        // Most strings differ in their lengths.
        (end - at) as usize == text.len() + 2
            && self.document.text().as_bytes()[at as usize + 1..end as usize - 1] == *text.as_bytes()
    }

    fn children(self) -> Children<'d> {
        let slot = self.get();
        let next = match slot.kind() {
            SlotKind::Array | SlotKind::Object => self.slot + 1,
            _ => slot.next(),
        };
        Children { document: self.document, next, end: slot.next() }
    }

    /// The items of an array, in order; none for other data.
    pub fn items(self) -> impl Iterator<Item = JsonNode<'d>> {
        let nothing = !self.is_array();
        self.children().take_while(move |_| !nothing)
    }

    /// The members of an object, in order; none for other data.
    pub fn members(self) -> impl Iterator<Item = JsonMember<'d>> {
        self.pairs().map(|(key, value)| JsonMember { key: key.string(), key_at: key.at(), value })
    }

    /// The keys of an object, each with its value.
    fn pairs(self) -> impl Iterator<Item = (JsonNode<'d>, JsonNode<'d>)> {
        let (end, kind) = (self.get().next(), self.get().kind());
        let mut slot = if kind == SlotKind::Object { self.slot + 1 } else { end };
        std::iter::from_fn(move || {
            // The slot of a key is followed by that of its value.
            let (key, value) = (JsonNode { slot, ..self }, JsonNode { slot: slot + 1, ..self });
            let is_there = slot < end;
            is_there.then(|| {
                slot = value.get().next();
                (key, value)
            })
        })
    }

    /// The items of an array, or the values of the members of an object.
    pub fn values(self) -> impl Iterator<Item = JsonNode<'d>> {
        let is_object = self.is_object();
        self.children().skip(usize::from(is_object)).step_by(if is_object { 2 } else { 1 })
    }

    /// The array or object that contains this datum, and which of its elements it is, from 0; `None` for the outermost
    /// datum.
    pub fn place(self) -> Option<(JsonNode<'d>, usize)> {
        let container = *self.document.around(self.at()).iter().rev().nth(1)?;
        Some((container, container.values().position(|value| value == self)?))
    }

    /// Every object in this datum at any depth, including itself, in document order.
    pub fn objects(self) -> impl Iterator<Item = JsonNode<'d>> {
        let within = self.slot as usize..self.get().next() as usize;
        let slots = (self.slot..).zip(&self.document.slots[within]);
        let objects = slots.filter(|(_, slot)| slot.kind() == SlotKind::Object);
        objects.map(move |(slot, _)| JsonNode { slot, ..self })
    }

    /// The last member with this key, found by linear search.
    pub fn member(self, key: &str) -> Option<JsonNode<'d>> {
        let mut named = self.pairs().filter(|(name, _)| name.is_string(key));
        let named = if self.document.has_duplicates { named.last() } else { named.next() };
        named.map(|(_, value)| value)
    }

    /// Whether the member at this position of an object, from 0, has this key.
    pub fn has_key_at(self, position: usize, key: &str) -> bool {
        self.pairs().nth(position).is_some_and(|(name, _)| name.is_string(key))
    }
}

struct Children<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = JsonNode<'d>;

    fn next(&mut self) -> Option<JsonNode<'d>> {
        if self.next >= self.end {
            return None;
        }
        let node = JsonNode { document: self.document, slot: self.next };
        self.next = node.get().next();
        Some(node)
    }
}

/// `text` in quotes, truncated if long, with everything escaped that could disturb a terminal.
pub fn quoted(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    match text.char_indices().nth(MAX_LENGTH) {
        None => format!("{text:?}"),
        Some((cut, _)) => format!("{:?}… ({} bytes)", &text[..cut], text.len()),
    }
}
