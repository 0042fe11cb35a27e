//! Reading a run back: a JSON report, or what was recorded of a run, which is the same with fewer members.
//! What else a line says is passed over.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, Read};

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::Deserialize;

use crate::model::event::{Summary, VERSION};
use crate::model::exit::Exit;
use crate::model::verdict::Kind;

/// The longest line that is read, in bytes.
pub const MOST_LINE: u64 = 64 << 20;

/// The largest report that is read, in bytes.
pub const MOST_BYTES: u64 = 1 << 30;

/// The most cases that are read.
pub const MOST_CASES: usize = 1_000_000;

/// A run that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// When it began, where that is told.
    pub when: Option<String>,
    /// How it was asked for, where that is told.
    pub command: Option<String>,
    /// Which part of a run it is: `hash:2/8`; none for a whole one.
    pub part: Option<String>,
    /// What came of each case, by its id, in the order of the run.
    pub cases: IndexMap<String, Outcome>,
    /// Its numbers.
    pub summary: Summary,
}

/// What came of a case, as far as it takes to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub kind: Kind,
    /// In what way it fails or is broken.
    pub signature: Option<String>,
    /// The first problem of one that is broken.
    pub problem: Option<String>,
    /// Its file as it was named, where that is told.
    pub file: Option<String>,
}

impl Outcome {
    /// Whether the machine did what the vector demands.
    pub fn passes(&self) -> bool {
        matches!(self.kind, Kind::Pass | Kind::UnexpectedPass)
    }

    pub(super) fn fails_like(&self, other: &Outcome) -> bool {
        (self.kind, &self.signature) == (other.kind, &other.signature)
    }
}

/// What is no report, or a damaged one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What was read.
    pub name: String,
    /// In which line, from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.name, self.line, self.what)
    }
}

impl std::error::Error for Unreadable {}

/// Reads a run; `name` is what messages call it.
///
/// # Errors
///
/// The first line that cannot be read, or is none of a report, or stands where it cannot, such as a first
/// one that begins no run; and when the last one is no summary.
pub fn read(name: &str, input: &mut dyn BufRead) -> Result<Run, Unreadable> {
    let mut reading = Reading { run: Run::default(), state: State::Before, bytes: 0 };
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        number += 1;
        line.clear();
        let wrong = |what| Unreadable { name: name.to_owned(), line: number, what };
        // One more than there may be, so that it is seen.
        let read = input.take(MOST_LINE + 1).read_until(b'\n', &mut line);
        match read.map_err(|error| wrong(format!("cannot be read: {error}")))? as u64 {
            0 => return reading.end().map_err(wrong),
            1..=MOST_LINE => reading.line(&line).map_err(wrong)?,
            _ => return Err(wrong(format!("is longer than {MOST_LINE} bytes"))),
        }
    }
}

/// The members of all lines.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    r#type: Cow<'l, str>,
    // Of a run.
    version: Option<u32>,
    when: Option<String>,
    command: Option<String>,
    partition: Option<Partition>,
    // Of a case.
    #[serde(borrow)]
    verdict: Option<Cow<'l, str>>,
    id: Option<String>,
    file: Option<String>,
    signature: Option<String>,
    problems: Option<Vec<Problem>>,
    // Of a summary.
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    failed: u64,
    /// Says of a case that it did not run.
    cached: Option<serde_json::Value>,
    /// Says of a case which entry of a list names it.
    known: Option<serde_json::Value>,
    #[serde(default)]
    fixed: u64,
    #[serde(default)]
    errors: u64,
    #[serde(default)]
    skipped: u64,
    #[serde(default)]
    seconds: f64,
    exit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Partition {
    kind: String,
    part: u64,
    of: u64,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Problem {
    message: String,
}

/// How far a report was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    After,
}

struct Reading {
    run: Run,
    state: State,
    bytes: u64,
}

impl Reading {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        self.bytes += line.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(format!("ends more than {MOST_BYTES} bytes from the start; no report is larger"));
        }
        let line = line.trim_ascii();
        if line.first() != Some(&b'{') {
            return Err("is no JSON object".to_owned());
        }
        let line: Line<'_> = serde_json::from_slice(line).map_err(|error| problem(&error))?;
        match (&*line.r#type, self.state) {
            ("run", State::Before) => self.head(line),
            (_, State::Before) => Err("expected a line of type run, with which a report begins".to_owned()),
            ("run", _) => Err("another run begins; expected one".to_owned()),
            (_, State::After) => Err("stands behind the summary, which is the last of a report".to_owned()),
            ("case", State::Inside) => self.case(line),
            ("note", State::Inside) => Ok(()),
            ("summary", State::Inside) => self.summary(line),
            (other, State::Inside) => {
                Err(format!("{} is no type of line; expected case, note or summary", shown(other)))
            }
        }
    }

    fn head(&mut self, line: Line<'_>) -> Result<(), String> {
        match line.version {
            Some(VERSION) => {}
            Some(other) => return Err(format!("is of version {other}; expected {VERSION}")),
            None => return Err(format!("has no version; expected {VERSION}")),
        }
        let part = |Partition { kind, part, of }| format!("{kind}:{part}/{of}");
        self.run.when = line.when;
        self.run.command = line.command;
        self.run.part = line.partition.map(part);
        self.state = State::Inside;
        Ok(())
    }

    fn case(&mut self, line: Line<'_>) -> Result<(), String> {
        let verdict = line.verdict.ok_or("is of a case and has no verdict")?;
        let kind = Kind::by_name(&verdict).ok_or_else(|| {
            let all = Kind::ALL.map(Kind::name).join(", ");
            format!("{} is no verdict; expected one of {all}", shown(&verdict))
        })?;
        let outcome = Outcome {
            kind,
            signature: line.signature,
            problem: line.problems.and_then(|problems| problems.into_iter().next()).map(|it| it.message),
            file: line.file,
        };
        if self.run.cases.len() == MOST_CASES {
            return Err(format!("is of one more case than {MOST_CASES}; no report has more"));
        }
        match self.run.cases.entry(line.id.ok_or("is of a case and has no id")?) {
            Entry::Vacant(place) => drop(place.insert(outcome)),
            // A case that was named twice ran twice, or was then skipped.
            Entry::Occupied(same) if outcome.kind == Kind::Skip || same.get().fails_like(&outcome) => {}
            Entry::Occupied(other) => {
                return Err(format!("{} is there twice, with different outcomes", shown(other.key())));
            }
        }
        Ok(())
    }

    fn summary(&mut self, line: Line<'_>) -> Result<(), String> {
        let exit = line.exit.ok_or("is a summary and has no exit")?;
        let count = |member: Option<serde_json::Value>| member.as_ref().and_then(serde_json::Value::as_u64);
        self.run.summary = Summary {
            passed: line.passed,
            cached: count(line.cached).unwrap_or(0),
            failed: line.failed,
            known: count(line.known).unwrap_or(0),
            fixed: line.fixed,
            errors: line.errors,
            skipped: line.skipped,
            seconds: line.seconds,
            interrupted: exit == Exit::Interrupted as u64,
        };
        self.state = State::After;
        Ok(())
    }

    fn end(self) -> Result<Run, String> {
        match self.state {
            State::Before => Err("is empty; expected a line of type run".to_owned()),
            State::Inside => Err("ends before the run does; expected a summary".to_owned()),
            State::After => Ok(self.run),
        }
    }
}

/// What is wrong with a line; the line that the error counts is always the first.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    format!("{what} in column {}", error.column())
}

/// The start of a text from a report.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let start: String = text.chars().take(LONGEST).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{start:?}{more}")
}
