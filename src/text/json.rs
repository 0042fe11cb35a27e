//! Reading JSON so that every datum knows where it stands.
//!
//! A [`Document`] is the text and one flat table of slots in document order, 16 bytes a datum;
//! a [`Node`] is an index into it. Strings and numbers stay in the text until somebody asks, so
//! a number of any size keeps its value and reading allocates once a file. This is ours, and not
//! `serde_json`, because a conformance runner has to point at the byte that demanded a value,
//! has to see a key that is there twice, and has to read what real suites contain: a byte order
//! mark, comments, trailing commas. Those last ones are not JSON; they are accepted and recorded
//! as [`Oddity`], and whoever reads a format decides what they mean.
//!
//! The grammar is RFC 8259. Nesting has a limit, and nothing recurses.

use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::position::{Position, position};
use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr2};

use super::suggest;
use crate::model::position::BOM;
use crate::model::rule::Rule;

/// What is wrong at one place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset into the text.
    pub at: u32,
    /// What is wrong, as a sentence without a full stop.
    pub what: String,
    /// What would have been right, where that can be said.
    pub expected: Option<String>,
    /// Which rule this breaks.
    pub rule: Rule,
    /// What would make it right, where that is known.
    pub remedy: Option<Remedy>,
}

/// A change of the text at the place of a [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// This name was perhaps meant, which is for a person to say.
    Perhaps(String),
    /// The string that stands there becomes this one, which has no characters to escape and means
    /// the same.
    Respell(String),
    /// So many bytes are left out, which mean nothing.
    Remove(u32),
}

impl Problem {
    /// A problem at byte `at`, with what would have been right.
    pub fn new(at: u32, what: impl Into<String>, expected: impl Into<String>) -> Problem {
        Problem { expected: Some(expected.into()), ..Problem::bare(at, what) }
    }

    /// A problem at byte `at` for which `what` says everything.
    pub fn bare(at: u32, what: impl Into<String>) -> Problem {
        Problem { at, what: what.into(), expected: None, rule: Rule::Malformed, remedy: None }
    }

    /// The same as a breach of another rule than [`Rule::Malformed`].
    #[must_use]
    pub fn under(self, rule: Rule) -> Problem {
        Problem { rule, ..self }
    }

    /// The same with what makes it right.
    #[must_use]
    pub fn mended_by(self, remedy: Remedy) -> Problem {
        Problem { remedy: Some(remedy), ..self }
    }

    /// The same with the one of the `known` names that `word` is near to, if any is.
    #[must_use]
    pub fn did_you_mean<'k>(self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Problem {
        Problem { remedy: suggest::nearest(word, known).map(|name| Remedy::Perhaps(name.to_owned())), ..self }
    }

    /// The problem with its line and column in the document that has it.
    pub fn in_document(&self, document: &Document) -> Diagnostic {
        self.in_text(document.text())
    }

    /// The problem with its line and column in the text that has it.
    pub fn in_text(&self, text: &str) -> Diagnostic {
        Diagnostic {
            what: self.what.clone(),
            expected: self.expected.clone(),
            place: Some(Place::new(text, self.at)),
        }
    }

    /// The name that was perhaps meant.
    pub fn suggestion(&self) -> Option<&str> {
        match self.remedy.as_ref()? {
            Remedy::Perhaps(name) => Some(name),
            Remedy::Respell(_) | Remedy::Remove(_) => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.expected {
            Some(expected) => write!(f, "; expected {expected}"),
            None => Ok(()),
        }
    }
}

/// Something that is not JSON, or is but should not be there, and does not stop reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oddity {
    /// Byte offset into the text.
    pub at: u32,
    /// Which one.
    pub kind: OddityKind,
}

/// The kinds of [`Oddity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddityKind {
    /// The key at the oddity's offset stood in the same object before, at this offset.
    DuplicateKey(u32),
    /// A `//` or `/* */` comment.
    Comment,
    /// A comma before a closing bracket.
    TrailingComma,
}

