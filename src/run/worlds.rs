//! States by their roots: of the vectors that demand a whole state, which case demands it.
//!
//! The index is stored as text, one line a file. A file that has the same length and time of modification as its
//! line is not read again.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::cache::MAX_BYTES;
use super::options::LoadOptions;
use super::select::open;
use super::source::VectorSource;
use crate::machines::{self, Hashed};
use crate::model::rule::LintRule;
use crate::model::{
    Assertion, Case, Diagnostic, Expected, Name, Origin, Path, PathKey, Value, Verdict, bytes_key,
};

/// States by their roots.
#[derive(Debug)]
pub struct Worlds {
    sources: Vec<VectorSource>,
    files: Vec<FileRoots>,
    /// The index of the file and that of the case.
    places: HashMap<String, (usize, usize)>,
}

/// The roots of the files that an earlier run read.
#[derive(Debug, Default)]
pub struct KeptRoots(BTreeMap<PathBuf, FileRoots>);

/// The roots that the cases of a file demand together with a state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct FileRoots {
    path: PathBuf,
    /// The length in bytes, and the time of modification in nanoseconds.
    stamp: (u64, u64),
    /// Each root with the index of its case.
    roots: Vec<(String, usize)>,
}

impl KeptRoots {
    /// Reads the text of an index. Fails if it is damaged.
    pub fn parse(text: &str) -> Result<KeptRoots, String> {
        let file = |(number, line): (usize, &str)| {
            let file: FileRoots =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            Ok((file.path.clone(), file))
        };
        text.lines().enumerate().map(file).collect::<Result<_, _>>().map(KeptRoots)
    }
}

impl Worlds {
    /// The states that the cases of these files demand. A file that has not changed since it was kept is not read.
    pub fn new(sources: Vec<VectorSource>, mut kept: KeptRoots) -> Worlds {
        let mut roots_of = |source: &VectorSource| {
            let stamp = stamp(source);
            let kept = kept.0.remove(&source.path).filter(|file| file.stamp == stamp);
            kept.unwrap_or_else(|| FileRoots { path: source.path.clone(), stamp, roots: roots(source) })
        };
        let files: Vec<_> = sources.iter().map(&mut roots_of).collect();
        let place = |(file, it): (usize, &FileRoots)| {
            it.roots.iter().map(move |(root, case)| (root.clone(), (file, *case))).collect::<Vec<_>>()
        };
        let places = files.iter().enumerate().flat_map(place).collect();
        Worlds { sources, files, places }
    }

    /// The text of the index, with as many of the files as a cache file has room for.
    pub fn index(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            // What cannot be written is read in each run, as is a file with more roots than there is room for.
            let Ok(line) = serde_json::to_string(file) else { continue };
            if text.len() + line.len() < MAX_BYTES {
                text += &line;
                text.push('\n');
            }
        }
        text
    }

    /// A case that demands the state with this root, with the state; `None` if there is none, or its file has
    /// changed since.
    pub fn find(&self, root: &Value) -> Option<(String, Value)> {
        let Value::Bytes(root) = root else { return None };
        let root = bytes_key(root);
        let (file, index) = *self.places.get(&root)?;
        let options = LoadOptions::default();
        let file = open(&self.sources[file], &options);
        let case = file.case(index)?;
        let read = case.read().ok()?.case?;
        let (found, hashed) = demanded(&read)?;
        (found == root).then(|| (case.id.to_string(), state(&read, &hashed)))
    }
}

fn stamp(source: &VectorSource) -> (u64, u64) {
    let stamp = || {
        let metadata = source.path.metadata().ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((metadata.len(), modified.as_nanos() as u64))
    };
    stamp().unwrap_or_default()
}

fn roots(source: &VectorSource) -> Vec<(String, usize)> {
    let options = LoadOptions::default();
    let file = open(source, &options);
    let root = |index| Some((demanded(&file.case(index)?.read().ok()?.case?)?.0, index));
    (0..file.cases()).filter_map(root).collect()
}

fn assertions(case: &Case) -> impl Iterator<Item = &Assertion> {
    case.steps.iter().flat_map(|step| &step.assertions)
}

/// What is wrong with the root that a case demands together with a whole state: the root of that state.
pub(crate) fn wrong_root(case: &Case) -> Option<Diagnostic<Origin>> {
    let (_, hashed) = demanded(case)?;
    let root = assertions(case).find(|it| it.at == Path::field(hashed.root))?;
    let actual = (hashed.root_of)(&state(case, &hashed))?;
    if root.expected == Expected::Is(actual.clone()) {
        return None;
    }
    let what = "this is not the root of the state that is demanded with it";
    Some(Diagnostic::at(root.origin.0, what).expected(actual.to_string()).under(LintRule::WrongRoot))
}

/// Whether a case fails at the root that it demands.
pub(super) fn differs_at_root(case: &Case, verdict: &Verdict) -> bool {
    let hashed = machines::by_name(case.machine).and_then(|machine| machine.hashed);
    let root = hashed.map(|hashed| Path::field(hashed.root));
    root.is_some_and(|root| verdict.failure().is_some_and(|it| it.differences.iter().any(|it| it.at == root)))
}

/// The root that a case demands, if it demands the whole state as well.
fn demanded(case: &Case) -> Option<(String, Hashed)> {
    let hashed = machines::by_name(case.machine)?.hashed?;
    let state = Path::field(hashed.state);
    assertions(case).find(|it| it.at == state && matches!(it.expected, Expected::Only(_)))?;
    let root = assertions(case).find(|it| it.at == Path::field(hashed.root))?;
    let Expected::Is(Value::Bytes(root)) = &root.expected else { return None };
    Some((bytes_key(root), hashed))
}

/// The state that the leaves of a case add up to.
fn state(case: &Case, hashed: &Hashed) -> Value {
    let mut state = Value::Record(Vec::new());
    for assertion in assertions(case).filter(|it| it.at.starts_with(&Path::field(hashed.state))) {
        let value = match &assertion.expected {
            Expected::Is(value) => value.clone(),
            // An account, or its storage, which may be empty.
            Expected::Record | Expected::Only(_) => Value::Record(Vec::new()),
            _ => continue,
        };
        let keys = assertion.at.keys();
        let names =
            keys[1..].iter().filter_map(|key| if let PathKey::Name(name) = key { Some(name) } else { None });
        put(&mut state, &names.collect::<Vec<_>>(), value);
    }
    state
}

/// Puts a value into records within a record, which it makes.
fn put(record: &mut Value, way: &[&Name], value: Value) {
    let (Value::Record(members), [first, rest @ ..]) = (record, way) else { return };
    if rest.is_empty() {
        return members.push(((*first).clone(), value));
    }
    // Leaves come account by account.
    if members.last().is_none_or(|last| last.0 != **first) {
        members.push(((*first).clone(), Value::Record(Vec::new())));
    }
    if let Some(last) = members.last_mut() {
        put(&mut last.1, rest, value);
    }
}
