//! Two programs of each machine, at ten steps each, beside a trace written by hand from the specification of the
//! machine.
//!
//! A line is the state before an instruction: `MOD | 64 7 ; r1=5`, the instruction, the operand stack with its top
//! first, and other rows of the state by name.

use num_bigint::BigInt;
use serde_json::json;
use vmconf::explain::recording::sections_of;

use super::truth::{Vector, evm, inner_revert, marked, neo3, tinyvm, vector};
use super::{Explorer, explorer};

#[test]
fn evm_arithmetic_and_storage() {
    // (5 + 3)^2 mod 7 in the wrong order, then ISZERO and NOT.
    check(
        &evm("0x60056003018002600790061519"),
        0,
        [
            "PUSH1 0x05 |",
            "PUSH1 0x03 | 5",
            "ADD | 3 5",
            "DUP1 | 8",
            "MUL | 8 8",
            "PUSH1 0x07 | 64",
            "SWAP1 | 7 64",
            "MOD | 64 7",
            "ISZERO | 1",
            "NOT | 0",
        ],
    );
    check(
        &evm("0x602a600052600051600155600154005b00"),
        0,
        [
            "PUSH1 0x2a |",
            "PUSH1 0x00 | 42",
            "MSTORE | 0 42",
            "PUSH1 0x00 | ; 0x0000=0x2a",
            "MLOAD | 0",
            "PUSH1 0x01 | 42",
            "SSTORE | 1 42",
            "PUSH1 0x01 | ; 0x01=42",
            "SLOAD | 1",
            "STOP | 42 ; 0x01=42",
        ],
    );
}

#[test]
fn neo3_arithmetic_and_slots() {
    check(
        &neo3(&json!(["PUSH3", "PUSH4", "ADD", "DUP", "MUL", "PUSH10", "SWAP", "MOD", "INC", "NEGATE"])),
        0,
        [
            "PUSH3 |",
            "PUSH4 | 3",
            "ADD | 4 3",
            "DUP | 7",
            "MUL | 7 7",
            "PUSH10 | 49",
            "SWAP | 10 49",
            // 10 mod 49
            "MOD | 49 10",
            "INC | 10",
            "NEGATE | 11",
        ],
    );
    let script = json!([
        "INITSLOT", "0x0200", "PUSH5", "STLOC0", "PUSH8", "STLOC1", "LDLOC0", "LDLOC1", "SUB", "ABS", "SIGN"
    ]);
    check(
        &neo3(&script),
        0,
        [
            "INITSLOT |",
            "PUSH5 |",
            "STLOC0 | 5",
            "PUSH8 | ; local 0=5",
            "STLOC1 | 8",
            "LDLOC0 | ; local 0=5, local 1=8",
            "LDLOC1 | 5",
            "SUB | 8 5",
            "ABS | -3",
            "SIGN | 3 ; local 1=8",
        ],
    );
}

fn neo2(script: &str) -> Vector {
    let step = json!({ "actions": ["Execute"], "result": { "state": "Fault" } });
    let test = json!({ "name": "it", "script": script, "steps": [step] });
    vector(&json!({ "category": "it", "name": "it", "tests": [test] }))
}

#[test]
fn neo2_arithmetic_and_alt_stack() {
    check(
        &neo2("0x53549376955a7c978b8f"),
        0,
        [
            "PUSH3 |",
            "PUSH4 | 3",
            "ADD | 4 3",
            "DUP | 7",
            "MUL | 7 7",
            "PUSH10 | 49",
            "SWAP | 10 49",
            "MOD | 49 10",
            "INC | 10",
            "NEGATE | 11",
        ],
    );
    check(
        &neo2("0x556b586a946c95765278"),
        0,
        [
            "PUSH5 |",
            "TOALTSTACK | 5",
            "PUSH8 |",
            "DUPFROMALTSTACK | 8",
            "SUB | 5 8",
            "FROMALTSTACK | 3",
            "MUL | 5 3",
            "DUP | 15",
            "PUSH2 | 15 15",
            "OVER | 2 15 15",
        ],
    );
}

