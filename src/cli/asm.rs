//! `vmconf asm`

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use vmconf::asm::assemble;
use vmconf::event::Exit;
use vmconf::machines::MachineInfo;

use super::output;
use super::program::{Broken, machine_argument, read};

/// Assemble mnemonics to hex
///
/// Example: printf 'PUSH1 0x2a\nSTOP\n' | vmconf asm evm -
#[derive(Debug, Args)]
pub(super) struct Asm {
    /// The machine
    #[arg(value_parser = machine_argument)]
    machine: &'static MachineInfo,

    /// The source, one instruction a line; - for standard input
    file: PathBuf,
}

impl Asm {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let name = self.file.display();
        let source = String::from_utf8(read(&self.file)?).with_context(|| name.to_string())?;
        let program =
            assemble(self.machine.isa, &source).map_err(|error| Broken(format!("{name}:{error}")))?;
        let mut out = output::stdout();
        writeln!(out, "0x{}", hex::encode(program))?;
        out.flush()?;
        Ok(Exit::Passed)
    }
}
