//! The report for programs: one JSON object a line. Its schema is `schemas/report.schema.json`.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Map, Value as JsonValue, json};

use super::case_block::broken_list;
use super::{Options, Report, explanation};
use crate::model::assertion::Expected;
use crate::model::case::CaseId;
use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::event::{CaseReport, Event, Summary, VERSION};
use crate::model::explanation::{Answer, Blame, Executed, Explanation, Input, Spent, StackComparison};
use crate::model::partition::{Part, Partition};
use crate::model::path::Key;
use crate::model::signature::signature;
use crate::model::verdict::{Difference, Listing, Verdict};
use crate::text::shell::Words;
use crate::wire::value::{one_line, typed};

mod record;

pub use record::{Asked, Record};

/// The report for programs.
pub struct Json {
    out: Box<dyn Write>,
    part: Option<Arc<Part>>,
    selection: Words,
    flags: Words,
    /// Notes of which the place in the whole run is not known yet.
    notes: Vec<Map<String, JsonValue>>,
}

impl Json {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Json {
        let Options { selection, flags, part, .. } = options.clone();
        Json { out, part, selection, flags, notes: Vec::new() }
    }

    fn line(&mut self, line: &JsonValue) -> io::Result<()> {
        writeln!(self.out, "{}", one_line(line))
    }

    /// A line of a case, and the notes before it. In a part of a run each says where it stands in the
    /// whole, by which `vmconf merge` puts them in order.
    fn placed(&mut self, id: &CaseId, line: Option<Map<String, JsonValue>>) -> io::Result<()> {
        let place = self.part.as_ref().map(|part| part.place(id));
        for mut line in self.notes.split_off(0).into_iter().chain(line) {
            line.extend(place.map(|place| ("position".to_owned(), place.into())));
            self.line(&line.into())?;
        }
        Ok(())
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        self.placed(&report.id, Some(case_json(report)))
    }

    fn run(&mut self, files: usize) -> io::Result<()> {
        let mut head = head_json(files, self.part.as_deref());
        if let Some(partition) = head.get_mut("partition").and_then(JsonValue::as_object_mut) {
            let typed = json!({ "selection": words(&self.selection), "flags": words(&self.flags) });
            partition.insert("typed".into(), typed);
        }
        self.line(&head.into())
    }
}

impl Report for Json {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started { files } => self.run(*files),
            Event::Note { file, diagnostic } => {
                let mut note = Map::new();
                note.insert("type".into(), "note".into());
                note.insert("file".into(), (**file).into());
                note.extend(trouble_json(diagnostic));
                self.notes.push(note);
                Ok(())
            }
            Event::Finished(report) => self.case(report),
            Event::UnmatchedEntries { list, entries } => self.case(&broken_list(list, entries)),
            Event::FileDone => {
                let file = self.notes.first().and_then(|note| note["file"].as_str());
                file.map(|file| CaseId::of_file(file.into())).map_or(Ok(()), |id| self.placed(&id, None))
            }
            Event::Explained(explained) if self.part.is_some() => {
                let line = explained_json(explained.id(), &explanation::plain(explained)?);
                self.placed(explained.id(), Some(line))
            }
            Event::Explained(_) => Ok(()),
            Event::Ended(summary) => {
                self.line(&summary_json(summary))?;
                self.out.flush()
            }
        }
    }
}

fn words(words: &Words) -> Vec<&str> {
    words.iter().collect()
}

/// Why a case does not pass, for the page that is made of the whole run.
fn explained_json(id: &CaseId, text: &str) -> Map<String, JsonValue> {
    let mut line = Map::new();
    line.insert("type".into(), "explained".into());
    add_id(&mut line, id);
    line.insert("text".into(), text.into());
    line
}

/// Writes why a case fails as one line of JSON. Its schema is `schemas/diff.schema.json`.
///
/// # Errors
///
/// When it cannot be written.
pub fn explained(out: &mut dyn Write, explained: &Explanation) -> io::Result<()> {
    let mut line = JsonValue::Object(case_json(&explained.report));
    if let JsonValue::Object(members) = &mut line {
        let blames = explained.blames.iter().map(answer_json);
        members.insert("blames".into(), blames.collect::<Vec<_>>().into());
        members.insert("steps".into(), explained.steps.into());
        let last = explained.last.iter().map(|it| executed_json(it).into());
        members.insert("last".into(), last.collect::<Vec<JsonValue>>().into());
        if !explained.spent.is_empty() {
            let spent = |(name, spent): (&&str, &Spent)| {
                (
                    (*name).to_owned(),
                    json!({ "count": spent.count, "gas": spent.gas, "unlikeRow": spent.unlike_row }),
                )
            };
            members.insert("spent".into(), JsonValue::Object(explained.spent.iter().map(spent).collect()));
        }
        if let Some(stack) = &explained.stack {
            members.insert("stack".into(), stack_json(stack));
        }
    }
    writeln!(out, "{}", one_line(&line))
}

