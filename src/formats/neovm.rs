//! The NeoVM test vectors of N3 (Neo 3) and 2.x: one reader with two sets of rules.
//!
//! A file has `tests`, a test a `script` and `steps`, a step `actions` and the `result` that the engine must
//! show after them. One engine runs all steps of a test. The meaning of a missing member differs between the
//! two. Both ignore case in the names of members, actions, states and types.
//!
//! | field of the state | its value |
//! |---|---|
//! | `state` | Text: `NONE`, `BREAK`, `HALT`, `FAULT`; in 2.x `None`, `Break`, `Halt`, `Fault` |
//! | `invocationStack` | List of Records, the current frame first |
//! | … `scriptHash` | 2.x: Bytes |
//! | … `instructionPointer` | Int, a byte offset |
//! | … `nextInstruction`, `nextOpcode` | Text and Int: the name and the byte of the same opcode |
//! | … `evaluationStack`; 2.x: `altStack` | List of items, the top one first |
//! | … N3: `staticFields`, `localVariables`, `arguments` | List of items, or absent |
//! | `resultStack` | List of items, the top one first |
//! | `refs` | N3: Int |
//! | `exceptionMessage` | N3: Text |
//!
//! An item is a [`Value::Typed`]: Null, Boolean (Bool), Integer (Int), Pointer (Int), ByteString, Buffer and
//! ByteArray (Bytes), Interop (Text or Null), Array and Struct (List), Map (Record by the key's bytes: `0x`
//! and lower-case hex digits, or an empty name for no bytes).

mod evidence;
mod fill;
mod items;
mod lexical;
mod new_vector;
mod program;
mod result;
mod rules;
mod write_back;

use self::lexical::member;
use self::program::NeoProgram;
use self::result::NeoAssertions;
use self::rules::{Generation, Rules};
use super::envelope::{numbered, without_tests};
use super::fields::{Diagnostics, FieldReader, misspelled, no_such_word, object, wrong_type};
use super::files::VectorFolder;
use super::format::{FileEntry, Format, ReadContext};
use crate::model::case;
use crate::model::rule::LintRule;
use crate::model::{Action, Case, Diagnostic, Origin, Severity, Step, Value};
use crate::text::json::{JsonNode, quoted};

/// N3's entry in the list of formats.
pub const N3: Format = Format {
    name: "neovm-n3",
    machine: rules::N3.machine,
    looks_like: "an object with \"tests\" that have \"steps\"",
    distinguished_by: "\"machine\": \"neo3\", or members that only N3 has: a script in an array, slots, \"refs\", a ByteString",
    evidence: &evidence::n3,
    outline: &outline,
    read: &|test, context, diagnostics| read_test(test, &rules::N3, context, diagnostics),
    rest: &|file, _, _, diagnostics| read_rest(file, &rules::N3, diagnostics),
    write_back: &|failed| write_back::write_back(failed, &rules::N3),
    fill: Some(&|test| fill::fill(test, &rules::N3)),
    type_beside: Some(items::type_beside),
    make: Some(new_vector::N3),
    outcomes: || rules::N3.states.to_vec(),
    unknown: Severity::Note,
    duplicate: Severity::Note,
    folders: &[VectorFolder::Own],
    ..Format::BASE
};

/// The entry of 2.x in the list of formats.
pub const V2: Format = Format {
    name: "neovm-2x",
    machine: rules::V2.machine,
    looks_like: "an object with \"tests\" that have \"steps\"",
    distinguished_by: "\"machine\": \"neo2\", or members that only 2.x has: \"scriptHash\", \"altStack\", \"scriptTable\", a ByteArray",
    evidence: &evidence::v2,
    outline: &outline,
    read: &|test, context, diagnostics| read_test(test, &rules::V2, context, diagnostics),
    rest: &|file, _, _, diagnostics| read_rest(file, &rules::V2, diagnostics),
    write_back: &|failed| write_back::write_back(failed, &rules::V2),
    fill: Some(&|test| fill::fill(test, &rules::V2)),
    type_beside: Some(items::type_beside),
    make: Some(new_vector::V2),
    outcomes: || rules::V2.states.to_vec(),
    unknown: Severity::Note,
    duplicate: Severity::Note,
    ..Format::BASE
};

fn outline(file: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
    let file = object(file, "the file", "an object with \"tests\"")?;
    let tests = member(file, "tests").ok_or_else(|| without_tests(file))?.value;
    if !tests.is_array() && !tests.is_null() {
        return Err(wrong_type(tests, "tests", "an array of tests"));
    }
    Ok(numbered(tests, |test| member(test, "name").map(|name| name.value)))
}

/// The file without its tests.
fn read_rest(file: JsonNode<'_>, rules: &'static Rules, diagnostics: &mut Diagnostics) {
    if file.at() > 0 && file.document().text().starts_with('\u{feff}') {
        diagnostics.remark(|| {
            Diagnostic::at(0, "byte order mark")
                .expected("none at the start of the file")
                .under(LintRule::ByteOrderMark)
        });
    }
    let Some(mut fields) = FieldReader::open_with(file, "file", rules.names, diagnostics) else { return };
    read_label(&mut fields, "category", rules, diagnostics);
    read_label(&mut fields, "name", rules, diagnostics);
    if let Some(tests) = fields.optional("tests").filter(|tests| tests.is_null()) {
        diagnostics.breach(|| wrong_type(tests, "tests", "an array of tests").under(LintRule::MustType));
    }
    if let Some(machine) = fields.optional("machine")
        && machine.text().as_deref() != Some(rules.machine)
    {
        let what = format!("\"machine\" is {}", machine.shown());
        diagnostics.error(Diagnostic::at(machine.at(), what).expected(quoted(rules.machine)));
    }
    fields.finish(diagnostics);
}

