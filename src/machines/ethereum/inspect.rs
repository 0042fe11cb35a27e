//! The view for traces and blame.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use revm_context::result::HaltReason;
use revm_interpreter::SuccessOrHalt;
use revm_interpreter::interpreter_types::{Jumps, LegacyBytecode};
use revm_primitives::{Address, TxKind};

use super::cells;
use super::machine::{Ethereum, TransactionOutcome};
use super::table::ETHEREUM;
use super::trail::{MAX_ITEMS, address, of_account, storage, storage_of};
use super::{accounts, logs};
use crate::isa::disassembler::disassemble;
use crate::machines::effects::declared;
use crate::machines::inspect::{CallFrame, Effects, GasCount, Inspect, InspectTransaction};
use crate::machines::record::{word_of_key, word_value};
use crate::machines::view::{CodeLine, Section, StackCount, ViewDatum, ViewRow, code_lines, part_of_code};
use crate::model::{Cell, Path, PathKey, Value, bytes_key, number_key};

/// The maximum length of an instruction, in bytes.
const MAX_LENGTH: usize = 33;

/// How many bytes of returned data are shown as a value.
const MAX_RETURNED: usize = 64;

/// The type of transactions that have authorizations.
const AUTHORIZATIONS: u8 = 4;

impl Inspect for Ethereum {
    fn instruction(&self) -> String {
        let rest = self.running().and_then(|frame| {
            let bytecode = &frame.interpreter.bytecode;
            bytecode.bytecode_slice().get(bytecode.pc()..)
        });
        let rest = rest.unwrap_or_default();
        let line = disassemble(&ETHEREUM, &rest[..rest.len().min(MAX_LENGTH)]).next();
        line.map_or_else(|| "(end of the code)".to_owned(), |line| line.source())
    }

    fn height(&self) -> usize {
        self.running().map_or(0, |frame| frame.interpreter.stack.len())
    }

    fn stack_limit(&self) -> Option<usize> {
        Some(MAX_ITEMS)
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.running()?.interpreter.stack.peek(below).ok().map(word_value)
    }

    /// The gas of all frames, so that a call costs only what is not given back.
    fn gas(&self) -> Option<GasCount> {
        Some(GasCount { left: self.gas_left()?, given_back: 0, refund: Some(self.refunded()) })
    }

    fn sections(&self) -> Vec<Section> {
        let gas = self.gas_left().map(|gas| ViewRow::new("gas", gas.to_string(), None));
        let frames = ViewRow::new("frames", self.depth().to_string(), None);
        let lowest = self.frame().map_or(0, |frame| frame.stack);
        let height = self.height();
        let item = |below: usize| {
            let place = height - 1 - below;
            let value = self.item(below).map_or(String::new(), |value| value.to_string());
            ViewRow::new(format!("[{place}]"), value, Some(ViewDatum::In(Cell::Stack(lowest + place))))
        };
        let memory = match self.running() {
            Some(frame) => {
                let space = self.memory_name();
                let title = space.map_or_else(|| format!("memory of frame {}", self.depth), str::to_owned);
                Section::memory(title, space, &frame.interpreter.memory.context_memory())
            }
            None => Section::new("memory"),
        };
        let mut sections = vec![
            Section::of("status", gas.into_iter().chain([frames])),
            Section::of("stack, top first", (0..height).map(item)).stacked(StackCount::FromBottom),
            memory,
            self.storage_section(),
            self.calls.section(),
        ];
        let logs = self.shown_logs();
        let others = [self.transient_section(), logs, self.accounts_section()];
        sections.extend(others.into_iter().filter(|section| !section.rows.is_empty()));
        sections
    }

    /// Another call may execute different code in the same place.
    fn unit(&self) -> usize {
        let Some(frame) = self.running() else { return 0 };
        let bytecode = &frame.interpreter.bytecode;
        let mut hasher = DefaultHasher::new();
        match bytecode.hash() {
            Some(hash) => hash.hash(&mut hasher),
            None => bytecode.bytecode_slice().hash(&mut hasher),
        }
        part_of_code(hasher.finish() as usize, bytecode.pc())
    }

