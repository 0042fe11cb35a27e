//! Step 1: from a file to its cases. Bytes become a document, the document has a format, and the format
//! lists the cases. A case is read when it is needed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::cache::FileKey;
use super::catch_panic::catch_panic;
use super::file_options::FileOptions;
use super::options::Options;
use super::sources::{Source, SourceOrigin};
use super::vector_files::VectorFiles;
use crate::formats::{self, Context, Entry, Evidence, Format, NotRecognised, Reading, Seen, Shared};
use crate::model::case::CaseId;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::CaseReport;
use crate::model::position::Origin;
use crate::model::rule::Rule;
use crate::model::verdict::Verdict;
use crate::text::json::{Document, Node};
use crate::text::source_text::SourceText;

/// A file that was loaded, also where it is broken.
pub struct LoadedFile<'s> {
    source: &'s Source,
    options: &'s FileOptions,
    cases: Option<Cases<'s>>,
    /// What is wrong or worth a note and belongs to no case.
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

/// Loads a file with all its cases.
pub(super) fn load<'s>(source: &'s Source, options: &'s Options) -> LoadedFile<'s> {
    let file_options = options.for_file(source);
    load_read(source, read_text(source, file_options), options, file_options)
}

/// As [`load`], when the file had this text.
pub(super) fn load_text<'s>(source: &'s Source, text: String, options: &'s Options) -> LoadedFile<'s> {
    load_read(source, Ok(text), options, options.for_file(source))
}

fn load_read<'s>(
    source: &'s Source,
    text: Result<String, FileError>,
    options: &Options,
    file_options: &'s FileOptions,
) -> LoadedFile<'s> {
    let mut file = LoadedFile::empty(source, file_options);
    let content = text.and_then(|text| identify(source, text, file_options));
    match content.map_err(|error| *error.diagnostic).and_then(|content| file.outline(content)) {
        Ok(cases) => file.cases = cases,
        Err(diagnostic) => file.errors.push(diagnostic),
    }
    if let Some(cases) = file.cases.as_mut().filter(|_| options.run.cache.is_some()) {
        cases.key = Some(options.run.file_key(cases.document.text(), cases.format, file_options));
    }
    file
}

impl<'s> LoadedFile<'s> {
    /// A file of which nothing is read.
    pub(super) fn empty(source: &'s Source, options: &'s FileOptions) -> LoadedFile<'s> {
        LoadedFile { source, options, cases: None, errors: Vec::new(), notes: Vec::new() }
    }

    fn outline(&mut self, content: Content) -> Result<Option<Cases<'s>>, Diagnostic> {
        let (document, format) = match content {
            Content::Vectors(document, format) => (document, format),
            Content::Other(_, why) => {
                self.notes.push(Diagnostic::new(why));
                return Ok(None);
            }
        };
        let entries = (format.outline)(document.root()).map_err(|diagnostic| document.locate(diagnostic))?;
        for diagnostic in format.read_rest(&document, &entries, self.options.read) {
            let diagnostics = match diagnostic.severity {
                Severity::Error => &mut self.errors,
                Severity::Note | Severity::Warning => &mut self.notes,
            };
            diagnostics.push(document.locate(diagnostic));
        }
        Ok(Some(Cases::new(self.source, self.options, document, format, entries)))
    }

    /// Forgets what belongs to no case: another part of the run reports it.
    pub(super) fn forget_whole(&mut self) {
        self.errors.clear();
        self.notes.clear();
    }

    /// Its cases, where it has a format.
    pub(super) fn cases_mut(&mut self) -> Option<&mut Cases<'s>> {
        self.cases.as_mut()
    }

    /// The options that apply to it.
    pub fn options(&self) -> &'s FileOptions {
        self.options
    }

    /// The name of its format; `None` where that is not known.
    pub fn format_name(&self) -> Option<&'static str> {
        self.cases.as_ref().map(|cases| cases.format.name)
    }

    /// Its text; empty if it has no format.
    pub fn text(&self) -> &str {
        self.cases.as_ref().map_or("", |cases| cases.document.text())
    }

    /// How many selected cases it has.
    pub fn cases(&self) -> usize {
        self.cases.as_ref().map_or(0, |cases| cases.entries.len())
    }

    /// The ids of the selected cases.
    pub fn ids(&self) -> impl Iterator<Item = CaseId> {
        let entries = self.cases.iter().flat_map(|cases| &cases.entries);
        entries.map(|(id, _)| id.clone())
    }

    /// A selected case.
    pub fn case(&self, index: usize) -> Option<LoadedCase<'_>> {
        self.cases.as_ref()?.case(index)
    }

    /// The key under which its results are cached; `None` when caching is off, or it has no format.
    pub(super) fn key(&self) -> Option<&FileKey> {
        self.cases.as_ref()?.key.as_ref()
    }

    /// What is ignored, could matter and belongs to no case, with the file's name.
    pub fn notes(&self) -> impl Iterator<Item = (Diagnostic, Arc<str>)> {
        self.notes.iter().map(|note| (note.clone(), self.source.shown.clone()))
    }

    /// What is broken and belongs to no case.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The report of the file as a whole; `None` where nothing is broken that belongs to no case.
    pub fn broken(&self) -> Option<CaseReport> {
        (!self.errors.is_empty()).then(|| CaseReport {
            id: CaseId::of_file(self.source.shown.clone()),
            format: self.format_name().map(Into::into),
            machine: None,
            verdict: Verdict::Error(self.errors.clone()),
            cached: false,
        })
    }
}

