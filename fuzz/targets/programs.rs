//! Programs: the input decides which instructions a program has. A machine must end the same in one run as
//! instruction by instruction with a trace.

use std::io;

use arbitrary::{Result, Unstructured};
use vmconf::explain::trace::{TRACES, TraceSelection, Tracer};
use vmconf::isa::{ImmediateOperand, Isa, OpInfo};
use vmconf::machines::machine::Machine;
use vmconf::machines::status::Status;
use vmconf::machines::{self, MachineInfo};
use vmconf::model::limits::Limits;
use vmconf::model::{Program, Value};

/// How many instructions are executed at most.
const STEPS: u64 = 150;

/// The most instructions of a program.
const MAX_LENGTH: usize = 400;

pub(super) fn evm(data: &[u8]) -> u64 {
    check("evm", data, |isa, input| {
        let number = |input: &mut Unstructured<'_>| Ok(Value::int(input.arbitrary::<u32>()?));
        let address = Value::Bytes(vec![7; 20]);
        let account = Value::record([
            ("balance", number(input)?),
            ("nonce", Value::int(0)),
            ("code", Value::Bytes(vec![0; input.int_in_range(0..=40)?])),
            ("storage", Value::record([("0x01", Value::int(1))])),
        ]);
        let program = Value::record([
            ("address", address.clone()),
            ("caller", address.clone()),
            ("origin", address.clone()),
            ("value", number(input)?),
            ("gasPrice", Value::int(1)),
            ("gas", number(input)?),
            ("data", Value::Bytes(bytes(input, 40)?)),
            ("coinbase", address),
            ("difficulty", Value::int(1)),
            ("gasLimit", number(input)?),
            ("number", number(input)?),
            ("timestamp", Value::int(1)),
            ("debit", Value::Bool(input.arbitrary()?)),
            ("pre", Value::record([("0x0707070707070707070707070707070707070707", account)])),
            ("code", Value::Bytes(code(&[], isa, input)?)),
        ]);
        Ok((program, None))
    })
}

/// INITSSLOT and INITSLOT: fields of all kinds.
const SLOTS: &[u8] = &[0x56, 7, 0x57, 7, 0];

pub(super) fn neo3(data: &[u8]) -> u64 {
    check("neo3", data, |isa, input| {
        let strict = Value::Bool(input.ratio(1, 8)?);
        Ok((Value::record([("strict", strict), ("script", Value::Bytes(code(SLOTS, isa, input)?))]), None))
    })
}

pub(super) fn neo2(data: &[u8]) -> u64 {
    check("neo2", data, |isa, input| {
        let message = Value::Bytes(bytes(input, 40)?);
        Ok((Value::record([("message", message), ("script", Value::Bytes(code(&[], isa, input)?))]), None))
    })
}

pub(super) fn tinyvm(data: &[u8]) -> u64 {
    check("tinyvm", data, |isa, input| {
        let registers = (0..16).map(|_| Ok(Value::int(input.arbitrary::<u16>()?)));
        let registers = registers.collect::<Result<_>>()?;
        let mut words = Vec::new();
        while !input.is_empty() && words.len() < 2 * MAX_LENGTH {
            let op = input.choose(isa.ops)?;
            words.extend((op.code | input.arbitrary::<u16>()? & !op.mask).to_be_bytes());
        }
        let program = [("registers", Value::List(registers)), ("instructions", Value::Bytes(words))];
        Ok((Value::record(program), None))
    })
}

pub(super) fn minic89(data: &[u8]) -> u64 {
    check("minic89", data, |isa, input| {
        let parameters = input.int_in_range(0..=2)?;
        let arguments = (0..parameters).map(|_| Ok(Value::int(input.arbitrary::<i16>()?)));
        let arguments = arguments.collect::<Result<_>>()?;
        let mut functions = Vec::new();
        for fid in 1..=3 {
            functions.push(function(fid, parameters, isa, input)?);
        }
        let entry = Value::record([("entry", Value::int(1)), ("args", Value::List(arguments))]);
        Ok((Value::record([("functions", Value::List(functions))]), Some(entry)))
    })
}

fn function(fid: u8, parameters: u8, isa: &'static Isa, input: &mut Unstructured<'_>) -> Result<Value> {
    let length = input.int_in_range(0..=40)?;
    let mut code = Vec::new();
    for op in instructions(isa, length, input)? {
        let argument = |_: &&str| Ok(Value::int(input.int_in_range(-1..=i32::from(parameters) + 3)?));
        let arguments = op.arguments.iter().map(argument).collect::<Result<_>>()?;
        code.push(Value::record([("op", Value::text(op.name)), ("args", Value::List(arguments))]));
    }
    Ok(Value::record([
        ("fid", Value::int(fid)),
        ("name", Value::text(format!("f{fid}"))),
        ("param_count", Value::int(parameters)),
        ("local_count", Value::int(parameters + 2)),
        ("code", Value::List(code)),
    ]))
}

