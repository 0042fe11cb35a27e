//! Properties of the machine `neo3`. The expected results come from the reference, implemented here a second
//! time, never from the machine.
//!
//! | file | what must hold |
//! |---|---|
//! | `numbers.rs` | the encoding of Integers; every instruction on numbers |
//! | `types.rs` | what each type is as another one |
//! | `references.rs` | `refs` after each instruction, by the model of `model.rs` |
//! | `joined.rs` | what CAT joins in place and what it leaves as it is |
//! | `drive.rs` | a program ends the same however it is driven |
//! | `bounds.rs` | deep and cyclic items, and memory |
//!
//! `PROPTEST_CASES` sets how many random cases each property sees, `PROPTEST_RNG_SEED` which ones;
//! a failure prints the smallest case that was found.

mod bounds;
mod drive;
mod joined;
mod model;
mod numbers;
mod references;
mod types;

use crate::support::config;
use num_bigint::BigInt;
use vmconf::machines;
use vmconf::machines::machine::{Machine, perform};
use vmconf::machines::neo3::Op;
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Program, Value};

// ---- Scripts

/// A script that is being written.
#[derive(Debug, Clone, Default)]
struct Script(Vec<u8>);

impl Script {
    fn new() -> Script {
        Script::default()
    }

    /// Instructions without operands.
    fn ops(self, ops: &[Op]) -> Script {
        ops.iter().fold(self, |script, op| script.op(*op, &[]))
    }

    /// An instruction and its operand.
    fn op(mut self, op: Op, operand: &[u8]) -> Script {
        self.0.push(op as u8);
        self.0.extend_from_slice(operand);
        self
    }

    /// Bytes as they are.
    fn raw(mut self, bytes: &[u8]) -> Script {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Pushes a number.
    fn int(self, number: impl Into<BigInt>) -> Script {
        self.op(Op::PUSHINT256, &encoded(&number.into(), 32))
    }

    /// Pushes a ByteString.
    fn bytes(self, bytes: &[u8]) -> Script {
        self.op(Op::PUSHDATA4, &u32::try_from(bytes.len()).unwrap().to_le_bytes()).raw(bytes)
    }

    /// Appends the instructions `times` times.
    fn repeated(self, times: u32, ops: &[Op]) -> Script {
        (0..times).fold(self, |script, _| script.ops(ops))
    }

    /// Executes the instructions `times` times, at least once. Before and after them, the loop counter is on
    /// top of the stack.
    fn counted(self, times: u32, ops: impl FnOnce(Script) -> Script) -> Script {
        let script = self.int(times);
        let start = script.0.len();
        let script = ops(script).ops(&[Op::DEC, Op::DUP]);
        let back = start as i32 - script.0.len() as i32;
        script.op(Op::JMPIF_L, &back.to_le_bytes()).ops(&[Op::DROP])
    }
}

/// A number as this number of bytes of two's complement, least significant first, worked out without the
/// library's own conversion.
fn encoded(number: &BigInt, length: usize) -> Vec<u8> {
    let modulus = BigInt::from(1) << (8 * length);
    let unsigned = if *number < BigInt::ZERO { number + modulus } else { number.clone() };
    let mut bytes = unsigned.magnitude().to_bytes_le();
    bytes.resize(length, 0);
    bytes
}

// ---- Runs

/// How a script ends.
#[derive(Debug, Clone, PartialEq)]
enum End {
    /// With these items, the top one last.
    Halt(Vec<Value>),
    Fault,
}

impl End {
    /// The only item.
    fn one(item: Value) -> End {
        End::Halt(vec![item])
    }
}

fn loaded(script: &[u8]) -> Box<dyn Machine> {
    limited(script, &Limits::default())
}

fn limited(script: &[u8], limits: &Limits) -> Box<dyn Machine> {
    let mut machine = (machines::by_name("neo3").unwrap().new)(limits);
    let record = Value::record([("script".to_owned(), Value::Bytes(script.to_vec()))]);
    machine.load(&Program::from(record)).unwrap();
    machine
}

/// A machine that ran the script to its end.
fn ended(script: &Script) -> Box<dyn Machine> {
    // More than by default: some tests fill the machine with the largest items.
    let mut machine = limited(&script.0, &Limits { memory: 1 << 32, ..Limits::default() });
    let status = perform(&mut *machine, &Action::Execute, None);
    assert_eq!(status, Status::Ended, "{}", hex::encode(&script.0));
    machine
}

fn end_of(script: &Script) -> End {
    end(ended(script).inspect())
}

/// How a machine ended.
fn end(machine: &dyn Observe) -> End {
    match machine.observe("state") {
        Some(Value::Text(state)) if state == "HALT" => match machine.observe("resultStack") {
            Some(Value::List(items)) => End::Halt(items.into_iter().rev().collect()),
            other => panic!("a result stack {other:?}"),
        },
        Some(Value::Text(state)) if state == "FAULT" => End::Fault,
        other => panic!("a machine that ended in state {other:?}"),
    }
}

/// The references of a machine.
fn references(machine: &dyn Observe) -> usize {
    match machine.observe("refs") {
        Some(Value::Int(count)) => usize::try_from(count).unwrap(),
        other => panic!("{other:?} references"),
    }
}

// ---- Items

fn null() -> Value {
    Value::typed("Null", Value::Null)
}

fn boolean(value: bool) -> Value {
    Value::typed("Boolean", Value::Bool(value))
}

fn integer(number: impl Into<BigInt>) -> Value {
    Value::typed("Integer", Value::int(number))
}

fn byte_string(bytes: &[u8]) -> Value {
    Value::typed("ByteString", Value::Bytes(bytes.to_vec()))
}

fn buffer(bytes: &[u8]) -> Value {
    Value::typed("Buffer", Value::Bytes(bytes.to_vec()))
}

fn list(kind: &'static str, items: Vec<Value>) -> Value {
    Value::typed(kind, Value::List(items))
}

/// Reference, sections 9.5 and 11; the last three are the first four bytes that `sha256sum` prints.
#[test]
fn services_have_the_numbers_of_the_reference() {
    let services = machines::neo3::HOSTS.iter().flat_map(|(host, services)| {
        services.iter().map(move |service| (*host, service.name().unwrap_or_default(), service.id()))
    });
    let expected = [
        ("test", "", 0x7777_7777),
        ("test", "", 0xadde_adde),
        ("crypto", "System.Crypto.CheckSig", 0x27b3_e756),
        ("crypto", "System.Crypto.CheckMultisig", 0x3adc_d09e),
        ("crypto", "System.Crypto.SHA256", 0xbabf_5630),
        ("crypto", "System.Crypto.RIPEMD160", 0x4b50_9598),
        ("crypto", "System.Crypto.VerifyWithECDsa", 0x438c_8bd4),
    ];
    assert!(services.eq(expected));
}
