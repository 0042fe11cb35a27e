//! The result of a case.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::assertion::Expected;
use super::path::Path;
use super::state_table::StateTable;
use super::value::Value;
use crate::model::count::counted;
use crate::model::diagnostic::{Diagnostic, DiagnosticPlace};

/// The result of a case. A machine that differs and a broken vector are always distinct verdicts.
#[derive(Debug, Clone, PartialEq, Eq, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(VerdictKind),
    derive(Hash, strum::IntoStaticStr, strum::VariantArray),
    strum(serialize_all = "lowercase"),
    doc = "A verdict without its details."
)]
pub enum Verdict {
    /// The machine satisfies every assertion of the vector.
    Pass,
    /// The machine differs.
    Fail(Failure),
    /// The case does not pass, as a list of known failures expects.
    Known(NotPassed, KnownListing),
    /// The machine satisfies the vector, although a list of known failures expects it to fail.
    Fixed(KnownListing),
    /// The vector, its file or the testee is broken; the diagnostics, in document order.
    Error(Vec<Diagnostic>),
    /// The case did not run, and why.
    Skip(String),
    /// The testee lacks something that the case needs.
    Unsupported(String),
    /// The testee ended, or broke the protocol.
    Crash(Breakdown),
    /// The testee did not answer in time.
    Timeout(Breakdown),
    /// The case passed when it was tried again, alone in a new process, after the testee had crashed or timed out.
    Flaky(FirstTry),
}

impl Verdict {
    /// How the machine differs, if it does.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Fail(failure) | Verdict::Known(NotPassed::Fail(failure), _) => Some(failure),
            Verdict::Pass
            | Verdict::Known(..)
            | Verdict::Fixed(_)
            | Verdict::Error(_)
            | Verdict::Skip(_)
            | Verdict::Unsupported(_)
            | Verdict::Crash(_)
            | Verdict::Timeout(_)
            | Verdict::Flaky(_) => None,
        }
    }

    /// The kind of the verdict.
    pub fn kind(&self) -> VerdictKind {
        self.into()
    }

    /// The kind that the verdict has without a list of known failures.
    pub fn unlisted_kind(&self) -> VerdictKind {
        match self {
            Verdict::Known(not_passed, _) => not_passed.kind(),
            Verdict::Fixed(_) => VerdictKind::Pass,
            other => other.kind(),
        }
    }

    /// Whether the machine differs, or the vector or the testee is broken, and no list expects it.
    pub fn is_failed_or_broken(&self) -> bool {
        self.kind().is_failed_or_broken()
    }

    /// How the testee broke down, if it did; for a flaky case, the first time.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        match self {
            Verdict::Crash(breakdown)
            | Verdict::Timeout(breakdown)
            | Verdict::Flaky(FirstTry { breakdown, .. })
            | Verdict::Known(NotPassed::Crash(breakdown) | NotPassed::Timeout(breakdown), _) => {
                Some(breakdown)
            }
            Verdict::Pass
            | Verdict::Fail(_)
            | Verdict::Known(..)
            | Verdict::Fixed(_)
            | Verdict::Error(_)
            | Verdict::Skip(_)
            | Verdict::Unsupported(_) => None,
        }
    }

    /// Its name, as written in output.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Its name, and why there is no result, if it says so, in one line.
    pub fn in_a_line(&self) -> String {
        match (self, self.breakdown()) {
            (Verdict::Unsupported(why), _) => format!("{}: {why}", self.name()),
            (_, Some(breakdown)) => format!("{}: {}", self.name(), breakdown.what),
            _ => self.name().to_owned(),
        }
    }
}

/// How a case does not pass: the verdicts that a list of known failures can expect. A broken vector is not
/// one of them, and neither is a flaky case, which does not do the same each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPassed {
    /// See [`Verdict::Fail`].
    Fail(Failure),
    /// See [`Verdict::Unsupported`].
    Unsupported(String),
    /// See [`Verdict::Crash`].
    Crash(Breakdown),
    /// See [`Verdict::Timeout`].
    Timeout(Breakdown),
}

impl NotPassed {
    /// The kind of the verdict.
    pub fn kind(&self) -> VerdictKind {
        match self {
            NotPassed::Fail(_) => VerdictKind::Fail,
            NotPassed::Unsupported(_) => VerdictKind::Unsupported,
            NotPassed::Crash(_) => VerdictKind::Crash,
            NotPassed::Timeout(_) => VerdictKind::Timeout,
        }
    }
}

