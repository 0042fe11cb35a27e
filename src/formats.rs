//! The list of formats, and how a file's format is recognised.
//!
//! A format turns a document into cases; it never executes anything. It does so in two stages:
//! [`Format::outline`] finds the cases and their names, [`Format::read`] reads one. So a file of many
//! thousand cases is listed quickly, its cases are read by many threads, and a malformed case does not affect
//! the others.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::fields::Diagnostics;
use self::files::NO_FILES;
use crate::model::case::Case;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::position::Origin;
use crate::text::json::{DeviationKind, Document, Node};

mod accounts;
mod envelope;
mod ethereum_json;
pub mod fields;
mod files;
pub mod minic89;
pub mod nef;
pub mod neovm;
mod new_vector;
#[cfg(feature = "ethereum")]
pub mod statetest;
pub mod tinyvm;
pub mod uncompared;
pub mod vmtests;
mod write_back;

pub use files::{Files, Folder, NoFiles, Unreadable};
pub use new_vector::{Field, Inputs, MakeVector, NewVector};
pub use write_back::{FailedAssertion, NotRepresentable, WrittenBack};

/// A published way to write vectors.
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// The machine of all its cases.
    pub machine: &'static str,
    /// What a file of it looks like, as a noun: "an object of tests that have …".
    pub looks_like: &'static str,
    /// What distinguishes it from formats that look alike.
    pub distinguished_by: &'static str,
    /// What every file of it is called, where its structure alone does not show it.
    pub file_name: Option<&'static str>,
    /// What shows that the document is one, by its structure; `None` if nothing does.
    pub evidence: fn(Node<'_>) -> Option<Evidence>,
    /// The cases of a document in its order.
    pub outline: fn(Node<'_>) -> Result<Vec<Entry>, Diagnostic<Origin>>,
    /// Reads one case that `outline` found. `None` when something is wrong with it, which is then
    /// among the diagnostics.
    pub read: fn(Node<'_>, Context<'_>, &mut Diagnostics) -> Option<Case>,
    /// Checks the parts of the document outside its cases.
    pub rest: fn(Node<'_>, Context<'_>, &mut Diagnostics),
    /// The changes that write the actual value in place of the expected one.
    pub write_back: for<'d> fn(&FailedAssertion<'d, '_>) -> WrittenBack<'d>,
    /// Makes a file of a program that is in no file; `None` for a format whose machine has a better one.
    pub make: Option<MakeVector>,
    /// The fields of the state that say how a run ended, not what it computed.
    pub ends: &'static [&'static str],
    /// How bad unknown members, comments and trailing commas are: notes in formats of other projects,
    /// errors in our own.
    pub unknown: Severity,
    /// How bad it is that an object has a key twice.
    pub duplicate: Severity,
    /// What the name of a case says that it is counted under, such as a fork.
    pub group: fn(&str) -> Option<&str>,
    /// The folders whose files a case may name.
    pub folders: &'static [Folder],
}

impl Format {
    /// Reads one case, with all errors and notes for its part of the document. [`Options`] do for a context
    /// where the case can name no files.
    pub fn read_case<'c>(&self, case: Node<'_>, context: impl Into<Context<'c>>) -> Reading {
        let context = context.into();
        let mut diagnostics = Diagnostics::new(context.options.strictness, self.unknown);
        let read = (self.read)(case, context, &mut diagnostics);
        let end = case.at() + case.raw().len() as u32;
        self.add_deviations(case.document(), case.at()..end, &mut diagnostics);
        let skip = diagnostics.take_skip();
        let diagnostics = diagnostics.finish();
        let stopped = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        Reading { case: if stopped { None } else { read }, skip: skip.filter(|_| !stopped), diagnostics }
    }

    /// As much of a case as can be read, whatever is wrong with it.
    pub fn read_partial(&self, case: Node<'_>, context: Context<'_>) -> Option<Case> {
        (self.read)(case, context, &mut Diagnostics::new(context.options.strictness, self.unknown))
    }

    /// What is wrong or worth a note between the cases of a document, and in the folders that it may read.
    pub fn read_rest<'c>(
        &self,
        document: &Document,
        entries: &[Entry],
        context: impl Into<Context<'c>>,
    ) -> Vec<Diagnostic<Origin>> {
        let context = context.into();
        let mut diagnostics = Diagnostics::new(context.options.strictness, self.unknown);
        (self.rest)(document.root(), context, &mut diagnostics);
        if !document.deviations().is_empty() {
            let mut from = 0;
            for entry in entries {
                let case = Node::at_index(document, entry.node);
                self.add_deviations(document, from..case.at(), &mut diagnostics);
                from = case.at() + case.raw().len() as u32;
            }
            self.add_deviations(document, from..u32::MAX, &mut diagnostics);
        }
        diagnostics.finish()
    }

    fn add_deviations(&self, document: &Document, range: Range<u32>, diagnostics: &mut Diagnostics) {
        let deviations = document.deviations();
        let first = deviations.partition_point(|deviation| deviation.at < range.start);
        for deviation in deviations[first..].iter().take_while(|deviation| deviation.at < range.end) {
            let severity = match deviation.kind {
                DeviationKind::DuplicateKey(_) => self.duplicate,
                DeviationKind::Comment | DeviationKind::TrailingComma => self.unknown,
            };
            match severity {
                Severity::Note | Severity::Warning => diagnostics.note(deviation.diagnostic(document)),
                Severity::Error => diagnostics.error(deviation.diagnostic(document)),
            }
        }
    }
}

