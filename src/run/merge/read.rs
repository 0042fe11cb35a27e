//! Lines of a JSON report back to events.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use serde_json::Value as Json;

use crate::model::assertion::Expected;
use crate::model::case::CaseId;
use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::exit::Exit;
use crate::model::explanation::Explained;
use crate::model::hex::hex_bytes;
use crate::model::path::{Key, Path};
use crate::model::position::Position;
use crate::model::value::Value;
use crate::model::verdict::{Difference, Failure, Listing, Verdict};
use crate::text::shell::Words;
use crate::{formats, machines};

/// What a line says; `None` where it cannot be read. What stands deep in it was bounded by [`serde_json`].
type Parsed<T> = Option<T>;

/// What a line after the first says, with its place in the whole run.
pub(super) enum Line {
    Told(u64, Event),
    Explained(u64, Explained),
    Ended(Summary),
}

/// Reads lines.
pub(super) struct Reader<'r> {
    text_of: &'r mut dyn FnMut(&str) -> Option<String>,
    texts: HashMap<String, Option<String>>,
    /// Names of types and fields. There are few, and what reads a report does not live long.
    names: BTreeSet<&'static str>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(text_of: &'r mut dyn FnMut(&str) -> Option<String>) -> Reader<'r> {
        Reader { text_of, texts: HashMap::new(), names: BTreeSet::new() }
    }

    /// What a line after the first says; `None` where it is not of a report.
    pub(super) fn line(&mut self, line: &Json) -> Parsed<Line> {
        let kind = line["type"].as_str()?;
        if kind == "summary" {
            return summary(line).map(Line::Ended);
        }
        let (file, place) = (line["file"].as_str()?, line["position"].as_u64()?);
        let id = || case_id(line["id"].as_str()?, file, line["name"].as_str());
        Some(match kind {
            "note" => {
                Line::Told(place, Event::Note { file: file.into(), diagnostic: self.diagnostic(line, file)? })
            }
            "case" => {
                let report = CaseReport {
                    id: id()?,
                    format: known(&line["format"], |name| Some(formats::by_name(name)?.name))?,
                    machine: known(&line["machine"], |name| Some(machines::by_name(name)?.name))?,
                    verdict: self.verdict(line, file)?,
                    cached: line.get("cached").map_or(Some(false), Json::as_bool)?,
                };
                Line::Told(place, Event::Finished(report))
            }
            "explained" => Line::Explained(place, Explained::Text { id: id()?, text: text(&line["text"])? }),
            _ => return None,
        })
    }

    fn verdict(&mut self, line: &Json, file: &str) -> Parsed<Verdict> {
        Some(match line["verdict"].as_str()? {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail(self.failure(line, file)?),
            "known" => Verdict::ExpectedFail(self.failure(line, file)?, listing(&line["known"])?),
            "fixed" => Verdict::UnexpectedPass(listing(&line["known"])?),
            "skip" => Verdict::Skip(line["reason"].as_str()?.to_owned()),
            "error" => {
                let problems = line["problems"].as_array().filter(|it| !it.is_empty())?;
                Verdict::Error(problems.iter().map(|it| self.diagnostic(it, file)).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    fn failure(&mut self, line: &Json, file: &str) -> Parsed<Failure> {
        let differences = line["differences"].as_array().filter(|it| !it.is_empty())?;
        let differences = differences.iter().map(|it| self.difference(it, file)).collect::<Option<_>>()?;
        Some(Failure { differences, ended: text(&line["ended"])?, listed: text(&line["listed"]) })
    }

    fn difference(&mut self, json: &Json, file: &str) -> Parsed<Difference> {
        let actual = &json["actual"];
        let is_absent = actual.get("absent").is_some();
        Some(Difference {
            step: json["step"].as_u64().map(|step| step as usize),
            at: self.path(json["path"].as_str()?)?,
            expected: self.expected(json.get("expected")?)?,
            actual: if is_absent { None } else { Some(self.value(actual)?) },
            place: self.place(json, file)?,
            note: text(&json["note"]),
        })
    }

    fn diagnostic(&mut self, json: &Json, file: &str) -> Parsed<Diagnostic> {
        Some(Diagnostic {
            what: text(&json["message"])?,
            expected: text(&json["expected"]),
            place: self.place(json, file),
        })
    }

    fn place(&mut self, json: &Json, file: &str) -> Parsed<Place> {
        let number = |name: &str| u32::try_from(json[name].as_u64()?).ok().filter(|number| *number > 0);
        let position = Position { line: number("line")?, column: number("column")? };
        if !self.texts.contains_key(file) {
            let text = (self.text_of)(file);
            self.texts.insert(file.to_owned(), text);
        }
        let text = self.texts.get(file).and_then(Option::as_ref);
        let place = text.and_then(|text| Some(Place::at(text, byte(text, position)?, position)));
        Some(place.unwrap_or(Place { at: 0, position, excerpt: String::new(), before: 0 }))
    }

    fn name(&mut self, name: &str) -> &'static str {
        if let Some(known) = self.names.get(name) {
            return known;
        }
        let name: &'static str = Box::leak(name.into());
        self.names.insert(name);
        name
    }

    fn path(&mut self, text: &str) -> Parsed<Path> {
        let mut path = None;
        for part in text.split('/') {
            let (name, indices) = indexed(part);
            let base = match path {
                None => Path::field(self.name(name)),
                Some(path) => Path::child(&path, name.to_owned()),
            };
            path = Some(indices.into_iter().fold(base, |path, index| path.child(index)));
        }
        path
    }

    fn expected(&mut self, json: &Json) -> Parsed<Expected> {
        let members = json.as_object();
        let only = members.filter(|it| it.len() == 1).and_then(|it| it.iter().next());
        Some(match only.map(|(name, value)| (name.as_str(), value)) {
            Some(("absent", _)) => Expected::Absent,
            Some(("oneOf", values)) => {
                Expected::OneOf(values.as_array()?.iter().map(|it| self.value(it)).collect::<Option<_>>()?)
            }
            Some(("type", name)) if name == "object" => Expected::Record,
            Some(("type", name)) => Expected::Type(self.name(name.as_str()?)),
            Some(("length", length)) => Expected::Len(length.as_u64()? as usize),
            Some(("only", names)) => Expected::Only(keys(names)?),
            Some(("order", names)) => Expected::Order(keys(names)?),
            _ => Expected::Is(self.value(json)?),
        })
    }

    fn value(&mut self, json: &Json) -> Parsed<Value> {
        let members = match json {
            Json::Null => return Some(Value::Null),
            Json::Bool(bool) => return Some(Value::Bool(*bool)),
            _ => json.as_object()?,
        };
        if let (Some(name), Some(value)) = (members.get("type"), members.get("value")) {
            return Some(Value::Typed(self.name(name.as_str()?), Box::new(self.value(value)?)));
        }
        let (name, value) = members.iter().next()?;
        Some(match name.as_str() {
            "int" => Value::Int(value.as_str()?.parse().ok()?),
            "bytes" => Value::Bytes(hex_bytes(value.as_str()?.strip_prefix("0x")?)?),
            "text" => Value::Text(text(value)?),
            "list" => Value::List(value.as_array()?.iter().map(|it| self.value(it)).collect::<Option<_>>()?),
            "record" => {
                let member = |(name, value): (&String, &Json)| Some((name.clone(), self.value(value)?));
                Value::Record(value.as_object()?.iter().map(member).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// The counts of a run. Some are left out where they are 0.
fn summary(line: &Json) -> Parsed<Summary> {
    let count = |name: &str| line[name].as_u64();
    let listed = |name: &str| line.get(name).map_or(Some(0), Json::as_u64);
    // What is no time at all would be none in a report either.
    let seconds = line["seconds"].as_f64().filter(|it| Duration::try_from_secs_f64(*it).is_ok())?;
    Some(Summary {
        passed: count("passed")?,
        cached: listed("cached")?,
        failed: count("failed")?,
        known: listed("known")?,
        fixed: listed("fixed")?,
        errors: count("errors")?,
        skipped: count("skipped")?,
        seconds,
        interrupted: line["exit"] == Exit::Interrupted as u8,
    })
}

/// Words of a command line.
pub(super) fn words(json: &Json) -> Parsed<Words> {
    json.as_array()?.iter().map(Json::as_str).collect()
}

fn text(json: &Json) -> Parsed<String> {
    json.as_str().map(str::to_owned)
}

/// A name of a list, or null.
fn known(json: &Json, by_name: impl Fn(&str) -> Option<&'static str>) -> Parsed<Option<&'static str>> {
    match json {
        Json::Null => Some(None),
        _ => by_name(json.as_str()?).map(Some),
    }
}

fn listing(json: &Json) -> Parsed<Listing> {
    Some(Listing { place: text(&json["place"])?, reason: text(&json["reason"])?, link: text(&json["link"]) })
}

fn keys(json: &Json) -> Parsed<Vec<Key>> {
    json.as_array()?.iter().map(|name| Some(Key::from(text(name)?))).collect()
}

/// A part of a path without the indices behind it, and these.
fn indexed(part: &str) -> (&str, Vec<usize>) {
    let mut indices = Vec::new();
    let mut name = part;
    while let Some((before, index)) = name.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
        let Some(number) = index.parse::<usize>().ok().filter(|number| number.to_string() == index) else {
            break;
        };
        indices.push(number);
        name = before;
    }
    indices.reverse();
    (name, indices)
}

/// The byte at a position.
fn byte(text: &str, position: Position) -> Option<u32> {
    let before: usize = text.split_inclusive('\n').take(position.line as usize - 1).map(str::len).sum();
    // A byte order mark is in no column.
    let mark = if before == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let before = before + mark;
    let line = text.get(before..)?;
    let at = line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(position.column as usize - 1)?;
    u32::try_from(before + at).ok()
}

/// The id that is written so.
fn case_id(id: &str, file: &str, name: Option<&str>) -> Option<CaseId> {
    let mut case = CaseId { file: file.into(), name: name.map(str::to_owned), nth: 1 };
    if case.to_string() != id {
        case.nth = id.rsplit_once('#')?.1.parse().ok()?;
    }
    (case.to_string() == id).then_some(case)
}
