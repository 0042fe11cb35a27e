//! Opening a file: bytes to a document, its format, its cases.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::Options;
use super::cache::FileKey;
use super::coverage::Coverage;
use super::execute::{Worker, read};
use super::expression::Facts;
use super::sources::{Named, Source};
use super::vector_files::VectorFiles;
use crate::formats::{self, Entry, Evidence, Format, NotRecognised, Seen, Shared};
use crate::isa::OpInfo;
use crate::machines;
use crate::model::case::{Case, CaseId};
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::CaseReport;
use crate::model::position::Origin;
use crate::model::rule::Rule;
use crate::model::verdict::Verdict;
use crate::text::json::{Document, Node};
use crate::text::source_text::SourceText;

/// A file that was opened, whatever came of it.
pub struct LoadedFile<'s> {
    source: &'s Source,
    cases: Option<Cases>,
    /// The number of the exception that it is, if it is one.
    pub(super) file_override: Option<usize>,
    /// What is wrong, and what is worth a note, and belongs to no case.
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

struct Cases {
    document: Document,
    format: &'static Format,
    /// Those that are meant.
    entries: Vec<(CaseId, Entry)>,
    shared: Shared,
    /// What its answers are found by, where they are asked for.
    key: Option<FileKey>,
}

/// Opens a file and finds the cases that are meant. Whatever is wrong with it is told by the
/// result.
pub fn open<'s>(source: &'s Source, options: &Options) -> LoadedFile<'s> {
    let text = |options: &Options| read_text(source, options);
    let Some(part) = &options.part else { return LoadedFile::of(source, text, options) };
    if !part.has_file(&source.shown) {
        return LoadedFile::empty(source);
    }
    let mut loaded = LoadedFile::of(source, text, options);
    if !part.has(&CaseId::of_file(source.shown.clone())) {
        // Another part tells of the file as a whole.
        loaded.errors.clear();
        loaded.notes.clear();
    }
    loaded
}

/// As [`open`], when the file had this text.
pub fn open_text<'s>(source: &'s Source, text: String, options: &Options) -> LoadedFile<'s> {
    LoadedFile::of(source, |_| Ok(text), options)
}

/// The files beside a vector file that its cases name, whether they are there or not.
pub fn named_files(source: &Source, options: &Options) -> BTreeSet<PathBuf> {
    let loaded = open(source, options);
    let options = options.under(loaded.file_override);
    let named = |index| {
        let case = loaded.case(index)?;
        // What is wrong with the case is told when it runs.
        let _ = read(&case, options);
        Some(case.files.into_asked())
    };
    (0..loaded.cases()).filter_map(named).flatten().collect()
}

/// What a file is taken for, and why.
enum Recognised {
    As(&'static Format, Evidence),
    /// A file in a folder that is no vector.
    PassedOver(String),
}

fn recognised(source: &Source, document: &Document) -> Result<Recognised, Diagnostic<Origin>> {
    let file_name = source.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match formats::recognise(document, file_name) {
        Ok((format, evidence)) => Ok(Recognised::As(format, evidence)),
        Err(not @ NotRecognised::None { .. }) if source.named == Named::InFolder => {
            Ok(Recognised::PassedOver(format!("passed over: {not}")))
        }
        Err(not) => {
            let rule = match not {
                NotRecognised::None { .. } => Rule::NotAVector,
                NotRecognised::Several(_) => Rule::AmbiguousFormat,
            };
            Err(Diagnostic::at(document.root().at(), not.to_string()).expected(not.expected()).under(rule))
        }
    }
}

/// A file whose cases cannot be told.
pub(crate) struct Faulty {
    /// Why.
    pub(crate) diagnostic: Box<Diagnostic>,
    /// Its text; `None` when it could not be read.
    pub(crate) text: Option<SourceText>,
}

impl Faulty {
    fn new(text: SourceText, diagnostic: Diagnostic<Origin>) -> Faulty {
        Faulty { diagnostic: Box::new(text.locate(diagnostic)), text: Some(text) }
    }
}

/// What a file is taken for, and why, in a few words: `vmtests, "exec" in line 3`.
///
/// # Errors
///
/// When the file cannot be read, or must be a vector file and is not recognised.
pub fn explain_format(source: &Source, options: &Options) -> Result<String, Diagnostic> {
    let options = options.of(source);
    let document = read_text(source, options).and_then(|text| parse(text, options));
    let document = document.map_err(|faulty| *faulty.diagnostic)?;
    Ok(match recognised(source, &document).map_err(|diagnostic| document.locate(diagnostic))? {
        Recognised::As(format, evidence) => {
            let Seen { name, what, line, .. } = Seen::new(format, evidence, &document);
            format!("{name}, {what} in line {line}")
        }
        Recognised::PassedOver(why) => why,
    })
}

/// The text of a file.
pub(crate) fn read_text(source: &Source, options: &Options) -> Result<String, Faulty> {
    let unreadable = |error: std::io::Error| {
        let diagnostic = Diagnostic::new(format!("cannot be read: {error}")).under(Rule::Unreadable);
        Faulty { diagnostic: Box::new(diagnostic), text: None }
    };
    let bytes = source.read(options.limits.file_size).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&error))
}

