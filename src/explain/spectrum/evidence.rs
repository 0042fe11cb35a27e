//! What explaining a failure on a machine in another process says about the faulty instruction: after which one the
//! machine first differs from the embedded one, if it reports its steps, and which ones made the data that differ.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::common_words::file_of;
use crate::explain::explain;
use crate::explain::first_divergence::is_loaded_wrongly;
use crate::explain::suspects::{FailureEvidence, NumberShift};
use crate::isa::{Effect, Isa, OpInfo};
use crate::machines::{MachineInfo, by_name};
use crate::model::explanation::OP;
use crate::model::{
    BlameAnswer, CaseDifference, Expected, Explanation, FirstDivergence, Value, Verdict, VerdictKind,
};
use crate::run::sources::Sources;
use crate::run::{self, CaseVerdicts, LoadOptions, LoadedFile, RunOptions, Worker};
use crate::wire::protocol::Offer;

/// How much is found out about a failing case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoroughness {
    /// What explaining it says.
    Explained,
    /// What one more run says and the state before the first instruction.
    Glanced,
}

/// What is known about these failing cases, by their ids.
pub(super) fn of_cases(
    sources: &Sources,
    options: &LoadOptions,
    wanted: &HashSet<&str>,
    verdicts: &CaseVerdicts,
    how: Thoroughness,
) -> HashMap<String, FailureEvidence> {
    let mut found = HashMap::new();
    let mut worker = Worker::new(&options.run);
    let files: HashSet<&str> = wanted.iter().map(|id| file_of(id)).collect();
    for source in sources.iter().filter(|source| files.contains(&*source.shown)) {
        let file = run::open(&source, options);
        for index in 0..file.cases() {
            if options.run.interrupt.is_requested() {
                return found;
            }
            let Some(loaded) = file.case(index) else { continue };
            let id = loaded.id.to_string();
            // A machine that crashed or did not end would do so again.
            if wanted.contains(&*id) && verdicts.of(&id) == Some(VerdictKind::Fail) {
                let Some(info) = by_name(loaded.format.machine) else { continue };
                let evidence = match how {
                    Thoroughness::Explained => {
                        let explanation = explain(&mut worker, &file, index, 0);
                        evidence(&explanation, info, ShownState::of(info, &options.run))
                    }
                    Thoroughness::Glanced => glanced(&mut worker, &file, index, &options.run),
                };
                found.insert(id, evidence);
            }
        }
    }
    found
}

/// How much of its state a machine in another process shows after each step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownState {
    TopOfStack,
    Everything,
}

impl ShownState {
    fn of(info: &MachineInfo, run: &RunOptions) -> ShownState {
        let is_whole = |offer: &Offer| {
            offer.stops()
                && info.fields.iter().all(|field| offer.fields.iter().any(|name| name == field.name))
        };
        let offer = run.testee.vm().and_then(|vm| vm.offer(info.name));
        if offer.is_some_and(is_whole) { ShownState::Everything } else { ShownState::TopOfStack }
    }
}

/// What a case says without being explained.
fn glanced(
    worker: &mut Worker<'_>,
    file: &LoadedFile<'_>,
    index: usize,
    options: &RunOptions,
) -> FailureEvidence {
    let shift = shift(&worker.run_case(file, index).verdict);
    let case = file.case(index).and_then(|loaded| loaded.read().ok()?.case);
    let is_loaded_wrongly = case.is_some_and(|case| is_loaded_wrongly(&case, options, file.options()));
    FailureEvidence { is_loaded_wrongly, shift, ..FailureEvidence::default() }
}

/// The number that alone differs, and always by the same amount, if it is a whole field.
fn shift(verdict: &Verdict) -> Option<NumberShift> {
    let of = |CaseDifference { at, expected, actual, .. }: &CaseDifference| match (expected, actual) {
        (Expected::Is(Value::Int(expected)), Some(Value::Int(actual))) if at.parent().is_none() => {
            Some(NumberShift { field: at.to_string(), by: actual - expected })
        }
        _ => None,
    };
    let mut shifts = verdict.failure()?.differences.iter().map(of);
    let first = shifts.next()??;
    shifts.all(|it| it.as_ref() == Some(&first)).then_some(first)
}

/// What an explanation says. Data that differ say nothing about a run that ended otherwise.
fn evidence(explanation: &Explanation, info: &MachineInfo, shown: ShownState) -> FailureEvidence {
    let first = explanation.divergence.as_ref().filter(|first| is_shown(first));
    let op = first.and_then(|first| info.isa.by_name(first.op.as_ref()?));
    FailureEvidence {
        is_loaded_wrongly: explanation.divergence.as_ref().is_some_and(FirstDivergence::is_loaded_wrongly),
        diverges_at: op.filter(|op| shown == ShownState::Everything || is_visible(op)).map(|op| op.name),
        made_by: made_by(&explanation.blames, info.isa),
        shift: shift(&explanation.report.verdict),
    }
}

