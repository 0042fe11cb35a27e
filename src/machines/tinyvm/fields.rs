//! What can be observed.

use super::core::{TinyCore, TinyStop, TinyWords};
use super::driver::{DriverOutcome, Rating, TestDriver, TestResult};
use super::machine::{TinyVm, not_passed};
use super::state::{MachineMode, Single};
use crate::machines::observe::{Observe, StateField, StateFields};
use crate::model::shape::Shape;
use crate::model::value::Value;

/// The fields of one machine, or of a driver and its testee.
impl StateFields for TinyVm {
    const FIELDS: &'static [StateField<TinyVm>] = &[
        StateField {
            name: "stop",
            doc: "yield, illegal or limit; one machine",
            shape: Shape::Plain,
            read: |m| m.single().and_then(stop),
        },
        StateField {
            name: "value",
            doc: "the value yielded or the word met",
            shape: Shape::Plain,
            read: value,
        },
        StateField {
            name: "registers",
            doc: "r0 to r15",
            shape: Shape::Plain,
            read: |m| m.single()?.core.observe("registers"),
        },
        StateField {
            name: "data",
            doc: "words of data that are not zero, by address",
            shape: Shape::Plain,
            read: |m| m.single()?.core.observe("data"),
        },
        StateField {
            name: "changedRegisters",
            doc: "registers that are not as when the program was loaded or changed",
            shape: Shape::Plain,
            read: |m| m.single().map(changed_registers),
        },
        StateField {
            name: "changedData",
            doc: "words of data that are not as when the program was loaded or changed",
            shape: Shape::Plain,
            read: |m| m.single().map(changed_data),
        },
        StateField {
            name: "pc",
            doc: "program counter",
            shape: Shape::Plain,
            read: |m| m.single()?.core.observe("pc"),
        },
        StateField {
            name: "time",
            doc: "instructions executed",
            shape: Shape::Plain,
            read: |m| m.single()?.core.observe("time"),
        },
        StateField {
            name: "usedRnd",
            doc: "whether a random number was requested",
            shape: Shape::Plain,
            read: |m| m.single().map(|single| Value::Bool(single.core.random.was_used())),
        },
        StateField {
            name: "outcome",
            doc: "how the test driver ended",
            shape: Shape::Plain,
            read: |m| m.driver()?.outcome.as_ref().map(|outcome| Value::text(outcome.name())),
        },
        StateField {
            name: "results",
            doc: "the driver's tests, in order",
            shape: Shape::Plain,
            read: |m| m.driver().and_then(results),
        },
        StateField {
            name: "rating",
            doc: "all tests as one",
            shape: Shape::Plain,
            read: |m| match m.driver()?.outcome.as_ref()? {
                DriverOutcome::Completed { results, error } => {
                    Some(Value::text(Rating::of(results, *error).name()))
                }
                _ => None,
            },
        },
        StateField {
            name: "notPassed",
            doc: "the driver's tests that neither passed nor were skipped, by number",
            shape: Shape::Plain,
            read: tests_not_passed,
        },
        StateField {
            name: "driverInstructions",
            doc: "instructions that the driver attempted",
            shape: Shape::Plain,
            read: |m| m.driver().map(|driver| Value::int(driver.driver_count)),
        },
        StateField {
            name: "testeeInstructions",
            doc: "instructions that the testee attempted",
            shape: Shape::Plain,
            read: |m| m.driver().map(|driver| Value::int(driver.testee_count)),
        },
        StateField {
            name: "driver",
            doc: "the driver",
            shape: Shape::Plain,
            read: |m| m.driver().map(|driver| whole(&driver.driver)),
        },
        StateField {
            name: "testee",
            doc: "the testee",
            shape: Shape::Plain,
            read: |m| m.driver().map(|driver| whole(&driver.testee)),
        },
    ];
}

impl StateFields for TinyCore {
    const FIELDS: &'static [StateField<TinyCore>] = &[
        StateField {
            name: "registers",
            doc: "r0 to r15",
            shape: Shape::Plain,
            read: |core| Some(registers(core.registers)),
        },
        StateField {
            name: "data",
            doc: "words of data that are not zero",
            shape: Shape::Plain,
            read: |core| Some(data(&core.data)),
        },
        StateField {
            name: "pc",
            doc: "program counter",
            shape: Shape::Plain,
            read: |core| Some(Value::int(core.pc)),
        },
        StateField {
            name: "time",
            doc: "instructions executed",
            shape: Shape::Plain,
            read: |core| Some(Value::int(core.time)),
        },
    ];
}

fn stop(single: &Single) -> Option<Value> {
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

fn registers(words: [u16; 16]) -> Value {
    Value::record(words.iter().enumerate().map(|(number, word)| (format!("r{number}"), Value::int(*word))))
}

fn data(words: &TinyWords) -> Value {
    let some = words.iter().enumerate().filter(|word| *word.1 != 0);
    Value::record(some.map(|(address, word)| (format!("0x{address:04x}"), Value::int(*word))))
}

fn changed_registers(single: &Single) -> Value {
    let both = single.core.registers.iter().zip(&single.first_registers).enumerate();
    let changed = both.filter(|(_, (now, before))| now != before);
    Value::record(changed.map(|(number, (now, _))| (format!("r{number}"), Value::int(*now))))
}

fn changed_data(single: &Single) -> Value {
    let both = single.core.data.iter().zip(&single.first_data[..]).enumerate();
    let changed = both.filter(|(_, (now, before))| now != before);
    Value::record(changed.map(|(address, (now, _))| (format!("0x{address:04x}"), Value::int(*now))))
}

/// A machine as a record of all its fields.
fn whole(core: &TinyCore) -> Value {
    let fields = TinyCore::FIELDS.iter().map(|field| (field.name.to_owned(), (field.read)(core)));
    Value::record(fields.filter_map(|(name, value)| Some((name, value?))))
}
