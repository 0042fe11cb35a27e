//! What to bless.

use super::written::datum;
use crate::model::{CaseDifference, Path};

/// What to bless.
#[derive(Debug, Clone, Default)]
pub struct BlessOptions {
    /// The path of the datum to bless, with all data in it, as reports show it; `None` for all data.
    pub leaf: Option<String>,
    /// A datum that stays as it is demanded: after which step, and its path.
    pub except: Option<(Option<usize>, Path)>,
    /// What to do when the outcome of the run differs.
    pub outcome_change: OutcomeChange,
    /// What to do about data that the vector could demand and does not.
    pub missing: Missing,
}

/// What to do about data that the format can demand and the vector does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Leave it out.
    #[default]
    Keep,
    /// Demand what the machine did.
    Fill,
}

/// What to do when the run ended in another way than the vector demands, such as with a halt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutcomeChange {
    /// Refuse it.
    #[default]
    Refuse,
    /// Bless it.
    Allow,
}

impl BlessOptions {
    pub(super) fn selects(&self, difference: &CaseDifference) -> bool {
        if self.except.as_ref().is_some_and(|(step, at)| (*step, at) == datum(difference)) {
            return false;
        }
        let Some(leaf) = &self.leaf else { return true };
        let mut path = Some(&difference.at);
        while let Some(at) = path {
            if at.to_string() == *leaf {
                return true;
            }
            path = at.parent();
        }
        false
    }
}
