//! The result cache: cases that passed in an earlier run and need not run again.
//!
//! A cached result says that one case of a file with exactly these bytes, on exactly this program and under
//! exactly these options, which `staleness.rs` lists, passed without notes. No other result is cached, so that any
//! other case runs again and reports why. The result of a case that opened other files than its own is not cached
//! either.
//!
//! The cache also remembers which cases execute certain instructions, for the predicate `op` of expressions.
//!
//! Results are stored as text, one line per file, the most recently used first:
//!
//! ```text
//! vmconf answers 2 PROGRAM CHECKSUM
//! {"key":"4c6d…","passed":[1,17],"executes":{"SSTORE":{"1":true,"17":false}}}
//! ```

pub(crate) mod cache_text;
mod program_key;
pub(crate) mod verify;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::{self, Debug};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use self::cache_text::CacheFormat;
use crate::model::{CaseId, lock};

pub use cache_text::MAX_CACHE_BYTES;
pub use program_key::ProgramKey;

const FORMAT: CacheFormat = CacheFormat { head: "vmconf answers 2", of: "program" };

/// The key of the cached results of a file: a hash of its text and of how it is read and run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileKey(String);

impl FileKey {
    /// The key of a file with this text. `how` is everything besides the text and the program that affects
    /// its results.
    pub fn new(text: &str, how: &impl Debug) -> FileKey {
        FileKey(digest(text, how))
    }
}

/// A hash of a text and of what it depends on besides, in 32 hex digits.
pub(super) fn digest(text: &str, how: &impl Debug) -> String {
    let how = format!("{how:?}");
    let mut hasher = blake3::Hasher::new();
    // The length comes first, so that no part of `how` can be mistaken for text.
    hasher.update(&(how.len() as u64).to_le_bytes()).update(how.as_bytes()).update(text.as_bytes());
    hex::encode(&hasher.finalize().as_bytes()[..16])
}

/// The result of a cache lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheLookup {
    /// The case is not cached and runs.
    Miss,
    /// The cache says that the case passes.
    Hit,
    /// The cache says that the case passes, but it is in the sample and runs nevertheless.
    Verify,
}

/// How the result of a case changes the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUpdate {
    /// The case at this node of its file passes.
    Passes(u32),
    /// The cache says that the case passes, but it does not.
    Refuted,
}

/// The cached results of one program: those of earlier runs, and those that this run adds.
#[derive(Debug)]
pub struct ResultCache {
    program: ProgramKey,
    sample: Option<VerifiedSample>,
    kept: IndexMap<FileKey, FileResults>,
    updates: Mutex<CacheUpdates>,
}

#[derive(Debug, Default)]
struct CacheUpdates {
    /// The files of this run.
    files: IndexMap<FileKey, FileResults>,
    refuted: HashSet<FileKey>,
}

