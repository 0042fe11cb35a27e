//! Loads the cases of a file. The bytes are parsed into a document, the format of the document is
//! detected, and the format lists the cases. A case is read when it is needed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use foldhash::fast::RandomState;

use super::cache::FileKey;
use super::catch_panic::catch_panic;
use super::file_format::{DetectedFormat, detect_format};
use super::file_options::FileOptions;
use super::judged_case::JudgedCase;
use super::options::{ContentDigests, LoadOptions, RunOptions};
use super::source::VectorSource;
use super::vector_files::VectorFiles;
use crate::formats::detection::SeenFormat;
use crate::formats::family::Family;
use crate::formats::{self, FileEntry, FileReading, Format, ReadContext, SharedFile};
use crate::model::rule::LintRule;
use crate::model::{
    CaseId, CaseReport, ContentDigest, Diagnostic, Interrupt, Origin, Severity, Verdict, lock,
};
use crate::text::json::{Document, JsonNode, SpareMemory};
use crate::text::source_text::SourceText;

/// A loaded file, which may be broken.
pub struct LoadedFile<'s> {
    source: Arc<VectorSource>,
    options: &'s FileOptions,
    /// The cases; `None` if the file has no format.
    pub(super) cases: Option<LoadedCases<'s>>,
    /// Errors and notes that belong to no case.
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

/// Loads a file, or this text in its place, and lists all its cases.
pub(super) fn load(source: Arc<VectorSource>, text: Option<String>, options: &LoadOptions) -> LoadedFile<'_> {
    let file_options = options.for_file(&source);
    let spare = &options.run.spare;
    let read = || read_text(&source, file_options, &options.run.interrupt, spare);
    let content = text.map_or_else(read, Ok).and_then(|text| identify(&source, text, file_options, spare));
    let mut file = LoadedFile::empty(source, file_options);
    match content.map_err(|error| *error.diagnostic).and_then(|content| file.outline(content)) {
        Ok(cases) => file.cases = cases,
        Err(diagnostic) => file.errors.push(diagnostic),
    }
    if let Some(cases) = file.cases.as_mut().filter(|_| options.run.cache.is_some()) {
        cases.key = Some(options.run.file_key(cases.document.text(), cases.format, file_options));
    }
    if let Some(cases) = file.cases.as_mut().filter(|_| options.run.contents == ContentDigests::Hashed) {
        cases.content = Some(ContentDigest::of(cases.document.text()));
    }
    file
}

impl<'s> LoadedFile<'s> {
    /// A file with no content loaded.
    pub(super) fn empty(source: Arc<VectorSource>, options: &'s FileOptions) -> LoadedFile<'s> {
        LoadedFile { source, options, cases: None, errors: Vec::new(), notes: Vec::new() }
    }

    fn outline(&mut self, content: FileContent) -> Result<Option<LoadedCases<'s>>, Diagnostic> {
        let (document, format) = match content {
            FileContent::Vectors(document, format) => (document, format),
            FileContent::Other(_, why) => {
                self.notes.push(Diagnostic::new(why));
                return Ok(None);
            }
        };
        let entries = (format.outline)(document.root()).map_err(|diagnostic| document.locate(diagnostic))?;
        let files = VectorFiles::new(&self.source.path, format.folders);
        let context = ReadContext { options: self.options.read, files: &files, shared: None };
        for diagnostic in format.read_rest(&document, &entries, context) {
            let diagnostics = match diagnostic.severity {
                Severity::Error => &mut self.errors,
                Severity::Note | Severity::Warning => &mut self.notes,
            };
            diagnostics.push(document.locate(diagnostic));
        }
        if entries.is_empty() && self.errors.is_empty() {
            self.notes.push(document.locate(formats::no_cases(&document, Severity::Note)));
        }
        Ok(Some(LoadedCases::new(self.source.clone(), self.options, document, format, entries)))
    }