/// The cases of a file.
pub(crate) struct Cases<'s> {
    source: &'s Source,
    options: &'s FileOptions,
    pub(crate) document: Document,
    pub(crate) format: &'static Format,
    /// In document order.
    pub(crate) entries: Vec<(CaseId, Entry)>,
    shared: Shared,
    key: Option<FileKey>,
}

impl<'s> Cases<'s> {
    /// The cases that the outline of a document lists.
    pub(crate) fn new(
        source: &'s Source,
        options: &'s FileOptions,
        document: Document,
        format: &'static Format,
        outline: Vec<Entry>,
    ) -> Cases<'s> {
        let id = |(entry, nth): (Entry, u32)| {
            let id = CaseId { file: source.shown.clone(), name: Some(entry.name.clone()), nth };
            (id, entry)
        };
        let entries = numbered(outline).into_iter().map(id).collect();
        Cases { source, options, document, format, entries, shared: Shared::default(), key: None }
    }

    /// Keeps the cases whose ids hold this, in a file with this source.
    pub(super) fn retain_ids(&mut self, selects: impl Fn(&Source, &CaseId) -> bool) {
        self.entries.retain(|(id, _)| selects(self.source, id));
    }

    /// Keeps the cases that hold this.
    pub(super) fn retain(&mut self, selects: impl Fn(&LoadedCase<'_>) -> bool) {
        let selected: Vec<bool> =
            (0..self.entries.len()).map(|index| self.case(index).is_some_and(|it| selects(&it))).collect();
        let mut selected = selected.into_iter();
        self.entries.retain(|_| selected.next().unwrap_or(false));
    }

    fn case(&self, index: usize) -> Option<LoadedCase<'_>> {
        let (id, entry) = self.entries.get(index)?;
        Some(LoadedCase {
            id: id.clone(),
            document: &self.document,
            format: self.format,
            node: entry.node,
            files: VectorFiles::new(&self.source.path, self.format.folders),
            options: self.options,
            is_first: index == 0,
            shared: &self.shared,
            key: self.key.as_ref(),
        })
    }
}

/// A case of a loaded file, not read yet.
pub struct LoadedCase<'f> {
    /// Its id.
    pub id: CaseId,
    /// The document it is in.
    pub document: &'f Document,
    /// The format it is written in.
    pub format: &'static Format,
    /// Its datum, for [`crate::text::json::Node::at_index`].
    pub node: u32,
    /// The files that it may name.
    pub files: VectorFiles<'f>,
    /// The options that apply to its file.
    pub(super) options: &'f FileOptions,
    /// Whether it is the first of its file: it reports what all have in common.
    pub(super) is_first: bool,
    /// What it has in common with the others of its file.
    shared: &'f Shared,
    /// The key under which the results of its file are cached; `None` when caching is off.
    pub(super) key: Option<&'f FileKey>,
}

impl LoadedCase<'_> {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// When the format panics, with its message.
    pub(super) fn read(&self) -> Result<Reading, String> {
        let LoadedCase { document, format, node, files, options, shared, .. } = self;
        let context = Context { options: options.read, files, shared: Some(shared) };
        catch_panic(|| format.read_case(Node::at_index(document, *node), context))
            .map_err(|panic| format!("the reader of {} panicked: {panic}", format.name))
    }

    /// Where it stands in the text.
    pub fn range(&self) -> Range<usize> {
        let case = Node::at_index(self.document, self.node);
        let at = case.at() as usize;
        at..at + case.raw().len()
    }
}

