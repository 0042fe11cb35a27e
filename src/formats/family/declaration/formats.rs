//! `[format]`: where things lie in a file.

use std::collections::HashMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::parts::{
    DeclaredFiles, DemandedField, FormatDeclaration, GivenMember, IgnoredPath, MAX_NAME, StepActions,
    StepDeclaration, UnlistedFields, member,
};
use super::toml_reader::{TomlReader, TomlValue};
use crate::formats::family::constant;
use crate::formats::family::node_path::{NodePath, PathStep};
use crate::model::{Action, DeclaredField};
use crate::text::glob::{Wildcards, glob};
use crate::text::json::Document;
use crate::text::typed;

const KEYS: [&str; 12] = [
    "files",
    "cases",
    "name",
    "has",
    "do",
    "program",
    "expect",
    "info",
    "ignore",
    "ignore-in-file",
    "steps",
    "step",
];

/// Each member of an object, under its own name.
const ALL: &str = "*";

/// What a format may name.
struct Names<'n> {
    state: &'n [DeclaredField],
    input: &'n [DeclaredField],
}

/// Reads all formats of a declaration.
pub(super) fn read(
    reader: &mut TomlReader<'_>,
    root: &DeTable<'_>,
    span: &Range<usize>,
    state: &[DeclaredField],
    input: &[DeclaredField],
) -> Vec<FormatDeclaration> {
    let Some(value) = reader.required(root, "format", span) else { return Vec::new() };
    let names = Names { state, input };
    match value.get_ref() {
        DeValue::Table(table) => vec![format(reader, value, table, &names)],
        DeValue::Array(items) if !items.is_empty() => {
            let mut formats = Vec::new();
            for item in items {
                match item.get_ref().as_table() {
                    Some(table) => {
                        let format = format(reader, item, table, &names);
                        if let Some(before) = formats.iter().position(|before| is_before(before, &format)) {
                            let what =
                                format!("this format reads no file: format {} reads them all", before + 1);
                            reader.error(
                                item.span(),
                                what,
                                "files, cases or has that differ from those of that format",
                            );
                        }
                        formats.push(format);
                    }
                    None => reader.wrong(item, "a format", "a table, as [[format]]"),
                }
            }
            formats
        }
        _ => {
            reader.wrong(value, "format", "a table [format], or several [[format]]");
            Vec::new()
        }
    }
}

fn format(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    table: &DeTable<'_>,
    names: &Names<'_>,
) -> FormatDeclaration {
    reader.only(table, "key of a format", &KEYS);
    let span = value.span();
    let cases = reader.required(table, "cases", &span).and_then(|value| reader.path(value, "cases"));
    let files = table.get("files").map(|value| files(reader, value)).unwrap_or_default();
    let name = table.get("name").and_then(|value| reader.single_path(value, "name"));
    let has = table.get("has").map(|value| paths(reader, value, "has")).unwrap_or_default();
    let program = table.get("program").map(|value| program(reader, value, names)).unwrap_or_default();
    let steps = table.get("steps").and_then(|value| reader.path(value, "steps"));
    let mut paths = reader.take_paths();
    let step = step(reader, table, names, &span);
    let mut step_paths = reader.take_paths();
    if steps.is_none() {
        paths.append(&mut step_paths);
    }
    let info = table.get("info").and_then(|value| info(reader, value));
    paths.append(&mut reader.take_paths());
    let mut ignored = |key: &str| table.get(key).map(|value| ignored(reader, value, key)).unwrap_or_default();
    let (ignore, ignore_in_file) = (ignored("ignore"), ignored("ignore-in-file"));
    paths.extend(ignore.iter().map(|ignored| ignored.written.clone()));
    let cases = cases.unwrap_or_default();
    FormatDeclaration {
        files,
        cases,
        name,
        has,
        program,
        step,
        steps,
        info,
        ignore,
        ignore_in_file,
        paths,
        step_paths,
    }
}

/// Whether a format fits each file that a later one fits: the first one that fits reads it.
fn is_before(first: &FormatDeclaration, later: &FormatDeclaration) -> bool {
    let reads = first.files.is_empty()
        || first.files.iter().map(|file| &file.text).eq(later.files.iter().map(|file| &file.text));
    reads
        && first.cases == later.cases
        && first.has.iter().all(|path| later.has.contains(path))
        && first.whole_objects().eq(later.whole_objects())
}

/// What is done and demanded: of the format itself, or of its table `step` if it has `steps`.
fn step(
    reader: &mut TomlReader<'_>,
    table: &DeTable<'_>,
    names: &Names<'_>,
    span: &Range<usize>,
) -> StepDeclaration {
    if !table.contains_key("steps") {
        if let Some(value) = table.get("step") {
            reader.error(value.span(), "step without steps", "steps = \"$.steps[*]\" in the format");
        }
        return step_of(reader, table, names, span, ActionsPlace::Case);
    }
    for key in ["do", "expect"] {
        if let Some(value) = table.get(key) {
            reader.error(value.span(), format!("{key} beside steps"), format!("{key} in [format.step]"));
        }
    }
    let Some(value) = reader.required(table, "step", span) else { return StepDeclaration::default() };
    let Some(inner) = value.get_ref().as_table() else {
        reader.wrong(value, "step", "a table");
        return StepDeclaration::default();
    };
    reader.only(inner, "key of a step", &["do", "expect"]);
    let step = step_of(reader, inner, names, &value.span(), ActionsPlace::Step);
    if step.unlisted == UnlistedFields::Unchanged {
        let what = "unlisted = \"unchanged\" in a step: what was given is the state before the first one";
        reader.error(value.span(), what, "a path");
    }
    step
}

