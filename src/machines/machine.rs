//! What every machine can do: load a program, run, be looked at; and the debugger's actions,
//! written once for all of them.

use std::ops::ControlFlow;

use super::account::{Account, Limit, LimitReached};
use super::inspect::Inspect;
use super::tiers::Tiers;
use crate::isa::{Isa, OpInfo, OpSet};
use crate::model::case::{Action, Program};
use crate::model::path::Path;
use crate::model::value::Value;

/// A virtual machine.
pub trait Machine: Inspect {
    /// Makes this a fresh machine that holds `program`. A machine can load any number of
    /// programs one after the other.
    ///
    /// # Errors
    ///
    /// When the program is not one for this machine.
    fn load(&mut self, program: &Program) -> Result<(), LoadError>;

    /// Executes up to `budget` instructions, which the account allows, at full speed, and counts them in the
    /// account. With a budget of 0 it only reports the status; a machine that has ended stays as it is.
    fn advance(&mut self, budget: u64) -> Status;

    /// Chooses how programs are executed that are loaded from now on. A machine with one way has nothing to choose.
    fn choose(&mut self, _tiers: Tiers) {}

    /// Like [`Machine::advance`], but ends in front of each instruction of `ops`, and perhaps in front of some
    /// others. A machine whose loop has an instance for this executes the instructions before it at full speed.
    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> Advanced {
        self.step_to(budget, ops)
    }

    /// [`Machine::advance_to`], one instruction at a time.
    fn step_to(&mut self, budget: u64, ops: &OpSet) -> Advanced {
        for executed in 0..budget {
            if self.next().is_some_and(|at| at.op.is_some_and(|op| ops.contains(op))) {
                return Advanced { status: Status::Running, executed };
            }
            let status = self.advance(1);
            if status != Status::Running {
                return Advanced { status, executed: executed + 1 };
            }
        }
        Advanced { status: self.advance(0), executed: budget }
    }

    /// What the case has used since [`Machine::load`].
    fn account(&mut self) -> &mut Account;

    /// Executes up to `count` instructions, each after `watch` has seen it. Without a watch they are executed
    /// at full speed, so that no instruction pays for the possibility.
    fn run(&mut self, mut count: u64, mut watch: Option<&mut dyn Watch>) -> Status {
        if let Some(watch) = &mut watch
            && let Some(ops) = watch.only()
        {
            return self.run_to_each(count, &ops, *watch);
        }
        while count > 0 {
            let wanted = if watch.is_some() { 1 } else { count };
            let allowed = match self.account().allow(wanted) {
                Ok(allowed) => allowed,
                Err(limit) => return self.ended_or(limit),
            };
            if let Some(watch) = &mut watch
                && let Some(at) = self.next()
            {
                watch.before(&at);
            }
            if watch.as_ref().is_some_and(|watch| watch.is_done()) {
                return Status::Ended;
            }
            let status = self.advance(allowed);
            if status != Status::Running {
                return status;
            }
            count -= allowed;
        }
        self.advance(0)
    }

    /// Executes up to `count` instructions; `watch` sees those of `ops`.
    fn run_to_each(&mut self, mut count: u64, ops: &OpSet, watch: &mut dyn Watch) -> Status {
        while count > 0 {
            let allowed = match self.account().allow(count) {
                Ok(allowed) => allowed,
                Err(limit) => return self.ended_or(limit),
            };
            let Advanced { status, executed } = self.advance_to(allowed, ops);
            count -= executed;
            if status != Status::Running {
                return status;
            }
            if executed == allowed {
                continue;
            }
            if let Some(at) = self.next()
                && at.op.is_some_and(|op| ops.contains(op))
            {
                watch.before(&at);
            }
            if watch.is_done() {
                return Status::Ended;
            }
            if watch.is_satisfied() {
                return self.run(count, None);
            }
            let status = self.advance(1);
            if status != Status::Running {
                return status;
            }
            count -= 1;
        }
        self.advance(0)
    }

    /// The status of a machine that may execute no more instructions: a limit is not reached by one that has
    /// ended.
    fn ended_or(&mut self, limit: Limit) -> Status {
        match self.advance(0) {
            Status::Running => self.account().status(limit),
            ended => ended,
        }
    }

