//! Looking for faults in vector files without running them.
//!
//! A file is read as for a run, but so that the reader tells everything: what `run` refuses is an
//! error, what `run --strict` refuses besides is a warning, as is whatever is right and hardly
//! meant. The readers accept nothing that the JSON Schemas in `schemas/` reject, which tests show;
//! so files are not validated against those as well. What only a machine knows is found by loading
//! each program; nothing is executed.

use std::ops::Range;
use std::sync::Arc;

use self::program::Inspection;
use crate::formats::{self, Context, Finding, Format, Reading, Severity, Shared, Strictness};
use crate::model::case::{Case, CaseId, Step};
use crate::model::limits::Limits;
use crate::model::rule::Rule;
use crate::run::sources::Source;
use crate::run::{
    Cases, Content, FileError, FileOptions, Options, VectorFiles, Worker, catch_panic, identify, read_text,
    select,
};
use crate::text::json::{Datum, Document, Node, Problem, Remedy};

mod cursor;
pub mod fix;
pub mod output;
mod program;
mod sarif;
mod text;

/// What was found in a file.
#[derive(Debug)]
pub struct Checked {
    /// The file as messages name it.
    pub file: Arc<str>,
    /// Its text; `None` where it cannot be read.
    pub text: Option<String>,
    /// How many cases were looked at.
    pub cases: usize,
    /// All that was found, in document order.
    pub diagnostics: Vec<LintFinding>,
}

/// Something that is wrong with a file, or hardly meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// How bad it is.
    pub severity: Severity,
    /// What and where.
    pub problem: Problem,
    /// The change of the text that makes it right, where one does without changing any meaning.
    pub edit: Option<Edit>,
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place.
    pub with: String,
}

/// Checks files one after the other.
pub struct Checker<'o> {
    options: &'o Options,
    worker: Worker<'o>,
}

