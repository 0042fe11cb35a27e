//! Explains why a case fails by running it again with a recorder, and which instructions explain all failures.

pub mod bisect;
pub mod blame;
mod circumstances;
pub mod explore;
mod first_divergence;
pub mod observed_run;
pub mod observer;
pub mod playback;
pub mod recording;
pub mod spectrum;
pub mod suspects;
pub mod trace;
mod world;

use self::blame::{
    AskedDatum, BlameFindings, Counter, Recorder, SoughtDatum, WINDOW, WatchedInstructions, WriterSearch,
    WrongPart,
};
use self::first_divergence::{DivergenceSearch, as_diverged};
use crate::machines::account;
use crate::model::{
    BlameAnswer, Case, CaseDifference, CaseReport, Expected, Explanation, FirstDivergence, Path, PathKey,
    StackComparison, StateLeaf, Value, Verdict,
};
use crate::run::{self, JudgedCase, LoadedFile, RunOptions, Worker};
use crate::testees::embedded::Embedded;
use crate::testees::process;

/// The maximum number of list items that are compared with what is expected, since a vector may expect a list
/// of any length.
const MAX_ITEMS: usize = 10_000;

/// The maximum number of differences that are traced to instructions.
const MAX_BLAMED: usize = 10;

/// How many of the last instructions fit on a screen.
pub const LAST_ON_SCREEN: usize = 10;

/// Runs a case of a loaded file and explains it with [`LAST_ON_SCREEN`] instructions, for reports.
///
/// # Panics
///
/// If the file has no such case.
pub fn explain_on_screen(loaded: &LoadedFile<'_>, case: usize, options: &RunOptions) -> Explanation {
    explain(&mut Worker::new(options), loaded, case, LAST_ON_SCREEN)
}

/// Runs a case of a loaded file and explains it; see [`ExplainableCase::explain`].
///
/// # Panics
///
/// If the file has no such case.
pub fn explain(worker: &mut Worker<'_>, loaded: &LoadedFile<'_>, case: usize, last: usize) -> Explanation {
    ExplainableCase::new(worker, loaded, case).explain(last)
}

/// A case that ran once, on the machine of the run. If it fails, [`ExplainableCase::explain`] tells why.
pub struct ExplainableCase<'r, 'o, 'l> {
    worker: &'r mut Worker<'o>,
    loaded: &'r LoadedFile<'l>,
    case: usize,
    /// Its verdict.
    pub report: CaseReport,
    /// The run on the embedded machine; `None` if the case ran on another one.
    counted: Option<ExplainedCount>,
}

/// A run on the embedded machine whose instructions were counted.
struct ExplainedCount {
    watched: JudgedCase,
    counter: Counter,
}

impl ExplainedCount {
    fn of(worker: &mut Worker<'_>, loaded: &LoadedFile<'_>, case: usize) -> ExplainedCount {
        let mut counter = Counter::default();
        let watched = worker.watch_case(loaded, case, &mut counter);
        ExplainedCount { watched, counter }
    }

