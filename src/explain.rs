//! Why a case fails: the case run again with a recorder.

use std::collections::BTreeMap;

use crate::blame::{Answer, Counter, Datum, Executed, Recorder, Search, Seen, Sought, Spent, WINDOW};
use crate::case::{Case, Want};
use crate::event::CaseReport;
use crate::runner::{self, Opened, Options};
use crate::value::{Key, Path, Value};
use crate::verdict::{Difference, Trouble};

/// A case, what came of it, and why.
pub struct Explained {
    /// What came of it.
    pub report: CaseReport,
    /// What was ignored in it.
    pub notes: Vec<Trouble>,
    /// For the first differences of a case that fails, what made the datum what it is.
    pub blames: Vec<Answer>,
    /// The last instructions before the first difference was seen.
    pub last: Vec<Executed>,
    /// How many instructions there were up to there.
    pub steps: u64,
    /// The list that the first difference is in.
    pub stack: Option<Stack>,
    /// What was spent on each kind of instruction, on a machine with gas.
    pub spent: BTreeMap<&'static str, Spent>,
}

/// A list of the state, such as a stack, beside what was demanded of it.
pub struct Stack {
    /// Its path.
    pub at: Path,
    /// What is demanded of each item; none where nothing is.
    pub wanted: Vec<Option<Want>>,
    /// What is there.
    pub actual: Vec<Value>,
    /// The first item that differs.
    pub differs: usize,
}

/// Of so many items it is told what was demanded; a vector may demand any length.
const MOST_ITEMS: usize = 10_000;

/// In a run of so many instructions, all are seen; in a longer one that takes longer than a person waits,
/// and only the last ones are.
const MOST_SEEN: u64 = 20_000_000;

/// For so many differences it is asked what made them.
const MOST_BLAMED: usize = 10;

/// Runs a case of an opened file, and where it fails once more to see why. `last` is how many
/// instructions are wanted of those before the end.
///
/// # Panics
///
/// When the file has no such case.
pub fn explain(opened: &Opened<'_>, case: usize, options: &Options, last: usize) -> Explained {
    let mut counter = Counter::default();
    let watched = runner::watch(opened, case, options, &mut counter);
    let Counter { ends, .. } = counter;
    let number = |difference: &Difference| difference.step.unwrap_or(1);
    let failure = watched.report.verdict.failure();
    let differences = failure.map_or(&[][..], |failure| &failure.differences);
    let differences = &differences[..differences.len().min(MOST_BLAMED)];
    let mut steps: Vec<_> = differences.iter().map(number).collect();
    steps.dedup();
    // Where nothing differs, what is wanted is the end.
    let first = steps.first().copied().unwrap_or(ends.len());
    let end_of = |step: usize| step.checked_sub(1).and_then(|index| ends.get(index).copied()).unwrap_or(0);
    let (end, longest) = (end_of(first), end_of(steps.last().copied().unwrap_or(first)));
    let mut questions: Vec<_> = steps
        .iter()
        .map(|step| (*step, differences.iter().filter(|it| number(it) == *step).map(datum).collect()))
        .collect();
    if questions.is_empty() {
        questions.push((first, Vec::new()));
    }
    let seen = if longest <= MOST_SEEN { Seen::All } else { Seen::Kept };
    let from = end.saturating_sub(WINDOW as u64);
    let mut recorder = Recorder::new(questions, from..u64::MAX, seen, last);
    runner::watch(opened, case, options, &mut recorder);
    let Recorder { mut answers, sought, spent, before_end, asked_after, list, .. } = recorder;
    if seen == Seen::All && !sought.is_empty() {
        search(opened, case, options, sought, &mut answers);
    }
    let stack = differences.first().zip(list).zip(watched.case.as_ref());
    let stack = stack.and_then(|((difference, list), case)| stack_of(difference, list, case));
    Explained {
        report: watched.report,
        notes: watched.notes,
        blames: answers,
        last: before_end,
        steps: asked_after,
        stack,
        spent,
    }
}

/// Answers for what was written long before it was asked for: one more run finds the instructions, and one
/// for each of them keeps what came before it.
fn search(opened: &Opened<'_>, case: usize, options: &Options, sought: Vec<Sought>, answers: &mut [Answer]) {
    for sought in &sought {
        if let Answer::NotWritten { of_last, .. } = &mut answers[sought.answer] {
            *of_last = None;
        }
    }
    let mut search = Search::new(sought);
    runner::watch(opened, case, options, &mut search);
    for (sought, step) in search.found() {
        let keep = (step + 1).saturating_sub(WINDOW as u64)..step + 1;
        let mut recorder = Recorder::new(vec![sought.question], keep, Seen::All, 0);
        runner::watch(opened, case, options, &mut recorder);
        if let Some(answer) = recorder.answers.pop() {
            answers[sought.answer] = answer;
        }
    }
}

/// What is asked of a difference: of bytes, what made the first that differs.
fn datum(difference: &Difference) -> Datum {
    let byte = match (&difference.want, &difference.got) {
        (Want::Is(Value::Bytes(wanted)), Some(Value::Bytes(actual))) => {
            wanted.iter().zip(actual).position(|(wanted, actual)| wanted != actual)
        }
        _ => None,
    };
    Datum { at: difference.at.clone(), byte }
}

/// What the case demands of the list that a difference is in.
fn stack_of(difference: &Difference, (at, actual): (Path, Value), case: &Case) -> Option<Stack> {
    let Value::List(actual) = actual else { return None };
    let step = case.steps.get(difference.step.unwrap_or(1).checked_sub(1)?)?;
    let demanded =
        |path: &Path| step.checks.iter().find(|check| check.at == *path).map(|check| check.want.clone());
    let count = match demanded(&at) {
        Some(Want::Len(count)) => count,
        _ => actual.len(),
    };
    let wanted = (0..count.min(MOST_ITEMS)).map(|index| demanded(&at.child(index))).collect();
    let keys = difference.at.keys();
    let differs = match keys.get(at.keys().len()) {
        Some(Key::Index(index)) => *index,
        _ => actual.len().min(count),
    };
    Some(Stack { at, wanted, actual, differs })
}
