//! The state: what can be observed, and what can be changed between two instructions.

use super::core::{TinyCore, TinyStop, ZEROS};
use super::driver::{DriverOutcome, DriverRating, TestDriver, TestResult};
use super::inspect::SINGLE;
use super::machine::{TinyVm, not_passed};
use super::mode::{MachineMode, SingleMachine};
use super::program::{NUMBER, SEGMENT, fill, word};
use crate::machines::change::{PartCells, StateChange, StateChanges, state_changes, unchangeable};
use crate::machines::inspect::Inspect;
use crate::machines::observe::{Observe, StateField, StateFields, state_fields};
use crate::machines::status::LoadError;
use crate::model::{Cell, Path, Shape, Value};

/// How many words of a memory are compared at once.
const BLOCK: usize = 256;

/// The fields of one machine, or of a driver and its testee.
impl StateFields for TinyVm {
    const FIELDS: &'static [StateField<TinyVm>] = state_fields! {
        "stop": Shape::Plain, "yield, illegal or limit; one machine", |m| m.single().and_then(stop);
        "value": Shape::Plain, "the value yielded or the word met", value;
        "registers": Shape::Plain, "r0 to r15", |m| m.single()?.core.observe("registers");
        "data": Shape::Plain, "words of data that are not zero, by address",
            |m| m.single()?.core.observe("data");
        "changedRegisters": Shape::Plain, "registers that are not as when the program was loaded or changed",
            |m| m.single().map(|it| registers(changed(&it.core.registers, &it.first_registers)));
        "changedData": Shape::Plain, "words of data that are not as when the program was loaded or changed",
            |m| m.single().map(|it| data(changed(&it.core.data[..], it.first_data())));
        "pc": Shape::Plain, "program counter", |m| m.single()?.core.observe("pc");
        "time": Shape::Plain, "instructions executed", |m| m.single()?.core.observe("time");
        "usedRnd": Shape::Plain, "whether a random number was requested",
            |m| m.single().map(|single| Value::Bool(single.core.random.was_used()));
        "outcome": Shape::Plain, "how the test driver ended",
            |m| m.driver()?.outcome.as_ref().map(|outcome| Value::text(outcome.name()));
        "results": Shape::Plain, "the driver's tests, in order", |m| m.driver().and_then(results);
        "rating": Shape::Plain, "all tests as one",
            |m| match m.driver()?.outcome.as_ref()? {
                DriverOutcome::Completed { results, error } => {
                    Some(Value::text(DriverRating::of(results, *error).name()))
                }
                _ => None,
            };
        "notPassed": Shape::Plain, "the driver's tests that neither passed nor were skipped, by number",
            tests_not_passed;
        "driverInstructions": Shape::Plain, "instructions that the driver attempted",
            |m| m.driver().map(|driver| Value::int(driver.driver_count));
        "testeeInstructions": Shape::Plain, "instructions that the testee attempted",
            |m| m.driver().map(|driver| Value::int(driver.testee_count));
        "driver": Shape::Plain, "the driver", |m| m.driver().map(|driver| whole(&driver.driver));
        "testee": Shape::Plain, "the testee", |m| m.driver().map(|driver| whole(&driver.testee));
    };
}

impl StateFields for TinyCore {
    const FIELDS: &'static [StateField<TinyCore>] = state_fields! {
        "registers": Shape::Plain, "r0 to r15", |core| Some(registers(all(&core.registers)));
        "data": Shape::Plain, "words of data that are not zero", |core| Some(data(changed(&core.data[..], &ZEROS)));
        "pc": Shape::Plain, "program counter", |core| Some(Value::int(core.pc));
        "time": Shape::Plain, "instructions executed", |core| Some(Value::int(core.time));
    };
}

/// The parts of a machine that is alone.
impl StateChanges for TinyVm {
    const CHANGES: &'static [StateChange<TinyVm>] = state_changes! {
        "registers": Shape::Plain, "registers by name, r0 to r15",
            change_registers, PartCells::ByName(SINGLE.registers, register);
        "data": SEGMENT, "words of data memory, by the address of the first one",
            |m, name, segment| fill(&mut m.alone()?.core.data, Some(segment), &Path::field(name)),
            PartCells::Words(SINGLE.data, |m, address| m.single()?.core.data.get(address).copied());
        "pc": NUMBER, "the program counter", |m, name, pc| {
            m.alone()?.core.pc = word(name, pc)?;
            Ok(())
        };
        "phase": Shape::Text, "same, where the change does not begin a new run", |_, name, phase| {
            if *phase == Value::text("same") { Ok(()) } else { Err(unchangeable(name, phase)) }
        };
    };

    /// The registers and words of a driver and its testee, which a vector cannot change between two instructions.
    fn further_cell(&self, cell: &Cell) -> Option<Value> {
        self.driver()?;
        self.value(cell)
    }

    fn write_further_cell(&mut self, cell: &Cell, value: &Value) -> bool {
        let (Some(word), true) = (value.number(), self.driver().is_some()) else { return false };
        let place = self.word_mut(cell);
        place.map(|place| *place = word).is_some()
    }
}