/// What is known about the cases of a file, by their nodes.
#[derive(Debug, Clone, Default, PartialEq)]
struct FileResults {
    /// The cases that pass.
    passed: BTreeSet<u32>,
    /// Whether a case executes any of some instructions, by their names.
    executes: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl FileResults {
    fn is_empty(&self) -> bool {
        self.passed.is_empty() && self.executes.is_empty()
    }

    fn add(&mut self, more: &FileResults) {
        self.passed.extend(&more.passed);
        for (ops, cases) in &more.executes {
            self.executes.entry(ops.clone()).or_default().extend(cases);
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultCacheLine {
    key: FileKey,
    passed: Vec<u32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    executes: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl ResultCache {
    /// An empty cache. Cases in `sample` run even if they are cached.
    pub fn new(program: ProgramKey, sample: Option<VerifiedSample>) -> ResultCache {
        ResultCache { program, sample, kept: IndexMap::new(), updates: Mutex::default() }
    }

    /// Replaces the results by those of a text in the format of [`ResultCache::text`]. A text that is damaged or was
    /// written by another program is an error with the reason, and changes nothing.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let lines = FORMAT.open(&self.program, text)?;
        let results = |ResultCacheLine { key, passed, executes }| {
            if !passed.is_sorted() {
                return Err("the numbers are not in order");
            }
            Ok((key, FileResults { passed: passed.into_iter().collect(), executes }))
        };
        self.kept = CacheFormat::read_lines(lines, 2, results)?;
        Ok(())
    }

    /// Looks up the case at a node of a file.
    pub fn look_up(&self, file: &FileKey, node: u32, id: &CaseId) -> CacheLookup {
        let passes = self.kept.get(file).is_some_and(|results| results.passed.contains(&node));
        match &self.sample {
            _ if !passes => CacheLookup::Miss,
            Some(sample) if sample.has(id) => CacheLookup::Verify,
            _ => CacheLookup::Hit,
        }
    }

    /// Whether the case at a node of a file executes any instruction of these names, which `ops` joins; `None` if
    /// that is not cached, or the case is in the sample.
    pub fn executes(&self, file: &FileKey, node: u32, id: &CaseId, ops: &str) -> Option<bool> {
        let executes = *self.kept.get(file)?.executes.get(ops)?.get(&node)?;
        let is_verified = self.sample.as_ref().is_some_and(|sample| sample.has(id));
        (!is_verified).then_some(executes)
    }

    /// Remembers whether a case executes any instruction of these names.
    pub fn add_executes(&self, file: &FileKey, node: u32, ops: &str, executes: bool) {
        let mut updates = self.updates();
        let results = updates.files.entry(file.clone()).or_default();
        results.executes.entry(ops.to_owned()).or_default().insert(node, executes);
    }

    /// Marks a file as used in this run.
    pub fn use_file(&self, file: &FileKey) {
        let mut updates = self.updates();
        if !updates.files.contains_key(file) {
            updates.files.insert(file.clone(), FileResults::default());
        }
    }

    /// Adds the result of a case of this run. If a cached result was wrong, all results of its file are
    /// discarded.
    pub fn update(&self, file: &FileKey, update: CacheUpdate) {
        let mut updates = self.updates();
        match update {
            CacheUpdate::Passes(node) => {
                updates.files.entry(file.clone()).or_default().passed.insert(node);
            }
            CacheUpdate::Refuted => drop(updates.refuted.insert(file.clone())),
        }
    }

    /// How many files had a wrong cached result.
    pub fn refuted(&self) -> usize {
        self.updates().refuted.len()
    }

    /// All results as text; `None` if the run changed nothing.
    pub fn text(&self) -> Option<String> {
        let updates = self.updates();
        if updates.refuted.is_empty() && updates.files.values().all(FileResults::is_empty) {
            return None;
        }
        let used = updates.files.iter().map(|(key, new)| {
            let mut results = self.kept.get(key).cloned().unwrap_or_default();
            results.add(new);
            (key, results)
        });
        let others = self.kept.iter().filter(|(key, _)| !updates.files.contains_key(*key));
        let others = others.map(|(key, results)| (key, results.clone()));
        let kept = used.chain(others);
        let kept = kept.filter(|(key, results)| !results.is_empty() && !updates.refuted.contains(*key));
        let lines = kept.map(|(key, FileResults { passed, executes })| {
            let line = ResultCacheLine { key: key.clone(), passed: passed.into_iter().collect(), executes };
            serde_json::to_string(&line)
        });
        Some(FORMAT.write(&self.program, lines.collect::<Result<Vec<_>, _>>().ok()?))
    }

    fn updates(&self) -> MutexGuard<'_, CacheUpdates> {
        lock(&self.updates)
    }
}

/// The cached results to verify: a hash of its id and the seed decides whether a case is in the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerifiedSample {
    /// The share of cases in the sample.
    pub share: VerifiedShare,
    /// Determines which cases are in a sample of that size.
    pub seed: u64,
}

impl VerifiedSample {
    fn has(&self, id: &CaseId) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(id.to_string().as_bytes());
        let [first, second, third, fourth, ..] = *hasher.finalize().as_bytes();
        let number = u32::from_le_bytes([first, second, third, fourth]);
        f64::from(number) / (f64::from(u32::MAX) + 1.0) < self.share.percent / 100.0
    }
}

/// A share of the cached results, written as a percentage: `5%`, `0.1%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerifiedShare {
    percent: f64,
}

impl fmt::Display for VerifiedShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent)
    }
}

impl FromStr for VerifiedShare {
    type Err = String;

    fn from_str(text: &str) -> Result<VerifiedShare, String> {
        let percent = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
        percent
            .map(|percent| VerifiedShare { percent })
            .ok_or_else(|| "a share is written as 5% or 0.1%, from 0% to 100%".to_owned())
    }
}
