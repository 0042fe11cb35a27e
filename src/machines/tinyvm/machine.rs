//! The machine as the runner sees it: one machine, or a driver and its testee.

use std::mem;
use std::ops::RangeInclusive;

use super::core::{SpareMemories, TinyCore, TinyStop};
use super::disassembler;
use super::driver::{DriverOutcome, DriverRating, TestDriver, TestResult};
use super::mode::{MachineMode, SingleMachine};
use super::opcodes::TINYVM;
use super::parts::PARTS;
use super::program::{self, TinyProgram};
use crate::isa::OpSet;
use crate::machines::account::{CaseAccount, Limit};
use crate::machines::change::{self, StateChanges};
use crate::machines::elsewhere::UNKNOWN_MACHINE;
use crate::machines::info::{Engine, Executes, MachineInfo, ProgramLanguage, RunEnds};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{AdvanceEnd, At, Machine};
use crate::machines::observe::{StateFields, members_of};
use crate::machines::plant::PlantFaults;
use crate::machines::status::{LoadError, Status};
use crate::model::limits::Limits;
use crate::model::{Path, Program, Value, counted};

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "tinyvm",
    doc: "16-bit register machine, alone or under a test driver",
    isa: &TINYVM,
    engine: Engine::Own,
    language: ProgramLanguage::Own {
        assemble: super::assembler::assemble,
        disassemble: disassembler::disassemble,
    },
    contains: program::contains,
    executes: Executes::Others,
    word_bits: 16,
    parts: Some(&PARTS),
    sample: r#""3007 102A""#,
    program: TinyProgram::MEMBERS,
    changes: members_of!(TinyVm::CHANGES),
    ends: RunEnds {
        fields: &["stop", "outcome"],
        only_after_some: &["value"],
        normal: Some(("stop", "yield")),
    },
    fields: members_of!(TinyVm::FIELDS),
    shown_at_end: &["results", "notPassed", "rating"],
    shown_by_instructions: &["pc"],
    assemble: program::assemble,
    new: |limits| Box::new(TinyVm::new(limits)),
    ..UNKNOWN_MACHINE
};

/// A 16-bit register machine, or two of them.
#[derive(Clone)]
pub struct TinyVm {
    pub(super) mode: MachineMode,
    spare: SpareMemories,
    account: CaseAccount,
}

impl TinyVm {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> TinyVm {
        let mut spare = SpareMemories::default();
        TinyVm {
            mode: MachineMode::Single(Box::new(SingleMachine::without_data(TinyCore::new(&mut spare)))),
            spare,
            account: CaseAccount::new(limits),
        }
    }

    pub(super) fn single(&self) -> Option<&SingleMachine> {
        match &self.mode {
            MachineMode::Single(single) => Some(single),
            MachineMode::Driver(_) => None,
        }
    }

    /// The machine, to be changed.
    pub(super) fn alone(&mut self) -> Result<&mut SingleMachine, LoadError> {
        match &mut self.mode {
            MachineMode::Single(single) => Ok(single),
            MachineMode::Driver(_) => {
                Err(LoadError::new("a driver and its testee cannot be changed between runs"))
            }
        }
    }

    pub(super) fn driver(&self) -> Option<&TestDriver> {
        match &self.mode {
            MachineMode::Driver(driver) => Some(driver),
            MachineMode::Single(_) => None,
        }
    }
}

/// The error for a vector whose list of random numbers has no usable one left.
fn no_random() -> Status {
    let what = "the list of random numbers has none left that the program may get";
    Status::Refused(LoadError::at(Path::field("rnd"), what))
}

impl Machine for TinyVm {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        let loaded = program::load(program, &mut self.spare)?;
        for core in mem::replace(&mut self.mode, loaded).into_cores() {
            self.spare.keep(core);
        }
        self.account.reset();
        Ok(())
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.alone()?;
        change::change(self, changes)?;
        // The only value that it can have continues the phase.
        if changes.get("phase").is_none() {
            self.alone()?.begin();
        }
        Ok(())
    }

    fn inspect(&self) -> &(dyn Inspect + 'static) {
        self
    }

    fn faults(&mut self) -> Option<&mut dyn PlantFaults> {
        Some(self)
    }

    fn advance(&mut self, budget: u64) -> Status {
        let status = match &mut self.mode {
            MachineMode::Single(single) => single.run(budget, &mut self.account),
            MachineMode::Driver(driver) => {
                driver.run(budget, &mut self.account).map(|()| match driver.outcome {
                    Some(DriverOutcome::NoRandom) => no_random(),
                    Some(_) => Status::Ended,
                    None => Status::Running,
                })
            }
        };
        status.unwrap_or_else(|limit| self.account.status(limit))
    }

    fn advance_to(&mut self, budget: u64, ops: &OpSet) -> AdvanceEnd {
        let MachineMode::Single(single) = &mut self.mode else { return self.step_to(budget, ops) };
        let run = |core: &mut TinyCore, most| core.run_to(most, ops);
        match single.run_by(budget, &mut self.account, run) {
            Ok((status, executed)) => AdvanceEnd { status, executed },
            Err(limit) => AdvanceEnd { status: self.account.status(limit), executed: 0 },
        }
    }

    fn account(&mut self) -> &mut CaseAccount {
        &mut self.account
    }

    fn next(&self) -> Option<At<'_>> {
        let is_over = self.driver().is_some_and(|driver| driver.outcome.is_some() || driver.is_spent());
        (!is_over).then(|| self.at())
    }

    fn duplicate(&self) -> Option<Box<dyn Machine>> {
        Some(Box::new(self.clone()))
    }

    fn describe(&self) -> String {
        match &self.mode {
            MachineMode::Single(single) => single.describe(),
            MachineMode::Driver(driver) => describe(driver),
        }
    }

    fn explain(&self, at: &Path) -> Option<String> {
        (*at == Path::field("rating")).then(|| self.explain_rating()).flatten()
    }
}

