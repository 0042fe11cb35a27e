//! What every machine can do: load a program, run and be inspected; and the debugger actions, written once
//! for all machines.

use std::ops::{ControlFlow, Deref};

use super::account::{CaseAccount, Limit};
use super::inspect::Inspect;
use super::plant::PlantFaults;
use super::status::{LoadError, Status};
use super::tiers::Tiers;
use crate::isa::{Isa, OpInfo, OpSet};
use crate::model::{Action, Path, Program, Value};

/// A virtual machine. [`Inspect`] and [`Observe`](super::observe::Observe) are what its state shows.
pub trait Machine: 'static {
    /// Resets the machine and loads `program`. A machine can load any number of programs, one after another. Fails if
    /// the program is not valid for this machine.
    fn load(&mut self, program: &Program) -> Result<(), LoadError>;

    /// Executes up to `budget` instructions at full speed, which the account must allow, and counts them in
    /// the account. With a budget of 0, only returns the status. A machine that has ended does not change.
    fn advance(&mut self, budget: u64) -> Status;

    /// Chooses the tiers for programs that are loaded from now on. A machine with a single tier ignores this.
    fn choose(&mut self, _tiers: Tiers) {}

    /// Like [`Machine::advance`], but stops before each instruction in `ops`, and perhaps before some others.
    /// A machine with a loop instance for this executes the instructions up to there at full speed.
    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        self.step_to(budget, ops)
    }

    /// [`Machine::advance_to`], implemented one instruction at a time.
    fn step_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        for executed in 0..budget {
            if self.next().is_some_and(|at| at.op.is_some_and(|op| ops.contains(op))) {
                return AdvanceEnd { status: Status::Running, executed };
            }
            let status = self.advance(1);
            if status != Status::Running {
                return AdvanceEnd { status, executed: executed + 1 };
            }
        }
        AdvanceEnd { status: self.advance(0), executed: budget }
    }

    /// What the case has used since [`Machine::load`].
    fn account(&mut self) -> &mut CaseAccount;

    /// Executes up to `count` instructions; `watch` sees each one before it is executed, but for those that
    /// [`Watch::only`] or [`Watch::passes_over`] leaves out. Without a watch, they are executed at full speed.
    fn run(&mut self, mut count: u64, mut watch: Option<&mut dyn Watch>) -> Status {
        if let Some(watch) = &mut watch
            && let Some(ops) = watch.only()
        {
            return self.run_to_each(count, ops, *watch);
        }
        while count > 0 {
            let wanted = if watch.is_some() { 1 } else { count };
            let allowed = match self.account().allow(wanted) {
                Ok(allowed) => allowed,
                Err(limit) => return self.ended_or(limit),
            };
            if watch.is_some()
                && let Err(limit) = self.account().watch()
            {
                return self.ended_or(limit);
            }
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

    /// Executes up to `count` instructions; `watch` sees those in `ops`.
    fn run_to_each(&mut self, mut count: u64, mut ops: OpSet, watch: &mut dyn Watch) -> Status {
        while count > 0 {
            let allowed = match self.account().allow(count) {
                Ok(allowed) => allowed,
                Err(limit) => return self.ended_or(limit),
            };
            let AdvanceEnd { status, executed } = self.advance_to(allowed, &ops);
            count -= executed;
            if status != Status::Running {
                return status;
            }
            if executed == allowed {
                continue;
            }
            if let Err(limit) = self.account().watch() {
                return self.ended_or(limit);
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
            ops = watch.narrowed().unwrap_or(ops);
            let status = self.advance(1);
            if status != Status::Running {
                return status;
            }
            count -= 1;
        }
        self.advance(0)
    }

    /// The status of a machine that may not execute more instructions. A machine that has ended does not
    /// reach the limit.
    fn ended_or(&mut self, limit: Limit) -> Status {
        match self.advance(0) {
            Status::Running => self.account().status(limit),
            ended => ended,
        }
    }

    /// Changes the state between two runs, as given by a record. Fails if the machine has no such state, or the value
    /// does not fit.
    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        Err(LoadError::new(format!("the state of this machine cannot be set to {changes}")))
    }

    /// The machine as one in which faults of instructions can be planted; `None` if that is impossible.
    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        None
    }

    /// The next instruction; `None` if nothing more will be executed.
    fn next(&self) -> Option<At<'_>>;

    /// The state of the machine, between two instructions.
    fn inspect(&self) -> &(dyn Inspect + 'static);

    /// An independent machine in the same state; `None` for a machine that cannot be copied.
    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        None
    }

    /// About how many bytes such a copy takes.
    fn copy_size(&mut self) -> u64 {
        self.account().used()
    }

    /// How the machine ended, or its current position, in one line for people: `out of gas at 0x1f SSTORE:
    /// needs 20000, 17 left`.
    fn describe(&self) -> String;

    /// What a datum of the state means if its path does not say so: its name in the program's source and the
    /// current line, such as `local i of main, at line 7`, or what decided its value.
    fn explain(&self, _at: &Path) -> Option<String> {
        None
    }
}

