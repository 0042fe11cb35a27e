//! The program of `vmconf exec`, as the formats write it.

use std::path::Path;

use serde_json::Value as Json;
use vmconf::formats::minic89::documents;
use vmconf::formats::nef::{self, Nef, is_nef};
use vmconf::isa::assembler::{AsmErrors, assemble};
use vmconf::machines::tinyvm::SEGMENT_BYTES;
use vmconf::machines::{MachineInfo, ProgramLanguage};
use vmconf::model::{bytes_key, without_bom};

use crate::cli::errors::BrokenInput;
use crate::cli::input::read_at_most;
use crate::cli::program::hex_text;

/// The program of an argument: hex digits, or a file of at most `most` bytes. Fails when the file cannot be read, or is
/// not a program of the machine.
pub(super) fn read_program(machine: &MachineInfo, argument: &str, most: u64) -> anyhow::Result<Json> {
    let digits = hex_text(argument.as_bytes());
    if digits.is_ok() && argument.len() > 1 && !matches!(machine.language, ProgramLanguage::Document { .. }) {
        return program(machine, argument, argument.as_bytes());
    }
    let path = Path::new(argument.strip_prefix('@').unwrap_or(argument));
    let content = read_at_most(most, path).map_err(|error| match digits {
        Err(why) if !is_typed_as_file(argument, path) => neither(machine, argument, &why),
        _ => error,
    })?;
    program(machine, &path.display().to_string(), &content)
}

/// Whether the argument is certainly meant as a file.
fn is_typed_as_file(argument: &str, path: &Path) -> bool {
    path.exists() || argument.starts_with('@') || argument == "-" || argument.contains(['/', '\\', '.'])
}

/// The error for an argument that is neither the name of a file nor a program.
fn neither(machine: &MachineInfo, argument: &str, why: &str) -> anyhow::Error {
    if matches!(machine.language, ProgramLanguage::Document { .. }) {
        let name = machine.name;
        return anyhow::anyhow!("{argument}: no such file; a program of {name} is a JSON document in a file");
    }
    let form =
        "an even number of hex digits, with or without 0x; a source is a file, or - for standard input";
    anyhow::anyhow!("{argument}: no such file, and not bytes: {why}; bytes are {form}")
}

fn program(machine: &MachineInfo, name: &str, content: &[u8]) -> anyhow::Result<Json> {
    let broken = |what: String| anyhow::Error::from(BrokenInput(format!("{name}{what}")));
    let not_text = |error: std::str::Utf8Error| {
        broken(format!(": neither a program nor UTF-8, at byte {}", error.valid_up_to()))
    };
    let source = || str::from_utf8(content).map(without_bom).map_err(not_text);
    Ok(match machine.language {
        ProgramLanguage::Document { .. } => {
            let source = source()?;
            documents::metadata(name, source.to_owned()).map_err(BrokenInput::of_lines)?;
            serde_json::from_str(source).map_err(|error| broken(format!(": {error}")))?
        }
        ProgramLanguage::Bytes if is_nef(content) && machine.name == nef::MACHINE => {
            let nef = Nef::read(content).map_err(|error| broken(format!(": {error}")))?;
            bytes_key(&nef.script).into()
        }
        ProgramLanguage::Bytes if is_nef(content) => {
            return Err(broken(format!(" is a NEF3 file, which is a program of {}", nef::MACHINE)));
        }
        ProgramLanguage::Bytes => {
            let bytes = hex_text(content).map_or_else(
                |_| assemble(machine.isa, source()?).map_err(|errors| wrong_lines(name, &errors)),
                Ok,
            )?;
            bytes_key(&bytes).into()
        }
        ProgramLanguage::Own { assemble, .. } => {
            let words = match hex_text(content) {
                _ if content.len() == SEGMENT_BYTES => content.to_vec(),
                Ok(words) => words,
                Err(_) => {
                    let assembled = assemble(source()?).map_err(|errors| wrong_lines(name, &errors))?;
                    assembled.words.into_iter().flat_map(u16::to_be_bytes).collect()
                }
            };
            hex_words(&words).into()
        }
    })
}

/// The errors of a source, each in a line with its name.
fn wrong_lines(name: &str, errors: &AsmErrors) -> anyhow::Error {
    BrokenInput::of_lines(errors.all().iter().map(|error| format!("{name}:{error}")).collect()).into()
}

/// Words of four digits each, without the zeros at the end.
fn hex_words(bytes: &[u8]) -> String {
    let last = bytes.chunks(2).rposition(|word| word != [0, 0]).map_or(0, |last| last + 1);
    bytes.chunks(2).take(last).map(hex::encode_upper).collect::<Vec<_>>().join(" ")
}