impl Oddity {
    /// The oddity as a problem of the document it was found in.
    pub fn problem(&self, document: &Document) -> Problem {
        match self.kind {
            OddityKind::DuplicateKey(first) => {
                let key = document.node_at(self.at).map_or(Cow::Borrowed(""), Node::string);
                let line = document.position(first).line;
                Problem::new(
                    self.at,
                    format!("key {} stands twice in this object", quoted(&key)),
                    format!("each key once; the first is in line {line}"),
                )
                .under(Rule::DuplicateKey)
            }
            OddityKind::Comment => {
                let length = comment_length(&document.text.as_bytes()[self.at as usize..]);
                Problem::new(self.at, "comment", "JSON, which has none")
                    .under(Rule::Comment)
                    .mended_by(Remedy::Remove(length.unwrap_or(0) as u32))
            }
            OddityKind::TrailingComma => {
                Problem::new(self.at, "comma before a closing bracket", "no comma here")
                    .under(Rule::TrailingComma)
                    .mended_by(Remedy::Remove(1))
            }
        }
    }
}

/// How long the comment at the start of the text is, the end of its line not counted; none when it
/// has no end.
fn comment_length(text: &[u8]) -> Option<usize> {
    match text.get(1) {
        Some(b'*') => memchr::memmem::find(&text[2..], b"*/").map(|end| end + 4),
        _ => Some(memchr(b'\n', text).unwrap_or(text.len())),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotKind {
    Null,
    False,
    True,
    Number,
    PlainString,
    EscapedString,
    Array,
    Object,
}

/// One datum: where its text starts and ends, and which slot follows it and all that is in it.
#[derive(Debug, Clone, Copy)]
struct Slot {
    at: u32,
    end: u32,
    next: u32,
    kind: SlotKind,
}

/// A text that was read as JSON.
#[derive(Debug)]
pub struct Document {
    text: String,
    slots: Vec<Slot>,
    oddities: Vec<Oddity>,
}

/// A datum of a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    slot: u32,
}

/// A datum by its type. Strings are unescaped, numbers are as written.
#[derive(Debug, Clone)]
pub enum Datum<'d> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, exactly as written: it has the value that its digits say, however many.
    Number(&'d str),
    /// A string.
    Text(Cow<'d, str>),
    /// An array; see [`Node::items`].
    Array,
    /// An object; see [`Node::members`].
    Object,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub struct Member<'d> {
    /// The key, unescaped.
    pub key: Cow<'d, str>,
    /// Where the key stands.
    pub key_at: u32,
    /// The value.
    pub value: Node<'d>,
}

impl Document {
    /// Reads `text`. `max_depth` is how deep arrays and objects may be nested.
    ///
    /// A text of 4 GiB or more is refused; a byte order mark at the start is skipped.
    ///
    /// # Errors
    ///
    /// The first place that is not JSON, the text coming back with it.
    pub fn parse(text: String, max_depth: usize) -> Result<Document, (String, Problem)> {
        if u32::try_from(text.len()).is_err() {
            let problem = Problem::new(0, "the file is too large", "less than 4 GiB");
            return Err((text, problem.under(Rule::Unreadable)));
        }
        let mut parser = Parser::new(&text, max_depth);
        match parser.document() {
            Ok(()) => {
                let Parser { slots, mut oddities, .. } = parser;
                oddities.sort_by_key(|oddity| oddity.at);
                Ok(Document { text, slots, oddities })
            }
            Err(problem) => Err((text, problem.under(Rule::Syntax))),
        }
    }

    /// The outermost datum.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, slot: 0 }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text without the table.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Duplicate keys, comments and trailing commas, in document order.
    pub fn oddities(&self) -> &[Oddity] {
        &self.oddities
    }

    /// The data that the byte at `at` stands in, the outermost first; keys are none.
    pub fn around(&self, at: u32) -> Vec<Node<'_>> {
        let holds = |node: &Node<'_>| {
            let Slot { at: start, end, .. } = node.get();
            (start..end).contains(&at)
        };
        let mut around = Vec::new();
        let mut inner = Some(self.root()).filter(holds);
        while let Some(node) = inner {
            around.push(node);
            inner = node.items().chain(node.members().map(|member| member.value)).find(holds);
        }
        around
    }

    /// Line and column of a byte of this document.
    pub fn position(&self, at: u32) -> Position {
        position(&self.text, at)
    }

    /// The datum or key that starts at a byte.
    pub fn node_at(&self, at: u32) -> Option<Node<'_>> {
        let slot = self.slots.binary_search_by_key(&at, |slot| slot.at).ok()?;
        Some(Node { document: self, slot: slot as u32 })
    }
}