    /// Runs the case again and records what is asked, and the last instructions before the run is wrong, at most
    /// `last`. `wrong_after` is the number of instructions after which it is known to be.
    fn recorded(
        &self,
        worker: &mut Worker<'_>,
        (loaded, case): (&LoadedFile<'_>, usize),
        asked: AskedSteps,
        wrong_after: Option<u64>,
        last: usize,
    ) -> BlameFindings {
        let (longest, most) = (self.end_of(asked.last), loaded.options().limits.watched);
        let seen = if longest <= most { WatchedInstructions::All } else { WatchedInstructions::Kept };
        // The instructions that are kept are watched, too.
        let from = self.end_of(asked.first).saturating_sub(most.min(WINDOW as u64));
        let mut recorder =
            Recorder::new(asked.questions, from..u64::MAX, seen, last).wrong_after(wrong_after);
        worker.watch_case(loaded, case, &mut recorder);
        let mut found = recorder.found;
        let sought = std::mem::take(&mut found.sought);
        if seen == WatchedInstructions::All && !sought.is_empty() {
            search(worker, loaded, case, sought, most.saturating_sub(longest), &mut found.answers);
        }
        found
    }

    /// How many instructions were executed at the end of a step, numbered from 1.
    fn end_of(&self, step: usize) -> u64 {
        step.checked_sub(1).and_then(|index| self.counter.ends.get(index).copied()).unwrap_or(0)
    }
}

impl<'r, 'o, 'l> ExplainableCase<'r, 'o, 'l> {
    /// Runs a case of a loaded file.
    ///
    /// # Panics
    ///
    /// If the file has no such case.
    pub fn new(
        worker: &'r mut Worker<'o>,
        loaded: &'r LoadedFile<'l>,
        case: usize,
    ) -> ExplainableCase<'r, 'o, 'l> {
        if worker.options().testee.vm().is_some() {
            let report = worker.run_case(loaded, case);
            return ExplainableCase { worker, loaded, case, report, counted: None };
        }
        let counted = ExplainedCount::of(worker, loaded, case);
        ExplainableCase {
            worker,
            loaded,
            case,
            report: counted.watched.report.clone(),
            counted: Some(counted),
        }
    }

    /// The request that a machine in a process gets for the case, with a newline: one that it crashes on can be sent by
    /// hand. `None` if the case runs on an embedded machine.
    pub fn request(&self) -> Option<String> {
        self.worker.options().testee.vm()?;
        let case = self.loaded.case(self.case)?.read().ok()?.case?;
        let info = self.loaded.options().families.machine(case.machine)?;
        process::example_request(info, &case.program, &case.steps)
    }

    /// Runs the case again on an embedded machine to find out why it fails. `last` is how many of the last instructions
    /// are kept.
    pub fn explain(self, last: usize) -> Explanation {
        let ExplainableCase { worker, loaded, case, report, counted } = self;
        if run::is_elsewhere(loaded) {
            let fails = report.verdict.failure().is_some();
            return Explanation::missing(report, fails.then_some(NO_INSTRUCTIONS));
        }
        let is_embedded = counted.is_some();
        let counted = counted.unwrap_or_else(|| ExplainedCount::of(worker, loaded, case));
        if let Err(why) = check_memory(worker.watched_machine()) {
            return Explanation::missing(report, Some(why));
        }
        let failure = report.verdict.failure();
        let differences = failure.map_or(&[][..], |failure| &failure.differences);
        let differences = &differences[..differences.len().min(MAX_BLAMED)];
        let in_file = counted.watched.case.as_ref();
        let mut asked = AskedSteps::of(differences, in_file, counted.counter.ends.len());
        let mut hashes = world::compare(loaded, in_file, &report, worker);
        asked.add_leaves(hashes.world.iter().flat_map(|world| &world.leaves));
        let fails = failure.is_some();
        let DivergenceSearch { found: divergence, is_unsearched: is_divergence_unsearched } =
            DivergenceSearch::of(
                in_file.filter(|_| fails),
                counted.counter.count(),
                worker.options(),
                loaded.options(),
            );
        let wrong_after = divergence.as_ref().map(|divergence| divergence.step);
        let found = counted.recorded(worker, (loaded, case), asked, wrong_after, last);
        let BlameFindings {
            answers: mut blames,
            spent,
            before_end,
            asked_after,
            earlier,
            list,
            row_deviation,
            ..
        } = found;
        let of_leaves = blames.split_off(differences.len().min(blames.len()));
        if let Some(world) = &mut hashes.world {
            world.leaves.iter_mut().zip(of_leaves).for_each(|(leaf, answer)| leaf.answer = Some(answer));
        }
        if let Some(first) = &divergence {
            correct_after(first, &mut blames, differences, &counted.watched.report.verdict);
        }
        let row_deviation = row_deviation.filter(|_| fails);
        let is_origin_unknown = fails
            && row_deviation.is_none()
            && hashes.world.is_none()
            && is_origin_unknown(divergence.as_ref(), blames.first());
        // The list comes from the embedded machine.
        let stack = differences.first().zip(list).zip(in_file).filter(|_| is_embedded);
        let stack = stack.and_then(|((difference, list), case)| stack_of(difference, list, case));
        Explanation {
            embedded: (!is_embedded).then(|| counted.watched.report.verdict.kind()),
            notes: counted.watched.notes,
            missing: None,
            blames,
            divergence,
            is_divergence_unsearched,
            row_deviation,
            last: before_end,
            steps: asked_after,
            earlier: if is_origin_unknown { earlier } else { Vec::new() },
            stack,
            spent,
            world: hashes.world,
            logs: hashes.logs,
            page: None,
            report,
        }
    }
}