    /// The file for reports: without its document, so that no case can be read.
    pub(super) fn for_reports(&self) -> LoadedFile<'s> {
        LoadedFile {
            source: self.source.clone(),
            options: self.options,
            cases: self.cases.as_ref().map(LoadedCases::without_document),
            errors: self.errors.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The same file with only the cases at these indices, for a source that selects them.
    pub(super) fn with(&self, source: Arc<VectorSource>, indices: &[usize]) -> LoadedFile<'s> {
        let cases = self.cases.as_ref().map(|cases| cases.with(source.clone(), indices));
        let (errors, notes) = (self.errors.clone(), self.notes.clone());
        LoadedFile { source, cases, errors, notes, options: self.options }
    }

    /// Drops errors and notes that belong to no case: another part of the run reports them.
    pub(super) fn forget_whole(&mut self) {
        self.errors.clear();
        self.notes.clear();
    }

    /// The file.
    pub(super) fn source(&self) -> &Arc<VectorSource> {
        &self.source
    }

    /// The options for the file.
    pub fn options(&self) -> &'s FileOptions {
        self.options
    }

    /// The name of the format; `None` if it is not known.
    pub fn format_name(&self) -> Option<&'static str> {
        self.format().map(|format| format.name)
    }

    /// The format; `None` if it is not known.
    pub fn format(&self) -> Option<&'static Format> {
        self.cases.as_ref().map(|cases| cases.format)
    }

    /// The text; empty if the file has no format.
    pub fn text(&self) -> &str {
        self.cases.as_ref().map_or("", |cases| cases.document.text())
    }

    /// The bytes of its text; 0 if it has no format.
    pub(super) fn bytes(&self) -> usize {
        self.cases.as_ref().map_or(0, |cases| cases.document.text().len())
    }

    /// The number of selected cases.
    pub fn cases(&self) -> usize {
        self.cases.as_ref().map_or(0, |cases| cases.entries.len())
    }

    /// The ids of the selected cases.
    pub fn ids(&self) -> impl Iterator<Item = &CaseId> {
        self.cases.iter().flat_map(LoadedCases::ids)
    }

    /// The content of the file; `None` if reports do not say it.
    pub(super) fn content(&self) -> Option<ContentDigest> {
        self.cases.as_ref().and_then(|cases| cases.content)
    }

    /// A selected case.
    pub fn case(&self, index: usize) -> Option<LoadedCase<'_>> {
        self.cases.as_ref()?.case(index)
    }

    /// The selected cases in a datum of the document.
    pub(crate) fn cases_in<'d>(&self, datum: JsonNode<'d>) -> impl Iterator<Item = JsonNode<'d>> {
        let entries = self.cases.as_ref().map_or(&[][..], |cases| &cases.entries);
        let first = entries.partition_point(|(_, entry)| entry.node < datum.index());
        let cases =
            entries[first..].iter().map(move |(_, entry)| JsonNode::at_index(datum.document(), entry.node));
        cases.take_while(move |case| datum.range().contains(&case.range().start))
    }

    /// The key of its cached results; `None` when caching is off or the file has no format.
    pub(super) fn key(&self) -> Option<&FileKey> {
        self.cases.as_ref()?.key.as_ref()
    }

    /// The key of what is known about its cases, whether or not results are cached; `None` if the file has no format.
    pub fn content_key(&self, run: &RunOptions) -> Option<FileKey> {
        let cases = self.cases.as_ref()?;
        Some(run.file_key(cases.document.text(), cases.format, self.options))
    }

    /// Notes that belong to no case, with the name of the file.
    pub fn notes(&self) -> impl Iterator<Item = (Diagnostic, Arc<str>)> {
        self.notes.iter().map(|note| (note.clone(), self.source.shown.clone()))
    }

    /// Errors that belong to no case.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// Whether the file is broken in a way that leaves its cases unknown.
    pub fn has_unknown_cases(&self) -> bool {
        self.cases() == 0 && !self.errors.is_empty()
    }

    /// The report on the file as a whole; `None` if no error belongs to the file as a whole.
    pub fn broken(&self) -> Option<CaseReport> {
        (!self.errors.is_empty()).then(|| CaseReport {
            format: self.format_name().map(Into::into),
            content: self.content(),
            ..CaseReport::broken(&CaseId::of_file(self.source.shown.clone()), &self.errors)
        })
    }
}