fn parse(text: String, options: &Options) -> Result<Document, Faulty> {
    Document::parse(text, options.limits.depth as usize)
        .map_err(|(text, diagnostic)| Faulty::new(text, diagnostic))
}

/// What a text that could be parsed is.
pub(crate) enum Identified {
    /// Vectors of a format.
    Vectors(Document, &'static Format),
    /// Something else in a folder; what is said of it.
    PassedOver(Document, String),
}

/// Parses the text of a file and tells its format, if it is not given.
pub(crate) fn identify(source: &Source, text: String, options: &Options) -> Result<Identified, Faulty> {
    let document = parse(text, options)?;
    if let Some(format) = options.format {
        return Ok(Identified::Vectors(document, format));
    }
    match recognised(source, &document) {
        Ok(Recognised::As(format, _)) => Ok(Identified::Vectors(document, format)),
        Ok(Recognised::PassedOver(why)) => Ok(Identified::PassedOver(document, why)),
        Err(diagnostic) => Err(Faulty::new(document.into_text(), diagnostic)),
    }
}

/// The cases that are meant, each with its id. Which they are, `options` of the run say, and how the file is
/// read, its `own`, which an exception may have.
pub(crate) fn selected(
    source: &Source,
    document: &Document,
    format: &'static Format,
    entries: Vec<Entry>,
    options: &Options,
    own: &Options,
) -> Vec<(CaseId, Entry)> {
    let named = numbered(entries).into_iter().map(|(entry, nth)| {
        let id = CaseId { file: source.shown.clone(), name: Some(entry.name.clone()), nth };
        (id, entry)
    });
    let named = named.filter(|(id, _)| source.means(id) && options.filter.matches(id));
    if let Some(part) = &options.part {
        // What is in it was selected.
        return named.filter(|(id, _)| part.has(id)).collect();
    }
    let Some(select) = &options.select else { return named.collect() };
    let shared = Shared::default();
    let is_selected = |id: &CaseId, node| {
        let files = VectorFiles::new(&source.path, format.folders);
        let case = LoadedCase { id: id.clone(), document, format, node, files, shared: &shared, key: None };
        select.means(&Asked { case, options: own })
    };
    named.filter(|(id, entry)| is_selected(id, entry.node)).collect()
}

/// A case of which an expression asks something.
struct Asked<'o> {
    case: LoadedCase<'o>,
    options: &'o Options,
}

impl Facts for Asked<'_> {
    fn id(&self) -> &CaseId {
        &self.case.id
    }

    fn format(&self) -> &'static Format {
        self.case.format
    }

    fn read(&self) -> Option<Case> {
        read(&self.case, self.options).ok()?.case
    }

    fn executed(&self) -> Vec<&'static OpInfo> {
        let mut seen = Coverage::default();
        let judged = Worker::new(self.options).run_alone(&self.case, &mut seen);
        let machine = judged.report.machine.and_then(machines::by_name);
        machine.map_or_else(Vec::new, |machine| {
            machine.isa.ops.iter().filter(|op| seen.count(op.name) > 0).collect()
        })
    }
}