/// A category or name, which a runner does not need.
fn read_label(fields: &mut FieldReader<'_>, key: &'static str, rules: &Rules, diagnostics: &mut Diagnostics) {
    let Some(label) = fields.present(key) else {
        return diagnostics.breach(|| fields.without(key).under(LintRule::MustMember));
    };
    match label.text() {
        None => diagnostics.error(wrong_type(label, key, "a string")),
        Some(text) if text.is_empty() && rules.generation == Generation::N3 && key == "name" => {
            let empty = || Diagnostic::at(label.at(), "name is empty").expected("some text");
            diagnostics.breach(|| empty().under(LintRule::MustNotBeEmpty));
        }
        Some(_) => {}
    }
}

fn read_test(
    test: JsonNode<'_>,
    rules: &'static Rules,
    context: ReadContext<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Case> {
    let mut fields = FieldReader::open_with(test, "test", rules.names, diagnostics)?;
    read_label(&mut fields, "name", rules, diagnostics);
    let mut program = NeoProgram::default();
    match rules.generation {
        Generation::N3 => program.read_n3(&mut fields, context.files, diagnostics),
        Generation::V2 => program.read_v2(&mut fields, diagnostics),
    }
    let steps = read_steps(&mut fields, rules, diagnostics);
    fields.finish(diagnostics);
    let NeoProgram { members, places } = program;
    Some(Case {
        machine: rules.machine,
        program: case::Program::from(Value::Record(members)),
        places,
        steps,
        label: None,
    })
}

fn read_steps(
    fields: &mut FieldReader<'_>,
    rules: &'static Rules,
    diagnostics: &mut Diagnostics,
) -> Vec<Step> {
    match fields.present("steps") {
        Some(steps) if steps.is_array() => {
            // The specification of 2.x allows it.
            if rules.generation == Generation::N3 && steps.items().next().is_none() {
                let what = "a test with no steps checks nothing";
                diagnostics.caution(Diagnostic::at(steps.at(), what).under(LintRule::NothingCompared));
            }
            steps.items().filter_map(|step| read_step(step, rules, diagnostics)).collect()
        }
        Some(steps) => {
            diagnostics.error(wrong_type(steps, "steps", "an array of steps"));
            Vec::new()
        }
        None => {
            let what = "a test without \"steps\" checks nothing";
            diagnostics.note(Diagnostic::at(fields.at(), what).under(LintRule::NothingCompared));
            Vec::new()
        }
    }
}

fn read_step(step: JsonNode<'_>, rules: &'static Rules, diagnostics: &mut Diagnostics) -> Option<Step> {
    let mut fields = FieldReader::open_with(step, "step", rules.names, diagnostics)?;
    if let Some(name) = fields.present("name").filter(|name| name.text().is_none()) {
        diagnostics.error(wrong_type(name, "name", "a string"));
    }
    let actions = read_actions(&mut fields, rules, diagnostics);
    let result = fields.required("result", diagnostics);
    fields.finish(diagnostics);
    let mut wanted = NeoAssertions::new(rules, diagnostics);
    let end = wanted.result(result?);
    Some(Step { actions, end, assertions: wanted.assertions })
}

fn read_actions(fields: &mut FieldReader<'_>, rules: &Rules, diagnostics: &mut Diagnostics) -> Vec<Action> {
    let actions = fields.present("actions");
    if rules.generation == Generation::V2 && actions.is_none_or(|actions| actions.raw() == "[]") {
        diagnostics.breach(|| match actions {
            None => fields.without("actions").under(LintRule::MustMember),
            Some(actions) => Diagnostic::at(actions.at(), "a step with no action")
                .expected("one or more actions")
                .under(LintRule::MustNotBeEmpty),
        });
    }
    let Some(actions) = actions else { return Vec::new() };
    if !actions.is_array() {
        diagnostics.error(wrong_type(actions, "actions", "an array of actions"));
    }
    actions.items().filter_map(|action| read_action(action, diagnostics)).collect()
}

fn read_action(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Action> {
    const ACTIONS: [(&str, Action); 4] = [
        ("StepInto", Action::StepInto),
        ("StepOut", Action::StepOut),
        ("StepOver", Action::StepOver),
        ("Execute", Action::Execute),
    ];
    let text = node.text().unwrap_or_default();
    let Some((name, action)) = ACTIONS.iter().find(|action| text.eq_ignore_ascii_case(action.0)) else {
        let what = format!("{} is not an action", node.shown());
        let expected = "StepInto, StepOut, StepOver or Execute".to_owned();
        diagnostics.error(no_such_word(node, what, expected, ACTIONS.map(|action| action.0)));
        return None;
    };
    if text != *name {
        diagnostics.breach(|| misspelled(node, name));
    }
    Some(action.clone())
}
