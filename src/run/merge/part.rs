//! The report of one part.

use serde_json::Value as Json;

use super::read::{Line, Reader, words};
use crate::model::event::{Event, Summary};
use crate::model::explanation::Explained;
use crate::text::shell::Words;

/// A report that is joined with others.
#[derive(Debug)]
pub struct Source<'s> {
    /// As messages name it.
    pub name: &'s str,
    /// Its text.
    pub text: &'s str,
}

/// What one part reports.
pub(super) struct Part<'s> {
    /// The report, as messages name it.
    pub(super) name: &'s str,
    pub(super) head: Head,
    /// What was told of files and cases, each with its place in the whole run.
    pub(super) told: Vec<(u64, Event)>,
    /// Why cases did not pass, the same way.
    pub(super) explained: Vec<(u64, Explained)>,
    pub(super) seconds: f64,
}

/// What a report says of itself in its first line.
pub(super) struct Head {
    pub(super) part: u64,
    pub(super) of: u64,
    /// What all parts of a run have in common, all of the following included.
    pub(super) common: Json,
    pub(super) files: usize,
    pub(super) selection: Words,
    pub(super) flags: Words,
}

impl Head {
    fn new(line: &Json) -> Option<Head> {
        let partition = line.get("partition")?;
        let common = ["kind", "of", "selection", "typed"].map(|name| partition[name].clone());
        let typed = partition.get("typed")?;
        Some(Head {
            part: partition["part"].as_u64()?,
            of: partition["of"].as_u64()?,
            common: Json::Array([&common[..], &[line["version"].clone(), line["files"].clone()]].concat()),
            files: usize::try_from(line["files"].as_u64()?).ok()?,
            selection: words(&typed["selection"])?,
            flags: words(&typed["flags"])?,
        })
    }
}

impl<'s> Part<'s> {
    /// Reads a report; the error says what is wrong with it.
    pub(super) fn read(source: &Source<'s>, reader: &mut Reader<'_>) -> Result<Part<'s>, String> {
        let mut lines =
            (1..).zip(source.text.lines()).map(|(number, line)| Ok((number, json(number, line)?)));
        let (_, first) = lines.next().unwrap_or_else(|| Err("is empty".to_owned()))?;
        let head = Head::new(&first).ok_or("is no report of a part of a run")?;
        if !(1..=head.of).contains(&head.part) {
            return Err(format!("is part {} of {}", head.part, head.of));
        }
        let (told, explained) = (Vec::new(), Vec::new());
        let mut part = Part { name: source.name, head, told, explained, seconds: 0.0 };
        let mut end = None;
        for line in lines {
            let (number, json) = line?;
            if end.is_some() {
                return Err(format!("line {number} comes behind the summary"));
            }
            let line = reader.line(&json);
            let line =
                line.ok_or_else(|| format!("line {number} is none of a report: vmconf schema report"))?;
            match line {
                Line::Told(place, event) => part.told.push((place, event)),
                Line::Explained(place, explained) => part.explained.push((place, explained)),
                Line::Ended(summary) => end = Some(summary),
            }
        }
        part.end(end.ok_or("ends before the run does")?)
    }

    fn end(self, said: Summary) -> Result<Part<'s>, String> {
        if said.interrupted {
            return Err("is of a run that was interrupted".to_owned());
        }
        let mut counted = Summary { seconds: said.seconds, ..Summary::default() };
        for (_, event) in &self.told {
            if let Event::Finished(report) = event {
                counted.count(report);
            }
        }
        if counted != said {
            return Err("has other cases than its summary counts".to_owned());
        }
        Ok(Part { seconds: said.seconds, ..self })
    }
}

fn json(number: usize, line: &str) -> Result<Json, String> {
    serde_json::from_str(line).map_err(|error| {
        // It says where in the one line.
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
        format!("line {number}, column {}: {what}", error.column())
    })
}
