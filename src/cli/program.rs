//! Arguments that `asm`, `disasm`, `exec` and `isa` share: the name of a machine, the file of a program.

use clap::builder::TypedValueParser;
use vmconf::formats::family::BUILT_IN;
use vmconf::machines::{MACHINES, MachineInfo, ProgramLanguage};
use vmconf::model::{Case, Diagnostic, Severity, counted, hex_bytes, without_bom};
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, LoadOptions};

use super::errors::BrokenInput;
use super::offered_names::OfferedNames;

/// The name of a machine that vmconf embeds. Any text is taken: what else it may name, only the settings know; see
/// [`families::embedded`](super::families::embedded).
pub(super) fn machine_argument() -> impl TypedValueParser<Value = String> {
    OfferedNames(|| MACHINES.iter().map(|machine| machine.name).collect())
}

/// The name of an embedded machine whose programs are text or words.
pub(super) fn assembled_machine() -> impl TypedValueParser<Value = String> {
    OfferedNames(|| {
        let has_text = |machine: &&MachineInfo| !matches!(machine.language, ProgramLanguage::Document { .. });
        MACHINES.iter().filter(has_text).map(|machine| machine.name).collect()
    })
}

/// The name of a machine, embedded or of a family.
pub(super) fn machine_or_family() -> impl TypedValueParser<Value = String> {
    let names = || {
        let families = BUILT_IN.iter().map(|family| family.name);
        MACHINES.iter().map(|machine| machine.name).chain(families).collect()
    };
    OfferedNames(names)
}

/// The error for a machine whose programs are not text.
pub(super) fn is_document(machine: &str, schema: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "programs of {machine} are JSON documents, not text; vmconf schema {schema} describes them"
    )
}

/// Decodes hex digits, ignoring white space. The error says why the text is something else: the first character that
/// is not a hex digit, with its offset in bytes, or the number of digits.
pub(super) fn hex_text(text: &[u8]) -> Result<Vec<u8>, String> {
    let text =
        str::from_utf8(text).map_err(|error| format!("no text from offset {}", error.valid_up_to()))?;
    let start = text.len() - without_bom(text).trim_start().len();
    let start = if text[start..].starts_with("0x") { start + 2 } else { start };
    let is_wrong = |it: char| !it.is_ascii_hexdigit() && !it.is_whitespace();
    if let Some((at, wrong)) = text[start..].char_indices().find(|(_, it)| is_wrong(*it)) {
        return Err(format!("invalid hex digit {wrong:?} at offset {}", start + at));
    }
    let digits: String = text[start..].split_whitespace().collect();
    hex_bytes(&digits)
        .ok_or_else(|| format!("{} is not a whole number of bytes", counted(digits.len(), "hex digit")))
}

/// The only case of the text of a vector. The error says why the format refuses it. Places are left out, since the
/// user does not see the text.
pub(super) fn case_of(text: String, options: &LoadOptions) -> Result<Case, String> {
    let source = source();
    let loaded = run::open_text(&source, text, options);
    let wrong = errors(loaded.errors());
    let case = loaded.case(0).filter(|_| wrong.is_empty()).ok_or(wrong)?;
    let reading = case.read()?;
    reading.case.ok_or_else(|| errors(&reading.diagnostics))
}

/// The source that stands for a text that is in no file.
pub(super) fn source() -> VectorSource {
    VectorSource::new("program".into(), "program".into(), SourceOrigin::Stream)
}

/// The error for a program that cannot be run.
pub(super) fn broken(what: &str) -> anyhow::Error {
    BrokenInput(format!("the program: {what}")).into()
}

fn errors<P>(diagnostics: &[Diagnostic<P>]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
