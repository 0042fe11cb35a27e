//! The instructions of each machine on their worst operands, and what they cost: `tests/costs/<machine>.txt`.
//!
//! A line is `NAME | units | setup | body`, and `| times` if the body is not executed 1000 times. The body contains
//! the instruction and leaves things as they were; it is executed after the setup. Instructions are separated by `;
//! `, `3*A & B` is `A; B; A; B; A; B`. The name may be followed by what is special about the operands. The units are
//! the measured time of the body, a unit being [`UNIT`]; `ends` stands for instructions after which nothing can
//! follow.
//!
//! In the table of `ethereum`, a name may end with the fork (`in Frontier`), and the body `AUTHORIZATION` is a
//! signature of the transaction.

use num_bigint::BigInt;
use vmconf::isa::assembler::assemble;
use vmconf::machines::MachineInfo;
use vmconf::machines::machine::{Machine, perform};
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Program, Value, hex_bytes};

/// How long a unit takes in nanoseconds where the table was measured.
pub(crate) const UNIT: f64 = 3.75;

/// A line of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row<'t> {
    pub(crate) name: &'t str,
    /// The units of the body; `None` when the run ends with it.
    pub(crate) cost: Option<u64>,
    pub(crate) setup: &'t str,
    pub(crate) body: &'t str,
    /// How often it is executed.
    pub(crate) times: usize,
}

impl<'t> Row<'t> {
    /// The lines of a table.
    pub(crate) fn all(text: &'t str) -> Vec<Row<'t>> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| Row::of(line).unwrap_or_else(|| panic!("{line}"))).collect()
    }

    fn of(line: &'t str) -> Option<Row<'t>> {
        let mut cells = line.split('|').map(str::trim);
        let (name, cost, setup, body) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        let times = cells.next().map_or(1000, |times| times.parse().unwrap_or_else(|_| panic!("{line}")));
        let cost = (cost != "ends").then(|| cost.parse().unwrap_or_else(|_| panic!("{line}")));
        Some(Row { name, cost, setup, body, times })
    }

    /// How many instructions the body has, with those that a loop or a called function adds.
    pub(crate) fn instructions(&self) -> usize {
        const AROUND: usize = 2;
        instructions(self.body).len() + AROUND
    }

    /// A machine that has loaded this number of copies of the body.
    pub(crate) fn loaded(&self, info: &MachineInfo, times: usize) -> LoadedRow<'t> {
        let mut machine = (info.new)(&Limits { steps: u64::MAX, memory: 1 << 40, ..Limits::default() });
        machine.load(&self.program(info, times)).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let start = match info.name {
            "minic89" => {
                Some(record([("entry", Value::int(1)), ("limits", record([("step_limit", Value::Null)]))]))
            }
            "ethereum" => Some(self.transaction()),
            _ => None,
        };
        LoadedRow { name: self.name, machine, start }
    }

    /// The transaction of a state test, with as much gas as a transaction may have.
    fn transaction(&self) -> Value {
        let fork = self.name.split_once(" in ").map_or(NEWEST, |(_, fork)| fork);
        let gas: u64 = if fork == NEWEST { 1 << 24 } else { 1 << 40 };
        let kind = if self.body == AUTHORIZATION { 4 } else { 0 };
        record([
            ("fork", Value::text(fork)),
            ("data", Value::Bytes(Vec::new())),
            ("gasLimit", Value::int(gas)),
            ("value", Value::int(0)),
            ("type", Value::int(kind)),
            ("refusal", Value::text("")),
        ])
    }

    fn program(&self, info: &MachineInfo, times: usize) -> Program {
        let (setup, body) = (instructions(self.setup), instructions(self.body));
        let code = || {
            let lines = setup.iter().chain((0..times).flat_map(|_| &body)).map(String::as_str);
            let lines: Vec<_> = lines.chain(info.isa.by_name("NOP").map(|nop| nop.name)).collect();
            assemble(info.isa, &lines.join("\n")).unwrap_or_else(|error| panic!("{}: {error}", self.name))
        };
        Program::from(match info.name {
            "evm" => evm(code()),
            "ethereum" if self.body == AUTHORIZATION => state_test(Vec::new(), times),
            "ethereum" => state_test(code(), 0),
            "tinyvm" => {
                // Two words also for a small number.
                let count =
                    [0x3f00 | times & 0xff, 0x4f00 | times >> 8].map(|word| format!(".word 0x{word:04x}"));
                let end = ["decr r15".to_owned(), "b r15 _again".to_owned(), "yield".to_owned()];
                let again = [".label _again".to_owned()];
                let all: Vec<_> =
                    count.iter().chain(&setup).chain(&again).chain(&body).chain(&end).cloned().collect();
                let features = Value::List(vec![Value::text("expRoot")]);
                record([("instructions", Value::text(all.join("\n"))), ("features", features)])
            }
            "minic89" => functions(&setup, &body, times),
            _ => neo(code()),
        })
    }
}