/// `text` in quotes with everything escaped that could disturb a terminal, cut when long.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        None => format!("{text:?}"),
        Some((cut, _)) => format!("{:?}… ({} bytes)", &text[..cut], text.len()),
    }
}

/// Data are equal when they are the same one.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.slot == other.slot
    }
}

/// Its place and text.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.document.position(self.at()), self.shown())
    }
}

impl<'d> Node<'d> {
    fn get(self) -> Slot {
        self.document.slots[self.slot as usize]
    }

    /// Where the datum starts.
    pub fn at(self) -> u32 {
        self.get().at
    }

    /// The text of the datum, brackets or quotes included.
    pub fn raw(self) -> &'d str {
        let slot = self.get();
        &self.document.text[slot.at as usize..slot.end as usize]
    }

    /// The datum as messages show it: a string in quotes, anything else as written, cut when long.
    pub fn shown(self) -> String {
        const LONGEST: usize = 60;
        match self.text() {
            Some(text) => quoted(&text),
            None => match self.raw().char_indices().nth(LONGEST) {
                None => self.raw().to_owned(),
                Some((cut, _)) => format!("{}…", &self.raw()[..cut]),
            },
        }
    }

    /// The document.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// A number that names this datum within its document; see [`Node::at_index`].
    pub fn index(self) -> u32 {
        self.slot
    }

    /// The datum of `document` that [`Node::index`] named.
    ///
    /// # Panics
    ///
    /// When the index is of another document and this one has fewer data.
    pub fn at_index(document: &'d Document, index: u32) -> Node<'d> {
        assert!((index as usize) < document.slots.len(), "an index of another document");
        Node { document, slot: index }
    }

    /// The datum by its type.
    pub fn datum(self) -> Datum<'d> {
        match self.get().kind {
            SlotKind::Null => Datum::Null,
            SlotKind::False => Datum::Bool(false),
            SlotKind::True => Datum::Bool(true),
            SlotKind::Number => Datum::Number(self.raw()),
            SlotKind::PlainString | SlotKind::EscapedString => Datum::Text(self.string()),
            SlotKind::Array => Datum::Array,
            SlotKind::Object => Datum::Object,
        }
    }

    /// The type of the datum with an article, for messages.
    pub fn type_name(self) -> &'static str {
        match self.get().kind {
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
        self.get().kind == SlotKind::Null
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.get().kind == SlotKind::Object
    }

    /// Whether this is an array.
    pub fn is_array(self) -> bool {
        self.get().kind == SlotKind::Array
    }

    /// The string, if this is one.
    pub fn text(self) -> Option<Cow<'d, str>> {
        match self.get().kind {
            SlotKind::PlainString | SlotKind::EscapedString => Some(self.string()),
            _ => None,
        }
    }

    fn string(self) -> Cow<'d, str> {
        let raw = self.raw();
        let inside = &raw[1..raw.len() - 1];
        match self.get().kind {
            SlotKind::EscapedString => Cow::Owned(unescape(inside)),
            _ => Cow::Borrowed(inside),
        }
    }

    fn children(self) -> Children<'d> {
        let slot = self.get();
        let next = match slot.kind {
            SlotKind::Array | SlotKind::Object => self.slot + 1,
            _ => slot.next,
        };
        Children { document: self.document, next, end: slot.next }
    }

    /// The items of an array in order; nothing for anything else.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        let nothing = !self.is_array();
        self.children().take_while(move |_| !nothing)
    }

    /// The members of an object in order; nothing for anything else.
    pub fn members(self) -> impl Iterator<Item = Member<'d>> {
        let mut children = self.children();
        let object = self.is_object();
        std::iter::from_fn(move || {
            let key = children.next().filter(|_| object)?;
            let value = children.next()?;
            Some(Member { key: key.string(), key_at: key.at(), value })
        })
    }

    /// Every object in here at any depth, this one first if it is one, in document order.
    pub fn objects(self) -> impl Iterator<Item = Node<'d>> {
        let within = self.slot as usize..self.get().next as usize;
        let slots = (self.slot..).zip(&self.document.slots[within]);
        let objects = slots.filter(|(_, slot)| slot.kind == SlotKind::Object);
        objects.map(move |(slot, _)| Node { slot, ..self })
    }

    /// The last member with this key, found by looking at each.
    pub fn member(self, key: &str) -> Option<Node<'d>> {
        self.members().filter(|member| member.key == key).last().map(|member| member.value)
    }
}