/// A MiniC89 with these functions, which are written `name locals: OP arg; OP`; the last one is the entry.
fn minic89(functions: &[(&str, u64, u64, &str)]) -> Vector {
    let functions = functions.iter().enumerate().map(|(index, (name, parameters, locals, code))| {
        let code = code.split("; ").map(|line| {
            let (op, argument) = line.split_once(' ').unwrap_or((line, ""));
            let arguments: Vec<i64> = argument.parse().into_iter().collect();
            json!({ "op": op, "args": arguments })
        });
        json!({ "fid": index + 1, "name": name, "param_count": parameters, "local_count": locals,
            "code": code.collect::<Vec<_>>() })
    });
    let program = json!({ "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1",
        "functions": functions.collect::<Vec<_>>() });
    let test = json!({ "name": "it", "expect": { "halt": { "result": 0 } } });
    vector(&json!({ "machine": "minic89", "program": program, "tests": [test] }))
}

#[test]
fn minic89_arithmetic_and_a_call() {
    let code = "PUSH_I16 17; PUSH_I16 5; MOD; DUP; MUL; NEG; LNOT; LNOT; PUSH_I16 -3; ADD; RET";
    check(
        &minic89(&[("main", 0, 0, code)]),
        0,
        [
            "PUSH_I16 17 |",
            "PUSH_I16 5 | 17",
            "MOD | 5 17",
            "DUP | 2",
            "MUL | 2 2",
            "NEG | 4",
            "LNOT | -4",
            "LNOT | 0",
            "PUSH_I16 -3 | 1",
            "ADD | -3 1 ; step=9",
        ],
    );
    let one_less = ("f", 1, 1, "LOAD_LOCAL 0; PUSH_I16 1; SUB; RET");
    let main = ("main", 0, 1, "PUSH_I16 6; CALL_DIRECT 1; STORE_LOCAL 0; POP; LOAD_LOCAL 0; RET");
    check(
        &minic89(&[one_less, main]),
        0,
        [
            "PUSH_I16 |",
            "CALL_DIRECT | 6",
            "LOAD_LOCAL |",
            "PUSH_I16 | 6",
            "SUB | 1 6",
            "RET | 5",
            "STORE_LOCAL | 5",
            "POP | 5 ; slot 0=5",
            "LOAD_LOCAL | ; slot 0=5",
            "RET | 5",
        ],
    );
}

#[test]
fn tinyvm_arithmetic_and_memory() {
    let program = [
        "lw r1, 5",
        "lw r2, -3",
        "add r1 r2",
        "mul r1 r2",
        "sub r1 r2",
        "not r3, r2",
        "incr r3",
        "mov r4, r3",
        "divs r2 r4",
        "popcnt r5, r4",
        "yield",
    ];
    check(
        &tinyvm(&json!(program)),
        0,
        [
            "lw r1, 5 |",
            "lw r2, -3 | ; r1=5",
            "add r1 r2 | ; r2=0xfffd",
            "mul r1 r2 | ; r2=2",
            "sub r1 r2 | ; r2=10",
            // 5 - 10
            "not r3, r2 | ; r2=0xfffb, r3=0",
            "incr r3 | ; r3=4",
            "mov r4, r3 | ; r3=5",
            "divs r2 r4 | ; r4=5",
            // -5 / 5
            "popcnt r5, r4 | ; r4=0xffff, time=9",
        ],
    );
    let program = [
        "lw r1, 7",
        "lw r2, 9",
        "sw r1, r2",
        "lw r3, r1",
        "eq r2 r3",
        "b r3 2",
        "lw r2, 0",
        "decr r2",
        "xor r1 r2",
        "sl r3 r2",
        "clz r4, r2",
        "yield",
    ];
    check(
        &tinyvm(&json!(program)),
        0,
        [
            "lw r1, 7 |",
            "lw r2, 9 | ; r1=7",
            "sw r1, r2 | ; r2=9",
            "lw r3, r1 | ; 0x0007=9",
            "eq r2 r3 | ; r3=9",
            "b r3 2 | ; r3=1",
            // The branch leaves out the load.
            "decr r2 | ; r2=9, pc=7",
            "xor r1 r2 | ; r2=8",
            // 7 xor 8
            "sl r3 r2 | ; r2=15, r3=1",
            // 1 << 15
            "clz r4, r2 | ; r2=0x8000",
        ],
    );
}

