//! Vectors for the MiniC89 machine, in vmconf's own format: one program (a published metadata document) and
//! tests with partial snapshots.
//!
//! The program is read once per file. `expect` is compared with the state at the end, each item of `trace`
//! with the state after a number of steps; a missing member is not compared. The fields of the state are the
//! members of a snapshot: `schema_version`, `step`, `status`, `pc`, `operand_stack`, `call_stack`, `trap`,
//! `halt`, with values as in snapshots. A member that a snapshot does not have (`trap` if the run halted) is
//! absent; `null` is Null.

pub mod documents;
mod fill;
mod lexical;
mod new_vector;
mod program;
mod snapshot;
mod write_back;

use num_bigint::BigInt;

use self::program::{MACHINE, SharedFunctions};
use super::envelope::{self, MachineMember};
use super::fields::{Diagnostics, FieldReader, RecordMembers, array};
use super::format::{Evidence, FileEntry, Format, ReadContext};
use crate::model::{Action, Case, Diagnostic, Path, Program, Severity, Step, Value};
use crate::text::json::JsonNode;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "minic89",
    machine: MACHINE,
    looks_like: "an object with \"machine\": \"minic89\"",
    distinguished_by: "\"machine\": \"minic89\"",
    evidence: &evidence,
    outline: &envelope::outline,
    read: &read_test,
    rest: &read_rest,
    unknown: Severity::Error,
    write_back: &write_back::write_back,
    fill: Some(&fill::fill),
    make: Some(new_vector::MAKE),
    outcomes: || snapshot::STATUSES.to_vec(),
    ..Format::BASE
};

fn evidence(file: JsonNode<'_>) -> Option<Evidence> {
    envelope::evidence(file, MACHINE, "\"machine\": \"minic89\"").or_else(|| {
        // A file that names another machine belongs to that machine.
        let program = file.member("program").filter(|_| file.member("machine").is_none())?;
        let version = program.member("schema_version")?;
        let is_metadata = version.text().is_some_and(|text| text == program::VERSION);
        is_metadata.then_some(Evidence { at: version.at(), what: "the schema_version of MiniC89 metadata" })
    })
}

fn read_rest(file: JsonNode<'_>, _: &[FileEntry], _: ReadContext<'_>, diagnostics: &mut Diagnostics) {
    let Some(mut fields) = envelope::open(file, MACHINE, MachineMember::Optional, diagnostics) else {
        return;
    };
    if let Some(program) = fields.required("program", diagnostics) {
        program::read(program, diagnostics);
    }
    if let Some(tests) = file.member("tests").filter(|tests| tests.items().next().is_none()) {
        diagnostics.error(Diagnostic::at(tests.at(), "there are no tests").expected("at least one test"));
    }
    envelope::unique_names(file, diagnostics);
    fields.finish(diagnostics);
}

fn read_test(test: JsonNode<'_>, context: ReadContext<'_>, diagnostics: &mut Diagnostics) -> Option<Case> {
    let shared = context.shared(|| program::share(test.document().root()));
    let mut fields = FieldReader::open(test, "test", diagnostics)?;
    let name_at = envelope::name(&mut fields, diagnostics).unwrap_or(test.at());
    envelope::label(&mut fields, "description", diagnostics);
    let start = start(&mut fields, &shared, name_at, diagnostics);
    let expect = fields.optional("expect");
    let trace = fields.optional("trace");
    let is_empty = |trace: JsonNode<'_>| trace.is_array() && trace.items().next().is_none();
    match trace {
        None if expect.is_none() => {
            let what = "test without \"expect\" and \"trace\"";
            diagnostics.error(Diagnostic::at(test.at(), what).expected("at least one of the two"));
        }
        Some(trace) if expect.is_none() && is_empty(trace) => {
            let what = "trace is empty, and there is no \"expect\"";
            diagnostics.error(Diagnostic::at(trace.at(), what).expected("something to compare"));
        }
        None | Some(_) => {}
    }
    let mut steps = vec![Step { actions: vec![Action::Set(start)], end: None, assertions: Vec::new() }];
    if let Some(trace) = trace {
        read_trace(trace, &mut steps, diagnostics);
    }
    if let Some(expect) = expect {
        let (end, assertions) = snapshot::demands(expect, diagnostics);
        steps.push(Step { actions: vec![Action::Execute], end, assertions });
    }
    fields.finish(diagnostics);
    let Some(document) = &shared.document else {
        diagnostics.error(Diagnostic::at(test.at(), "the program of this file is broken"));
        return None;
    };
    // So that "step 2" in a report is the second comparison.
    let steps = join_start(steps);
    let places = vec![(Path::field("functions"), crate::model::Origin(shared.functions_at))];
    Some(Case { machine: MACHINE, program: Program(document.clone()), places, steps, label: None })
}

