//! The files that cases name: those that `--watch` watches besides the vector files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::options::Options;
use super::select::open;
use super::sources::Source;

/// The files beside a vector file that its cases name, whether they are there or not.
pub fn named_files(source: &Source, options: &Options) -> BTreeSet<PathBuf> {
    let file = open(source, options);
    let named = |index| {
        let case = file.case(index)?;
        // What is wrong with the case is reported when it runs.
        let _ = case.read();
        Some(case.files.into_requested())
    };
    (0..file.cases()).filter_map(named).flatten().collect()
}
