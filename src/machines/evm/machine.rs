//! The machine: what a run changes, the one loop, and what can be observed.

use super::call::Recorded;
use super::environment::Environment;
use super::flow::Destinations;
use super::frame::{Count, Frame, Halt, Halves, Limit, PADDING, STACK_LIMIT, Stack, Stop};
use super::log::{Log, hash_logs};
use super::memory::Memory;
use super::program::{self, account_value, word_value};
use super::storage::Storage;
use super::table::{self, EVM};
use super::world::{World, address_bytes};
use crate::machines::machine::{
    At, Field, LimitReached, LoadError, Machine, Meter, Metered, Status, Unmetered, Watch,
};
use crate::machines::observe::Observe;
use crate::machines::{Language, MachineInfo};
use crate::model::case::Program;
use crate::model::hex::bytes_key;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "evm",
    doc: "Ethereum Virtual Machine, Homestead, one call frame",
    isa: &EVM,
    language: Language::Bytes,
    contains: program::contains,
    lint: crate::machines::nothing_odd,
    new: |limits| Box::new(Evm::new(limits)),
};

/// An Ethereum Virtual Machine.
pub struct Evm {
    pub(super) stack: Box<Stack>,
    pub(super) height: usize,
    pub(super) pc: usize,
    pub(super) gas: u64,
    /// The code, followed by [`PADDING`] zeros.
    code: Vec<u8>,
    destinations: Destinations,
    stop: Option<Stop>,
    pub(super) context: Context,
}

/// What the program changes besides its stack, and what it can ask for.
pub(super) struct Context {
    pub(super) environment: Environment,
    pub(super) world: World,
    /// Storage of the executing account, which is kept here and not in the world while it runs.
    pub(super) storage: Storage,
    pub(super) memory: Memory,
    pub(super) output: Vec<u8>,
    pub(super) logs: Vec<Log>,
    pub(super) calls: Vec<Recorded>,
    pub(super) refund: u64,
    /// Gas that calls were charged and gave back, with what it was topped up by.
    pub(super) given_back: u64,
    pub(super) count: Count,
    limits: Limits,
    /// Words copied or hashed, bytes put out and entries kept so far.
    worked: u64,
    put_out: u64,
    kept: u64,
}

impl Context {
    /// Counts words that a bulk instruction copies or hashes.
    pub(super) fn work(&mut self, words: u64) -> Result<(), Stop> {
        self.worked += words;
        within(self.worked, self.limits.steps, Limit::Steps)
    }

    /// Counts bytes that the run leaves behind.
    pub(super) fn put_out(&mut self, bytes: usize) -> Result<(), Stop> {
        self.put_out += bytes as u64;
        within(self.put_out, self.limits.output, Limit::Output)
    }

    /// Counts a log, a recorded call or a new storage word.
    pub(super) fn keep_item(&mut self) -> Result<(), Stop> {
        self.kept += 1;
        within(self.kept, self.limits.items, Limit::Items)
    }

    /// Memory of `size` bytes, the new ones zero. Gas was paid.
    pub(super) fn grow_memory(&mut self, size: usize) -> Result<(), Stop> {
        within(size as u64, self.limits.memory, Limit::Memory)?;
        self.memory.grow(size);
        Ok(())
    }

    /// Forgets the last run.
    fn reset(&mut self) {
        self.memory.reset();
        self.output.clear();
        self.logs.clear();
        self.calls.clear();
        self.refund = 0;
        self.given_back = 0;
        self.count = Count::default();
        self.worked = 0;
        self.put_out = 0;
        self.kept = 0;
    }
}

fn within(count: u64, limit: u64, reached: Limit) -> Result<(), Stop> {
    if count <= limit { Ok(()) } else { Err(Stop::Limited(reached)) }
}

/// A stack made where it stays: it is too large for the one that calls.
fn new_stack() -> Box<Stack> {
    let items = vec![Halves::default(); 1 + STACK_LIMIT];
    items.into_boxed_slice().try_into().expect("as many items as the stack has")
}

impl Evm {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Evm {
        Evm {
            stack: new_stack(),
            height: 0,
            pc: 0,
            gas: 0,
            code: vec![0; PADDING],
            destinations: Destinations::default(),
            stop: None,
            context: Context {
                environment: Environment::default(),
                world: World::default(),
                storage: Storage::new(),
                memory: Memory::default(),
                output: Vec::new(),
                logs: Vec::new(),
                calls: Vec::new(),
                refund: 0,
                given_back: 0,
                count: Count::default(),
                limits: limits.clone(),
                worked: 0,
                put_out: 0,
                kept: 0,
            },
        }
    }

