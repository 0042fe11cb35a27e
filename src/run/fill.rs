//! Writes as expectations what several machines agree on.
//!
//! Each machine by itself blesses the file, with everything filled in that the format can demand. Machines agree on a
//! case if they write the same text for it.

use std::collections::{BTreeSet, HashMap};
use std::str::Lines;

use super::bless::{BlessOptions, Blessed, CaseChange, Missing, OutcomeChange, SameCases, bless, unknown_of};
use super::ignored_field::IgnoredField;
use super::load::LoadedFile;
use super::options::{LoadOptions, NamedTestee};
use super::select::open;
use super::source::VectorSource;
use crate::model::{CaseId, CaseReport, Verdict};
use crate::text::edit;
use crate::text::json::Document;

/// How to fill a file.
#[derive(Debug, Clone)]
pub struct FillOptions {
    /// How many machines must agree.
    pub agree: usize,
    /// See [`ExistingDemands`].
    pub existing: ExistingDemands,
}

/// What to do about a case that demands something else than the machines agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingDemands {
    /// Leave its demands as they are.
    Keep,
    /// Demand what the machines agree on.
    Replace,
}

/// The results of the machines for a file. Nothing is written yet.
#[derive(Debug, Default)]
pub struct FilledFile {
    /// The text of the file as it was read.
    pub old: String,
    /// The text with what enough machines agree on.
    pub new: String,
    /// The selected cases, in the order of the file.
    pub cases: Vec<FilledCase>,
    /// Why the file as a whole, or cases of it, cannot be read.
    pub broken: Vec<CaseReport>,
    /// The name of the format, if nothing can be added to its cases: the machines are then only compared with existing
    /// demands.
    pub format_without_fill: Option<&'static str>,
}

/// The results of the machines for a case.
#[derive(Debug)]
pub struct FilledCase {
    /// The case.
    pub case: CaseId,
    /// What is done with its expectations.
    pub outcome: FillOutcome,
    /// The machines by what they did, the largest group first.
    pub groups: Vec<FillGroup>,
    /// The machines that could not run the case, and why.
    pub silent: Vec<(String, String)>,
}

/// What is done with the expectations of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FillOutcome {
    /// Enough machines do what the case demands already, and nothing is left to fill in.
    #[strum(serialize = "up to date")]
    UpToDate,
    /// What enough machines do is written.
    Filled,
    /// Enough machines do the same, which is not what the case demands.
    #[strum(serialize = "has other demands")]
    DemandsOtherwise,
    /// Not enough machines do the same.
    Disagreement,
    /// The machines that could run the case do the same, and are not enough.
    #[strum(serialize = "too few machines")]
    TooFewMachines,
    /// Enough machines ran the case, and it cannot demand what they did.
    #[strum(serialize = "not filled")]
    NotFilled,
}

/// Machines that do the same.
#[derive(Debug, PartialEq, Eq)]
pub struct FillGroup {
    /// Their names.
    pub machines: Vec<String>,
    /// The first line of the case that is not the same in all groups, as the machines of this one would write it. If
    /// there is no other group, the first line that they would change; empty if there is none.
    pub line: String,
}

/// Fills a file with what the machines agree on.
pub fn fill(source: &VectorSource, machines: &[NamedTestee], options: &FillOptions) -> FilledFile {
    let Some(machine) = machines.first() else { return FilledFile::default() };
    let loaded = open(source, &machine.options);
    let unknown = machines.iter().flat_map(|machine| unknown_of(&loaded, &machine.options)).collect();
    let wanted = BlessOptions {
        outcome_change: OutcomeChange::Allow,
        missing: Missing::Fill,
        ..BlessOptions::default()
    };
    let bless = |machine: &NamedTestee| bless(source, &without(&machine.options, &unknown), &wanted);
    let blessed: Vec<_> = machines.iter().map(bless).collect();
    let first = &blessed[0];
    let mut filled = FilledFile { old: first.old.clone(), ..FilledFile::default() };
    filled.broken.extend(loaded.broken());
    filled.format_without_fill =
        loaded.format().filter(|format| format.fill.is_none()).map(|format| format.name);
    let unreadable = unreadable(first);
    let statements: Vec<_> = blessed.iter().map(statements).collect();
    let mut changes = Vec::new();
    for index in 0..loaded.cases() {
        let Some(case) = loaded.case(index) else { continue };
        if let Some(broken) = unreadable.get(&case.id) {
            filled.broken.push((*broken).clone());
            continue;
        }
        let StatedCase { mut groups, silent, refused } = group_machines(&case.id, machines, &statements);
        groups.sort_by_key(|group| std::cmp::Reverse(group.machines.len()));
        let (outcome, change) = if groups.is_empty() && refused >= options.agree {
            (FillOutcome::NotFilled, None)
        } else {
            outcome_of(&groups, options)
        };
        changes.extend(change);
        let groups = with_lines(groups, &loaded.text()[case.range()]);
        filled.cases.push(FilledCase { case: case.id, outcome, groups, silent });
    }
    let same = SameCases::of(&loaded, source, &machine.options);
    filled.new = record(&same.open(first.with(changes)), &filled.cases);
    filled
}