/// Instructions that often end a program; they are chosen less often.
const ENDING: &[&str] = &[
    "ABORT",
    "ABORTMSG",
    "ASSERT",
    "ASSERTMSG",
    "JUMP",
    "JUMPI",
    "RET",
    "RETURN",
    "STOP",
    "SUICIDE",
    "SYSCALL",
    "THROW",
    "THROWIFNOT",
];

/// Rows in an order in which each finds as many values on the stack as it takes, if no jump is in between.
fn instructions(
    isa: &'static Isa,
    most: usize,
    input: &mut Unstructured<'_>,
) -> Result<Vec<&'static OpInfo>> {
    let pushes: Vec<_> = isa.ops.iter().filter(|op| op.pops == 0 && op.pushes == 1).collect();
    let mut ops = Vec::new();
    let mut height = 0;
    while !input.is_empty() && ops.len() < most {
        let op = input.choose(isa.ops)?;
        if ENDING.contains(&op.name) && !input.ratio(1, 16)? {
            continue;
        }
        while height < op.pops {
            // Those at the front push the smaller values.
            let last = input.int_in_range(0..=pushes.len() - 1)?;
            ops.push(pushes[input.int_in_range(0..=last)?]);
            height += 1;
        }
        ops.push(op);
        height = height - op.pops + op.pushes;
    }
    Ok(ops)
}

/// A program of bytes that begins with `start`.
fn code(start: &[u8], isa: &'static Isa, input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut code = start.to_vec();
    for op in instructions(isa, MAX_LENGTH, input)? {
        code.push(op.code as u8);
        for operand in op.operands {
            add_operand(*operand, input, &mut code)?;
        }
    }
    Ok(code)
}

fn add_operand(operand: ImmediateOperand, input: &mut Unstructured<'_>, code: &mut Vec<u8>) -> Result<()> {
    let size = operand.fixed_len();
    match operand {
        ImmediateOperand::Offset(_) | ImmediateOperand::LaterOffset(_) => {
            code.extend(&input.int_in_range(-20_i64..=40)?.to_le_bytes()[..size]);
        }
        ImmediateOperand::Prefixed(_) => {
            let data = bytes(input, 40)?;
            code.extend(&data.len().to_le_bytes()[..size]);
            code.extend(data);
        }
        ImmediateOperand::Data(_)
        | ImmediateOperand::Word(_)
        | ImmediateOperand::Unsigned(_)
        | ImmediateOperand::Signed(_) => {
            let data = input.bytes(size.min(input.len()))?;
            code.extend(data);
            code.resize(code.len() + size - data.len(), 0);
        }
    }
    Ok(())
}

fn bytes(input: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let length = input.int_in_range(0..=most)?;
    Ok(input.bytes(length.min(input.len()))?.to_vec())
}

/// Makes a program of the input, and what is set before it runs; runs it in both ways and compares the ends. Returns
/// how many instructions it executed.
fn check(
    name: &str,
    data: &[u8],
    program: impl Fn(&'static Isa, &mut Unstructured<'_>) -> Result<(Value, Option<Value>)>,
) -> u64 {
    let info = machines::by_name(name).unwrap();
    let mut input = Unstructured::new(data);
    let Ok(kind) = input.choose_index(TRACES.len()) else { return 0 };
    // Too short an input decides about no program.
    let Ok((program, set)) = program(info.isa, &mut input) else { return 0 };
    let program = Program::from(program);
    let load = || {
        let mut machine = (info.new)(&limits());
        machine.load(&program).unwrap();
        if let Some(set) = &set {
            machine.set(set).unwrap();
        }
        machine
    };
    let mut whole = load();
    let end = whole.run(STEPS, None);
    let mut stepped = load();
    let (stepped_end, executed) = step_by_step(&mut *stepped, info, kind);
    assert_eq!(end, stepped_end, "{}", whole.describe());
    assert_eq!(shown(&*whole), shown(&*stepped));
    executed
}

fn limits() -> Limits {
    Limits { steps: 10_000, memory: 1 << 20, ..Limits::default() }
}

/// Returns how it ends, and how many instructions it executes.
fn step_by_step(machine: &mut dyn Machine, info: &MachineInfo, kind: usize) -> (Status, u64) {
    let writer = (TRACES[kind].new)(info.isa);
    let machines = writer.machines();
    let writer =
        if machines.is_empty() || machines.contains(&info.name) { writer } else { (TRACES[0].new)(info.isa) };
    let mut tracer = Tracer::new(writer, TraceSelection::default(), Box::new(io::sink()), u64::MAX);
    let (mut status, mut executed) = (Status::Running, 0);
    while status == Status::Running && executed < STEPS {
        status = machine.run(1, Some(&mut tracer));
        executed += 1;
    }
    // An ended machine says so once more; one that has used up its budget says that it can go on.
    let status = if status == Status::Running { machine.run(0, None) } else { status };
    let how = machine.describe();
    tracer.end(machine.inspect(), &how).unwrap();
    (status, executed)
}

/// How the machine ended, and what is on its stack.
fn shown(machine: &dyn Machine) -> (String, usize, Vec<Option<Value>>) {
    let height = machine.height();
    (machine.describe(), height, (0..height.min(20)).map(|below| machine.item(below)).collect())
}
