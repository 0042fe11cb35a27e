//! What the runner sees: one machine, or a driver and its testee.

use super::core::{Core, Stop, Words, zeros};
use super::driver::{Environment, Outcome, TestResult};
use super::table::TINYVM;
use super::{disassembler, program};
use crate::machines::machine::{At, Field, LimitReached, LoadError, Machine, Status, Watch};
use crate::machines::observe::Observe;
use crate::machines::{Language, MachineInfo};
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::path::Path;
use crate::model::value::Value;

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "tinyvm",
    doc: "16-bit register machine, alone or under a test driver",
    isa: &TINYVM,
    language: Language::Own { assemble: super::assembler::assemble, disassemble: disassembler::disassemble },
    contains: program::contains,
    lint: crate::machines::nothing_odd,
    new: |limits| Box::new(TinyVm::new(limits)),
};

/// A 16-bit register machine, or two of them.
pub struct TinyVm {
    pub(super) mode: Mode,
    steps: u64,
}

/// How many machines there are.
pub(super) enum Mode {
    Single(Box<Single>),
    Driver(Box<Environment>),
}

/// One machine, and how it was when its run began.
pub(super) struct Single {
    pub(super) core: Core,
    pub(super) stop: Option<Stop>,
    first_registers: [u16; 16],
    first_data: Box<Words>,
}

/// What a change is to what can be observed of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It goes on.
    Same,
    /// A new one begins.
    New,
}

impl Single {
    pub(super) fn new(core: Core) -> Single {
        let mut single = Single { core, stop: None, first_registers: [0; 16], first_data: zeros() };
        single.begin();
        single
    }

    /// Begins a phase: what is changed from here on can be observed.
    fn begin(&mut self) {
        self.first_registers = self.core.registers;
        self.first_data.copy_from_slice(&self.core.data[..]);
    }
}

impl TinyVm {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> TinyVm {
        TinyVm { mode: Mode::Single(Box::new(Single::new(Core::new()))), steps: limits.steps }
    }

    fn single(&self) -> Option<&Single> {
        match &self.mode {
            Mode::Single(single) => Some(single),
            Mode::Driver(_) => None,
        }
    }

    fn driver(&self) -> Option<&Environment> {
        match &self.mode {
            Mode::Driver(driver) => Some(driver),
            Mode::Single(_) => None,
        }
    }
}

/// A vector whose list of random numbers has none that fits.
fn no_random() -> Status {
    let what = "the list of random numbers has none left that the program may get";
    Status::Refused(LoadError::at(Path::field("rnd"), what))
}

impl Machine for TinyVm {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.mode = program::load(program)?;
        Ok(())
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        match &mut self.mode {
            Mode::Single(single) => {
                if program::change(&mut single.core, changes)? == Phase::New {
                    single.begin();
                }
                Ok(())
            }
            Mode::Driver(_) => Err(LoadError::new("a driver and its testee cannot be changed between runs")),
        }
    }

    fn run(&mut self, budget: u64, watch: Option<&mut dyn Watch>) -> Status {
        // Not to go on at all is a stop too.
        let Some(watch) = watch.filter(|_| budget > 0) else { return self.go_on(budget) };
        for _ in 0..budget {
            // Without a rest of the budget nothing is attempted.
            if !self.driver().is_some_and(Environment::is_spent) {
                watch.before(&self.at());
            }
            let status = self.go_on(1);
            if status != Status::Running {
                return status;
            }
        }
        Status::Running
    }

    fn next(&self) -> Option<At<'_>> {
        let is_over = self.driver().is_some_and(|driver| driver.outcome.is_some() || driver.is_spent());
        (!is_over).then(|| self.at())
    }

    fn depth(&self) -> usize {
        1 + usize::from(self.driver().is_some_and(Environment::is_testing))
    }

    fn describe(&self) -> String {
        match &self.mode {
            Mode::Single(single) => single.describe(),
            Mode::Driver(driver) => describe(driver),
        }
    }
}

impl TinyVm {
    /// Executes up to `budget` instructions of whichever machine.
    fn go_on(&mut self, budget: u64) -> Status {
        match &mut self.mode {
            Mode::Single(single) => single.run(budget),
            Mode::Driver(driver) => {
                driver.run(budget);
                match driver.outcome {
                    Some(Outcome::NoRandom) => no_random(),
                    Some(_) => Status::Ended,
                    None if driver.copied / 32 > self.steps => {
                        Status::Limit(LimitReached { flag: "max-steps", limit: self.steps })
                    }
                    None => Status::Running,
                }
            }
        }
    }

