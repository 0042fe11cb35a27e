//! The cases of a spectrum.

use crate::explain::observer::CoveragePoints;

/// A case of the spectrum of a machine.
#[derive(Debug, Clone)]
pub struct SpectrumCase {
    /// Its id.
    pub id: String,
    /// Whether it passes.
    pub outcome: SpectrumOutcome,
    /// How many instructions it executes.
    pub length: u64,
    /// The instructions that it executes, each with `executed` and the conditions under which it does.
    pub executes: CoveragePoints,
}

/// Whether a case of a spectrum passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpectrumOutcome {
    /// It passes.
    Passes,
    /// It fails on the embedded machine, so that the vector may be wrong as well as the machine.
    Fails,
    /// It fails on another machine and passes on the embedded one.
    FailsOnlyElsewhere,
    /// It fails on another machine and on the embedded one.
    FailsEverywhere,
}
