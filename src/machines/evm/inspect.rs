//! What an instruction reads and writes, for blame and traces.

use super::cells;
use super::frame::PADDING;
use super::machine::Evm;
use super::opcodes::{EVM, rows};
use super::place::EvmPlace;
use super::stop::EvmStop;
use super::word::{Word, small};
use super::world::{EvmAccount, address_bytes};
use crate::isa::disassembler::disassemble;
use crate::machines::byte_memory;
use crate::machines::effects::{DeclaredPlaces, MachineEffect, declared, effect_lists};
use crate::machines::inspect::{Effects, GasCount, Inspect};
use crate::machines::moves::{duplicated, swapped};
use crate::machines::record::word_value;
use crate::machines::view::{CodeLine, Section, code_lines, part_of_code};
use crate::model::{Cell, Path, PathKey, Value, bytes_key, number_key};

impl Inspect for Evm {
    fn instruction(&self) -> String {
        let rest = self.program().get(self.pc..).unwrap_or_default();
        let rest = &rest[..rest.len().min(PADDING)];
        disassemble(&EVM, rest).next().map_or_else(|| "(end of the code)".to_owned(), |line| line.source())
    }

    fn stack_limit(&self) -> Option<usize> {
        Some(super::frame::STACK_LIMIT)
    }

    fn height(&self) -> usize {
        self.height
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.word(below).map(word_value)
    }

    fn gas(&self) -> Option<GasCount> {
        Some(GasCount { left: self.gas, given_back: self.context.given_back, refund: None })
    }

    fn failure(&self) -> Option<String> {
        self.halt().map(|halt| halt.reason().to_owned())
    }

    fn depth(&self) -> usize {
        usize::from(!matches!(self.stop, Some(EvmStop::Stopped | EvmStop::Returned)))
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        declared(self, counts)
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Named(cells::STORAGE, key) => self.stored_at(key),
            Cell::Range(cells::MEMORY, range) => {
                Some(byte_memory::shown_part(self.context.memory.bytes(), range))
            }
            Cell::Named(cells::OUTPUT, _) => Some(byte_memory::shown(&self.context.output)),
            _ => None,
        }
    }

    fn sections(&self) -> Vec<Section> {
        self.view()
    }

    fn unit(&self) -> usize {
        part_of_code(0, self.pc)
    }

    fn listing(&self) -> Vec<CodeLine> {
        code_lines(&EVM, self.program(), self.pc)
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let named = |kind, name: &str| vec![Cell::named(kind, name.to_owned())];
        let Some((PathKey::Name(field), rest)) = keys.split_first() else { return Vec::new() };
        match (&**field, rest) {
            ("stack", [PathKey::Index(index), ..]) => vec![Cell::Stack(*index)],
            ("memory", _) => vec![Cell::Range(cells::MEMORY, 0..usize::MAX)],
            ("out", _) => named(cells::OUTPUT, ""),
            ("logsHash", _) | ("logs", []) => named(cells::LOGS, ""),
            ("logs", [PathKey::Index(index), ..]) => named(cells::LOG, &index.to_string()),
            ("callcreates", []) => named(cells::CALLS, ""),
            ("callcreates", [PathKey::Index(index), ..]) => named(cells::CALL, &index.to_string()),
            // Only the account's own words can be written, and its deletion removes them.
            ("post", [PathKey::Name(account), PathKey::Name(part), PathKey::Name(key)])
                if part == "storage" && **account == self.account_key() =>
            {
                vec![Cell::named(cells::STORAGE, key.clone()), Cell::named(cells::ACCOUNT, account.clone())]
            }
            ("post", [PathKey::Name(account)]) => {
                vec![
                    Cell::named(cells::ACCOUNT, account.clone()),
                    Cell::named(cells::BALANCE, account.clone()),
                ]
            }
            ("post", [PathKey::Name(account), PathKey::Name(part)]) if part == "balance" => {
                vec![Cell::named(cells::BALANCE, account.clone())]
            }
            ("post", [PathKey::Name(account), ..]) => named(cells::ACCOUNT, account),
            _ => Vec::new(),
        }
    }
}

