//! Which machines pass which suites: the JSON of `vmconf matrix --output json`.

use serde::{Deserialize, Serialize};

use crate::model::{FieldNotCompared, VerdictKind};

/// Machines by suites, and the cases that they disagree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// The names of the machines, in the order of the cells of a suite.
    pub machines: Vec<String>,
    /// What is wrong with machines apart from cases: why one cannot start, how it broke the protocol, or which entries
    /// of its list of known failures match no case.
    pub broken: Vec<BrokenMachine>,
    /// The suites, by name.
    pub suites: Vec<MatrixSuite>,
    /// Cases that some machine does not pass, grouped by what each machine does; ordered by [`Agreement`],
    /// larger groups first.
    pub groups: Vec<MatrixGroup>,
    /// The assertions of each machine that were left out of the comparison.
    #[serde(rename = "notCompared", default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<MatrixNotCompared>,
}

impl Matrix {
    /// The counts of all suites on the machine with this index.
    pub fn total(&self, machine: usize) -> MatrixCell {
        let mut total = MatrixCell::default();
        self.suites.iter().filter_map(|suite| suite.cells.get(machine)).for_each(|cell| total.add(cell));
        total
    }
}

/// Assertions on a field that were left out of the comparison on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixNotCompared {
    /// The name of the machine.
    pub machine: String,
    /// The field.
    #[serde(flatten)]
    pub field: FieldNotCompared,
}

/// What is wrong with a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenMachine {
    /// Its name.
    pub machine: String,
    /// What is wrong.
    pub error: String,
}

/// A suite: the files of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixSuite {
    /// The folder.
    pub name: String,
    /// The results of each machine.
    pub cells: Vec<MatrixCell>,
}

/// The results of a machine in a suite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixCell {
    /// Cases that it passes.
    pub passed: u64,
    /// Cases in which it differs.
    pub failed: u64,
    /// Cases that do not pass, as a list of known failures expects.
    pub known: u64,
    /// Cases that need something that it lacks.
    pub unsupported: u64,
    /// Cases in which it ended or broke the protocol.
    pub crashed: u64,
    /// Cases in which it did not answer in time.
    pub timed_out: u64,
    /// Cases that it passes alone, after it crashed or timed out.
    pub flaky: u64,
    /// Cases and files that are broken.
    pub errors: u64,
    /// Cases that did not run.
    pub skipped: u64,
}

impl MatrixCell {
    /// The counts with their names, in the order of output.
    pub fn counts(&self) -> [(u64, &'static str); 9] {
        let MatrixCell { passed, failed, known, unsupported, crashed, timed_out, flaky, errors, skipped } =
            *self;
        [
            (passed, "passed"),
            (failed, "failed"),
            (known, "known"),
            (crashed, "crashed"),
            (timed_out, "timed out"),
            (flaky, "flaky"),
            (unsupported, "unsupported"),
            (errors, if errors == 1 { "error" } else { "errors" }),
            (skipped, "skipped"),
        ]
    }

    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.counts().iter().map(|count| count.0).sum()
    }

    /// Adds the counts of another cell.
    pub fn add(&mut self, other: &MatrixCell) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.known += other.known;
        self.unsupported += other.unsupported;
        self.crashed += other.crashed;
        self.timed_out += other.timed_out;
        self.flaky += other.flaky;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }

    /// Counts a case with a verdict of this kind.
    pub fn count(&mut self, kind: VerdictKind) {
        *match kind {
            VerdictKind::Pass | VerdictKind::Fixed => &mut self.passed,
            VerdictKind::Fail => &mut self.failed,
            VerdictKind::Known => &mut self.known,
            VerdictKind::Unsupported => &mut self.unsupported,
            VerdictKind::Crash => &mut self.crashed,
            VerdictKind::Timeout => &mut self.timed_out,
            VerdictKind::Flaky => &mut self.flaky,
            VerdictKind::Error => &mut self.errors,
            VerdictKind::Skip => &mut self.skipped,
        } += 1;
    }
}

/// Whether machines agree on cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Two machines that ran the cases do different things.
    Disagree,
    /// All machines that ran the cases do the same, and it is not what the vectors expect.
    NonePasses,
    /// All machines that ran the cases pass; the others do not support them.
    Unsupported,
    /// No machine supports them.
    NoneSupports,
    /// Some machine skipped them, and all that ran them pass.
    Skipped,
}

/// Cases on which each machine does the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixGroup {
    /// Whether the machines agree.
    pub what: Agreement,
    /// What each machine does: `pass`, `unsupported: no call recording`, or the cause: `evm gas: other value`.
    pub outcomes: Vec<String>,
    /// How many cases there are.
    pub count: usize,
    /// The first cases.
    pub cases: Vec<String>,
    /// How each machine differs in the first case: `gas: expected 0x1, actual 0x2`; `null` if it does not, or if too
    /// many cases differ to keep all.
    pub differences: Vec<Option<String>>,
    /// The command that explains the first case on the first machine that does not pass it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The command that opens the first case as the first machine executed it that fails it, beside the embedded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explore: Option<String>,
}
