//! `vmconf isa`

use std::io::Write;

use clap::Args;
use vmconf::event::Exit;
use vmconf::isa::Operand;
use vmconf::machines::MachineInfo;

use super::output;
use super::program::machine_argument;

/// Print the opcode table of a machine
///
/// Example: vmconf isa evm
#[derive(Debug, Args)]
pub(super) struct Isa {
    /// The machine
    #[arg(value_parser = machine_argument)]
    machine: &'static MachineInfo,
}

impl Isa {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        writeln!(out, "# {}: {}", self.machine.name, self.machine.doc)?;
        writeln!(out, "code  mnemonic      operand   gas    pops  pushes  meaning")?;
        for op in self.machine.isa.ops {
            let operand = match op.operand {
                Operand::None => String::new(),
                Operand::Data(1) => "1 byte".to_owned(),
                Operand::Data(length) => format!("{length} bytes"),
            };
            writeln!(
                out,
                "0x{:02x}  {:<13} {operand:<9} {:<6} {:<5} {:<7} {}",
                op.code, op.name, op.gas, op.pops, op.pushes, op.doc
            )?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}
