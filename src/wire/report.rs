//! The lines of a JSON report, described by `schemas/report.schema.json`.

mod case;
mod summary;

use serde::{Deserialize, Serialize};

pub use self::case::{Problem, ReportedCase, ReportedDifference};
use self::case::{case_id, place};
pub use self::summary::ReportedSummary;
use super::line::{LineError, LineHeader, read};
use super::name::start;
use crate::model::event::{self, VERSION};
use crate::model::explanation;
use crate::model::partition;
use crate::model::{
    CaseId, CaseReport, Diagnostic, Event, FieldNotCompared, NO_CASE_MATCHES, Position, SuspectAnalysis,
    VectorsVersion, Verdict,
};

/// A line of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[allow(clippy::large_enum_variant, reason = "lines are written and read one at a time")]
pub enum ReportLine {
    /// The first line.
    Run(ReportStart),
    /// A finished case.
    Case(Box<ReportedCase>),
    /// A note on something that was ignored and may matter.
    Note(Note),
    /// Why a case does not pass; only in the report of a part.
    Explained(ReportedExplanation),
    /// Assertions that were left out of the comparison.
    #[serde(rename = "not-compared")]
    NotCompared(ReportedNotCompared),
    /// Which instructions explain all failures.
    Suspects(Box<ReportedSuspects>),
    /// The last line.
    Summary(ReportedSummary),
}

/// Which instructions explain all failures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedSuspects {
    /// As `vmconf suspects` writes it.
    pub analysis: SuspectAnalysis,
}

impl From<&SuspectAnalysis> for ReportedSuspects {
    fn from(analysis: &SuspectAnalysis) -> ReportedSuspects {
        ReportedSuspects { analysis: analysis.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineType {
    Run,
    Case,
    Note,
    Explained,
    NotCompared,
    Suspects,
    Summary,
    /// The checksum; only in recorded runs.
    Checksum,
}

impl LineType {
    /// Reads the type of a line. A report of another version is rejected before the rest of it is read.
    pub(super) fn of(line: &[u8]) -> Result<LineType, LineError> {
        let LineHeader { r#type, version } = read(line)?;
        match &*r#type {
            "run" => match version {
                Some(VERSION) => Ok(LineType::Run),
                Some(other) => Err(format!("is of version {other}; expected {VERSION}").into()),
                None => Err(format!("has no version; expected {VERSION}").into()),
            },
            "case" => Ok(LineType::Case),
            "note" => Ok(LineType::Note),
            "explained" => Ok(LineType::Explained),
            "not-compared" => Ok(LineType::NotCompared),
            "suspects" => Ok(LineType::Suspects),
            "summary" => Ok(LineType::Summary),
            "checksum" => Ok(LineType::Checksum),
            other => {
                let other = start(other);
                Err(format!(
                    "{other} is not a type of line; expected case, note, explained, not-compared, suspects or summary"
                )
                .into())
            }
        }
    }
}

impl ReportLine {
    /// Reads a line. Unknown members are ignored, since a later version may write more. An error says what is wrong,
    /// with its column.
    pub fn read(line: &[u8]) -> Result<ReportLine, LineError> {
        ReportLine::of_type(LineType::of(line)?, line)
    }

    /// Reads a line of this type.
    pub(super) fn of_type(line_type: LineType, line: &[u8]) -> Result<ReportLine, LineError> {
        Ok(match line_type {
            LineType::Run => ReportLine::Run(read(line)?),
            LineType::Case => ReportLine::Case(read(line)?),
            LineType::Note => ReportLine::Note(read(line)?),
            LineType::Explained => ReportLine::Explained(read(line)?),
            LineType::NotCompared => ReportLine::NotCompared(read(line)?),
            LineType::Suspects => ReportLine::Suspects(read(line)?),
            LineType::Summary => ReportLine::Summary(read(line)?),
            LineType::Checksum => return Err("is of a recorded run; expected a report".to_owned().into()),
        })
    }

    /// The position in the whole run, which is `None` in the report of a whole run; `None` for a line without one.
    pub fn position(&mut self) -> Option<&mut Option<u64>> {
        match self {
            ReportLine::Case(case) => Some(&mut case.position),
            ReportLine::Note(note) => Some(&mut note.position),
            ReportLine::Explained(explained) => Some(&mut explained.position),
            ReportLine::Run(_)
            | ReportLine::NotCompared(_)
            | ReportLine::Suspects(_)
            | ReportLine::Summary(_) => None,
        }
    }
}

/// The event that the line represents.
impl TryFrom<ReportLine> for Event {
    type Error = String;

    fn try_from(line: ReportLine) -> Result<Event, String> {
        Ok(match line {
            ReportLine::Run(run) => Event::Started { files: run.files, vm: run.vm },
            ReportLine::Case(case) => of_case((*case).try_into()?),
            ReportLine::Note(note) => note.try_into()?,
            ReportLine::Explained(explained) => explained.try_into()?,
            ReportLine::NotCompared(ReportedNotCompared { fields }) => Event::NotCompared(fields),
            ReportLine::Suspects(suspects) => Event::Suspects(Box::new(suspects.analysis)),
            ReportLine::Summary(summary) => Event::Ended(summary.try_into()?),
        })
    }
}

/// The event of a case, or of a machine or a list of known failures, which reports show like a case.
fn of_case(report: CaseReport) -> Event {
    let is_of_list = |errors: &[Diagnostic]| {
        report.id.name.is_none() && errors.iter().all(|error| error.what.starts_with(NO_CASE_MATCHES))
    };
    match report.verdict {
        Verdict::Error(errors) if report.id.is_machine() || is_of_list(&errors) => {
            Event::Broken { source: report.id, errors }
        }
        verdict => Event::Finished(CaseReport { verdict, ..report }),
    }
}

/// The first line of a report, or of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct ReportStart {
    /// See [`VERSION`].
    pub version: u32,
    /// The version of the program.
    pub vmconf: String,
    /// The number of files to read.
    pub files: usize,
    /// The machine in another process that the cases run on; `None` for embedded machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vm: Option<event::UsedVm>,
    /// The system that the cases run on, as `linux x86_64`; `None` in a recorded run, and if the merged parts of a run
    /// ran on several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The versions of the vectors; none in a recorded run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<VectorsVersion>,
    /// What selects among the cases of the files, as `--filter=add`; none if all cases run, and in a recorded run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The part of a run; `None` for a whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<ReportedPartition>,
    /// When the run began, in the format of RFC 3339; only in a recorded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The command line; only in a recorded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The paths and filters that select the cases, independent of how they were typed; only in a recorded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<Vec<String>>,
}

/// The assertions of a run that were left out of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedNotCompared {
    /// The fields.
    pub fields: Vec<FieldNotCompared>,
}

/// The part of a run that a report covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct ReportedPartition {
    /// How cases are assigned to parts.
    pub kind: partition::PartitionKind,
    /// The number of the part, from 1.
    pub part: u64,
    /// The number of parts.
    pub of: u64,
    /// A hash of the whole selection of cases; omitted in a recorded run, whose first line is written before the cases
    /// are known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selection: String,
    /// The arguments of the command line; omitted in a recorded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed: Option<TypedFlags>,
    /// The entries of lists of known failures that match no case of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<ReportedEntry>,
}

