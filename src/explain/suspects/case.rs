//! The cases of a spectrum.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use num_bigint::BigInt;

/// What the cases of a machine do: pairs of an instruction and `executed` or a condition under which it is. On a
/// machine whose instructions are unknown, what else cases have in common. Each is kept once, and cases name it by
/// its number.
#[derive(Debug, Default)]
pub struct SpectrumPoints<'n>(IndexSet<(&'n str, String), RandomState>);

impl<'n> SpectrumPoints<'n> {
    /// The numbers of what a case does.
    pub fn numbers(&mut self, executes: impl IntoIterator<Item = (&'n str, String)>) -> Arc<[u32]> {
        let number = |point| u32::try_from(self.0.insert_full(point).0).unwrap_or(u32::MAX);
        executes.into_iter().map(number).collect()
    }

    /// The number of what at least one case does.
    pub fn number(&self, op: &'n str, what: &str) -> Option<u32> {
        u32::try_from(self.0.get_index_of(&(op, what.to_owned()))?).ok()
    }

    /// All, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'n str, &str)> {
        self.0.iter().map(|(op, what)| (*op, what.as_str()))
    }
}

/// Passing cases of which nothing is kept but how many do what.
#[derive(Debug, Default)]
pub struct CountedPasses {
    /// How many there are.
    pub count: u64,
    /// How many of them do what has a number, by these numbers; zeros at the end may be left out.
    pub doing: Vec<u64>,
}

/// A case of the spectrum of a machine.
#[derive(Debug, Clone)]
pub struct SpectrumCase {
    /// Its id.
    pub id: String,
    /// Whether it passes.
    pub outcome: SpectrumOutcome,
    /// How many instructions it executes.
    pub length: u64,
    /// The numbers of what it does.
    pub executes: Arc<[u32]>,
    /// Of a failing case, what else is known about its failure.
    pub evidence: FailureEvidence,
}

/// What is known about the failure of a case on a machine in another process.
#[derive(Debug, Clone, Default)]
pub struct FailureEvidence {
    /// Whether the machine differs from the embedded one before the first instruction, so that none explains the failure.
    pub is_loaded_wrongly: bool,
    /// The instruction after which the machine first differs from the embedded one; `None` if it reports no steps, or
    /// if they do not say.
    pub diverges_at: Option<&'static str>,
    /// The instructions that made the data in which the machine differs, as the embedded one executes them; `None` if
    /// it differs in more than data, so that any instruction may be wrong.
    pub made_by: Option<BTreeSet<&'static str>>,
    /// The number that alone differs, if it is a whole field.
    pub shift: Option<NumberShift>,
}

/// By how much a field of a state that is a number differs from what is demanded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberShift {
    /// The name of the field.
    pub field: String,
    /// What the machine has, less what is demanded.
    pub by: BigInt,
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
