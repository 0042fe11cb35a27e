//! Merges the JSON reports of the parts of a run into one.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::collect::shared_out;
use super::content_order::ContentOrder;
use super::known_failures::no_match;
use super::not_compared::{self, add};
use crate::model::{
    CaseId, Diagnostic, Event, ExplainedCase, PartitionKind, RunSummary, UnmatchedEntry, UsedVm,
    VectorsVersion, escaped,
};
use crate::text::shell::ShellWords;

mod excerpts;
mod part;

pub use part::PartSource;

use excerpts::Excerpts;
use part::{MergedPart, PartHeader};

/// The merged run.
#[derive(Debug, Default)]
pub struct MergedRun {
    /// The events. Cases that fail or are broken are explained as in a single run, if the reports of the parts
    /// contain explanations.
    pub events: Vec<Event>,
    /// The paths and filters as they were given on the command line.
    pub selection: ShellWords,
    /// What selects among the cases of the files.
    pub only: Vec<String>,
    /// The flags that change a verdict, as they were given on the command line.
    pub flags: ShellWords,
    /// The system that all parts ran on; `None` if they differ.
    pub system: Option<String>,
    /// The versions of the vectors of all parts; empty if they differ.
    pub versions: Vec<VectorsVersion>,
}

/// Why reports cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default())]
pub struct MergeError {
    /// The report with the error; `None` if the error concerns all of them.
    pub name: Option<String>,
    /// The error.
    pub what: String,
}

