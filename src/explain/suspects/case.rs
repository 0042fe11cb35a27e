//! The cases of a spectrum.

use std::collections::BTreeSet;

/// A case of the spectrum of a machine.
#[derive(Debug, Clone)]
pub struct SpectrumCase<'n> {
    /// Its id.
    pub id: String,
    /// Whether it passes.
    pub outcome: SpectrumOutcome,
    /// How many instructions it executes.
    pub length: u64,
    /// The instructions that it executes, each with `executed` and the conditions under which it does. Of a machine
    /// whose instructions are unknown, what else cases have in common.
    pub executes: BTreeSet<(&'n str, String)>,
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