/// The first ten instructions of a contract that calls another one, and those of that one.
#[test]
fn ethereum_outer_and_inner_call() {
    let vector = vector(&inner_revert());
    check(
        &vector,
        0,
        [
            "PUSH1 0x07 |",
            "PUSH1 0x01 | 7",
            "SSTORE | 1 7",
            "PUSH1 0x00 | ; 0x01=7",
            "PUSH1 0x00 | 0",
            "PUSH1 0x00 | 0 0",
            "PUSH1 0x00 | 0 0 0",
            "PUSH1 0x00 | 0 0 0 0",
            "PUSH20 0x00000000000000000000000000000000000000c0 | 0 0 0 0 0",
            "PUSH2 0xffff | 0xc0 0 0 0 0 0 ; frames=1",
        ],
    );
    check(
        &vector,
        11,
        [
            "PUSH1 0x03 | ; frames=2",
            "PUSH1 0x01 | 3",
            "SSTORE | 1 3",
            "PUSH1 0xee | ; frames=2",
            "PUSH1 0x00 | 0xee",
            "MSTORE8 | 0 0xee",
            "PUSH1 0x01 |",
            "PUSH1 0x00 | 1",
            "REVERT | 0 1",
            // The call failed, which pushes 0.
            "POP | 0 ; frames=1, 0x01=7",
        ],
    );
}

/// Compares ten states from this one on.
fn check(vector: &Vector, from: u64, lines: [&str; 10]) {
    let mut explorer = explorer(&vector.path);
    for (line, step) in lines.into_iter().zip(from..) {
        explorer.go_to_step(step);
        let (instruction, values) = line.split_once('|').unwrap();
        let (stack, rows) = values.split_once(';').unwrap_or((values, ""));
        let shown = marked(&mut explorer);
        assert!(shown.contains(&format!(" {}", instruction.trim())), "{line}: {shown}");
        let stack: Vec<_> = stack.split_whitespace().map(number).collect();
        assert_eq!(stack_of(&explorer), stack, "{line}");
        for row in rows.split(',').filter(|row| !row.trim().is_empty()) {
            let (name, value) = row.split_once('=').unwrap();
            assert_eq!(row_of(&explorer, name.trim()), number(value), "{line}: {name}");
        }
    }
}

fn stack_of(explorer: &Explorer) -> Vec<BigInt> {
    let sections = sections_of(explorer.recording().machine().inspect());
    let rows =
        sections.into_iter().filter(|section| section.counts.is_some()).flat_map(|section| section.rows);
    rows.filter(|shown| shown.row.depth == 0).map(|shown| number(&shown.row.value)).collect()
}

/// The number in the first row with this name: that of the current frame.
fn row_of(explorer: &Explorer, name: &str) -> BigInt {
    let sections = sections_of(explorer.recording().machine().inspect());
    let mut rows = sections.into_iter().flat_map(|section| section.rows);
    let row = rows.find(|shown| shown.row.name == name);
    number(&row.unwrap_or_else(|| panic!("no row {name}")).row.value)
}

/// The number that a value is: `Integer 0x2a (42)`, `0x2a` or `42`.
fn number(text: &str) -> BigInt {
    let text = text.trim().trim_start_matches("Integer ");
    let word = text.split([' ', ',']).next().unwrap();
    let (sign, digits) = word.strip_prefix('-').map_or(("", word), |digits| ("-", digits));
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        // A row of memory.
        None if digits.len() == 64 => (digits, 16),
        None => (digits, 10),
    };
    BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), radix)
        .unwrap_or_else(|| panic!("{text:?} is no number"))
}
