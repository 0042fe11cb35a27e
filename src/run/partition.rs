//! `--partition`: which cases of a run are in one part of it.

use super::options::Options;
use super::select::open;
use super::sources::Source;
use crate::model::partition::{FileCases, Part, Partition};

/// Finds the cases of a part of a run: all files are loaded for that. `flags` are what else makes a run
/// another one.
pub fn part(sources: &[Source], options: &Options, partition: Partition, flags: &str) -> Part {
    let cases = |source: &Source| FileCases {
        file: source.shown.clone(),
        cases: open(source, options).ids().collect(),
    };
    Part::new(partition, flags, &sources.iter().map(cases).collect::<Vec<_>>())
}