    fn at(&self) -> At<'_> {
        let core = self.current().0;
        let word = core.instructions[usize::from(core.pc)];
        At { pc: core.pc.into(), op: TINYVM.by_code(word), code: word, operand: &[], state: self }
    }
}

impl Single {
    fn run(&mut self, budget: u64) -> Status {
        let (_, stop) = self.core.run(budget);
        self.stop = Some(stop);
        match stop {
            Stop::Limit => Status::Running,
            Stop::Yield(_) | Stop::Illegal(_) => Status::Ended,
            Stop::NoRandom => no_random(),
        }
    }

    fn describe(&self) -> String {
        let reason = match self.stop {
            None => "not started".to_owned(),
            Some(Stop::Yield(value)) => format!("yielded 0x{value:04x}"),
            Some(Stop::Illegal(word)) => format!("0x{word:04x} is no instruction"),
            Some(Stop::Limit) => "not ended".to_owned(),
            Some(Stop::NoRandom) => "no random number".to_owned(),
        };
        format!("{reason}, {}, {} instructions", place(&self.core), self.core.time)
    }
}

/// How a run of two machines ended: which tests did not pass, and where both machines stand.
fn describe(driver: &Environment) -> String {
    let outcome = match &driver.outcome {
        None => "not ended".to_owned(),
        Some(Outcome::Completed { results, rating }) => {
            format!("completed, rated {}{}", rating.name(), which_not_passed(results))
        }
        Some(Outcome::IllegalInstruction(word)) => format!("driver at 0x{word:04x}, which is no instruction"),
        Some(Outcome::IllegalYield(value)) => format!("driver yielded {value}, which is no command"),
        Some(other) => other.name().to_owned(),
    };
    let registers: Vec<_> = driver.testee.registers.iter().map(|word| format!("{word:x}")).collect();
    format!(
        "{outcome}; driver {}; testee {}, registers {}",
        place(&driver.driver),
        place(&driver.testee),
        registers.join(" ")
    )
}

/// Which tests did not pass, in words; nothing where all did.
fn which_not_passed(results: &[TestResult]) -> String {
    const MOST: usize = 10;
    let numbers: Vec<_> = not_passed(results).map(|(number, _)| number.to_string()).collect();
    let tests = match &numbers[..] {
        [] => return String::new(),
        [one] => format!("test {one}"),
        few if few.len() <= MOST => format!("tests {}", few.join(", ")),
        many => format!("tests {} and {} more", many[..MOST].join(", "), many.len() - MOST),
    };
    format!(", {tests} of {} did not pass", results.len())
}

/// The tests that neither passed nor were skipped, with their numbers from 1.
fn not_passed(results: &[TestResult]) -> impl Iterator<Item = (usize, TestResult)> {
    let is_fine = |result| matches!(result, TestResult::Pass | TestResult::Skip);
    results.iter().enumerate().filter(move |it| !is_fine(*it.1)).map(|it| (it.0 + 1, *it.1))
}

/// Where a machine stands: `at 0x0012 add r1 r2`.
fn place(core: &Core) -> String {
    let word = core.instructions[usize::from(core.pc)];
    format!("at 0x{:04x} {}", core.pc, disassembler::disassemble(word))
}

impl Observe for Core {
    fn has_field(&self, field: &str) -> bool {
        matches!(field, "registers" | "data" | "pc" | "time")
    }

    fn observe(&self, field: &str) -> Option<Value> {
        match field {
            "registers" => Some(registers(self.registers)),
            "data" => Some(data(&self.data)),
            "pc" => Some(Value::int(self.pc)),
            "time" => Some(Value::int(self.time)),
            _ => None,
        }
    }
}

