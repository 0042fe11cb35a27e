//! The two published documents on their own: metadata, and a stream of snapshots.

use std::sync::Arc;

use super::lexical::{self, Number};
use super::{program, snapshot};
use crate::formats::fields::{Diagnostics, Strictness};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, Program, Severity, Value};
use crate::text::json::{Document, JsonDatum, JsonNode};

/// The maximum depth of a document.
const MAX_DEPTH: usize = 128;

/// The maximum number of errors that are reported for a document or a stream.
const MAX_ERRORS: usize = 20;

/// One of the two documents on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bare {
    /// A program.
    Metadata,
    /// A state.
    Snapshot,
}

impl Bare {
    /// Which document it is, according to its `schema_version`; for an array, according to the first one.
    fn of(root: JsonNode<'_>) -> Option<Bare> {
        let document = if root.is_array() { root.items().next()? } else { root };
        let version = document.member("schema_version")?.text()?;
        let known = [("MiniC89.VM.Metadata.", Bare::Metadata), ("MiniC89.VM.Snapshot.", Bare::Snapshot)];
        known.into_iter().find(|(prefix, _)| version.starts_with(prefix)).map(|(_, bare)| bare)
    }

    /// Checks a document, or an array of them. Returns how many there are, and what is wrong or worth a note.
    fn check(self, root: JsonNode<'_>) -> (usize, Vec<Diagnostic<Origin>>) {
        let documents: Vec<_> = if root.is_array() { root.items().collect() } else { vec![root] };
        let mut diagnostics = Diagnostics::new(Strictness::Thorough, Severity::Error);
        // They are JSON: no comments, no trailing commas, no member twice.
        let whole = root.document();
        whole.deviations().iter().for_each(|deviation| diagnostics.error(deviation.diagnostic(whole)));
        for document in &documents {
            match self {
                Bare::Metadata => {
                    program::read(*document, &mut diagnostics);
                    without_source_map(*document, &mut diagnostics);
                }
                Bare::Snapshot => snapshot::complete(*document, &mut diagnostics),
            }
        }
        (documents.len(), diagnostics.finish())
    }
}

/// Notes each function without a source map, which the published specification strongly recommends.
fn without_source_map(program: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    let functions = program.member("functions").into_iter().flat_map(JsonNode::items);
    for function in functions.filter(|function| function.is_object()) {
        let map = function.member("source_map");
        if map.is_none_or(|map| map.items().next().is_none()) {
            let what = "this function has no source_map, which is strongly recommended";
            diagnostics.note(Diagnostic::at(function.at(), what).under(LintRule::MustMember));
        }
    }
}

/// Checks a text that is one of these documents, an array of them, or a stream of snapshots, one per line.
/// Returns how many there are, and what is wrong or worth a note; `None` for any other text.
pub fn check(text: &str) -> Option<(usize, Vec<Diagnostic<Origin>>)> {
    if let Ok(document) = Document::parse(text.to_owned(), MAX_DEPTH) {
        let root = document.root();
        return Bare::of(root).map(|bare| bare.check(root));
    }
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let first = Document::parse(first.to_owned(), MAX_DEPTH).ok()?;
    (Bare::of(first.root()) == Some(Bare::Snapshot)).then(|| check_stream(text))
}

fn check_stream(text: &str) -> (usize, Vec<Diagnostic<Origin>>) {
    let (mut count, mut start, mut found) = (0, 0, Vec::new());
    for line in text.split_inclusive('\n') {
        let diagnostics = match Document::parse(line.to_owned(), MAX_DEPTH) {
            _ if line.trim().is_empty() => Vec::new(),
            Ok(document) => Bare::Snapshot.check(document.root()).1,
            Err((_, diagnostic)) => vec![diagnostic],
        };
        found.extend(diagnostics.into_iter().map(|diagnostic| {
            let at = Origin(diagnostic.place.0 + start);
            diagnostic.with_place(at)
        }));
        count += usize::from(!line.trim().is_empty());
        start += line.len() as u32;
    }
    (count, found)
}

/// The program of a metadata document; `file` is its name in errors. An error has the violations of the published
/// schema and the rules for programs, each with its position; of very many, the first ones and their number.
pub fn metadata(file: &str, text: String) -> Result<Program, Vec<String>> {
    let document = parsed(file, text)?;
    let mut diagnostics = Diagnostics::new(Strictness::Tolerant, Severity::Error);
    let record = program::read(document.root(), &mut diagnostics);
    let errors = errors(file, &document, diagnostics);
    match record {
        Some(record) if errors.is_empty() => Ok(Program(Arc::new(record))),
        _ => Err(errors),
    }
}

/// The snapshots of a stream: one document, an array of them, or one per line. An error has all violations of the
/// published schema, each with its position.
pub fn snapshots(file: &str, text: &str) -> Result<Vec<Value>, Vec<String>> {
    if let Ok(document) = Document::parse(text.to_owned(), MAX_DEPTH) {
        let root = document.root();
        let nodes: Vec<_> = if root.is_array() { root.items().collect() } else { vec![root] };
        return read_all(nodes.into_iter().map(|node| read(file, &document, node)));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    read_all(lines.map(|(index, line)| {
        let file = format!("{file}, document in line {}", index + 1);
        let document = parsed(&file, line.to_owned())?;
        read(&file, &document, document.root())
    }))
}

fn read_all(all: impl Iterator<Item = Result<Value, Vec<String>>>) -> Result<Vec<Value>, Vec<String>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for snapshot in all {
        match snapshot {
            Ok(value) => values.push(value),
            Err(more) => errors.extend(more),
        }
        if errors.len() > MAX_ERRORS {
            break;
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

fn parsed(file: &str, text: String) -> Result<Document, Vec<String>> {
    Document::parse(text, MAX_DEPTH).map_err(|(text, diagnostic)| vec![text.locate(diagnostic).located(file)])
}

fn read(file: &str, document: &Document, node: JsonNode<'_>) -> Result<Value, Vec<String>> {
    let mut diagnostics = Diagnostics::new(Strictness::Tolerant, Severity::Error);
    snapshot::complete(node, &mut diagnostics);
    let errors = errors(file, document, diagnostics);
    if errors.is_empty() { Ok(value(node)) } else { Err(errors) }
}

fn errors(file: &str, document: &Document, diagnostics: Diagnostics) -> Vec<String> {
    let mut errors = diagnostics.finish();
    errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
    let more = errors.len().saturating_sub(MAX_ERRORS);
    errors.truncate(MAX_ERRORS);
    let located = errors.into_iter().map(|diagnostic| document.locate(diagnostic).located(file));
    located.chain((more > 0).then(|| format!("{file}: {more} more errors"))).collect()
}

fn value(node: JsonNode<'_>) -> Value {
    match node.datum() {
        JsonDatum::Null => Value::Null,
        JsonDatum::Bool(bool) => Value::Bool(bool),
        JsonDatum::Number(text) => match lexical::value(text) {
            Number::Integer(number) => Value::Int(number),
            Number::Fraction | Number::TooLong => Value::text(text),
        },
        JsonDatum::Text(text) => Value::text(text),
        JsonDatum::Array => Value::List(node.items().map(value).collect()),
        JsonDatum::Object => {
            let members = node.members();
            Value::record(members.map(|member| (member.key.into_owned(), value(member.value))))
        }
    }
}