/// What can be asked of the state of a machine can be asked of the machine.
impl Deref for dyn Machine + '_ {
    type Target = dyn Inspect;

    fn deref(&self) -> &(dyn Inspect + 'static) {
        self.inspect()
    }
}

/// How [`Machine::advance_to`] ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvanceEnd {
    /// The status; [`Status::Running`] also before an instruction of the set.
    pub status: Status,
    /// How many instructions were executed.
    pub executed: u64,
}

/// Sees each instruction before it is executed.
pub trait Watch {
    /// The instruction `at` is about to be executed.
    fn before(&mut self, at: &At<'_>);

    /// The only instructions that it needs to see, if known beforehand. The others are executed at full speed.
    fn only(&self) -> Option<OpSet> {
        None
    }

    /// The only instructions that it needs to see after the one that it saw last, if they are fewer than before. Called
    /// only if [`Watch::only`] returns a set.
    fn narrowed(&self) -> Option<OpSet> {
        None
    }

    /// How many of the next instructions it need not see. They are executed at full speed.
    fn passes_over(&self) -> u64 {
        0
    }

    /// Called after this number of instructions were executed unseen, also if the machine ended with the last one.
    fn passed_over(&mut self, _count: u64) {}

    /// How many instructions it sees before the next call of [`Watch::passes_over`].
    fn sees(&self) -> u64 {
        u64::MAX
    }

    /// Whether it has seen everything that it needs. The run then ends, before the instruction that it saw last.
    fn is_done(&self) -> bool {
        false
    }

    /// Whether it need not see more of the run, which then continues unwatched. Called only if
    /// [`Watch::only`] returns a set.
    fn is_satisfied(&self) -> bool {
        false
    }

    /// Called when the actions of a step of the case are done and the state is about to be compared, or when
    /// a limit of the runner ended them and nothing will be compared. `number` is the number of the step,
    /// from 1.
    fn after_step(&mut self, _number: usize, _state: &dyn Inspect) {}

    /// Called when the case has changed the machine as [`Action::Set`] says; `state` is the state after that.
    fn set(&mut self, _changes: &Value, _state: &dyn Inspect) {}

    /// Called when an action is done. Something other than an instruction may change the machine before the
    /// next one.
    fn pause(&mut self, _state: &dyn Inspect) {}
}

/// An instruction, and the machine before it.
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

    /// The program counter that the operand refers to, if the operand is a distance from the instruction.
    pub(crate) fn at_offset(&self) -> Option<usize> {
        let mut distance = [if self.operand.last()? & 0x80 == 0 { 0 } else { 0xff }; 8];
        distance.get_mut(..self.operand.len())?.copy_from_slice(self.operand);
        self.pc.checked_add_signed(isize::try_from(i64::from_le_bytes(distance)).ok()?)
    }
}

/// The reasons other than the program itself that end a machine's loop.
pub trait Meter {
    /// Called before each instruction. `lead` returns the byte for [`OpSet::may_have`].
    fn tick(&mut self, lead: impl FnOnce() -> u8) -> ControlFlow<()>;
}

/// Never ends the loop, since something else, such as gas, limits the number of instructions.
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

/// Ends the loop after a number of instructions, or before an instruction that may be in the set.
pub struct Until<'s> {
    /// How many instructions remain.
    pub left: u64,
    /// The instructions to stop before.
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
/// No action changes a machine that has ended.
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
            if let Err(error) = machine.set(changes) {
                return Status::Refused(error);
            }
            if let Some(watch) = watch {
                watch.set(changes, machine.inspect());
            }
            return Status::Running;
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

/// Executes up to `count` instructions; those that the watch passes over run unwatched.
fn run(machine: &mut dyn Machine, mut count: u64, watch: Option<&mut dyn Watch>) -> Status {
    let Some(watch) = watch else { return machine.run(count, None) };
    loop {
        let unseen = watch.passes_over().min(count);
        let done = if unseen == 0 { watch.sees().max(1).min(count) } else { unseen };
        let before = machine.account().instructions();
        let status = machine.run(done, if unseen == 0 { Some(&mut *watch) } else { None });
        if unseen > 0 {
            watch.passed_over(machine.account().instructions() - before);
        }
        if status != Status::Running {
            return status;
        }
        count -= done;
        if count == 0 && unseen == 0 {
            return status;
        }
    }
}

/// Reborrows an optional watch for a shorter lifetime.
pub(crate) fn reborrow<'a>(watch: &'a mut Option<&mut dyn Watch>) -> Option<&'a mut dyn Watch> {
    match watch {
        Some(watch) => Some(&mut **watch),
        None => None,
    }
}