/// The instruction that comes nearest to having made a datum, and what it is to it.
fn answer_json(answer: &Answer) -> JsonValue {
    let Some(blame) = answer.blame() else { return JsonValue::Null };
    let relation = match answer {
        Answer::By(_) => "madeBy",
        Answer::NotWritten { .. } => "instead",
        Answer::NoCell(_) => "after",
    };
    let mut json = blame_json(blame);
    json.insert("relation".into(), relation.into());
    json.into()
}

fn blame_json(blame: &Blame) -> Map<String, JsonValue> {
    let mut json = executed_json(&blame.by);
    if !blame.moved_by.is_empty() {
        let moved_by = blame.moved_by.iter().map(|by| executed_json(by).into());
        json.insert("movedBy".into(), moved_by.collect::<Vec<JsonValue>>().into());
    }
    if let Some(jump) = &blame.reached_by {
        json.insert("reachedBy".into(), blame_json(jump).into());
    }
    let inputs = blame.by.inputs.iter().zip(&blame.inputs).map(|(input, by)| {
        let mut json = input_json(input);
        if let Some(by) = by {
            json.insert("by".into(), blame_json(by).into());
        }
        json.into()
    });
    json.insert("inputs".into(), inputs.collect::<Vec<JsonValue>>().into());
    json
}

fn executed_json(executed: &Executed) -> Map<String, JsonValue> {
    let mut json = Map::new();
    json.insert("step".into(), executed.step.into());
    json.insert("pc".into(), executed.pc.into());
    json.insert("op".into(), executed.op.into());
    json.insert("instruction".into(), executed.text.clone().into());
    if let Some(cost) = executed.cost {
        json.insert("cost".into(), cost.into());
    }
    let inputs = executed.inputs.iter().map(|input| input_json(input).into());
    json.insert("inputs".into(), inputs.collect::<Vec<JsonValue>>().into());
    json.insert("height".into(), executed.height.into());
    let stack = executed.stack.iter().map(typed);
    json.insert("stack".into(), stack.collect::<Vec<_>>().into());
    json
}

fn input_json(input: &Input) -> Map<String, JsonValue> {
    let mut json = Map::new();
    json.insert("cell".into(), input.cell.to_string().into());
    json.insert("value".into(), typed(&input.value));
    json
}

fn stack_json(stack: &StackComparison) -> JsonValue {
    let wanted = stack.wanted.iter().map(|expected| expected.as_ref().map_or(JsonValue::Null, expected_json));
    json!({
        "path": stack.at.to_string(),
        "expected": wanted.collect::<Vec<_>>(),
        "actual": stack.actual.iter().map(typed).collect::<Vec<_>>(),
    })
}

/// What the first line says of a run.
fn head_json(files: usize, part: Option<&Part>) -> Map<String, JsonValue> {
    let mut run = Map::new();
    run.insert("type".into(), "run".into());
    run.insert("version".into(), VERSION.into());
    run.insert("vmconf".into(), env!("CARGO_PKG_VERSION").into());
    run.insert("files".into(), files.into());
    if let Some(Part { partition: Partition { kind, part, of }, selection, .. }) = part {
        let partition = json!({ "kind": kind.name(), "part": part, "of": of, "selection": selection });
        run.insert("partition".into(), partition);
    }
    run
}