/// An entry of a list of known failures that matches no case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct ReportedEntry {
    /// The list.
    pub list: String,
    /// The id or the glob.
    pub id: String,
    /// Its line in the list, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

impl From<partition::UnmatchedEntry> for ReportedEntry {
    fn from(entry: partition::UnmatchedEntry) -> ReportedEntry {
        let partition::UnmatchedEntry { list, id, place } = entry;
        let Position { line, column } = place.position;
        ReportedEntry { list: list.to_string(), id, line, column }
    }
}

impl TryFrom<ReportedEntry> for partition::UnmatchedEntry {
    type Error = String;

    fn try_from(entry: ReportedEntry) -> Result<partition::UnmatchedEntry, String> {
        let ReportedEntry { list, id, line, column } = entry;
        Ok(partition::UnmatchedEntry { list: list.into(), id, place: place(line, column)? })
    }
}

/// Arguments of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct TypedFlags {
    /// Paths and filters.
    pub selection: Vec<String>,
    /// Flags that can change a verdict.
    pub flags: Vec<String>,
}

impl ReportStart {
    /// The first line of a report of this program, without the selection and the arguments of a part.
    pub fn new(files: usize, part: Option<partition::Partition>) -> ReportStart {
        let partition = part.map(|partition| ReportedPartition {
            kind: partition.kind(),
            part: partition.part(),
            of: partition.of(),
            selection: String::new(),
            typed: None,
            unmatched: Vec::new(),
        });
        ReportStart {
            version: VERSION,
            vmconf: env!("CARGO_PKG_VERSION").to_owned(),
            files,
            partition,
            ..ReportStart::default()
        }
    }
}

/// A note on something that was ignored and may matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The file.
    pub file: String,
    /// The note and its place.
    #[serde(flatten)]
    pub problem: Problem,
    /// The position in the whole run, in the report of a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

impl Note {
    /// The line for a note.
    pub fn new(file: &str, diagnostic: &Diagnostic) -> Note {
        Note { file: file.to_owned(), problem: diagnostic.into(), position: None }
    }
}

impl TryFrom<Note> for Event {
    type Error = String;

    fn try_from(Note { file, problem, .. }: Note) -> Result<Event, String> {
        Ok(Event::Note { file: file.into(), diagnostic: problem.try_into()? })
    }
}

/// Why a case does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedExplanation {
    /// The id of the case.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its name in the file.
    pub name: Option<String>,
    /// The explanation, as `vmconf diff` prints it.
    pub text: String,
    /// The position in the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

impl ReportedExplanation {
    /// The line for an explanation.
    pub fn new(id: &CaseId, text: &str) -> ReportedExplanation {
        let CaseId { file, name, .. } = id;
        ReportedExplanation {
            id: id.to_string(),
            file: file.to_string(),
            name: name.as_deref().map(str::to_owned),
            text: text.to_owned(),
            position: None,
        }
    }
}

impl TryFrom<ReportedExplanation> for Event {
    type Error = String;

    fn try_from(
        ReportedExplanation { id, file, name, text, .. }: ReportedExplanation,
    ) -> Result<Event, String> {
        Ok(Event::Explained(explanation::ExplainedCase::Text { id: case_id(&id, &file, name)?, text }))
    }
}
