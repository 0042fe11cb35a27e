//! Finds the entries of a list that match cases which did not run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use super::{KnownFailure, KnownFailures};
use crate::model::{CaseId, CaseReport};
use crate::run::anchor::Anchor;
use crate::run::open_file::is_absent;
use crate::run::options::{LoadOptions, RunOptions};
use crate::run::select::open;
use crate::run::sources::{self, VectorSource};

/// The entries that match a case which exists and did not run, or that may match one: of a file that is broken
/// as a whole, the cases are not known.
///
/// Only the file or folder with which an entry begins is searched, and of the files there those that `is_for` says the
/// list is for.
pub fn entries_of_other_cases(
    list: &KnownFailures,
    ran: &[CaseReport],
    anchor: &Anchor,
    options: &LoadOptions,
    is_for: &dyn Fn(&VectorSource) -> bool,
) -> BTreeSet<usize> {
    let ran: HashSet<&CaseId> = ran.iter().map(|report| &report.id).collect();
    // Filters select what runs, not what exists.
    let options = LoadOptions { run: RunOptions::default(), ..options.clone() };
    let mut places: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for (number, entry) in list.entries.iter().enumerate() {
        places.entry(entry.place_of_cases(anchor)).or_default().push(number);
    }
    let mut entries = BTreeSet::new();
    for (place, numbers) in places {
        // A place that does not exist has no cases. One that cannot be read may have any.
        let found = match sources::find(std::slice::from_ref(&place), anchor) {
            Err(_) if is_absent(&place) => continue,
            Err(_) => {
                entries.extend(numbers);
                continue;
            }
            Ok(found) => found,
        };
        for source in found.sources.iter().filter(is_for) {
            let file = open(&source, &options);
            let other_cases = file.ids().filter(|id| !ran.contains(id));
            let matching: BTreeSet<usize> = other_cases.flat_map(|id| list.matching(id)).collect();
            let may_match = |number: &&usize| file.has_unknown_cases() || matching.contains(number);
            entries.extend(numbers.iter().filter(may_match));
        }
    }
    entries
}

impl KnownFailure {
    /// The file or folder that has all cases which the entry can match.
    fn place_of_cases(&self, anchor: &Anchor) -> PathBuf {
        let files = self.id.match_indices("::").map(|(at, _)| anchor.path(&self.id[..at]));
        if let Some(file) = files.into_iter().find(|path| path.is_file()) {
            return file;
        }
        match &self.glob {
            Some(_) => anchor.path(self.start().rsplit_once('/').map_or("", |(folder, _)| folder)),
            None => anchor.path(&self.id),
        }
    }
}
