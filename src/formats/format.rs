//! The definition of a format, and the context in which cases are read.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

use super::fields::{Diagnostics, Strictness};
use super::files::{Files, NO_FILES, VectorFolder};
use super::fill::Fill;
use super::new_vector::MakeVector;
use super::write_back::{NotRepresentable, WrittenBack, WrongAssertion};
use crate::model::rule::LintRule;
use crate::model::{Case, Diagnostic, Origin, Severity};
use crate::text::edit::TextChange;
use crate::text::json::{DeviationKind, Document, JsonNode};

/// A vector format.
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// The machine of all its cases.
    pub machine: &'static str,
    /// What a file in this format looks like, as a noun: "an object of tests that have …".
    pub looks_like: &'static str,
    /// What distinguishes it from formats that look alike.
    pub distinguished_by: &'static str,
    /// The name of every file in this format, if its structure is not distinctive enough.
    pub file_name: Option<&'static str>,
    /// The evidence in the structure of a document that it has this format; `None` if there is none.
    pub evidence: &'static FindEvidence,
    /// Finds the cases of a document, in document order.
    pub outline: &'static FindCases,
    /// Reads one case that `outline` found. `None` if it is invalid; the diagnostics then say why.
    pub read: &'static ReadJsonCase,
    /// Checks the parts of the document outside its cases, which are those that `outline` found.
    pub rest: &'static CheckRest,
    /// Returns the changes that replace the expected value with the actual one.
    pub write_back: &'static WriteBack,
    /// Returns the changes that demand, with placeholder values, what the case could demand and does not. `None` if
    /// nothing is known to be missing in this format.
    pub fill: Option<&'static FillCase>,
    /// Finds the type that is written beside a value: where the type is demanded. `None` if a value says its type.
    pub type_beside: Option<fn(JsonNode<'_>) -> Option<JsonNode<'_>>>,
    /// The member of a case with what is known about the case and not compared; `None` if there is none.
    pub info: Option<&'static str>,
    /// Creates a vector file for a program; `None` if another format of the machine is preferred.
    pub make: Option<MakeVector>,
    /// All values that a vector can demand of the fields that say how a run ended.
    pub outcomes: fn() -> Vec<&'static str>,
    /// The severity of unknown members, comments and trailing commas: notes in formats of other projects,
    /// errors in vmconf's own.
    pub unknown: Severity,
    /// The severity of a duplicate key in an object.
    pub duplicate: Severity,
    /// A hash of the declaration that describes the format; `None` for a format of this program.
    pub declaration: Option<&'static str>,
    /// The group under which a case is counted, according to its name, such as a fork.
    pub group: fn(&str) -> Option<&str>,
    /// The folders from which a case may name files.
    pub folders: &'static [VectorFolder],
}

/// See [`Format::evidence`].
pub(super) type FindEvidence = dyn Fn(JsonNode<'_>) -> Option<Evidence> + Sync;

/// See [`Format::outline`].
pub(super) type FindCases = dyn Fn(JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> + Sync;

/// See [`Format::read`].
pub(super) type ReadJsonCase = dyn Fn(JsonNode<'_>, ReadContext<'_>, &mut Diagnostics) -> Option<Case> + Sync;

/// See [`Format::rest`].
pub(super) type CheckRest = dyn Fn(JsonNode<'_>, &[FileEntry], ReadContext<'_>, &mut Diagnostics) + Sync;

/// See [`Format::write_back`].
pub(super) type WriteBack = dyn for<'d> Fn(&WrongAssertion<'d, '_>) -> WrittenBack<'d> + Sync;

/// See [`Format::fill`].
pub(super) type FillCase = dyn for<'d> Fn(JsonNode<'d>) -> Fill<'d> + Sync;

/// Shows only the name.
impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name).finish()
    }
}

impl Format {
    /// The members of a format without peculiarities, for struct updates; the others must be replaced.
    pub(super) const BASE: Format = Format {
        name: "",
        machine: "",
        looks_like: "",
        distinguished_by: "",
        file_name: None,
        evidence: &|_| None,
        outline: &|_| Ok(Vec::new()),
        read: &|_, _, _| None,
        rest: &|_, _, _, _| {},
        write_back: &|_| Err(NotRepresentable::nothing()),
        fill: None,
        type_beside: None,
        info: None,
        make: None,
        outcomes: Vec::new,
        unknown: Severity::Note,
        duplicate: Severity::Error,
        declaration: None,
        group: |_| None,
        folders: &[],
    };

