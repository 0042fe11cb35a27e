//! What came of a case.

use crate::case::Want;
use crate::json::{Document, Position, Problem, position};
use crate::value::{Path, Value};

/// What came of a case. A machine that differs and a vector that is broken are never the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The machine does all that the vector demands.
    Pass,
    /// The machine differs.
    Fail(Failure),
    /// The machine differs, as a list of known failures says.
    Known(Failure, Listing),
    /// The machine does all that the vector demands, though a list of known failures says otherwise.
    Fixed(Listing),
    /// The vector, its file or the testee is broken; why, in document order.
    Error(Vec<Trouble>),
    /// Not run, and why.
    Skip(String),
}

impl Verdict {
    /// How the machine differs, if it does.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Fail(failure) | Verdict::Known(failure, _) => Some(failure),
            Verdict::Pass | Verdict::Fixed(_) | Verdict::Error(_) | Verdict::Skip(_) => None,
        }
    }

    /// Which of the verdicts it is.
    pub fn kind(&self) -> Kind {
        match self {
            Verdict::Pass => Kind::Pass,
            Verdict::Fail(_) => Kind::Fail,
            Verdict::Known(..) => Kind::Known,
            Verdict::Fixed(_) => Kind::Fixed,
            Verdict::Error(_) => Kind::Error,
            Verdict::Skip(_) => Kind::Skip,
        }
    }

    /// Whether the machine differs, or the vector is broken, and no list says so.
    pub fn is_failed_or_broken(&self) -> bool {
        matches!(self, Verdict::Fail(_) | Verdict::Error(_))
    }

    /// As it is written, in one word.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }
}

/// A verdict without what it says of the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// See [`Verdict::Pass`].
    Pass,
    /// See [`Verdict::Fail`].
    Fail,
    /// See [`Verdict::Known`].
    Known,
    /// See [`Verdict::Fixed`].
    Fixed,
    /// See [`Verdict::Error`].
    Error,
    /// See [`Verdict::Skip`].
    Skip,
}

impl Kind {
    /// Every one.
    pub const ALL: [Kind; 6] = [Kind::Pass, Kind::Fail, Kind::Known, Kind::Fixed, Kind::Error, Kind::Skip];

    /// As it is written, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pass => "pass",
            Kind::Fail => "fail",
            Kind::Known => "known",
            Kind::Fixed => "fixed",
            Kind::Error => "error",
            Kind::Skip => "skip",
        }
    }

    /// The one that is written so.
    pub fn by_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How the machine differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Each leaf that differs; at least one.
    pub differences: Vec<Difference>,
    /// In one line how the machine ended.
    pub ended: String,
    /// Why an entry of a list of known failures that names the case does not hold, in one line.
    pub listed: Option<String>,
}

/// An entry of a list of known failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// File, line and column.
    pub place: String,
    /// Why the case fails.
    pub reason: String,
    /// Where more is said.
    pub link: Option<String>,
}

/// A leaf that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The step after which it was compared, from 1; none where the case has only one.
    pub step: Option<usize>,
    /// Which datum.
    pub at: Path,
    /// What the vector demands.
    pub want: Want,
    /// What the machine has; none when it has no such datum.
    pub got: Option<Value>,
    /// Where the vector demands it.
    pub place: Place,
    /// The datum in words of the program's source, where that says something.
    pub note: Option<String>,
}

/// Something that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What is wrong.
    pub what: String,
    /// What would have been right, where that can be said.
    pub expected: Option<String>,
    /// Where, when it is at one place of the vector file.
    pub place: Option<Place>,
}

impl Trouble {
    /// Trouble without a place.
    pub fn new(what: impl Into<String>) -> Trouble {
        Trouble { what: what.into(), expected: None, place: None }
    }

    /// In one line, with the file and the place in it.
    pub fn located(&self, file: &str) -> String {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
        let expected = self.expected.as_ref().map_or(String::new(), |it| format!("; expected {it}"));
        format!("{file}{place}: {}{expected}", self.what)
    }

    /// The problem of a text that could be read.
    pub fn of(problem: &Problem, document: &Document) -> Trouble {
        Trouble::in_text(problem, document.text())
    }

    /// The problem of a text.
    pub fn in_text(problem: &Problem, text: &str) -> Trouble {
        Trouble {
            what: problem.what.clone(),
            expected: problem.expected.clone(),
            place: Some(Place::new(text, problem.at)),
        }
    }
}

/// A place in a vector file, with enough of its line to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Byte offset into the text.
    pub at: u32,
    /// Line and column.
    pub position: Position,
    /// The line, or the part of a long one around the column.
    pub excerpt: String,
    /// How many characters of the excerpt stand before the place.
    pub before: usize,
}

impl Place {
    /// The place of a byte in a text.
    pub fn new(text: &str, at: u32) -> Place {
        Place::at(text, at, position(text, at))
    }

    /// The place of a byte whose line and column are known. Takes no longer where the line is long.
    pub fn at(text: &str, at: u32, position: Position) -> Place {
        const BEFORE: usize = 40;
        const LONGEST: usize = 80;
        let column = position.column as usize - 1;
        let (left, right) = around(text, at, LONGEST);
        let is_long = column > LONGEST || left.chars().chain(right.chars()).nth(LONGEST).is_some();
        let skipped = if is_long { column.saturating_sub(BEFORE) } else { 0 };
        let mut before = column - skipped;
        let first = left.char_indices().rev().nth(before.wrapping_sub(1)).map_or(left.len(), |first| first.0);
        let mut line = left[first..].chars().chain(right.chars());
        let mut excerpt: String = line.by_ref().take(LONGEST).collect();
        if skipped > 0 {
            excerpt.insert(0, '…');
            before += 1;
        }
        if line.next().is_some() {
            excerpt.push('…');
        }
        Place { at, position, excerpt, before }
    }
}

/// What stands in the line of a byte before it and from it on, each of more than `most` characters
/// if there are so many.
fn around(text: &str, at: u32, most: usize) -> (&str, &str) {
    const LONGEST_CHARACTER: usize = 4;
    let at = text.floor_char_boundary(at as usize);
    let window = LONGEST_CHARACTER * (most + 2);
    let left = &text[text.ceil_char_boundary(at.saturating_sub(window))..at];
    let right = &text[at..text.floor_char_boundary(at + window)];
    let left = left.rsplit('\n').next().unwrap_or("").trim_start_matches(BYTE_ORDER_MARK);
    let right = right.split('\n').next().unwrap_or("").trim_start_matches(BYTE_ORDER_MARK);
    (left, right.trim_end_matches('\r'))
}

const BYTE_ORDER_MARK: char = '\u{feff}';
