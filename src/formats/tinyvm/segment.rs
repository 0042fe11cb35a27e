//! Segments: the initial contents of a memory, in any of their notations.

use std::collections::HashSet;

use super::lexical;
use super::reader::TinyReader;
use crate::formats::fields::{object, text, wrong_type};
use crate::formats::files::{Files, Unreadable, VectorFolder};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, Path, Value, hex_bytes};
use crate::text::json::{JsonMember, JsonNode};

/// The number of words in a segment.
const WORDS: usize = 65_536;
/// The size of a segment file, in bytes.
const SEGMENT_BYTES: u64 = 2 * WORDS as u64;
/// The maximum size of a source file, in bytes.
const SOURCE_BYTES: u64 = 1 << 20;

const SEGMENT: &str =
    "hex digits, an array of words or of lines, an object of words by address, or {\"file\": …}";

/// A member of a sparse object.
pub(super) struct SparseMember {
    pub(super) address: u16,
    /// The words from its address on, each with its position.
    pub(super) words: Vec<(u16, u32)>,
}

impl TinyReader<'_> {
    /// A segment and its position.
    pub(super) fn segment(&mut self, node: JsonNode<'_>, at: Path) -> Option<Value> {
        self.places.push((at, Origin(node.at())));
        if node.is_object() {
            return match node.member("file") {
                Some(name) => self.file(node, name),
                None => self.sparse(node, "a segment").map(|parts| sparse_value(&parts)),
            };
        }
        if node.is_array() {
            return self.array(node);
        }
        if let Some(digits) = node.text() {
            self.diagnostics.keep(hex_words(node, &digits)).map(Value::Bytes)
        } else {
            self.diagnostics.error(wrong_type(node, "a segment", SEGMENT));
            None
        }
    }

    /// Words, or lines of assembly.
    fn array(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut lines = Vec::new();
        let first_is_text = node.items().next().is_some_and(|first| first.text().is_some());
        if !first_is_text {
            let words = self.plain_words(node)?;
            return Some(Value::Bytes(words));
        }
        for item in node.items() {
            let Some(line) = item.text() else {
                let what = format!("{} among lines of assembly", item.type_name());
                self.diagnostics
                    .error(Diagnostic::at(item.at(), what).expected("a line in quotes; a word is .word"));
                return None;
            };
            if line.contains(['\n', '\r']) {
                self.diagnostics.error(
                    Diagnostic::at(item.at(), "a line with a line break").expected("one line of assembly"),
                );
                return None;
            }
            lines.push(line);
        }
        Some(Value::text(lines.join("\n")))
    }

    /// Numbers only, since a string would be a line of assembly.
    fn plain_words(&mut self, array: JsonNode<'_>) -> Option<Vec<u8>> {
        let mut words = Vec::new();
        for item in array.items() {
            if item.text().is_some() {
                let diagnostic = Diagnostic::at(item.at(), "a string among numbers")
                    .expected("numbers only, or lines only");
                self.diagnostics.error(diagnostic);
                return None;
            }
            words.extend(self.diagnostics.keep(lexical::word(item, "word"))?.to_be_bytes());
        }
        self.diagnostics.keep(fits(array, words.len() / 2))?;
        Some(words)
    }

    /// An object of words by address, each address once.
    pub(super) fn sparse(&mut self, node: JsonNode<'_>, name: &str) -> Option<Vec<SparseMember>> {
        let node = self.diagnostics.keep(object(node, name, "an object of words by address"))?;
        let (mut seen, mut keys) = (HashSet::new(), HashSet::new());
        // A key that is written twice is reported as such; its address need not be reported, too.
        let members = node.members().filter(|member| keys.insert(member.key.clone()));
        let part = |member: JsonMember<'_>| self.diagnostics.keep(sparse_part(&member, &mut seen));
        Some(members.filter_map(part).collect())
    }

    /// `{"file": "name.segment"}` or `{"file": "name.asm"}`.
    fn file(&mut self, node: JsonNode<'_>, name: JsonNode<'_>) -> Option<Value> {
        if let Some(other) = node.members().find(|member| member.key != "file") {
            let diagnostic =
                Diagnostic::at(other.key_at, "a member next to \"file\"").expected("\"file\" alone");
            self.diagnostics.error(diagnostic.under(LintRule::Misplaced));
        }
        let text = self.diagnostics.keep(text(name, "file", "the name of a .segment or .asm file"))?;
        let read = match SegmentKind::of(&text) {
            Some(kind) => kind.read(self.context.files, VectorFolder::Own, &text),
            None => Err(Unreadable::Refused("its name ends neither in .segment nor in .asm".to_owned())),
        };
        let what = |why| format!("file {}: {why}", name.shown());
        let wrong = |why| Diagnostic::at(name.at(), what(why)).under(LintRule::NamedFile);
        self.diagnostics.keep(read.map_err(wrong))
    }
}

