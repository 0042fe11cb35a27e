//! What separates the failing from the passing cases of a suspect on a machine whose instructions are unknown: their
//! files, or the state before.

use std::collections::{BTreeMap, HashSet};

use super::alike::{CommonParts, NamedCases};
use super::before::{MAX_COMPARED, NumbersBefore, ObservedNumber, SeparatingRule, numbers, observed, rule};
use crate::explain::suspects::ochiai;
use crate::model::{SeparatingCondition, Suspect, SuspectAnalysis, SuspectName, VerdictKind, counted};
use crate::run::sources::Sources;
use crate::run::{FileOpener, KnownVerdicts, LoadOptions, LoadedCase, LoadedFile};

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
        let mut groups = Vec::new();
        for (index, suspect) in analysis.suspects.iter_mut().enumerate() {
            let Some(part) = self.common.number(&suspect.name.op) else { continue };
            suspect.condition = by_file(self.cases, part);
            if suspect.condition.is_none()
                && suspect.passing > 0
                && suspect.failing + suspect.passing <= MAX_COMPARED
            {
                groups.push((CaseGroup::Suspect(index), StatesBefore::of(Some(part))));
            }
        }
        // What explains all failures at once is said in place of several suspects.
        let is_one = analysis.suspects.len() == 1 && analysis.unexplained.is_empty();
        if !is_one && analysis.failures + analysis.passing <= MAX_COMPARED {
            groups.push((CaseGroup::Machine, StatesBefore::of(None)));
        }
        if groups.is_empty() {
            return;
        }
        let observed = self.read(sources, options, &mut groups);
        for (group, before) in groups {
            match group {
                CaseGroup::Suspect(index) => analysis.suspects[index].condition = before.condition(&observed),
                CaseGroup::Machine => {
                    if let Some(suspect) = before.suspect(self.machine, &observed) {
                        self.put_first(analysis, suspect);
                    }
                }
            }
        }
    }

    /// Puts a suspect first: the cases that it explains need no other one.
    fn put_first(&self, analysis: &mut SuspectAnalysis, suspect: Suspect) {
        let explained: HashSet<&String> = suspect.cases.iter().collect();
        analysis.unexplained.retain(|id| !explained.contains(id));
        for other in &mut analysis.suspects {
            let before = other.cases.len();
            other.cases.retain(|id| !explained.contains(id));
            if other.cases.len() < before {
                // The condition is about all of its cases.
                other.condition = None;
                #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
                let left = other.cases.len() as f64;
                other.score = ochiai(left, other.passing, left);
            }
        }
        analysis.suspects.retain(|other| !other.cases.is_empty());
        let left: Vec<_> =
            analysis.suspects.iter().filter_map(|it| self.common.number(&it.name.op)).collect();
        let is_alone =
            |id: &&String| self.common.of_case(id).iter().filter(|part| left.contains(part)).count() == 1;
        for other in &mut analysis.suspects {
            let mut alone = other.cases.iter().filter(is_alone);
            other.example = alone.next().cloned();
            other.alone = alone.count() as u64 + u64::from(other.example.is_some());
        }
        analysis.suspects.insert(0, suspect);
    }

    /// Reads what the cases of these groups give to the machine; returns what is observed of it.
    fn read(
        &self,
        sources: &Sources,
        options: &LoadOptions,
        groups: &mut [(CaseGroup, StatesBefore)],
    ) -> Vec<ObservedNumber> {
        let mut all = Vec::new();
        let mut opener = FileOpener::new(options);
        for source in sources {
            if options.run.interrupt.is_requested() {
                break;
            }
            let file = opener.open(source);
            for case in (0..file.cases()).filter_map(|index| file.case(index)) {
                self.read_case(&file, &case, &mut all, groups);
            }
        }
        all
    }

    /// Adds what a case gives to the machine to those groups that have the case.
    fn read_case(
        &self,
        file: &LoadedFile<'_>,
        case: &LoadedCase<'_>,
        all: &mut Vec<ObservedNumber>,
        groups: &mut [(CaseGroup, StatesBefore)],
    ) -> Option<()> {
        let (id, is_passing) = self.verdict(case)?;
        let parts = self.common.of_case(&id);
        let has = |before: &&mut StatesBefore| before.part.is_none_or(|part| parts.contains(&part));
        let mut having = groups.iter_mut().map(|(_, before)| before).filter(has).peekable();
        having.peek()?;
        let read = case.read().ok()?.case?;
        if all.is_empty() {
            *all = observed(file.options().families.machine(read.machine)?);
        }
        let numbers = numbers(&read.program.0, all);
        having.for_each(|before| before.add(&id, is_passing, &numbers));
        Some(())
    }

    /// The id of a case of the machine, and whether it passes; `None` for other cases.
    fn verdict(&self, case: &LoadedCase<'_>) -> Option<(String, bool)> {
        if case.format.machine != self.machine {
            return None;
        }
        let id = case.id.to_string();
        let is_passing = self.verdicts.of(&id).and_then(VerdictKind::passes)?;
        Some((id, is_passing))
    }
}

/// Cases that are compared.
#[derive(Debug, Clone, Copy)]
enum CaseGroup {
    /// Those of the suspect with this index.
    Suspect(usize),
    /// All of the machine.
    Machine,
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

/// What cases give to the machine.
struct StatesBefore {
    /// What they have in common; `None` for all cases.
    part: Option<u32>,
    failing: Vec<NumbersBefore>,
    passing: Vec<NumbersBefore>,
    /// The ids of the failing ones, if these are all.
    ids: Vec<String>,
}

impl StatesBefore {
    fn of(part: Option<u32>) -> StatesBefore {
        StatesBefore { part, failing: Vec::new(), passing: Vec::new(), ids: Vec::new() }
    }

    fn add(&mut self, id: &str, is_passing: bool, numbers: &NumbersBefore) {
        let cases = if is_passing { &mut self.passing } else { &mut self.failing };
        cases.push(numbers.clone());
        if self.part.is_none() && !is_passing {
            self.ids.push(id.to_owned());
        }
    }

    fn rule(&self, observed: &[ObservedNumber]) -> Option<SeparatingRule> {
        let [failing, passing] = [&self.failing, &self.passing].map(|cases| cases.iter().collect::<Vec<_>>());
        rule(observed, &failing, &passing)
    }

    fn condition(&self, observed: &[ObservedNumber]) -> Option<SeparatingCondition> {
        Some(self.rule(observed)?.condition)
    }

    /// The state before as what explains the failures.
    fn suspect(&self, machine: &str, observed: &[ObservedNumber]) -> Option<Suspect> {
        let rule = self.rule(observed)?;
        let following = self.ids.iter().zip(&self.failing).filter(|(_, numbers)| rule.holds(numbers));
        let cases: Vec<String> = following.map(|(id, _)| id.clone()).collect();
        let SeparatingCondition { what, failing, passing } = rule.condition;
        #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
        let explained = cases.len() as f64;
        Some(Suspect {
            name: SuspectName { machine: machine.to_owned(), op: format!("state with {what}") },
            score: ochiai(explained, passing, explained),
            alone: failing,
            diverging: 0,
            failing,
            passing,
            condition: None,
            example: cases.first().cloned(),
            cases,
        })
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