/// Counts cases of the same name.
fn numbered(outline: Vec<Entry>) -> Vec<(Entry, u32)> {
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
    outline.into_iter().map(number).collect()
}

/// Why a file has no cases.
pub(crate) struct FileError {
    /// Why.
    pub(crate) diagnostic: Box<Diagnostic>,
    /// Its text; `None` when it cannot be read.
    pub(crate) text: Option<SourceText>,
}

impl FileError {
    fn new(text: SourceText, diagnostic: Diagnostic<Origin>) -> FileError {
        FileError { diagnostic: Box::new(text.locate(diagnostic)), text: Some(text) }
    }
}

/// The text of a file.
pub(crate) fn read_text(source: &Source, options: &FileOptions) -> Result<String, FileError> {
    let unreadable = |error: std::io::Error| {
        let diagnostic = Diagnostic::new(format!("cannot be read: {error}")).under(Rule::Unreadable);
        FileError { diagnostic: Box::new(diagnostic), text: None }
    };
    let bytes = source.read(options.limits.file_size).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&error))
}

fn not_utf8(error: &std::string::FromUtf8Error) -> FileError {
    let valid = error.utf8_error().valid_up_to();
    // Up to the first bad byte the lossy text is the same as the file.
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let diagnostic = Diagnostic::at(valid as u32, "this byte is not UTF-8").expected("a file in UTF-8");
    FileError::new(SourceText::new(text), diagnostic.under(Rule::Encoding))
}

fn parse(text: String, options: &FileOptions) -> Result<Document, FileError> {
    Document::parse(text, options.limits.depth as usize)
        .map_err(|(text, diagnostic)| FileError::new(text, diagnostic))
}

/// What the text of a file is.
pub(crate) enum Content {
    /// Vectors of a format.
    Vectors(Document, &'static Format),
    /// Another JSON file in a folder, with the note that says so.
    Other(Document, String),
}

/// Parses the text of a file and detects its format, if it is not given.
pub(crate) fn identify(source: &Source, text: String, options: &FileOptions) -> Result<Content, FileError> {
    let document = parse(text, options)?;
    if let Some(format) = options.format {
        return Ok(Content::Vectors(document, format));
    }
    match detect_format(source, &document) {
        Ok(Detected::Format(format, _)) => Ok(Content::Vectors(document, format)),
        Ok(Detected::Other(why)) => Ok(Content::Other(document, why)),
        Err(diagnostic) => Err(FileError::new(document.into_text(), diagnostic)),
    }
}

/// The format of a document, and what shows it.
enum Detected {
    Format(&'static Format, Evidence),
    /// A file in a folder that is no vector.
    Other(String),
}

fn detect_format(source: &Source, document: &Document) -> Result<Detected, Diagnostic<Origin>> {
    let file_name = source.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match formats::recognise(document, file_name) {
        Ok((format, evidence)) => Ok(Detected::Format(format, evidence)),
        Err(not @ NotRecognised::None { .. }) if source.origin == SourceOrigin::Folder => {
            Ok(Detected::Other(format!("passed over: {not}")))
        }
        Err(not) => {
            let rule = match not {
                NotRecognised::None { .. } => Rule::NotAVector,
                NotRecognised::Several(_) => Rule::AmbiguousFormat,
            };
            let diagnostic = Diagnostic::at(document.root().at(), not.to_string());
            Err(diagnostic.expected(not.expected()).under(rule))
        }
    }
}

/// The format of a file and what shows it, in a few words: `vmtests, "exec" in line 3`.
///
/// # Errors
///
/// When the file cannot be read, or must be a vector file and is not recognised.
pub fn explain_format(source: &Source, options: &Options) -> Result<String, Diagnostic> {
    let options = options.for_file(source);
    let document = read_text(source, options).and_then(|text| parse(text, options));
    let document = document.map_err(|error| *error.diagnostic)?;
    Ok(match detect_format(source, &document).map_err(|diagnostic| document.locate(diagnostic))? {
        Detected::Format(format, evidence) => {
            let Seen { name, what, line, .. } = Seen::new(format, evidence, &document);
            format!("{name}, {what} in line {line}")
        }
        Detected::Other(why) => why,
    })
}
