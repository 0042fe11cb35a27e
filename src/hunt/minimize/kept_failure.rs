//! What a case keeps while it becomes smaller.

use super::ends::NotMinimized;
use super::named_instruction::{NamedInstruction, failure_of_named, named_instruction};
use super::nodes::reading;
use crate::explain::explain;
use crate::model::{Case, CaseDifference, CaseReport, Expected, Explanation, Name, Path, Value, VerdictKind};
use crate::run::{LoadedFile, Worker};

/// What a smaller case keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeptFailure {
    /// The signature of the failure, the instruction that made the first wrong value, if one is known, and why that could
    /// not be executed.
    #[default]
    Cause,
    /// The instruction that made the first wrong value, and what kind of difference that is, wherever it is: on the
    /// stack of a program that fails in the end, or in the result of one that does not. Where no instruction is known,
    /// the signature.
    Instruction,
    /// The kind of verdict.
    Verdict,
}

/// The kind of difference of a signature.
fn kind_of(signature: &str) -> Option<&str> {
    signature.rsplit_once(": ").map(|it| it.1)
}

/// What a case keeps while it becomes smaller.
pub(super) struct FailureToKeep {
    pub(super) kind: VerdictKind,
    signature: String,
    /// The instruction that made the first wrong value.
    pub(super) named: Option<NamedInstruction>,
    /// Why that could not be executed; `None` if it was.
    failure: Option<String>,
    pub(super) differences: Vec<KeptDifference>,
    /// The members that a case of a family gives; none for others.
    pub(super) given: Vec<Name>,
    /// What a case of a family demands of whole fields; none for others.
    pub(super) demands: Vec<(Path, Expected)>,
}

impl FailureToKeep {
    pub(super) fn of(worker: &mut Worker<'_>, file: &LoadedFile<'_>) -> Result<FailureToKeep, NotMinimized> {
        let report = worker.run_case(file, 0);
        let kind = report.verdict.kind();
        match kind {
            VerdictKind::Fail | VerdictKind::Crash | VerdictKind::Timeout => {}
            VerdictKind::Error | VerdictKind::Unsupported | VerdictKind::Skip => {
                return Err(NotMinimized::NotRun);
            }
            VerdictKind::Pass | VerdictKind::Known | VerdictKind::Fixed | VerdictKind::Flaky => {
                return Err(NotMinimized::Passes);
            }
        }
        let differences = KeptDifference::all(&report).collect();
        let explained = explain(worker, file, 0, 0);
        let named = named_instruction(&explained);
        let failure = failure_of_named(&explained).map(str::to_owned);
        let signature = report.signature().unwrap_or_default();
        let given = given(file);
        let case = reading(file).filter(|_| !given.is_empty());
        let owned = |(at, expected): (&Path, &Expected)| (at.clone(), expected.clone());
        let demands = case.iter().flat_map(demands_of_fields).map(owned).collect();
        Ok(FailureToKeep { kind, signature, named, failure, differences, given, demands })
    }

    /// Whether a failure with this signature is the one that is kept.
    pub(super) fn is_alike(&self, signature: &str, keep: KeptFailure) -> bool {
        let is_kind_enough = keep == KeptFailure::Instruction && self.named.is_some();
        self.signature == signature || is_kind_enough && kind_of(signature) == kind_of(&self.signature)
    }

    /// Whether the instruction that an explanation says to be wrong is the one that is kept.
    pub(super) fn is_named(&self, explained: &Explanation, keep: KeptFailure) -> bool {
        let fails_alike =
            || keep != KeptFailure::Cause || failure_of_named(explained) == self.failure.as_deref();
        named_instruction(explained) == self.named && fails_alike()
    }

    /// Whether the machine does not end the case.
    pub(super) fn ends_early(&self) -> bool {
        matches!(self.kind, VerdictKind::Crash | VerdictKind::Timeout)
    }
}

/// A difference without its place in the text.
#[derive(Debug, Clone)]
pub(super) struct KeptDifference {
    /// The number of its step, which changes when a step before it is removed.
    step: Option<usize>,
    at: Path,
    expected: Expected,
    actual: Option<Value>,
}

impl KeptDifference {
    /// The differences of a case that fails.
    pub(super) fn all(report: &CaseReport) -> impl Iterator<Item = KeptDifference> {
        let differences = report.verdict.failure().into_iter().flat_map(|failure| &failure.differences);
        differences.map(|CaseDifference { step, at, expected, actual, .. }| KeptDifference {
            step: *step,
            at: at.clone(),
            expected: expected.clone(),
            actual: actual.clone(),
        })
    }

    /// Whether another difference has the same values of the same datum, after whichever step.
    pub(super) fn is_alike(&self, other: &KeptDifference) -> bool {
        (&self.at, &self.expected, &self.actual) == (&other.at, &other.expected, &other.actual)
    }

    pub(super) fn datum(&self) -> (Option<usize>, Path) {
        (self.step, self.at.clone())
    }
}

/// The fields of which a case demands a value as a whole, each with that.
pub(super) fn demands_of_fields(case: &Case) -> impl Iterator<Item = (&Path, &Expected)> {
    let assertions = case.steps.iter().flat_map(|step| &step.assertions);
    let fields = assertions.filter(|assertion| assertion.at.parent().is_none());
    fields
        .filter(|it| matches!(it.expected, Expected::Is(_) | Expected::Bits(_)))
        .map(|it| (&it.at, &it.expected))
}

/// The names of the members that the only case of a file of a family gives.
fn given(file: &LoadedFile<'_>) -> Vec<Name> {
    let is_family = file.case(0).is_some_and(|case| case.family().is_some());
    let case = reading(file).filter(|_| is_family);
    let members = case.map_or_else(Vec::new, |case| case.program.0.members().unwrap_or_default().to_vec());
    members.into_iter().map(|member| member.0).collect()
}
