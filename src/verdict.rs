//! What came of a case.

use crate::case::Want;
use crate::json::{Document, Position, Problem, line_at, position};
use crate::value::{Path, Value};

/// What came of a case. A machine that differs and a vector that is broken are never the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The machine does all that the vector demands.
    Pass,
    /// The machine differs.
    Fail(Failure),
    /// The vector, its file or the testee is broken; why, in document order.
    Error(Vec<Trouble>),
    /// Not run, and why.
    Skip(String),
}

/// How the machine differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Each leaf that differs; at least one.
    pub differences: Vec<Difference>,
    /// In one line how the machine ended.
    pub ended: String,
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
        const BEFORE: usize = 40;
        const LONGEST: usize = 80;
        let position = position(text, at);
        let line = line_at(text, at);
        let column = position.column as usize - 1;
        let skipped = if line.chars().count() > LONGEST { column.saturating_sub(BEFORE) } else { 0 };
        let mut excerpt: String = line.chars().skip(skipped).take(LONGEST).collect();
        let mut before = column - skipped;
        if skipped > 0 {
            excerpt.insert(0, '…');
            before += 1;
        }
        if line.chars().count() > skipped + LONGEST {
            excerpt.push('…');
        }
        Place { at, position, excerpt, before }
    }
}
