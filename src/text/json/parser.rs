//! From text to the table of its data.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::deviation::{Deviation, DeviationKind, comment_length};
use super::escapes::{WrongEscape, escaped, unescape};
use super::slot::{JsonSlot, MAX_SLOTS, SlotKind};
use crate::model::position::BOM;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};

/// The result of parsing a text.
pub(super) struct Parsed {
    /// Its data in document order.
    pub(super) slots: Vec<JsonSlot>,
    /// What is not valid JSON in it, in document order.
    pub(super) deviations: Vec<Deviation>,
}

/// Parses a text of less than 4 GiB; `slots` is an empty table. The error is the first syntax error.
pub(super) fn parse(
    text: &str,
    max_depth: usize,
    slots: Vec<JsonSlot>,
) -> Result<Parsed, Diagnostic<Origin>> {
    let mut parser = JsonParser::new(text, max_depth, slots);
    parser.document().map_err(|diagnostic| match diagnostic.rule {
        LintRule::Unreadable => diagnostic,
        _ => diagnostic.under(LintRule::Syntax),
    })?;
    let JsonParser { slots, mut deviations, .. } = parser;
    deviations.sort_by_key(|deviation| deviation.at);
    Ok(Parsed { slots, deviations })
}

/// What the parser finds between two data.
enum AfterDatum {
    Value,
    Closed,
}

struct JsonParser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    slots: Vec<JsonSlot>,
    /// Slots of the arrays and objects that are not closed yet, innermost last.
    open: Vec<u32>,
    deviations: Vec<Deviation>,
    max_depth: usize,
}

impl<'t> JsonParser<'t> {
    fn new(text: &'t str, max_depth: usize, mut slots: Vec<JsonSlot>) -> JsonParser<'t> {
        slots.reserve_exact(expected_slots(text.as_bytes()));
        JsonParser {
            text,
            bytes: text.as_bytes(),
            at: if text.starts_with(BOM) { BOM.len_utf8() } else { 0 },
            slots,
            open: Vec::with_capacity(16),
            deviations: Vec::new(),
            max_depth,
        }
    }

    fn document(&mut self) -> Result<(), Diagnostic<Origin>> {
        self.skip_space()?;
        loop {
            if self.value()? {
                continue;
            }
            match self.after_value()? {
                AfterDatum::Value => {}
                AfterDatum::Closed => break,
            }
        }
        self.skip_space()?;
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the file after the outermost value")),
        }
    }

    /// Reads a scalar, or opens an array or object. Returns true if the opened array or object is not empty;
    /// the parser is then at its first element.
    fn value(&mut self) -> Result<bool, Diagnostic<Origin>> {
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
        self.push(kind, self.at + word.len())?;
        Ok(false)
    }

    #[inline(always)]
    fn push(&mut self, kind: SlotKind, end: usize) -> Result<(), Diagnostic<Origin>> {
        if self.slots.len() == self.slots.capacity() {
            self.reserve()?;
        }
        let next = self.slots.len() as u32 + 1;
        self.slots.push(JsonSlot::new(kind, self.at as u32, end as u32, next));
        self.at = end;
        Ok(())
    }

    /// Makes room for as many slots as the rest of the text has if it is like the text before; twice as many as there
    /// are would take several times the memory of a large text. Fails when the table has as many as it can.
    #[cold]
    fn reserve(&mut self) -> Result<(), Diagnostic<Origin>> {
        let count = self.slots.len();
        let rest = self.bytes.len() - self.at;
        let like_before = count as u64 * rest as u64 / self.at.max(1) as u64;
        match room_after(count, like_before as usize + count / 8 + 4) {
            0 => Err(Diagnostic::at(self.at as u32, "the file has too many data")
                .expected(format!("fewer than {MAX_SLOTS}"))
                .under(LintRule::Unreadable)),
            more => {
                self.slots.reserve_exact(more);
                Ok(())
            }
        }
    }

