//! A declaration of a family: what its TOML says, checked, with every fault located.

use std::collections::HashSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::field_type::MAX_FIELDS;
use crate::model::{DeclaredField, Diagnostic, NameIndex};
use crate::text::source_text::SourceText;

mod fields;
mod formats;
mod parts;
mod toml_reader;

pub(super) use self::fields::is_field_name;
pub(super) use self::formats::{action, action_name};
use self::parts::MAX_NAME;
pub(super) use self::parts::{
    DemandedField, FormatDeclaration, GivenMember, IgnoredPath, StepActions, StepDeclaration, UnlistedFields,
    WrittenPath,
};
use self::toml_reader::TomlReader;

/// The largest declaration, in bytes.
pub const MAX_DECLARATION: u64 = 1 << 20;

/// The most values that all members of a program have together at least, with those in lists of a fixed length, tuples and
/// tables.
const MAX_VALUES: usize = 1 << 22;

/// A family, as its declaration says.
#[derive(Debug)]
pub struct Declaration {
    /// The name of the machine.
    pub machine: String,
    /// The byte where that is written.
    pub machine_at: u32,
    /// What the machine is, in one line.
    pub title: String,
    /// The fields of the state that a machine may not report.
    pub optional: Vec<String>,
    /// The fields of the state, in the order of reports.
    pub state: Vec<DeclaredField>,
    /// What a machine is given and does not report.
    pub input: Vec<DeclaredField>,
    /// Where each name is among those of the state, then those of the input.
    names: NameIndex,
    /// How files are read.
    pub(super) formats: Vec<FormatDeclaration>,
}

impl Declaration {
    /// Parses a declaration. An error has all faults, in the order of the text.
    pub fn parse(text: &str) -> Result<Declaration, Vec<Diagnostic>> {
        let text = &SourceText::new(text);
        let root = DeTable::parse(text.as_str()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start as u32);
            vec![text.locate(Diagnostic::at(at, error.message().replace('\n', ", ")))]
        })?;
        let mut reader = TomlReader::new(text);
        let declaration = read(&mut reader, root.get_ref(), root.span());
        let diagnostics = reader.finish();
        match declaration {
            Some(declaration) if diagnostics.is_empty() => Ok(declaration),
            _ => Err(diagnostics),
        }
    }

    /// The index of a member that a machine may be given: fields of the state first, then the input.
    pub(super) fn member(&self, name: &str) -> Option<usize> {
        self.names.find(name, |index| &self.member_at(index).name)
    }

    pub(super) fn member_at(&self, index: usize) -> &DeclaredField {
        let after = index.checked_sub(self.state.len());
        after.map_or_else(|| &self.state[index], |after| &self.input[after])
    }

    /// The members that a machine may be given.
    pub fn members(&self) -> impl Iterator<Item = &DeclaredField> {
        self.state.iter().chain(&self.input)
    }
}

const KEYS: [&str; 6] = ["machine", "title", "optional", "state", "input", "format"];

fn read(reader: &mut TomlReader<'_>, root: &DeTable<'_>, span: Range<usize>) -> Option<Declaration> {
    reader.only(root, "key", &KEYS);
    let machine = reader.required(root, "machine", &span).and_then(|value| machine_name(reader, value));
    let title = root.get("title").and_then(|value| reader.text(value, "title"));
    let state = root.get("state").map(|value| fields::read(reader, value, "state"));
    let input = root.get("input").map(|value| fields::read(reader, value, "input"));
    if root.get("state").is_none() {
        reader.error(
            span.start..span.start,
            "there is no [state]",
            "a table [state] with the fields of the machine",
        );
    }
    let (state, input) = (state.unwrap_or_default(), input.unwrap_or_default());
    distinct(reader, root, &state, &input);
    check_size(reader, &span, &state, &input);
    let optional = optional(reader, root, &state);
    let formats = formats::read(reader, root, &span, &state, &input);
    let machine = machine?;
    let machine_at = root.get("machine").map_or(0, |value| value.span().start as u32);
    let title = title.unwrap_or_else(|| machine.clone());
    let names: Vec<&str> = state.iter().chain(&input).map(|member| &*member.name).collect();
    let names = NameIndex::new(names.into_iter());
    Some(Declaration { machine, machine_at, title, optional, state, input, names, formats })
}

/// Reports more members than a machine can offer, and more values than fit the memory as placeholders.
fn check_size(
    reader: &mut TomlReader<'_>,
    span: &Range<usize>,
    state: &[DeclaredField],
    input: &[DeclaredField],
) {
    for (table, members) in [("state", state), ("input", input)] {
        if members.len() > MAX_FIELDS {
            let what = format!("[{table}] has {} members", members.len());
            reader.error(span.clone(), what, format!("at most {MAX_FIELDS}, or members in tables and lists"));
        }
    }
    let members = state.iter().chain(input);
    let values = members.map(|member| member.field_type.least_values()).fold(0_usize, usize::saturating_add);
    if values > MAX_VALUES {
        let what =
            format!("the members have {values} values together, with those in lists of a fixed length");
        reader.error(
            span.clone(),
            what,
            format!("at most {MAX_VALUES}, or lists of any length and memories"),
        );
    }
}

/// Reports members of the input that are fields of the state, too.
fn distinct(
    reader: &mut TomlReader<'_>,
    root: &DeTable<'_>,
    state: &[DeclaredField],
    input: &[DeclaredField],
) {
    let fields: HashSet<&str> = state.iter().map(|field| &*field.name).collect();
    let both = input.iter().filter(|member| fields.contains(&*member.name));
    for member in both {
        let table = root.get("input").and_then(|value| value.get_ref().as_table());
        let key = table.and_then(|table| table.keys().find(|key| *member.name == *key.get_ref().as_ref()));
        let what = format!("{} is declared twice: in [state] and in [input]", member.name);
        let span = key.map_or(0..0, Spanned::span);
        reader.error(span, what, "[state] only: a machine may be given each field of its state");
    }
}

/// Whether a text can be the name of a machine of a family.
pub fn is_machine_name(name: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_.".contains(it);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain)
}

fn machine_name(reader: &mut TomlReader<'_>, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let name = reader.text(value, "machine")?;
    if is_machine_name(&name) {
        return Some(name);
    }
    let what = format!("{name:?} is not the name of a machine");
    reader.error(value.span(), what, format!("1 to {MAX_NAME} small letters, digits, -, _ and ."));
    None
}

fn optional(reader: &mut TomlReader<'_>, root: &DeTable<'_>, state: &[DeclaredField]) -> Vec<String> {
    let Some(value) = root.get("optional") else { return Vec::new() };
    let names = reader.texts(value, "optional");
    let fields: HashSet<&str> = state.iter().map(|field| &*field.name).collect();
    let mut known = Vec::new();
    for (name, span) in names {
        if known.contains(&name) {
            reader.error(span, format!("{name:?} is listed twice"), "each field once");
        } else if fields.contains(&*name) {
            known.push(name);
        } else {
            let fields = state.iter().map(|field| &*field.name);
            reader.no_such(span, &format!("{name:?} is not a field of [state]"), &name, fields);
        }
    }
    known
}
