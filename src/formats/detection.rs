//! Which format a document has: the one whose members it has.

use std::fmt;

use indexmap::IndexSet;

use super::FORMATS;
use super::ethereum_json;
use super::format::{Evidence, Format};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::file_name::uncompressed_name;
use crate::text::json::{Document, JsonNode, quoted};
use crate::text::suggest::nearest;

/// Why a document's format is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDetected {
    /// No format recognises the document.
    None {
        /// What was seen instead.
        seen: String,
    },
    /// It has a known format that vmconf cannot read.
    Unsupported {
        /// The tests in it, and what could read them.
        what: &'static str,
    },
    /// More than one format recognises the document.
    Several(Vec<SeenFormat>),
}

/// A format that a document looks like, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenFormat {
    /// The format's name.
    pub name: &'static str,
    /// What distinguishes it from formats that look alike.
    pub distinguished_by: &'static str,
    /// What was seen, as a noun.
    pub what: &'static str,
    /// The line where it was seen.
    pub line: u32,
}

impl SeenFormat {
    /// The evidence that the document has the format.
    pub fn new(format: &Format, evidence: Evidence, document: &Document) -> SeenFormat {
        SeenFormat {
            name: format.name,
            distinguished_by: format.distinguished_by,
            what: evidence.what,
            line: document.position(evidence.at).line,
        }
    }
}

impl fmt::Display for NotDetected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDetected::None { seen } => write!(f, "not a vector file: {seen}"),
            NotDetected::Unsupported { what } => {
                write!(f, "this is a file of {what}")
            }
            NotDetected::Several(found) => {
                let one = |seen: &SeenFormat| format!("{} ({}, line {})", seen.name, seen.what, seen.line);
                let found: Vec<_> = found.iter().map(one).collect();
                write!(f, "several formats look like this: {}", found.join(" and "))
            }
        }
    }
}

/// What is wrong with a document that is like vmconf's own files, with tests and the name of a machine, and whose machine
/// has no format; `None` for another document.
pub fn unknown_machine(document: &Document) -> Option<Diagnostic<Origin>> {
    let machine = document.root().member("machine")?;
    let name = machine.text()?;
    // Reports of other programs have machines and tests, too.
    let has_tests = document.root().member("tests")?.items().next().is_some_and(|test| {
        ["script", "steps", "instructions", "driver", "args", "trace", "expect"]
            .iter()
            .any(|name| test.member(name).is_some())
    });
    let named = FORMATS.iter().filter(|format| names_its_machine(format));
    let known: IndexSet<_> = named.map(|format| format.machine).collect();
    let what = format!("\"machine\" is {}", quoted(&name));
    let expected = known.iter().copied().collect::<Vec<_>>().join(", ");
    let unknown = Diagnostic::at(machine.at(), what).expected(expected).suggest(nearest(&name, known));
    has_tests.then(|| unknown.under(LintRule::UnknownName))
}

/// Whether the name of its machine is evidence for a format.
fn names_its_machine(format: &Format) -> bool {
    let named = serde_json::json!({ "machine": format.machine }).to_string();
    Document::parse(named, 1).is_ok_and(|named| (format.evidence)(named.root()).is_some())
}

impl NotDetected {
    /// What the document should look like.
    pub fn expected(&self) -> String {
        match self {
            NotDetected::None { .. } | NotDetected::Unsupported { .. } => {
                let mut each: Vec<_> = FORMATS.iter().map(|format| format.looks_like).collect();
                each.dedup();
                format!("{}, or a file of a family; --family NAME says what it lacks", each.join(", or "))
            }
            NotDetected::Several(found) => {
                let one = |seen: &SeenFormat| format!("for {} {}", seen.name, seen.distinguished_by);
                let each: Vec<_> = found.iter().map(one).collect();
                let is_built_in = |seen: &SeenFormat| FORMATS.iter().any(|format| format.name == seen.name);
                let otherwise = if found.iter().any(is_built_in) {
                    "--format NAME"
                } else {
                    "an [[override]] in vmconf.toml with family = \"NAME\""
                };
                format!("{}; or {otherwise}", each.join("; "))
            }
        }
    }
}

/// The format that the document looks like, and the evidence. `file_name` is the last part of the path of its file.
/// Fails if no format or more than one recognises the document.
pub fn detect(document: &Document, file_name: &str) -> Result<(&'static Format, Evidence), NotDetected> {
    if let Some(what) = unsupported(document.root()) {
        return Err(NotDetected::Unsupported { what });
    }
    let file_name = uncompressed_name(file_name).unwrap_or(file_name);
    let look = |format: &'static Format| {
        let named = format.file_name.is_none_or(|name| name == file_name);
        Some((format, (format.evidence)(document.root()).filter(|_| named)?))
    };
    let mut found = FORMATS.iter().filter_map(look);
    match (found.next(), found.next()) {
        (None, _) => match FORMATS.iter().find(|format| format.file_name == Some(file_name)) {
            // If a file with that name is invalid, its format reports why.
            Some(format) => Ok((format, Evidence { at: document.root().at(), what: "its name" })),
            None => Err(NotDetected::None { seen: describe(document.root()) }),
        },
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => {
            let seen = |(format, evidence)| SeenFormat::new(format, evidence, document);
            Err(NotDetected::Several([one, other].into_iter().chain(found).map(seen).collect()))
        }
    }
}

/// If this is an Ethereum format that vmconf knows but cannot read, the tests in it. A file that has state tests as
/// well is read; their format reports the others.
fn unsupported(root: JsonNode<'_>) -> Option<&'static str> {
    let has_state_tests = root.members().any(|test| ethereum_json::is_state_test(test.value));
    if !has_state_tests {
        root.members().find_map(|test| ethereum_json::other_test(test.value))
    } else if cfg!(not(feature = "ethereum")) {
        Some("Ethereum state tests, which need a vmconf that was built with the feature ethereum")
    } else {
        None
    }
}

/// The outermost structure in a few words.
fn describe(root: JsonNode<'_>) -> String {
    const SHOWN: usize = 5;
    if !root.is_object() {
        return root.type_name().to_owned();
    }
    let keys: Vec<_> = root.members().take(SHOWN + 1).map(|member| quoted(&member.key)).collect();
    match keys.len() {
        0 => "an empty object".to_owned(),
        count if count > SHOWN => format!("an object with {}, …", keys[..SHOWN].join(", ")),
        _ => format!("an object with {}", keys.join(", ")),
    }
}
