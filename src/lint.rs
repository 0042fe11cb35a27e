//! Finds errors and probable mistakes in vector files without running them.
//!
//! A file is read as for a run, but every problem is reported: what `run` rejects is an error; what only `run
//! --strict` rejects, and what is valid but probably a mistake, is a warning. Tests ensure that the readers
//! accept nothing that the JSON Schemas in `schemas/` reject, so files are not validated against the schemas
//! again. Each program is loaded, to find what only the machine can check, but nothing is executed.

use std::sync::Arc;

use self::program::Inspection;
use crate::formats::{self, FileEntry, FileReading, Format, ReadContext, SharedFile, Strictness};
use crate::model::rule::LintRule;
use crate::model::{CaseId, Diagnostic, DiagnosticList, Edit, Origin, Severity, counted};
use crate::run::sources::VectorSource;
use crate::run::{
    FileContent, FileError, FileOptions, LoadOptions, LoadedCases, SelectPurpose, VectorFiles, Worker,
    identify, read_node, read_text, select, without_assertions, wrong_root,
};
use crate::text::json::{Document, JsonNode, SpareMemory};
use crate::text::source_text::SourceText;

pub mod fix;
pub mod output;
pub mod outputs;
mod program;
mod sarif;
mod text;

/// The result of checking a file.
#[derive(Debug)]
pub struct Checked {
    /// The name of the file in messages.
    pub file: Arc<str>,
    /// Its text; `None` if it could not be read.
    pub text: Option<SourceText>,
    /// How many cases were checked.
    pub cases: usize,
    /// Everything that was found, in document order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks files one after another.
pub struct Checker<'o> {
    options: &'o LoadOptions,
    worker: Worker<'o>,
}

