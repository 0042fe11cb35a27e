//! What an expression can find out about a case, and at what cost.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::formats::Format;
use crate::isa::OpSet;
use crate::model::{Case, CaseId};

/// What is known from the last run about its cases, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// [`crate::model::verdict::Verdict::name`]: of the last run, and of outstanding failures on each machine.
    pub verdicts: HashMap<String, BTreeSet<&'static str>>,
    /// What explains the failures: by machine in another process, or `None` for the embedded ones, the name of the
    /// suspect.
    pub suspects: HashMap<String, BTreeMap<Option<String>, String>>,
}

impl Outcomes {
    /// What explains the failure of the case with this id on the machine in another process of this name; without one,
    /// on any machine.
    pub(super) fn suspects_on(&self, id: &str, vm: Option<&str>) -> impl Iterator<Item = &str> {
        let on = self.suspects.get(id).into_iter().flatten();
        on.filter(move |(name, _)| vm.is_none() || name.as_deref() == vm).map(|(_, suspect)| &**suspect)
    }
}

/// Information on a case. Each method is called only if an expression needs the result.
pub trait CaseInfo {
    /// Its id.
    fn id(&self) -> &CaseId;
    /// Its format.
    fn format(&self) -> &'static Format;
    /// The name of the machine in another process that runs it; `None` for an embedded machine.
    fn vm(&self) -> Option<&str>;
    /// Reads the case; `None` when it is malformed.
    fn read(&self) -> Option<Case>;
    /// Whether the case, as [`CaseInfo::read`] reads it, executes any of these instructions of its machine.
    fn executes(&self, case: &Case, sought: &OpSet) -> bool;
    /// Whether the case executes an instruction that calls an account with an address that `is_sought`.
    fn calls(&self, is_sought: &dyn Fn(&str) -> bool) -> bool;
    /// Executes the case and returns the instructions that fail, each with the reason: `SSTORE, out of gas`.
    fn failures(&self) -> Vec<String>;
    /// Executes the case and returns the names of the cause of its failure or error: that by which runs group them, and
    /// the signature; none if it passes.
    fn causes(&self) -> Vec<String>;
}

/// The cost of evaluating a predicate, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PredicateCost {
    /// No cost: the id and the format of the case suffice.
    Outline,
    /// The case must be read.
    Reading,
    /// The case must be executed.
    Execution,
}

pub(super) const COSTS: [PredicateCost; 3] =
    [PredicateCost::Outline, PredicateCost::Reading, PredicateCost::Execution];

/// The case an expression is evaluated for, with the information gathered so far.
pub(super) struct ExpressionCase<'i> {
    pub(super) info: &'i dyn CaseInfo,
    /// The id as text.
    pub(super) id: String,
    /// What is known from the last run.
    pub(super) last: &'i Outcomes,
    case: OnceCell<Option<Case>>,
    causes: OnceCell<Vec<String>>,
}

impl<'i> ExpressionCase<'i> {
    pub(super) fn new(info: &'i dyn CaseInfo, last: &'i Outcomes) -> ExpressionCase<'i> {
        ExpressionCase {
            info,
            id: info.id().to_string(),
            last,
            case: OnceCell::new(),
            causes: OnceCell::new(),
        }
    }

    pub(super) fn case(&self) -> Option<&Case> {
        self.case.get_or_init(|| self.info.read()).as_ref()
    }

    pub(super) fn causes(&self) -> &[String] {
        self.causes.get_or_init(|| self.info.causes())
    }
}
