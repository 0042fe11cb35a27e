//! Finds the cases that are selected by name and do not exist.

use std::collections::BTreeSet;

use super::options::{LoadOptions, RunOptions};
use super::select::open;
use super::source::{VectorSource, case_in};
use crate::text::suggest::nearest;

/// A case that is selected by name and that its file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCase {
    /// The part of its id after the file.
    pub name: String,
    /// A case of the file whose name it may be a misspelling of.
    pub near: Option<String>,
}

/// The cases that a source selects by name and that the file does not have; filters do not
/// matter. Empty for a file that is broken as a whole, whose cases are not known.
pub fn missing_cases(source: &VectorSource, options: &LoadOptions) -> Vec<MissingCase> {
    let Some(only) = &source.only else { return Vec::new() };
    let options = LoadOptions { run: RunOptions::default(), ..options.clone() };
    let whole = VectorSource { only: None, ..source.clone() };
    let file = open(&whole, &options);
    if file.cases() == 0 && !file.errors().is_empty() {
        return Vec::new();
    }
    let ids: Vec<_> = file.ids().map(ToString::to_string).collect();
    let names: BTreeSet<_> = ids.iter().filter_map(|id| case_in(id, &source.shown)).collect();
    let missing = only.iter().filter(|name| !names.contains(name.as_str()));
    let near = |name: &str| nearest(name, names.iter().copied()).map(str::to_owned);
    missing.map(|name| MissingCase { name: name.clone(), near: near(name) }).collect()
}
