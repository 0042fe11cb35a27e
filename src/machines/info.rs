//! The description of a machine, available without creating one.

use std::fmt;

use super::machine::Machine;
use super::program_parts::ProgramParts;
use super::status::LoadError;
use crate::isa::assembler::{AsmErrors, Assembled};
use crate::isa::disassembler::disassemble;
use crate::isa::{Isa, OpInfo};
use crate::model::limits::Limits;
use crate::model::{MemberShape, Program, Value};

/// The description of a machine, available without creating one.
pub struct MachineInfo {
    /// Its name, as in vectors and on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Its instructions.
    pub isa: &'static Isa,
    /// What executes its instructions.
    pub engine: Engine,
    /// How its programs are written.
    pub language: ProgramLanguage,
    /// The instructions that a program contains, with repeats, executed or not; empty for a malformed
    /// program.
    pub contains: fn(&Program) -> Vec<&'static OpInfo>,
    /// Which instructions it can execute.
    pub executes: Executes,
    /// Suspicious parts of a program that can be loaded nevertheless, each with its datum.
    pub lint: fn(&Program) -> Vec<LoadError>,
    /// How many bits its numbers have, including the sign; of one whose numbers have different sizes, the largest.
    pub word_bits: u32,
    /// What programs are made of; `None` for a machine for which none are made.
    pub parts: Option<&'static ProgramParts>,
    /// A small program that ends normally, as its vectors write one, in JSON.
    pub sample: &'static str,
    /// The members of a program, as sent to a machine in another process.
    pub program: &'static [MemberShape],
    /// What [`Action::Set`](crate::model::case::Action::Set) can change.
    pub changes: &'static [MemberShape],
    /// How a state shows the end of a run.
    pub ends: RunEnds,
    /// The field with the code of a trap; `None` for a machine without such codes.
    pub trap: Option<&'static str>,
    /// What can be observed.
    pub fields: &'static [MemberShape],
    /// The fields that a machine in another process need not report: assertions on them are then left out.
    pub optional: &'static [&'static str],
    /// The fields that may be observed only when a run has ended, although instructions before the last one make them.
    pub shown_at_end: &'static [&'static str],
    /// The fields that the instructions of a trace show, wholly or in part
    /// ([`TracedInstruction`](crate::wire::protocol::TracedInstruction)): the program counter, the gas, the operand stack.
    pub shown_by_instructions: &'static [&'static str],
    /// The members of its state that only say which instruction is next; `None` for a machine without them.
    pub upcoming: Option<UpcomingMembers>,
    /// The fields that are hashes of other fields; `None` for a machine whose vectors demand no hashes.
    pub hashed: Option<Hashed>,
    /// The program with bytes in place of mnemonics and sources; the error is about a datum of the program.
    pub assemble: fn(&Program) -> Result<Program, LoadError>,
    /// Creates a machine.
    pub new: fn(&Limits) -> Box<dyn Machine>,
    /// The ways to break its rules besides those of instructions, for planted faults.
    pub broken_rules: &'static [BrokenRule],
}

/// Shows only the name, since the shapes of its data refer to themselves recursively.
impl fmt::Debug for MachineInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MachineInfo").field(&self.name).finish()
    }
}

/// How a state shows the end of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunEnds {
    /// The fields that say how a run ended, not what it computed.
    pub fields: &'static [&'static str],
    /// The fields that a state has only after some ends, such as `halt`: a run that lacks one that a vector demands
    /// ended in another way.
    pub only_after_some: &'static [&'static str],
    /// A field that says that a run ended normally, not always one of `fields`, and its value then. `None` if that is not
    /// known.
    pub normal: Option<(&'static str, &'static str)>,
}

/// A way to break a rule that is not one of an instruction's row.
#[derive(Debug)]
pub struct BrokenRule {
    /// The rule: `nonce too low`.
    pub rule: &'static str,
    /// What is wrong with it: `accepted`.
    pub wrong: &'static str,
    /// The code of the only instruction that it is about.
    pub code: Option<u16>,
    /// Creates a machine that breaks it.
    pub plant: fn(&Limits) -> Box<dyn Machine>,
}

/// The members of a state that only say which instruction is next, wherever in it they are.
#[derive(Debug, Clone, Copy)]
pub struct UpcomingMembers {
    /// Its mnemonic.
    pub name: &'static str,
    /// Its code.
    pub code: &'static str,
}

/// The fields that are hashes of other fields.
#[derive(Debug, Clone, Copy)]
pub struct Hashed {
    /// The root of the state.
    pub root: &'static str,
    /// Computes the root of a state; `None` for a value that is not one.
    pub root_of: fn(&Value) -> Option<Value>,
    /// The state: a record of accounts.
    pub state: &'static str,
    /// The member of a program with the initial state.
    pub before: &'static str,
    /// The hash of the log entries.
    pub logs: &'static str,
    /// The log entries.
    pub entries: &'static str,
}

/// What executes the instructions of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// vmconf itself: a handler for each row of the instruction set.
    Own,
    /// A library with this name: the rows only describe its instructions.
    Library(&'static str),
    /// Nothing here: it is described by data, and only other processes execute it. It has no rows.
    Elsewhere,
}

/// Which instructions a machine can execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executes {
    /// Only those that [`MachineInfo::contains`] lists.
    Contained,
    /// Others as well: inside the operand of another one, written by the program, or implied at the end of a
    /// script.
    Others,
}

/// The text form of a machine's programs.
#[derive(Debug, Clone, Copy)]
pub enum ProgramLanguage {
    /// The common language of [`crate::isa::assembler`] and [`crate::isa::disassembler`] for all instruction
    /// sets of bytes.
    Bytes,
    /// A language of its own, for a memory of words.
    Own {
        /// Source to words; the error is the first invalid line.
        assemble: fn(&str) -> Result<Assembled, AsmErrors>,
        /// A word to the text that assembles to it.
        disassemble: fn(u16) -> String,
    },
    /// None: a program is a JSON document.
    Document {
        /// Its schema in `schemas/`.
        schema: &'static str,
    },
}

/// For a machine that finds nothing suspicious.
pub(super) fn nothing_odd(_: &Program) -> Vec<LoadError> {
    Vec::new()
}

/// For a machine whose programs have no mnemonics.
#[allow(clippy::unnecessary_wraps, reason = "one type for all machines")]
pub(super) fn as_it_is(program: &Program) -> Result<Program, LoadError> {
    Ok(program.clone())
}

/// The instructions of a program of bytes.
pub(super) fn in_bytes(isa: &Isa, program: &[u8]) -> Vec<&'static OpInfo> {
    disassemble(isa, program).filter_map(|line| line.op.or(line.cut_off)).collect()
}
