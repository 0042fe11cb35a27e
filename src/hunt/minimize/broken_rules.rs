//! The rules of its format that a file breaks: a smaller one breaks no other rule, and none more often.

use std::collections::BTreeMap;

use super::nodes::reading;
use crate::formats::{FormatOptions, ReadContext, Strictness};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, Severity};
use crate::run::LoadedFile;

/// How often a file breaks each rule, and how severely: for `vmconf check`, and for a run with `--strict`. Something
/// that only `check` reports does not make up for something that ends a strict run, even if the rule is the same.
#[derive(Default)]
pub(super) struct BrokenRules(BTreeMap<(Severity, LintRule), usize>);

impl BrokenRules {
    /// The rules that a file with one case breaks.
    pub(super) fn of(file: &LoadedFile<'_>) -> BrokenRules {
        let mut broken = BrokenRules::default();
        let Some(case) = file.case(0) else { return broken };
        for strictness in [Strictness::Thorough, Strictness::Strict] {
            let options = FormatOptions { strictness, ..FormatOptions::default() };
            let context = ReadContext { options, files: &case.files, shared: None };
            broken.add(case.format.read_case(case.root(), context).diagnostics);
            broken.add(case.format.read_rest(case.document, &[], context));
        }
        if reading(file).is_some_and(|case| case.demands().next().is_none()) {
            *broken.0.entry((Severity::Warning, LintRule::NothingCompared)).or_default() += 1;
        }
        broken
    }

    fn add(&mut self, diagnostics: Vec<Diagnostic<Origin>>) {
        for Diagnostic { severity, rule, .. } in diagnostics {
            *self.0.entry((severity, rule)).or_default() += 1;
        }
    }

    /// Whether another file breaks each of these rules at least as often.
    pub(super) fn are_all_in(&self, other: &BrokenRules) -> bool {
        self.0.iter().all(|(rule, count)| other.0.get(rule).is_some_and(|most| count <= most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sources::{SourceOrigin, VectorSource};
    use crate::run::{LoadOptions, open_text};

    /// The rules that a vector of N3 breaks that demands this integer.
    fn broken(integer: &str) -> BTreeMap<(Severity, LintRule), usize> {
        let source = VectorSource::new("a.json".into(), "a.json".into(), SourceOrigin::Stream);
        let text = format!(
            r#"{{"category": "a", "name": "a", "tests": [{{"name": "a", "script": ["PUSH1"], "steps": [{{
            "actions": ["Execute"],
            "result": {{"state": "HALT", "resultStack": [{{"type": "Integer", "value": {integer}}}]}}}}]}}]}}"#
        );
        BrokenRules::of(&open_text(&source, text, &LoadOptions::default())).0
    }

    /// An integer of N3 has at most 32 bytes, which only `vmconf check` says; one with leading zeros ends a strict run.
    #[test]
    fn a_mistake_that_only_a_check_reports_costs_no_error() {
        let large = broken(&format!("1{}", "0".repeat(100)));
        let padded = broken("\"01\"");
        assert_eq!(broken("1"), BTreeMap::new());
        assert_eq!(large, BTreeMap::from([((Severity::Warning, LintRule::ImpossibleValue), 1)]));
        let severities = [Severity::Warning, Severity::Error];
        assert_eq!(padded, BTreeMap::from(severities.map(|severity| ((severity, LintRule::Number), 1))));
        let [none, large, padded] = [BTreeMap::new(), large, padded].map(BrokenRules);
        assert!(none.are_all_in(&large) && padded.are_all_in(&padded));
        assert!(!padded.are_all_in(&large) && !large.are_all_in(&padded) && !padded.are_all_in(&none));
    }
}
