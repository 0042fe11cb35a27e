//! The text of a list, edited in place: every other byte stays, line ends and a byte order mark too.

use std::borrow::Cow;
use std::ops::Range;

use toml_edit::{Document, Item, Table, value};

use crate::model::escaped;
use crate::text::toml;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a list. Entries are edited from the last one to the first: the positions of those before stay
/// valid.
pub(super) struct ListText {
    text: String,
    line_end: &'static str,
    /// Where the first line begins.
    begin: usize,
    entries: Vec<EntryText>,
}

/// Where an entry is.
struct EntryText {
    /// Its lines, with the comment directly before it. A comment that an empty line separates from it is not part of
    /// it, and that at the start of the list may be on the whole of it.
    lines: Range<usize>,
    signature: Option<Range<usize>>,
}

impl ListText {
    /// The text of a list, with its entries. Fails when the TOML parser rejects it, with the message.
    pub(super) fn new(text: &str) -> Result<ListText, String> {
        let document = Document::parse(text).map_err(|error| error.to_string())?;
        let tables = document.get("known").and_then(Item::as_array_of_tables);
        let begin = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let (mut entries, mut end) = (Vec::new(), begin);
        for table in tables.into_iter().flatten() {
            let entry = EntryText::new(text, table, begin, end);
            end = entry.lines.end;
            entries.push(entry);
        }
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Ok(ListText { text: text.to_owned(), line_end, begin, entries })
    }

    /// The text with all edits.
    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// Removes an entry, and one of the empty lines around it.
    pub(super) fn remove(&mut self, number: usize) {
        let Range { mut start, mut end } = self.entries[number].lines;
        let before = blank(self.text[self.begin..start].split_inclusive('\n').rev());
        let after = blank(self.text[end..].split_inclusive('\n'));
        if end + after == self.text.len() {
            start -= before;
        } else if before > 0 || start == self.begin {
            end += after;
        }
        self.text.replace_range(start..end, "");
    }

    /// Replaces the signature of an entry that has one.
    pub(super) fn set_signature(&mut self, number: usize, signature: &str) {
        if let Some(range) = self.entries[number].signature.clone() {
            self.text.replace_range(range, &quoted(signature));
        }
    }

    /// Adds an entry with these members at the end.
    pub(super) fn add(&mut self, members: &[(&str, String)]) {
        let line_end = self.line_end;
        if self.text.len() > self.begin {
            let is_open = !self.text.ends_with('\n');
            self.text.push_str(&line_end.repeat(if is_open { 2 } else { 1 }));
        }
        self.text.extend(["[[known]]", line_end]);
        for (name, text) in members {
            self.text.extend([name, " = ", &quoted(text), line_end]);
        }
    }
}

impl EntryText {
    /// The place of an entry of a list, both of which begin at these bytes or later.
    fn new(text: &str, table: &Table, begin: usize, from: usize) -> EntryText {
        let header = table.span().map_or(from, |span| span.start);
        let mut start = text[from..header].rfind('\n').map_or(from, |at| from + at + 1);
        let above = text[from..start].split_inclusive('\n').rev();
        let comment = length(above.take_while(|line| line.trim_start().starts_with('#')));
        if start - comment > begin {
            start -= comment;
        }
        let last = table.iter().filter_map(|(_, item)| item.span()).map(|span| span.end).max();
        let last = last.unwrap_or(header);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
        EntryText { lines: start..end, signature: table.get("signature").and_then(Item::span) }
    }
}

/// How many bytes the first of these lines have that are empty.
fn blank<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    length(lines.take_while(|line| line.trim().is_empty()))
}

fn length<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    lines.map(str::len).sum()
}

/// A text as TOML writes it: in the quotes that need the fewest escapes, unless some characters are harmful.
fn quoted(text: &str) -> String {
    match escaped(text) {
        Cow::Borrowed(_) => value(text).to_string().trim().to_owned(),
        Cow::Owned(_) => toml::string(text),
    }
}