pub(crate) struct LoadedCases<'s> {
    source: Arc<VectorSource>,
    options: &'s FileOptions,
    pub(crate) document: Arc<Document>,
    pub(crate) format: &'static Format,
    /// The cases, in document order.
    pub(crate) entries: Arc<Vec<(CaseId, FileEntry)>>,
    shared: Arc<SharedFile>,
    key: Option<FileKey>,
    content: Option<ContentDigest>,
    executed: ExecutedCases,
}

/// The cases of a file that were executed to select them, by their nodes: they need not run again.
type ExecutedCases = Mutex<HashMap<u32, JudgedCase>>;

impl<'s> LoadedCases<'s> {
    /// The cases in the outline of a document.
    pub(crate) fn new(
        source: Arc<VectorSource>,
        options: &'s FileOptions,
        document: Document,
        format: &'static Format,
        outline: Vec<FileEntry>,
    ) -> LoadedCases<'s> {
        let numbers = numbers(&outline);
        let id = |(entry, nth): (FileEntry, u32)| {
            let id = CaseId { file: source.shown.clone(), name: Some(entry.name.clone()), nth };
            (id, entry)
        };
        let entries = Arc::new(outline.into_iter().zip(numbers).map(id).collect());
        let (document, shared, executed) = (Arc::new(document), Arc::default(), ExecutedCases::default());
        LoadedCases { source, options, document, format, entries, shared, key: None, content: None, executed }
    }

    fn without_document(&self) -> LoadedCases<'s> {
        LoadedCases {
            source: self.source.clone(),
            options: self.options,
            document: Arc::new(Document::empty()),
            format: self.format,
            entries: self.entries.clone(),
            shared: Arc::default(),
            key: self.key.clone(),
            content: self.content,
            executed: ExecutedCases::default(),
        }
    }

    /// The cases at these indices, for a source that selects them.
    fn with(&self, source: Arc<VectorSource>, indices: &[usize]) -> LoadedCases<'s> {
        LoadedCases {
            source,
            document: self.document.clone(),
            entries: Arc::new(indices.iter().map(|index| self.entries[*index].clone()).collect()),
            shared: self.shared.clone(),
            ..self.without_document()
        }
    }

    /// Keeps the cases whose ids `selects` accepts.
    pub(super) fn retain_ids(&mut self, mut selects: impl FnMut(&VectorSource, &CaseId) -> bool) {
        Arc::make_mut(&mut self.entries).retain(|(id, _)| selects(&self.source, id));
    }

    /// The ids of the selected cases.
    pub(super) fn ids(&self) -> impl Iterator<Item = &CaseId> {
        self.entries.iter().map(|(id, _)| id)
    }

    /// Keeps the cases that `selects` accepts.
    pub(super) fn retain(&mut self, selects: impl Fn(&LoadedCase<'_>) -> bool) {
        let selected: Vec<bool> =
            (0..self.entries.len()).map(|index| self.case(index).is_some_and(|it| selects(&it))).collect();
        let mut selected = selected.into_iter();
        Arc::make_mut(&mut self.entries).retain(|_| selected.next().unwrap_or(false));
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
            shared: &self.shared,
            key: self.key.as_ref(),
            content: self.content,
            executed: &self.executed,
        })
    }
}

/// A case of a loaded file, not read yet.
pub struct LoadedCase<'f> {
    /// Its id.
    pub id: CaseId,
    /// The document that contains it.
    pub document: &'f Document,
    /// The format of the document.
    pub format: &'static Format,
    /// Its node, for [`crate::text::json::JsonNode::at_index`].
    pub node: u32,
    /// The files that it may open.
    pub files: VectorFiles<'f>,
    pub(super) options: &'f FileOptions,
    /// Data that all cases of its file share.
    shared: &'f SharedFile,
    /// The key of the cached results of its file; `None` when caching is off.
    pub(super) key: Option<&'f FileKey>,
    /// The digest of the text of its file; `None` if digests are not made.
    content: Option<ContentDigest>,
    executed: &'f ExecutedCases,
}

