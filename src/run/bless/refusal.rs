//! Differences that blessing does not write. Whether a format can write a value is said by
//! [`NotRepresentable`](crate::formats::NotRepresentable).

use crate::model::{CaseId, DiagnosticPlace, Path};

/// A difference that is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlessRefusal {
    /// The case.
    pub case: CaseId,
    /// The step after which it was found, from 1; `None` if the case has only one step.
    pub step: Option<usize>,
    /// Which datum; `None` for the whole case.
    pub at: Option<Path>,
    /// Where the vector demands it.
    pub place: DiagnosticPlace,
    /// Why, as a sentence without a full stop.
    pub why: String,
    /// Whether the run ended in another way, which [`OutcomeChange::Allow`](super::OutcomeChange::Allow) accepts.
    pub is_outcome_change: bool,
}
