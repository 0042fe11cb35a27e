//! Explains why a case fails by running it again with a recorder.

pub mod bisect;
pub mod blame;
pub mod explore;
pub mod recording;
pub mod trace;
mod world;

use crate::model::explanation::{Explanation, StackComparison};

use self::blame::{Counter, Datum, Recorder, Search, Seen, Sought, WINDOW};
use crate::model::assertion::Expected;
use crate::model::case::Case;
use crate::model::explanation::Answer;
use crate::model::path::{Key, Path};
use crate::model::value::Value;
use crate::model::verdict::Difference;
use crate::run::{self, LoadedFile, RunOptions, Worker};

/// The most items of a list that are compared with what is expected: a vector may expect a list of any
/// length.
const MOST_ITEMS: usize = 10_000;

/// The longest run, in instructions, of which every instruction is recorded. Of a longer one, only the last
/// instructions are recorded: recording all of them would take too long.
const MOST_SEEN: u64 = 20_000_000;

/// The most differences that are blamed on instructions.
const MOST_BLAMED: usize = 10;

/// How many of the last instructions fit on a screen.
pub const LAST_ON_SCREEN: usize = 10;

/// [`explain`] with [`LAST_ON_SCREEN`] instructions, for reports.
pub fn explain_on_screen(loaded: &LoadedFile<'_>, case: usize, options: &RunOptions) -> Explanation {
    explain(loaded, case, options, LAST_ON_SCREEN)
}

/// Runs a case of a loaded file and, if it fails, runs it again on an embedded machine to find out why. `last` is
/// how many of the instructions before the end are kept.
///
/// # Panics
///
/// When the file has no such case.
pub fn explain(loaded: &LoadedFile<'_>, case: usize, options: &RunOptions, last: usize) -> Explanation {
    let mut counter = Counter::default();
    let watched = run::watch(loaded, case, options, &mut counter);
    let embedded = options.testee.vm().map(|_| watched.report.verdict.kind());
    let report = match embedded {
        Some(_) => Worker::new(options).run_case(loaded, case),
        None => watched.report.clone(),
    };
    let Counter { ends, .. } = counter;
    let number = |difference: &Difference| difference.step.unwrap_or(1);
    let failure = report.verdict.failure();
    let differences = failure.map_or(&[][..], |failure| &failure.differences);
    let differences = &differences[..differences.len().min(MOST_BLAMED)];
    let mut steps: Vec<_> = differences.iter().map(number).collect();
    steps.dedup();
    // If nothing differs, the end is explained.
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
    let mut hashes = world::compare(loaded, &watched, &report, options);
    let leaves = hashes.world.iter().flat_map(|world| &world.leaves);
    let leaves: Vec<_> = leaves.map(|leaf| Datum { at: leaf.at.clone(), byte: None }).collect();
    questions.push((first, leaves));
    let seen = if longest <= MOST_SEEN { Seen::All } else { Seen::Kept };
    let from = end.saturating_sub(WINDOW as u64);
    let mut recorder = Recorder::new(questions, from..u64::MAX, seen, last);
    run::watch(loaded, case, options, &mut recorder);
    let Recorder { cache: mut blames, sought, spent, before_end, asked_after, list, .. } = recorder;
    if seen == Seen::All && !sought.is_empty() {
        search(loaded, case, options, sought, &mut blames);
    }
    let of_leaves = blames.split_off(differences.len().min(blames.len()));
    if let Some(world) = &mut hashes.world {
        world.leaves.iter_mut().zip(of_leaves).for_each(|(leaf, answer)| leaf.answer = Some(answer));
    }
    let stack = differences.first().zip(list).zip(watched.case.as_ref());
    // The list is that of the embedded machine.
    let stack = stack.filter(|_| embedded.is_none());
    let stack = stack.and_then(|((difference, list), case)| stack_of(difference, list, case));
    Explanation {
        report,
        notes: watched.notes,
        embedded,
        blames,
        last: before_end,
        steps: asked_after,
        stack,
        spent,
        world: hashes.world,
        logs: hashes.logs,
    }
}

/// Finds the answers that lie outside the recorder's window: one more run finds the instructions, and one run
/// for each of them records what came before it.
fn search(
    loaded: &LoadedFile<'_>,
    case: usize,
    options: &RunOptions,
    sought: Vec<Sought>,
    blames: &mut [Answer],
) {
    for sought in &sought {
        if let Answer::NotWritten { of_last, .. } = &mut blames[sought.answer] {
            *of_last = None;
        }
    }
    let mut search = Search::new(sought);
    run::watch(loaded, case, options, &mut search);
    for (sought, step) in search.found() {
        let keep = (step + 1).saturating_sub(WINDOW as u64)..step + 1;
        let mut recorder = Recorder::new(vec![sought.question], keep, Seen::All, 0);
        run::watch(loaded, case, options, &mut recorder);
        if let Some(answer) = recorder.cache.pop() {
            blames[sought.answer] = answer;
        }
    }
}

/// The datum to trace for a difference: of a byte string, only the first byte that differs.
fn datum(difference: &Difference) -> Datum {
    let byte = match (&difference.expected, &difference.actual) {
        (Expected::Is(Value::Bytes(wanted)), Some(Value::Bytes(actual))) => {
            wanted.iter().zip(actual).position(|(wanted, actual)| wanted != actual)
        }
        _ => None,
    };
    Datum { at: difference.at.clone(), byte }
}

/// What the case expects of the list that contains a difference.
fn stack_of(difference: &Difference, (at, actual): (Path, Value), case: &Case) -> Option<StackComparison> {
    let Value::List(actual) = actual else { return None };
    let step = case.steps.get(difference.step.unwrap_or(1).checked_sub(1)?)?;
    let demanded = |path: &Path| {
        step.assertions.iter().find(|check| check.at == *path).map(|check| check.expected.clone())
    };
    let count = match demanded(&at) {
        Some(Expected::Len(count)) => count,
        _ => actual.len(),
    };
    let wanted = (0..count.min(MOST_ITEMS)).map(|index| demanded(&at.child(index))).collect();
    let keys = difference.at.keys();
    let differs = match keys.get(at.keys().len()) {
        Some(Key::Index(index)) => *index,
        _ => actual.len().min(count),
    };
    Some(StackComparison { at, wanted, actual, differs })
}
