//! What cases do with instructions: the JSON of `vmconf coverage --output json`, described by
//! `schemas/coverage.schema.json`.

use serde::{Deserialize, Serialize};

/// The coverage of each machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    /// The number of cases that are not used, because they cannot be read or do not pass.
    pub left_out: u64,
    /// The machines.
    pub machines: Vec<MachineCoverage>,
}

/// What cases do with the instructions of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCoverage {
    /// Its name.
    pub machine: String,
    /// The number of its cases.
    pub cases: u64,
    /// Its instructions, in the order of their codes.
    pub instructions: Vec<CoveredInstruction>,
}

/// What cases do with an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredInstruction {
    /// Its mnemonic.
    pub name: String,
    /// What it does.
    pub doc: String,
    /// What cases do with it.
    pub aspects: Vec<Aspect>,
}

/// Something that cases do with an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aspect {
    /// What they do: `executed`, `height: exact`, `a: 2^64`, `taken`, `fails: out of gas`.
    pub what: String,
    /// How many cases do this.
    pub cases: u64,
}

impl CoveredInstruction {
    /// How many cases execute it.
    pub fn executed(&self) -> u64 {
        self.aspects.iter().find(|aspect| aspect.what == "executed").map_or(0, |aspect| aspect.cases)
    }
}
