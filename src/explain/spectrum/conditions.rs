//! What separates the failing from the passing cases of a suspect on a machine whose instructions are unknown: their
//! files, or the state before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use super::chance::SharedBy;
use super::common_state::{
    NumbersBefore, ObservedNumber, SEPARATED, SeparatingRule, numbers, observed, rule,
};
use super::common_words::{CaseWords, CommonParts, NamedCases, count_alone};
use super::judged::{FoundCase, JudgedCases};
use crate::explain::suspects::ochiai;
use crate::model::{CaseOutcome, SeparatingCondition, Suspect, SuspectAnalysis, SuspectName, counted};

/// The most cases that a rule is sought for.
pub(super) const MAX_COMPARED: u64 = 20_000;

/// The most things that unexplained cases have in common of which a condition is sought.
const MAX_PARTS: usize = 4;

/// The fewest unexplained cases whose only suspect is what they have in common.
const MIN_SHARED: usize = 3;

/// The most files that a condition names.
const MAX_FILES: usize = 4;

/// The cases of a machine whose instructions are unknown, and what is needed to read those of a suspect again.
pub(super) struct CasesByName<'c> {
    pub(super) judged: JudgedCases<'c>,
    pub(super) cases: &'c NamedCases,
    pub(super) common: &'c CommonParts,
}

