//! What an instruction reads and writes, for blame and traces.

use super::core::Core;
use super::disassembler::disassemble;
use super::driver::Environment;
use super::machine::{Mode, TinyVm};
use super::table::TINYVM;
use crate::inspect::{Cell, Effects, Inspect};
use crate::isa::Field;
use crate::value::{Key, Path, Value};

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
            ("B" | "J" | "JR" | "JHI" | "DEBUG", _) => {}
            ("CPUID" | "TIME", _) => {
                effects.writes.extend((0..4).map(|number| Cell::named(who.registers, format!("r{number}"))));
            }
            ("YIELD", _) => self.command(&mut effects),
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
            [Key::Name(field)] if field == "value" => vec![Cell::named(SINGLE.registers, "r0")],
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

    /// What a yield does in the test driver: a command of the driver, or the testee's answer.
    fn command(&self, effects: &mut Effects) {
        let Mode::Driver(environment) = &self.mode else { return };
        let Environment { driver, .. } = &**environment;
        if environment.is_testing() {
            return effects
                .writes
                .extend([0, 1].map(|number| Cell::named(DRIVER.registers, format!("r{number}"))));
        }
        let [command, r1, r2, r3, ..] = driver.registers;
        let from = usize::from(r1)..usize::from(r1) + usize::from(r3);
        match command {
            3 => {
                effects
                    .writes
                    .extend((0..16).map(|number| Cell::named(TESTEE.registers, format!("r{number}"))));
                effects.write(Cell::Range(DRIVER.data, usize::from(r2)..usize::from(r2) + 16));
            }
            4 => effects.write(Cell::Range(TESTEE.data, from)),
            5 | 6 => effects.write(Cell::Range(DRIVER.data, from)),
            7 => {
                effects
                    .writes
                    .extend((0..16).map(|number| Cell::named(TESTEE.registers, format!("r{number}"))));
                effects.write(Cell::Range(TESTEE.data, 0..1 << 16));
            }
            _ => {}
        }
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
