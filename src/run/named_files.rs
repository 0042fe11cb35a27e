//! The files that cases name, which `--watch` watches in addition to the vector files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::options::LoadOptions;
use super::select::open;
use super::source::VectorSource;

/// The files that the cases of a vector file name, whether they exist or not.
pub fn named_files(source: &VectorSource, options: &LoadOptions) -> BTreeSet<PathBuf> {
    let file = open(source, options);
    let named = |index| {
        let case = file.case(index)?;
        // Errors in the case are reported when it runs.
        let _ = case.read();
        Some(case.files.into_requested())
    };
    (0..file.cases()).filter_map(named).flatten().collect()
}
