//! What can be known of a case, and at what cost.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::formats::Format;
use crate::isa::OpInfo;
use crate::model::case::{Case, CaseId};

/// The verdict on each case in the last run: [`crate::model::verdict::Verdict::name`] by id.
pub type Outcomes = HashMap<String, String>;

/// What can be known of a case, each only when an expression asks.
pub trait CaseInfo {
    /// Its id.
    fn id(&self) -> &CaseId;
    /// Its format.
    fn format(&self) -> &'static Format;
    /// Reads it; `None` when it is malformed.
    fn read(&self) -> Option<Case>;
    /// Executes it and returns its executed instructions, each once.
    fn executed(&self) -> Vec<&'static OpInfo>;
}

/// How much it takes to know whether a predicate holds, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Nothing: the names and the format of a case decide it.
    Outline,
    /// The case is read.
    Reading,
    /// The case is executed.
    Execution,
}

pub(super) const COSTS: [Cost; 3] = [Cost::Outline, Cost::Reading, Cost::Execution];

/// A case about which an expression asks; what was asked before is kept.
pub(super) struct Asked<'i> {
    pub(super) info: &'i dyn CaseInfo,
    /// As it is written.
    pub(super) id: String,
    /// The last run.
    pub(super) last: &'i Outcomes,
    case: OnceCell<Option<Case>>,
    executed: OnceCell<Vec<&'static OpInfo>>,
}

impl<'i> Asked<'i> {
    pub(super) fn new(info: &'i dyn CaseInfo, last: &'i Outcomes) -> Asked<'i> {
        Asked { info, id: info.id().to_string(), last, case: OnceCell::new(), executed: OnceCell::new() }
    }

    pub(super) fn case(&self) -> Option<&Case> {
        self.case.get_or_init(|| self.info.read()).as_ref()
    }

    pub(super) fn executed(&self) -> &[&'static OpInfo] {
        self.executed.get_or_init(|| self.info.executed())
    }
}