/// The instructions that may have made all of these data: those of the chains that led to them, as far as they were
/// traced, and all that jump, since other instructions may follow a wrong jump. `None` if it is not known what made
/// one of the data.
pub fn made_by(answers: &[BlameAnswer], isa: &'static Isa) -> Option<BTreeSet<&'static str>> {
    let mut ops = BTreeSet::new();
    for answer in answers {
        let BlameAnswer::By(blame) = answer else { return None };
        blame.add_ops_to(&mut ops);
    }
    let jumps =
        |op: &&OpInfo| op.effects.iter().any(|effect| matches!(effect, Effect::Jumps | Effect::JumpsTo(())));
    let is_known = !ops.is_empty();
    ops.extend(isa.ops.iter().filter(jumps).map(|op| op.name));
    is_known.then_some(ops)
}

/// Whether the difference shows that the instruction is wrong. It does not if one run ends there or both do, since steps
/// may not show why, or if another opcode follows at the same place with other data, since no instruction causes other code
/// there.
fn is_shown(first: &FirstDivergence) -> bool {
    let differs = |name: &str| first.differs.iter().any(|it| it.datum == name);
    let is_caused = differs("pc") || !differs(OP) || first.decoded().is_some();
    !first.is_end() && !first.ends && !first.differs.is_empty() && is_caused
}

/// Whether the top of the stack is everything that an instruction depends on. Otherwise, an earlier instruction may have
/// caused the difference.
fn is_visible(op: &OpInfo) -> bool {
    op.effects.iter().all(|effect| match effect {
        Effect::Reads(_) | Effect::Needs(_) | Effect::JumpsTo(()) => false,
        Effect::Writes(_)
        | Effect::MayWrite(_)
        | Effect::Stores(_)
        | Effect::Jumps
        | Effect::Takes(())
        | Effect::Leaves(())
        | Effect::Moves(())
        | Effect::Creates => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DiagnosticPlace, DivergedDatum, Failure, Path, Position};

    /// A run that fails where the other one succeeds has differed before, in something that no state shows, such as an
    /// exception that the machine still keeps.
    #[test]
    fn the_step_that_ends_both_runs_is_not_evidence() {
        let datum = |datum: &str| DivergedDatum {
            datum: datum.to_owned(),
            actual: "FAULT".to_owned(),
            embedded: "HALT".to_owned(),
        };
        let first = |differs: &[&str], ends: bool| FirstDivergence {
            step: 9,
            pc: Some(8),
            op: Some("RET".to_owned()),
            differs: differs.iter().map(|name| datum(name)).collect(),
            ends,
        };
        assert!(is_shown(&first(&["state", "resultStack"], false)));
        assert!(!is_shown(&first(&["state", "resultStack"], true)));
        assert!(!is_shown(&first(&[], false)));
        assert!(!is_shown(&first(&[OP, "gas"], false)) && is_shown(&first(&[OP, "pc"], false)));
    }

    #[test]
    fn a_number_is_shifted_if_it_alone_differs_always_by_the_same_amount() {
        let differs = |at: Path, expected: Value, actual: i64| CaseDifference {
            step: None,
            at,
            expected: Expected::Is(expected),
            actual: Some(Value::int(actual)),
            place: DiagnosticPlace {
                at: 0,
                position: Position { line: 1, column: 1 },
                excerpt: String::new(),
                before: 0,
            },
            note: None,
        };
        let time = |expected: i64, actual: i64| differs(Path::field("time"), Value::int(expected), actual);
        let shift = |differences: Vec<CaseDifference>| {
            let failure =
                Failure { differences, ended: String::new(), instructions: None, state: None, first: None };
            shift(&Verdict::Fail(failure)).map(|it| format!("{} {}", it.field, it.by))
        };
        assert_eq!(shift(vec![time(7, 8)]).as_deref(), Some("time 1"));
        assert_eq!(shift(vec![time(7, 5), time(9, 7)]).as_deref(), Some("time -2"));
        assert_eq!(shift(vec![time(7, 8), time(9, 11)]), None);
        let register = Path::field("registers").child("r1");
        assert_eq!(shift(vec![differs(register.clone(), Value::int(7), 8)]), None);
        assert_eq!(shift(vec![time(7, 8), differs(register, Value::int(7), 8)]), None);
        assert_eq!(shift(vec![differs(Path::field("stop"), Value::text("limit"), 1)]), None);
    }
}
