//! A text and the table of its data.

use super::parser::{Parsed, parse};
use super::{Deviation, Node};
use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::position::{Origin, Position};
use crate::model::rule::Rule;
use crate::text::source_text::SourceText;

/// A text that was read as JSON.
#[derive(Debug)]
pub struct Document {
    text: SourceText,
    pub(super) slots: Vec<Slot>,
    deviations: Vec<Deviation>,
}

/// The type of a datum, and whether a string has escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotKind {
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
pub(super) struct Slot {
    pub(super) at: u32,
    pub(super) end: u32,
    pub(super) next: u32,
    pub(super) kind: SlotKind,
}

impl Document {
    /// Reads `text`. `max_depth` is how deep arrays and objects may be nested.
    ///
    /// A text of 4 GiB or more is refused; a byte order mark at the start is skipped.
    ///
    /// # Errors
    ///
    /// The first invalid position; the text is returned with it.
    pub fn parse(text: String, max_depth: usize) -> Result<Document, (SourceText, Diagnostic<Origin>)> {
        let parsed = match u32::try_from(text.len()) {
            Ok(_) => parse(&text, max_depth),
            Err(_) => Err(Diagnostic::at(0, "the file is too large")
                .expected("less than 4 GiB")
                .under(Rule::Unreadable)),
        };
        let text = SourceText::new(text);
        match parsed {
            Ok(Parsed { slots, deviations }) => Ok(Document { text, slots, deviations }),
            Err(diagnostic) => Err((text, diagnostic)),
        }
    }

    /// The outermost datum.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// The whole text without the table.
    pub fn into_text(self) -> SourceText {
        self.text
    }

    /// Duplicate keys, comments and trailing commas, in document order.
    pub fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }

    /// The data that contain the byte at `at`, the outermost first; keys do not count as data.
    pub fn around(&self, at: u32) -> Vec<Node<'_>> {
        let holds = |node: &Node<'_>| node.range().contains(&(at as usize));
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
        self.text.position(at)
    }

    /// The place of a byte of this document.
    pub fn place(&self, at: u32) -> Place {
        self.text.place(at)
    }

    /// A diagnostic of this document, with its line and column.
    pub fn locate(&self, diagnostic: Diagnostic<Origin>) -> Diagnostic {
        self.text.locate(diagnostic)
    }

    /// The datum or key that starts at a byte.
    pub fn node_at(&self, at: u32) -> Option<Node<'_>> {
        let slot = self.slots.binary_search_by_key(&at, |slot| slot.at).ok()?;
        Some(Node::new(self, slot as u32))
    }
}