impl TinyVm {
    fn at(&self) -> At<'_> {
        let core = self.current().0;
        let word = core.instructions[usize::from(core.pc)];
        At { pc: core.pc.into(), op: TINYVM.by_code(word), code: word, operand: &[], state: self }
    }
}

impl SingleMachine {
    fn run(&mut self, budget: u64, account: &mut CaseAccount) -> Result<Status, Limit> {
        self.run_by(budget, account, TinyCore::run).map(|(status, _)| status)
    }

    /// Runs the core with `run`, again after each stop for a charge. Also returns how many instructions were
    /// attempted.
    fn run_by(
        &mut self,
        mut budget: u64,
        account: &mut CaseAccount,
        run: impl Fn(&mut TinyCore, u64) -> (u64, TinyStop),
    ) -> Result<(Status, u64), Limit> {
        let whole = budget;
        loop {
            let (attempts, stop) = run(&mut self.core, budget);
            account.executed(attempts);
            budget -= attempts;
            self.stop = Some(stop);
            let status = match stop {
                TinyStop::Costly(units) => {
                    account.charge(units.into())?;
                    continue;
                }
                TinyStop::Limit => Status::Running,
                TinyStop::Yield(_) | TinyStop::Illegal(_) => Status::Ended,
                TinyStop::NoRandom => no_random(),
            };
            return Ok((status, whole - budget));
        }
    }

    fn describe(&self) -> String {
        let reason = match self.stop {
            None => "not started".to_owned(),
            Some(TinyStop::Yield(value)) => format!("yielded 0x{value:04x}"),
            Some(TinyStop::Illegal(word)) => format!("0x{word:04x} is not an instruction"),
            Some(TinyStop::Limit) => "all steps done".to_owned(),
            Some(TinyStop::Costly(_)) => "not ended".to_owned(),
            Some(TinyStop::NoRandom) => "no random number".to_owned(),
        };
        // The program counter is behind a yield, and at any other instruction that ends a run.
        let next = if matches!(self.stop, Some(TinyStop::Yield(_))) { "next " } else { "" };
        format!("{reason}, {next}{}, {}", place(&self.core), counted(self.core.time, "instruction"))
    }
}

/// How a run of two machines ended: the tests by result, and the positions of both machines.
fn describe(driver: &TestDriver) -> String {
    let outcome = match &driver.outcome {
        None => "not ended".to_owned(),
        Some(DriverOutcome::Completed { results, error }) => {
            let rating = DriverRating::of(results, *error).name();
            let error = error.map(|error| format!(" ({error})")).unwrap_or_default();
            format!("completed, rated {rating}{error}{}", by_result(results))
        }
        Some(DriverOutcome::IllegalInstruction(word)) => {
            format!("driver at 0x{word:04x}, which is not an instruction")
        }
        Some(DriverOutcome::IllegalYield(value)) => format!("driver yielded {value}, which is not a command"),
        Some(other) => other.name().to_owned(),
    };
    let registers: Vec<_> = driver.testee.registers.iter().map(u16::to_string).collect();
    format!(
        "{outcome}; driver {}; testee {}, registers {}",
        place(&driver.driver),
        place(&driver.testee),
        registers.join(" ")
    )
}

/// The numbers of the tests by result, in the order of first occurrence: `: pass 1-3 5, fail 4`.
fn by_result(results: &[TestResult]) -> String {
    let mut kinds: Vec<TestResult> = Vec::new();
    for result in results {
        if !kinds.contains(result) {
            kinds.push(*result);
        }
    }
    let kinds = kinds.into_iter().map(|kind| format!("{} {}", kind.name(), numbers(results, kind)));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    if kinds.is_empty() { kinds } else { format!(": {kinds}") }
}

/// The numbers of the tests with a result, from 1: `1-3 5`.
fn numbers(results: &[TestResult], kind: TestResult) -> String {
    const MAX_NUMBERS: usize = 10;
    let mut ranges: Vec<RangeInclusive<usize>> = Vec::new();
    for (number, _) in (1..).zip(results).filter(|(_, result)| **result == kind) {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == number => *last = *last.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    let shown = ranges.iter().take(MAX_NUMBERS).map(|range| match range.clone().into_inner() {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    });
    let shown = shown.collect::<Vec<_>>().join(" ");
    if ranges.len() > MAX_NUMBERS { format!("{shown} and more") } else { shown }
}

/// The tests that neither passed nor were skipped, with their numbers from 1.
pub(super) fn not_passed(results: &[TestResult]) -> impl Iterator<Item = (usize, TestResult)> {
    let is_fine = |result| matches!(result, TestResult::Pass | TestResult::Skip);
    results.iter().enumerate().filter(move |it| !is_fine(*it.1)).map(|it| (it.0 + 1, *it.1))
}

/// The position of a machine: `at 0x0012 add r1 r2`.
fn place(core: &TinyCore) -> String {
    let word = core.instructions[usize::from(core.pc)];
    format!("at 0x{:04x} {}", core.pc, disassembler::disassemble(word))
}
