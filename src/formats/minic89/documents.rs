//! The two published documents by themselves: metadata, and a stream of snapshots.

use std::sync::Arc;

use super::lexical::{self, Number};
use super::{program, snapshot};
use crate::formats::fields::Diagnostics;
use crate::formats::{Severity, Strictness};
use crate::model::case::Program;
use crate::model::value::Value;
use crate::text::json::{Datum, Document, Node};

/// The deepest document.
const DEEPEST: usize = 128;

/// The most errors of a stream that are reported.
const MOST: usize = 20;

/// The program of a metadata document; `file` is its name in errors.
///
/// # Errors
///
/// What the published schema and the rules for programs do not allow, each with its place.
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

/// The snapshots of a stream: one document, an array of them, or one in each line.
///
/// # Errors
///
/// What the published schema does not allow, each with its place.
pub fn snapshots(file: &str, text: String) -> Result<Vec<Value>, Vec<String>> {
    if let Ok(document) = Document::parse(text.clone(), DEEPEST) {
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
        if errors.len() > MOST {
            break;
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

fn parsed(file: &str, text: String) -> Result<Document, Vec<String>> {
    Document::parse(text, DEEPEST).map_err(|(text, diagnostic)| vec![text.locate(diagnostic).located(file)])
}

fn read(file: &str, document: &Document, node: Node<'_>) -> Result<Value, Vec<String>> {
    let mut diagnostics = Diagnostics::new(Strictness::Tolerant, Severity::Error);
    snapshot::complete(node, &mut diagnostics);
    let errors = errors(file, document, diagnostics);
    if errors.is_empty() { Ok(value(node)) } else { Err(errors) }
}

fn errors(file: &str, document: &Document, diagnostics: Diagnostics) -> Vec<String> {
    let errors = diagnostics.finish().into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|diagnostic| document.locate(diagnostic).located(file)).collect()
}

fn value(node: Node<'_>) -> Value {
    match node.datum() {
        Datum::Null => Value::Null,
        Datum::Bool(bool) => Value::Bool(bool),
        Datum::Number(text) => match lexical::value(text) {
            Number::Integer(number) => Value::Int(number),
            Number::Fraction | Number::TooLong => Value::text(text),
        },
        Datum::Text(text) => Value::text(text),
        Datum::Array => Value::List(node.items().map(value).collect()),
        Datum::Object => {
            let members = node.members();
            Value::Record(members.map(|member| (member.key.into_owned(), value(member.value))).collect())
        }
    }
}
