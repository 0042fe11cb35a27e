//! What an instruction reads and writes, for blame and traces.

use std::ops::Range;

use super::frame::{PADDING, Word, small};
use super::machine::Evm;
use super::program::word_value;
use super::table::Op;
use super::world::address_bytes;
use crate::isa::disassembler::disassemble;
use crate::machines::inspect::{Effects, Inspect};
use crate::model::cell::Cell;
use crate::model::hex::{bytes_key, number_key};
use crate::model::path::{Key, Path};
use crate::model::value::Value;

/// The most bytes of a memory that are shown as a value.
const SHOWN: usize = 64;

impl Inspect for Evm {
    fn instruction(&self) -> String {
        let rest = self.program().get(self.pc..).unwrap_or_default();
        let rest = &rest[..rest.len().min(PADDING)];
        disassemble(&super::EVM, rest)
            .next()
            .map_or_else(|| "(end of the code)".to_owned(), |line| line.source())
    }

    fn height(&self) -> usize {
        self.height
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.word(below).map(word_value)
    }

    fn gas(&self) -> Option<u64> {
        Some(self.gas)
    }

    fn given_back(&self) -> u64 {
        self.context.given_back
    }

    fn failure(&self) -> Option<String> {
        self.halt().map(|halt| halt.reason().to_owned())
    }

    fn effects(&self) -> Effects {
        let mut effects = Effects::default();
        let Some(op) = self.program().get(self.pc).and_then(|code| super::EVM.by_code((*code).into())) else {
            return effects;
        };
        let code = op.code as u8;
        let memory = |at: usize, length: usize| range(self.word(at), self.word(length));
        let word = |at: usize, length: usize| {
            let start = self.word(at).and_then(small)?;
            Some(start..start.checked_add(length)?)
        };
        match code {
            SLOAD => {
                effects.read(self.storage_cell(), Some(self.stored(self.word(0).unwrap_or_default())));
            }
            SSTORE => effects.write(self.storage_cell()),
            MLOAD => self.reads_memory(word(0, 32), &mut effects),
            MSTORE => writes_memory(word(0, 32), &mut effects),
            MSTORE8 => writes_memory(word(0, 1), &mut effects),
            SHA3 => self.reads_memory(memory(0, 1), &mut effects),
            CALLDATACOPY | CODECOPY => writes_memory(memory(0, 2), &mut effects),
            EXTCODECOPY => writes_memory(memory(1, 3), &mut effects),
            LOG0..=LOG4 => {
                self.reads_memory(memory(0, 1), &mut effects);
                effects.write(Cell::named("log", self.context.logs.len().to_string()));
                effects.write(Cell::named("logs", ""));
            }
            CREATE => {
                self.reads_memory(memory(1, 2), &mut effects);
                self.records_call(&mut effects);
            }
            CALL | CALLCODE | DELEGATECALL => {
                let input = if code == DELEGATECALL { 2 } else { 3 };
                self.reads_memory(memory(input, input + 1), &mut effects);
                self.records_call(&mut effects);
            }
            JUMP | JUMPI => effects.write(Cell::jump()),
            RETURN => {
                self.reads_memory(memory(0, 1), &mut effects);
                effects.write(Cell::named("output", ""));
            }
            SUICIDE => {
                effects.write(Cell::named("account", self.account_key()));
                effects.write(Cell::named("account", self.word(0).map_or(String::new(), address_key)));
            }
            _ => {}
        }
        effects
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Named("storage", key) => {
                let key = Word::from_str_radix(key.strip_prefix("0x")?, 16).ok()?;
                Some(self.stored(key))
            }
            Cell::Range("memory", range) => Some(self.shown_memory(range)),
            Cell::Named("output", _) => {
                let output = &self.context.output;
                Some(Value::Bytes(output[..output.len().min(SHOWN)].to_vec()))
            }
            _ => None,
        }
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let named = |kind, name: &str| vec![Cell::named(kind, name.to_owned())];
        let Some((Key::Name(field), rest)) = keys.split_first() else { return Vec::new() };
        match (&**field, rest) {
            ("stack", [Key::Index(index), ..]) => vec![Cell::Stack(*index)],
            ("memory", _) => vec![Cell::Range("memory", 0..usize::MAX)],
            ("out", _) => named("output", ""),
            ("logsHash", _) | ("logs", []) => named("logs", ""),
            ("logs", [Key::Index(index), ..]) => named("log", &index.to_string()),
            ("callcreates", []) => named("calls", ""),
            ("callcreates", [Key::Index(index), ..]) => named("call", &index.to_string()),
            // Only its own words can be written, and its end is the end of them.
            ("post", [Key::Name(account), Key::Name(part), Key::Name(key)])
                if part == "storage" && **account == self.account_key() =>
            {
                vec![Cell::named("storage", key.clone()), Cell::named("account", account.clone())]
            }
            ("post", [Key::Name(account), ..]) => named("account", account),
            _ => Vec::new(),
        }
    }
}

