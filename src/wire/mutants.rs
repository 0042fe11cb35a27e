//! Which planted faults (mutants) a suite detects: the JSON of `vmconf mutants --output json`, described by
//! `schemas/mutants.schema.json`.

use serde::{Deserialize, Serialize};

/// The faults, each with its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutants {
    /// The number of cases in the suite.
    pub cases: u64,
    /// How many of them are not used, because they cannot be read or do not pass without a fault.
    pub left_out: u64,
    /// The faults.
    pub faults: Vec<JudgedFault>,
}

/// A fault and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFault {
    /// Its name: `evm/ADD/low-limb`.
    pub fault: String,
    /// The machine.
    pub machine: String,
    /// The instruction, or the rule.
    pub op: String,
    /// The kind of fault: how the instruction or the rule is changed.
    pub kind: String,
    /// Its outcome.
    pub outcome: FaultOutcome,
    /// The first case that detects it.
    pub case: Option<String>,
    /// Why it makes no difference or cannot be planted, if that is known, or why some cases were not run.
    pub reason: Option<String>,
    /// How many programs, at most, were tried to find one that detects it.
    pub tried: u32,
    /// Whether one of them detects it.
    pub program: bool,
}

/// The outcome of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultOutcome {
    /// At least one case does not pass.
    Killed,
    /// It changes something, but every case passes.
    Survived,
    /// The instruction is executed, but the fault never changes anything.
    NeverOn,
    /// No case executes the instruction.
    NotExecuted,
    /// It is known to make no difference.
    Equivalent,
    /// It is known that it cannot be planted: no value that the instruction has here can be wrong in this way.
    NotPlanted,
}

impl FaultOutcome {
    /// Every outcome with its name.
    pub const ALL: [(FaultOutcome, &'static str); 6] = [
        (FaultOutcome::Killed, "killed"),
        (FaultOutcome::Survived, "survived"),
        (FaultOutcome::NeverOn, "never on"),
        (FaultOutcome::NotExecuted, "not executed"),
        (FaultOutcome::Equivalent, "equivalent"),
        (FaultOutcome::NotPlanted, "not planted"),
    ];
}

impl Mutants {
    /// How many faults had this outcome.
    pub fn count(&self, outcome: FaultOutcome) -> u64 {
        self.faults.iter().filter(|fault| fault.outcome == outcome).count() as u64
    }

    /// Faults that are planted and not known to make no difference.
    pub fn noticeable(&self) -> u64 {
        self.faults.len() as u64 - self.count(FaultOutcome::Equivalent) - self.count(FaultOutcome::NotPlanted)
    }

    /// Percentage of these that are killed; `None` if there are none.
    #[allow(clippy::cast_precision_loss, reason = "there are thousands of faults")]
    pub fn score(&self) -> Option<f64> {
        let noticeable = self.noticeable();
        (noticeable > 0).then(|| 100.0 * self.count(FaultOutcome::Killed) as f64 / noticeable as f64)
    }
}
