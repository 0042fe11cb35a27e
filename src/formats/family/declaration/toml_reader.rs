//! Reads values of TOML, and collects what is wrong, each with its place.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parts::WrittenPath;
use crate::formats::family::node_path::{NodePath, NotationError};
use crate::model::Diagnostic;
use crate::model::rule::LintRule;
use crate::text::config::type_of;
use crate::text::source_text::SourceText;
use crate::text::suggest::nearest;

/// The most faults that are reported.
const MAX_FAULTS: usize = 100;

/// A value of TOML with its place.
pub(super) type TomlValue<'v> = Spanned<DeValue<'v>>;

/// Continues after a fault, so that all of them are reported.
pub(super) struct TomlReader<'t> {
    text: &'t SourceText,
    diagnostics: Vec<Diagnostic>,
    /// The paths to one datum that were read.
    paths: Vec<WrittenPath>,
}

impl<'t> TomlReader<'t> {
    pub(super) fn new(text: &'t SourceText) -> TomlReader<'t> {
        TomlReader { text, diagnostics: Vec::new(), paths: Vec::new() }
    }

    /// What is wrong, in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.place.as_ref().map(|place| place.at));
        self.diagnostics.truncate(MAX_FAULTS);
        self.diagnostics
    }

    /// Reports a fault.
    pub(super) fn error(&mut self, span: Range<usize>, what: impl Into<String>, expected: impl Into<String>) {
        let diagnostic = Diagnostic::at(span.start as u32, what).expected(expected);
        self.diagnostics.push(self.text.locate(diagnostic));
    }

    /// Reports a name that is none of the known ones.
    pub(super) fn no_such<'k>(
        &mut self,
        span: Range<usize>,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        const MAX_SHOWN_NAMES: usize = 40;
        let known: Vec<_> = known.into_iter().collect();
        let expected = match nearest(name, known.iter().copied()) {
            Some(near) => format!("{near:?}"),
            None if known.is_empty() => "none: there are no names".to_owned(),
            None => format!("one of {}", known[..known.len().min(MAX_SHOWN_NAMES)].join(", ")),
        };
        let diagnostic =
            Diagnostic::at(span.start as u32, what).expected(expected).under(LintRule::UnknownName);
        self.diagnostics.push(self.text.locate(diagnostic));
    }

    /// Reports a key that is none of the known ones.
    pub(super) fn unknown<'k>(
        &mut self,
        key: &Spanned<impl AsRef<str>>,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let name = key.get_ref().as_ref();
        self.no_such(key.span(), &format!("unknown {what} {name:?}"), name, known);
    }

    /// Reports each key of a table that is none of the known ones; `what` says what its keys are.
    pub(super) fn only(&mut self, table: &DeTable<'_>, what: &str, known: &[&str]) {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            self.unknown(key, what, known.iter().copied());
        }
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong(&mut self, value: &TomlValue<'_>, what: &str, expected: &str) {
        self.error(value.span(), format!("{what} is {}", type_of(value.get_ref())), expected);
    }

    /// A member that must be there. `span` is the place of the table.
    pub(super) fn required<'v, 'd>(
        &mut self,
        table: &'v DeTable<'d>,
        key: &str,
        span: &Range<usize>,
    ) -> Option<&'v TomlValue<'d>> {
        let value = table.get(key);
        if value.is_none() {
            self.error(span.start..span.start, format!("there is no {key}"), format!("a key {key}"));
        }
        value
    }

    pub(super) fn text(&mut self, value: &TomlValue<'_>, what: &str) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong(value, what, "a string");
        }
        text
    }

    /// A list of strings, each with its place.
    pub(super) fn texts(&mut self, value: &TomlValue<'_>, what: &str) -> Vec<(String, Range<usize>)> {
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(value, what, "a list of strings");
            return Vec::new();
        };
        let text =
            |item: &TomlValue<'_>| Some((self.text(item, &format!("an item of {what}"))?, item.span()));
        items.iter().filter_map(text).collect()
    }

    /// A table, with its members in the order of the text.
    pub(super) fn table<'v, 'd>(
        &mut self,
        value: &'v TomlValue<'d>,
        what: &str,
    ) -> Vec<(&'v Spanned<std::borrow::Cow<'d, str>>, &'v TomlValue<'d>)> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong(value, what, "a table");
            return Vec::new();
        };
        let mut members: Vec<_> = table.iter().collect();
        members.sort_by_key(|(key, _)| key.span().start);
        members
    }

    pub(super) fn path(&mut self, value: &TomlValue<'_>, what: &str) -> Option<NodePath> {
        let text = self.text(value, what)?;
        match NodePath::parse(&text) {
            Ok(path) => Some(path),
            Err(error) => {
                self.notation(&value.span(), &text, error);
                None
            }
        }
    }

    /// A path to one datum.
    pub(super) fn single_path(&mut self, value: &TomlValue<'_>, what: &str) -> Option<NodePath> {
        let path = self.path(value, what)?;
        if !path.is_single() {
            self.error(
                value.span(),
                format!("{what} is {path}, which names several data"),
                "a path without * here",
            );
            return None;
        }
        self.need_path(path.clone(), &value.span());
        Some(path)
    }

    /// Remembers a path to what some case must have.
    pub(super) fn need_path(&mut self, path: NodePath, span: &Range<usize>) {
        let written = self.written(path, span);
        self.paths.push(written);
    }

    /// A path with its place.
    pub(super) fn written(&self, path: NodePath, span: &Range<usize>) -> WrittenPath {
        let place = self.text.locate(Diagnostic::at(span.start as u32, "")).place;
        WrittenPath { path, place }
    }

    /// The paths that were read since the last call.
    pub(super) fn take_paths(&mut self) -> Vec<WrittenPath> {
        std::mem::take(&mut self.paths)
    }

    /// Forgets the path that was read last: nothing has to exist there.
    pub(super) fn forget_path(&mut self) {
        self.paths.pop();
    }

    /// Reports a fault inside a string.
    pub(super) fn notation(&mut self, span: &Range<usize>, text: &str, error: NotationError) {
        // In a string without escapes, the fault has a place of its own.
        let inside = span.start + 1;
        let is_plain = self.text.as_str().get(inside..inside + text.len()) == Some(text);
        let at = if is_plain { inside + error.at } else { span.start };
        self.error(at..at, error.what, error.expected);
    }
}