/// A machine with the program of a row.
pub(crate) struct LoadedRow<'t> {
    name: &'t str,
    machine: Box<dyn Machine>,
    /// What is set before the machine can execute.
    start: Option<Value>,
}

impl LoadedRow<'_> {
    /// Executes the copies of the body; the units that this is charged, the setup included.
    pub(crate) fn run(&mut self) -> u64 {
        let machine = &mut *self.machine;
        if let Some(start) = &self.start {
            assert_eq!(machine.set(start), Ok(()), "{}", self.name);
        }
        let status = perform(machine, &Action::Execute, None);
        assert_eq!(status, Status::Ended, "{}: {}", self.name, machine.describe());
        for field in ["outcome", "state"].into_iter().filter(|field| machine.has_field(field)) {
            if let Some(Value::Text(end)) = machine.observe(field) {
                let is_good = ["success", "executed", "HALT", "Halt"].contains(&&*end);
                assert!(
                    is_good && !machine.describe().starts_with("halted"),
                    "{}: {}",
                    self.name,
                    machine.describe()
                );
            }
        }
        // LOG is charged for the hash as well, which is made here.
        machine.observe("logsHash");
        machine.account().units()
    }
}

/// The instructions of a source.
fn instructions(source: &str) -> Vec<String> {
    let mut all = Vec::new();
    for text in source.split("; ").filter(|text| !text.is_empty()) {
        let (count, group) = text.split_once('*').unwrap_or(("1", text));
        for _ in 0..count.parse().unwrap_or_else(|_| panic!("{text}")) {
            all.extend(group.split(" & ").map(str::to_owned));
        }
    }
    all
}

/// A MiniC89 program whose first function has the setup, the bodies and a return; the second returns its
/// argument and has many slots. `+3` is the index of the third instruction from there.
fn functions(setup: &[String], body: &[String], times: usize) -> Value {
    let end = ["PUSH_I16 0".to_owned(), "RET".to_owned()];
    let first: Vec<_> = setup.iter().chain((0..times).flat_map(|_| body)).chain(&end).collect();
    let instruction = |(index, text): (usize, &&String)| {
        let (op, argument) = text.split_once(' ').unwrap_or((text, ""));
        let number = match argument.strip_prefix('+') {
            Some(ahead) => ahead.parse::<usize>().ok().map(|ahead| Value::int(index + ahead)),
            None => argument.parse().ok().map(Value::Int),
        };
        record([("op", Value::text(op)), ("args", Value::List(number.into_iter().collect()))])
    };
    let function = |fid: usize, params: usize, slots: usize, code: &[&String]| {
        record([
            ("fid", Value::int(fid)),
            ("param_count", Value::int(params)),
            ("local_count", Value::int(slots)),
            ("code", Value::List(code.iter().enumerate().map(instruction).collect())),
        ])
    };
    let (load, ret) = ("LOAD 0".to_owned(), "RET".to_owned());
    let second = [&load, &ret];
    record([("functions", Value::List(vec![function(1, 0, 4, &first), function(2, 1, 60_000, &second)]))])
}

