//! The calls and creations of a transaction as a tree, for people who look at its run.

use revm_context::ContextTr;
use revm_handler::FrameResult;
use revm_interpreter::{CallScheme, CallValue, FrameInput, InstructionResult};
use revm_primitives::{Address, U256};

use super::context::EngineContext;
use crate::machines::record::word_value;
use crate::machines::view::{Section, ViewRow};
use crate::model::{bytes_key, counted};

/// The maximum number of calls that are kept; those after them are counted.
const MAX_CALLS: usize = 1_000;

/// How many bytes of the data of a call, and of what it returns, are kept.
const MAX_DATA: usize = 128;

/// How deep rows are indented at most.
const MAX_INDENT: usize = 16;

/// The first four bytes of a reason of Solidity, `Error(string)`.
const REASON: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];

/// The calls and creations so far.
#[derive(Default)]
pub(super) struct CallTree {
    calls: Vec<Call>,
    /// Those that have not ended, the outermost first; `None` for one that is not kept.
    open: Vec<Option<usize>>,
    left_out: usize,
}

/// A call or a creation.
struct Call {
    kind: &'static str,
    /// How many calls it is in.
    depth: usize,
    /// The address whose code is executed; `None` for a creation.
    code: Option<Address>,
    caller: Address,
    /// `None` for a call that has none.
    value: Option<U256>,
    gas: u64,
    input: Data,
    end: Option<CallEnd>,
}

struct CallEnd {
    result: InstructionResult,
    gas_used: u64,
    output: Data,
    created: Option<Address>,
}

/// The beginning of data, and its length.
struct Data {
    start: Vec<u8>,
    length: usize,
}

impl Data {
    fn of(bytes: &[u8]) -> Data {
        Data { start: bytes[..bytes.len().min(MAX_DATA)].to_vec(), length: bytes.len() }
    }

    /// `0x01020304… (68 bytes)`.
    fn shown(&self) -> String {
        const MAX_SHOWN: usize = 36;
        let shown = &self.start[..self.start.len().min(MAX_SHOWN)];
        let cut = if shown.len() < self.length { "…" } else { "" };
        format!("{}{cut} ({})", bytes_key(shown), counted(self.length, "byte"))
    }

    /// The text of a reason for which a contract reverts, as Solidity writes it.
    fn reason(&self) -> Option<&str> {
        const TEXT: usize = 4 + 64;
        let length = self.start.strip_prefix(&REASON)?.get(32..64)?;
        let (zeros, length) = length.split_at(31);
        let is_short = zeros.iter().all(|byte| *byte == 0);
        let text = self.start.get(TEXT..TEXT + usize::from(length[0])).filter(|_| is_short)?;
        std::str::from_utf8(text).ok()
    }
}

impl CallTree {
    /// Forgets all calls.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
        self.open.clear();
        self.left_out = 0;
    }

    /// A call or a creation begins.
    pub(super) fn enter(&mut self, input: &FrameInput, context: &EngineContext) {
        let call =
            if self.calls.len() < MAX_CALLS { Call::of(input, self.open.len(), context) } else { None };
        if let Some(call) = call {
            self.open.push(Some(self.calls.len()));
            self.calls.push(call);
        } else {
            self.open.push(None);
            self.left_out += 1;
        }
    }

    /// The innermost one that has not ended ends.
    pub(super) fn leave(&mut self, result: &FrameResult) {
        let Some(call) = self.open.pop().flatten().and_then(|index| self.calls.get_mut(index)) else {
            return;
        };
        let created = match result {
            FrameResult::Create(created) => created.address,
            FrameResult::Call(_) => None,
        };
        let interpreter = result.interpreter_result();
        let gas_used = call.gas.saturating_sub(interpreter.gas.remaining());
        let output = Data::of(&interpreter.output);
        call.end = Some(CallEnd { result: interpreter.result, gas_used, output, created });
    }

    /// A row for each, with what it calls below it.
    pub(super) fn section(&self) -> Section {
        // Of each call that the next row is in, whether what it did is undone.
        let mut undone: Vec<bool> = Vec::new();
        let rows = self.calls.iter().enumerate().map(|(index, call)| {
            undone.truncate(call.depth);
            let is_inside_undone = undone.last().copied().unwrap_or_default();
            let failed = call.end.as_ref().is_some_and(|end| !end.result.is_ok());
            undone.push(is_inside_undone || failed);
            let note = if is_inside_undone && !failed { "; undone, since its caller failed" } else { "" };
            let name = format!("{} {}", index + 1, call.kind);
            ViewRow::new(name, call.shown() + note, None).inside(call.depth.min(MAX_INDENT))
        });
        let mut section = Section::of("calls", rows);
        section.left_out += self.left_out;
        section
    }
}

impl Call {
    fn of(input: &FrameInput, depth: usize, context: &EngineContext) -> Option<Call> {
        match input {
            FrameInput::Call(call) => Some(Call {
                kind: match call.scheme {
                    CallScheme::Call => "CALL",
                    CallScheme::CallCode => "CALLCODE",
                    CallScheme::DelegateCall => "DELEGATECALL",
                    CallScheme::StaticCall => "STATICCALL",
                },
                depth,
                code: Some(call.bytecode_address),
                caller: call.caller,
                value: match call.value {
                    CallValue::Transfer(value) => Some(value),
                    CallValue::Apparent(_) => None,
                },
                gas: call.gas_limit,
                input: Data::of(&call.input.as_bytes_local(context.local())),
                end: None,
            }),
            FrameInput::Create(create) => Some(Call {
                kind: "CREATE",
                depth,
                code: None,
                caller: create.caller(),
                value: Some(create.value()),
                gas: create.gas_limit(),
                input: Data::of(create.init_code()),
                end: None,
            }),
            FrameInput::Empty => None,
        }
    }

    /// `of 0x…, from 0x…, value 1, gas 1000, data 0x (0 bytes): returned 0x (0 bytes), gas used 21`.
    fn shown(&self) -> String {
        let code = self.code.map_or(String::new(), |code| format!("of {}, ", bytes_key(code.as_slice())));
        let caller = bytes_key(self.caller.as_slice());
        let value = self.value.map_or(String::new(), |value| format!(", value {}", word_value(value)));
        let (gas, input) = (self.gas, self.input.shown());
        let end = self.end.as_ref().map_or_else(|| "runs".to_owned(), CallEnd::shown);
        format!("{end}; {code}from {caller}{value}, gas {gas}, data {input}")
    }
}

impl CallEnd {
    fn shown(&self) -> String {
        let CallEnd { result, gas_used, output, created } = self;
        let what = match created {
            Some(created) if result.is_ok() => format!("created {}", bytes_key(created.as_slice())),
            _ if result.is_ok() => format!("returned {}", output.shown()),
            _ if result.is_revert() => match output.reason() {
                Some(reason) => format!("reverted, \"{reason}\""),
                None => format!("reverted with {}", output.shown()),
            },
            _ => format!("halted, {result:?}"),
        };
        format!("{what}, {gas_used} gas used")
    }
}
