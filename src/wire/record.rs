//! Recorded runs: each run is stored as a report with fewer members, compressed with gzip if it is long. A
//! checksum at the end reveals damage. Full reports can be read as well, compressed or not.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::{Deserialize, Serialize};

use super::gzip::decompressed;
use super::line::{LineError, read as read_line};
use super::name::start;
use super::report::{LineType, Problem, ReportStart, ReportedPartition, ReportedSummary, ReportedSuspects};
pub use super::report_order::MAX_REPORT_BYTES;
use super::report_order::{LineOrder, ReportProgress};
use crate::model::VerdictKind;
use crate::model::event;
use crate::model::suspects::UNEXPLAINED;

/// The longest line that is accepted, in bytes.
pub const MAX_REPORT_LINE: u64 = 64 << 20;

/// The maximum number of cases that is accepted.
pub const MAX_CASES: usize = 5_000_000;

/// The error for a report whose summary does not count the cases before it.
pub const OTHER_COUNTS: &str = "has other cases than its summary counts: some are missing or added";

/// A run read from a report or a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedRun {
    /// When the run began; `None` for a report.
    pub when: Option<String>,
    /// The command line; `None` for a report.
    pub command: Option<String>,
    /// The paths and filters that select the cases; `None` for a report.
    pub selected: Option<Vec<String>>,
    /// What selects among the cases of the files; only in a report.
    pub only: Vec<String>,
    /// The machine in another process; `None` for embedded machines.
    pub vm: Option<event::UsedVm>,
    /// Which part of a run this is, such as `hash:2/8`; `None` for a whole run.
    pub part: Option<String>,
    /// The outcome of each case, by its id, in the order of the run.
    pub cases: IndexMap<String, RecordedOutcome>,
    /// The instruction that explains a failing case, by the id of the case.
    pub suspects: HashMap<String, String>,
    /// The counts.
    pub summary: event::RunSummary,
}

/// The outcome of a case, reduced to what comparisons need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedOutcome {
    /// The verdict.
    #[serde(rename = "verdict")]
    pub kind: VerdictKind,
    /// For a known failure, the verdict without the list; `None` if that is `fail`.
    #[serde(skip)]
    pub unlisted: Option<VerdictKind>,
    /// The signature of the failure or error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The first error, for a broken case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The file as it was named; `None` in the record of a case that passed.
    #[serde(skip)]
    pub file: Option<String>,
}

impl RecordedOutcome {
    /// Whether the machine satisfies the vector.
    pub fn passes(&self) -> bool {
        matches!(self.kind, VerdictKind::Pass | VerdictKind::Fixed)
    }

    pub(super) fn fails_like(&self, other: &RecordedOutcome) -> bool {
        (self.kind, &self.signature) == (other.kind, &other.signature)
    }
}

/// Why a report or a recorded run cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {what}")]
pub struct ReadError {
    /// The name of the input.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// The error, with what was expected.
    pub what: String,
}

/// Reads a run; `name` is the name of the input in messages. The error is the first line that cannot be read or that
/// is out of place, such as a first line that does not start a run, or a missing summary at the end.
pub fn read(name: &str, input: &mut dyn BufRead) -> Result<RecordedRun, ReadError> {
    read_at_most(MAX_CASES, name, input)
}

/// Reads a run of at most this number of cases.
pub fn read_at_most(max_cases: usize, name: &str, input: &mut dyn BufRead) -> Result<RecordedRun, ReadError> {
    RecordReading { max_cases, ..RecordReading::default() }.all(name, input)
}

/// Reads a record, and passes its cases to `each` instead of keeping them. If an error follows, discard them: the record
/// is damaged.
pub fn read_each(
    name: &str,
    input: &mut dyn BufRead,
    each: &mut dyn FnMut(RecordedCase),
) -> Result<RecordedRun, ReadError> {
    let reading = RecordReading { max_cases: MAX_CASES, each: Some(each), ..RecordReading::default() };
    reading.all(name, input)
}

/// Passes each line of a report to `each`, with its terminator; the number of lines.
pub(super) fn each_line(
    name: &str,
    input: &mut dyn BufRead,
    each: &mut dyn FnMut(&[u8]) -> Result<(), LineError>,
) -> Result<usize, ReadError> {
    let mut line = Vec::new();
    let unreadable = |error| format!("cannot be read: {error}");
    let wrong = |line, what| ReadError { name: name.to_owned(), line, what };
    let mut input = decompressed(input).map_err(|error| wrong(1, unreadable(error)))?;
    let mut number = 0;
    loop {
        number += 1;
        line.clear();
        let wrong = |what: String| wrong(number, what);
        // One byte more than allowed, to detect a line that is too long.
        let read = input.by_ref().take(MAX_REPORT_LINE + 1).read_until(b'\n', &mut line);
        match read.map_err(|error| wrong(unreadable(error)))? as u64 {
            0 => return Ok(number - 1),
            1..=MAX_REPORT_LINE => each(&line).map_err(|error| wrong(error.to_string()))?,
            _ => return Err(wrong(format!("is longer than {MAX_REPORT_LINE} bytes"))),
        }
    }
}

/// A line of a recorded run: like a line of a report, but with fewer members for cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum RecordLine {
    /// The first line.
    Run(Box<ReportStart>),
    /// A finished case.
    Case(RecordedCase),
    /// Which instructions explain all failures.
    Suspects(Box<ReportedSuspects>),
    /// The counts.
    Summary(ReportedSummary),
    /// The last line: a checksum of all lines before it.
    Checksum(Checksum),
}