    fn open(&mut self, kind: SlotKind, closing: u8) -> Result<bool, Diagnostic<Origin>> {
        if self.open.len() == self.max_depth {
            let limit = self.max_depth;
            return Err(Diagnostic::at(self.at as u32, "too many nested arrays and objects")
                .expected(format!("at most {limit} levels (--max-depth)")));
        }
        self.open.push(self.slots.len() as u32);
        self.push(kind, self.at + 1)?;
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

    /// Closes the innermost array or object; the parser is at its bracket.
    fn close(&mut self) {
        self.at += 1;
        let end = self.at as u32;
        let next = self.slots.len() as u32;
        if let Some(open) = self.open.pop() {
            let slot = &mut self.slots[open as usize];
            *slot = slot.closed(end, next);
            if slot.kind() == SlotKind::Object {
                self.find_duplicates(open);
            }
        }
    }

    /// After a value: moves on to the next one, closing all arrays and objects that end here.
    fn after_value(&mut self) -> Result<AfterDatum, Diagnostic<Origin>> {
        while let Some(&open) = self.open.last() {
            self.skip_space()?;
            let object = self.slots[open as usize].kind() == SlotKind::Object;
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
                        return Ok(AfterDatum::Value);
                    }
                    self.deviations.push(Deviation { at: comma, kind: DeviationKind::TrailingComma });
                    self.close();
                }
                Some(byte) if byte == closing => self.close(),
                _ if object => return Err(self.unexpected("a comma or a closing brace")),
                _ => return Err(self.unexpected("a comma or a closing bracket")),
            }
        }
        Ok(AfterDatum::Closed)
    }

    fn key(&mut self) -> Result<(), Diagnostic<Origin>> {
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

    fn string(&mut self) -> Result<(), Diagnostic<Origin>> {
        let from = self.at + 1;
        let end = from + plain_length(&self.bytes[from..]);
        if self.bytes.get(end) == Some(&b'"') {
            return self.push(SlotKind::PlainString, end + 1);
        }
        self.other_string(end)
    }

    /// Reads the rest of a string that is plain up to the byte `from`, which is not its closing quote.
    #[cold]
    fn other_string(&mut self, mut from: usize) -> Result<(), Diagnostic<Origin>> {
        let mut kind = SlotKind::PlainString;
        let mut control = None;
        let end = loop {
            let found = from + plain_length(&self.bytes[from..]);
            match self.bytes.get(found) {
                Some(b'"') => break found,
                Some(b'\\') => {
                    kind = SlotKind::EscapedString;
                    from = self.escape(found)?;
                }
                // A missing end of the string or an invalid escape is reported in preference to this.
                Some(_) => {
                    control.get_or_insert(found);
                    from = found + 1;
                }
                None => {
                    return Err(
                        Diagnostic::at(self.at as u32, "this string has no end").expected("a closing quote")
                    );
                }
            }
        };
        if let Some(control) = control {
            return Err(Diagnostic::at(control as u32, "control character in a string")
                .expected("an escape such as \\n, or a closing quote before it"));
        }
        self.push(kind, end + 1)
    }

    /// Checks the escape whose backslash is at `at` and returns where it ends.
    fn escape(&self, at: usize) -> Result<usize, Diagnostic<Origin>> {
        match escaped(&self.bytes[at + 1..], b'"') {
            Ok((_, length)) => Ok(at + 1 + length),
            Err(WrongEscape::Unknown) => Err(Diagnostic::at(at as u32, "wrong escape in a string")
                .expected("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")),
            Err(WrongEscape::LoneSurrogate) => Err(lone_surrogate(at)),
        }
    }

    fn number(&mut self) -> Result<(), Diagnostic<Origin>> {
        let digits = |mut at: usize| {
            while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let wrong = |at: usize| Diagnostic::at(at as u32, "malformed number").expected("a digit here");
        let first = self.at + usize::from(self.bytes[self.at] == b'-');
        let mut end = digits(first);
        if end == first {
            return Err(wrong(end));
        }
        if self.bytes[first] == b'0' && end > first + 1 {
            return Err(Diagnostic::at(first as u32, "a number starts with 0").expected("no leading zeros"));
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
        self.push(SlotKind::Number, end)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline(always)]
    fn skip_space(&mut self) -> Result<(), Diagnostic<Origin>> {
        self.skip_blanks();
        if self.peek() == Some(b'/') { self.skip_comments() } else { Ok(()) }
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b'\n') => self.at += 1 + indentation(&self.bytes[self.at + 1..]),
                Some(b' ' | b'\r' | b'\t') => self.at += 1,
                _ => return,
            }
        }
    }

    #[cold]
    fn skip_comments(&mut self) -> Result<(), Diagnostic<Origin>> {
        while self.peek() == Some(b'/') {
            self.comment()?;
            self.skip_blanks();
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Diagnostic<Origin>> {
        let rest = &self.bytes[self.at..];
        let length = match rest.get(1) {
            Some(b'/' | b'*') => match comment_length(rest) {
                Some(length) => length,
                None => return Err(Diagnostic::at(self.at as u32, "this comment has no end").expected("*/")),
            },
            _ => return Err(self.unexpected("a JSON value")),
        };
        self.deviations.push(Deviation { at: self.at as u32, kind: DeviationKind::Comment });
        self.at += length;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> Diagnostic<Origin> {
        let found = match self.text[self.at..].chars().next() {
            None => "the file ends here".to_owned(),
            Some(found) => format!("unexpected {found:?}"),
        };
        Diagnostic::at(self.at as u32, found).expected(expected)
    }

    /// Records each duplicate key of a closed object.
    fn find_duplicates(&mut self, object: u32) {
        const FEW: usize = 32;
        let mut marks = KeyMarks::default();
        let mut count = 0;
        let mut slot = object + 1;
        let end = self.slots[object as usize].next();
        let found_before = self.deviations.len();
        while slot < end {
            let key = self.slots[slot as usize];
            if count == FEW || key.kind() == SlotKind::EscapedString {
                self.deviations.truncate(found_before);
                return self.find_duplicates_of_many(object);
            }
            if marks.may_have(self.inside(key))
                && let Some(first) = self.same_key(object + 1, slot)
            {
                self.deviations.push(Deviation { at: key.at, kind: DeviationKind::DuplicateKey(first) });
            }
            count += 1;
            slot = self.slots[key.next() as usize].next();
        }
    }

    /// The bytes of a string without its quotes.
    fn inside(&self, string: JsonSlot) -> &[u8] {
        &self.bytes[string.at as usize + 1..string.end as usize - 1]
    }

    /// Where the first key from `slot` on is that is the same as that at `last`.
    fn same_key(&self, mut slot: u32, last: u32) -> Option<u32> {
        let sought = self.inside(self.slots[last as usize]);
        while slot < last {
            let key = self.slots[slot as usize];
            if self.inside(key) == sought {
                return Some(key.at);
            }
            slot = self.slots[key.next() as usize].next();
        }
        None
    }

    #[cold]
    fn find_duplicates_of_many(&mut self, object: u32) {
        let mut seen: HashMap<_, _, RandomState> = HashMap::default();
        let mut slot = object + 1;
        let end = self.slots[object as usize].next();
        while slot < end {
            let key = self.slots[slot as usize];
            let inside = &self.text[key.at as usize + 1..key.end as usize - 1];
            let text = match key.kind() {
                SlotKind::EscapedString => Cow::Owned(unescape(inside)),
                _ => Cow::Borrowed(inside),
            };
            match seen.entry(text) {
                Entry::Occupied(first) => {
                    let kind = DeviationKind::DuplicateKey(*first.get());
                    self.deviations.push(Deviation { at: key.at, kind });
                }
                Entry::Vacant(new) => {
                    new.insert(key.at);
                }
            }
            slot = self.slots[key.next() as usize].next();
        }
    }
}

/// About how many data a text has, by its start: growing their table means to copy it.
fn expected_slots(bytes: &[u8]) -> usize {
    const START: usize = 4096;
    let start = &bytes[..bytes.len().min(START)];
    // Behind each comma and colon is a datum, and one more in each array or object.
    let data = memchr::memchr2_iter(b',', b':', start).count() * 5 / 4;
    let expected = (data * bytes.len() / start.len().max(1)).clamp(bytes.len() / 24, bytes.len() / 4) + 4;
    room_after(0, expected)
}

/// For how many slots there may be room besides `count`, if `more` are expected: the last slot needs a number after it.
fn room_after(count: usize, more: usize) -> usize {
    more.min(MAX_SLOTS - 1 - count)
}

/// Marks of keys. Most keys of an object have marks of their own, so that they need not be compared with each other.
#[derive(Default)]
struct KeyMarks([u64; 4]);

impl KeyMarks {
    /// Whether a key with the same mark was here before.
    fn may_have(&mut self, key: &[u8]) -> bool {
        let end = |byte: Option<&u8>| byte.copied().map_or(0, usize::from);
        let mark = key.len().wrapping_mul(67) ^ end(key.first()).wrapping_mul(5) ^ end(key.last());
        let (word, bit) = (&mut self.0[mark / 64 % 4], 1 << (mark % 64));
        let is_marked = *word & bit != 0;
        *word |= bit;
        is_marked
    }
}

/// How many spaces `bytes` start with; only whole chunks of eight bytes are looked at.
fn indentation(bytes: &[u8]) -> usize {
    const SPACES: u64 = u64::from_le_bytes(*b"        ");
    let mut count = 0;
    for eight in bytes.as_chunks().0 {
        let spaces = (u64::from_le_bytes(*eight) ^ SPACES).trailing_zeros() as usize / 8;
        count += spaces;
        if spaces < 8 {
            break;
        }
    }
    count
}

/// How many bytes at the start of `bytes` are neither a quote, a backslash nor a control character.
fn plain_length(bytes: &[u8]) -> usize {
    const EACH: u64 = u64::MAX / 0xff;
    const HIGH: u64 = EACH * 0x80;
    // Sets the high bit of each byte that is less than `limit`. Exact up to the lowest such byte; bytes above
    // it may be wrong.
    let less = |eight: u64, limit: u64| eight.wrapping_sub(EACH * limit) & !eight & HIGH;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (number, chunk) in chunks.iter().enumerate() {
        let eight = u64::from_le_bytes(*chunk);
        let equal = |byte: u8| less(eight ^ (EACH * u64::from(byte)), 1);
        let special = less(eight, 0x20) | equal(b'"') | equal(b'\\');
        if special != 0 {
            return 8 * number + special.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    bytes.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

fn lone_surrogate(at: usize) -> Diagnostic<Origin> {
    Diagnostic::at(at as u32, "half of a surrogate pair in a string").expected("both halves, \\uD8xx\\uDCxx")
}

#[cfg(test)]
mod tests {
    use super::{MAX_SLOTS, room_after};

    /// The last slot needs the number of the one after it.
    #[test]
    fn a_table_has_fewer_slots_than_numbers() {
        assert_eq!(room_after(0, 10), 10);
        assert_eq!(room_after(0, MAX_SLOTS), MAX_SLOTS - 1);
        assert_eq!(room_after(MAX_SLOTS - 3, 10), 2);
        assert_eq!(room_after(MAX_SLOTS - 1, 10), 0);
    }
}
