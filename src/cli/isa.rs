//! `vmconf isa`

use std::io::Write;

use clap::Args;
use vmconf::isa::{ImmediateOperand, OpInfo, Unit, WordField};
use vmconf::model::Exit;

use super::program::machine_argument;
use super::settings::{ConfigArgs, Settings};
use super::{families, output};

/// Print the opcode table of a machine
///
/// Example: vmconf isa evm
#[derive(Debug, Args)]
pub(super) struct IsaArgs {
    /// The machine
    #[arg(value_parser = machine_argument())]
    machine: String,

    #[command(flatten)]
    config: ConfigArgs,
}

impl IsaArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let machine = families::embedded(&self.machine, settings)?;
        let mut out = output::stdout();
        let ops = machine.isa.ops;
        let has_gas = machine.isa.has_gas();
        let gas = |text: &str| if has_gas { format!("{text:<6} ") } else { String::new() };
        writeln!(out, "# {}: {}", machine.name, machine.doc)?;
        let unit = machine.isa.unit;
        writeln!(out, "{}mnemonic      operand   {}pops  pushes  meaning", column("code", unit), gas("gas"))?;
        for op in ops {
            let operands = op.operands.iter().map(|operand| named(*operand));
            let fields = op.fields.iter().map(|field| named_field(*field));
            let arguments = op.arguments.iter().map(ToString::to_string);
            let operands: Vec<_> = operands.chain(fields).chain(arguments).collect();
            writeln!(
                out,
                "{}{:<13} {:<9} {}{:<5} {:<7} {}{}",
                column(&code(op, unit), unit),
                op.name,
                operands.join(" "),
                gas(&op.gas.to_string()),
                op.pops,
                op.pushes,
                op.meaning(),
                op.alias.map_or(String::new(), |alias| format!("; also {alias}"))
            )?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// A short form of an operand: `i8` is a signed number, `to8` an offset, `u8+data` a length followed by data.
fn named(operand: ImmediateOperand) -> String {
    let bits = operand.fixed_len() * 8;
    match operand {
        ImmediateOperand::Data(1) | ImmediateOperand::Word(1) => "1 byte".to_owned(),
        ImmediateOperand::Data(size) | ImmediateOperand::Word(size) => format!("{size} bytes"),
        ImmediateOperand::Unsigned(_) => format!("u{bits}"),
        ImmediateOperand::Signed(_) => format!("i{bits}"),
        ImmediateOperand::Offset(_) | ImmediateOperand::LaterOffset(_) => format!("to{bits}"),
        ImmediateOperand::Prefixed(_) => format!("u{bits}+data"),
    }
}

/// The column of codes; empty for a machine whose programs are objects, where codes have no meaning.
fn column(text: &str, unit: Unit) -> String {
    match unit {
        Unit::Bytes | Unit::Words => format!("{text:<6}"),
        Unit::Objects => String::new(),
    }
}

/// The code in hex; `_` for the digits of a word that are fields.
fn code(op: &OpInfo, unit: Unit) -> String {
    match (unit, op.mask) {
        (Unit::Bytes | Unit::Objects, _) => format!("0x{:02x}", op.code),
        (Unit::Words, 0xffff) => format!("{:04x}", op.code),
        (Unit::Words, 0xff00) => format!("{:02x}__", op.code >> 8),
        (Unit::Words, _) => format!("{:x}___", op.code >> 12),
    }
}

/// A short form of a field: `r` and the index of the hex digit that names a register.
fn named_field(field: WordField) -> String {
    match field {
        WordField::Register(shift) => format!("r{}", 4 - shift / 4),
        WordField::Signed => "i8".to_owned(),
        WordField::High => "hi8".to_owned(),
        WordField::Skip(bits) => format!("to{bits}"),
    }
}
