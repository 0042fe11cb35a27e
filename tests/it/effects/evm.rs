//! Random programs of the EVM: they fill memory and stack, execute the instruction and end.

use num_bigint::{BigInt, Sign};
use vmconf::isa::OpInfo;
use vmconf::machines::by_name;
use vmconf::model::{Cell, Program, Value};

use super::prepared::{Prepared, Scene};
use crate::random::Random;

/// The executing account, two that are there from the start, and one that may be.
const ACCOUNTS: [u8; 4] = [0xaa, 0xbb, 0xcc, 0xdd];
const STOP: u8 = 0x00;
const MSTORE8: u8 = 0x53;
const JUMPDEST: u8 = 0x5b;
const PUSH1: u8 = 0x60;
/// How many of each.
const MEMORY_WORDS: usize = 3;
const KEYS: usize = 4;
const MUTANTS: usize = 12;

type Word = [u8; 32];

/// What a state is made of.
#[derive(Clone)]
struct Parts {
    /// The bottom first.
    stack: Vec<Word>,
    memory: [Word; MEMORY_WORDS],
    /// Words by key, from 0.
    storage: [u64; KEYS],
    /// Balance and size of the code of each account that is there.
    accounts: [Option<(u64, usize)>; ACCOUNTS.len()],
}

fn small(number: u64) -> Word {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&number.to_be_bytes());
    word
}

fn any(random: &mut Random) -> Word {
    let mut word = [0; 32];
    word.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.next().to_be_bytes()));
    word
}

fn address(account: u8) -> Word {
    let mut word = [0; 32];
    word[12..].fill(account);
    word
}

/// A word that means something to some instruction: a size, an offset, a key, an address, a place to
/// jump to.
fn operand(places: [usize; 2], random: &mut Random) -> Word {
    match random.below(9) {
        0 | 1 => small(random.below(KEYS) as u64),
        2 | 3 => small(random.below(32 * MEMORY_WORDS + 8) as u64),
        4 | 5 => address(ACCOUNTS[random.below(ACCOUNTS.len())]),
        6 | 7 => small(places[random.below(2)] as u64),
        _ => any(random),
    }
}

fn account(random: &mut Random) -> Option<(u64, usize)> {
    (random.below(4) > 0).then(|| (random.below(100) as u64, 20 * random.below(3)))
}

/// Where the program can jump to.
fn places(op: &OpInfo) -> [usize; 2] {
    let end = 5 + 2 * height(op) + 1 + operand_len(op) + 1;
    [end, end + 2]
}

fn height(op: &OpInfo) -> usize {
    usize::from(op.pops) + 2
}

fn operand_len(op: &OpInfo) -> usize {
    op.operands.iter().map(|operand| operand.fixed_len()).sum()
}

impl Parts {
    fn random(op: &OpInfo, random: &mut Random) -> Parts {
        let mut parts = Parts {
            stack: (0..height(op)).map(|_| operand(places(op), random)).collect(),
            memory: [(); MEMORY_WORDS].map(|()| any(random)),
            storage: [(); KEYS].map(|()| random.below(3) as u64),
            accounts: [(); ACCOUNTS.len()].map(|()| account(random)),
        };
        parts.accounts[0] = Some((random.below(100) as u64, 0));
        parts
    }

    /// The same with another value of one cell.
    fn change(&mut self, op: &OpInfo, random: &mut Random) -> Cell {
        match random.below(5) {
            0 => {
                let at = random.below(32 * MEMORY_WORDS);
                self.memory[at / 32][at % 32] ^= 1 + random.below(255) as u8;
                Cell::Range("memory", at..at + 1)
            }
            1 => {
                let key = random.below(KEYS);
                self.storage[key] = (self.storage[key] + 1 + random.below(2) as u64) % 3;
                Cell::named("storage", format!("0x{key:02x}"))
            }
            2 => {
                // Mostly one that is an operand.
                let operand = self.stack[random.below(self.stack.len())];
                let named = ACCOUNTS.iter().position(|account| address(*account) == operand);
                let number = named.unwrap_or_else(|| random.below(ACCOUNTS.len()));
                let kind = self.change_account(number, random);
                Cell::named(kind, format!("0x{}", hex::encode([ACCOUNTS[number]; 20])))
            }
            _ => {
                let at = random.below(self.stack.len());
                self.stack[at] = operand(places(op), random);
                Cell::Stack(at)
            }
        }
    }