fn step_of(
    reader: &mut TomlReader<'_>,
    table: &DeTable<'_>,
    names: &Names<'_>,
    span: &Range<usize>,
    place: ActionsPlace,
) -> StepDeclaration {
    let actions = table.get("do").map(|value| actions(reader, value, place)).unwrap_or_default();
    let mut unlisted = UnlistedFields::default();
    let expect =
        reader.required(table, "expect", span).map(|value| expect(reader, value, names, &mut unlisted));
    StepDeclaration { actions, expect: expect.unwrap_or_default(), unlisted }
}

fn files(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Vec<DeclaredFiles> {
    let mut patterns = Vec::new();
    if is_empty_list(value) {
        reader.error(value.span(), "files is an empty list", "at least one glob, or no files to read all");
    }
    for (text, span) in reader.texts(value, "files") {
        let text = text.strip_prefix("./").map_or_else(|| text.clone(), str::to_owned);
        if text.split('/').any(|part| part == "..") {
            let what = format!("{text:?} leads out of the folder of the declaration");
            reader.error(span, what, "a glob for files below it");
            continue;
        }
        match glob(&text, Wildcards::StopAtSlashes) {
            Ok(glob) => patterns.push(DeclaredFiles { text, glob: glob.compile_matcher() }),
            Err(error) => {
                reader.error(span, format!("{text:?} is not a glob: {}", error.reason()), "\"*_valid.json\"");
            }
        }
    }
    patterns
}

fn paths(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, what: &str) -> Vec<NodePath> {
    let Some(items) = value.get_ref().as_array() else {
        reader.wrong(value, what, "a list of paths");
        return Vec::new();
    };
    items.iter().filter_map(|item| reader.single_path(item, what)).collect()
}

fn program(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, names: &Names<'_>) -> Vec<GivenMember> {
    let mut given = Vec::new();
    for (key, value) in reader.table(value, "program") {
        let name = key.get_ref().as_ref();
        if name == ALL {
            given.extend(reader.single_path(value, name).map(GivenMember::All));
            continue;
        }
        let Some(index) = member(names.state, names.input, name) else {
            let known = names.state.iter().chain(names.input).map(|field| &*field.name);
            reader.no_such(key.span(), &format!("{name:?} is not in [state] or [input]"), name, known);
            continue;
        };
        given.extend(give(reader, value, index, names));
    }
    given
}

/// A path, or `{ value = VALUE }`.
fn give(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    index: usize,
    names: &Names<'_>,
) -> Option<GivenMember> {
    let field = names.state.iter().chain(names.input).nth(index)?;
    let Some(table) = value.get_ref().as_table() else {
        return reader.single_path(value, &field.name).map(|path| GivenMember::One(index, path));
    };
    reader.only(table, "key", &["value"]);
    let constant = reader.required(table, "value", &value.span())?;
    Some(GivenMember::Constant(index, typed_constant(reader, constant, field)?))
}

fn expect(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    names: &Names<'_>,
    unlisted: &mut UnlistedFields,
) -> Vec<DemandedField> {
    let mut demanded = Vec::new();
    if value.get_ref().as_table().is_some_and(DeTable::is_empty) {
        reader.error(value.span(), "expect demands nothing", "the place of at least one field");
    }
    let numbers: HashMap<&str, usize> = names.state.iter().map(|field| &*field.name).zip(0..).collect();
    for (key, value) in reader.table(value, "expect") {
        let name = key.get_ref().as_ref();
        if name == ALL {
            demanded.extend(demand_all(reader, value, unlisted).map(DemandedField::All));
            continue;
        }
        let Some(field) = numbers.get(name).copied() else {
            let known = names.state.iter().map(|field| &*field.name);
            reader.no_such(key.span(), &format!("{name:?} is not a field of [state]"), name, known);
            continue;
        };
        demanded.extend(demand(reader, value, field, &names.state[field]));
    }
    demanded
}

/// A path, or `{ at = PATH, unlisted = "unchanged" }`.
fn demand_all(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    unlisted: &mut UnlistedFields,
) -> Option<NodePath> {
    let Some(table) = value.get_ref().as_table() else { return reader.single_path(value, ALL) };
    reader.only(table, "key", &["at", "unlisted"]);
    match table.get("unlisted") {
        Some(said) if said.get_ref().as_str() == Some("unchanged") => *unlisted = UnlistedFields::Unchanged,
        Some(said) => reader.wrong(said, "unlisted", "\"unchanged\""),
        None => {}
    }
    let at = reader.required(table, "at", &value.span())?;
    reader.single_path(at, "at")
}

/// A path, `{ at = PATH, absent = VALUE }` or `{ value = VALUE }`.
fn demand(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    field: usize,
    declared: &DeclaredField,
) -> Option<DemandedField> {
    let name = &declared.name;
    let Some(table) = value.get_ref().as_table() else {
        let path = reader.single_path(value, name)?;
        return Some(DemandedField::At { field, path, absent: None });
    };
    reader.only(table, "key", &["at", "absent", "value"]);
    match (table.get("at"), table.get("absent"), table.get("value")) {
        (Some(at), absent, None) => {
            let path = reader.single_path(at, "at")?;
            if absent.is_some() {
                reader.forget_path();
            }
            let absent = match absent {
                Some(value) => Some(typed_constant(reader, value, declared)?),
                None => None,
            };
            Some(DemandedField::At { field, path, absent })
        }
        (None, None, Some(value)) => {
            Some(DemandedField::Constant { field, value: typed_constant(reader, value, declared)? })
        }
        _ => {
            let what = format!("{name} has none of at and value, or both");
            reader.error(
                value.span(),
                what,
                "{ at = PATH }, { at = PATH, absent = VALUE } or { value = VALUE }",
            );
            None
        }
    }
}

/// A value of the type of a field.
fn typed_constant(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    field: &DeclaredField,
) -> Option<Document> {
    let Some(document) = constant::document(value.get_ref()) else {
        reader.wrong(value, &field.name, "a value that JSON has; an integer of more than 64 bits in quotes");
        return None;
    };
    if let Err(error) = typed::read(document.root(), &field.field_type, &field.name) {
        let expected = error.expected.unwrap_or_else(|| field.field_type.notation());
        reader.error(value.span(), error.what, expected);
        return None;
    }
    Some(document)
}

/// The name of a member of a case.
fn info(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<String> {
    let name = reader.text(value, "info")?;
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('$');
    if !is_name {
        let expected = format!("the name of a member of a case, 1 to {MAX_NAME} bytes, such as \"info\"");
        reader.error(value.span(), format!("info is {name:?}"), expected);
        return None;
    }
    reader.need_path(NodePath { steps: vec![PathStep::Member(name.clone())] }, &value.span());
    Some(name)
}

fn ignored(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, key: &str) -> Vec<IgnoredPath> {
    let mut ignored = Vec::new();
    for (key, value) in reader.table(value, key) {
        let text = key.get_ref().as_ref();
        let reason = reader.text(value, "the reason");
        if reason.as_deref().is_some_and(|reason| reason.trim().is_empty()) {
            reader.error(value.span(), "the reason is empty", "why this is not compared");
        }
        match NodePath::parse(text) {
            Ok(path) => {
                let written = reader.written(path, &key.span());
                ignored.extend(reason.map(|reason| IgnoredPath { written, reason }));
            }
            Err(error) => reader.notation(&key.span(), text, error),
        }
    }
    ignored
}

/// The actions that declarations and vectors can name.
const NAMED_ACTIONS: [(&str, Action); 4] = [
    ("execute", Action::Execute),
    ("step-into", Action::StepInto),
    ("step-over", Action::StepOver),
    ("step-out", Action::StepOut),
];

pub(in crate::formats::family) fn action(name: &str) -> Option<Action> {
    NAMED_ACTIONS.into_iter().find(|named| named.0 == name).map(|named| named.1)
}

/// The name of an action; `None` if declarations cannot name it.
pub(in crate::formats::family) fn action_name(action: &Action) -> Option<&'static str> {
    NAMED_ACTIONS.iter().find(|named| named.1 == *action).map(|named| named.0)
}

/// What actions are declared for. Only the steps of a vector can have actions of their own.
#[derive(Clone, Copy)]
enum ActionsPlace {
    Case,
    Step,
}

fn is_empty_list(value: &TomlValue<'_>) -> bool {
    value.get_ref().as_array().is_some_and(|items| items.is_empty())
}

fn actions(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, place: ActionsPlace) -> StepActions {
    if let Some(text) = value.get_ref().as_str() {
        if action(text).is_none() && matches!(place, ActionsPlace::Step) {
            return reader.single_path(value, "do").map(StepActions::At).unwrap_or_default();
        }
        let expected = "a list of actions, such as [\"execute\"]; with steps, also a path to one";
        reader.error(value.span(), format!("do is {text:?}, and no list"), expected);
        return StepActions::default();
    }
    if is_empty_list(value) {
        reader.error(value.span(), "do is an empty list", "at least one action, such as [\"execute\"]");
    }
    let mut actions = Vec::new();
    for (name, span) in reader.texts(value, "do") {
        match action(&name) {
            Some(action) => actions.push(action),
            None => reader.no_such(
                span,
                &format!("there is no action {name:?}"),
                &name,
                NAMED_ACTIONS.iter().map(|named| named.0),
            ),
        }
    }
    StepActions::Fixed(actions)
}
