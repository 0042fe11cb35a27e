//! What an instruction reads and writes, for blame and traces.

use std::ops::Range;

use super::core::{Core, Stop, Words};
use super::disassembler::disassemble;
use super::driver::{Environment, Outcome};
use super::machine::{Mode, TinyVm};
use super::table::TINYVM;
use crate::isa::Field;
use crate::machines::inspect::{Effects, Inspect};
use crate::model::cell::Cell;
use crate::model::path::{Key, Path};
use crate::model::value::Value;

impl Inspect for TinyVm {
    fn instruction(&self) -> String {
        let (core, who) = self.current();
        let text = disassemble(core.instructions[usize::from(core.pc)]);
        if who.name.is_empty() { text } else { format!("{}: {text}", who.name) }
    }

    fn effects(&self) -> Effects {
        let (core, who) = self.current();
        let mut effects = Effects::default();
        let word = core.instructions[usize::from(core.pc)];
        self.ends_test(word, &mut effects);
        let Some(op) = TINYVM.by_code(word) else { return effects };
        let registers: Vec<_> = op.fields.iter().filter_map(|field| register(*field, word)).collect();
        let value = |register: usize| Value::int(core.registers[register]);
        let mut read = |register: usize| {
            effects.read(Cell::named(who.registers, format!("r{register}")), Some(value(register)));
        };
        match (op.name, &registers[..]) {
            ("LI", _) => {}
            ("YIELD", _) => who.command.iter().for_each(|register| read(*register)),
            // The first is where the result goes.
            (
                "LW" | "LWI" | "DECR" | "INCR" | "NOT" | "POPCNT" | "CLZ" | "CTZ" | "RND" | "MOV",
                [_, from],
            ) => {
                read(*from);
            }
            (_, all) => all.iter().for_each(|register| read(*register)),
        }
        match (op.name, &registers[..]) {
            ("SW", [address, _]) => effects.write(data(who.data, core.registers[*address])),
            ("LW", [to, from]) => {
                let address = core.registers[*from];
                let loaded = Value::int(core.data[usize::from(address)]);
                effects.read(data(who.data, address), Some(loaded));
                effects.write(Cell::named(who.registers, format!("r{to}")));
            }
            ("B" | "JR" | "JHI", _) => effects.write(Cell::jump()),
            ("J" | "DEBUG", _) => {}
            ("CPUID" | "TIME", _) => {
                effects.writes.extend(numbered(who, 0..4));
            }
            ("YIELD", _) => self.commands(&mut effects),
            (
                "LI" | "LHI" | "LWI" | "DECR" | "INCR" | "NOT" | "POPCNT" | "CLZ" | "CTZ" | "RND" | "MOV",
                [to, ..],
            )
            | (_, [_, to]) => effects.write(Cell::named(who.registers, format!("r{to}"))),
            _ => {}
        }
        effects
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        let has = |kind: &str| self.cores().into_iter().flatten().find(|(_, who)| who.holds(kind));
        match cell {
            Cell::Named(kind, name) => {
                let register: usize = name.strip_prefix('r')?.parse().ok()?;
                has(kind)?.0.registers.get(register).map(|word| Value::int(*word))
            }
            Cell::Range(kind, range) => {
                let data = &has(kind)?.0.data;
                let words = &data[range.start.min(data.len())..range.end.min(data.len())];
                Some(match words {
                    [word] => Value::int(*word),
                    words => Value::List(words.iter().take(SHOWN).map(|word| Value::int(*word)).collect()),
                })
            }
            Cell::Stack(_) | Cell::Item(..) | Cell::Compound(_) => None,
        }
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (who, keys) = match &keys[..] {
            [Key::Name(field), rest @ ..] if field == "driver" => (&DRIVER, rest),
            [Key::Name(field), rest @ ..] if field == "testee" => (&TESTEE, rest),
            all => (&SINGLE, all),
        };
        match keys {
            [Key::Name(field), Key::Name(name)] if field == "registers" || field == "changedRegisters" => {
                vec![Cell::named(who.registers, name.clone())]
            }
            [Key::Name(field), Key::Name(address)] if field == "data" || field == "changedData" => {
                let address =
                    address.strip_prefix("0x").and_then(|digits| u16::from_str_radix(digits, 16).ok());
                address.map(|address| data(who.data, address)).into_iter().collect()
            }
            [Key::Name(field)] if field == "value" => self.yielded().into_iter().collect(),
            // The driver's results are its first words of data.
            [Key::Name(field), Key::Index(index)] if field == "results" => {
                vec![data(DRIVER.data, *index as u16)]
            }
            [Key::Name(field), Key::Name(test)] if field == "notPassed" => {
                let number = test.strip_prefix("test ").and_then(|number| number.parse::<u16>().ok());
                number
                    .and_then(|number| number.checked_sub(1))
                    .map(|at| data(DRIVER.data, at))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What the cells of a machine are called, and which registers its commands are in.
pub(super) struct Who {
    name: &'static str,
    registers: &'static str,
    data: &'static str,
    command: &'static [usize],
}

impl Who {
    /// Whether cells of this kind are its own.
    fn holds(&self, kind: &str) -> bool {
        kind == self.registers || kind == self.data
    }
}

const SINGLE: Who = Who { name: "", registers: "register", data: "data", command: &[0] };
const DRIVER: Who =
    Who { name: "driver", registers: "driver register", data: "driver data", command: &[0, 1, 2, 3] };
const TESTEE: Who = Who { name: "testee", registers: "testee register", data: "testee data", command: &[0] };

/// The most words of data that are shown as a value.
const SHOWN: usize = 16;

impl TinyVm {
    /// The machines that there are.
    fn cores(&self) -> [Option<(&Core, &'static Who)>; 2] {
        match &self.mode {
            Mode::Single(single) => [Some((&single.core, &SINGLE)), None],
            Mode::Driver(environment) => {
                [Some((&environment.driver, &DRIVER)), Some((&environment.testee, &TESTEE))]
            }
        }
    }

    /// The machine that executes the next instruction.
    pub(super) fn current(&self) -> (&Core, &'static Who) {
        match &self.mode {
            Mode::Single(single) => (&single.core, &SINGLE),
            Mode::Driver(environment) if environment.is_testing() => (&environment.testee, &TESTEE),
            Mode::Driver(environment) => (&environment.driver, &DRIVER),
        }
    }

    /// The register of the value that the run ends with; none for a word that is no instruction.
    fn yielded(&self) -> Option<Cell> {
        let who = match &self.mode {
            Mode::Single(single) => matches!(single.stop, Some(Stop::Yield(_))).then_some(&SINGLE),
            Mode::Driver(driver) => {
                matches!(driver.outcome, Some(Outcome::IllegalYield(_))).then_some(&DRIVER)
            }
        };
        who.map(|who| Cell::named(who.registers, "r0"))
    }

    /// What the driver is told when the testee's turn ends with its instruction.
    fn ends_test(&self, word: u16, effects: &mut Effects) {
        let Mode::Driver(environment) = &self.mode else { return };
        let is_last = match TINYVM.by_code(word).map(|op| op.name) {
            None | Some("YIELD") => true,
            Some("EXP" | "ROOT") if !environment.testee.has_powers => true,
            Some(_) => environment.is_last_of_test(),
        };
        if environment.is_testing() && is_last {
            effects.writes.extend(numbered(&DRIVER, 0..2));
        }
    }

    /// What a yield of the driver does.
    fn commands(&self, effects: &mut Effects) {
        let Mode::Driver(environment) = &self.mode else { return };
        let Environment { driver, testee, .. } = &**environment;
        if environment.is_testing() {
            return;
        }
        let [command, r1, r2, r3, ..] = driver.registers;
        match command {
            1 if environment.is_testee_stopped() => effects.writes.extend(numbered(&DRIVER, 0..2)),
            3 => {
                for (number, value) in testee.registers.iter().enumerate() {
                    if r1 >> number & 1 == 0 {
                        effects.read(
                            Cell::named(TESTEE.registers, format!("r{number}")),
                            Some(Value::int(*value)),
                        );
                    }
                }
                reads_data(DRIVER.data, &driver.data, r2, 16, effects);
                effects.writes.extend(numbered(&TESTEE, 0..16));
                effects.writes.extend(wrapped(DRIVER.data, r2, 16));
            }
            4 => {
                reads_data(DRIVER.data, &driver.data, r2, r3, effects);
                effects.writes.extend(wrapped(TESTEE.data, r1, r3));
            }
            5 => {
                reads_data(TESTEE.data, &testee.data, r2, r3, effects);
                effects.writes.extend(wrapped(DRIVER.data, r1, r3));
            }
            6 => effects.writes.extend(wrapped(DRIVER.data, r1, r3)),
            7 => {
                effects.writes.extend(numbered(&TESTEE, 0..16));
                effects.write(Cell::Range(TESTEE.data, 0..WORDS));
            }
            _ => {}
        }
    }
}

/// How many words of data a machine has.
const WORDS: usize = 1 << 16;

fn numbered(who: &'static Who, numbers: Range<usize>) -> impl Iterator<Item = Cell> {
    numbers.map(|number| Cell::named(who.registers, format!("r{number}")))
}

/// So many words of data. Addresses wrap around.
fn wrapped(space: &'static str, from: u16, length: u16) -> impl Iterator<Item = Cell> {
    let (from, length) = (usize::from(from), usize::from(length));
    let end = (from + length).min(WORDS);
    let ranges = [from..end, 0..from + length - end];
    ranges.into_iter().filter(|range| !range.is_empty()).map(move |range| Cell::Range(space, range))
}

fn reads_data(space: &'static str, data: &Words, from: u16, length: u16, effects: &mut Effects) {
    for cell in wrapped(space, from, length) {
        let Cell::Range(_, range) = &cell else { continue };
        let words = data[range.clone()].iter().take(SHOWN).map(|word| Value::int(*word)).collect();
        effects.read(cell, Some(Value::List(words)));
    }
}

fn register(field: Field, word: u16) -> Option<usize> {
    match field {
        Field::Register(shift) => Some(usize::from(word >> shift & 15)),
        Field::Signed | Field::High | Field::Skip(_) => None,
    }
}

fn data(space: &'static str, address: u16) -> Cell {
    Cell::Range(space, address.into()..usize::from(address) + 1)
}