impl<'s> LoadedFile<'s> {
    fn of(
        source: &'s Source,
        text: impl FnOnce(&Options) -> Result<String, Faulty>,
        options: &Options,
    ) -> LoadedFile<'s> {
        let file_override = options.file_override(source);
        let (all, options) = (options, options.under(file_override));
        let mut loaded = LoadedFile { file_override, ..LoadedFile::empty(source) };
        let identified = text(options).and_then(|text| identify(source, text, options));
        match identified.map_err(|faulty| *faulty.diagnostic).and_then(|it| loaded.outline(it, all, options))
        {
            Ok(cases) => loaded.cases = cases,
            Err(diagnostic) => loaded.errors.push(diagnostic),
        }
        if let Some(cases) = loaded.cases.as_mut().filter(|_| all.cache.is_some()) {
            cases.key = Some(options.file_key(cases.document.text(), cases.format));
        }
        loaded
    }

    fn empty(source: &'s Source) -> LoadedFile<'s> {
        LoadedFile { source, cases: None, file_override: None, errors: Vec::new(), notes: Vec::new() }
    }

    fn outline(
        &mut self,
        identified: Identified,
        options: &Options,
        own: &Options,
    ) -> Result<Option<Cases>, Diagnostic> {
        let (document, format) = match identified {
            Identified::Vectors(document, format) => (document, format),
            Identified::PassedOver(_, why) => {
                self.notes.push(Diagnostic::new(why));
                return Ok(None);
            }
        };
        let entries = (format.outline)(document.root()).map_err(|diagnostic| document.locate(diagnostic))?;
        for diagnostic in format.read_rest(&document, &entries, own.read) {
            let diagnostics = match diagnostic.severity {
                Severity::Error => &mut self.errors,
                Severity::Note | Severity::Warning => &mut self.notes,
            };
            diagnostics.push(document.locate(diagnostic));
        }
        let entries = selected(self.source, &document, format, entries, options, own);
        Ok(Some(Cases { document, format, entries, shared: Shared::default(), key: None }))
    }

    /// The format of the file, if that is known.
    pub fn format_name(&self) -> Option<&'static str> {
        self.cases.as_ref().map(|cases| cases.format.name)
    }

    /// The text of the file; empty if it has no cases.
    pub fn text(&self) -> &str {
        self.cases.as_ref().map_or("", |cases| cases.document.text())
    }

    /// How many cases there are to run.
    pub fn cases(&self) -> usize {
        self.cases.as_ref().map_or(0, |cases| cases.entries.len())
    }

    /// The ids of the cases to run.
    pub fn ids(&self) -> impl Iterator<Item = CaseId> {
        let entries = self.cases.iter().flat_map(|cases| &cases.entries);
        entries.map(|(id, _)| id.clone())
    }

    /// One of the cases to run.
    pub fn case(&self, index: usize) -> Option<LoadedCase<'_>> {
        let Cases { document, format, entries, shared, key } = self.cases.as_ref()?;
        let (id, entry) = entries.get(index)?;
        let files = VectorFiles::new(&self.source.path, format.folders);
        let key = key.as_ref();
        Some(LoadedCase { id: id.clone(), document, format, node: entry.node, files, shared, key })
    }

    /// What its answers are found by; none where they are not asked for, or it has no cases.
    pub(super) fn key(&self) -> Option<&FileKey> {
        self.cases.as_ref()?.key.as_ref()
    }

    /// What is ignored and could matter, with the file's name.
    pub fn notes(&self) -> impl Iterator<Item = (Diagnostic, Arc<str>)> {
        self.notes.iter().map(|note| (note.clone(), self.source.shown.clone()))
    }

    /// What is broken and is no case's.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The report of the file as a whole, when something is broken that is no case's.
    pub fn broken(&self) -> Option<CaseReport> {
        (!self.errors.is_empty()).then(|| CaseReport {
            id: CaseId::of_file(self.source.shown.clone()),
            format: self.format_name(),
            machine: None,
            verdict: Verdict::Error(self.errors.clone()),
            cached: false,
        })
    }
}

/// A case of an opened file, not read yet.
pub struct LoadedCase<'o> {
    /// Its id.
    pub id: CaseId,
    /// The document it is in.
    pub document: &'o Document,
    /// The format it is written in.
    pub format: &'static Format,
    /// Its datum, for [`crate::text::json::Node::at_index`].
    pub node: u32,
    /// The files that it may name.
    pub files: VectorFiles<'o>,
    /// What it has in common with the others of its file.
    pub(super) shared: &'o Shared,
    /// What the answers of its file are found by, where they are asked for.
    pub(super) key: Option<&'o FileKey>,
}

impl LoadedCase<'_> {
    /// Where the case stands in the text.
    pub fn range(&self) -> Range<usize> {
        let case = Node::at_index(self.document, self.node);
        let at = case.at() as usize;
        at..at + case.raw().len()
    }
}

/// Counts cases of the same name.
fn numbered(entries: Vec<Entry>) -> Vec<(Entry, u32)> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let number = |entry: Entry| {
        let nth = match seen.get_mut(&entry.name) {
            Some(count) => {
                *count += 1;
                *count
            }
            None => *seen.entry(entry.name.clone()).or_insert(1),
        };
        (entry, nth)
    };
    entries.into_iter().map(number).collect()
}

fn not_utf8(error: &std::string::FromUtf8Error) -> Faulty {
    let valid = error.utf8_error().valid_up_to();
    // Up to the first bad byte the lossy text is the same as the file.
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let diagnostic = Diagnostic::at(valid as u32, "this byte is not UTF-8").expected("a file in UTF-8");
    Faulty::new(SourceText::new(text), diagnostic.under(Rule::Encoding))
}