/// Moves the start of the run into the first step.
fn join_start(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() > 1 {
        let start = steps.remove(0);
        steps[0].actions.splice(0..0, start.actions);
    }
    steps
}

/// The start of the run: `entry`, `args` and `limits`.
fn start(
    fields: &mut FieldReader<'_>,
    shared: &SharedFunctions,
    name_at: u32,
    diagnostics: &mut Diagnostics,
) -> Value {
    let mut members = RecordMembers::default();
    let entry = entry(fields.optional("entry"), shared, name_at, diagnostics);
    let (args, args_at) = match fields.optional("args") {
        Some(node) => (arguments(node, diagnostics), node.at()),
        None => (Some(Vec::new()), name_at),
    };
    if let (Some(entry), Some(args)) = (&entry, &args)
        && let Some(params) = shared.params_of(entry).filter(|params| **params != BigInt::from(args.len()))
    {
        let what = format!("{} arguments for function {entry}", args.len());
        diagnostics.error(Diagnostic::at(args_at, what).expected(format!("{params}, its param_count")));
    }
    members.keep("entry", entry.map(Value::Int));
    members.keep("args", args.map(Value::List));
    members.keep("limits", fields.optional("limits").map(|node| limits(node, diagnostics)));
    members.record()
}

/// The function that starts: the one that the test names, else the one called `main`, else the last one.
fn entry(
    node: Option<JsonNode<'_>>,
    shared: &SharedFunctions,
    name_at: u32,
    diagnostics: &mut Diagnostics,
) -> Option<BigInt> {
    let Some(node) = node else {
        return diagnostics.keep(shared.default_entry(name_at));
    };
    let fid = diagnostics.keep(lexical::from(node, "entry", 1))?;
    if shared.document.is_some() && shared.params_of(&fid).is_none() {
        diagnostics.error(
            Diagnostic::at(node.at(), format!("there is no function {fid}"))
                .expected("the fid of a function"),
        );
    }
    Some(fid)
}

fn arguments(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<Value>> {
    let list = diagnostics.keep(array(node, "args", "an array of 16-bit integers"))?;
    let read = |item| lexical::int16(item, "argument").map(Value::Int);
    diagnostics.keep(list.items().map(read).collect())
}

fn limits(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Value {
    let mut members = RecordMembers::default();
    if let Some(mut fields) = FieldReader::open(node, "limits", diagnostics) {
        let steps = fields.optional("step_limit");
        members.read("step_limit", steps, |it| lexical::nullable(it, "step_limit", 0), diagnostics);
        for (name, least) in [("operand_stack", 0), ("call_depth", 1)] {
            let limit = |node: JsonNode<'_>| lexical::from(node, name, least).map(Value::Int);
            members.read(name, fields.optional(name), limit, diagnostics);
        }
        fields.finish(diagnostics);
    }
    members.record()
}

/// Adds a step for each snapshot of a trace.
fn read_trace(trace: JsonNode<'_>, steps: &mut Vec<Step>, diagnostics: &mut Diagnostics) {
    const EXPECTED: &str = "an array of snapshots with ascending \"step\"";
    let Some(trace) = diagnostics.keep(array(trace, "trace", EXPECTED)) else { return };
    let mut done = None;
    for snapshot in trace.items() {
        let (end, mut assertions) = snapshot::demands(snapshot, diagnostics);
        let Some(step) = snapshot.member("step") else {
            if snapshot.is_object() {
                let what = "snapshot of a trace without \"step\"";
                diagnostics.error(Diagnostic::at(snapshot.at(), what).expected(EXPECTED));
            }
            continue;
        };
        // The snapshot's reader has already reported the errors.
        let Ok(number) = lexical::from(step, "step", 0) else { continue };
        let Ok(number) = u64::try_from(number) else {
            diagnostics.error(
                Diagnostic::at(step.at(), format!("step {} is too large", step.shown()))
                    .expected("a step of 64 bits"),
            );
            continue;
        };
        if done.is_some_and(|done| number <= done) {
            let what = format!("step {number} after step {}", done.unwrap_or_default());
            diagnostics.error(Diagnostic::at(step.at(), what).expected(EXPECTED));
        }
        let run = Action::Run(number.saturating_sub(done.unwrap_or(0)));
        done = Some(number);
        // If the run ends earlier, there is no such snapshot, and that is the only difference worth reporting.
        let position = assertions.iter().position(|check| check.at == Path::field("step"));
        let exists = position.map(|position| assertions.remove(position));
        assertions.extend(end);
        steps.push(Step { actions: vec![run], end: exists, assertions });
    }
}
