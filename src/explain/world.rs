//! Finds which leaves of the state differ if a vector demands only the root of its trie or the hash of its logs.

use std::collections::BTreeMap;

use crate::machines::{self, Hashed};
use crate::model::{
    Assertion, Case, CaseReport, ComparedWith, Expected, LogComparison, Origin, Path, PathKey, StateLeaf,
    Step, Value, WorldComparison,
};
use crate::run::{LoadedFile, RunOptions, Worker};

/// The maximum number of leaves that are listed.
const MAX_LEAVES: usize = 100;

/// What is known about the hashes that differ.
#[derive(Default)]
pub(super) struct FoundWorld {
    pub(super) world: Option<WorldComparison>,
    pub(super) logs: Option<LogComparison>,
}

/// The observable state of a machine that is needed here.
struct SeenWorld {
    state: Option<Value>,
    entries: Option<Value>,
}

/// Compares the data behind the hashes that differ, on the machine on which `worker` watched the case.
pub(super) fn compare(
    loaded: &LoadedFile<'_>,
    case: Option<&Case>,
    report: &CaseReport,
    worker: &mut Worker<'_>,
) -> FoundWorld {
    case.and_then(|case| found(loaded, case, report, worker)).unwrap_or_default()
}

fn found(
    loaded: &LoadedFile<'_>,
    case: &Case,
    report: &CaseReport,
    worker: &mut Worker<'_>,
) -> Option<FoundWorld> {
    let hashed = machines::by_name(case.machine)?.hashed?;
    let failure = report.verdict.failure()?;
    let demanded = |field| {
        let difference = failure.differences.iter().find(|it| it.at == Path::field(field))?;
        let Expected::Is(value) = &difference.expected else { return None };
        Some(value)
    };
    let (root, logs) = (demanded(hashed.root), demanded(hashed.logs));
    let is_compared = |it: &Assertion| it.at.first() == &PathKey::from(hashed.state.to_owned());
    let root = root.filter(|_| !case.steps.iter().flat_map(|step| &step.assertions).any(is_compared));
    root.or(logs)?;
    let options = worker.options();
    let embedded = worker.watched_machine()?.state();
    let ours = SeenWorld { state: embedded.observe(hashed.state), entries: embedded.observe(hashed.entries) };
    let theirs = options.testee.vm().map(|_| seen(loaded, case, &hashed, options));
    let actual = theirs.as_ref().unwrap_or(&ours);
    let is_right = |field: &str, wanted: &Value| {
        theirs.is_some() && embedded.observe(field).is_some_and(|value| value == *wanted)
    };
    let world = root.and_then(|root| {
        let of_embedded = ours.state.as_ref().filter(|_| is_right(hashed.root, root));
        let (against, wanted) = match (of_embedded, options.worlds.as_ref().and_then(|find| find(root))) {
            (Some(world), _) => (ComparedWith::Embedded, world.clone()),
            (None, Some((id, world))) => (ComparedWith::Fixture(id), world),
            (None, None) => (ComparedWith::Before, case.program.0.get(hashed.before)?.clone()),
        };
        Some(comparison(against, &wanted, actual.state.as_ref()?))
    });
    let logs = logs.and_then(|logs| {
        let wanted = ours.entries.as_ref().filter(|_| is_right(hashed.logs, logs));
        Some(LogComparison { expected: wanted.and_then(entries), actual: entries(actual.entries.as_ref()?)? })
    });
    Some(FoundWorld { world, logs })
}

fn entries(value: &Value) -> Option<Vec<Value>> {
    if let Value::List(entries) = value { Some(entries.clone()) } else { None }
}

/// Runs the case on the testee once more to get the state and the log entries behind the hashes.
fn seen(loaded: &LoadedFile<'_>, case: &Case, hashed: &Hashed, options: &RunOptions) -> SeenWorld {
    let observed = |field| {
        let assertion = Assertion::new(Path::field(field), Expected::Absent, Origin(0));
        let steps: Vec<_> = case
            .steps
            .iter()
            .map(|step| Step {
                end: None,
                assertions: vec![assertion.clone()],
                actions: step.actions.clone(),
            })
            .collect();
        let mut value = None;
        let ran = Worker::new(options).with_testee(case.machine, loaded.options(), |testee| {
            testee.run(&case.program, &steps, &mut |_, state| value = state.observe(field))
        });
        value.filter(|_| matches!(ran, Ok(Ok(_))))
    };
    SeenWorld { state: observed(hashed.state), entries: observed(hashed.entries) }
}

/// The leaves that differ between two worlds.
fn comparison(against: ComparedWith, wanted: &Value, actual: &Value) -> WorldComparison {
    let (wanted, mut actual) = (leaves(wanted), leaves(actual));
    let mut found = Vec::new();
    for (at, wanted) in wanted {
        let actual = actual.remove(&at);
        if actual.as_ref() != Some(&wanted) {
            found.push((at, Some(wanted), actual));
        }
    }
    found.extend(actual.into_iter().map(|(at, actual)| (at, None, Some(actual))));
    found.retain(|(at, wanted, actual)| {
        wanted.is_some() && actual.is_some() || says(at, wanted.as_ref().or(actual.as_ref()))
    });
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let count = found.len();
    let leaf = |(keys, wanted, actual): (Vec<String>, _, _)| {
        let at = keys.into_iter().fold(Path::field("state"), |at, key| at.child(key));
        StateLeaf { at, wanted, actual, answer: None }
    };
    let leaves = found.into_iter().take(MAX_LEAVES).map(leaf).collect();
    WorldComparison { against, leaves, count }
}

/// Whether a leaf that only one of two worlds has says more than that the account exists.
fn says(at: &[String], value: Option<&Value>) -> bool {
    at.last().is_some_and(|leaf| leaf == "balance")
        || !matches!(value, Some(Value::Int(number)) if *number == num_bigint::BigInt::ZERO)
            && !matches!(value, Some(Value::Bytes(bytes)) if bytes.is_empty())
}

/// The leaves of the accounts, by the keys of their paths.
fn leaves(world: &Value) -> BTreeMap<Vec<String>, Value> {
    let mut found = BTreeMap::new();
    add_leaves(&mut Vec::new(), world, &mut found);
    found
}

fn add_leaves(way: &mut Vec<String>, value: &Value, found: &mut BTreeMap<Vec<String>, Value>) {
    match value.members() {
        Some(members) => {
            for (key, value) in members {
                way.push(key.to_string());
                add_leaves(way, value, found);
                way.pop();
            }
        }
        None => drop(found.insert(way.clone(), value.clone())),
    }
}
