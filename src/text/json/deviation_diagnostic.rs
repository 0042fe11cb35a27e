//! Diagnostics for what the reader accepts although it is not valid JSON.

use std::borrow::Cow;

use super::deviation::{Deviation, DeviationKind, comment_length};
use super::document::Document;
use super::node::{JsonNode, quoted};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};

impl Deviation {
    /// The deviation as a diagnostic; `document` is the one that it was found in.
    pub fn diagnostic(&self, document: &Document) -> Diagnostic<Origin> {
        match self.kind {
            DeviationKind::DuplicateKey(first) => {
                let key = document.node_at(self.at).map_or(Cow::Borrowed(""), JsonNode::string);
                let line = document.position(first).line;
                Diagnostic::at(self.at, format!("key {} is duplicated in this object", quoted(&key)))
                    .expected(format!("each key once; the first is in line {line}"))
                    .under(LintRule::DuplicateKey)
            }
            DeviationKind::Comment => {
                let length = comment_length(&document.text().as_bytes()[self.at as usize..]);
                Diagnostic::at(self.at, "comment")
                    .expected("JSON, which has none")
                    .under(LintRule::Comment)
                    .replace(length.unwrap_or(0), "")
            }
            DeviationKind::TrailingComma => Diagnostic::at(self.at, "comma before a closing bracket")
                .expected("no comma here")
                .under(LintRule::TrailingComma)
                .replace(1, ""),
        }
    }
}