impl<'f> LoadedCase<'f> {
    /// Its data in its document.
    pub fn root(&self) -> JsonNode<'f> {
        JsonNode::at_index(self.document, self.node)
    }

    /// The family that declares its format; `None` for a format of this program.
    pub fn family(&self) -> Option<&'static Family> {
        self.format.declaration?;
        Some(self.options.families.by_name(self.format.machine)?.family)
    }

    /// The report of the case before it runs: it passes.
    pub(super) fn report(&self) -> CaseReport {
        CaseReport {
            format: Some(self.format.name.into()),
            line: Some(self.line()),
            content: self.content,
            ..CaseReport::new(self.id.clone(), Verdict::Pass)
        }
    }

    /// Keeps the judged case for [`LoadedCase::take_judged`].
    pub(super) fn keep_judged(&self, judged: JudgedCase) {
        self.kept_cases().insert(self.node, judged);
    }

    /// Whether it was judged already, and kept.
    pub(super) fn has_judged(&self) -> bool {
        self.kept_cases().contains_key(&self.node)
    }

    /// The judged case, if it was kept, once.
    pub(super) fn take_judged(&self) -> Option<JudgedCase> {
        self.kept_cases().remove(&self.node)
    }

    fn kept_cases(&self) -> MutexGuard<'_, HashMap<u32, JudgedCase>> {
        lock(self.executed)
    }

    /// Reads the case. An error is the message of a panic of the format.
    pub fn read(&self) -> Result<FileReading, String> {
        read_node(self.format, self.root(), self.context(Some(self.shared)))
    }

    /// Reads the case from another text of its file, in which it begins at the byte `start`. Fails when nothing
    /// begins there, or when the format panics.
    pub(crate) fn read_in(&self, document: &Document, start: u32) -> Result<FileReading, String> {
        let case = document.node_at(start).ok_or("no case begins there")?;
        read_node(self.format, case, self.context(None))
    }

    fn context<'c>(&'c self, shared: Option<&'c SharedFile>) -> ReadContext<'c> {
        ReadContext { options: self.options.read, files: &self.files, shared }
    }

    /// The line of its file where it begins, from 1.
    pub fn line(&self) -> u32 {
        self.document.position(self.root().at()).line
    }

    /// Its range in the text.
    pub fn range(&self) -> Range<usize> {
        let case = self.root();
        let at = case.at() as usize;
        at..at + case.raw().len()
    }
}

/// Reads a case of this format. An error is the message of a panic of the format.
pub(crate) fn read_node(
    format: &Format,
    case: JsonNode<'_>,
    context: ReadContext<'_>,
) -> Result<FileReading, String> {
    catch_panic(|| format.read_case(case, context))
        .map_err(|panic| format!("the reader of {} panicked: {panic}", format.name))
}

/// The number of each case among those of the same name, from 1.
fn numbers(outline: &[FileEntry]) -> Vec<u32> {
    if outline.len() == 1 {
        return vec![1];
    }
    let mut seen: HashMap<&str, u32, RandomState> =
        HashMap::with_capacity_and_hasher(outline.len(), RandomState::default());
    let numbers = outline.iter().map(|entry| {
        let count = seen.entry(&entry.name).or_insert(0);
        *count += 1;
        *count
    });
    numbers.collect()
}

/// Why a file has no cases.
pub(crate) struct FileError {
    /// The error.
    pub(crate) diagnostic: Box<Diagnostic>,
    /// The text of the file; `None` when it cannot be read.
    pub(crate) text: Option<SourceText>,
}

impl FileError {
    fn new(text: SourceText, diagnostic: Diagnostic<Origin>) -> FileError {
        FileError { diagnostic: Box::new(text.locate(diagnostic)), text: Some(text) }
    }
}