    /// Changes the state as a record says, where a machine can be changed between runs.
    ///
    /// # Errors
    ///
    /// When the machine has no such state, or the value does not fit it.
    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        Err(LoadError::new(format!("the state of this machine cannot be set to {changes}")))
    }

    /// Does what no instruction does, for a planted fault. False when the machine cannot do it in this state.
    fn tamper(&mut self, tamper: Tamper) -> bool {
        let _ = tamper;
        false
    }

    /// The next instruction; `None` when nothing more will be executed.
    fn next(&self) -> Option<At<'_>>;

    /// Another machine in the same state, which goes on independently; `None` for a machine that cannot be
    /// copied.
    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        None
    }

    /// How the machine ended or its current position, in one line for a person: `out of gas at 0x1f SSTORE:
    /// needs 20000, 17 left`.
    fn describe(&self) -> String;

    /// What a datum of the state means, where its path does not say: its name in the program's source and the
    /// current line, `local i of main, at line 7`, or what it was decided by.
    fn explain(&self, _at: &Path) -> Option<String> {
        None
    }
}

/// What a planted fault does between two instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tamper {
    /// Pushes the number 0.
    Push,
    /// Removes the top value.
    Pop,
    /// Goes on at this program counter.
    GoTo(usize),
    /// Puts a copy of the compound that the top value refers to in its place.
    Copy,
    /// Counts this number of references too many.
    Count(usize),
    /// Makes the Struct on top an Array with the same items, so that it is stored and not copied.
    AsArray,
    /// Makes this compound a Struct again where it is stored in another one.
    AsStruct(usize),
    /// Fails in another way than the last instruction did.
    FailOtherwise,
}

/// How [`Machine::advance_to`] ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// [`Status::Running`] also in front of an instruction of the set.
    pub status: Status,
    /// How many instructions were executed.
    pub executed: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The budget is used up; more can be run.
    Running,
    /// Nothing more will happen. How it ended is state.
    Ended,
    /// A limit of the runner was reached: nothing can be said about the case.
    Limit(LimitReached),
    /// The system refuses the memory that the machine needs, below the limit: nothing can be said about the case.
    OutOfMemory,
    /// The run was interrupted: nothing can be said about the case.
    Interrupted,
    /// The machine cannot perform the requested action: the vector is wrong.
    Refused(LoadError),
}

/// Why a program cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct LoadError {
    /// Which datum of the program record is wrong, where it is one.
    pub at: Option<Path>,
    /// What is wrong.
    pub what: String,
}

impl LoadError {
    /// An error of the program as a whole.
    pub fn new(what: impl Into<String>) -> LoadError {
        LoadError { at: None, what: what.into() }
    }

    /// An error of one datum of the program.
    pub fn at(at: Path, what: impl Into<String>) -> LoadError {
        LoadError { at: Some(at), what: what.into() }
    }
}

/// Sees each instruction before it is executed.
pub trait Watch {
    /// The instruction `at` is about to be executed.
    fn before(&mut self, at: &At<'_>);

    /// The only instructions that it has to see, if they are known beforehand. The others are executed at
    /// full speed.
    fn only(&self) -> Option<OpSet> {
        None
    }

    /// How many instructions from here on it need not see. They are executed as fast as unwatched ones.
    fn passes_over(&self) -> u64 {
        0
    }

    /// This number of instructions were executed unseen, and the machine goes on. Not called when the machine
    /// ended among them.
    fn passed_over(&mut self, count: u64) {
        let _ = count;
    }

    /// How many instructions it sees before it is asked again how many it passes over.
    fn sees(&self) -> u64 {
        u64::MAX
    }

    /// Whether it has seen everything that the run is for. The run then ends, before the instruction that it saw
    /// last.
    fn is_done(&self) -> bool {
        false
    }

    /// Whether it need not see more of the run, which goes on unwatched. Asked only of a watch of some instructions.
    fn is_satisfied(&self) -> bool {
        false
    }

    /// The actions of a step of the case are done, its number from 1, and the state is about to be
    /// compared; or a limit of the runner ended them and nothing will be.
    fn after_step(&mut self, number: usize, state: &dyn Inspect) {
        let _ = (number, state);
    }

    /// An action is done. The machine may be changed by something else than an instruction before the
    /// next one.
    fn pause(&mut self, state: &dyn Inspect) {
        let _ = state;
    }
}

/// An instruction and the machine in front of it.
pub struct At<'a> {
    /// Program counter: the byte offset, or index, of the instruction.
    pub pc: usize,
    /// The instruction; `None` for an undefined code.
    pub op: Option<&'static OpInfo>,
    /// Its code.
    pub code: u16,
    /// Its immediate operand as encoded in the program; truncated if the program ends within it.
    pub operand: &'a [u8],
    /// The machine, before the instruction.
    pub state: &'a dyn Inspect,
}