fn change_registers(machine: &mut TinyVm, name: &'static str, registers: &Value) -> Result<(), LoadError> {
    let core = &mut machine.alone()?.core;
    for (register, value) in registers.members().ok_or_else(|| unchangeable(name, registers))? {
        let place = register_number(register).and_then(|number| core.registers.get_mut(number));
        let unknown = || LoadError::new(format!("there is no register {:?}", &**register));
        *place.ok_or_else(unknown)? = word(name, value)?;
    }
    Ok(())
}

fn register(machine: &TinyVm, name: &str) -> Option<Value> {
    let word = machine.single()?.core.registers.get(register_number(name)?)?;
    Some(Value::int(*word))
}

fn register_number(name: &str) -> Option<usize> {
    name.strip_prefix('r')?.parse().ok()
}

fn stop(single: &SingleMachine) -> Option<Value> {
    let name = match single.stop? {
        TinyStop::Yield(_) => "yield",
        TinyStop::Illegal(_) => "illegal",
        TinyStop::Limit | TinyStop::Costly(_) => "limit",
        TinyStop::NoRandom => return None,
    };
    Some(Value::text(name))
}

fn value(machine: &TinyVm) -> Option<Value> {
    let word = match &machine.mode {
        MachineMode::Single(single) => match single.stop? {
            TinyStop::Yield(word) | TinyStop::Illegal(word) => word,
            TinyStop::Limit | TinyStop::Costly(_) | TinyStop::NoRandom => return None,
        },
        MachineMode::Driver(driver) => match driver.outcome.as_ref()? {
            DriverOutcome::IllegalInstruction(word) | DriverOutcome::IllegalYield(word) => *word,
            DriverOutcome::Completed { .. }
            | DriverOutcome::ZeroLimit
            | DriverOutcome::Timeout
            | DriverOutcome::NoRandom => {
                return None;
            }
        },
    };
    Some(Value::int(word))
}

fn results(driver: &TestDriver) -> Option<Value> {
    let DriverOutcome::Completed { results, .. } = driver.outcome.as_ref()? else { return None };
    Some(Value::List(results.iter().map(|result| Value::text(result.name())).collect()))
}

fn tests_not_passed(machine: &TinyVm) -> Option<Value> {
    let DriverOutcome::Completed { results, .. } = machine.driver()?.outcome.as_ref()? else { return None };
    let named =
        |(number, result): (usize, TestResult)| (format!("test {number}"), Value::text(result.name()));
    Some(Value::record(not_passed(results).map(named)))
}

fn registers(words: impl Iterator<Item = (usize, u16)>) -> Value {
    Value::record(words.map(|(number, word)| (format!("r{number}"), Value::int(word))))
}

fn data(words: impl Iterator<Item = (usize, u16)>) -> Value {
    Value::record(words.map(|(address, word)| (format!("0x{address:04x}"), Value::int(word))))
}

/// Words with their numbers.
fn all(words: &[u16]) -> impl Iterator<Item = (usize, u16)> {
    words.iter().copied().enumerate()
}

/// The words that are not as before, with their numbers. Most of a memory is equal: whole blocks are compared first.
fn changed(now: &[u16], before: &[u16]) -> impl Iterator<Item = (usize, u16)> {
    let blocks =
        now.chunks(BLOCK).zip(before.chunks(BLOCK)).enumerate().filter(|(_, (now, before))| now != before);
    blocks.flat_map(|(block, (now, before))| {
        let words = now.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before);
        words.map(move |(index, (now, _))| (block * BLOCK + index, *now))
    })
}

/// A machine as a record of all its fields.
fn whole(core: &TinyCore) -> Value {
    let fields = TinyCore::FIELDS.iter().map(|field| (field.member.name.to_owned(), (field.access)(core)));
    Value::record(fields.filter_map(|(name, value)| Some((name, value?))))
}
