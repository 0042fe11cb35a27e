//! What the reader accepts although it is not JSON, or should not be there.

use std::borrow::Cow;

use memchr::memchr;

use super::{Document, Node, quoted};
use crate::model::diagnostic::Diagnostic;
use crate::model::position::Origin;
use crate::model::rule::Rule;

/// A construct that is not JSON, or that JSON leaves undefined, and that the reader accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// Byte offset into the text.
    pub at: u32,
    /// Which one.
    pub kind: DeviationKind,
}

/// The kinds of [`Deviation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviationKind {
    /// The key at the deviation's offset stood in the same object before, at this offset.
    DuplicateKey(u32),
    /// A `//` or `/* */` comment.
    Comment,
    /// A comma before a closing bracket.
    TrailingComma,
}

impl Deviation {
    /// The deviation as a diagnostic of the document that it was found in.
    pub fn diagnostic(&self, document: &Document) -> Diagnostic<Origin> {
        match self.kind {
            DeviationKind::DuplicateKey(first) => {
                let key = document.node_at(self.at).map_or(Cow::Borrowed(""), Node::string);
                let line = document.position(first).line;
                Diagnostic::at(self.at, format!("key {} is duplicated in this object", quoted(&key)))
                    .expected(format!("each key once; the first is in line {line}"))
                    .under(Rule::DuplicateKey)
            }
            DeviationKind::Comment => {
                let length = comment_length(&document.text().as_bytes()[self.at as usize..]);
                Diagnostic::at(self.at, "comment")
                    .expected("JSON, which has none")
                    .under(Rule::Comment)
                    .replace(length.unwrap_or(0), "")
            }
            DeviationKind::TrailingComma => Diagnostic::at(self.at, "comma before a closing bracket")
                .expected("no comma here")
                .under(Rule::TrailingComma)
                .replace(1, ""),
        }
    }
}

/// The length in bytes of the comment at the start of the text, without the end of its line; `None` when
/// it is not closed.
pub(super) fn comment_length(text: &[u8]) -> Option<usize> {
    match text.get(1) {
        Some(b'*') => memchr::memmem::find(&text[2..], b"*/").map(|end| end + 4),
        _ => Some(memchr(b'\n', text).unwrap_or(text.len())),
    }
}
