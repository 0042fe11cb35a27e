//! What is found with a case of a search.

use super::fuzz_cause::FuzzCause;

/// A case on which a machine differs from another one.
#[derive(Debug)]
pub struct FuzzFinding {
    /// What it is about.
    pub cause: FuzzCause,
    /// The number of the case, from 0.
    pub number: u64,
    /// A vector with a small program or state, which the other machine passes. It says what each machine did if its
    /// format has a place for that.
    pub vector: String,
    /// How the case fails, without what varies from case to case.
    pub signature: String,
    /// What separates the differing cases of this cause from its others, if a single flag, bit or number does.
    pub condition: Option<String>,
    /// What each machine did with the vector, by its name: an embedded one first.
    pub machines: Vec<(String, String)>,
}

/// Why a machine does not run a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FuzzRefusal {
    /// The name of the machine.
    pub vm: String,
    /// Why.
    pub why: String,
}

#[derive(Default)]
pub(super) struct CaseFindings {
    pub(super) is_different: bool,
    /// Whether fewer than two machines ran it.
    pub(super) is_skipped: bool,
    /// Why machines did not run it.
    pub(super) refusals: Vec<FuzzRefusal>,
    /// How many differences did not occur again.
    pub(super) unrepeated: u64,
    /// How many were not made small, so that it is not known what they are about.
    pub(super) untried: u64,
    /// How many of those and of the findings are crashes and time-outs.
    pub(super) broke_down: u64,
    pub(super) findings: Vec<FuzzFinding>,
}

impl CaseFindings {
    /// Adds what is found out about a difference, of a machine that did or did not break down.
    pub(super) fn add(&mut self, difference: DifferenceOf, finding: Result<Option<FuzzFinding>, NoFinding>) {
        let is_known = matches!(finding, Ok(None) | Err(NoFinding::NotTried));
        self.broke_down += u64::from(difference == DifferenceOf::Breakdown && !is_known);
        match finding {
            Ok(finding) => self.findings.extend(finding),
            Err(NoFinding::NotRepeated) => self.unrepeated += 1,
            Err(NoFinding::NotTried) => self.untried += 1,
        }
    }
}

/// How a machine differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DifferenceOf {
    /// In what it answers.
    Values,
    /// It crashed, or did not answer in time.
    Breakdown,
}

/// Why nothing is found out about a difference.
pub(super) enum NoFinding {
    /// It does not occur again with its case, or with the vector of it.
    NotRepeated,
    /// Many like it were made small, and none of them had a cause that was new.
    NotTried,
}