    /// Changes the balance of an account, or everything else. Returns the kind of the cell.
    fn change_account(&mut self, number: usize, random: &mut Random) -> &'static str {
        let account = &mut self.accounts[number];
        match account {
            Some((balance, _)) if number == 0 || random.below(2) == 0 => {
                *balance = random.below(100) as u64;
                "balance"
            }
            Some((balance, size)) => {
                let is_gone = *balance == 0 && random.below(2) == 0;
                *size = 20 * random.below(3);
                if is_gone {
                    *account = None;
                }
                "account"
            }
            None => {
                *account = Some((0, 20 * random.below(3)));
                "account"
            }
        }
    }

    /// A program that makes as many items and as much memory, executes a code and ends; the state is set
    /// in front of the code, so that the program is the same for all states.
    fn prepared(&self, op: &OpInfo, code: u8) -> Prepared {
        let mut program = vec![PUSH1, 1, PUSH1, 32 * MEMORY_WORDS as u8 - 1, MSTORE8];
        self.stack.iter().for_each(|_| program.extend([PUSH1, 0]));
        program.push(code);
        program.extend((0..operand_len(op)).map(|at| at as u8 + 7));
        program.extend([STOP, JUMPDEST, STOP, JUMPDEST, STOP]);
        let item = |(at, word): (usize, &Word)| {
            (Cell::Stack(at), Value::Int(BigInt::from_bytes_be(Sign::Plus, word)))
        };
        let memory = self.memory.concat();
        let memory = (Cell::Range("memory", 0..memory.len()), Value::Bytes(memory));
        Prepared {
            machine: by_name("evm").unwrap(),
            program: Program::from(self.record(program)),
            first: Vec::new(),
            steps: (3 + self.stack.len()) as u64,
            changes: self.stack.iter().enumerate().map(item).chain([memory]).collect(),
        }
    }

    fn record(&self, code: Vec<u8>) -> Value {
        let account = |(number, account): (usize, &Option<(u64, usize)>)| {
            let (balance, size) = (*account)?;
            let storage = self.storage.iter().enumerate().filter(|_| number == 0);
            let storage = storage.map(|(key, word)| (format!("0x{key:02x}"), Value::int(*word)));
            let members = [
                ("balance", Value::int(balance)),
                ("nonce", Value::int(1)),
                ("code", Value::Bytes(vec![0x5b; size])),
                ("storage", Value::record(storage)),
            ];
            Some((format!("0x{}", hex::encode([ACCOUNTS[number]; 20])), Value::record(members)))
        };
        let pre = self.accounts.iter().enumerate().filter_map(account);
        let someone = |account: u8| Value::Bytes(vec![account; 20]);
        Value::record([
            ("code", Value::Bytes(code)),
            ("data", Value::Bytes((1..80).collect())),
            ("gas", Value::Int(BigInt::from(10_000_000))),
            ("gasPrice", Value::int(7)),
            ("value", Value::int(8)),
            ("address", someone(ACCOUNTS[0])),
            ("caller", someone(0x11)),
            ("origin", someone(0x22)),
            ("coinbase", someone(0x33)),
            ("difficulty", Value::int(9)),
            ("gasLimit", Value::int(10)),
            ("number", Value::int(300)),
            ("timestamp", Value::int(12)),
            ("debit", Value::Bool(true)),
            ("pre", Value::record(pre)),
        ])
    }
}

/// A random state in front of the instruction.
pub(crate) fn scene(op: &OpInfo, random: &mut Random) -> Scene {
    let parts = Parts::random(op, random);
    let code = op.code as u8;
    let mutant = |_| {
        let mut parts = parts.clone();
        let cell = parts.change(op, random);
        (Some(cell), parts.prepared(op, code))
    };
    Scene {
        mutants: (0..MUTANTS).map(mutant).collect(),
        shown: parts
            .stack
            .iter()
            .rev()
            .map(|word| format!("0x{}", hex::encode(word)))
            .collect::<Vec<_>>()
            .join(" "),
        start: parts.prepared(op, code),
        idle: Some(parts.prepared(op, STOP)),
    }
}