    /// Reads one case, with all errors and notes for its part of the document. [`FormatOptions`] serve as a context
    /// in which the case cannot name files.
    pub fn read_case<'c>(&self, case: JsonNode<'_>, context: impl Into<ReadContext<'c>>) -> FileReading {
        let context = context.into();
        let mut diagnostics = Diagnostics::new(context.options.strictness, self.unknown);
        let read = (self.read)(case, context, &mut diagnostics);
        let end = case.at() + case.raw().len() as u32;
        self.add_deviations(case.document(), case.at()..end, &mut diagnostics);
        let unsupported = diagnostics.take_unsupported();
        let count = diagnostics.count();
        let diagnostics = diagnostics.finish();
        let stopped = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        let unsupported = unsupported.filter(|_| !stopped);
        FileReading { case: if stopped { None } else { read }, unsupported, diagnostics, count }
    }

    /// The change that sets a member of what is known about a case and not compared ([`Format::info`]); `None` if the
    /// format has no place for that, or if the member has this value.
    pub fn info_change<'d>(&self, case: JsonNode<'d>, key: &str, value: Json) -> Option<TextChange<'d>> {
        let info = self.info?;
        let insert = |into: JsonNode<'d>, key: &str, value| {
            let before = into.members().count();
            Some(TextChange::Insert { into, before, key: Some(key.to_owned()), value })
        };
        let Some(info_node) = case.member(info) else {
            return insert(case, info, serde_json::json!({ key: value }));
        };
        match info_node.member(key) {
            None if info_node.is_object() => insert(info_node, key, value),
            Some(node) if serde_json::from_str(node.raw()).ok().as_ref() != Some(&value) => {
                Some(TextChange::Replace { node, value })
            }
            _ => None,
        }
    }

    /// As much of a case as can be read, in spite of errors.
    pub fn read_partial(&self, case: JsonNode<'_>, context: ReadContext<'_>) -> Option<Case> {
        (self.read)(case, context, &mut Diagnostics::new(context.options.strictness, self.unknown))
    }

    /// What is wrong or worth a note outside the cases of a document, and in the folders that it may read.
    pub fn read_rest<'c>(
        &self,
        document: &Document,
        entries: &[FileEntry],
        context: impl Into<ReadContext<'c>>,
    ) -> Vec<Diagnostic<Origin>> {
        let context = context.into();
        let mut diagnostics = Diagnostics::new(context.options.strictness, self.unknown);
        (self.rest)(document.root(), entries, context, &mut diagnostics);
        if !document.deviations().is_empty() {
            let mut from = 0;
            for entry in entries {
                let case = JsonNode::at_index(document, entry.node);
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

/// What is said of a vector file without a case.
pub(crate) fn no_cases(document: &Document, severity: Severity) -> Diagnostic<Origin> {
    let what = "there is no case in this file";
    Diagnostic::at(document.root().at(), what).under(LintRule::NoCases).severity(severity)
}

/// A case that was found but not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The name that the file gives it.
    pub name: Arc<str>,
    /// The datum, for [`JsonNode::at_index`], that distinguishes it from all other cases of the document. Cases
    /// may share other data.
    pub node: u32,
}

/// A case that was read.
#[derive(Debug)]
pub struct FileReading {
    /// The case; `None` if one of the diagnostics is an error, or if it is not supported.
    pub case: Option<Case>,
    /// Why the case is not supported: it is well-formed, and no machine here can run it.
    pub unsupported: Option<String>,
    /// The errors and notes that are listed, in document order.
    pub diagnostics: Vec<Diagnostic<Origin>>,
    /// How many errors and notes there are, also those that are not listed.
    pub count: usize,
}

/// The user's options for reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FormatOptions {
    /// How strictly to treat unknown input, and rules of the specification that real files break.
    pub strictness: Strictness,
    /// Whether recorded calls reduce the balance by their value, in VMTests.
    pub value_debit: ValueDebit,
}

/// The context in which a case is read.
#[derive(Clone, Copy)]
pub struct ReadContext<'c> {
    /// The user's options.
    pub options: FormatOptions,
    /// The files that the case may name.
    pub files: &'c dyn Files,
    /// The data that the cases of the file share; `None` to read it anew for each case.
    pub shared: Option<&'c SharedFile>,
}

impl ReadContext<'_> {
    /// The data that the cases of a file share, read once. A format always reads the same type. `read` must
    /// not open other files, since it would be unknown for which case.
    pub(crate) fn shared<T: Send + Sync + 'static>(&self, read: impl Fn() -> T) -> Arc<T> {
        let known = self.shared.map(|shared| shared.0.get_or_init(|| Arc::new(read())).clone());
        known.and_then(|known| known.downcast().ok()).unwrap_or_else(|| Arc::new(read()))
    }
}

/// The data that the cases of one file share, once it has been read.
#[derive(Default)]
pub struct SharedFile(OnceLock<Arc<dyn Any + Send + Sync>>);

impl From<FormatOptions> for ReadContext<'_> {
    fn from(options: FormatOptions) -> Self {
        ReadContext { options, files: &NO_FILES, shared: None }
    }
}

/// Whether a recorded call or creation in a VMTests vector reduces the executing account's balance by its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ValueDebit {
    /// Only if `exec.gas` is written in decimal digits, as in the files of 2015 that expect this.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Evidence that a document has a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Where it was seen.
    pub at: u32,
    /// What was seen, as a noun.
    pub what: &'static str,
}