/// The words of a member from its address on, up to the first invalid one.
fn sparse_part(member: &JsonMember<'_>, seen: &mut HashSet<u16>) -> Result<SparseMember, Diagnostic<Origin>> {
    let address = lexical::address(&member.key, member.key_at)?;
    let items: Vec<_> =
        if member.value.is_array() { member.value.items().collect() } else { vec![member.value] };
    fits(member.value, items.len())?;
    let mut words = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let at = address.wrapping_add(index as u16);
        if !seen.insert(at) {
            let what = format!("address {} is duplicated", lexical::address_key(at));
            return Err(Diagnostic::at(item.at(), what)
                .expected("each address once")
                .under(LintRule::DuplicateKey));
        }
        words.push((lexical::word(item, "word")?, item.at()));
    }
    Ok(SparseMember { address, words })
}

/// A record of bytes by address.
pub(super) fn sparse_value(parts: &[SparseMember]) -> Value {
    let record = |part: &SparseMember| {
        let bytes = part.words.iter().flat_map(|(word, _)| word.to_be_bytes()).collect();
        (lexical::address_key(part.address), Value::Bytes(bytes))
    };
    Value::record(parts.iter().map(record))
}

/// The kinds of files that define a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentKind {
    /// All words of the segment.
    Segment,
    /// Assembly source.
    Source,
}

impl SegmentKind {
    pub(super) fn of(name: &str) -> Option<SegmentKind> {
        [SegmentKind::Segment, SegmentKind::Source].into_iter().find(|kind| name.ends_with(kind.extension()))
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            SegmentKind::Segment => ".segment",
            SegmentKind::Source => ".asm",
        }
    }

    pub(super) fn read(
        self,
        files: &dyn Files,
        folder: VectorFolder,
        name: &str,
    ) -> Result<Value, Unreadable> {
        match self {
            SegmentKind::Segment => {
                let bytes = files.read(folder, name, SEGMENT_BYTES)?;
                if bytes.len() as u64 == SEGMENT_BYTES {
                    Ok(Value::Bytes(bytes))
                } else {
                    let what = format!("a segment of {} bytes, and not of {SEGMENT_BYTES}", bytes.len());
                    Err(Unreadable::Refused(what))
                }
            }
            SegmentKind::Source => {
                let bytes = files.read(folder, name, SOURCE_BYTES)?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| Unreadable::Refused("a source that is not UTF-8".to_owned()))?;
                Ok(Value::record([(name.to_owned(), Value::text(text))]))
            }
        }
    }
}

/// Four digits per word, with white space anywhere.
fn hex_words(node: JsonNode<'_>, text: &str) -> Result<Vec<u8>, Diagnostic<Origin>> {
    const EXPECTED: &str = "four hex digits a word";
    let digits: String = text.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    let what = || format!("a segment {}", node.shown());
    let bytes = hex_bytes(&digits).filter(|bytes| bytes.len() % 2 == 0);
    let bytes =
        bytes.ok_or_else(|| Diagnostic::at(node.at(), what()).expected(EXPECTED).under(LintRule::Bytes))?;
    fits(node, bytes.len() / 2)?;
    Ok(bytes)
}

fn fits(node: JsonNode<'_>, words: usize) -> Result<(), Diagnostic<Origin>> {
    if words <= WORDS {
        return Ok(());
    }
    Err(Diagnostic::at(node.at(), format!("{words} words")).expected(format!("at most {WORDS}")))
}