/// Every format.
pub static FORMATS: &[Format] = &[
    vmtests::FORMAT,
    neovm::N3,
    neovm::V2,
    tinyvm::FORMAT,
    tinyvm::TESTCASES,
    minic89::FORMAT,
    #[cfg(feature = "ethereum")]
    statetest::FORMAT,
];

/// A case that was found and not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name that the file gives it.
    pub name: String,
    /// Its datum, for [`Node::at_index`]: what distinguishes it from all other cases of the document, also
    /// where they have further data in common.
    pub node: u32,
}

/// A case that was read.
#[derive(Debug)]
pub struct Reading {
    /// The case; `None` when one of the diagnostics is an error, or when it is skipped.
    pub case: Option<Case>,
    /// Why the case is skipped: it is well-formed, and no machine here can run it.
    pub skip: Option<String>,
    /// All errors and notes, in document order.
    pub diagnostics: Vec<Diagnostic<Origin>>,
}

/// What the user can decide about reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether notes are errors, and rules of a format's text are held against it that files break.
    pub strictness: Strictness,
    /// Whether recorded calls take their value off the balance, in VMTests.
    pub value_debit: ValueDebit,
}

/// What a case is read with.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// What the user decided.
    pub options: Options,
    /// The files that the case may name.
    pub files: &'c dyn Files,
    /// What the cases of the file have in common; `None` to read it again for each.
    pub shared: Option<&'c Shared>,
}

impl Context<'_> {
    /// What the cases of a file have in common, read once. A format always reads the same type. `read`
    /// must not open other files: it would be unknown for which case.
    pub(crate) fn shared<T: Send + Sync + 'static>(&self, read: impl Fn() -> T) -> Arc<T> {
        let known = self.shared.map(|shared| shared.0.get_or_init(|| Arc::new(read())).clone());
        known.and_then(|known| known.downcast().ok()).unwrap_or_else(|| Arc::new(read()))
    }
}

/// What the cases of one file have in common, once it was read.
#[derive(Default)]
pub struct Shared(OnceLock<Arc<dyn Any + Send + Sync>>);

impl From<Options> for Context<'_> {
    fn from(options: Options) -> Self {
        Context { options, files: &NO_FILES, shared: None }
    }
}

/// How bad things are that a format does not know, and breaches of its text that can be read all the
/// same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// The former are notes, the latter are ignored.
    #[default]
    Tolerant,
    /// Both are warnings, as are probable mistakes: `vmconf check` reports them, a run does not.
    Thorough,
    /// Both are errors.
    Strict,
}

/// Whether a recorded call or creation of a VMTests vector takes its value off the executing
/// account's balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueDebit {
    /// If `exec.gas` is written in decimal digits, as in the files of 2015 that expect it.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// What shows that a document is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Where it was seen.
    pub at: u32,
    /// What was seen, as a noun.
    pub what: &'static str,
}

/// Why a document's format is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRecognised {
    /// No format looks like this.
    None {
        /// What was seen instead.
        seen: String,
    },
    /// It is of a format that is known and cannot be read.
    Unsupported {
        /// What it is, and what could read it.
        what: &'static str,
    },
    /// More than one does.
    Several(Vec<Seen>),
}

/// A format that a document looks like, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The format's name.
    pub name: &'static str,
    /// What distinguishes it from formats that look alike.
    pub distinguished_by: &'static str,
    /// What was seen, as a noun.
    pub what: &'static str,
    /// In which line.
    pub line: u32,
}