fn case_json(report: &CaseReport) -> Map<String, JsonValue> {
    let CaseReport { id, format, machine, verdict, cached } = report;
    let mut case = Map::new();
    case.insert("type".into(), "case".into());
    case.insert("verdict".into(), verdict.name().into());
    add_id(&mut case, id);
    case.insert("format".into(), (*format).into());
    case.insert("machine".into(), (*machine).into());
    if let Some(signature) = signature(*machine, verdict) {
        case.insert("signature".into(), signature.into());
    }
    if *cached {
        case.insert("cached".into(), true.into());
    }
    match verdict {
        Verdict::Pass => {}
        Verdict::Fail(failure) | Verdict::ExpectedFail(failure, _) => {
            let differences = failure.differences.iter().map(difference_json).collect();
            case.insert("differences".into(), JsonValue::Array(differences));
            case.insert("ended".into(), failure.ended.clone().into());
            if let Some(listed) = &failure.listed {
                case.insert("listed".into(), listed.clone().into());
            }
            if let Verdict::ExpectedFail(_, listing) = verdict {
                case.insert("known".into(), listing_json(listing));
            }
        }
        Verdict::UnexpectedPass(listing) => {
            case.insert("known".into(), listing_json(listing));
        }
        Verdict::Error(diagnostics) => {
            let problems = diagnostics.iter().map(|diagnostic| trouble_json(diagnostic).into()).collect();
            case.insert("problems".into(), JsonValue::Array(problems));
        }
        Verdict::Skip(reason) => {
            case.insert("reason".into(), reason.clone().into());
        }
    }
    case
}

fn listing_json(listing: &Listing) -> JsonValue {
    let Listing { place, reason, link } = listing;
    let mut json = Map::new();
    json.insert("place".into(), place.clone().into());
    json.insert("reason".into(), reason.clone().into());
    if let Some(link) = link {
        json.insert("link".into(), link.clone().into());
    }
    json.into()
}

fn difference_json(difference: &Difference) -> JsonValue {
    let Difference { step, at, expected, actual, place, note } = difference;
    let mut json = Map::new();
    json.insert("path".into(), at.to_string().into());
    if let Some(step) = step {
        json.insert("step".into(), (*step).into());
    }
    json.insert("expected".into(), expected_json(expected));
    json.insert("actual".into(), actual.as_ref().map_or_else(|| json!({ "absent": true }), typed));
    if let Some(note) = note {
        json.insert("note".into(), note.clone().into());
    }
    add_place(&mut json, place);
    json.into()
}

fn trouble_json(diagnostic: &Diagnostic) -> Map<String, JsonValue> {
    let mut json = Map::new();
    json.insert("message".into(), diagnostic.what.clone().into());
    if let Some(expected) = &diagnostic.expected {
        json.insert("expected".into(), expected.clone().into());
    }
    if let Some(place) = &diagnostic.place {
        add_place(&mut json, place);
    }
    json
}

fn add_id(json: &mut Map<String, JsonValue>, id: &CaseId) {
    json.insert("id".into(), id.to_string().into());
    json.insert("file".into(), (*id.file).into());
    json.insert("name".into(), id.name.clone().into());
}

fn add_place(json: &mut Map<String, JsonValue>, place: &Place) {
    json.insert("line".into(), place.position.line.into());
    json.insert("column".into(), place.position.column.into());
}

fn expected_json(expected: &Expected) -> JsonValue {
    match expected {
        Expected::Is(value) | Expected::IsOrAbsent(value) => typed(value),
        Expected::OneOf(values) => json!({ "oneOf": values.iter().map(typed).collect::<Vec<_>>() }),
        Expected::Absent => json!({ "absent": true }),
        Expected::Record => json!({ "type": "object" }),
        Expected::Type(name) => json!({ "type": name }),
        Expected::Len(length) => json!({ "length": length }),
        Expected::Only(keys) => json!({ "only": names(keys) }),
        Expected::Order(keys) => json!({ "order": names(keys) }),
    }
}

fn names(keys: &[Key]) -> Vec<String> {
    keys.iter().map(Key::to_string).collect()
}

fn summary_json(summary: &Summary) -> JsonValue {
    let Summary { passed, cached, failed, known, fixed, errors, skipped, seconds, interrupted: _ } = summary;
    let mut json = Map::new();
    json.insert("type".into(), "summary".into());
    json.insert("passed".into(), (*passed).into());
    if *cached > 0 {
        json.insert("cached".into(), (*cached).into());
    }
    json.insert("failed".into(), (*failed).into());
    for (name, count) in [("known", *known), ("fixed", *fixed)] {
        if count > 0 {
            json.insert(name.into(), count.into());
        }
    }
    json.insert("errors".into(), (*errors).into());
    json.insert("skipped".into(), (*skipped).into());
    json.insert("exit".into(), (summary.exit() as u8).into());
    json.insert("seconds".into(), (*seconds).into());
    json.into()
}
