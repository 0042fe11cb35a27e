//! A text and the table of its data.

use std::sync::OnceLock;

use super::deviation::{Deviation, DeviationKind};
use super::parser::{Parsed, parse};
use super::slot::{JsonSlot, SlotKind};
use super::spare::SpareMemory;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, DiagnosticPlace, Origin, Position};
use crate::text::source_text::SourceText;

/// A text that was parsed as JSON.
#[derive(Debug)]
pub struct Document {
    text: SourceText,
    pub(super) slots: Vec<JsonSlot>,
    deviations: Vec<Deviation>,
    /// Whether an object has several members with one key.
    pub(super) has_duplicates: bool,
    /// The parent of each slot; computed on first use.
    parents: OnceLock<Vec<NodeParent>>,
    /// Where its memory goes when it is dropped; `None` if that is freed.
    spare: Option<SpareMemory>,
}

impl Document {
    /// Parses `text`. `max_depth` is how deeply arrays and objects may be nested.
    ///
    /// A text of 4 GiB or more, or of 2^29 data, is rejected; a byte order mark at the start is skipped. The first syntax error is
    /// returned together with the text.
    pub fn parse(text: String, max_depth: usize) -> Result<Document, (SourceText, Diagnostic<Origin>)> {
        Document::parse_into(None, text, max_depth)
    }

    /// Like [`Document::parse`], with a table in this memory, to which the document returns table and text.
    pub(crate) fn parse_with(
        spare: &SpareMemory,
        text: String,
        max_depth: usize,
    ) -> Result<Document, (SourceText, Diagnostic<Origin>)> {
        Document::parse_into(Some(spare.clone()), text, max_depth)
    }

    fn parse_into(
        spare: Option<SpareMemory>,
        text: String,
        max_depth: usize,
    ) -> Result<Document, (SourceText, Diagnostic<Origin>)> {
        let slots = spare.as_ref().map_or_else(Vec::new, SpareMemory::table);
        let parsed = match u32::try_from(text.len()) {
            Ok(_) => parse(&text, max_depth, slots),
            Err(_) => Err(Diagnostic::at(0, "the file is too large")
                .expected("less than 4 GiB")
                .under(LintRule::Unreadable)),
        };
        let text = SourceText::new(text);
        match parsed {
            Ok(Parsed { slots, deviations }) => {
                let is_duplicate = |it: &Deviation| matches!(it.kind, DeviationKind::DuplicateKey(_));
                let has_duplicates = deviations.iter().any(is_duplicate);
                Ok(Document { text, slots, deviations, has_duplicates, parents: OnceLock::new(), spare })
            }
            Err(diagnostic) => Err((text, diagnostic)),
        }
    }

    /// An empty document without any datum, which replaces one that is no longer needed.
    pub(crate) fn empty() -> Document {
        Document {
            text: SourceText::default(),
            slots: Vec::new(),
            deviations: Vec::new(),
            has_duplicates: false,
            parents: OnceLock::new(),
            spare: None,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// The whole text; drops the table.
    pub fn into_text(mut self) -> SourceText {
        std::mem::take(&mut self.text)
    }

    /// Duplicate keys, comments and trailing commas, in document order.
    pub fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }

    /// The parent of each slot.
    pub(super) fn parents(&self) -> &[NodeParent] {
        self.parents.get_or_init(|| parents(&self.slots))
    }

    /// Line and column of a byte of this document.
    pub fn position(&self, at: u32) -> Position {
        self.text.position(at)
    }

    /// The place of a byte of this document.
    pub fn place(&self, at: u32) -> DiagnosticPlace {
        self.text.place(at)
    }

    /// A diagnostic of this document, with its line and column.
    pub fn locate(&self, diagnostic: Diagnostic<Origin>) -> Diagnostic {
        self.text.locate(diagnostic)
    }
}

impl Drop for Document {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            let text = std::mem::take(&mut self.text).into_string();
            spare.keep(text.into_bytes(), std::mem::take(&mut self.slots));
        }
    }
}

/// The array or object that contains a datum.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeParent {
    /// The slot of the array or object; `None` for the root.
    pub(super) container: Option<u32>,
    pub(super) is_key: bool,
}

/// The parents of all slots, in one pass over them.
fn parents(slots: &[JsonSlot]) -> Vec<NodeParent> {
    // The arrays and objects around the current slot, each with whether its next datum is a key.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let parent = |(number, slot): (u32, &JsonSlot)| {
        while open.last().is_some_and(|(container, _)| slots[*container as usize].next() <= number) {
            open.pop();
        }
        let mut parent = NodeParent { container: None, is_key: false };
        if let Some((container, next_is_key)) = open.last_mut() {
            parent = NodeParent { container: Some(*container), is_key: *next_is_key };
            *next_is_key = slots[*container as usize].kind() == SlotKind::Object && !*next_is_key;
        }
        if matches!(slot.kind(), SlotKind::Array | SlotKind::Object) {
            open.push((number, slot.kind() == SlotKind::Object));
        }
        parent
    };
    (0..).zip(slots).map(parent).collect()
}