/// What can be observed; of one machine or of two.
static FIELDS: &[Field<TinyVm>] = &[
    Field { name: "stop", doc: "yield, illegal or limit; one machine", read: |m| m.single().and_then(stop) },
    Field { name: "value", doc: "the value yielded or the word met", read: value },
    Field { name: "registers", doc: "r0 to r15", read: |m| m.single()?.core.observe("registers") },
    Field {
        name: "data",
        doc: "words of data that are not zero, by address",
        read: |m| m.single()?.core.observe("data"),
    },
    Field {
        name: "changedRegisters",
        doc: "registers that are not as when the program was loaded or changed",
        read: |m| m.single().map(changed_registers),
    },
    Field {
        name: "changedData",
        doc: "words of data that are not as when the program was loaded or changed",
        read: |m| m.single().map(changed_data),
    },
    Field { name: "pc", doc: "program counter", read: |m| m.single()?.core.observe("pc") },
    Field { name: "time", doc: "instructions executed", read: |m| m.single()?.core.observe("time") },
    Field {
        name: "usedRnd",
        doc: "whether a random number was asked for",
        read: |m| m.single().map(|single| Value::Bool(single.core.random.was_used())),
    },
    Field {
        name: "outcome",
        doc: "how the test driver ended",
        read: |m| m.driver()?.outcome.as_ref().map(|outcome| Value::text(outcome.name())),
    },
    Field { name: "results", doc: "the driver's tests, in order", read: |m| m.driver().and_then(results) },
    Field {
        name: "rating",
        doc: "all tests as one",
        read: |m| match m.driver()?.outcome.as_ref()? {
            Outcome::Completed { rating, .. } => Some(Value::text(rating.name())),
            _ => None,
        },
    },
    Field {
        name: "notPassed",
        doc: "the driver's tests that neither passed nor were skipped, by number",
        read: tests_not_passed,
    },
    Field {
        name: "driverInstructions",
        doc: "instructions that the driver attempted",
        read: |m| m.driver().map(|driver| Value::int(driver.driver_count)),
    },
    Field {
        name: "testeeInstructions",
        doc: "instructions that the testee attempted",
        read: |m| m.driver().map(|driver| Value::int(driver.testee_count)),
    },
    Field { name: "driver", doc: "the driver", read: |m| m.driver().map(|driver| whole(&driver.driver)) },
    Field { name: "testee", doc: "the testee", read: |m| m.driver().map(|driver| whole(&driver.testee)) },
];

impl Observe for TinyVm {
    fn has_field(&self, field: &str) -> bool {
        FIELDS.iter().any(|row| row.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        FIELDS.iter().find(|row| row.name == field).and_then(|row| (row.read)(self))
    }
}

fn stop(single: &Single) -> Option<Value> {
    let name = match single.stop? {
        Stop::Yield(_) => "yield",
        Stop::Illegal(_) => "illegal",
        Stop::Limit => "limit",
        Stop::NoRandom => return None,
    };
    Some(Value::text(name))
}

fn value(machine: &TinyVm) -> Option<Value> {
    let word = match &machine.mode {
        Mode::Single(single) => match single.stop? {
            Stop::Yield(word) | Stop::Illegal(word) => word,
            Stop::Limit | Stop::NoRandom => return None,
        },
        Mode::Driver(driver) => match driver.outcome.as_ref()? {
            Outcome::IllegalInstruction(word) | Outcome::IllegalYield(word) => *word,
            Outcome::Completed { .. } | Outcome::ZeroLimit | Outcome::Timeout | Outcome::NoRandom => {
                return None;
            }
        },
    };
    Some(Value::int(word))
}

fn results(driver: &Environment) -> Option<Value> {
    let Outcome::Completed { results, .. } = driver.outcome.as_ref()? else { return None };
    Some(Value::List(results.iter().map(|result| Value::text(result.name())).collect()))
}

fn tests_not_passed(machine: &TinyVm) -> Option<Value> {
    let Outcome::Completed { results, .. } = machine.driver()?.outcome.as_ref()? else { return None };
    let named =
        |(number, result): (usize, TestResult)| (format!("test {number}"), Value::text(result.name()));
    Some(Value::Record(not_passed(results).map(named).collect()))
}

fn registers(words: [u16; 16]) -> Value {
    Value::Record(
        words.iter().enumerate().map(|(number, word)| (format!("r{number}"), Value::int(*word))).collect(),
    )
}

fn data(words: &Words) -> Value {
    let some = words.iter().enumerate().filter(|word| *word.1 != 0);
    Value::Record(some.map(|(address, word)| (format!("0x{address:04x}"), Value::int(*word))).collect())
}

fn changed_registers(single: &Single) -> Value {
    let both = single.core.registers.iter().zip(&single.first_registers).enumerate();
    let changed = both.filter(|(_, (now, before))| now != before);
    Value::Record(changed.map(|(number, (now, _))| (format!("r{number}"), Value::int(*now))).collect())
}

fn changed_data(single: &Single) -> Value {
    let both = single.core.data.iter().zip(&single.first_data[..]).enumerate();
    let changed = both.filter(|(_, (now, before))| now != before);
    Value::Record(changed.map(|(address, (now, _))| (format!("0x{address:04x}"), Value::int(*now))).collect())
}

/// A machine as a record of all that it shows.
fn whole(core: &Core) -> Value {
    let fields = ["registers", "data", "pc", "time"].map(|field| (field.to_owned(), core.observe(field)));
    Value::Record(fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}