impl From<NotPassed> for Verdict {
    fn from(not_passed: NotPassed) -> Verdict {
        match not_passed {
            NotPassed::Fail(failure) => Verdict::Fail(failure),
            NotPassed::Unsupported(reason) => Verdict::Unsupported(reason),
            NotPassed::Crash(breakdown) => Verdict::Crash(breakdown),
            NotPassed::Timeout(breakdown) => Verdict::Timeout(breakdown),
        }
    }
}

/// Returns the verdict as the error if a list cannot expect it.
impl TryFrom<Verdict> for NotPassed {
    type Error = Verdict;

    fn try_from(verdict: Verdict) -> Result<NotPassed, Verdict> {
        match verdict {
            Verdict::Fail(failure) => Ok(NotPassed::Fail(failure)),
            Verdict::Unsupported(reason) => Ok(NotPassed::Unsupported(reason)),
            Verdict::Crash(breakdown) => Ok(NotPassed::Crash(breakdown)),
            Verdict::Timeout(breakdown) => Ok(NotPassed::Timeout(breakdown)),
            Verdict::Pass
            | Verdict::Known(..)
            | Verdict::Fixed(_)
            | Verdict::Error(_)
            | Verdict::Skip(_)
            | Verdict::Flaky(_) => Err(verdict),
        }
    }
}

/// Whether a machine does what a case demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseOutcome {
    /// It does.
    Passes,
    /// It differs, crashes or takes too long.
    Fails,
}

impl VerdictKind {
    /// All kinds.
    pub const ALL: &[VerdictKind] = VerdictKind::VARIANTS;

    /// See [`Verdict::is_failed_or_broken`].
    pub fn is_failed_or_broken(self) -> bool {
        match self {
            VerdictKind::Fail
            | VerdictKind::Error
            | VerdictKind::Crash
            | VerdictKind::Timeout
            | VerdictKind::Flaky => true,
            VerdictKind::Pass
            | VerdictKind::Known
            | VerdictKind::Fixed
            | VerdictKind::Skip
            | VerdictKind::Unsupported => false,
        }
    }

    /// Whether the machine does what the case demands; `None` if that is not known, or if the case is listed as one that
    /// fails, so that it needs no explanation.
    pub fn outcome(self) -> Option<CaseOutcome> {
        match self {
            VerdictKind::Pass | VerdictKind::Fixed => Some(CaseOutcome::Passes),
            VerdictKind::Fail | VerdictKind::Crash | VerdictKind::Timeout => Some(CaseOutcome::Fails),
            VerdictKind::Known
            | VerdictKind::Error
            | VerdictKind::Skip
            | VerdictKind::Unsupported
            | VerdictKind::Flaky => None,
        }
    }

    /// Whether a run with such a case fails.
    pub fn fails_run(self) -> bool {
        self.is_failed_or_broken() || self == VerdictKind::Fixed
    }

    /// Its name, as written in output.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind with this name.
    pub fn by_name(name: &str) -> Option<VerdictKind> {
        VerdictKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// How the machine differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Each leaf that differs; at least one.
    pub differences: Vec<CaseDifference>,
    /// How the machine ended, in one line; empty if a machine of a family does not say so.
    pub ended: String,
    /// How many instructions it executed; `None` for a machine in another process.
    pub instructions: Option<u64>,
    /// On a machine of a family, the state of the first step that fails, before and after.
    pub state: Option<Box<StateTable>>,
    /// How the testee broke down the first time, if it was tried twice; `None` once both tries were judged.
    pub first: Option<Box<FirstTry>>,
}

impl Failure {
    /// Whether the machine is that of a family: its instructions are unknown, and few of its adapters report steps.
    pub fn is_of_family(&self) -> bool {
        self.state.is_some()
    }

    /// What is demanded at a difference, and what the machine has instead: as the declaration of a family shows numbers,
    /// if the table of the state has the datum.
    pub fn texts(&self, difference: &CaseDifference) -> (String, String) {
        let table = self.state.as_deref().filter(|table| table.step == difference.step);
        let mut rows = table.into_iter().flat_map(|table| {
            table.rows.iter().chain(table.memories.iter().flat_map(|memory| &memory.cells))
        });
        let row = rows.find(|row| row.differs && row.at == difference.at);
        let (expected, actual) = row.map_or((None, None), |row| (row.expected.clone(), row.actual.clone()));
        let expected = expected.unwrap_or_else(|| difference.expected.to_string());
        (expected, actual.unwrap_or_else(|| difference.actual_text()))
    }
}

/// How a testee crashed or timed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakdown {
    /// In one line: `killed by SIGSEGV`, `no answer in 10 s`.
    pub what: String,
    /// The end of what it wrote to standard error; empty if it wrote nothing.
    pub stderr: String,
}

