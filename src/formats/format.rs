//! What a format is, and what its cases are read with.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::fields::{Diagnostics, Strictness};
use super::files::{Files, Folder, NO_FILES};
use super::new_vector::MakeVector;
use super::write_back::{FailedAssertion, WrittenBack};
use crate::model::case::Case;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::position::Origin;
use crate::text::json::{DeviationKind, Document, Node};

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

/// A case that was found and not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name that the file gives it.
    pub name: Arc<str>,
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
