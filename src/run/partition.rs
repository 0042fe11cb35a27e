//! `--partition`: determines which cases belong to a part of a run.

use super::options::Options;
use super::select::open;
use super::source::Source;
use super::sources::Sources;
use crate::model::partition::{FileCases, Part, Partition};

/// The cases of a part of a run, for which all files are loaded. `flags` are the other arguments that
/// distinguish one run from another.
pub fn part(sources: &Sources, options: &Options, partition: Partition, flags: &str) -> Part {
    let cases = |source: Source| FileCases {
        file: source.shown.clone(),
        cases: open(&source, options).ids().collect(),
    };
    Part::new(partition, flags, &sources.iter().map(cases).collect::<Vec<_>>())
}