struct Children<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { document: self.document, slot: self.next };
        self.next = node.get().next;
        Some(node)
    }
}

/// What the parser meets between two data.
enum Then {
    Value,
    Closed,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    slots: Vec<Slot>,
    /// Slots of the arrays and objects that are not closed yet, innermost last.
    open: Vec<u32>,
    oddities: Vec<Oddity>,
    max_depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, max_depth: usize) -> Parser<'t> {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: if text.starts_with(BOM) { BOM.len_utf8() } else { 0 },
            slots: Vec::with_capacity(text.len() / 24 + 4),
            open: Vec::new(),
            oddities: Vec::new(),
            max_depth,
        }
    }

    fn document(&mut self) -> Result<(), Problem> {
        self.skip_space()?;
        loop {
            if self.value()? {
                continue;
            }
            match self.after_value()? {
                Then::Value => {}
                Then::Closed => break,
            }
        }
        self.skip_space()?;
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the file after the outermost value")),
        }
    }

    /// Reads a scalar, or opens an array or object. True when something was opened that has a
    /// first element, at which the parser then stands.
    fn value(&mut self) -> Result<bool, Problem> {
        let kind = match self.peek() {
            Some(b'"') => return self.string().map(|()| false),
            Some(b'{') => return self.open(SlotKind::Object, b'}'),
            Some(b'[') => return self.open(SlotKind::Array, b']'),
            Some(b't') => SlotKind::True,
            Some(b'f') => SlotKind::False,
            Some(b'n') => SlotKind::Null,
            Some(b'-' | b'0'..=b'9') => return self.number().map(|()| false),
            _ => return Err(self.unexpected("a JSON value")),
        };
        let word = match kind {
            SlotKind::True => "true",
            SlotKind::False => "false",
            _ => "null",
        };
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("a JSON value"));
        }
        self.push(kind, self.at + word.len());
        Ok(false)
    }

    fn push(&mut self, kind: SlotKind, end: usize) {
        let next = self.slots.len() as u32 + 1;
        self.slots.push(Slot { at: self.at as u32, end: end as u32, next, kind });
        self.at = end;
    }

    fn open(&mut self, kind: SlotKind, closing: u8) -> Result<bool, Problem> {
        if self.open.len() == self.max_depth {
            let limit = self.max_depth;
            return Err(Problem::new(
                self.at as u32,
                "too many nested arrays and objects",
                format!("at most {limit} levels (--max-depth)"),
            ));
        }
        self.open.push(self.slots.len() as u32);
        self.push(kind, self.at + 1);
        self.skip_space()?;
        if self.peek() == Some(closing) {
            self.close();
            return Ok(false);
        }
        if kind == SlotKind::Object {
            self.key()?;
        }
        Ok(true)
    }

    /// Closes the innermost array or object; the parser stands at its bracket.
    fn close(&mut self) {
        self.at += 1;
        let end = self.at as u32;
        let next = self.slots.len() as u32;
        if let Some(open) = self.open.pop() {
            let slot = &mut self.slots[open as usize];
            slot.end = end;
            slot.next = next;
            if slot.kind == SlotKind::Object {
                self.find_duplicates(open);
            }
        }
    }

    /// After a value: on to the next one, or out of all that ends here.
    fn after_value(&mut self) -> Result<Then, Problem> {
        while let Some(&open) = self.open.last() {
            self.skip_space()?;
            let object = self.slots[open as usize].kind == SlotKind::Object;
            let closing = if object { b'}' } else { b']' };
            match self.peek() {
                Some(b',') => {
                    let comma = self.at as u32;
                    self.at += 1;
                    self.skip_space()?;
                    if self.peek() != Some(closing) {
                        if object {
                            self.key()?;
                        }
                        return Ok(Then::Value);
                    }
                    self.oddities.push(Oddity { at: comma, kind: OddityKind::TrailingComma });
                    self.close();
                }
                Some(byte) if byte == closing => self.close(),
                _ if object => return Err(self.unexpected("a comma or a closing brace")),
                _ => return Err(self.unexpected("a comma or a closing bracket")),
            }
        }
        Ok(Then::Closed)
    }

    fn key(&mut self) -> Result<(), Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        self.string()?;
        self.skip_space()?;
        if self.peek() != Some(b':') {
            return Err(self.unexpected("a colon after the key"));
        }
        self.at += 1;
        self.skip_space()
    }

    fn string(&mut self) -> Result<(), Problem> {
        let start = self.at + 1;
        let mut from = start;
        let mut kind = SlotKind::PlainString;
        let end = loop {
            match memchr2(b'"', b'\\', &self.bytes[from..]) {
                None => {
                    return Err(Problem::new(self.at as u32, "this string has no end", "a closing quote"));
                }
                Some(found) if self.bytes[from + found] == b'"' => break from + found,
                Some(found) => {
                    kind = SlotKind::EscapedString;
                    from = self.escape(from + found)?;
                }
            }
        };
        // Counting has no branch in it, so that long strings are checked many bytes at a time.
        let controls = self.bytes[start..end].iter().filter(|byte| **byte < 0x20).count();
        if controls > 0 {
            let inside = self.bytes[start..end].iter().position(|&byte| byte < 0x20).unwrap_or(0);
            return Err(Problem::new(
                (start + inside) as u32,
                "control character in a string",
                "an escape such as \\n, or a closing quote before it",
            ));
        }
        self.push(kind, end + 1);
        Ok(())
    }

    /// Checks the escape whose backslash is at `at` and says where it ends.
    fn escape(&self, at: usize) -> Result<usize, Problem> {
        let wrong = || {
            Problem::new(
                at as u32,
                "wrong escape in a string",
                "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
            )
        };
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let high = hex4(self.bytes, at + 2).ok_or_else(wrong)?;
                match high {
                    0xd800..0xdc00 => {
                        let pair = self.bytes.get(at + 6..at + 8) == Some(b"\\u".as_slice());
                        let low =
                            hex4(self.bytes, at + 8).filter(|low| pair && (0xdc00..0xe000).contains(low));
                        low.map(|_| at + 12).ok_or_else(|| lone_surrogate(at))
                    }
                    0xdc00..0xe000 => Err(lone_surrogate(at)),
                    _ => Ok(at + 6),
                }
            }
            _ => Err(wrong()),
        }
    }

    fn number(&mut self) -> Result<(), Problem> {
        let digits = |mut at: usize| {
            while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let wrong = |at: usize| Problem::new(at as u32, "malformed number", "a digit here");
        let first = self.at + usize::from(self.bytes[self.at] == b'-');
        let mut end = digits(first);
        if end == first {
            return Err(wrong(end));
        }
        if self.bytes[first] == b'0' && end > first + 1 {
            return Err(Problem::new(first as u32, "a number starts with 0", "no leading zeros"));
        }
        if self.bytes.get(end) == Some(&b'.') {
            let from = end + 1;
            end = digits(from);
            if end == from {
                return Err(wrong(end));
            }
        }
        if let Some(b'e' | b'E') = self.bytes.get(end) {
            let sign = matches!(self.bytes.get(end + 1), Some(b'+' | b'-'));
            let from = end + 1 + usize::from(sign);
            end = digits(from);
            if end == from {
                return Err(wrong(end));
            }
        }
        self.push(SlotKind::Number, end);
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Result<(), Problem> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Problem> {
        let rest = &self.bytes[self.at..];
        let length = match rest.get(1) {
            Some(b'/' | b'*') => match comment_length(rest) {
                Some(length) => length,
                None => return Err(Problem::new(self.at as u32, "this comment has no end", "*/")),
            },
            _ => return Err(self.unexpected("a JSON value")),
        };
        self.oddities.push(Oddity { at: self.at as u32, kind: OddityKind::Comment });
        self.at += length;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let found = match self.text[self.at..].chars().next() {
            None => "the file ends here".to_owned(),
            Some(found) => format!("unexpected {found:?}"),
        };
        Problem::new(self.at as u32, found, expected)
    }

    /// Records each key of a closed object that stood in it before.
    fn find_duplicates(&mut self, object: u32) {
        const FEW: usize = 12;
        let mut keys = [(0, ""); FEW];
        let mut count = 0;
        let mut slot = object + 1;
        let end = self.slots[object as usize].next;
        let found_before = self.oddities.len();
        while slot < end {
            let key = self.slots[slot as usize];
            if count == FEW || key.kind == SlotKind::EscapedString {
                self.oddities.truncate(found_before);
                return self.find_duplicates_of_many(object);
            }
            let text = &self.text[key.at as usize + 1..key.end as usize - 1];
            if let Some(first) = keys[..count].iter().find(|seen| seen.1 == text) {
                self.oddities.push(Oddity { at: key.at, kind: OddityKind::DuplicateKey(first.0) });
            }
            keys[count] = (key.at, text);
            count += 1;
            slot = self.slots[key.next as usize].next;
        }
    }

    #[cold]
    fn find_duplicates_of_many(&mut self, object: u32) {
        let mut seen = std::collections::HashMap::new();
        let mut slot = object + 1;
        let end = self.slots[object as usize].next;
        while slot < end {
            let key = self.slots[slot as usize];
            let inside = &self.text[key.at as usize + 1..key.end as usize - 1];
            let text = match key.kind {
                SlotKind::EscapedString => Cow::Owned(unescape(inside)),
                _ => Cow::Borrowed(inside),
            };
            match seen.entry(text) {
                std::collections::hash_map::Entry::Occupied(first) => {
                    let kind = OddityKind::DuplicateKey(*first.get());
                    self.oddities.push(Oddity { at: key.at, kind });
                }
                std::collections::hash_map::Entry::Vacant(new) => {
                    new.insert(key.at);
                }
            }
            slot = self.slots[key.next as usize].next;
        }
    }
}

fn lone_surrogate(at: usize) -> Problem {
    Problem::new(at as u32, "half of a surrogate pair in a string", "both halves, \\uD8xx\\uDCxx")
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)?
        .iter()
        .try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}

/// The characters of a string whose escapes were checked.
fn unescape(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(backslash) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..backslash]);
        let escape = &rest[backslash..];
        let (character, length) = match escape.as_bytes()[1] {
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => unescape_unicode(escape.as_bytes()),
            other => (char::from(other), 2),
        };
        text.push(character);
        rest = &escape[length..];
    }
    text.push_str(rest);
    text
}

fn unescape_unicode(escape: &[u8]) -> (char, usize) {
    let high = hex4(escape, 2).unwrap_or(0);
    if let Some(character) = char::from_u32(high) {
        return (character, 6);
    }
    let low = hex4(escape, 8).unwrap_or(0);
    let code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
}

#[cfg(test)]
mod tests;