impl Seen {
    /// What shows that the document is of the format.
    pub fn new(format: &Format, evidence: Evidence, document: &Document) -> Seen {
        Seen {
            name: format.name,
            distinguished_by: format.distinguished_by,
            what: evidence.what,
            line: document.position(evidence.at).line,
        }
    }
}

impl fmt::Display for NotRecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRecognised::None { seen } => write!(f, "no vector format looks like this: {seen}"),
            NotRecognised::Unsupported { what } => {
                write!(f, "this is {what}")
            }
            NotRecognised::Several(found) => {
                let one = |seen: &Seen| format!("{} ({}, line {})", seen.name, seen.what, seen.line);
                let found: Vec<_> = found.iter().map(one).collect();
                write!(f, "several formats look like this: {}", found.join(" and "))
            }
        }
    }
}

impl NotRecognised {
    /// What the document would have to look like.
    pub fn expected(&self) -> String {
        match self {
            NotRecognised::None { .. } | NotRecognised::Unsupported { .. } => {
                let mut each: Vec<_> = FORMATS.iter().map(|format| format.looks_like).collect();
                each.dedup();
                each.join(", or ")
            }
            NotRecognised::Several(found) => {
                let one = |seen: &Seen| format!("for {} {}", seen.name, seen.distinguished_by);
                let each: Vec<_> = found.iter().map(one).collect();
                format!("{}; or --format NAME", each.join("; "))
            }
        }
    }
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format in which vectors of this machine are made.
pub fn made_for(machine: &str) -> Option<(&'static Format, &'static MakeVector)> {
    let made = |format: &'static Format| Some((format, format.make.as_ref()?));
    FORMATS.iter().filter(|format| format.machine == machine).find_map(made)
}

/// The format that the document looks like, and what shows it. `file_name` is the last part of the
/// path of its file.
///
/// # Errors
///
/// When no format or more than one recognises the document.
pub fn recognise(document: &Document, file_name: &str) -> Result<(&'static Format, Evidence), NotRecognised> {
    if let Some(what) = unsupported(document.root()) {
        return Err(NotRecognised::Unsupported { what });
    }
    let look = |format: &'static Format| {
        let named = format.file_name.is_none_or(|name| name == file_name);
        Some((format, (format.evidence)(document.root()).filter(|_| named)?))
    };
    let found: Vec<_> = FORMATS.iter().filter_map(look).collect();
    match found[..] {
        [] => match FORMATS.iter().find(|format| format.file_name == Some(file_name)) {
            // What is wrong with a file of that name is for its format to say.
            Some(format) => Ok((format, Evidence { at: document.root().at(), what: "its name" })),
            None => Err(NotRecognised::None { seen: describe(document.root()) }),
        },
        [one] => Ok(one),
        _ => {
            let seen = found.iter().map(|(format, evidence)| Seen::new(format, *evidence, document));
            Err(NotRecognised::Several(seen.collect()))
        }
    }
}

/// A format of Ethereum that is known and cannot be read: what it is, by the members of its tests.
fn unsupported(root: Node<'_>) -> Option<&'static str> {
    let any = |holds: fn(Node<'_>) -> bool| root.members().any(|test| holds(test.value));
    if any(|test| test.member("blocks").is_some()) {
        Some("a file of Ethereum blockchain tests, which vmconf does not read")
    } else if any(|test| test.member("engineNewPayloads").is_some()) {
        Some("a file of Ethereum engine tests, which vmconf does not read")
    } else if any(|test| test.member("txbytes").is_some()) {
        Some("a file of Ethereum transaction tests, which vmconf does not read")
    } else if cfg!(not(feature = "ethereum")) && any(is_state_test) {
        Some("a file of Ethereum state tests, which need a vmconf that was built with the feature ethereum")
    } else {
        None
    }
}

/// Whether a test is an Ethereum state test: it has a `transaction`, and no `exec`.
fn is_state_test(test: Node<'_>) -> bool {
    let has = |name| test.member(name).is_some();
    has("transaction") && (has("pre") || has("post")) && !has("exec")
}

/// The outermost structure in a few words.
fn describe(root: Node<'_>) -> String {
    const SHOWN: usize = 5;
    if !root.is_object() {
        return root.type_name().to_owned();
    }
    let keys: Vec<_> =
        root.members().take(SHOWN + 1).map(|member| crate::text::json::quoted(&member.key)).collect();
    match keys.len() {
        0 => "an empty object".to_owned(),
        count if count > SHOWN => format!("an object with {}, …", keys[..SHOWN].join(", ")),
        _ => format!("an object with {}", keys.join(", ")),
    }
}