    /// The one loop. Gives why it ended; none when the meter ended it.
    fn cycle(&mut self, mut meter: impl Meter) -> Option<Stop> {
        let mut frame = Frame {
            pc: self.pc,
            gas: self.gas,
            height: self.height,
            top: self.stack[self.height],
            stack: &mut self.stack,
            code: &self.code,
            destinations: &mut self.destinations,
            context: &mut self.context,
        };
        let stop = table::interpret(&mut frame, &mut meter);
        let Frame { pc, gas, height, top, .. } = frame;
        (self.pc, self.gas, self.height) = (pc, gas, height);
        self.stack[height] = top;
        stop
    }

    /// Executes exactly `budget` instructions, unless the program ends before. As long as the code
    /// up to the next jump cannot use the budget up, only jumps look at it.
    fn unwatched(&mut self, budget: u64) -> Option<Stop> {
        let before = self.executed();
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        self.context.count.fence = before.saturating_add(budget).saturating_sub(self.code.len());
        if budget > self.code.len() {
            match self.cycle(Unmetered) {
                Some(Stop::Fenced) => {}
                stop => return stop,
            }
        }
        self.context.count.fence = usize::MAX;
        self.cycle(Metered((budget - (self.executed() - before)) as u64))
    }

    /// How many instructions were executed.
    fn executed(&self) -> usize {
        self.context.count.at(self.pc)
    }

    fn watched(&mut self, budget: u64, watch: &mut dyn Watch) -> Option<Stop> {
        self.context.count.fence = usize::MAX;
        for _ in 0..budget {
            if self.pc < self.program().len() {
                watch.before(&self.at());
            }
            if let Some(stop) = self.cycle(Metered(1)) {
                return Some(stop);
            }
        }
        None
    }

    fn at(&self) -> At<'_> {
        let code = self.code[self.pc];
        let op = EVM.by_code(code.into());
        let rest = &self.program()[self.pc + 1..];
        let length = op.map_or(0, |op| op.operand_len(rest).unwrap_or(rest.len()));
        At { pc: self.pc, op, code: u16::from(code), operand: &rest[..length], state: self }
    }

    /// The code without the zeros behind it.
    pub(super) fn program(&self) -> &[u8] {
        &self.code[..self.code.len() - PADDING]
    }

    fn status(&self) -> Status {
        match self.stop {
            None => Status::Running,
            Some(Stop::Limited(limit)) => Status::Limit(self.limit_reached(limit)),
            Some(Stop::Stopped | Stop::Returned | Stop::Halted(_) | Stop::Fenced) => Status::Ended,
        }
    }

    fn limit_reached(&self, limit: Limit) -> LimitReached {
        let limits = &self.context.limits;
        let (flag, limit) = match limit {
            Limit::Steps => ("max-steps", limits.steps),
            Limit::Memory => ("max-memory", limits.memory),
            Limit::Output => ("max-output", limits.output),
            Limit::Items => ("max-items", limits.items),
        };
        LimitReached { flag, limit }
    }

    /// Why the run halted, where it did.
    pub(super) fn halt(&self) -> Option<Halt> {
        match self.stop {
            Some(Stop::Halted(halt)) => Some(halt),
            _ => None,
        }
    }

    fn ended_normally(&self) -> bool {
        matches!(self.stop, Some(Stop::Stopped | Stop::Returned))
    }
}

impl Machine for Evm {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.context.reset();
        self.gas = program::load(program, &mut self.context, &mut self.code)?;
        self.destinations.reset(self.code.len());
        self.code.resize(self.code.len() + PADDING, 0);
        self.pc = 0;
        self.height = 0;
        self.stop = None;
        Ok(())
    }

    fn run(&mut self, budget: u64, watch: Option<&mut dyn Watch>) -> Status {
        if self.stop.is_none() {
            self.stop = match watch {
                Some(watch) => self.watched(budget, watch),
                None => self.unwatched(budget),
            };
        }
        self.status()
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.change(changes)
    }

    fn next(&self) -> Option<At<'_>> {
        (self.stop.is_none() && self.pc < self.program().len()).then(|| self.at())
    }

    fn depth(&self) -> usize {
        usize::from(!matches!(self.stop, Some(Stop::Stopped | Stop::Returned)))
    }

    fn describe(&self) -> String {
        let reason = match self.stop {
            None => "not ended",
            Some(Stop::Stopped) => "stopped",
            Some(Stop::Returned) => "returned",
            Some(Stop::Halted(halt)) => halt.reason(),
            Some(Stop::Limited(_) | Stop::Fenced) => "ended by the runner",
        };
        let name = match self.program().get(self.pc) {
            None => "the end of the code".to_owned(),
            Some(&code) => {
                EVM.by_code(code.into()).map_or(format!("byte 0x{code:02x}"), |op| op.name.to_owned())
            }
        };
        format!("{reason} at 0x{:x} {name}, {} gas left, {} on the stack", self.pc, self.gas, self.height)
    }
}