impl<'a> At<'a> {
    /// The instruction at `pc` of a program of bytes; `None` at its end.
    pub(crate) fn in_bytes(
        isa: &Isa,
        program: &'a [u8],
        pc: usize,
        state: &'a dyn Inspect,
    ) -> Option<At<'a>> {
        let (code, rest) = program.get(pc..)?.split_first()?;
        let code = u16::from(*code);
        let op = isa.by_code(code);
        let length = op.map_or(0, |op| op.operand_len(rest).unwrap_or(rest.len()));
        Some(At { pc, op, code, operand: &rest[..length], state })
    }

    /// The program counter that the operand leads to, where it is a distance from the instruction.
    pub(crate) fn at_offset(&self) -> Option<usize> {
        let mut distance = [if self.operand.last()? & 0x80 == 0 { 0 } else { 0xff }; 8];
        distance.get_mut(..self.operand.len())?.copy_from_slice(self.operand);
        self.pc.checked_add_signed(isize::try_from(i64::from_le_bytes(distance)).ok()?)
    }
}

/// The reasons other than the program itself that end a machine's loop.
pub trait Meter {
    /// Called before each instruction. `lead` returns the byte by which [`OpSet::may_have`] knows it.
    fn tick(&mut self, lead: impl FnOnce() -> u8) -> ControlFlow<()>;
}

/// Nothing: something else bounds the number of instructions, such as gas.
pub struct Unmetered;

impl Meter for Unmetered {
    #[inline(always)]
    fn tick(&mut self, _: impl FnOnce() -> u8) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Ends the loop after a number of instructions.
pub struct Metered(pub u64);

impl Meter for Metered {
    #[inline(always)]
    fn tick(&mut self, _: impl FnOnce() -> u8) -> ControlFlow<()> {
        if self.0 == 0 {
            return ControlFlow::Break(());
        }
        self.0 -= 1;
        ControlFlow::Continue(())
    }
}

/// Ends the loop after a number of instructions, or in front of one that the set may have.
pub struct Until<'s> {
    /// How many are left.
    pub left: u64,
    /// Where to end.
    pub ops: &'s OpSet,
}

impl Meter for Until<'_> {
    #[inline(always)]
    fn tick(&mut self, lead: impl FnOnce() -> u8) -> ControlFlow<()> {
        if self.left == 0 || self.ops.may_have(lead()) {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        ControlFlow::Continue(())
    }
}

/// Performs a debugger action.
///
/// An ended machine stays as it is, whatever the action.
pub fn perform(machine: &mut dyn Machine, action: &Action, mut watch: Option<&mut dyn Watch>) -> Status {
    let depth = machine.depth();
    let returned = |machine: &dyn Machine| match action {
        Action::StepOver => machine.depth() <= depth,
        Action::StepOut => machine.depth() < depth,
        Action::StepInto | Action::Execute | Action::Run(_) | Action::Set(_) => true,
    };
    match action {
        Action::Execute => return run(machine, u64::MAX, watch),
        Action::Run(steps) => return run(machine, *steps, watch),
        Action::Set(changes) => {
            return machine.set(changes).map_or_else(Status::Refused, |()| Status::Running);
        }
        Action::StepInto | Action::StepOver | Action::StepOut => {}
    }
    loop {
        let status = run(machine, 1, reborrow(&mut watch));
        if status != Status::Running || returned(machine) {
            return status;
        }
    }
}

/// Executes up to `count` instructions, those that the watch passes over unwatched.
fn run(machine: &mut dyn Machine, mut count: u64, watch: Option<&mut dyn Watch>) -> Status {
    let Some(watch) = watch else { return machine.run(count, None) };
    loop {
        let unseen = watch.passes_over().min(count);
        let done = if unseen == 0 { watch.sees().max(1).min(count) } else { unseen };
        let status = machine.run(done, if unseen == 0 { Some(&mut *watch) } else { None });
        if status != Status::Running {
            return status;
        }
        if unseen > 0 {
            watch.passed_over(unseen);
        }
        count -= done;
        if count == 0 && unseen == 0 {
            return status;
        }
    }
}

/// An optional watch, reborrowed for a shorter time.
pub(crate) fn reborrow<'a>(watch: &'a mut Option<&mut dyn Watch>) -> Option<&'a mut dyn Watch> {
    match watch {
        Some(watch) => Some(&mut **watch),
        None => None,
    }
}
