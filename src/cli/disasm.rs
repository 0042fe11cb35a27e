//! `vmconf disasm`

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::Args;
use vmconf::disasm::disassemble;
use vmconf::event::Exit;
use vmconf::machines::MachineInfo;
use vmconf::value::hex_bytes;

use super::output;
use super::program::{machine_argument, read};

/// Disassemble hex to mnemonics with their offsets
///
/// Example: vmconf disasm evm 0x602a00
#[derive(Debug, Args)]
pub(super) struct Disasm {
    /// The machine
    #[arg(value_parser = machine_argument)]
    machine: &'static MachineInfo,

    /// The program: 0x and hex digits, a file of hex digits, or - for standard input
    program: String,

    /// Print what the assembler reads, without offsets
    #[arg(long)]
    source: bool,
}

impl Disasm {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let program = self.bytes()?;
        let mut out = output::stdout();
        for line in disassemble(self.machine.isa, &program) {
            if !self.source {
                write!(out, "{:04x}  ", line.offset)?;
            }
            writeln!(out, "{}", line.source())?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }

    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let text = if self.program.starts_with("0x") {
            self.program.clone()
        } else {
            let bytes = read(Path::new(&self.program))?;
            String::from_utf8(bytes)?.split_whitespace().collect()
        };
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        hex_bytes(digits).context("the program is not an even number of hex digits")
    }
}
