//! What happens in a run: the single stream that all reports are made from.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::case::CaseId;
use super::case_report::CaseReport;
use super::diagnostic::Diagnostic;
use super::escape::escaped;
use super::explanation::ExplainedCase;
use super::omission::is_default;
use super::suspects::SuspectAnalysis;
use super::verdict::{Verdict, VerdictKind};

/// The version of events as lines of JSON; incremented when the meaning of a member changes.
pub const VERSION: u32 = 1;

/// Something that happened in a run. Events come in the order of the files and of the cases in them, whatever
/// the number of threads.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    Started {
        /// How many files will be read.
        files: usize,
        /// The machine in another process that the cases run on; `None` for embedded machines.
        vm: Option<UsedVm>,
    },
    /// Something that was ignored and could matter.
    Note {
        /// The file.
        file: Arc<str>,
        /// What was ignored, and where.
        diagnostic: Diagnostic,
    },
    /// A case has finished.
    Finished(CaseReport),
    /// All cases of a file have finished.
    FileDone,
    /// Something that is no vector file is broken: entries in a list of known failures match no case, or the
    /// machine in another process broke the protocol outside of a case. Comes after all files.
    Broken {
        /// The file of the list, or [`CaseId::of_machine`].
        source: CaseId,
        /// What is wrong with it.
        errors: Vec<Diagnostic>,
    },
    /// Why a case fails or is broken. Comes after all cases, only for the first such cases, and only if a
    /// report needs it.
    Explained(ExplainedCase),
    /// Which instructions explain the failures. Comes after all cases, and only if a report needs it.
    Suspects(Box<SuspectAnalysis>),
    /// Assertions that were left out of the comparison. Comes after all cases, once, if there are any.
    NotCompared(Vec<FieldNotCompared>),
    /// The run is over.
    Ended(RunSummary),
}

/// Assertions on a field that were left out of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct FieldNotCompared {
    /// The field.
    pub field: String,
    /// How many assertions: one for each step of a case that demands the field.
    pub assertions: u64,
    /// Why.
    #[serde(flatten)]
    pub reason: NotComparedReason,
}

/// Why assertions on a field are not compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NotComparedReason {
    /// The machine does not report the field, and need not.
    NotReported {
        /// The name that the user gave the machine.
        vm: String,
    },
    /// The user ignores the field.
    Ignored {
        /// The bits that are ignored, in hex after `0x`; `None` for the whole field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mask: Option<String>,
    },
}

/// As it appears in reports: `not compared: cycles, 10,050 assertions; zilog does not report it`.
impl fmt::Display for FieldNotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldNotCompared { field, assertions, reason } = self;
        let field = escaped(field);
        let counted = if *assertions == 1 {
            "1 assertion".to_owned()
        } else {
            format!("{} assertions", grouped(*assertions))
        };
        match reason {
            NotComparedReason::NotReported { vm } => {
                write!(f, "not compared: {field}, {counted}; {} does not report it", escaped(vm))
            }
            NotComparedReason::Ignored { mask: None } => {
                write!(f, "not compared: {field}, {counted}; --ignore {field}")
            }
            NotComparedReason::Ignored { mask: Some(mask) } => {
                write!(f, "not compared: some bits of {field}, {counted}; --ignore {field}:{}", escaped(mask))
            }
        }
    }
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A machine in another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct UsedVm {
    /// The name that the user gave it.
    pub name: String,
    /// The name of the implementation, as it reports it.
    pub implementation: String,
    /// The version of the implementation, as it reports it.
    pub release: String,
    /// The language that it is written in, as it reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The fields that are not compared, since it reports only their hashes.
    #[serde(rename = "notCompared", default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<String>,
    /// What it lacks, as it reports it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// What it does beyond the specification, as it reports it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl UsedVm {
    /// What it reports that it lacks, in a line that calls it by this name; `None` if it lacks nothing.
    pub fn lacks_in_words(&self, name: &str) -> Option<String> {
        let lacks = self.lacks.join(", ");
        (!lacks.is_empty()).then(|| escaped(&format!("{name} says that it lacks: {lacks}")).into_owned())
    }
}

/// As it appears in reports: `mine (py-evm 0.10.1)`.
impl fmt::Display for UsedVm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UsedVm { name, implementation, release, language: _, not_compared, lacks: _, extensions: _ } =
            self;
        let version = [&**implementation, release].map(str::trim).join(" ");
        write!(f, "{} ({}", escaped(name), escaped(version.trim()))?;
        if !not_compared.is_empty() {
            write!(f, "; not compared, but their hashes: {}", escaped(&not_compared.join(", ")))?;
        }
        f.write_str(")")
    }
}

/// The numbers of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Cases that passed.
    pub passed: u64,
    /// How many of those passed in an earlier run and were not run again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cached: u64,
    /// Cases in which the machine differs.
    pub failed: u64,
    /// Cases that failed as expected.
    #[serde(default, skip_serializing_if = "is_default")]
    pub known: u64,
    /// Cases that passed although they were expected to fail.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fixed: u64,
    /// Cases, files, lists of known failures and machines that are broken.
    pub errors: u64,
    /// Cases that were not run.
    pub skipped: u64,
    /// Cases that need something that the testee lacks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unsupported: u64,
    /// Cases in which the testee ended or broke the protocol.
    #[serde(default, skip_serializing_if = "is_default")]
    pub crashed: u64,
    /// Cases in which the testee did not answer in time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub timed_out: u64,
    /// Cases that passed when they were tried again, after the testee had crashed or timed out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flaky: u64,
    /// How long the run took.
    #[serde(skip)]
    pub seconds: f64,
    /// Whether the user ended the run before all cases had finished.
    #[serde(skip)]
    pub interrupted: bool,
    /// Whether it is of a part in which no case ran, while other parts may have cases that run: such a part does not fail.
    #[serde(skip)]
    pub is_empty_part: bool,
}

impl RunSummary {
    /// Counts one more case.
    pub fn count(&mut self, report: &CaseReport) {
        self.cached += u64::from(report.cached && report.verdict == Verdict::Pass);
        self.count_kind(report.verdict.kind());
    }

    /// Counts one more case with a verdict of this kind.
    pub fn count_kind(&mut self, kind: VerdictKind) {
        *self.slot(kind) += 1;
    }

    /// Cases that failed, crashed or timed out.
    pub fn failing(&self) -> u64 {
        self.failed + self.crashed + self.timed_out
    }

    fn slot(&mut self, kind: VerdictKind) -> &mut u64 {
        match kind {
            VerdictKind::Pass => &mut self.passed,
            VerdictKind::Fail => &mut self.failed,
            VerdictKind::Known => &mut self.known,
            VerdictKind::Fixed => &mut self.fixed,
            VerdictKind::Error => &mut self.errors,
            VerdictKind::Skip => &mut self.skipped,
            VerdictKind::Unsupported => &mut self.unsupported,
            VerdictKind::Crash => &mut self.crashed,
            VerdictKind::Timeout => &mut self.timed_out,
            VerdictKind::Flaky => &mut self.flaky,
        }
    }

    /// Whether it counts the same cases as another one.
    pub fn counts_as(&self, other: &RunSummary) -> bool {
        VerdictKind::ALL.iter().all(|kind| self.of(*kind) == other.of(*kind))
    }

    /// How many cases have a verdict of this kind; files and lists of known failures that are broken count as
    /// errors.
    pub fn of(mut self, kind: VerdictKind) -> u64 {
        *self.slot(kind)
    }
}
