//! What a run said about its cases, for what explains them afterwards.

use std::collections::HashMap;

use crate::model::{CaseOutcome, VerdictKind};

/// The verdicts of a run. Most cases of most runs pass, and only the others are kept.
#[derive(Debug)]
pub struct CaseVerdicts {
    kept: HashMap<String, VerdictKind>,
    others: Option<VerdictKind>,
}

impl CaseVerdicts {
    /// These verdicts by case id, and that on all other cases; `None` if the run had no others.
    pub fn new(kept: HashMap<String, VerdictKind>, others: Option<VerdictKind>) -> CaseVerdicts {
        CaseVerdicts { kept, others }
    }

    /// The verdict on the case with this id; `None` if the run did not have it.
    pub fn of(&self, id: &str) -> Option<VerdictKind> {
        self.kept.get(id).copied().or(self.others)
    }

    /// The ids of the cases that failed, crashed or timed out.
    pub fn failing(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().filter(|(_, kind)| kind.outcome() == Some(CaseOutcome::Fails)).map(|(id, _)| &**id)
    }

    /// The number of kept verdicts of this kind.
    pub fn count(&self, kind: VerdictKind) -> usize {
        self.kept.values().filter(|it| **it == kind).count()
    }

    /// The number of kept verdicts.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no verdict is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_cases_failed_crashed_or_timed_out() {
        let kept = VerdictKind::ALL.iter().map(|kind| (kind.name().to_owned(), *kind)).collect();
        let verdicts = CaseVerdicts::new(kept, Some(VerdictKind::Pass));
        let mut failing: Vec<_> = verdicts.failing().collect();
        failing.sort_unstable();
        assert_eq!(failing, ["crash", "fail", "timeout"]);
    }
}
