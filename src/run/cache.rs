//! ResultCache: cases that passed in an earlier run and need not run again.
//!
//! An answer says that one case of a file with exactly these bytes, on exactly this program and under
//! exactly these options, passed and that there was nothing to note. Whatever else came of a case is
//! no answer, so that it runs again and its explanation is there. A case whose reading opened other
//! files than its own has none either.
//!
//! They are kept as text, a line for each file, those that were used last in front:
//!
//! ```text
//! vmconf answers 1 PROGRAM CHECKSUM
//! {"key":"4c6d…","passed":[1,17]}
//! ```

use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Debug};
use std::io::{self, Read};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::model::case::CaseId;

/// So many bytes of answers are kept; those that were not used for longest go.
pub const MOST_BYTES: usize = 16 << 20;

/// What the first line begins with. The number counts up when the text changes its meaning.
const HEAD: &str = "vmconf answers 1";

/// Which program runs the cases: the BLAKE3 of its executable. Any change to a machine, a format or the
/// runner changes it, also where the version of the crate stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramKey(String);

impl ProgramKey {
    /// The key of the program with this executable.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    pub fn of(executable: impl Read) -> io::Result<ProgramKey> {
        Ok(ProgramKey(blake3::Hasher::new().update_reader(executable)?.finalize().to_hex().to_string()))
    }
}

/// In hex digits.
impl fmt::Display for ProgramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the answers of a file are found by: its text, and how it is read and run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileKey(String);

impl FileKey {
    /// The key of a file with this text. `how` is all that decides what comes of its cases besides the
    /// text and the program.
    pub fn new(text: &str, how: &impl Debug) -> FileKey {
        let how = format!("{how:?}");
        let mut hasher = blake3::Hasher::new();
        // With its length in front, so that nothing in one can pass for something in the other.
        hasher.update(&(how.len() as u64).to_le_bytes()).update(how.as_bytes()).update(text.as_bytes());
        FileKey(hex::encode(&hasher.finalize().as_bytes()[..16]))
    }
}

/// What is known of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing: it runs.
    Unknown,
    /// It passes.
    Passes,
    /// It is said to pass, and is of the sample that runs all the same.
    Tested,
}

/// What a case that ran teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// The case at this datum of its file passes.
    Passes(u32),
    /// A case is said to pass and does not.
    Refuted,
}

/// The answers of earlier runs of one program, and what this run adds to them.
#[derive(Debug)]
pub struct ResultCache {
    program: ProgramKey,
    sample: Option<Sample>,
    /// The data of the cases that pass, in order, for each file.
    kept: IndexMap<FileKey, Vec<u32>>,
    learnt: Mutex<Learnt>,
}

#[derive(Debug, Default)]
struct Learnt {
    /// The files of this run.
    files: IndexMap<FileKey, BTreeSet<u32>>,
    refuted: HashSet<FileKey>,
}

/// A line of the text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: FileKey,
    passed: Vec<u32>,
}

impl ResultCache {
    /// No answers yet. With a sample, those that will be there are tested.
    pub fn new(program: ProgramKey, sample: Option<Sample>) -> ResultCache {
        ResultCache { program, sample, kept: IndexMap::new(), learnt: Mutex::default() }
    }

    /// Adds those that a text of [`ResultCache::text`] has.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, of which then nothing is taken: it is damaged, or of another program.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
        let expected = head(&self.program, lines);
        if first != expected {
            return Err(format!("line 1 is not {expected:?}: it is damaged, or of another program"));
        }
        let parse = |(number, line): (usize, &str)| match serde_json::from_str::<Line>(line) {
            Ok(Line { key, passed }) if passed.is_sorted() => Ok((key, passed)),
            Ok(_) => Err(format!("line {}: the numbers are not in order", number + 2)),
            Err(error) => Err(format!("line {}: {error}", number + 2)),
        };
        self.kept = lines.lines().enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// What is known of the case at a datum of a file.
    pub fn of(&self, file: &FileKey, datum: u32, id: &CaseId) -> Lookup {
        let passes = self.kept.get(file).is_some_and(|passed| passed.binary_search(&datum).is_ok());
        match &self.sample {
            _ if !passes => Lookup::Unknown,
            Some(sample) if sample.has(id) => Lookup::Tested,
            _ => Lookup::Passes,
        }
    }

    /// That a file is of this run.
    pub fn use_file(&self, file: &FileKey) {
        let mut learnt = self.learnt();
        if !learnt.files.contains_key(file) {
            learnt.files.insert(file.clone(), BTreeSet::new());
        }
    }

    /// What a case of a file of this run teaches. If an answer was wrong, nothing is known of its file
    /// any more.
    pub fn learn(&self, file: &FileKey, cache_update: Update) {
        let mut learnt = self.learnt();
        match cache_update {
            Update::Passes(datum) => drop(learnt.files.entry(file.clone()).or_default().insert(datum)),
            Update::Refuted => drop(learnt.refuted.insert(file.clone())),
        }
    }

    /// Of how many files an answer was wrong.
    pub fn refuted(&self) -> usize {
        self.learnt().refuted.len()
    }

    /// All answers as text; none where the run taught nothing.
    pub fn text(&self) -> Option<String> {
        let learnt = self.learnt();
        if learnt.refuted.is_empty() && learnt.files.values().all(BTreeSet::is_empty) {
            return None;
        }
        let used = learnt.files.iter().map(|(key, new)| {
            let kept = self.kept.get(key).into_iter().flatten();
            (key, kept.chain(new).copied().collect::<BTreeSet<_>>().into_iter().collect())
        });
        let others = self.kept.iter().filter(|(key, _)| !learnt.files.contains_key(*key));
        let others = others.map(|(key, passed)| (key, passed.clone()));
        let mut lines = String::new();
        for (key, passed) in used.chain(others) {
            let passed: Vec<u32> = passed;
            if passed.is_empty() || learnt.refuted.contains(key) {
                continue;
            }
            let line = serde_json::to_string(&Line { key: key.clone(), passed }).ok()?;
            if lines.len() + line.len() < MOST_BYTES - head(&self.program, "").len() {
                lines.extend([&*line, "\n"]);
            }
        }
        Some(format!("{}\n{lines}", head(&self.program, &lines)))
    }

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn head(program: &ProgramKey, lines: &str) -> String {
    format!("{HEAD} {program} {}", blake3::hash(lines.as_bytes()))
}

/// The answers that are tested: each case is of the sample or not by a hash of its id and the seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How large it is.
    pub share: Share,
    /// Which one.
    pub seed: u64,
}

impl Sample {
    fn has(&self, id: &CaseId) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(id.to_string().as_bytes());
        let [first, second, third, fourth, ..] = *hasher.finalize().as_bytes();
        let number = u32::from_le_bytes([first, second, third, fourth]);
        f64::from(number) / (f64::from(u32::MAX) + 1.0) < self.share.percent / 100.0
    }
}

/// A part of the answers, written as a percentage: `5%`, `0.1%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    percent: f64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let percent = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
        percent
            .map(|percent| Share { percent })
            .ok_or_else(|| "a share is written as 5% or 0.1%, from 0% to 100%".to_owned())
    }
}
