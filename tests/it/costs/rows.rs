//! The instructions of each machine on their worst operands, and what they cost: `tests/costs/<machine>.txt`.
//!
//! A line is `NAME | units | setup | body`, and `| times` if the body is not executed 1000 times. The body contains the instruction and leaves things as they were; it
//! is executed after the setup. Instructions are separated by `; `, `3*A & B` is `A; B; A; B; A; B`. The
//! name may be followed by what is special about the operands. The units are the measured time of the body,
//! a unit being [`UNIT`]; `ends` stands for instructions after which nothing can follow.

use num_bigint::BigInt;
use vmconf::isa::assembler::assemble;
use vmconf::machines::MachineInfo;
use vmconf::machines::machine::{Machine, Status, perform};
use vmconf::model::case::{Action, Program};
use vmconf::model::hex::hex_bytes;
use vmconf::model::limits::Limits;
use vmconf::model::value::Value;

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
        Some(Row { name, cost: cost.parse().ok(), setup, body, times })
    }

    /// How many instructions the body has, with those that a loop or a called function adds.
    pub(crate) fn instructions(&self) -> usize {
        const AROUND: usize = 2;
        instructions(self.body).len() + AROUND
    }

    /// A machine that has loaded this number of copies of the body.
    pub(crate) fn loaded(&self, info: &MachineInfo, times: usize) -> Box<dyn Machine> {
        let mut machine = (info.new)(&Limits { steps: u64::MAX, memory: 1 << 40, ..Limits::default() });
        machine.load(&self.program(info, times)).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        if info.name == "minic89" {
            let start = record([("entry", Value::int(1)), ("limits", record([("step_limit", Value::Null)]))]);
            assert_eq!(machine.set(&start), Ok(()));
        }
        machine
    }

    /// Executes this number of copies of the body; the units that this is charged, the setup included.
    pub(crate) fn run(&self, machine: &mut dyn Machine) -> u64 {
        let status = perform(machine, &Action::Execute, None);
        assert_eq!(status, Status::Ended, "{}: {}", self.name, machine.describe());
        let field = ["outcome", "state"].into_iter().find(|field| machine.has_field(field));
        if let Some(Value::Text(end)) = field.and_then(|field| machine.observe(field)) {
            assert!(["success", "HALT", "Halt"].contains(&&*end), "{}: {}", self.name, machine.describe());
        }
        machine.account().units()
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
