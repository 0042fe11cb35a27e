//! What an instruction reads and writes, for blame and traces.

use std::ops::Range;

use super::core::{ADDRESSES, TinyCore, TinyStop};
use super::disassembler::disassemble;
use super::driver::{DriverOutcome, DriverRating, MARKERS, ReportError, TestDriver, TestResult};
use super::instruction::TinyInstruction;
use super::machine::TinyVm;
use super::mode::MachineMode;
use super::opcodes::{TINYVM, rows};
use super::place::TinyPlace;
use crate::isa::WordField;
use crate::machines::effects::{DeclaredPlaces, MachineEffect, declared, effects};
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::view::{CodeLine, Section};
use crate::model::{Cell, Name, Path, PathKey, Value};
use crate::text::typed::address_of_key;

impl Inspect for TinyVm {
    fn instruction(&self) -> String {
        let (core, names) = self.current();
        let text = disassemble(core.instructions[usize::from(core.pc)]);
        if names.name.is_empty() { text } else { format!("{}: {text}", names.name) }
    }

    fn depth(&self) -> usize {
        1 + usize::from(self.driver().is_some_and(TestDriver::is_testing))
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        let mut effects = declared(self, counts);
        // The environment writes these, whatever the row declares.
        effects.writes.splice(0..0, self.test_end());
        effects
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        let has = |kind: &str| self.cores().into_iter().flatten().find(|(_, names)| names.holds(kind));
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
            Cell::Stack(_) | Cell::Item(..) | Cell::Compound(_) | Cell::Bytes(..) => None,
        }
    }

    fn sections(&self) -> Vec<Section> {
        self.view()
    }

    fn unit(&self) -> usize {
        usize::from(self.driver().is_some_and(TestDriver::is_testing))
    }

    fn function(&self) -> Option<String> {
        let name = self.current().1.name;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn listing(&self) -> Vec<CodeLine> {
        self.words_as_lines()
    }

    fn set_cells(&self, changes: &Value) -> Vec<Cell> {
        let members = |name: &str| changes.get(name).and_then(Value::members).unwrap_or_default();
        let registers =
            members("registers").iter().map(|(name, _)| Cell::named(SINGLE.registers, name.clone()));
        let part = |(address, part): &(Name, Value)| {
            let Value::Bytes(bytes) = part else { return None };
            let length = u16::try_from(bytes.len() / 2).unwrap_or(u16::MAX);
            Some(wrapped(SINGLE.data, data_address(address)?, length))
        };
        registers.chain(members("data").iter().filter_map(part).flatten()).collect()
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (names, keys) = match &keys[..] {
            [PathKey::Name(field), rest @ ..] if field == "driver" => (&DRIVER, rest),
            [PathKey::Name(field), rest @ ..] if field == "testee" => (&TESTEE, rest),
            all => (&SINGLE, all),
        };
        match keys {
            [PathKey::Name(field), PathKey::Name(name)]
                if field == "registers" || field == "changedRegisters" =>
            {
                vec![Cell::named(names.registers, name.clone())]
            }
            [PathKey::Name(field), PathKey::Name(address)] if field == "data" || field == "changedData" => {
                data_address(address).map(|address| data(names.data, address)).into_iter().collect()
            }
            [PathKey::Name(field)] if field == "value" => self.yielded().into_iter().collect(),
            [PathKey::Name(field)] if field == "outcome" || field == "results" => {
                self.command(field).into_iter().collect()
            }
            [PathKey::Name(field)] if field == "rating" => {
                let markers = self.passed_markers().rev();
                markers.chain(self.rated().map(|rated| rated.0)).collect()
            }
            // The driver's results are its first words of data.
            [PathKey::Name(field), PathKey::Index(index)] if field == "results" => {
                vec![data(DRIVER.data, *index as u16)]
            }
            [PathKey::Name(field), PathKey::Name(test)] if field == "notPassed" => {
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

/// The names of a machine's cells, and how many registers its yield passes on.
pub(super) struct CellNames {
    name: &'static str,
    pub(super) registers: &'static str,
    pub(super) data: &'static str,
    command: usize,
}

impl CellNames {
    /// Whether cells of this kind are its own.
    fn holds(&self, kind: &str) -> bool {
        kind == self.registers || kind == self.data
    }
}

pub(super) const SINGLE: CellNames = CellNames { name: "", registers: "register", data: "data", command: 1 };
const DRIVER: CellNames =
    CellNames { name: "driver", registers: "driver register", data: "driver data", command: 4 };
const TESTEE: CellNames =
    CellNames { name: "testee", registers: "testee register", data: "testee data", command: 1 };

/// The maximum number of words of data that are shown as a value.
const SHOWN: usize = 16;

impl TinyVm {
    /// The existing machines.
    fn cores(&self) -> [Option<(&TinyCore, &'static CellNames)>; 2] {
        match &self.mode {
            MachineMode::Single(single) => [Some((&single.core, &SINGLE)), None],
            MachineMode::Driver(environment) => {
                [Some((&environment.driver, &DRIVER)), Some((&environment.testee, &TESTEE))]
            }
        }
    }

    /// The word in the cell of a register, or of one address of data.
    pub(super) fn word_mut(&mut self, cell: &Cell) -> Option<&mut u16> {
        let kind = match cell {
            Cell::Named(kind, _) | Cell::Range(kind, _) => *kind,
            Cell::Stack(_) | Cell::Item(..) | Cell::Compound(_) | Cell::Bytes(..) => return None,
        };
        let core = match &mut self.mode {
            MachineMode::Single(single) => Some(&mut single.core).filter(|_| SINGLE.holds(kind)),
            MachineMode::Driver(environment) => {
                let TestDriver { driver, testee, .. } = &mut **environment;
                let is_driver = DRIVER.holds(kind);
                Some(if is_driver { driver } else { testee }).filter(|_| is_driver || TESTEE.holds(kind))
            }
        }?;
        match cell {
            Cell::Named(_, name) => core.registers.get_mut(name.strip_prefix('r')?.parse::<usize>().ok()?),
            Cell::Range(_, range) if range.len() == 1 => core.data.get_mut(range.start),
            _ => None,
        }
    }

    /// The machine that executes the next instruction.
    pub(super) fn current(&self) -> (&TinyCore, &'static CellNames) {
        match &self.mode {
            MachineMode::Single(single) => (&single.core, &SINGLE),
            MachineMode::Driver(environment) if environment.is_testing() => (&environment.testee, &TESTEE),
            MachineMode::Driver(environment) => (&environment.driver, &DRIVER),
        }
    }

    /// Like [`TinyVm::current`], to be changed.
    pub(super) fn current_mut(&mut self) -> &mut TinyCore {
        let is_testing = self.driver().is_some_and(TestDriver::is_testing);
        match &mut self.mode {
            MachineMode::Single(single) => &mut single.core,
            MachineMode::Driver(environment) => {
                let TestDriver { driver, testee, .. } = &mut **environment;
                if is_testing { testee } else { driver }
            }
        }
    }

    /// The register with the value that the run ends with; `None` if it ends with a word that is not an
    /// instruction.
    fn yielded(&self) -> Option<Cell> {
        let names = match &self.mode {
            MachineMode::Single(single) => matches!(single.stop, Some(TinyStop::Yield(_))).then_some(&SINGLE),
            MachineMode::Driver(driver) => {
                matches!(driver.outcome, Some(DriverOutcome::IllegalYield(_))).then_some(&DRIVER)
            }
        };
        names.map(|names| Cell::named(names.registers, "r0"))
    }

    /// The register of the command that ended the run: the one that holds the command, or the number of results.
    fn command(&self, field: &str) -> Option<Cell> {
        let name = match &self.driver()?.outcome {
            Some(DriverOutcome::Completed { .. }) if field == "results" => "r1",
            Some(DriverOutcome::Completed { .. } | DriverOutcome::IllegalYield(_)) => "r0",
            _ => return None,
        };
        Some(Cell::named(DRIVER.registers, name))
    }

    /// The word that decides the rating of a report, and what it means.
    fn rated(&self) -> Option<(Cell, String)> {
        let Some(DriverOutcome::Completed { results, error }) = &self.driver()?.outcome else { return None };
        let (address, meaning) = match error {
            Some(ReportError::Marker { address, expected, found }) => {
                (*address, format!("marker 0x{expected:04x} expected, found 0x{found:04x}"))
            }
            Some(error @ ReportError::TooManyTests) => {
                return Some((Cell::named(DRIVER.registers, "r1"), error.to_string()));
            }
            None => {
                let rating = DriverRating::of(results, None);
                let decides = |result: &TestResult| DriverRating::of(&[*result], None) == rating;
                let at = results.iter().position(decides)?;
                (at as u16, format!("{} is the result of test {}", results[at].name(), at + 1))
            }
        };
        Some((data(DRIVER.data, address), meaning))
    }

    /// The markers of a report without a test that did not pass. A test that did not pass on another machine is a
    /// datum of its own; a rating that differs alone is about the markers.
    fn passed_markers(&self) -> impl DoubleEndedIterator<Item = Cell> + use<> {
        let count = match self.driver().and_then(|driver| driver.outcome.as_ref()) {
            Some(DriverOutcome::Completed { results, error: None })
                if DriverRating::of(results, None) == DriverRating::Pass =>
            {
                Some(results.len())
            }
            _ => None,
        };
        let addresses = count.map_or(0..0, |count| count..count + MARKERS.len());
        addresses.map(|address| data(DRIVER.data, address as u16))
    }

    /// The word that decided the rating, as text.
    pub(super) fn explain_rating(&self) -> Option<String> {
        let (cell, meaning) = self.rated()?;
        Some(format!("decided by {cell}: {meaning}"))
    }

    /// The word of the next instruction.
    fn word(&self) -> u16 {
        let core = self.current().0;
        core.instructions[usize::from(core.pc)]
    }

    /// The number in the next instruction, or the target of a jump.
    fn number(&self) -> u16 {
        TinyInstruction::decode(self.word(), self.current().0.pc).value
    }

    /// The number of the instruction's first or second register.
    fn register(&self, number: usize) -> Option<usize> {
        let word = self.word();
        let fields = TINYVM.by_code(word)?.fields;
        fields.iter().filter_map(|field| register(*field, word)).nth(number)
    }

    /// The word of data whose address is in the instruction's first or second register.
    fn data_at(&self, number: usize) -> Vec<Cell> {
        let (core, names) = self.current();
        self.register(number).map(|register| data(names.data, core.registers[register])).into_iter().collect()
    }

    /// The driver's registers that report the end of the testee's turn, if the next instruction ends it.
    fn test_end(&self) -> Vec<Cell> {
        let MachineMode::Driver(environment) = &self.mode else { return Vec::new() };
        let is_last = match TINYVM.by_code(self.word()).map(|op| op.name) {
            None | Some("YIELD") => true,
            Some("EXP" | "ROOT") if !environment.testee.has_powers => true,
            Some(_) => environment.is_last_of_test(),
        };
        if environment.is_testing() && is_last { numbered(&DRIVER, 0..2).collect() } else { Vec::new() }
    }

    /// The environment, if its driver is about to yield a command.
    fn commanded(&self) -> Option<&TestDriver> {
        match &self.mode {
            MachineMode::Driver(environment) if !environment.is_testing() => Some(environment),
            MachineMode::Driver(_) | MachineMode::Single(_) => None,
        }
    }

    /// What the driver's command copies.
    fn source(&self) -> Vec<Cell> {
        let Some(TestDriver { driver, .. }) = self.commanded() else { return Vec::new() };
        let [command, r1, r2, r3, ..] = driver.registers;
        match command {
            // Registers that the bitmap leaves unchanged.
            3 => {
                let stay = (0..16).filter(|number| r1 >> number & 1 == 0);
                stay.flat_map(|number| numbered(&TESTEE, number..number + 1))
                    .chain(wrapped(DRIVER.data, r2, 16))
                    .collect()
            }
            4 => wrapped(DRIVER.data, r2, r3).collect(),
            5 => wrapped(TESTEE.data, r2, r3).collect(),
            _ => Vec::new(),
        }
    }

    /// What the driver's command changes.
    fn target(&self) -> Vec<Cell> {
        let Some(environment) = self.commanded() else { return Vec::new() };
        let [command, r1, r2, r3, ..] = environment.driver.registers;
        match command {
            1 if environment.is_testee_stopped() => numbered(&DRIVER, 0..2).collect(),
            3 => numbered(&TESTEE, 0..16).chain(wrapped(DRIVER.data, r2, 16)).collect(),
            4 => wrapped(TESTEE.data, r1, r3).collect(),
            5 | 6 => wrapped(DRIVER.data, r1, r3).collect(),
            7 => numbered(&TESTEE, 0..16).chain([Cell::Range(TESTEE.data, 0..ADDRESSES)]).collect(),
            _ => Vec::new(),
        }
    }
}

/// The target of an instruction that contains a distance.
pub(super) fn skipped(machine: &TinyVm) -> Option<usize> {
    Some(machine.number().into())
}

/// The target of an instruction that adds its byte to a register.
pub(super) fn added(machine: &TinyVm) -> Option<usize> {
    let register = machine.current().0.registers[machine.register(0)?];
    Some(register.wrapping_add(machine.number()).into())
}

/// The target of an instruction that contains the high byte of the address.
pub(super) fn joined(machine: &TinyVm) -> Option<usize> {
    let register = machine.current().0.registers[machine.register(0)?];
    Some((machine.number() | register & 0xff).into())
}

/// Generates the list of what each row reads and writes.
macro_rules! effect_lists {
    (
        $($word:literal $exact:ident $exact_text:literal [] $exact_handler:path, $exact_doc:literal,
            $exact_effects:tt;)*
        fields
        $($first:tt $(..= $last:tt)? $name:ident $text:literal
            [$($field:ident $(($size:literal))?)*] $handler:path, $doc:literal, $effects:tt;)*
    ) => {
        effects! { { EFFECTS: TinyVm, TinyPlace } $($exact_effects,)* $($effects),* }
    };
}

rows!(effect_lists);

impl DeclaredPlaces for TinyVm {
    type Place = TinyPlace;

    fn row_effects(&self) -> &'static [MachineEffect<TinyVm, TinyPlace>] {
        TINYVM.row(self.word()).map_or(&[], |row| EFFECTS[row])
    }

    fn cells_at(&self, place: TinyPlace) -> Vec<Cell> {
        let names = self.current().1;
        let register = |number| self.register(number).into_iter().flat_map(|it| numbered(names, it..it + 1));
        match place {
            TinyPlace::A => register(0).collect(),
            TinyPlace::B => register(1).collect(),
            TinyPlace::DataAtA => self.data_at(0),
            TinyPlace::DataAtB => self.data_at(1),
            TinyPlace::R0 => numbered(names, 0..1).collect(),
            TinyPlace::First4 => numbered(names, 0..4).collect(),
            TinyPlace::Command => numbered(names, 0..names.command).collect(),
            TinyPlace::Source => self.source(),
            TinyPlace::Target => self.target(),
        }
    }
}

fn numbered(names: &'static CellNames, numbers: Range<usize>) -> impl Iterator<Item = Cell> {
    numbers.map(|number| Cell::named(names.registers, format!("r{number}")))
}

/// The cells of `length` words of data. Addresses wrap around.
fn wrapped(space: &'static str, from: u16, length: u16) -> impl Iterator<Item = Cell> {
    let (from, length) = (usize::from(from), usize::from(length));
    let end = (from + length).min(ADDRESSES);
    let ranges = [from..end, 0..from + length - end];
    ranges.into_iter().filter(|range| !range.is_empty()).map(move |range| Cell::Range(space, range))
}

fn register(field: WordField, word: u16) -> Option<usize> {
    match field {
        WordField::Register(shift) => Some(usize::from(word >> shift & 15)),
        WordField::Signed | WordField::High | WordField::Skip(_) => None,
    }
}

/// The address that names a word of data.
fn data_address(name: &str) -> Option<u16> {
    u16::try_from(address_of_key(name)?).ok()
}

fn data(space: &'static str, address: u16) -> Cell {
    Cell::Range(space, address.into()..usize::from(address) + 1)
}