impl CasesByName<'_> {
    /// Adds to each suspect the condition that separates its failing from its passing cases, if there is one, and adds
    /// the suspects that only a condition reveals.
    pub(super) fn add_conditions(&self, analysis: &mut SuspectAnalysis) {
        let mut groups = self.groups(analysis);
        if groups.is_empty() {
            return;
        }
        let observed = self.read(&analysis.unexplained, &mut groups);
        for before in groups {
            if self.explain(before, &observed, analysis).is_break() {
                return;
            }
        }
        analysis.suspects.sort_by_key(|suspect| Reverse(suspect.cases.len()));
    }

    /// The cases of which a condition is sought, in the order in which they are explained. The suspects that whole
    /// files separate get this condition.
    fn groups(&self, analysis: &mut SuspectAnalysis) -> Vec<StatesBefore> {
        let mut groups = Vec::new();
        for (index, suspect) in analysis.suspects.iter_mut().enumerate() {
            let Some(part) = self.common.number(&suspect.name.op) else { continue };
            suspect.condition = by_file(self.cases, part);
            let is_sought = suspect.condition.is_none() && suspect.passing > 0;
            if is_sought && suspect.failing + suspect.passing <= MAX_COMPARED {
                groups.push(CaseGroup::Suspect { index, part });
            }
        }
        if analysis.failures + analysis.passing <= MAX_COMPARED {
            // What explains all failures at once is said in place of several suspects.
            let is_one = analysis.suspects.len() == 1 && analysis.unexplained.is_empty();
            groups.extend((!is_one).then_some(CaseGroup::Machine));
            if analysis.is_comparable {
                let parts = self.cases.best_parts(self.common, &analysis.unexplained);
                let parts = parts.into_iter().take(MAX_PARTS).map(Some).chain([None]);
                groups.extend(parts.map(CaseGroup::Unexplained));
            }
        }
        groups.into_iter().map(StatesBefore::of).collect()
    }

    /// Adds what a group of cases has in common, if there is something; breaks if it explains all failures.
    fn explain(
        &self,
        before: StatesBefore,
        observed: &[ObservedNumber],
        analysis: &mut SuspectAnalysis,
    ) -> ControlFlow<()> {
        let machine = self.judged.machine;
        match (before.group, before.rule(observed)) {
            (CaseGroup::Suspect { index, .. }, Some(rule)) => {
                analysis.suspects[index].condition = Some(rule.condition);
            }
            (CaseGroup::Machine, Some(rule)) => {
                // What such a rule leaves is too little for another one.
                self.put_first(analysis, before.suspect(machine, rule));
                return ControlFlow::Break(());
            }
            (CaseGroup::Unexplained(None), Some(rule)) => add_last(analysis, before.suspect(machine, rule)),
            (CaseGroup::Unexplained(Some(part)), Some(rule)) => {
                let what = rule.condition.what.clone();
                let Suspect { cases, failing, passing, .. } = before.suspect(machine, rule);
                let condition = SeparatingCondition { what, failing, passing };
                add_last(analysis, self.of_part(part, cases, Some(condition)));
            }
            (CaseGroup::Unexplained(Some(part)), None) if self.is_shared(part, &analysis.unexplained) => {
                add_last(analysis, self.of_part(part, before.ids, None));
            }
            (_, None) => {}
        }
        ControlFlow::Continue(())
    }

    /// Whether nearly all of these failing cases have something in common that passing ones have too rarely for chance.
    fn is_shared(&self, part: u32, ids: &[String]) -> bool {
        let with = ids.iter().filter(|id| self.cases.common_parts(id).contains(&part)).count();
        let shared = SharedBy {
            failing: ids.len() as u64,
            passing: self.cases.passing,
            failing_with: with as u64,
            passing_with: self.cases.passing_with(part),
        };
        with >= MIN_SHARED
            && with * 100 >= ids.len() * SEPARATED
            && 2 * shared.passing_with <= shared.passing
            && !shared.may_be_chance(self.common.len())
    }

    /// A suspect that is what these failing cases have in common.
    fn of_part(&self, part: u32, cases: Vec<String>, condition: Option<SeparatingCondition>) -> Suspect {
        let (failing, passing) = (self.cases.failing_with(part), self.cases.passing_with(part));
        #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
        let explained = cases.len() as f64;
        Suspect {
            name: SuspectName {
                machine: self.judged.machine.to_owned(),
                op: self.common.name(part).to_owned(),
            },
            score: ochiai(explained, passing, explained),
            alone: 0,
            diverging: 0,
            failing,
            passing,
            condition,
            example: None,
            cases,
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
        count_alone(self.common, self.cases, analysis);
        analysis.suspects.insert(0, suspect);
    }

    /// Reads what the cases of these groups give to the machine; returns what is observed of it.
    fn read(&self, unexplained: &[String], groups: &mut [StatesBefore]) -> Vec<ObservedNumber> {
        let unexplained: HashSet<&str> = unexplained.iter().map(|id| &**id).collect();
        let mut all = Vec::new();
        self.judged.for_each(|found| {
            self.read_case(&found, &unexplained, &mut all, groups);
        });
        all
    }

    /// Adds what a case gives to the machine to those groups that have the case.
    fn read_case(
        &self,
        found: &FoundCase<'_>,
        unexplained: &HashSet<&str>,
        all: &mut Vec<ObservedNumber>,
        groups: &mut [StatesBefore],
    ) -> Option<()> {
        let case = if self.common.has_given() { found.words() } else { CaseWords::of_id(found.id.clone()) };
        let parts = self.common.of_case(&case);
        let has = |before: &&mut StatesBefore| match before.group {
            CaseGroup::Machine => true,
            CaseGroup::Suspect { part, .. } => parts.contains(&part),
            CaseGroup::Unexplained(part) => part.is_none_or(|part| parts.contains(&part)),
        };
        let mut having = groups.iter_mut().filter(has).peekable();
        having.peek()?;
        if all.is_empty() {
            *all = observed(found.info());
        }
        let numbers = numbers(&found.program()?.0, all);
        let is_explained = found.outcome == CaseOutcome::Fails && !unexplained.contains(&*found.id);
        having.for_each(|before| match before.group {
            CaseGroup::Unexplained(_) if is_explained => before.explained.push(numbers.clone()),
            _ => before.add(&found.id, found.outcome, &numbers),
        });
        Some(())
    }
}

