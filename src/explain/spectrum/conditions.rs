//! What separates the failing from the passing cases of a suspect on a machine whose instructions are unknown: their
//! files, or the state before.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::alike::NamedCase;
use super::before::{MAX_COMPARED, NumbersBefore, ObservedNumber, numbers, observed, rule};
use crate::model::{SeparatingCondition, SuspectAnalysis, counted};
use crate::run::sources::Sources;
use crate::run::{self, LoadOptions};

/// The most files that a condition names.
const MAX_FILES: usize = 4;

/// The cases of a suspect.
struct SuspectCases<'n> {
    failing: Vec<&'n NamedCase>,
    passing: Vec<&'n NamedCase>,
}

/// Adds to each suspect the condition that separates its failing from its passing cases, if there is one.
pub(super) fn add(
    sources: &Sources,
    options: &LoadOptions,
    cases: &[NamedCase],
    analysis: &mut SuspectAnalysis,
) {
    let mut unexplained = Vec::new();
    for (index, suspect) in analysis.suspects.iter_mut().enumerate() {
        let those = cases.iter().filter(|case| case.has(&suspect.name.op));
        let (passing, failing): (Vec<_>, Vec<_>) = those.partition(|case| case.is_passing);
        let those = SuspectCases { failing, passing };
        suspect.condition = those.by_file();
        if suspect.condition.is_none() && those.is_comparable() {
            unexplained.push((index, those));
        }
    }
    let wanted = unexplained.iter().flat_map(|(_, those)| those.failing.iter().chain(&those.passing));
    let before = StatesBefore::read(sources, options, &wanted.map(|case| &*case.id).collect());
    for (index, those) in unexplained {
        analysis.suspects[index].condition = before.rule(&those);
    }
}

impl SuspectCases<'_> {
    fn is_comparable(&self) -> bool {
        !self.passing.is_empty() && self.failing.len() + self.passing.len() <= MAX_COMPARED
    }

    /// Several files of which all cases fail, if no case of another file does. Files with one such case each separate
    /// nothing: each file with a failing case would do.
    fn by_file(&self) -> Option<SeparatingCondition> {
        let mut files: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (side, cases) in [&self.failing, &self.passing].into_iter().enumerate() {
            for case in cases {
                files.entry(case.file()).or_default()[side] += 1;
            }
        }
        let is_whole = |counts: &[usize; 2]| counts[0] == 0 || counts[1] == 0;
        if self.passing.is_empty() || !files.values().all(is_whole) {
            return None;
        }
        let failing: Vec<_> = files.iter().filter(|(_, counts)| counts[0] > 0).collect();
        let name = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
        let mut names: Vec<_> = failing.iter().take(MAX_FILES).map(|(file, _)| name(file)).collect();
        if failing.len() > MAX_FILES {
            names.push("...".to_owned());
        }
        let what = format!("one of {}: {}", counted(failing.len(), "file"), names.join(", "));
        let condition = SeparatingCondition { what, failing: self.failing.len() as u64, passing: 0 };
        (failing.len() > 1 && self.failing.len() >= 2 * failing.len()).then_some(condition)
    }
}

/// What cases give to a machine, by their ids.
#[derive(Default)]
struct StatesBefore {
    observed: Vec<ObservedNumber>,
    numbers: HashMap<String, NumbersBefore>,
}

impl StatesBefore {
    fn read(sources: &Sources, options: &LoadOptions, wanted: &HashSet<&str>) -> StatesBefore {
        let mut before = StatesBefore::default();
        let files: HashSet<&str> =
            wanted.iter().map(|id| id.split_once("::").map_or(*id, |(file, _)| file)).collect();
        for source in sources.iter().filter(|source| files.contains(&*source.shown)) {
            if options.run.interrupt.is_requested() {
                break;
            }
            let file = run::open(&source, options);
            for case in (0..file.cases()).filter_map(|index| file.case(index)) {
                let id = case.id.to_string();
                let read = wanted.contains(&*id).then(|| case.read().ok()?.case).flatten();
                if let Some(read) = read
                    && let Some(info) = file.options().families.machine(read.machine)
                {
                    before.observed = observed(info);
                    before.numbers.insert(id, numbers(&read.program.0, &before.observed));
                }
            }
        }
        before
    }

    fn rule(&self, those: &SuspectCases<'_>) -> Option<SeparatingCondition> {
        let numbers = |cases: &[&NamedCase]| -> Vec<&NumbersBefore> {
            cases.iter().filter_map(|case| self.numbers.get(&case.id)).collect()
        };
        Some(rule(&self.observed, &numbers(&those.failing), &numbers(&those.passing))?.condition)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::CaseId;

    /// The condition of cases in four files, of which those in the first two fail, with this many cases in each.
    fn condition(in_each: usize) -> Option<String> {
        let case = |number: usize, file: usize| {
            let id = CaseId {
                file: Arc::from(format!("{file}.json")),
                name: Some(format!("DD {number}").into()),
                nth: 1,
            };
            NamedCase::new(&id, file > 1)
        };
        let cases: Vec<_> =
            (0..4).flat_map(|file| (0..in_each).map(move |number| case(number, file))).collect();
        let (passing, failing) = cases.iter().partition(|case| case.is_passing);
        SuspectCases { failing, passing }.by_file().map(|condition| condition.what)
    }

    #[test]
    fn files_separate_only_if_they_have_several_cases() {
        assert_eq!(condition(2).as_deref(), Some("one of 2 files: 0.json, 1.json"));
        assert_eq!(condition(1), None);
    }
}
