//! Short loops of every machine beside the EVM's add loop, by the time of one opcode.

use anyhow::{Context, anyhow, ensure};
use vmconf::isa::Isa;
use vmconf::isa::assembler::assemble;
use vmconf::machines;
use vmconf::machines::tiers::Tiers;
use vmconf::model::{Program, Value};

use crate::Rounds;
use crate::instructions::{Counted, cell};
use crate::results::Results;
use crate::rows::{evm, record};
use crate::running::Running;
use crate::timing::compare;

/// A loop: its name, its machine and its source. It runs a million times or so.
pub(crate) type Loop = (&'static str, &'static str, &'static str);

/// What all others are compared with: a sum, as a compiler of a high-level language makes it.
pub(crate) const ADD: Loop = (
    "add",
    "evm",
    "PUSH4 1000000 PUSH1 7 PUSH1 0 PUSH1 0
     again: JUMPDEST DUP4 DUP2 LT ISZERO PUSH2 @end JUMPI
     SWAP1 DUP3 ADD SWAP1 JUMPDEST PUSH1 1 ADD PUSH2 @again JUMP
     end: JUMPDEST STOP",
);

const LOOPS: &[Loop] = &[
    ("count down", "neo3", "PUSHINT32 1000000 again: DEC DUP JMPIF @again"),
    ("add and swap", "neo3", "PUSH0 PUSHINT32 1000000 again: SWAP PUSH1 ADD SWAP DEC DUP JMPIF @again"),
    (
        "array items",
        "neo3",
        "PUSHINT8 0 PUSH1 PACK PUSHINT32 1000000
         again: OVER PUSH0 PUSH1 PICK PUSH0 PICKITEM INC SETITEM DEC DUP JMPIF @again",
    ),
    (
        "append and pop",
        "neo3",
        "NEWARRAY0 PUSHINT32 1000000 again: OVER PUSH1 APPEND OVER POPITEM DROP DEC DUP JMPIF @again",
    ),
    (
        "locals",
        "neo3",
        "INITSLOT 2 0 PUSH0 STLOC1 PUSHINT32 1000000 STLOC0
         again: LDLOC1 PUSH1 ADD STLOC1 LDLOC0 DEC STLOC0 LDLOC0 JMPIF @again",
    ),
    (
        "memory",
        "tinyvm",
        "lw r5, 20
         .label _outer
         lw r2, -1
         .label _again
         lw r3, r1
         add r2 r3
         sw r1, r3
         incr r1
         decr r2
         b r2 _again
         decr r5
         b r5 _outer
         yield",
    ),
    (
        "arithmetic",
        "tinyvm",
        "lw r5, 20
         .label _outer
         lw r2, -1
         .label _again
         add r2 r3
         mul r3 r4
         xor r2 r4
         decr r2
         b r2 _again
         decr r5
         b r5 _outer
         yield",
    ),
    (
        "count down",
        "minic89",
        "0,2: PUSH_I16 50; STORE 0; POP; PUSH_I16 30000; STORE 1; POP;
              LOAD 1; PUSH_I16 1; SUB; STORE 1; JNZ 6;
              LOAD 0; PUSH_I16 1; SUB; STORE 0; JNZ 3; PUSH_I16 0; RET",
    ),
    (
        "recursive call",
        "minic89",
        "0,0: PUSH_I16 25; CALL 2; RET ||
         1,1: LOAD 0; PUSH_I16 2; LT; JZ 6; LOAD 0; RET;
              LOAD 0; PUSH_I16 1; SUB; CALL 2; POP; LOAD 0; PUSH_I16 2; SUB; CALL 2; RET",
    ),
    ("count down", "neo2", "PUSHBYTES3 0x40420f again: DEC DUP JMPIF @again"),
    ("add and swap", "neo2", "PUSH0 PUSHBYTES3 0x40420f again: SWAP PUSH1 ADD SWAP DEC DUP JMPIF @again"),
];

/// Measures each loop and prints a row for it.
pub(crate) fn measure(rounds: &Rounds) -> anyhow::Result<()> {
    let mut add = running(ADD, Tiers::default())?;
    let adds = add.opcodes() as f64;
    let mut results = Results::of("loops")?;
    println!(
        "{:<24}{:>10}{:>10}{:>10}{:>11}{:>13}{:>18}",
        "loop", "opcodes", "ns/opcode", "evm add", "times evm", "of a round", "machine instr./op"
    );
    for it in LOOPS {
        let name = full_name(it);
        if !rounds.selects(&name) {
            continue;
        }
        let mut ours = running(*it, Tiers::default())?;
        let opcodes = ours.opcodes();
        ensure!(opcodes > 1_000_000, "{name} ends after {opcodes} opcodes");
        let compared = compare(rounds.rounds, || add.run(), || ours.run());
        let opcodes_of_add = adds / opcodes as f64;
        let ratio = compared.ratio() * opcodes_of_add;
        let spread = compared.spread.map(|ratio| format!("{:.2}", ratio * opcodes_of_add)).join("-");
        let instructions = Counted { name: &name, suites: None, plain: false, opcodes }.per_opcode()?;
        let last = results.add(&name, &[("times evm", Some(ratio)), ("instructions", instructions)]);
        println!(
            "{name:<24}{opcodes:>10}{:>10.2}{:>10.2}{ratio:>11.2}{spread:>13}{:>18}  {last}",
            compared.peers / opcodes as f64 * 1e9,
            compared.ours / adds * 1e9,
            cell(instructions)
        );
    }
    results.save(rounds)
}

/// A loop on its machine.
pub(crate) fn running((name, machine, source): Loop, tiers: Tiers) -> anyhow::Result<Running> {
    let isa = machines::by_name(machine).with_context(|| format!("no machine {machine}"))?.isa;
    let script = || assemble(isa, &lines(source, isa)).map_err(|error| anyhow!("{name}: {error}"));
    let program = match machine {
        "evm" => evm(script()?),
        "tinyvm" => record([("instructions", Value::text(source))]),
        "minic89" => record([("functions", functions(source)?)]),
        _ => record([("script", Value::Bytes(script()?))]),
    };
    Running::new(machine, Program::from(program), tiers)
}

/// The loop of this name.
pub(crate) fn by_name(name: &str) -> anyhow::Result<Loop> {
    let all = [&[ADD], LOOPS].concat();
    all.into_iter().find(|it| full_name(it) == name).with_context(|| format!("no loop {name}"))
}

fn full_name((name, machine, _): &Loop) -> String {
    format!("{machine} {name}")
}

/// The source with one instruction a line.
pub(crate) fn lines(source: &str, isa: &Isa) -> String {
    let mut text = String::new();
    for word in source.split_whitespace() {
        let starts = isa.by_name(word).is_some() || word.ends_with(':');
        text.push(if starts { '\n' } else { ' ' });
        text.push_str(word);
    }
    text
}

/// The functions of a MiniC89 program, ids from 1: `parameters,slots: instruction; instruction || …`.
fn functions(source: &str) -> anyhow::Result<Value> {
    let function = |(index, text): (usize, &str)| {
        let (head, code) = text.split_once(':').context("a function without counts")?;
        let (params, slots) = head.trim().split_once(',').context("one count")?;
        let instruction = |text: &str| {
            let (op, argument) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            let argument = (!argument.is_empty()).then(|| argument.parse().map(Value::Int)).transpose()?;
            let args = Value::List(argument.into_iter().collect());
            anyhow::Ok(record([("op", Value::text(op)), ("args", args)]))
        };
        anyhow::Ok(record([
            ("fid", Value::int(index + 1)),
            ("param_count", Value::Int(params.parse()?)),
            ("local_count", Value::Int(slots.parse()?)),
            ("code", Value::List(code.split(';').map(instruction).collect::<Result<_, _>>()?)),
        ]))
    };
    source.split("||").enumerate().map(function).collect::<Result<_, _>>().map(Value::List)
}