/// What can be observed. After a halt there is no gas, output, log, call or account to look at.
static FIELDS: &[Field<Evm>] = &[
    Field { name: "outcome", doc: "success or halt; none while running", read: outcome },
    Field { name: "gas", doc: "gas left", read: |m| Some(Value::int(m.gas)) },
    Field { name: "out", doc: "bytes returned", read: |m| m.result(|c| Value::Bytes(c.output.clone())) },
    Field { name: "logs", doc: "log entries with their bloom filters, in order", read: |m| m.result(logs) },
    Field {
        name: "logsHash",
        doc: "Keccak-256 of the RLP list of the log entries",
        read: |m| m.result(logs_hash),
    },
    Field { name: "callcreates", doc: "recorded calls and creations, in order", read: |m| m.result(calls) },
    Field {
        name: "post",
        doc: "accounts by address; an empty one and a zero word are not there",
        read: |m| m.result(post),
    },
    Field { name: "pc", doc: "program counter", read: |m| Some(Value::int(m.pc)) },
    Field { name: "stack", doc: "stack items, bottom first", read: |m| Some(m.stack_value()) },
    Field { name: "memory", doc: "memory", read: |m| Some(Value::Bytes(m.context.memory.bytes().to_vec())) },
    Field {
        name: "memorySize",
        doc: "size of memory in bytes",
        read: |m| Some(Value::int(m.context.memory.size())),
    },
    Field {
        name: "refund",
        doc: "refund counter, never paid out",
        read: |m| Some(Value::int(m.context.refund)),
    },
];

impl Observe for Evm {
    fn has_field(&self, field: &str) -> bool {
        FIELDS.iter().any(|row| row.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        FIELDS.iter().find(|row| row.name == field).and_then(|row| (row.read)(self))
    }
}

impl Evm {
    fn result(&self, read: fn(&Context) -> Value) -> Option<Value> {
        self.ended_normally().then(|| read(&self.context))
    }

    fn stack_value(&self) -> Value {
        Value::List(self.stack[1..=self.height].iter().map(|item| word_value(item.word())).collect())
    }
}

fn outcome(machine: &Evm) -> Option<Value> {
    match machine.stop? {
        Stop::Stopped | Stop::Returned => Some(Value::text("success")),
        Stop::Halted(_) => Some(Value::text("halt")),
        Stop::Limited(_) | Stop::Fenced => None,
    }
}

fn logs(context: &Context) -> Value {
    let address = context.environment.address;
    let entry = |log: &Log| {
        let topics = log.topics.iter().map(|topic| Value::Bytes(topic.to_be_bytes_vec()));
        record([
            ("address", Value::Bytes(address_bytes(address).to_vec())),
            ("topics", Value::List(topics.collect())),
            ("data", Value::Bytes(log.data.clone())),
            ("bloom", Value::Bytes(log.bloom(address).to_vec())),
        ])
    };
    Value::List(context.logs.iter().map(entry).collect())
}

fn logs_hash(context: &Context) -> Value {
    Value::Bytes(hash_logs(context.environment.address, &context.logs).to_vec())
}

fn calls(context: &Context) -> Value {
    let entry = |call: &Recorded| {
        let destination = call.destination.map(|to| address_bytes(to).to_vec());
        record([
            ("data", Value::Bytes(call.data.clone())),
            ("destination", Value::Bytes(destination.unwrap_or_default())),
            ("gasLimit", Value::int(call.gas_limit)),
            ("value", word_value(call.value)),
        ])
    };
    Value::List(context.calls.iter().map(entry).collect())
}

fn post(context: &Context) -> Value {
    let executing = context.environment.address;
    let accounts = context.world.accounts().filter_map(|(address, account)| {
        let storage = if *address == executing { &context.storage } else { &account.storage };
        let there = !account.is_empty() || !storage.is_empty();
        there.then(|| (bytes_key(&address_bytes(*address)), account_value(account, storage)))
    });
    Value::Record(accounts.collect())
}

fn record<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Record(members.map(|(name, value)| (name.to_owned(), value)).into())
}
