//! What failing cases have in common on a machine whose instructions are unknown: the file, and words of the name.
//! Nothing is executed for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::explain::suspects::{FailureEvidence, SpectrumCase, SpectrumOutcome, SpectrumPoints, locate};
use crate::model::{CaseId, SuspectAnalysis};

/// The most cases of a machine that are compared: they are kept until the end.
const MAX_CASES: usize = 200_000;

/// The most words of a name that are compared.
const MAX_WORDS: usize = 8;

/// A case of a machine whose instructions are unknown.
pub(super) struct NamedCase {
    pub(super) id: String,
    pub(super) is_passing: bool,
    /// What it may have in common with others.
    parts: BTreeSet<String>,
}

impl NamedCase {
    pub(super) fn new(id: &CaseId, is_passing: bool) -> NamedCase {
        let file = id.file.rsplit('/').next().unwrap_or_default();
        let name = id.name.as_deref().unwrap_or_default();
        let words = name.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.take(MAX_WORDS).map(|word| format!("name {word}"));
        let parts = words.chain([format!("file {file}")]).collect();
        NamedCase { id: id.to_string(), is_passing, parts }
    }

    /// Whether it has this in common with others.
    pub(super) fn has(&self, part: &str) -> bool {
        self.parts.contains(part)
    }

    /// Its file.
    pub(super) fn file(&self) -> &str {
        self.id.split_once("::").map_or(&*self.id, |(file, _)| file)
    }
}

/// What explains the failures of a machine: only what several failing cases have in common does. `None` if nothing
/// fails, or if there are too many cases.
pub(super) fn located_by_names(machine: &str, cases: &[NamedCase]) -> Option<SuspectAnalysis> {
    if cases.len() > MAX_CASES || cases.iter().all(|case| case.is_passing) {
        return None;
    }
    let mut failing: BTreeMap<&str, usize> = BTreeMap::new();
    for part in cases.iter().filter(|case| !case.is_passing).flat_map(|case| &case.parts) {
        *failing.entry(part).or_default() += 1;
    }
    let is_common = |part: &&String| failing.get(part.as_str()).is_some_and(|count| *count > 1);
    let mut points = SpectrumPoints::default();
    let mut spectrum = Vec::new();
    for case in cases {
        let common = case.parts.iter().filter(is_common);
        spectrum.push(SpectrumCase {
            id: case.id.clone(),
            // No other machine has said whether the vector is right.
            outcome: if case.is_passing {
                SpectrumOutcome::Passes
            } else {
                SpectrumOutcome::FailsOnlyElsewhere
            },
            length: 0,
            evidence: FailureEvidence::default(),
            executes: points.numbers(common.map(|part| (part.as_str(), "executed".to_owned()))),
        });
    }
    Some(locate(machine, &points, &spectrum))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn case(file: &str, name: &str, is_passing: bool) -> NamedCase {
        let id = CaseId { file: Arc::from(file), name: Some(name.to_owned().into()), nth: 1 };
        NamedCase::new(&id, is_passing)
    }

    /// Two faults: all cases of a file, and all cases of one kind in all files.
    #[test]
    fn a_file_and_a_word_are_named() {
        let mut cases = Vec::new();
        for file in 0..10 {
            for number in 0..10 {
                let kind = if number % 2 == 0 { "carry" } else { "plain" };
                let fails = file == 3 || kind == "carry" && number > 6;
                cases.push(case(&format!("z80/{file}.json"), &format!("{kind} {number}"), !fails));
            }
        }
        let analysis = located_by_names("z80", &cases).expect("failures");
        let names: Vec<_> = analysis.suspects.iter().map(|it| &*it.name.op).collect();
        assert_eq!(names, ["file 3.json", "name 8"], "{analysis:?}");
    }

    #[test]
    fn without_failures_nothing_is_named() {
        assert!(located_by_names("z80", &[case("a.json", "one", true)]).is_none());
    }
}