/// A checksum of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// The BLAKE3 hash in hex digits.
    pub blake3: String,
}

impl Checksum {
    /// The checksum of the lines that were hashed, with their terminators.
    pub fn of(lines: &blake3::Hasher) -> Checksum {
        Checksum { blake3: lines.finalize().to_string() }
    }
}

/// A case of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCase {
    /// The verdict.
    pub verdict: VerdictKind,
    /// For a known failure, the verdict without the list; omitted if that is `fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<VerdictKind>,
    /// The id.
    pub id: String,
    /// The file as it was named; omitted for a case that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The signature of the failure or error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The first error, for a broken case; a report may have more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<Problem>>,
}

impl RecordedCase {
    /// The id and the outcome.
    pub fn into_outcome(self) -> (String, RecordedOutcome) {
        let RecordedCase { verdict, unlisted, id, file, signature, problems } = self;
        let problem = problems.and_then(|problems| problems.into_iter().next()).map(|it| it.message);
        (id, RecordedOutcome { kind: verdict, unlisted, signature, problem, file })
    }
}

#[derive(Default)]
struct RecordReading<'e> {
    max_cases: usize,
    /// Receives the cases; `None` to keep them.
    each: Option<&'e mut dyn FnMut(RecordedCase)>,
    run: RecordedRun,
    order: LineOrder,
    hasher: blake3::Hasher,
    /// The counts of the lines so far.
    counted: event::RunSummary,
}

impl RecordReading<'_> {
    fn all(mut self, name: &str, input: &mut dyn BufRead) -> Result<RecordedRun, ReadError> {
        let lines = each_line(name, input, &mut |line| self.line(line))?;
        self.end().map_err(|what| ReadError { name: name.to_owned(), line: lines + 1, what })
    }

    fn line(&mut self, whole: &[u8]) -> Result<(), LineError> {
        self.order.count(whole)?;
        let line = whole.trim_ascii();
        if line.first() != Some(&b'{') {
            return Err("is not a JSON object".to_owned().into());
        }
        let line_type = LineType::of(line)?;
        self.order.accept(line_type)?;
        match line_type {
            LineType::Run => self.start(read_line(line)?),
            LineType::Checksum => self.checksum(&read_line(line)?)?,
            LineType::Case => self.case(read_line(line)?)?,
            LineType::Suspects => self.suspects(read_line(line)?),
            LineType::Summary => self.run.summary = read_line::<ReportedSummary>(line)?.try_into()?,
            LineType::Note | LineType::Explained | LineType::NotCompared => {}
        }
        self.hasher.update(whole);
        Ok(())
    }

    fn checksum(&self, Checksum { blake3 }: &Checksum) -> Result<(), String> {
        if *blake3 != self.hasher.finalize().to_string() {
            return Err("is not the checksum of the lines before it: the record is damaged".to_owned());
        }
        Ok(())
    }

    fn start(&mut self, start: ReportStart) {
        let ReportStart { when, command, selected, only, vm, partition, .. } = start;
        let part = |ReportedPartition { kind, part, of, .. }| format!("{}:{part}/{of}", kind.name());
        self.run.when = when;
        self.run.command = command;
        self.run.selected = selected;
        self.run.only = only;
        self.run.vm = vm;
        self.run.part = partition.map(part);
    }

    fn case(&mut self, case: RecordedCase) -> Result<(), String> {
        self.counted.count_kind(case.verdict);
        if let Some(each) = &mut self.each {
            each(case);
            return Ok(());
        }
        let (id, outcome) = case.into_outcome();
        if self.run.cases.len() == self.max_cases {
            return Err(format!("is of one more case than {}; no report has more", self.max_cases));
        }
        match self.run.cases.entry(id) {
            Entry::Vacant(place) => drop(place.insert(outcome)),
            // If a case was named twice, it ran twice or was skipped the second time.
            Entry::Occupied(same) if outcome.kind == VerdictKind::Skip || same.get().fails_like(&outcome) => {
            }
            Entry::Occupied(other) => {
                return Err(occurs_twice(other.key()));
            }
        }
        Ok(())
    }

    fn suspects(&mut self, ReportedSuspects { analysis }: ReportedSuspects) {
        if !analysis.suspects.is_empty() {
            let doubtful = analysis.doubtful.into_iter().map(|it| it.id);
            let unexplained = analysis.unexplained.into_iter().chain(doubtful);
            self.run.suspects.extend(unexplained.map(|id| (id, UNEXPLAINED.to_owned())));
        }
        for suspect in analysis.suspects {
            self.run.suspects.extend(suspect.cases.into_iter().map(|id| (id, suspect.name.op.clone())));
        }
    }

    fn end(self) -> Result<RecordedRun, String> {
        self.order.end()?;
        // What has a checksum need not have all cases.
        if self.order.progress == ReportProgress::AfterChecksum {
            return Ok(self.run);
        }
        // Only a record states when its run began.
        if self.run.when.is_some() {
            return Err("ends without a checksum: the record is damaged".to_owned());
        }
        if !self.counted.counts_as(&self.run.summary) {
            return Err(OTHER_COUNTS.to_owned());
        }
        Ok(self.run)
    }
}

/// What is wrong with a case that a report has twice.
pub(super) fn occurs_twice(id: &str) -> String {
    format!("{} occurs twice, with different outcomes", start(id))
}
