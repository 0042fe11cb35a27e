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
            match self.source {
                true => writeln!(out, "{}", line.source())?,
                false => writeln!(out, "{:04x}  {}", line.offset, line.source())?,
            }
        }
        out.flush()?;
        Ok(Exit::Passed)
    }

    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let digits = match self.program.strip_prefix("0x") {
            Some(digits) => digits.to_owned(),
            None => {
                let text = String::from_utf8(read(Path::new(&self.program))?).context("not hex digits")?;
                let digits: String = text.split_whitespace().collect();
                digits.strip_prefix("0x").map_or(digits.clone(), str::to_owned)
            }
        };
        hex_bytes(&digits).context("the program is not an even number of hex digits")
    }
}
