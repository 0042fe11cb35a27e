//! JSON reports of the parts of a run, joined into one.

use std::fmt;

use serde_json::Value as Json;

use crate::case::CaseId;
use crate::event::{Event, Exit, Summary};

mod read;

use read::Reader;

/// A report that is joined with others.
#[derive(Debug)]
pub struct Source<'s> {
    /// As messages name it.
    pub name: &'s str,
    /// Its text.
    pub text: &'s str,
}

/// Why reports cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjoinable {
    /// Which report; none for what is wrong with all.
    pub name: Option<String>,
    /// Why.
    pub what: String,
}

impl fmt::Display for Unjoinable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Unjoinable {}

/// What a report says of itself in its first line.
struct Head {
    part: u64,
    of: u64,
    /// What all parts of a run have in common.
    common: Json,
    files: usize,
}

/// The events of the whole run. `text_of` gives the text of a vector file where that can be had, to show
/// lines of it.
///
/// # Errors
///
/// When a part is missing, or there twice, or of another run, or no report.
pub fn merge(
    sources: &[Source<'_>],
    text_of: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<Vec<Event>, Unjoinable> {
    let mut reader = Reader::new(text_of);
    let mut heads: Vec<(Head, &str)> = Vec::new();
    let mut placed: Vec<(u64, Event)> = Vec::new();
    let mut summary = Summary::default();
    for source in sources {
        let wrong = |what: String| Unjoinable { name: Some(source.name.to_owned()), what };
        let mut lines = source.text.lines().enumerate().map(|(number, line)| {
            let json = serde_json::from_str::<Json>(line);
            json.map(|json| (number + 1, json))
                .map_err(|error| wrong(format!("line {}: {error}", number + 1)))
        });
        let (_, first) = lines.next().ok_or_else(|| wrong("is empty".to_owned()))??;
        let head = head(&first).ok_or_else(|| wrong("is no report of a part of a run".to_owned()))?;
        check(&head, &heads).map_err(wrong)?;
        heads.push((head, source.name));
        let mut ended = false;
        for line in lines {
            let (number, json) = line?;
            let unreadable = || wrong(format!("line {number} is none of a report"));
            if json["type"] == "summary" {
                if json["exit"] == Exit::Interrupted as u8 {
                    return Err(wrong("is of a run that was interrupted".to_owned()));
                }
                let seconds = json["seconds"].as_f64().ok_or_else(unreadable)?;
                summary.seconds = summary.seconds.max(seconds);
                ended = true;
            } else {
                let place = json["position"].as_u64().ok_or_else(unreadable)?;
                placed.push((place, reader.event(&json).ok_or_else(unreadable)?));
            }
        }
        if !ended {
            return Err(wrong("ends before the run does".to_owned()));
        }
    }
    complete(&heads)?;
    placed.sort_by_key(|(place, _)| *place);
    let files = heads.first().map_or(0, |(head, _)| head.files);
    Ok(whole(files, placed.into_iter().map(|(_, event)| event), summary))
}

/// All events with those in it that come from no line.
fn whole(files: usize, told: impl Iterator<Item = Event>, mut summary: Summary) -> Vec<Event> {
    let mut events = vec![Event::Started { files }];
    let mut file = None;
    for event in told {
        let its = match &event {
            Event::Finished(report) => {
                summary.count(report);
                Some(report.id.file.clone())
            }
            Event::Note { file, .. } => Some(file.clone()),
            _ => None,
        };
        if file.is_some() && its != file {
            events.push(Event::FileDone);
        }
        file = its;
        events.push(event);
    }
    events.extend(file.map(|_| Event::FileDone));
    events.push(Event::Ended(summary));
    events
}

fn head(line: &Json) -> Option<Head> {
    let partition = line.get("partition")?;
    let common = ["kind", "of", "selection"].map(|name| partition[name].clone());
    Some(Head {
        part: partition["part"].as_u64()?,
        of: partition["of"].as_u64()?,
        common: Json::Array([&common[..], &[line["version"].clone(), line["files"].clone()]].concat()),
        files: line["files"].as_u64()? as usize,
    })
}

fn check(head: &Head, others: &[(Head, &str)]) -> Result<(), String> {
    if !(1..=head.of).contains(&head.part) {
        return Err(format!("is part {} of {}", head.part, head.of));
    }
    for (other, name) in others {
        if other.common != head.common {
            return Err(format!("is a part of another run than {name}: other cases, parts or flags"));
        }
        if other.part == head.part {
            return Err(format!("is part {} of {}, and so is {name}", head.part, head.of));
        }
    }
    Ok(())
}

/// That no part is missing. That is found without counting them: a report may say that there are many.
fn complete(heads: &[(Head, &str)]) -> Result<(), Unjoinable> {
    const SHOWN: usize = 5;
    let of = heads.first().map_or(0, |(head, _)| head.of);
    if heads.len() as u64 == of {
        return Ok(());
    }
    let is_missing = |part: &u64| heads.iter().all(|(head, _)| head.part != *part);
    let missing: Vec<_> = (1..=of).filter(is_missing).take(SHOWN).map(|part| part.to_string()).collect();
    let more = if of - heads.len() as u64 > SHOWN as u64 { " and more" } else { "" };
    Err(Unjoinable {
        name: None,
        what: format!("of {of} parts, these are missing: {}{more}", missing.join(", ")),
    })
}

/// The id that is written so.
fn case_id(id: &str, file: &str, name: Option<&str>) -> Option<CaseId> {
    let mut case = CaseId { file: file.into(), name: name.map(str::to_owned), nth: 1 };
    if case.to_string() != id {
        case.nth = id.rsplit_once('#')?.1.parse().ok()?;
    }
    (case.to_string() == id).then_some(case)
}