/// Corrects what made the values of a machine in another process that diverges from the embedded one, whose verdict is
/// given. `answers` are those for the embedded machine; where it has the same wrong value, they hold.
fn correct_after(
    first: &FirstDivergence,
    answers: &mut [BlameAnswer],
    differences: &[CaseDifference],
    on_embedded: &Verdict,
) {
    let is_same =
        |it: &CaseDifference| on_embedded.failure().is_some_and(|failure| failure.differences.contains(it));
    for (answer, _) in answers.iter_mut().zip(differences).filter(|(_, it)| !is_same(it)) {
        let of_embedded = std::mem::replace(answer, BlameAnswer::NoCell(None));
        *answer = as_diverged(of_embedded, first);
    }
}

/// The data to trace, by the step of the vector after which they differ.
struct AskedSteps {
    questions: Vec<(usize, Vec<AskedDatum>)>,
    /// The first step with a difference; if nothing differs, the last step.
    first: usize,
    /// The last step with a difference.
    last: usize,
}

impl AskedSteps {
    /// `steps` is how many steps were executed. If nothing differs, the end of the run is explained.
    fn of(differences: &[CaseDifference], case: Option<&Case>, steps: usize) -> AskedSteps {
        let mut questions: Vec<(usize, Vec<AskedDatum>)> = Vec::new();
        for difference in differences {
            let step = difference.step.unwrap_or(1);
            let datum = datum(difference, case);
            match questions.iter_mut().find(|(asked, _)| *asked == step) {
                Some((_, data)) => data.push(datum),
                None => questions.push((step, vec![datum])),
            }
        }
        if questions.is_empty() {
            questions.push((steps, Vec::new()));
        }
        let (first, last) = (questions[0].0, questions[questions.len() - 1].0);
        AskedSteps { questions, first, last }
    }

    /// Asks also for leaves of the state that differ after the first of the steps.
    fn add_leaves<'l>(&mut self, leaves: impl Iterator<Item = &'l StateLeaf>) {
        let datum = |leaf: &StateLeaf| AskedDatum { at: leaf.at.clone(), wrong: WrongPart::Whole };
        self.questions.push((self.first, leaves.map(datum).collect()));
    }
}

/// Whether nothing says which instruction made the first difference: no datum changed before a run ended, or no
/// instruction can write the datum.
fn is_origin_unknown(divergence: Option<&FirstDivergence>, first: Option<&BlameAnswer>) -> bool {
    match divergence {
        Some(divergence) => divergence.is_end(),
        None => matches!(first, Some(BlameAnswer::NoCell(_))),
    }
}

/// How many bytes the recorder and what is made of it take, besides two copies of the observed state.
const BYTES_OF_EXPLANATION: u64 = 1 << 28;

/// Whether there is memory for an explanation, which would end the process if an allocation failed.
fn check_memory(ran: Option<&mut Embedded>) -> Result<(), &'static str> {
    let used = ran.map_or(0, |embedded| embedded.machine().account().used());
    let is_available = account::is_available(2 * used + BYTES_OF_EXPLANATION);
    is_available.then_some(()).ok_or("not explained: the system refuses the memory that this takes")
}