    fn listing(&self) -> Vec<CodeLine> {
        let code = self.running().map(|frame| &frame.interpreter.bytecode);
        code.map_or_else(Vec::new, |code| code_lines(&ETHEREUM, code.bytecode_slice(), code.pc()))
    }

    fn failure(&self) -> Option<String> {
        self.trail.as_ref()?.failure.map(|failure| match SuccessOrHalt::<HaltReason>::from(failure) {
            SuccessOrHalt::Halt(reason) => reason.to_string(),
            _ => format!("{failure:?}"),
        })
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        let calls = self.called().map(|address| bytes_key(address.as_slice()));
        Effects { calls, ..declared(self, counts) }
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        match cell {
            Cell::Range(memory, range) => self.remembered(memory, range),
            Cell::Named(cells::STORAGE, name) => {
                let (address, key) = storage_of(name)?;
                Some(word_value(self.stored(address, key)))
            }
            Cell::Named(cells::TRANSIENT_STORAGE, name) => {
                let (address, key) = storage_of(name)?;
                let words = self.context().journaled_state.inner.transient_storage.get(&address);
                Some(word_value(words.and_then(|words| words.get(&key)).copied().unwrap_or_default()))
            }
            Cell::Named(cells::RETURN_DATA, _) => {
                let data = &self.running()?.interpreter.return_data.0;
                Some(Value::Bytes(data[..data.len().min(MAX_RETURNED)].to_vec()))
            }
            Cell::Named(cells::BALANCE, name) => Some(word_value(self.balance(address(name)?))),
            _ => None,
        }
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let [PathKey::Name(field), rest @ ..] = &keys[..] else { return Vec::new() };
        match (&**field, rest) {
            ("logs" | "logEntries", _) => vec![Cell::named(cells::LOGS, "")],
            ("output", _) => vec![Cell::named(cells::OUTPUT, "")],
            ("state", [PathKey::Name(account), rest @ ..]) => {
                address(account).map_or_else(Vec::new, |account| leaf_cells(account, rest))
            }
            _ => Vec::new(),
        }
    }

    fn transaction(&self) -> Option<&dyn InspectTransaction> {
        Some(self)
    }
}

impl InspectTransaction for Ethereum {
    fn frame(&self) -> Option<CallFrame> {
        let interpreter = &self.running()?.interpreter;
        let code = interpreter.input.bytecode_address.unwrap_or(interpreter.input.target_address);
        let depth = self.frames().len();
        Some(CallFrame {
            depth,
            code: bytes_key(code.as_slice()),
            gas: interpreter.gas.remaining(),
            stack: (depth - 1) * MAX_ITEMS,
        })
    }

    fn wrote(&self) -> Vec<Cell> {
        self.trail.as_ref().map_or_else(Vec::new, super::trail::Trail::cells)
    }

    fn changed_besides(&self, at: &Path) -> Option<String> {
        let keys = at.keys();
        let [PathKey::Name(field), PathKey::Name(account), PathKey::Name(leaf)] = &keys[..] else {
            return None;
        };
        let account = address(account).filter(|_| **field == *"state" && self.has_changed(account, leaf))?;
        let transaction = &self.context().tx;
        let is_sender = transaction.caller == account;
        let is_created = self.created() == Some(account);
        let why = match &**leaf {
            "nonce" if is_sender => "the transaction counts it",
            "balance" if is_sender => "the transaction takes its fee and what it sends",
            "balance" if transaction.kind == TxKind::Call(account) => "the transaction sends its value",
            "balance" if is_created => "the transaction sends its value",
            "nonce" if is_created => "the transaction creates the account",
            "balance" if self.context().block.beneficiary == account => "the fee of the transaction",
            "nonce" | "code" if transaction.tx_type == AUTHORIZATIONS => {
                "an authorization of the transaction"
            }
            _ => return None,
        };
        Some(why.to_owned())
    }
}

/// The maximum number of log entries that are shown.
const MAX_LOGS: usize = 100;

