//! The key of what is known about the cases of many files together.

use std::fmt::{self, Debug};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cache::digest;
use super::open_file::{Links, open_regular};
use super::options::LoadOptions;
use super::select::open;
use super::source::{SourceOrigin, VectorSource};
use super::sources::Sources;

/// A hash of the selected cases of all files, of how they are read and of the files that they name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteKey(String);

impl SuiteKey {
    /// The key of the selected cases of these files. `how` is everything besides the cases, the options and the
    /// program that affects what is known about them. `None` if a file is a stream, which can be read only once.
    pub fn new(sources: &Sources, options: &LoadOptions, how: &impl Debug) -> Option<SuiteKey> {
        let files: Option<Vec<String>> = sources.iter().map(|source| of_file(&source, options)).collect();
        Some(SuiteKey(digest(&files?.concat(), how)))
    }
}

/// In hex digits.
impl fmt::Display for SuiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Everything in a file that decides what its selected cases do, in one line; `None` for a stream.
fn of_file(source: &VectorSource, options: &LoadOptions) -> Option<String> {
    if source.origin == SourceOrigin::Stream {
        return None;
    }
    let file = open(source, options);
    let key = file.format().map(|format| options.run.file_key(file.text(), format, file.options()));
    let ids: Vec<_> = file.ids().map(ToString::to_string).collect();
    let limit = file.options().limits.file_size;
    let mut named = Vec::new();
    for index in 0..file.cases() {
        let Some(case) = file.case(index).filter(|case| !case.format.folders.is_empty()) else { continue };
        // Errors in the case are part of its text.
        let _ = case.read();
        named.extend(case.files.into_requested().into_iter().map(|path| content(&path, limit)));
    }
    Some(format!("{:?}\n", (&source.shown, file.broken().is_some(), key, ids, named)))
}

/// A hash of what is at the path; `None` if nothing there can be read.
fn content(path: &Path, limit: u64) -> Option<String> {
    let bytes = open_regular(path, Links::Follow).ok()?.read_at_most(limit).ok()??;
    Some(blake3::hash(&bytes).to_hex().to_string())
}
