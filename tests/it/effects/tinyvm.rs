//! Random states of TinyVM: one instruction alone, or a driver that commands its testee.

use vmconf::isa::OpInfo;
use vmconf::machines::by_name;
use vmconf::model::{Cell, Program, Value};

use super::prepared::{Prepared, Scene};
use crate::random::Random;

/// Where data are.
const ADDRESSES: [u16; 8] = [0, 1, 2, 3, 0x0100, 0x7fff, 0xfffe, 0xffff];
const MUTANTS: usize = 10;
const YIELD: u16 = 0x102a;
/// The address of the words of a driver and its testee, and how many there are.
const WINDOW: u16 = 0x0100;
const WORDS: usize = 16;

fn prepared(program: Vec<(&str, Value)>, steps: u64) -> Prepared {
    let members = program.into_iter().map(|(name, value)| (name.to_owned(), value));
    Prepared {
        machine: by_name("tinyvm").unwrap(),
        program: Program::from(Value::record(members)),
        first: Vec::new(),
        steps,
        changes: Vec::new(),
    }
}

fn segment(words: &[u16]) -> Value {
    Value::Bytes(words.iter().flat_map(|word| word.to_be_bytes()).collect())
}

fn word(random: &mut Random) -> u16 {
    match random.below(4) {
        0 => random.next() as u16,
        _ => ADDRESSES[random.below(ADDRESSES.len())],
    }
}

/// A word at an address of data.
fn data(space: &'static str, address: u16) -> Cell {
    Cell::Range(space, address.into()..usize::from(address) + 1)
}

/// One machine in front of a word.
#[derive(Clone)]
struct Alone {
    instruction: u16,
    registers: [u16; 16],
    data: [u16; ADDRESSES.len()],
}

impl Alone {
    fn change(&mut self, random: &mut Random) -> Cell {
        if random.below(2) == 0 {
            let number = random.below(16);
            self.registers[number] = word(random);
            Cell::named("register", format!("r{number}"))
        } else {
            let number = random.below(ADDRESSES.len());
            self.data[number] = word(random);
            data("data", ADDRESSES[number])
        }
    }

    fn prepared(&self) -> Prepared {
        let words = ADDRESSES.iter().zip(self.data);
        let words = words.map(|(address, word)| (format!("0x{address:04x}"), segment(&[word])));
        prepared(
            vec![
                ("instructions", segment(&[self.instruction])),
                ("registers", Value::List(self.registers.iter().map(|word| Value::int(*word)).collect())),
                ("data", Value::record(words)),
                ("rnd", Value::int(1)),
                ("features", Value::List(vec![Value::text("expRoot")])),
            ],
            0,
        )
    }
}

/// A driver in front of a command.
#[derive(Clone)]
struct Commanding {
    /// The first registers of the driver.
    command: [u16; 4],
    driver: [u16; WORDS],
    testee: [u16; WORDS],
    registers: [u16; 16],
}

impl Commanding {
    fn random(random: &mut Random) -> Commanding {
        let mut words = || [(); WORDS].map(|()| random.next() as u16);
        let (driver, testee, registers) = (words(), words(), words());
        let near = |random: &mut Random| WINDOW + random.below(4) as u16;
        let command = 1 + random.below(9) as u16;
        let first = if command == 3 { random.next() as u16 } else { near(random) };
        let command = [command, first, near(random), random.below(6) as u16];
        Commanding { command, driver, testee, registers }
    }

    fn change(&mut self, random: &mut Random) -> Cell {
        let (number, value) = (random.below(WORDS), random.next() as u16);
        let address = WINDOW + number as u16;
        match random.below(4) {
            0 => {
                self.driver[number] = value;
                data("driver data", address)
            }
            1 => {
                self.testee[number] = value;
                data("testee data", address)
            }
            2 => {
                self.registers[number] = value;
                Cell::named("testee register", format!("r{number}"))
            }
            _ => {
                let number = random.below(4);
                self.command[number] = self.command[number] % 9 + 1;
                Cell::named("driver register", format!("r{number}"))
            }
        }
    }

    fn prepared(&self) -> Prepared {
        let mut program = Vec::new();
        store(&self.testee, &mut program);
        command([4, WINDOW, WINDOW, WORDS as u16], &mut program);
        program.push(YIELD);
        store(&self.registers, &mut program);
        command([3, 0xffff, WINDOW, 0], &mut program);
        program.push(YIELD);
        store(&self.driver, &mut program);
        // What is left of the last word is not a second place that holds it.
        load(5, 0, &mut program);
        command(self.command, &mut program);
        let steps = program.len() as u64;
        program.push(YIELD);
        let driver = Value::record([("instructions".to_owned(), segment(&program))]);
        prepared(vec![("driver", driver), ("testee", Value::Record(Vec::new()))], steps)
    }
}

/// Instructions that put words into the window.
fn store(words: &[u16; WORDS], program: &mut Vec<u16>) {
    for (address, word) in (WINDOW..).zip(words) {
        load(4, address, program);
        load(5, *word, program);
        program.push(0x2045);
    }
}

fn command(words: [u16; 4], program: &mut Vec<u16>) {
    words.into_iter().enumerate().for_each(|(register, word)| load(register as u16, word, program));
}

/// Instructions that put a word into a register: its low byte, then its high byte.
fn load(register: u16, word: u16, program: &mut Vec<u16>) {
    program.extend([0x3000 | register << 8 | word & 0xff, 0x4000 | register << 8 | word >> 8]);
}

/// A random state in front of the instruction.
pub(crate) fn scene(op: &OpInfo, random: &mut Random) -> Scene {
    if op.code == YIELD && random.below(4) > 0 {
        let start = Commanding::random(random);
        let mutant = |_| {
            let mut parts = start.clone();
            let cell = parts.change(random);
            (Some(cell), parts.prepared())
        };
        let mutants = (0..MUTANTS).map(mutant).collect();
        return Scene {
            shown: format!("{:x?}", start.command),
            mutants,
            start: start.prepared(),
            idle: None,
        };
    }
    let start = Alone {
        instruction: op.code | random.next() as u16 & !op.mask,
        registers: [(); 16].map(|()| word(random)),
        data: [(); ADDRESSES.len()].map(|()| word(random)),
    };
    let mutant = |_| {
        let mut parts = start.clone();
        let cell = parts.change(random);
        (Some(cell), parts.prepared())
    };
    let mutants = (0..MUTANTS).map(mutant).collect();
    Scene { shown: format!("{:x?}", start.registers), mutants, start: start.prepared(), idle: None }
}
