//! JSON reports of the parts of a run, joined into one.

use std::collections::HashSet;
use std::fmt;

use super::collect::MOST_EXPLAINED;
use crate::model::case::CaseId;
use crate::model::event::{Event, Summary};
use crate::model::explanation::Explained;
use crate::text::shell::Words;

mod part;
mod read;

pub use part::Source;

use part::Part;
use read::Reader;

/// The whole run.
#[derive(Debug)]
pub struct MergedRun {
    /// Its events. The first cases that fail or are broken are explained, where the reports of the parts have
    /// that.
    pub events: Vec<Event>,
    /// The paths and filters as they were typed.
    pub selection: Words,
    /// The flags that change a verdict, as they were typed.
    pub flags: Words,
}

/// Why reports cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeError {
    /// Which report; `None` for what is wrong with all.
    pub name: Option<String>,
    /// Why.
    pub what: String,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for MergeError {}

/// Joins the reports of all parts of a run. `text_of` gives the text of a vector file where that can be
/// had, to show lines of it.
///
/// # Errors
///
/// When a part is missing, or there twice, or of another run, or no report.
pub fn merge(
    sources: &[Source<'_>],
    text_of: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<MergedRun, MergeError> {
    let mut reader = Reader::new(text_of);
    let mut parts: Vec<Part<'_>> = Vec::new();
    for source in sources {
        let wrong = |what| MergeError { name: Some(source.name.to_owned()), what };
        let part = Part::read(source, &mut reader).map_err(wrong)?;
        parts.iter().try_for_each(|other| joins(&part, other)).map_err(wrong)?;
        parts.push(part);
    }
    complete(&parts).map_err(|what| MergeError { name: None, what })?;
    Ok(whole(parts))
}

/// That a part is one of the same run as another.
fn joins(part: &Part<'_>, other: &Part<'_>) -> Result<(), String> {
    let (head, name) = (&part.head, other.name);
    if other.head.common != head.common {
        return Err(format!("is a part of another run than {name}: other cases, parts or flags"));
    }
    if other.head.part == head.part {
        return Err(format!("is part {} of {}, and so is {name}", head.part, head.of));
    }
    Ok(())
}

/// That no part is missing. That is found without counting them: a report may say that there are many.
fn complete(parts: &[Part<'_>]) -> Result<(), String> {
    const SHOWN: usize = 5;
    let of = parts.first().map_or(0, |part| part.head.of);
    let left_out = of - parts.len() as u64;
    if left_out == 0 {
        return Ok(());
    }
    let is_missing = |number: &u64| parts.iter().all(|part| part.head.part != *number);
    let missing: Vec<_> = (1..=of).filter(is_missing).take(SHOWN).map(|part| part.to_string()).collect();
    let more = if left_out > SHOWN as u64 { " and more" } else { "" };
    Err(format!("of {of} parts, these are missing: {}{more}", missing.join(", ")))
}

/// The run of which these are all parts.
fn whole(parts: Vec<Part<'_>>) -> MergedRun {
    let mut whole = MergedRun { events: Vec::new(), selection: Words::default(), flags: Words::default() };
    let (mut files, mut summary) = (0, Summary::default());
    let (mut told, mut explained) = (Vec::new(), Vec::new());
    for part in parts {
        files = part.head.files;
        // Parts run beside one another.
        summary.seconds = summary.seconds.max(part.seconds);
        told.extend(part.told);
        explained.extend(part.explained);
        (whole.selection, whole.flags) = (part.head.selection, part.head.flags);
    }
    whole.events.push(Event::Started { files });
    add_told(&mut whole.events, in_place(told), &mut summary);
    let explained = first_explained(&whole.events, in_place(explained));
    whole.events.extend(explained);
    whole.events.push(Event::Ended(summary));
    whole
}

/// Of the explanations, which each part has of its own first cases, those that one run has.
fn first_explained(events: &[Event], explained: impl Iterator<Item = Explained>) -> Vec<Event> {
    let failed = events.iter().filter_map(|event| match event {
        Event::Finished(report) if report.verdict.is_failed_or_broken() => Some(&report.id),
        _ => None,
    });
    let first: HashSet<&CaseId> = failed.take(MOST_EXPLAINED).collect();
    explained.filter(|it| first.contains(it.id())).map(Event::Explained).collect()
}

fn in_place<T>(mut placed: Vec<(u64, T)>) -> impl Iterator<Item = T> {
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, item)| item)
}

/// Adds what was told of files, with their ends, and counts cases.
fn add_told(events: &mut Vec<Event>, told: impl Iterator<Item = Event>, summary: &mut Summary) {
    let mut file = None;
    for event in told {
        let its = match &event {
            Event::Finished(report) => {
                summary.count(report);
                Some(report.id.file.clone())
            }
            Event::Note { file, .. } => Some(file.clone()),
            Event::Started { .. }
            | Event::FileDone
            | Event::UnmatchedEntries { .. }
            | Event::Explained(_)
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