/// Reads the text of a file; an interrupt ends the wait for a pipe.
pub(crate) fn read_text(
    source: &VectorSource,
    options: &FileOptions,
    interrupt: &Interrupt,
    spare: &SpareMemory,
) -> Result<String, FileError> {
    let unreadable = |error: std::io::Error| {
        let diagnostic = Diagnostic::new(format!("cannot be read: {error}")).under(LintRule::Unreadable);
        FileError { diagnostic: Box::new(diagnostic), text: None }
    };
    let bytes = source.read(options.limits.file_size, interrupt, spare.text()).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&error))
}

fn not_utf8(error: &std::string::FromUtf8Error) -> FileError {
    let valid = error.utf8_error().valid_up_to();
    // Up to the first invalid byte, the lossy text equals the file.
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let diagnostic = Diagnostic::at(valid as u32, "this byte is not UTF-8").expected("a file in UTF-8");
    FileError::new(SourceText::new(text), diagnostic.under(LintRule::Encoding))
}

fn parse(text: String, options: &FileOptions, spare: &SpareMemory) -> Result<Document, FileError> {
    Document::parse_with(spare, text, options.limits.depth as usize).map_err(|(text, diagnostic)| {
        let diagnostic = match text.as_str() {
            text if text.starts_with(LFS_POINTER) => lfs_pointer(),
            text if text.starts_with(REPORT) => {
                diagnostic.expected("a vector file; this is a JSON report of vmconf")
            }
            _ => diagnostic,
        };
        FileError::new(text, diagnostic)
    })
}

/// The start of a JSON report, which has an object on each line.
const REPORT: &str = "{\"type\":\"run\",\"version\":";

/// The start of a file that Git LFS puts in place of a large one.
const LFS_POINTER: &str = "version https://git-lfs";

fn lfs_pointer() -> Diagnostic<Origin> {
    Diagnostic::at(0, "this is a Git LFS pointer, not the file it stands for")
        .expected("the file itself, as git lfs pull fetches it")
        .under(LintRule::Unreadable)
}

pub(crate) enum FileContent {
    /// Vectors of a format.
    Vectors(Document, &'static Format),
    /// A JSON file in a folder that is not a vector file, with a note that says so.
    Other(Document, String),
}

/// Parses the text of a file, and detects its format unless the options specify it.
pub(crate) fn identify(
    source: &VectorSource,
    text: String,
    options: &FileOptions,
    spare: &SpareMemory,
) -> Result<FileContent, FileError> {
    let document = parse(text, options, spare)?;
    if let Some(format) = options.format {
        return Ok(FileContent::Vectors(document, format));
    }
    match detect_format(source, &document, options) {
        Ok(DetectedFormat::Format(format, _)) => Ok(FileContent::Vectors(document, format)),
        Ok(DetectedFormat::Other(why)) => Ok(FileContent::Other(document, why)),
        Err(diagnostic) => Err(FileError::new(document.into_text(), diagnostic)),
    }
}

/// The format of a file and the evidence for it, in a few words: `vmtests, "exec" in line 3`. Fails if the file cannot
/// be read, or if it must be a vector file and its format is not detected.
pub fn explain_format(source: &VectorSource, options: &LoadOptions) -> Result<String, Diagnostic> {
    let (run, options) = (&options.run, options.for_file(source));
    let text = read_text(source, options, &run.interrupt, &run.spare);
    let document = text.and_then(|text| parse(text, options, &run.spare));
    let document = document.map_err(|error| *error.diagnostic)?;
    if let Some(format) = options.format {
        return Ok(format!("{}, as vmconf.toml says", format.name));
    }
    Ok(match detect_format(source, &document, options).map_err(|diagnostic| document.locate(diagnostic))? {
        DetectedFormat::Format(format, evidence) => {
            let SeenFormat { name, what, line, .. } = SeenFormat::new(format, evidence, &document);
            format!("{name}, {what} in line {line}")
        }
        DetectedFormat::Other(why) => why,
    })
}