impl Ethereum {
    /// The account that the transaction has created.
    fn created(&self) -> Option<Address> {
        match &self.ended()?.outcome {
            TransactionOutcome::Executed(result) => result.created_address(),
            TransactionOutcome::Refused(_) => None,
        }
    }

    /// The log entries so far; after a transaction that failed, none.
    fn shown_logs(&self) -> Section {
        let logs = match self.ended() {
            Some(ended) => ended.logs(),
            None => &self.context().journaled_state.inner.logs,
        };
        let shown = &logs[..logs.len().min(MAX_LOGS)];
        let mut section = Section::of_value("logs", &logs::value(shown), &Path::field("logEntries"));
        section.left_out += logs.len() - shown.len();
        section
    }

    /// Whether the transaction changed the balance, nonce or code of an account.
    fn has_changed(&self, account: &str, leaf: &str) -> bool {
        let Some(((account, world), after)) = address(account).zip(self.world()).zip(self.after()) else {
            return false;
        };
        let (before, after) = (world.info(account), after.info(account));
        match leaf {
            "balance" => before.map(|info| info.balance) != after.map(|info| info.balance),
            "nonce" => before.map(|info| info.nonce) != after.map(|info| info.nonce),
            "code" => before.map(|info| info.code_hash) != after.map(|info| info.code_hash),
            _ => false,
        }
    }

    /// The words of transient storage that are not zero, of all accounts.
    fn transient_section(&self) -> Section {
        let all = self.context().journaled_state.inner.transient_storage.iter();
        let words =
            all.flat_map(|(address, words)| words.iter().map(move |(key, value)| ((address, key), value)));
        let words: BTreeMap<_, _> = words.filter(|(_, value)| !value.is_zero()).collect();
        let rows = words.into_iter().map(|((address, key), value)| {
            let cell = storage(cells::TRANSIENT_STORAGE, *address, *key);
            let name =
                format!("{} of {}", number_key(&key.to_be_bytes::<32>()), bytes_key(address.as_slice()));
            ViewRow::new(name, word_value(*value).to_string(), Some(ViewDatum::In(cell)))
        });
        Section::of("transient storage", rows)
    }

    /// The accounts; the storage of the running one is shown by another section, too.
    fn accounts_section(&self) -> Section {
        let Some(world) = self.world() else { return Section::new("accounts") };
        let section = match self.after() {
            Some(after) => accounts::after(&after, world),
            None => accounts::used(&self.context().journaled_state.inner.state, world),
        };
        section.again()
    }

    /// The storage of the account whose code is executed: the words that the transaction has read or written.
    fn storage_section(&self) -> Section {
        const TITLE: &str = "storage, as far as it was used";
        let Some(frame) = self.running() else { return Section::new(TITLE) };
        let address = frame.interpreter.input.target_address;
        let account = self.engine.ctx.journaled_state.inner.state.get(&address);
        let used: BTreeMap<_, _> = account.into_iter().flat_map(|account| &account.storage).collect();
        let rows = used.into_iter().map(|(key, slot)| {
            let name = number_key(&key.to_be_bytes::<32>());
            let value = word_value(slot.present_value).to_string();
            ViewRow::new(name, value, Some(ViewDatum::In(storage(cells::STORAGE, address, *key))))
        });
        Section::of(TITLE, rows)
    }
}

/// The cells of a leaf of an account, or of the account.
fn leaf_cells(account: Address, leaf: &[&PathKey]) -> Vec<Cell> {
    match leaf {
        [] => vec![of_account(cells::ACCOUNT, account)],
        [PathKey::Name(leaf)] => match &**leaf {
            "balance" => vec![of_account(cells::BALANCE, account)],
            "nonce" => vec![of_account(cells::NONCE, account)],
            "code" => vec![of_account(cells::CODE, account)],
            _ => Vec::new(),
        },
        [PathKey::Name(leaf), PathKey::Name(key)] if **leaf == *"storage" => {
            word_of_key(key).map_or_else(|_| Vec::new(), |key| vec![storage(cells::STORAGE, account, key)])
        }
        _ => Vec::new(),
    }
}