const BYTES_LEFT_OUT: &str = " bytes left out …";

impl Breakdown {
    /// What stands for bytes of standard error that were not kept, on a line of its own.
    pub fn bytes_left_out(bytes: usize) -> String {
        format!("… {bytes}{BYTES_LEFT_OUT}")
    }

    /// The first and the last lines that it wrote to standard error, without blank ones, and how many between them are
    /// left out.
    pub fn stderr_lines(&self) -> Vec<String> {
        const HEAD: usize = 5;
        const TAIL: usize = 10;
        let lines = self.stderr.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<_> = lines.map(str::to_owned).collect();
        match lines.len().saturating_sub(HEAD + TAIL) {
            0 => lines,
            more => {
                let (head, rest) = lines.split_at(HEAD);
                let (left_out, tail) = rest.split_at(more);
                // The number of lines in bytes that were not kept is unknown.
                let is_cut =
                    left_out.iter().any(|line| line.starts_with('…') && line.ends_with(BYTES_LEFT_OUT));
                let least = if is_cut { "at least " } else { "" };
                [head, &[format!("… {least}{} left out …", counted(more, "line"))], tail].concat()
            }
        }
    }

    /// What happened to a process that ended, to follow its name: `was killed by SIGSEGV; standard error: no memory`.
    pub fn clause(&self) -> String {
        let was = if self.what.starts_with("killed") { "was " } else { "" };
        format!("{was}{}{}", self.what, self.stderr_in_line())
    }

    /// The first and the last lines of standard error, with `…` between them if there are more.
    pub fn stderr_ends(&self) -> Vec<&str> {
        // Lines without a word underline the one before them.
        let lines = self.stderr.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric));
        let lines: Vec<_> = lines.collect();
        match &lines[..] {
            // The message of a panic is among the first lines in Rust and Go, that of an exception the last in Python.
            [first, second, .., last_but_one, last] if lines.len() > 5 => {
                vec![first, second, "…", last_but_one, last]
            }
            _ => lines,
        }
    }

    /// [`Breakdown::stderr_ends`], to follow `what` in the same line; empty if it wrote nothing. Long lines are cut.
    pub fn stderr_in_line(&self) -> String {
        const MAX_CHARACTERS: usize = 500;
        let cut = |line: &&str| match line.char_indices().nth(MAX_CHARACTERS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => (*line).to_owned(),
        };
        match &self.stderr_ends()[..] {
            [] => String::new(),
            lines => format!("; standard error: {}", lines.iter().map(cut).collect::<Vec<_>>().join(" | ")),
        }
    }
}

/// How a case ended that was tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstTry {
    /// How the testee crashed or timed out.
    pub breakdown: Breakdown,
    /// How long it ran until then.
    pub time: Duration,
}

/// An entry in a list of known failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct KnownListing {
    /// File, line and column.
    pub place: String,
    /// Why the case fails.
    pub reason: String,
    /// A link to more information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A leaf that differs. Unlike a [`Mismatch`](super::mismatch::Mismatch), it has its step, its line and a note, since
/// reports have neither the case nor the text of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseDifference {
    /// The step after which it was compared, from 1; `None` if the case has only one.
    pub step: Option<usize>,
    /// Which datum.
    pub at: Path,
    /// What the vector demands.
    pub expected: Expected,
    /// The actual value; `None` when the machine has no such datum.
    pub actual: Option<Value>,
    /// Where the vector demands it.
    pub place: DiagnosticPlace,
    /// The name of the datum in the program's source, if it has one; or the rule of the format that demands it.
    pub note: Option<String>,
}

impl CaseDifference {
    /// The actual value, with its length if the assertion is about the length.
    pub fn actual_text(&self) -> String {
        match (&self.expected, &self.actual) {
            (_, None) => "(absent)".to_owned(),
            (Expected::Len(_), Some(actual)) => match actual.len() {
                Some(length) => format!("length {length}: {actual}"),
                None => actual.to_string(),
            },
            (_, Some(actual)) => actual.to_string(),
        }
    }
}

/// The prefix of a text about a step of a vector, from 1: `vector step 2, `. Empty if the case has only one
/// step. A step without `vector` is an executed instruction.
pub fn vector_step(step: Option<usize>) -> String {
    step.map_or(String::new(), |step| format!("vector step {step}, "))
}