/// The options, with these fields ignored: of what some machine does not report, no other one has a say.
fn without(options: &LoadOptions, fields: &BTreeSet<String>) -> LoadOptions {
    let mut options = options.clone();
    let of_overrides = options.overrides.iter_mut().map(|file_override| &mut file_override.options);
    for file in std::iter::once(&mut options.file).chain(of_overrides) {
        file.ignored.extend(fields.iter().cloned().map(IgnoredField::whole));
    }
    options
}

/// The reports on cases that no machine can run, since they are malformed.
fn unreadable(blessed: &Blessed) -> HashMap<&CaseId, &CaseReport> {
    let malformed = blessed.broken.iter().filter(|report| matches!(report.verdict, Verdict::Error(_)));
    malformed.map(|report| (&report.id, report)).collect()
}

/// What a machine does with a case.
enum Statement<'b> {
    /// What the case demands; there is nothing to fill in.
    AsDemanded,
    /// Something else: the change of the case that demands it.
    Change(&'b CaseChange),
    /// Nothing, and why.
    Silent(String),
    /// Something that cannot be demanded, and why.
    Refused(&'b str),
}

/// What a machine does with each case for which it has a result. A refusal takes precedence over a change, and the
/// first refusal of a case over further ones.
fn statements(blessed: &Blessed) -> HashMap<&CaseId, Statement<'_>> {
    let broken =
        blessed.broken.iter().map(|report| (&report.id, Statement::Silent(report.verdict.in_a_line())));
    let passing = blessed.passing.iter().map(|id| (id, Statement::AsDemanded));
    let changes = blessed.changes.iter().map(|change| (&change.case, Statement::Change(change)));
    let refused =
        blessed.refused.iter().rev().map(|refusal| (&refusal.case, Statement::Refused(&refusal.why)));
    broken.chain(passing).chain(changes).chain(refused).collect()
}

/// Machines that do the same with a case.
struct AgreeingMachines<'b> {
    machines: Vec<String>,
    /// The change that demands it; `None` if the case demands it already.
    change: Option<&'b CaseChange>,
}

/// What the machines do with a case.
struct StatedCase<'b> {
    groups: Vec<AgreeingMachines<'b>>,
    /// The machines of which nothing can be demanded, with the reason.
    silent: Vec<(String, String)>,
    /// How many of them ran the case.
    refused: usize,
}

/// The machines by what they do with a case.
fn group_machines<'b>(
    id: &CaseId,
    machines: &[NamedTestee],
    statements: &[HashMap<&CaseId, Statement<'b>>],
) -> StatedCase<'b> {
    let mut groups: Vec<AgreeingMachines<'b>> = Vec::new();
    let (mut silent, mut refused) = (Vec::new(), 0);
    for (machine, statements) in machines.iter().zip(statements) {
        let name = machine.name.clone();
        let change = match statements.get(id) {
            Some(Statement::AsDemanded) => None,
            Some(Statement::Change(change)) => Some(*change),
            silence => {
                let why = match silence {
                    Some(Statement::Silent(why)) => why,
                    Some(Statement::Refused(why)) => {
                        refused += 1;
                        *why
                    }
                    _ => "not selected",
                };
                silent.push((name, why.to_owned()));
                continue;
            }
        };
        let text = change.map(CaseChange::text);
        match groups.iter_mut().find(|group| group.change.map(CaseChange::text) == text) {
            Some(group) => group.machines.push(name),
            None => groups.push(AgreeingMachines { machines: vec![name], change }),
        }
    }
    StatedCase { groups, silent, refused }
}