/// Merges the reports of all parts of a run. `text_of` returns the text of a vector file if it exists, for excerpts.
/// Fails if a part is missing, occurs twice or is of another run, or if an input is not a report.
pub fn merge(
    sources: &[PartSource<'_>],
    text_of: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<MergedRun, MergeError> {
    let mut excerpts = Excerpts::new(text_of);
    let mut parts: Vec<MergedPart<'_>> = Vec::new();
    for source in sources {
        let wrong = |what| MergeError { name: Some(source.name.to_owned()), what };
        let part = MergedPart::read(source, &mut excerpts).map_err(wrong)?;
        parts.iter().try_for_each(|other| joins(&part, other)).map_err(wrong)?;
        parts.push(part);
    }
    complete(&parts).map_err(|what| MergeError { name: None, what })?;
    distinct(&parts)?;
    let mut run = joined(parts);
    run.events.iter_mut().for_each(|event| excerpts.add_to_broken(event));
    Ok(run)
}

/// Checks that two parts belong to the same run.
fn joins(part: &MergedPart<'_>, other: &MergedPart<'_>) -> Result<(), String> {
    let (header, name) = (&part.header, other.name);
    if other.header.common != header.common {
        return Err(format!("is part of another run than {name}: {}", how_runs_differ(part, other)));
    }
    if other.header.part == header.part {
        return Err(format!("is part {} of {}, and so is {name}", header.part, header.of));
    }
    Ok(())
}

/// How the runs of two parts differ.
fn how_runs_differ(part: &MergedPart<'_>, other: &MergedPart<'_>) -> String {
    let (here, there) = (&part.header, &other.header);
    if here.of != there.of {
        return format!("it is of {} parts, not of {}", here.of, there.of);
    }
    if here.common.vmconf != there.common.vmconf {
        let [here, there] = [here, there].map(|it| escaped(&it.common.vmconf));
        return format!("it was written by vmconf {here}, not {there}");
    }
    if here.common.vm != there.common.vm {
        let machine = |vm: &Option<UsedVm>| match vm {
            None => "embedded machines".to_owned(),
            Some(vm) => vm.to_string(),
        };
        let [here, there] = [here, there].map(|it| machine(&it.common.vm));
        return if here == there {
            format!("{here} reports other capabilities")
        } else {
            format!("it ran on {here}, not on {there}")
        };
    }
    if kind_of(here) != kind_of(there) {
        return "its cases were assigned to parts in another way (hash, slice)".to_owned();
    }
    let words =
        [("flags", &here.flags, &there.flags), ("paths and filters", &here.selection, &there.selection)];
    if let Some((what, here, there)) = words.into_iter().find(|(_, here, there)| here != there) {
        let shown = |words: &ShellWords| match words.to_string() {
            none if none.is_empty() => "none".to_owned(),
            words => escaped(words.trim()).to_string(),
        };
        return format!("its {what} are {}, not {}", shown(here), shown(there));
    }
    let is_changed = |(file, content): &(&Arc<str>, &BTreeSet<_>)| {
        other.contents.get(*file).is_some_and(|it| it.is_disjoint(content))
    };
    match part.contents.iter().find(is_changed) {
        Some((file, _)) => format!("{} has changed in between, or more differs", escaped(file)),
        None => "cases, their files or settings of vmconf.toml differ".to_owned(),
    }
}

fn kind_of(part: &PartHeader) -> Option<PartitionKind> {
    part.common.partition.as_ref().map(|partition| partition.kind)
}

/// Checks that no part is missing. The parts are not enumerated, since a report may claim any number of them.
fn complete(parts: &[MergedPart<'_>]) -> Result<(), String> {
    const MAX_SHOWN_PARTS: usize = 5;
    let of = parts.first().map_or(0, |part| part.header.of);
    let left_out = of - parts.len() as u64;
    if left_out == 0 {
        return Ok(());
    }
    let is_missing = |number: &u64| parts.iter().all(|part| part.header.part != *number);
    let missing: Vec<_> =
        (1..=of).filter(is_missing).take(MAX_SHOWN_PARTS).map(|part| part.to_string()).collect();
    let more = if left_out > MAX_SHOWN_PARTS as u64 { " and more" } else { "" };
    Err(format!("of {of} parts, these are missing: {}{more}", missing.join(", ")))
}

/// The entries of each list of known failures that match no case of any part.
fn unmatched_by_all(parts: &[MergedPart<'_>]) -> BTreeMap<Arc<str>, Vec<UnmatchedEntry>> {
    let key = |entry: &UnmatchedEntry| (entry.list.clone(), entry.id.clone(), entry.place.position);
    let mut lists: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let Some((first, others)) = parts.split_first() else { return lists };
    let others: Vec<BTreeSet<_>> =
        others.iter().map(|part| part.header.unmatched.iter().map(key).collect()).collect();
    for entry in &first.header.unmatched {
        if others.iter().all(|part| part.contains(&key(entry))) {
            lists.entry(entry.list.clone()).or_default().push(entry.clone());
        }
    }
    lists
}

/// Checks that no case was reported twice: another one would be missing, since the counts are right.
fn distinct(parts: &[MergedPart<'_>]) -> Result<(), MergeError> {
    let mut seen = HashSet::new();
    for part in parts {
        let finished = part.cases.iter().filter_map(|(_, event)| match event {
            Event::Finished(report) => Some(&report.id),
            _ => None,
        });
        for id in finished {
            if !seen.insert(id) {
                let what = format!("{} is reported twice", escaped(&id.to_string()));
                return Err(MergeError { name: Some(part.name.to_owned()), what });
            }
        }
    }
    Ok(())
}

/// Merges the parts, which are all parts of one run.
fn joined(parts: Vec<MergedPart<'_>>) -> MergedRun {
    let system = same(parts.iter().map(|part| &part.header.system)).flatten();
    let versions = same(parts.iter().map(|part| &part.header.versions)).unwrap_or_default();
    let mut run = MergedRun { system, versions, ..MergedRun::default() };
    let (mut files, mut vm, mut summary) = (0, None, RunSummary::default());
    let (mut cases, mut explained, mut not_compared) = (Vec::new(), Vec::new(), Vec::new());
    let mut broken: IndexMap<CaseId, IndexMap<String, Diagnostic>> = IndexMap::new();
    for (list, entries) in unmatched_by_all(&parts) {
        let error = no_match(&entries).map(|error| (error.what.clone(), error));
        broken.insert(CaseId::of_file(list), error.into_iter().collect());
    }
    for part in parts {
        files = part.header.files;
        vm = part.header.common.vm;
        run.only = part.header.common.only;
        // Parts run in parallel.
        summary.seconds = summary.seconds.max(part.seconds);
        cases.extend(part.cases);
        explained.extend(part.explained);
        add(&mut not_compared, part.not_compared);
        for (source, errors) in part.broken {
            let known = broken.entry(source).or_default();
            for error in errors {
                known.entry(error.what.clone()).or_insert(error);
            }
        }
        (run.selection, run.flags) = (part.header.selection, part.header.flags);
    }
    run.events.push(Event::Started { files, vm });
    add_cases(&mut run.events, in_place(cases), &mut summary);
    // A machine is broken once, however many parts ran on it.
    summary.errors += broken.len() as u64;
    let errors = |errors: IndexMap<String, Diagnostic>| errors.into_values().collect();
    let broken = broken.into_iter();
    run.events.extend(broken.map(|(source, all)| Event::Broken { source, errors: errors(all) }));
    let explained = explanations_of_whole(&run.events, in_place(explained));
    run.events.extend(explained);
    run.events.extend(not_compared::event(not_compared));
    run.events.push(Event::Ended(summary));
    run
}

/// What all are; `None` if they differ.
fn same<'v, T: PartialEq + Clone + 'v>(mut all: impl Iterator<Item = &'v T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then(|| first.clone())
}

/// Each part explains cases of its own; selects the explanations that a single run would have.
fn explanations_of_whole(events: &[Event], explained: impl Iterator<Item = ExplainedCase>) -> Vec<Event> {
    let mut causes: IndexMap<String, Vec<(usize, &CaseId)>> = IndexMap::new();
    for (number, event) in events.iter().enumerate() {
        let Event::Finished(report) = event else { continue };
        // A file that is broken as a whole is not explained.
        let is_explained = report.id.name.is_some() && report.verdict.is_failed_or_broken();
        let cause = is_explained.then(|| report.cause()).flatten();
        if let Some(cause) = cause {
            causes.entry(cause).or_default().push((number, &report.id));
        }
    }
    let chosen = shared_out(causes, |(number, _)| *number);
    let chosen: HashSet<&CaseId> = chosen.into_iter().map(|(_, id)| id).collect();
    explained.filter(|it| chosen.contains(it.id())).map(Event::Explained).collect()
}

fn in_place<T>(mut placed: Vec<(u64, T)>) -> impl Iterator<Item = T> {
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, item)| item)
}

/// Adds cases and notes as events, with the ends of their files, and counts the cases.
fn add_cases(events: &mut Vec<Event>, cases: impl Iterator<Item = Event>, summary: &mut RunSummary) {
    let (mut file, mut contents) = (None, ContentOrder::default());
    for mut event in cases {
        let its = match &mut event {
            Event::Finished(report) => {
                contents.leave_out(report);
                summary.count(report);
                Some(report.id.file.clone())
            }
            Event::Note { file, .. } => Some(file.clone()),
            Event::Started { .. }
            | Event::FileDone
            | Event::Broken { .. }
            | Event::Explained(_)
            | Event::Suspects(_)
            | Event::NotCompared(_)
            | Event::Ended(_) => None,
        };
        if file.is_some() && its != file {
            events.push(Event::FileDone);
        }
        file = its;
        events.push(event);
    }
    events.extend(file.map(|_| Event::FileDone));
}