impl<'o> Checker<'o> {
    /// A checker that reads as these options say. Where they say to be strict, warnings are errors.
    pub fn new(options: &'o Options) -> Checker<'o> {
        Checker { options, worker: Worker::new(&options.run) }
    }

    /// Everything that is wrong with a file.
    pub fn check(&mut self, source: &Source) -> Checked {
        match read_text(source, self.options.for_file(source)) {
            Ok(text) => self.check_text(source, text),
            Err(error) => unreadable(source, error),
        }
    }

    /// Everything that would be wrong with a file if this were its text.
    pub fn check_text(&mut self, source: &Source, text: String) -> Checked {
        let options = self.options.for_file(source);
        match identify(source, text, options) {
            Err(error) => unreadable(source, error),
            Ok(Content::Other(document, why)) => {
                let problem = Problem::bare(document.root().at(), why).under(Rule::NotAVector);
                let finding = Finding { severity: Severity::Note, problem };
                Checked::new(source, Some(document.into_text()), vec![LintFinding::new(finding, None)])
            }
            Ok(Content::Vectors(document, format)) => self.check_vectors(source, document, format, options),
        }
    }

    fn check_vectors(
        &mut self,
        source: &Source,
        document: Document,
        format: &'static Format,
        options: &FileOptions,
    ) -> Checked {
        let read = formats::Options { strictness: Strictness::Thorough, ..options.read };
        let mut found = Vec::new();
        let entries = (format.outline)(document.root()).unwrap_or_else(|problem| {
            found.push(Finding { severity: Severity::Error, problem });
            Vec::new()
        });
        found.extend(format.read_rest(&document, &entries, read));
        let mut cases = Cases::new(source, options, document, format, entries);
        select(&mut cases, &self.options.run);
        let Cases { document, entries, .. } = cases;
        let files = VectorFiles::new(&source.path, format.folders);
        // In some formats it is an error, which the reader tells.
        let names_are_told = found.iter().any(|finding| finding.problem.rule == Rule::DuplicateName);
        let shared = Shared::default();
        let context = Context { options: read, files: &files, shared: Some(&shared) };
        for (index, (id, entry)) in entries.iter().enumerate() {
            let node = Node::at_index(&document, entry.node);
            found.extend(repeated(id, node).filter(|_| !names_are_told));
            found.extend(self.check_case(node, index, format, context, &options.limits));
        }
        found.sort_by_key(|finding| finding.problem.at);
        let diagnostics = found.into_iter();
        let diagnostics =
            diagnostics.map(|finding| LintFinding::new(promoted(finding, options), Some(&document)));
        let diagnostics = diagnostics.collect();
        Checked { cases: entries.len(), ..Checked::new(source, Some(document.into_text()), diagnostics) }
    }

    /// All that is wrong with a case, which is the one of this number among those that are meant.
    fn check_case(
        &mut self,
        node: Node<'_>,
        index: usize,
        format: &Format,
        context: Context<'_>,
        limits: &Limits,
    ) -> Vec<Finding> {
        let Reading { case, mut findings } = match catch_panic(|| format.read_case(node, context)) {
            Ok(reading) => reading,
            Err(panic) => {
                let what = format!("the reader of {} panicked: {panic}", format.name);
                return vec![internal(node.at(), what)];
            }
        };
        let Some(case) = case else { return findings };
        let inspection = Inspection::new(&case, node);
        if index == 0 {
            // What is odd about a program that all cases share is told once.
            findings.extend(inspection.odd());
        }
        match self.worker.with_testee(case.machine, limits, |testee| inspection.inspect(testee)) {
            Ok(found) => findings.extend(found),
            Err(what) => findings.push(internal(node.at(), what)),
        }
        let is_told = |finding: &Finding| finding.problem.rule == Rule::NothingCompared;
        if !findings.iter().any(is_told) {
            findings.extend(without_checks(&case, node));
        }
        findings
    }
}

/// Where a file is read strictly, a warning is an error.
fn promoted(finding: Finding, options: &FileOptions) -> Finding {
    match (options.read.strictness, finding.severity) {
        (Strictness::Strict, Severity::Warning) => Finding { severity: Severity::Error, ..finding },
        _ => finding,
    }
}

fn unreadable(source: &Source, error: FileError) -> Checked {
    let finding = Finding { severity: Severity::Error, problem: error.problem };
    Checked::new(source, error.text, vec![LintFinding::new(finding, None)])
}

fn internal(at: u32, what: String) -> Finding {
    Finding { severity: Severity::Error, problem: Problem::bare(at, what).under(Rule::Internal) }
}

/// That a further test has the name of one before. Names that are keys of an object are found when
/// the document is read.
fn repeated(id: &CaseId, test: Node<'_>) -> Option<Finding> {
    if id.nth == 1 {
        return None;
    }
    let place = match test.datum() {
        Datum::Object => test.members().find(|member| member.key.eq_ignore_ascii_case("name"))?.value,
        _ => test,
    };
    let what = format!("a test before has this name; this one's id is {id}");
    Some(warning(Problem::bare(place.at(), what).under(Rule::DuplicateName)))
}

/// That the last thing that a case does leads to nothing.
fn without_checks(case: &Case, test: Node<'_>) -> Option<Finding> {
    let compares = |step: &Step| step.end.is_some() || !step.assertions.is_empty();
    let what = match &case.steps[..] {
        [.., last] if compares(last) => return None,
        [_, _, ..] => "after the last step, nothing is compared",
        _ => "nothing is compared",
    };
    Some(warning(Problem::bare(test.at(), what).under(Rule::NothingCompared)))
}

fn warning(problem: Problem) -> Finding {
    Finding { severity: Severity::Warning, problem }
}

impl Checked {
    fn new(source: &Source, text: Option<String>, diagnostics: Vec<LintFinding>) -> Checked {
        Checked { file: source.shown.clone(), text, cases: 0, diagnostics }
    }

    /// The changes that make right what can be made right, in document order.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.diagnostics.iter().filter_map(|diagnostic| diagnostic.edit.as_ref())
    }
}

impl LintFinding {
    /// What is no more than worth a note is left as it is.
    fn new(finding: Finding, document: Option<&Document>) -> LintFinding {
        let Finding { severity, problem } = finding;
        let edit = match severity {
            Severity::Note => None,
            Severity::Warning | Severity::Error => document.and_then(|document| edit(&problem, document)),
        };
        LintFinding { severity, problem, edit }
    }
}

/// The change that fixes a problem of the document.
fn edit(problem: &Problem, document: &Document) -> Option<Edit> {
    let start = problem.at as usize;
    match problem.remedy.as_ref()? {
        Remedy::Perhaps(_) => None,
        Remedy::Remove(length) => Some(Edit { range: start..start + *length as usize, with: String::new() }),
        Remedy::Respell(word) => {
            let string = document.node_at(problem.at).filter(|node| node.text().is_some())?;
            let with = format!("\"{word}\"");
            Some(Edit { range: start..start + string.raw().len(), with })
        }
    }
}