impl<'o> Checker<'o> {
    /// A checker with these options. With `--strict`, warnings are errors.
    pub fn new(options: &'o LoadOptions) -> Checker<'o> {
        Checker { options, worker: Worker::new(&options.run) }
    }

    /// Checks a file.
    pub fn check(&mut self, source: &VectorSource) -> Checked {
        match read_text(
            source,
            self.options.for_file(source),
            &self.options.run.interrupt,
            &self.options.run.spare,
        ) {
            Ok(text) => self.check_text(source, text),
            Err(FileError { diagnostic, text }) => Checked::new(source, text, vec![*diagnostic]),
        }
    }

    /// Checks a file as if this were its text.
    pub fn check_text(&mut self, source: &VectorSource, text: String) -> Checked {
        let options = self.options.for_file(source);
        match identify(source, text, options, &SpareMemory::default()) {
            Err(FileError { diagnostic, text }) => {
                let checked = text.as_ref().and_then(|text| formats::check_documents(text.as_str()));
                match checked {
                    Some(checked) => Checked::of_documents(source, checked, text, options),
                    None => Checked::new(source, text, vec![*diagnostic]),
                }
            }
            Ok(FileContent::Other(document, why)) => {
                if let Some(checked) = formats::check_documents(document.text()) {
                    return Checked::of_documents(source, checked, Some(document.into_text()), options);
                }
                let note = Diagnostic::at(document.root().at(), why).under(LintRule::NotAVector);
                let note = document.locate(note.severity(Severity::Note));
                Checked::new(source, Some(document.into_text()), vec![note])
            }
            Ok(FileContent::Vectors(document, format)) => {
                self.check_vectors(source, document, format, options)
            }
        }
    }

    fn check_vectors(
        &mut self,
        source: &VectorSource,
        document: Document,
        format: &'static Format,
        options: &FileOptions,
    ) -> Checked {
        let read = formats::FormatOptions { strictness: Strictness::Thorough, ..options.read };
        let mut found = DiagnosticList::new(read.strictness.max_listed());
        let entries = (format.outline)(document.root()).unwrap_or_else(|diagnostic| {
            found.add(diagnostic);
            Vec::new()
        });
        let files = VectorFiles::new(&source.path, format.folders);
        let shared = SharedFile::default();
        let context = ReadContext { options: read, files: &files, shared: Some(&shared) };
        found.extend(format.read_rest(&document, &entries, context));
        if entries.is_empty() && !found.has_errors() {
            found.add(formats::no_cases(&document, Severity::Warning));
        }
        let mut cases = LoadedCases::new(Arc::new(source.clone()), options, document, format, entries);
        select(&mut cases, SelectPurpose::Look, &mut Worker::new(&self.options.run));
        let LoadedCases { document, entries, .. } = cases;
        // In some formats this is an error, which the reader reports; where keys name cases, a key that occurs twice
        // is.
        let repeated_names_are_reported =
            found.has_rule(LintRule::DuplicateName) || found.has_rule(LintRule::DuplicateKey);
        let node_of = |entry: &FileEntry| JsonNode::at_index(&document, entry.node);
        // The names of a corpus are often the bytes or the text of an instruction.
        let is_each_reported = format.declaration.is_none() && !repeated_names_are_reported;
        if format.declaration.is_some() {
            let mut repeats = entries.iter().filter(|(id, _)| id.nth > 1);
            let first = repeats.next().map(|(_, entry)| name_of(node_of(entry)).at());
            found.extend(first.map(|at| repeats_of_family(at, 1 + repeats.count())));
        }
        for (index, (id, entry)) in entries.iter().enumerate() {
            let node = node_of(entry);
            found.extend(repeated(id, node).filter(|_| is_each_reported));
            found.extend(self.check_case(node, index, format, context, options));
        }
        let found = found.finish().into_iter();
        let diagnostics = found.map(|diagnostic| document.locate(promoted(diagnostic, options))).collect();
        let text = Arc::into_inner(document).map(Document::into_text);
        Checked { cases: entries.len(), ..Checked::new(source, text, diagnostics) }
    }

    /// Checks the case at this index among the selected ones.
    fn check_case(
        &mut self,
        node: JsonNode<'_>,
        index: usize,
        format: &Format,
        context: ReadContext<'_>,
        options: &FileOptions,
    ) -> Vec<Diagnostic<Origin>> {
        let FileReading { case, unsupported, mut diagnostics, .. } = match read_node(format, node, context) {
            Ok(reading) => reading,
            Err(panicked) => return vec![internal(node.at(), panicked)],
        };
        diagnostics.extend(unsupported.map(|why| not_supported(node, &why)));
        let Some(case) = case else { return diagnostics };
        let inspection = Inspection::new(&case, node, &options.families);
        if index == 0 {
            // Cases may share the program: remarks on it are reported once.
            diagnostics.extend(inspection.remarks());
        }
        match self.worker.with_testee(case.machine, options, |testee| inspection.inspect(testee)) {
            Ok(found) => diagnostics.extend(found),
            Err(what) => diagnostics.push(internal(node.at(), what)),
        }
        diagnostics.extend(wrong_root(&case).map(|it| it.severity(Severity::Warning)));
        if !diagnostics.iter().any(|diagnostic| diagnostic.rule == LintRule::NothingCompared) {
            diagnostics.extend(without_assertions(&case, node).map(|it| it.severity(Severity::Warning)));
        }
        diagnostics
    }
}

/// With `--strict`, warnings are errors.
fn promoted(diagnostic: Diagnostic<Origin>, options: &FileOptions) -> Diagnostic<Origin> {
    match (options.read.strictness, diagnostic.severity) {
        (Strictness::Strict, Severity::Warning) => diagnostic.severity(Severity::Error),
        _ => diagnostic,
    }
}

fn not_supported(node: JsonNode<'_>, why: &str) -> Diagnostic<Origin> {
    let diagnostic = Diagnostic::at(node.at(), format!("this case is not supported: {why}"));
    diagnostic.under(LintRule::UnknownName).severity(Severity::Warning)
}

fn internal(at: u32, what: String) -> Diagnostic<Origin> {
    Diagnostic::at(at, what).under(LintRule::Internal)
}

/// A warning if an earlier test has the same name. Duplicate keys of an object are detected when the document
/// is parsed.
fn repeated(id: &CaseId, test: JsonNode<'_>) -> Option<Diagnostic<Origin>> {
    if id.nth == 1 {
        return None;
    }
    let what = format!("a test before has this name; this one's id is {id}");
    let place = name_of(test).at();
    Some(Diagnostic::at(place, what).under(LintRule::DuplicateName).severity(Severity::Warning))
}

/// The note on cases of a family that have the name of an earlier one, of which the first is at this place.
fn repeats_of_family(at: u32, repeats: usize) -> Diagnostic<Origin> {
    let cases = counted(repeats, "case");
    let what =
        format!("{cases} with the name of an earlier one; the ends of the ids, such as #2, tell them apart");
    Diagnostic::at(at, what).under(LintRule::DuplicateName).severity(Severity::Note)
}

/// The name of a test; without one, the test.
fn name_of(test: JsonNode<'_>) -> JsonNode<'_> {
    let name = test.members().find(|member| member.key.eq_ignore_ascii_case("name"));
    name.map_or(test, |name| name.value)
}

impl Checked {
    fn new(source: &VectorSource, text: Option<SourceText>, diagnostics: Vec<Diagnostic>) -> Checked {
        Checked { file: source.shown.clone(), text, cases: 0, diagnostics }
    }

    /// The result for documents that are not vectors: how many there are, and what was found in them.
    fn of_documents(
        source: &VectorSource,
        (count, found): (usize, Vec<Diagnostic<Origin>>),
        text: Option<SourceText>,
        options: &FileOptions,
    ) -> Checked {
        let found: Vec<_> = found.into_iter().map(|diagnostic| promoted(diagnostic, options)).collect();
        let located = text.iter().flat_map(|text| found.iter().map(|it| text.locate(it.clone())));
        let diagnostics = located.collect();
        Checked { cases: count, ..Checked::new(source, text, diagnostics) }
    }

    /// Removes the edits that fix the diagnostics, for a file that no command can write.
    pub fn drop_edits(&mut self) {
        self.diagnostics.iter_mut().for_each(Diagnostic::drop_edit);
    }

    /// The edits that fix the diagnostics, in document order.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.diagnostics.iter().filter_map(Diagnostic::edit)
    }
}
