//! States by their roots: of the vectors that demand a whole state, which case demands it.
//!
//! The index is stored as text, one line a file. A file that has the same length and time of modification as its
//! line is not read again.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::cache::MAX_CACHE_BYTES;
use super::demanded_state::{demanded, state};
use super::options::LoadOptions;
use super::select::open;
use super::source::VectorSource;
use crate::model::{Value, bytes_key};

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
            // A file that is not in the index is read again in each run.
            let Ok(line) = serde_json::to_string(file) else { continue };
            if text.len() + line.len() < MAX_CACHE_BYTES {
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
