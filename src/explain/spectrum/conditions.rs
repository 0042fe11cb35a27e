//! What separates the failing from the passing cases of a suspect on a machine whose instructions are unknown: their
//! files, or the state before.

use std::collections::BTreeMap;

use super::alike::{CommonParts, NamedCases};
use super::before::{MAX_COMPARED, NumbersBefore, ObservedNumber, numbers, observed, rule};
use crate::model::{SeparatingCondition, SuspectAnalysis, VerdictKind, counted};
use crate::run::sources::Sources;
use crate::run::{self, KnownVerdicts, LoadOptions, LoadedCase, LoadedFile};

/// The most files that a condition names.
const MAX_FILES: usize = 4;

/// The cases of a machine whose instructions are unknown, and what is needed to read those of a suspect again.
pub(super) struct CasesByName<'c> {
    pub(super) machine: &'c str,
    pub(super) cases: &'c NamedCases,
    pub(super) common: &'c CommonParts,
    pub(super) verdicts: &'c KnownVerdicts,
}

impl CasesByName<'_> {
    /// Adds to each suspect the condition that separates its failing from its passing cases, if there is one.
    pub(super) fn add_conditions(
        &self,
        sources: &Sources,
        options: &LoadOptions,
        analysis: &mut SuspectAnalysis,
    ) {
        let mut unexplained = Vec::new();
        for (index, suspect) in analysis.suspects.iter_mut().enumerate() {
            let Some(part) = self.common.number(&suspect.name.op) else { continue };
            suspect.condition = by_file(self.cases, part);
            if suspect.condition.is_none()
                && suspect.passing > 0
                && suspect.failing + suspect.passing <= MAX_COMPARED
            {
                unexplained.push((index, StatesBefore::of(part)));
            }
        }
        if unexplained.is_empty() {
            return;
        }
        let observed = self.read(sources, options, &mut unexplained);
        for (index, before) in unexplained {
            analysis.suspects[index].condition = before.rule(&observed);
        }
    }

    /// Reads what the cases of these suspects give to the machine; returns what is observed of it.
    fn read(
        &self,
        sources: &Sources,
        options: &LoadOptions,
        suspects: &mut [(usize, StatesBefore)],
    ) -> Vec<ObservedNumber> {
        let mut all = Vec::new();
        for source in sources {
            if options.run.interrupt.is_requested() {
                break;
            }
            let file = run::open(&source, options);
            for case in (0..file.cases()).filter_map(|index| file.case(index)) {
                self.read_case(&file, &case, &mut all, suspects);
            }
        }
        all
    }

    /// Adds what a case gives to the machine to those suspects that have the case.
    fn read_case(
        &self,
        file: &LoadedFile<'_>,
        case: &LoadedCase<'_>,
        all: &mut Vec<ObservedNumber>,
        suspects: &mut [(usize, StatesBefore)],
    ) -> Option<()> {
        let (is_passing, parts) = self.in_common(case)?;
        let having = suspects.iter_mut().map(|(_, before)| before).filter(|it| parts.contains(&it.part));
        let mut having = having.peekable();
        having.peek()?;
        let read = case.read().ok()?.case?;
        if all.is_empty() {
            *all = observed(file.options().families.machine(read.machine)?);
        }
        let numbers = numbers(&read.program.0, all);
        having.for_each(|before| before.add(is_passing, &numbers));
        Some(())
    }

    /// Whether a case of the machine passes, and what it has in common with failing ones. `None` for other cases.
    fn in_common(&self, case: &LoadedCase<'_>) -> Option<(bool, Vec<u32>)> {
        if case.format.machine != self.machine {
            return None;
        }
        let id = case.id.to_string();
        let is_passing = self.verdicts.of(&id).and_then(VerdictKind::passes)?;
        Some((is_passing, self.common.of_case(&id)))
    }
}

/// Several files of which all cases of a suspect fail, if no case of it in another file does. Files with one such case
/// each separate nothing: each file with a failing case would do.
fn by_file(cases: &NamedCases, part: u32) -> Option<SeparatingCondition> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases.failing.iter().filter(|case| case.has(part)) {
        *files.entry(case.file()).or_default() += 1;
    }
    let failing: usize = files.values().sum();
    let are_whole = files.keys().all(|file| cases.passing_in(file, part) == 0);
    if !are_whole || cases.passing_with(part) == 0 || files.len() < 2 || failing < 2 * files.len() {
        return None;
    }
    let name = |file: &&str| file.rsplit('/').next().unwrap_or(file).to_owned();
    let mut names: Vec<_> = files.keys().take(MAX_FILES).map(name).collect();
    if files.len() > MAX_FILES {
        names.push("...".to_owned());
    }
    let what = format!("one of {}: {}", counted(files.len(), "file"), names.join(", "));
    Some(SeparatingCondition { what, failing: failing as u64, passing: 0 })
}

/// What the cases of a suspect give to the machine.
struct StatesBefore {
    part: u32,
    failing: Vec<NumbersBefore>,
    passing: Vec<NumbersBefore>,
}

impl StatesBefore {
    fn of(part: u32) -> StatesBefore {
        StatesBefore { part, failing: Vec::new(), passing: Vec::new() }
    }

    fn add(&mut self, is_passing: bool, numbers: &NumbersBefore) {
        let cases = if is_passing { &mut self.passing } else { &mut self.failing };
        cases.push(numbers.clone());
    }

    fn rule(&self, observed: &[ObservedNumber]) -> Option<SeparatingCondition> {
        let [failing, passing] = [&self.failing, &self.passing].map(|cases| cases.iter().collect::<Vec<_>>());
        Some(rule(observed, &failing, &passing)?.condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The condition of cases in four files, of which those in the first two fail, with this many cases in each.
    fn condition(in_each: usize) -> Option<String> {
        let ids = |file: usize| (0..in_each).map(move |number| format!("{file}.json::DD {number}"));
        let failing: Vec<_> = (0..2).flat_map(ids).collect();
        let common = CommonParts::of(failing.iter().map(String::as_str));
        let mut cases = NamedCases::default();
        for id in failing {
            cases.add(&common, id, false);
        }
        for id in (2..4).flat_map(ids) {
            cases.add(&common, id, true);
        }
        by_file(&cases, common.number("name DD")?).map(|condition| condition.what)
    }

    #[test]
    fn files_separate_only_if_they_have_several_cases() {
        assert_eq!(condition(2).as_deref(), Some("one of 2 files: 0.json, 1.json"));
        assert_eq!(condition(1), None);
    }
}