const SHA3: u8 = Op::SHA3 as u8;
const CALLDATACOPY: u8 = Op::CALLDATACOPY as u8;
const CODECOPY: u8 = Op::CODECOPY as u8;
const EXTCODECOPY: u8 = Op::EXTCODECOPY as u8;
const MLOAD: u8 = Op::MLOAD as u8;
const MSTORE: u8 = Op::MSTORE as u8;
const MSTORE8: u8 = Op::MSTORE8 as u8;
const SLOAD: u8 = Op::SLOAD as u8;
const SSTORE: u8 = Op::SSTORE as u8;
const LOG0: u8 = Op::LOG0 as u8;
const LOG4: u8 = Op::LOG4 as u8;
const CREATE: u8 = Op::CREATE as u8;
const CALL: u8 = Op::CALL as u8;
const CALLCODE: u8 = Op::CALLCODE as u8;
const JUMP: u8 = Op::JUMP as u8;
const JUMPI: u8 = Op::JUMPI as u8;
const RETURN: u8 = Op::RETURN as u8;
const DELEGATECALL: u8 = Op::DELEGATECALL as u8;
const SUICIDE: u8 = Op::SUICIDE as u8;

impl Evm {
    /// A word of the stack, so many below the top one.
    fn word(&self, below: usize) -> Option<Word> {
        (below < self.height).then(|| self.stack[self.height - below].word())
    }

    fn storage_cell(&self) -> Cell {
        let key = self.word(0).unwrap_or_default();
        Cell::named("storage", number_key(&key.to_be_bytes_vec()))
    }

    fn stored(&self, key: Word) -> Value {
        word_value(self.context.storage.get(&key).copied().unwrap_or_default())
    }

    fn reads_memory(&self, range: Option<Range<usize>>, effects: &mut Effects) {
        let Some(range) = range.filter(|range| !range.is_empty()) else { return };
        let bytes = self.shown_memory(&range);
        effects.read(Cell::Range("memory", range), Some(bytes));
    }

    /// The beginning of a part of the memory that is there.
    fn shown_memory(&self, range: &Range<usize>) -> Value {
        let memory = self.context.memory.bytes();
        let end = range.end.min(memory.len()).min(range.start.saturating_add(SHOWN));
        Value::Bytes(memory.get(range.start..end).unwrap_or_default().to_vec())
    }

    fn records_call(&self, effects: &mut Effects) {
        effects.write(Cell::named("call", self.context.calls.len().to_string()));
        effects.write(Cell::named("calls", ""));
        effects.write(Cell::named("account", self.account_key()));
    }

    fn account_key(&self) -> String {
        bytes_key(&address_bytes(self.context.environment.address))
    }
}

fn range(at: Option<Word>, length: Option<Word>) -> Option<Range<usize>> {
    let (start, length) = (small(at?)?, small(length?)?);
    Some(start..start.checked_add(length)?)
}

fn address_key(word: Word) -> String {
    bytes_key(&word.to_be_bytes_vec()[12..])
}

fn writes_memory(range: Option<Range<usize>>, effects: &mut Effects) {
    if let Some(range) = range.filter(|range| !range.is_empty()) {
        effects.write(Cell::Range("memory", range));
    }
}
