//! Recorded runs: each run is stored as a report with fewer members, compressed with gzip if it is long. A
//! checksum at the end reveals damage. Full reports can be read as well, compressed or not.

use std::fmt;
use std::io::{BufRead, Read};

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::{Deserialize, Serialize};

use super::gzip::decompressed;
use super::line::{LineError, read as read_line};
use super::name::start;
use super::report::{LineType, Partition, Problem, Start, Summary};
use crate::model::event;
use crate::model::verdict::Kind;

/// The longest line that is accepted, in bytes.
pub const MOST_LINE: u64 = 64 << 20;

/// The largest report that is accepted, in bytes.
pub const MOST_BYTES: u64 = 1 << 30;

/// The maximum number of cases that is accepted.
pub const MOST_CASES: usize = 1_000_000;

/// A run read from a report or a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// When the run began; `None` for a report.
    pub when: Option<String>,
    /// The command line; `None` for a report.
    pub command: Option<String>,
    /// The paths and filters that select the cases; `None` for a report.
    pub selected: Option<Vec<String>>,
    /// Which part of a run this is, such as `hash:2/8`; `None` for a whole run.
    pub part: Option<String>,
    /// The outcome of each case, by its id, in the order of the run.
    pub cases: IndexMap<String, Outcome>,
    /// The counts.
    pub summary: event::Summary,
}

/// The outcome of a case, reduced to what comparisons need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub kind: Kind,
    /// The signature of the failure or error.
    pub signature: Option<String>,
    /// The first error, for a broken case.
    pub problem: Option<String>,
    /// The file as it was named; `None` in the record of a case that passed.
    pub file: Option<String>,
}

impl Outcome {
    /// Whether the machine satisfies the vector.
    pub fn passes(&self) -> bool {
        matches!(self.kind, Kind::Pass | Kind::UnexpectedPass)
    }

    pub(super) fn fails_like(&self, other: &Outcome) -> bool {
        (self.kind, &self.signature) == (other.kind, &other.signature)
    }
}

/// Why a report or a recorded run cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The name of the input.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// The error, with what was expected.
    pub what: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.name, self.line, self.what)
    }
}

impl std::error::Error for ReadError {}

/// Reads a run; `name` is the name of the input in messages.
///
/// # Errors
///
/// The first line that cannot be read or that is out of place, such as a first line that does not start a
/// run, or a missing summary at the end.
pub fn read(name: &str, input: &mut dyn BufRead) -> Result<Run, ReadError> {
    let mut reading = Reading::default();
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
        let read = input.by_ref().take(MOST_LINE + 1).read_until(b'\n', &mut line);
        match read.map_err(|error| wrong(unreadable(error)))? as u64 {
            0 => return reading.end().map_err(wrong),
            1..=MOST_LINE => reading.line(&line).map_err(|error| wrong(error.to_string()))?,
            _ => return Err(wrong(format!("is longer than {MOST_LINE} bytes"))),
        }
    }
}

/// A line of a recorded run: like a line of a report, but with fewer members for cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first line.
    Run(Start),
    /// A finished case.
    Case(Case),
    /// The counts.
    Summary(Summary),
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
pub struct Case {
    /// The verdict.
    pub verdict: Kind,
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

/// The id of the case, and its outcome.
impl From<Case> for (String, Outcome) {
    fn from(Case { verdict, id, file, signature, problems }: Case) -> (String, Outcome) {
        let problem = problems.and_then(|problems| problems.into_iter().next()).map(|it| it.message);
        (id, Outcome { kind: verdict, signature, problem, file })
    }
}

impl From<(String, Outcome)> for Case {
    fn from((id, outcome): (String, Outcome)) -> Case {
        let Outcome { kind: verdict, signature, problem, file } = outcome;
        let problems = problem.map(|message| {
            vec![Problem { message, expected: None, suggestion: None, line: None, column: None }]
        });
        Case { verdict, id, file, signature, problems }
    }
}

/// How much of a report was read.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    Inside,
    /// After the summary.
    After,
    /// After a correct checksum.
    Checked,
}

#[derive(Default)]
struct Reading {
    run: Run,
    state: State,
    bytes: u64,
    hasher: blake3::Hasher,
}

impl Reading {
    fn line(&mut self, whole: &[u8]) -> Result<(), LineError> {
        self.bytes += whole.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(
                format!("ends more than {MOST_BYTES} bytes from the start; no report is larger").into()
            );
        }
        let line = whole.trim_ascii();
        if line.first() != Some(&b'{') {
            return Err("is not a JSON object".to_owned().into());
        }
        let wrong = |what: &str| Err(what.to_owned().into());
        match (LineType::of(line)?, self.state) {
            (LineType::Run, State::Before) => self.start(read_line(line)?),
            (_, State::Before) => return wrong("expected a line of type run, with which a report begins"),
            (LineType::Run, _) => return wrong("another run begins; expected one"),
            (LineType::Checksum, State::After) => self.checksum(&read_line(line)?)?,
            (_, State::After | State::Checked) => {
                return wrong("follows the summary, which must be the last line of a report");
            }
            (LineType::Checksum, State::Inside) => return wrong("stands before the summary"),
            (LineType::Case, State::Inside) => self.case(read_line(line)?)?,
            (LineType::Note | LineType::Explained, State::Inside) => {}
            (LineType::Summary, State::Inside) => {
                self.run.summary = read_line::<Summary>(line)?.try_into()?;
                self.state = State::After;
            }
        }
        self.hasher.update(whole);
        Ok(())
    }

    fn checksum(&mut self, Checksum { blake3 }: &Checksum) -> Result<(), String> {
        if *blake3 != self.hasher.finalize().to_string() {
            return Err("is not the checksum of the lines before it: the record is damaged".to_owned());
        }
        self.state = State::Checked;
        Ok(())
    }

    fn start(&mut self, Start { when, command, selected, partition, .. }: Start) {
        let part = |Partition { kind, part, of, .. }| format!("{}:{part}/{of}", kind.name());
        self.run.when = when;
        self.run.command = command;
        self.run.selected = selected;
        self.run.part = partition.map(part);
        self.state = State::Inside;
    }

    fn case(&mut self, case: Case) -> Result<(), String> {
        let (id, outcome) = case.into();
        if self.run.cases.len() == MOST_CASES {
            return Err(format!("is of one more case than {MOST_CASES}; no report has more"));
        }
        match self.run.cases.entry(id) {
            Entry::Vacant(place) => drop(place.insert(outcome)),
            // If a case was named twice, it ran twice or was skipped the second time.
            Entry::Occupied(same) if outcome.kind == Kind::Skip || same.get().fails_like(&outcome) => {}
            Entry::Occupied(other) => {
                return Err(format!("{} is there twice, with different outcomes", start(other.key())));
            }
        }
        Ok(())
    }

    fn end(self) -> Result<Run, String> {
        match self.state {
            State::Before => Err("is empty; expected a line of type run".to_owned()),
            State::Inside => Err("ends before the run does; expected a summary".to_owned()),
            // Only a record states when its run began.
            State::After if self.run.when.is_some() => {
                Err("ends without a checksum: the record is damaged".to_owned())
            }
            State::After | State::Checked => Ok(self.run),
        }
    }
}
