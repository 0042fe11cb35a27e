//! Machines that are described by data and that only other processes execute.

use super::account::CaseAccount;
use super::info::{self, Engine, Executes, MachineInfo, ProgramLanguage, RunEnds};
use super::inspect::{Effects, Inspect};
use super::machine::{At, Machine};
use super::observe::{StateField, StateFields};
use super::status::{LoadError, Status};
use crate::isa::{Isa, Unit};
use crate::model::Program;

/// The instructions of a machine of which none is known.
static NO_INSTRUCTIONS: Isa = Isa::new("", Unit::Bytes, &[]);

/// A machine of which nothing is known. A family replaces the members that its declaration says.
pub const UNKNOWN_MACHINE: MachineInfo = MachineInfo {
    name: "",
    doc: "",
    isa: &NO_INSTRUCTIONS,
    engine: Engine::Elsewhere,
    language: ProgramLanguage::Bytes,
    contains: |_| Vec::new(),
    executes: Executes::Others,
    lint: info::nothing_odd,
    word_bits: 0,
    parts: None,
    sample: "{}",
    program: &[],
    changes: &[],
    ends: RunEnds { fields: &[], only_after_some: &[], normal: None },
    trap: None,
    fields: &[],
    optional: &[],
    shown_at_end: &[],
    shown_by_instructions: &[],
    upcoming: None,
    hashed: None,
    assemble: info::as_it_is,
    new: |limits| Box::new(NoMachine { account: CaseAccount::new(limits) }),
    broken_rules: &[],
};

/// The reason why a program of such a machine does not run here.
pub const NOT_HERE: &str = "vmconf does not embed this machine; --vm names one in another process";

/// Takes the place of a machine that is not here: it loads no program.
struct NoMachine {
    account: CaseAccount,
}

impl StateFields for NoMachine {
    const FIELDS: &'static [StateField<NoMachine>] = &[];
}

impl Inspect for NoMachine {
    fn instruction(&self) -> String {
        String::new()
    }

    fn depth(&self) -> usize {
        0
    }

    fn declared(&self, _: &dyn Fn(usize) -> bool) -> Effects {
        Effects::default()
    }
}

impl Machine for NoMachine {
    fn load(&mut self, _: &Program) -> Result<(), LoadError> {
        Err(LoadError::new(NOT_HERE))
    }

    fn advance(&mut self, _: u64) -> Status {
        Status::Ended
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.account
    }

    fn next(&self) -> Option<At<'_>> {
        None
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn describe(&self) -> String {
        NOT_HERE.to_owned()
    }
}