/// Adds a suspect that explains cases that no other one does, unless one that was added before it explains most of them.
fn add_last(analysis: &mut SuspectAnalysis, mut suspect: Suspect) {
    let left: HashSet<&String> = analysis.unexplained.iter().collect();
    let before = suspect.cases.len();
    suspect.cases.retain(|id| left.contains(id));
    if 2 * suspect.cases.len() <= before {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
    let explains = suspect.cases.len() as f64;
    suspect.score = ochiai(explains, suspect.passing, explains);
    let explained: HashSet<&String> = suspect.cases.iter().collect();
    analysis.unexplained.retain(|id| !explained.contains(id));
    analysis.others.retain(|other| *other != suspect.name);
    suspect.alone = suspect.cases.len() as u64;
    suspect.example = suspect.cases.first().cloned();
    analysis.suspects.push(suspect);
}

/// Cases that are compared.
#[derive(Debug, Clone, Copy)]
enum CaseGroup {
    /// Those of the suspect with this index, which have this in common.
    Suspect { index: usize, part: u32 },
    /// All of the machine.
    Machine,
    /// The failing cases that no suspect explains and the passing ones: those with this in common, or all.
    Unexplained(Option<u32>),
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

/// What the cases of a group give to the machine.
struct StatesBefore {
    group: CaseGroup,
    failing: Vec<NumbersBefore>,
    passing: Vec<NumbersBefore>,
    /// Those of failing cases that a suspect explains, in a group of unexplained ones.
    explained: Vec<NumbersBefore>,
    /// The ids of the failing ones.
    ids: Vec<String>,
}

impl StatesBefore {
    fn of(group: CaseGroup) -> StatesBefore {
        let (failing, passing, explained) = (Vec::new(), Vec::new(), Vec::new());
        StatesBefore { group, failing, passing, explained, ids: Vec::new() }
    }

    fn add(&mut self, id: &str, outcome: CaseOutcome, numbers: &NumbersBefore) {
        match outcome {
            CaseOutcome::Passes => self.passing.push(numbers.clone()),
            CaseOutcome::Fails => {
                self.failing.push(numbers.clone());
                self.ids.push(id.to_owned());
            }
        }
    }

    fn rule(&self, observed: &[ObservedNumber]) -> Option<SeparatingRule> {
        let [failing, passing] = [&self.failing, &self.passing].map(|cases| cases.iter().collect::<Vec<_>>());
        rule(observed, &failing, &passing)
    }

    /// The state before as what explains the failures.
    fn suspect(&self, machine: &str, rule: SeparatingRule) -> Suspect {
        let following = self.ids.iter().zip(&self.failing).filter(|(_, numbers)| rule.holds(numbers));
        let cases: Vec<String> = following.map(|(id, _)| id.clone()).collect();
        let others = self.explained.iter().filter(|numbers| rule.holds(numbers)).count() as u64;
        let SeparatingCondition { what, failing, passing } = rule.condition;
        #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
        let explained = cases.len() as f64;
        Suspect {
            name: SuspectName { machine: machine.to_owned(), op: format!("state with {what}") },
            score: ochiai(explained, passing, explained),
            alone: failing,
            diverging: 0,
            failing: failing + others,
            passing,
            condition: None,
            example: cases.first().cloned(),
            cases,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The condition of cases in four files, of which those in the first two fail, with this many cases in each.
    fn condition(in_each: usize) -> Option<String> {
        let ids = |file: usize| (0..in_each).map(move |number| format!("{file}.json::DD {number}"));
        let failing: Vec<_> = (0..2).flat_map(ids).collect();
        let common = CommonParts::of_ids(failing.iter().map(String::as_str));
        let mut cases = NamedCases::default();
        for id in failing {
            cases.add(&common, CaseWords::of_id(id), CaseOutcome::Fails);
        }
        for id in (2..4).flat_map(ids) {
            cases.add(&common, CaseWords::of_id(id), CaseOutcome::Passes);
        }
        by_file(&cases, common.number("name DD")?).map(|condition| condition.what)
    }

    #[test]
    fn files_separate_only_if_they_have_several_cases() {
        assert_eq!(condition(2).as_deref(), Some("one of 2 files: 0.json, 1.json"));
        assert_eq!(condition(1), None);
    }
}
