//! What cases execute, kept for later runs of the same program: a case whose file has not changed is not executed
//! again.
//!
//! It is stored as text: what instructions do, each once, then one line per file, those of the last run first.
//!
//! ```text
//! vmconf spectra 3 PROGRAM CHECKSUM
//! [["evm","ADD","executed"],["evm","ADD","a: 0"]]
//! {"key":"4c6d…","cases":{"17":{"machine":"evm","extent":null,"passes":true,"length":12,"points":[0,1]}}}
//! ```

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::spectrum_run::FollowedExtent;
use crate::explain::circumstances;
use crate::explain::observer::CoveragePoints;
use crate::machines::by_name;
use crate::model::lock;
use crate::run::cache::cache_text::CacheFormat;
use crate::run::cache::{FileKey, ProgramKey};

/// The number in its head increases when the form of the file or what is observed changes.
const FORMAT: CacheFormat = CacheFormat { head: "vmconf spectra 3", of: "program" };

/// What cases execute: the cases of earlier runs, and those that this run adds.
#[derive(Debug)]
pub struct SpectrumCache {
    program: ProgramKey,
    state: Mutex<CacheState>,
}

#[derive(Debug, Default)]
struct CacheState {
    points: IndexSet<SpectrumPoint>,
    kept: IndexMap<FileKey, FileSpectra>,
    /// The files of this run, which are kept first.
    used: IndexMap<FileKey, FileSpectra>,
    has_new: bool,
}

/// A machine, one of its instructions, and what is done with it.
type SpectrumPoint = (&'static str, &'static str, String);

/// What the cases of a file execute, by their nodes.
type FileSpectra = BTreeMap<u32, KeptCase>;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptCase {
    machine: String,
    /// How far it was followed; `None` if it ended before that made a difference.
    extent: Option<FollowedExtent>,
    passes: bool,
    length: u64,
    points: Vec<usize>,
}

/// What a case executes on the embedded machine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExecutedCase {
    pub(super) machine: &'static str,
    /// How far it was followed; `None` if it ended before that made a difference.
    pub(super) extent: Option<FollowedExtent>,
    /// Whether it passes there; unknown if it was not executed to its end.
    pub(super) passes: bool,
    pub(super) length: u64,
    pub(super) executes: CoveragePoints,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpectrumCacheLine {
    key: FileKey,
    cases: FileSpectra,
}

impl SpectrumCache {
    /// An empty cache.
    pub fn new(program: ProgramKey) -> SpectrumCache {
        SpectrumCache { program, state: Mutex::default() }
    }

    /// Adds what [`SpectrumCache::text`] has written. A text that is damaged or was written by another program is an
    /// error with the reason, and adds nothing.
    pub fn read(&mut self, text: &str) -> Result<(), String> {
        let rest = FORMAT.open(&self.program, text)?;
        let (points, lines) = rest.split_once('\n').unwrap_or((rest, ""));
        let points: Vec<(String, String, String)> =
            serde_json::from_str(points).map_err(|error| format!("line 2: {error}"))?;
        let points = points.into_iter().map(known).collect::<Option<IndexSet<SpectrumPoint>>>();
        let points = points.ok_or("line 2: an instruction is unknown")?;
        let spectra = |SpectrumCacheLine { key, cases }| {
            let are_known = cases.values().all(|case| has_all(&points, case));
            if are_known { Ok((key, cases)) } else { Err("a number is too large") }
        };
        let kept = CacheFormat::read_lines(lines, 3, spectra)?;
        *self.state() = CacheState { points, kept, ..CacheState::default() };
        Ok(())
    }

    /// What a case executes, by the node of its file, if it was followed as far.
    pub(super) fn look_up(&self, file: &FileKey, node: u32, extent: FollowedExtent) -> Option<ExecutedCase> {
        let mut state = self.state();
        let case = state.kept.get(file)?.get(&node)?.clone();
        if case.extent.is_some_and(|it| it != extent) {
            return None;
        }
        let machine = by_name(&case.machine)?.name;
        let points = case.points.iter().filter_map(|number| state.points.get_index(*number));
        let executes = points.map(|(_, op, what)| (*op, what.clone())).collect();
        let KeptCase { extent, passes, length, .. } = case;
        state.used.entry(file.clone()).or_default().insert(node, case);
        Some(ExecutedCase { machine, extent, passes, length, executes })
    }

    pub(super) fn add(&self, file: &FileKey, node: u32, case: &ExecutedCase) {
        let ExecutedCase { machine, extent, passes, length, executes } = case;
        let mut state = self.state();
        let points = executes.iter().map(|(op, what)| (*machine, *op, what.clone()));
        let points = points.map(|point| state.points.insert_full(point).0).collect();
        let machine = (*machine).to_owned();
        let case = KeptCase { machine, extent: *extent, passes: *passes, length: *length, points };
        state.used.entry(file.clone()).or_default().insert(node, case);
        state.has_new = true;
    }

    /// Everything as text; `None` if the run added nothing.
    pub fn text(&self) -> Option<String> {
        let state = self.state();
        if !state.has_new {
            return None;
        }
        let mut files = state.kept.clone();
        let mut all: IndexMap<FileKey, FileSpectra> = IndexMap::new();
        for (key, used) in &state.used {
            let mut cases = files.shift_remove(key).unwrap_or_default();
            cases.extend(used.clone());
            all.insert(key.clone(), cases);
        }
        all.extend(files);
        let points = serde_json::to_string(&state.points.iter().collect::<Vec<_>>()).ok()?;
        let lines =
            all.into_iter().map(|(key, cases)| serde_json::to_string(&SpectrumCacheLine { key, cases }));
        let lines = std::iter::once(Ok(points)).chain(lines).collect::<Result<Vec<_>, _>>().ok()?;
        Some(FORMAT.write(&self.program, lines))
    }

    fn state(&self) -> MutexGuard<'_, CacheState> {
        lock(&self.state)
    }
}

/// A point that was read, with the names that the machine has.
fn known((machine, op, what): (String, String, String)) -> Option<SpectrumPoint> {
    let machine = by_name(&machine)?;
    let op = machine.isa.by_name(&op).map(|op| op.name).or_else(|| circumstances::known(&op))?;
    Some((machine.name, op, what))
}

fn has_all(points: &IndexSet<SpectrumPoint>, case: &KeptCase) -> bool {
    case.points.iter().all(|number| *number < points.len())
}

#[cfg(test)]
mod tests;
