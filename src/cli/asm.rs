//! `vmconf asm`

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use vmconf::isa::assembler::{AsmErrors, Assembled, MAX_ERRORS, assemble};
use vmconf::machines::ProgramLanguage;
use vmconf::model::{Exit, counted};

use super::errors::BrokenInput;
use super::input::read;
use super::new_file::ForceArgs;
use super::program::{assembled_machine, is_document};
use super::settings::{ConfigArgs, Settings};
use super::{families, output};

/// Assemble mnemonics to hex
///
/// A machine whose memory is words has a language of its own and prints the words that are written,
/// after their address.
///
/// Example: printf 'PUSH1 0x2a\nSTOP\n' | vmconf asm evm -
#[derive(Debug, Args)]
pub(super) struct Asm {
    /// The machine
    #[arg(value_parser = assembled_machine())]
    machine: String,

    /// The source, one instruction a line; - for standard input
    file: PathBuf,

    /// Write the program to a file, as bytes, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Write the source line of each word that is written to a JSON file, by address
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

impl Asm {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let machine = families::embedded(&self.machine, settings)?;
        let source = String::from_utf8(read(&self.file)?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            BrokenInput(format!("{}: a source that is not UTF-8, at byte {at}", self.name()))
        })?;
        match machine.language {
            ProgramLanguage::Bytes if self.map.is_some() => {
                bail!("--map is for machines whose memory is words")
            }
            ProgramLanguage::Bytes => {
                let program = assemble(machine.isa, &source).map_err(|errors| self.broken(&errors))?;
                self.put(&program, |out| writeln!(out, "0x{}", hex::encode(&program)))?;
            }
            ProgramLanguage::Own { assemble, .. } => {
                let program = assemble(&source).map_err(|errors| self.broken(&errors))?;
                self.segment(&program)?;
            }
            ProgramLanguage::Document { schema } => return Err(is_document(machine.name, schema)),
        }
        Ok(Exit::Passed)
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    fn broken(&self, errors: &AsmErrors) -> BrokenInput {
        let name = self.name();
        let mut lines: Vec<_> = errors.all().iter().map(|error| format!("{name}:{error}")).collect();
        if lines.len() == MAX_ERRORS {
            let errors = counted(MAX_ERRORS, "error");
            lines.push(format!("{name}: {errors}; the rest of the source is not read"));
        }
        BrokenInput::of_lines(lines)
    }

    fn segment(&self, program: &Assembled) -> anyhow::Result<()> {
        for warning in &program.warnings {
            note!("{}:{warning}", self.name());
        }
        if let Some(path) = &self.map {
            self.force.write(path, &map(program)?)?;
        }
        let bytes: Vec<u8> = program.words.iter().copied().flat_map(u16::to_be_bytes).collect();
        self.put(&bytes, |out| print_words(out, program))
    }

    /// Writes the program to the file of `--write`, or prints it.
    fn put(&self, bytes: &[u8], print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        if let Some(path) = &self.write {
            return self.force.write(path, bytes);
        }
        Ok(output::print(print)?)
    }
}

/// The lines as a JSON object: `{"0000": 1}`.
fn map(program: &Assembled) -> anyhow::Result<Vec<u8>> {
    let lines: BTreeMap<String, usize> =
        program.lines.iter().map(|(address, line)| (format!("{address:04X}"), *line)).collect();
    let mut json = serde_json::to_vec_pretty(&lines)?;
    json.push(b'\n');
    Ok(json)
}

/// Prints the words that the source writes, a few per line, with the address before consecutive ones.
fn print_words(out: &mut dyn Write, program: &Assembled) -> io::Result<()> {
    const WORDS_A_LINE: u16 = 8;
    let mut start = None;
    let mut next = None;
    for address in program.lines.keys() {
        if next != Some(*address) || start.is_some_and(|start| address - start == WORDS_A_LINE) {
            if start.is_some() {
                writeln!(out)?;
            }
            write!(out, "{address:04X}:")?;
            start = Some(*address);
        }
        write!(out, " {:04X}", program.words[usize::from(*address)])?;
        next = address.checked_add(1);
    }
    if start.is_some() { writeln!(out) } else { Ok(()) }
}