/// A program of a NeoVM that knows the message of the signatures in the tables.
fn neo(script: Vec<u8>) -> Value {
    record([
        ("script", Value::Bytes(script)),
        ("host", Value::text("crypto")),
        ("message", Value::Bytes(hex_bytes("766563746f72206d657373616765").unwrap_or_default())),
        ("scriptTable", Value::List(vec![Value::Bytes(vec![0x66])])),
    ])
}

const AUTHORIZATION: &str = "AUTHORIZATION";
const NEWEST: &str = "Osaka";
const SENDER: u8 = 0xaa;
const TARGET: u8 = 0xbb;

/// A state test whose transaction calls this code, with this number of authorizations.
fn state_test(code: Vec<u8>, authorizations: usize) -> Value {
    let number = |number: u64| Value::Int(BigInt::from(number));
    let account = |address: u8, code: Vec<u8>| {
        let balance = Value::Int(BigInt::from(1) << 200);
        let members = [
            ("balance", balance),
            ("nonce", number(0)),
            ("code", Value::Bytes(code)),
            ("storage", Value::Record(Vec::new())),
        ];
        (format!("0x{}", format!("{address:02x}").repeat(20)), record(members))
    };
    // The x coordinate of the generator of the curve, so that there is a key to recover.
    let point = hex_bytes("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
    let point = Value::Int(BigInt::from_bytes_be(num_bigint::Sign::Plus, &point.unwrap_or_default()));
    let authorization = record([
        ("chainId", number(0)),
        ("address", address(TARGET)),
        ("nonce", number(0)),
        ("v", number(0)),
        ("r", point),
        ("s", number(0x3333)),
    ]);
    let mut transaction = vec![
        ("nonce", number(0)),
        ("to", address(TARGET)),
        ("sender", address(SENDER)),
        ("maxFeePerGas", number(10)),
        ("maxPriorityFeePerGas", number(0)),
        ("gasPrice", number(10)),
    ];
    if authorizations > 0 {
        transaction.push(("authorizationList", Value::List(vec![authorization; authorizations])));
    }
    let env = record([
        ("coinbase", address(0xcc)),
        ("gasLimit", number(u64::MAX)),
        ("number", number(300)),
        ("timestamp", number(1000)),
        ("difficulty", number(0x20000)),
        ("random", number(0)),
        ("baseFee", number(7)),
        ("excessBlobGas", number(0)),
    ]);
    Value::record([
        ("env", env),
        ("chainId", number(1)),
        ("transaction", Value::record(transaction)),
        ("pre", Value::record([account(SENDER, Vec::new()), account(TARGET, code)])),
    ])
}

fn address(byte: u8) -> Value {
    Value::Bytes(vec![byte; 20])
}

pub(crate) fn record<const N: usize>(members: [(&'static str, Value); N]) -> Value {
    Value::record(members)
}

/// An EVM program of this code, with gas for everything.
pub(crate) fn evm(code: Vec<u8>) -> Value {
    let (address, number) = (|| Value::Bytes(vec![0; 20]), |number: u64| Value::Int(BigInt::from(number)));
    record([
        ("code", Value::Bytes(code)),
        ("data", Value::Bytes(Vec::new())),
        ("gas", number(1 << 62)),
        ("gasPrice", number(0)),
        ("value", number(0)),
        ("address", address()),
        ("caller", address()),
        ("origin", address()),
        ("coinbase", address()),
        ("difficulty", number(0)),
        ("gasLimit", number(0)),
        ("number", number(300)),
        ("timestamp", number(0)),
        ("debit", Value::Bool(false)),
        ("pre", Value::Record(Vec::new())),
    ])
}