/// What is done with the expectations of a case, from its groups, the largest first; and the change to make.
fn outcome_of<'b>(
    groups: &[AgreeingMachines<'b>],
    options: &FillOptions,
) -> (FillOutcome, Option<&'b CaseChange>) {
    let count = |index: usize| groups.get(index).map_or(0, |group| group.machines.len());
    if count(0) < options.agree && groups.len() < 2 {
        return (FillOutcome::TooFewMachines, None);
    }
    if count(0) < options.agree || count(0) == count(1) {
        return (FillOutcome::Disagreement, None);
    }
    match groups[0].change {
        None => (FillOutcome::UpToDate, None),
        Some(change) if change.only_adds || options.existing == ExistingDemands::Replace => {
            (FillOutcome::Filled, Some(change))
        }
        Some(_) => (FillOutcome::DemandsOtherwise, None),
    }
}

/// The groups, with the first line of the case in which they differ from each other or from the case as it is.
fn with_lines(groups: Vec<AgreeingMachines<'_>>, old: &str) -> Vec<FillGroup> {
    let texts: Vec<_> = groups.iter().map(|group| group.change.map_or(old, CaseChange::text)).collect();
    let compared = texts.iter().copied().chain(std::iter::once(old).filter(|_| texts.len() == 1));
    let differing = first_differing(compared.map(str::lines).collect());
    let same = shared_start(differing.iter().map(|line| line.unwrap_or("")));
    let line = |line: Option<&str>| line.map(|line| from_near(line.trim_end(), same)).unwrap_or_default();
    // Where no line differs, each group has an empty one.
    let lines = differing.into_iter().map(line).chain(std::iter::repeat(String::new()));
    let machines = groups.into_iter().map(|group| group.machines);
    machines.zip(lines).map(|(machines, line)| FillGroup { machines, line }).collect()
}

/// The first lines of texts that are not the same but for a comma, `None` of a text that has ended; empty if all are
/// the same.
fn first_differing(mut texts: Vec<Lines<'_>>) -> Vec<Option<&str>> {
    loop {
        let lines: Vec<_> = texts.iter_mut().map(Iterator::next).collect();
        if lines.iter().any(|line| without_comma(*line) != without_comma(lines[0])) {
            return lines;
        }
        if lines.iter().all(Option::is_none) {
            return Vec::new();
        }
    }
}

fn without_comma(line: Option<&str>) -> Option<&str> {
    line.map(|line| line.trim_end().trim_end_matches(','))
}

/// How many characters at the start all lines share.
fn shared_start<'t>(mut lines: impl Iterator<Item = &'t str>) -> usize {
    let first = lines.next().unwrap_or("");
    let shared =
        |other: &str| first.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    lines.map(shared).min().unwrap_or(0)
}

/// A line from a little before the character at `index` on.
fn from_near(line: &str, index: usize) -> String {
    const BEFORE: usize = 30;
    let line = line.trim_start();
    match line.char_indices().nth(index.saturating_sub(BEFORE)) {
        Some((start, _)) if start > 0 => format!("…{}", &line[start..]),
        _ => line.to_owned(),
    }
}

/// The text of a file with the names of the machines in what is known about each case, where the format has a place
/// for it.
fn record(loaded: &LoadedFile<'_>, cases: &[FilledCase]) -> String {
    let mut changes = Vec::new();
    let mut document: Option<&Document> = None;
    let filled = cases.iter().filter(|filled| filled.outcome == FillOutcome::Filled);
    let agreeing: HashMap<_, _> =
        filled.filter_map(|filled| Some((&filled.case, filled.groups.first()?))).collect();
    for index in 0..loaded.cases() {
        let Some(case) = loaded.case(index) else { continue };
        if let Some(group) = agreeing.get(&case.id) {
            let node = case.root();
            changes.extend(case.format.info_change(node, "filledBy", group.machines.join(", ").into()));
            document = Some(case.document);
        }
    }
    document
        .filter(|_| !changes.is_empty())
        .map_or_else(|| loaded.text().to_owned(), |document| edit::apply(document, &changes))
}