/// Finds the answers that lie outside the recorder's window: one more run finds the instructions, then one
/// run per instruction records what came before it. All these runs watch no more than `most` instructions.
fn search(
    worker: &mut Worker<'_>,
    loaded: &LoadedFile<'_>,
    case: usize,
    sought: Vec<SoughtDatum>,
    most: u64,
    blames: &mut [BlameAnswer],
) {
    let end = sought.iter().map(|sought| sought.end).max().unwrap_or(0);
    let Some(mut left) = most.checked_sub(end) else { return };
    let answers: Vec<_> = sought.iter().map(|sought| sought.answer).collect();
    let mut search = WriterSearch::new(sought);
    worker.watch_case(loaded, case, &mut search);
    for answer in answers {
        if let BlameAnswer::NotWritten { of_last, .. } = &mut blames[answer] {
            *of_last = None;
        }
    }
    for (sought, step) in search.found() {
        let Some(rest) = left.checked_sub(step) else { break };
        left = rest;
        let keep = (step + 1).saturating_sub(WINDOW as u64)..step + 1;
        let mut recorder = Recorder::new(vec![sought.question], keep, WatchedInstructions::All, 0);
        worker.watch_case(loaded, case, &mut recorder);
        if let Some(answer) = recorder.found.answers.pop() {
            blames[sought.answer] = answer;
        }
    }
}

/// Why the failure of a case of a family is not explained by instructions.
const NO_INSTRUCTIONS: &str = "which instruction is wrong is not known: vmconf does not embed this machine";

/// The datum to trace for a difference: only the first byte that differs in a byte string, or the first
/// unexpected item in a list that is too long.
fn datum(difference: &CaseDifference, case: Option<&Case>) -> AskedDatum {
    let whole = AskedDatum { at: difference.at.clone(), wrong: WrongPart::Whole };
    match (&difference.expected, &difference.actual) {
        (Expected::Is(wanted), Some(actual)) => {
            let wrong = first_wrong_byte(wanted, actual).map_or(WrongPart::Whole, WrongPart::Byte);
            AskedDatum { wrong, ..whole }
        }
        (Expected::Len(count), Some(Value::List(items))) if items.len() > *count => {
            let is_wrong = |index: &usize| {
                let at = difference.at.child(*index);
                let expected = case.and_then(|case| demanded(case, difference.step, &at));
                !matches!(expected, Some(Expected::Is(value)) if items[*index] == value)
            };
            let surplus = (0..*count).find(is_wrong).unwrap_or(*count);
            AskedDatum { at: difference.at.child(surplus), wrong: WrongPart::Surplus }
        }
        _ => whole,
    }
}

/// The first byte that differs in two byte strings of the same type.
fn first_wrong_byte(wanted: &Value, actual: &Value) -> Option<usize> {
    match (wanted, actual) {
        (Value::Bytes(wanted), Value::Bytes(actual)) => {
            wanted.iter().zip(actual).position(|(wanted, actual)| wanted != actual)
        }
        (Value::Typed(one, wanted), Value::Typed(other, actual)) if one == other => {
            first_wrong_byte(wanted, actual)
        }
        _ => None,
    }
}

/// What the case expects of a datum after a step, numbered from 1.
fn demanded(case: &Case, step: Option<usize>, at: &Path) -> Option<Expected> {
    let step = case.steps.get(step.unwrap_or(1).checked_sub(1)?)?;
    step.assertions.iter().find(|check| check.at == *at).map(|check| check.expected.clone())
}

/// What the case expects of the list that contains a difference.
fn stack_of(
    difference: &CaseDifference,
    (at, actual): (Path, Value),
    case: &Case,
) -> Option<StackComparison> {
    let Value::List(actual) = actual else { return None };
    let demanded = |path: &Path| demanded(case, difference.step, path);
    // The type of a list may be demanded before its length.
    let step = case.steps.get(difference.step.unwrap_or(1).checked_sub(1)?)?;
    let length = step.assertions.iter().find_map(|check| match check.expected {
        Expected::Len(count) if check.at == at => Some(count),
        _ => None,
    });
    let count = length.unwrap_or(actual.len());
    let wanted = (0..count.min(MAX_ITEMS)).map(|index| demanded(&at.child(index))).collect();
    let keys = difference.at.keys();
    let differs = match keys.get(at.keys().len()) {
        Some(PathKey::Index(index)) => *index,
        _ => actual.len().min(count),
    };
    Some(StackComparison { at, wanted, actual, differs })
}