/// Where execution continues after JUMP.
pub(super) fn jumped(machine: &Evm) -> Option<usize> {
    usize::try_from(machine.word(0)?).ok()
}

rows!(effect_lists { EFFECTS: Evm, EvmPlace });

impl DeclaredPlaces for Evm {
    type Place = EvmPlace;

    fn row_effects(&self) -> &'static [MachineEffect<Evm, EvmPlace>] {
        let row = self.program().get(self.pc).and_then(|code| EVM.row(u16::from(*code)));
        row.map_or(&[], |row| EFFECTS[row])
    }

    fn cells_at(&self, place: EvmPlace) -> Vec<Cell> {
        let context = &self.context;
        let named = |kind, name: String| vec![Cell::named(kind, name)];
        match place {
            EvmPlace::Memory(start, length) => self.memory_cells(start, self.word(length).and_then(small)),
            EvmPlace::Word(start) => self.memory_cells(start, Some(32)),
            EvmPlace::Byte(start) => self.memory_cells(start, Some(1)),
            EvmPlace::Storage(key) => {
                let key = self.word(key).unwrap_or_default();
                named(cells::STORAGE, number_key(&key.to_be_bytes_vec()))
            }
            EvmPlace::Account(address) | EvmPlace::Code(address) => {
                self.word(address).map(account_cell).into_iter().collect()
            }
            EvmPlace::Balance(address) => self.word(address).map(balance_cell).into_iter().collect(),
            EvmPlace::Own => {
                vec![account_cell(context.environment.address), balance_cell(context.environment.address)]
            }
            EvmPlace::OwnBalance => vec![balance_cell(context.environment.address)],
            EvmPlace::Debited(value) => {
                let is_debited = self.word(value).is_some_and(|value| self.debits(value));
                is_debited.then(|| balance_cell(context.environment.address)).into_iter().collect()
            }
            EvmPlace::Log => named(cells::LOG, context.logs.len().to_string()),
            EvmPlace::Logs => named(cells::LOGS, String::new()),
            EvmPlace::Call => named(cells::CALL, context.calls.len().to_string()),
            EvmPlace::Calls => named(cells::CALLS, String::new()),
            EvmPlace::Output => named(cells::OUTPUT, String::new()),
        }
    }

    fn held(&self, place: EvmPlace, cell: &Cell) -> Option<Value> {
        let account = |address| self.context.world.get(address);
        match place {
            EvmPlace::Balance(operand) => Some(balance(account(self.word(operand)?))),
            EvmPlace::OwnBalance => Some(balance(account(self.context.environment.address))),
            EvmPlace::Code(operand) => {
                let code = account(self.word(operand)?).map_or(&[][..], |account| &account.code);
                Some(byte_memory::shown(code))
            }
            _ => self.value(cell),
        }
    }
}

impl Evm {
    /// The word at this distance from the top of the stack.
    fn word(&self, below: usize) -> Option<Word> {
        (below < self.height).then(|| self.stack[self.height - below].word())
    }

    /// The memory from the operand `start` on; no cell if it is empty or reaches beyond the largest address.
    fn memory_cells(&self, start: usize, length: Option<usize>) -> Vec<Cell> {
        let cell = || byte_memory::cell(cells::MEMORY, self.word(start).and_then(small)?, length?);
        cell().into_iter().collect()
    }

    /// Whether a recorded call or creation with this value reduces the balance.
    fn debits(&self, value: Word) -> bool {
        let environment = &self.context.environment;
        let account = self.context.world.get(environment.address);
        let has_enough = account.is_some_and(|account| account.balance >= value);
        environment.debit && !value.is_zero() && has_enough
    }

    fn account_key(&self) -> String {
        address_key(self.context.environment.address)
    }
}

fn address_key(address: Word) -> String {
    bytes_key(&address_bytes(address))
}

fn account_cell(address: Word) -> Cell {
    Cell::named(cells::ACCOUNT, address_key(address))
}

fn balance_cell(address: Word) -> Cell {
    Cell::named(cells::BALANCE, address_key(address))
}

fn balance(account: Option<&EvmAccount>) -> Value {
    word_value(account.map_or(Word::ZERO, |account| account.balance))
}
