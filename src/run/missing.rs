//! Finds the cases that are selected by name and do not exist.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::options::{LoadOptions, RunOptions};
use super::select::open;
use super::source::{VectorSource, case_in};
use crate::text::suggest::nearest;

/// A case that is selected by name and that its file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCase {
    /// The name of the file.
    pub file: Arc<str>,
    /// The part of its id after the file.
    pub name: String,
    /// A case of the file whose name it may be a misspelling of.
    pub near: Option<String>,
}

/// The first case that these sources select by name and that its file does not have; see [`missing_cases`]. Each file
/// is read once, however many sources are of it, and once more if a case is missing, to suggest one.
pub fn first_missing_case(named: &[&VectorSource], options: &LoadOptions) -> Option<MissingCase> {
    let mut names: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for source in named {
        names.entry(&source.shown).or_default().extend(source.only.iter().flatten().cloned());
    }
    let mut missing: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for source in named {
        let missing = missing.entry(&source.shown).or_insert_with(|| {
            let only = names.remove(&*source.shown);
            missing_cases(&VectorSource { only, ..(*source).clone() }, options)
        });
        if let Some(name) = source.only.iter().flatten().find(|name| missing.contains(*name)) {
            let names = case_names(source, options).unwrap_or_default();
            let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            return Some(MissingCase { file: source.shown.clone(), name: name.clone(), near });
        }
    }
    None
}

/// The names of the cases that a source selects by name and that the file does not have; filters do not matter. Empty
/// for a file that is broken as a whole, whose cases are not known.
pub fn missing_cases(source: &VectorSource, options: &LoadOptions) -> BTreeSet<String> {
    let (Some(only), Some(names)) = (&source.only, case_names(source, options)) else {
        return BTreeSet::new();
    };
    only - &names
}

/// The names of all cases of a file; `None` if it is broken as a whole.
fn case_names(source: &VectorSource, options: &LoadOptions) -> Option<BTreeSet<String>> {
    let options = LoadOptions { run: RunOptions::default(), ..options.clone() };
    let whole = VectorSource { only: None, ..source.clone() };
    let file = open(&whole, &options);
    let name = |id: String| case_in(&id, &source.shown).map(str::to_owned);
    let names = file.ids().filter_map(|id| name(id.to_string())).collect();
    (!file.has_unknown_cases()).then_some(names)
}
