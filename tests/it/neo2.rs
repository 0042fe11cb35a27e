//! The NeoVM 2.x: what its opcodes do, how it counts items, and that nothing hostile disturbs it.

mod property;

use vmconf::isa::assembler::assemble;
use vmconf::machines::machine::{Machine, perform};
use vmconf::machines::neo2::{NEO2, Neo2};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::LimitReached;
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Program, Value};

/// What stands for longer hex in a script.
const SHORT: &[(&str, &str)] = &[
    ("<h>", "da1745e9b549bd0bfa1a569971c77eba30cd5a4b"),
    ("<x>", "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
    ("<ck>", "03<x>"),
    ("<xy>", "<x>7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"),
    (
        "<sig>",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
         f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ),
];

fn bytes(hex: &str) -> Vec<u8> {
    let long = SHORT.iter().rev().fold(hex.to_owned(), |hex, (short, long)| hex.replace(short, long));
    hex::decode(long).unwrap()
}

/// A program of a script without an environment.
fn script(script: Vec<u8>) -> Program {
    program([("script", Value::Bytes(script))])
}

fn program<const N: usize>(members: [(&'static str, Value); N]) -> Program {
    Program::from(Value::record(members))
}

fn loaded(program: &Program, limits: &Limits) -> Neo2 {
    let mut machine = Neo2::new(limits);
    machine.load(program).unwrap();
    machine
}

/// The machine after all of the program.
fn executed(program: &Program) -> Neo2 {
    let limits = Limits::default();
    let mut machine = loaded(program, &limits);
    let status = perform(&mut machine, &Action::Execute, None);
    assert_eq!(status, Status::Ended);
    machine
}

/// How the program ends: `Halt: I1 T`, the results with the top first; or `Fault: @3 I1 // @0 -`,
/// the frames with the current one first.
fn outcome(machine: &Neo2) -> String {
    let Some(Value::List(frames)) = machine.observe("invocationStack") else { panic!() };
    let frame = |frame: &Value| {
        let Some(Value::Int(place)) = frame.get("instructionPointer") else { panic!() };
        format!("@{place} {}", items(frame.get("evaluationStack").unwrap()))
    };
    match machine.observe("state") {
        Some(Value::Text(state)) if state == "Halt" => {
            assert_eq!(frames, []);
            format!("Halt: {}", items(&machine.observe("resultStack").unwrap()))
        }
        Some(Value::Text(state)) => {
            format!("{state}: {}", frames.iter().map(frame).collect::<Vec<_>>().join(" // "))
        }
        other => panic!("{other:?}"),
    }
}

fn items(stack: &Value) -> String {
    let Value::List(items) = stack else { panic!() };
    if items.is_empty() { "-".to_owned() } else { items.iter().map(item).collect::<Vec<_>>().join(" ") }
}

fn item(value: &Value) -> String {
    let Value::Typed(name, inner) = value else { panic!() };
    let letter = &name[..1];
    match &**inner {
        Value::Int(number) => format!("{letter}{number}"),
        Value::Bytes(bytes) => format!("{letter}{}", hex::encode(bytes)),
        Value::Bool(truth) => if *truth { "T" } else { "F" }.to_owned(),
        Value::List(list) => {
            format!("{letter}[{}]", list.iter().map(item).collect::<Vec<_>>().join(" "))
        }
        Value::Record(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key}:{}", item(value)));
            format!("{letter}{{{}}}", entries.collect::<Vec<_>>().join(" "))
        }
        Value::Text(text) => format!("{name}({text})"),
        Value::Null => name.to_string(),
        Value::Typed(..) => panic!(),
    }
}

fn check(hex: &str, expected: &str) {
    assert_eq!(outcome(&executed(&script(bytes(hex)))), expected, "{hex}");
}

/// With a table of one script, which pushes 1: `<h>`.
fn check_with_table(hex: &str, expected: &str) {
    let table = Value::List(vec![Value::Bytes(vec![0x51])]);
    let program = program([("script", Value::Bytes(bytes(hex))), ("scriptTable", table)]);
    assert_eq!(outcome(&executed(&program)), expected, "{hex}");
}

/// With a message that `<sig>` signs.
fn check_with_message(hex: &str, expected: &str) {
    let message = Value::Bytes(b"sample".to_vec());
    let program = program([("script", Value::Bytes(bytes(hex))), ("message", message)]);
    assert_eq!(outcome(&executed(&program)), expected, "{hex}");
}

#[test]
fn opcodes_do_what_the_original_does() {
    // jump offset counts from the opcode; 3 = next
    check("62030051", "Halt: I1");
    // skips one byte
    check("516304005253", "Halt: I3");
    // beyond the end: faults before the pop
    check("51630400", "Fault: @1 I1");
    // alt stack of the callee lands on the caller alt stack
    check("536b6506006c6c66576b", "Halt: I3 I7");
    // bad target: new frame stays
    check("5565090051", "Fault: @10 - // @1 I5");
    // only 2 args moved, 1 result back
    check("515253e0010204006693", "Halt: I5 I1");
    // callee returns fewer than rv: frame popped, then fault
    check("51e0020104006661", "Fault: @6 -");
    // rv 0 drops results
    check_with_table("5152e10001<h>", "Halt: I1");
    // pcount tested before the hash is popped
    check_with_table("5114<h>e20101", "Halt: I1");
    // hash is the only item, pcount 1: late underflow
    check_with_table("14<h>e20101", "Fault: @0 - // @21 -");
    // arguments travel, caller replaced
    check_with_table("5469<h>", "Halt: I1 I4");
    // no caller
    check(
        "682b53797374656d2e457865637574696f6e456e67696e652e47657443616c6c696e6753637269707448617368",
        "Fault: @0 -",
    );
    // PUSH1 PUSH2 PUSH3 PUSH2 XDROP
    check("515253526d", "Halt: I3 I2");
    // PUSH1 PUSH2 PUSH3 PUSH2 XSWAP
    check("5152535272", "Halt: I1 I2 I3");
    // PUSH1 PUSH2 PUSH3 PUSH2 XTUCK
    check("5152535273", "Halt: I3 I2 I3 I1");
    // PUSH1 PUSH2 PUSH3 ROT
    check("5152537b", "Halt: I1 I3 I2");
    // PUSH1 PUSH2 TUCK
    check("51527d", "Halt: I2 I1 I2");
    // Boolean true vs Integer 1: same bytes
    check("00915187", "Halt: T");
    // Integer 0 is one zero byte
    check("518c0087518c009c518c82", "Halt: I1 T F");
    // truncating division
    check("4f599601f9529601f952975701fe97", "Halt: I1 I-1 I-3 I0");
    // negative shift reverses direction
    check("01fb5199514f9801fd4f99", "Halt: I-6 I0 I-3");
    // 2^255 needs 33 bytes
    check("5102ff0098", "Fault: @4 -");
    // -2^255 fits 32 bytes
    check(
        "4f02ff0098",
        "Halt: I-57896044618658097711785492504343953926634992332820282019728792003956564819968",
    );
    // DIV result not limited
    check("4f02ff00984f9682", "Halt: I33");
    // two's complement
    check("01fe835c01fa845c01fa855c01fa86", "Halt: I-10 I-2 I8 I1");
    // a <= x < b
    check("535354a5545354a5", "Halt: F T");
    // 0x80 is truthy, and is -128
    check("0180009b01808d", "Halt: I-1 T");
    // more than 32 zero bytes: true
    check("2100000000000000000000000000000000000000000000000000000000000000000091", "Halt: F");
    // PUSH0 HASH256
    check("00aa", "Halt: B5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456");
    // message = ASCII "sample"
    check_with_message("40<sig>21<ck>ac", "Halt: T");
    // raw 64-byte key
    check_with_message("40<sig>40<xy>ac", "Halt: T");
    // no message
    check("40<sig>21<ck>ac", "Fault: @99 -");
    // VERIFY needs no message
    check("0673616d706c6540<sig>21<ck>ad", "Halt: T");
    // 40sig PUSH1 21ck 2102x PUSH2 CHECKMULTISIG
    check_with_message("40<sig>5121<ck>2102<x>52ae", "Halt: T");
    // keys equal by bytes; first key object stays
    check("c7765155c476010156c476cc", "Halt: A[I1] M{0x01:I6}");
    // freed slot reused
    check("c7765151c4765252c4765353c47651ca765454c4cc", "Halt: A[I4 I2 I3]");
    // APPEND clones a struct
    check("51c67676c8", "Halt: S[F S[F]]");
    // PICKITEM does not clone
    check("51c651c17600c30059c4", "Halt: A[S[I9]]");
    // VALUES clones
    check("51c651c176cd00c30059c4", "Halt: A[S[F]]");
    // struct by value, array by reference
    check("51c651c68751c551c587", "Halt: F T");
    // reverse in place, through the alias
    check("575852c176c9c2", "Halt: I2 I7 I8");
}

/// The source as a script.
fn assembled(source: &str) -> Vec<u8> {
    assemble(&NEO2, &source.replace(", ", "\n")).unwrap()
}

#[test]
fn hashes_are_the_published_ones() {
    fn check_hash(name: &str, input: &str, hash: &str) {
        let source = if input.is_empty() { "PUSH0".to_owned() } else { format!("PUSHDATA1 0x{input}") };
        let machine = executed(&script(assembled(&format!("{source}, {name}"))));
        assert_eq!(outcome(&machine), format!("Halt: B{hash}"), "{name} of {input}");
    }
    check_hash("SHA1", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check_hash("SHA1", "616263", "a9993e364706816aba3e25717850c26c9cd0d89d");
    check_hash("SHA256", "616263", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hash("HASH256", "616263", "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358");
    check_hash("HASH160", "51", "da1745e9b549bd0bfa1a569971c77eba30cd5a4b");
}

#[test]
fn signatures_are_checked_with_keys_in_order() {
    let fits = "CHECKMULTISIG";
    let sig = SHORT[4].1;
    let key = format!("03{}", SHORT[1].1);
    let other = format!("02{}", SHORT[1].1);
    let off_curve = format!("04{0}{0}", SHORT[1].1);
    let check = |source: String, expected: &str| {
        let message = Value::Bytes(b"sample".to_vec());
        let script = Value::Bytes(assembled(&source));
        let machine = executed(&program([("script", script), ("message", message)]));
        assert_eq!(outcome(&machine), expected, "{source}");
    };
    let push = |bytes: &str| format!("PUSHDATA1 0x{bytes}");
    let (sig, key, other, off_curve) = (push(sig), push(&key), push(&other), push(&off_curve));
    check(format!("{sig}, PUSH1, {key}, PUSH1, {fits}"), "Halt: T");
    check(format!("{sig}, PUSH1, {other}, PUSH1, {fits}"), "Halt: F");
    check(format!("{sig}, PUSH1, {other}, {key}, PUSH2, {fits}"), "Halt: T");
    check(format!("{sig}, PUSH1, PACK, {other}, {key}, PUSH2, PACK, {fits}"), "Halt: T");
    check(format!("{sig}, DUP, PUSH2, {key}, {other}, PUSH2, {fits}"), "Halt: F");
    check(format!("{sig}, DUP, PUSH2, {key}, DUP, PUSH2, {fits}"), "Halt: T");
    // A key of unknown form ends the search, unless it stands after the last key that is needed.
    check(format!("{sig}, PUSH1, {key}, PUSH5, PUSH2, {fits}"), "Halt: F");
    check(format!("{sig}, PUSH1, PUSH5, {key}, PUSH2, {fits}"), "Halt: T");
    check(format!("{sig}, {other}, CHECKSIG"), "Halt: F");
    check(format!("{sig}, PUSH5, CHECKSIG"), "Halt: F");
    check(format!("PUSH1, {key}, CHECKSIG"), "Halt: F");
    check(format!("{sig}, {off_curve}, CHECKSIG"), "Fault: @133 -");
    check(format!("{sig}, PUSH1, PUSH0, {fits}"), &format!("Fault: @68 I1 B{}", SHORT[4].1));
}

#[test]
fn truncated_operands_fault() {
    check("4c00", "Fault: @0 -");
    check("4d0000", "Fault: @0 -");
    check("4e00000080", "Fault: @0 -");
    check("4e0100000051", "Halt: B51");
    check("4c0251", "Fault: @0 -");
    check("0251", "Fault: @0 -");
    check("5168", "Fault: @1 I1");
    check("6800", "Fault: @0 -");
    check("ff", "Fault: @0 -");
    check("", "Halt: -");
}

#[test]
fn a_program_is_explained_in_a_line() {
    fn check(source: &str, expected: &str) {
        assert_eq!(executed(&script(assembled(source))).describe(), expected, "{source}");
    }
    check("PUSH1, PUSH2", "Halt, 2 results");
    check("NEWMAP, PUSH7, PICKITEM", "Fault at 0x2 PICKITEM: no item at this key, 1 frame");
    check("PUSH1, CALL 5", "Fault at 0x1 CALL: a target outside the script, 2 frames");
    check(".byte 0xff", "Fault at 0x0 255: undefined opcode, 1 frame");
    let mut machine = loaded(&script(assembled("PUSH1, DROP")), &Limits::default());
    assert_eq!(machine.describe(), "Break at 0x0 PUSH1, 1 frame");
    assert_eq!(machine.run(2, None), Status::Running);
    assert_eq!(machine.describe(), "Break at 0x2 RET, 1 frame");
}

#[test]
fn a_script_can_be_mnemonics_and_bytes() {
    let text = |name: &str| Value::text(name);
    let entries = vec![text("PUSHDATA1"), Value::Bytes(vec![1, 0xaa]), text("pushT"), text("PACK")];
    let machine = executed(&program([("script", Value::List(entries))]));
    assert_eq!(outcome(&machine), "Halt: A[Baa]");
    assert_eq!(outcome(&executed(&program([]))), "Halt: -");

    let wrong = program([("script", Value::List(vec![text("NOP"), text("JUMP")]))]);
    let error = Neo2::new(&Limits::default()).load(&wrong).unwrap_err();
    assert_eq!(
        (error.at.unwrap().to_string(), error.what),
        ("script[1]".to_owned(), "no instruction \"JUMP\" (vmconf isa neo2 lists them)".to_owned())
    );
}

// ---- Hostile programs

fn run_limited(source: &str, limits: &Limits) -> (Status, Neo2) {
    let mut machine = loaded(&script(assembled(source)), limits);
    let status = perform(&mut machine, &Action::Execute, None);
    (status, machine)
}

fn limit_reached(source: &str, limits: &Limits) -> &'static str {
    match run_limited(source, limits).0 {
        Status::Limit(reached) => reached.flag,
        other => panic!("{other:?}: {source}"),
    }
}

/// A Struct of two references to a Struct, and so on: cloned, each level is twice as many.
#[test]
fn cloning_a_few_structs_into_very_many_reaches_a_limit() {
    let level = ", DUP, PUSH2, PACK, NEWSTRUCT".repeat(40);
    let source = format!("PUSH0, NEWSTRUCT{level}, PUSH1, PACK, VALUES");
    let limits = Limits::default();
    assert_eq!(limit_reached(&source, &limits), "max-memory");
    assert_eq!(limit_reached(&source, &Limits { steps: 1000, ..limits.clone() }), "max-steps");
    // Not cloned, they are few.
    let (status, machine) = run_limited(&format!("PUSH0, NEWSTRUCT{level}, DUP, EQUAL"), &limits);
    assert_eq!((status, outcome(&machine).as_str()), (Status::Ended, "Halt: T"));
}

#[test]
fn shared_containers_are_shown_up_to_a_limit() {
    let level = ", DUP, PUSH2, PACK".repeat(40);
    let shown = outcome(&executed(&script(assembled(&format!("PUSH0, NEWARRAY{level}")))));
    assert!(shown.contains("Array(2 items left out)") && shown.len() < 1_000_000, "{}", shown.len());
    // What is shown once is not limited: as many items as a machine can have.
    let list =
        outcome(&executed(&script(assembled("PUSHBYTES2 0xe803, NEWARRAY, DUP, VALUES, PUSH2, PACK"))));
    assert!(!list.contains("left out") && list.matches('F').count() == 2_000, "{list}");
}

#[test]
fn a_container_in_itself_is_shown_once() {
    check(&hex::encode(assembled("PUSH0, NEWARRAY, DUP, DUP, APPEND")), "Halt: A[Array(contains itself)]");
    let map =
        "NEWMAP, DUP, PUSH1, PUSH0, NEWARRAY, DUP, TOALTSTACK, SETITEM, DUP, FROMALTSTACK, SWAP, APPEND";
    check(&hex::encode(assembled(map)), "Halt: M{0x01:A[Map(contains itself)]}");
}

/// As deep as the limit on items lets it become.
#[test]
fn deep_nesting_is_handled() {
    let arrays = "PUSH1, PACK, ".repeat(2000);
    let structs = "PUSH1, PACK, NEWSTRUCT, ".repeat(2000);
    for source in [
        format!("PUSH7, {arrays} NOP"),
        format!("PUSH7, {structs} DUP, PUSH1, PACK, VALUES, PUSH0, PICKITEM, EQUAL"),
        format!("PUSH7, {structs} PUSH7, {structs} EQUAL"),
    ] {
        let machine = executed(&script(assembled(&source)));
        assert!(outcome(&machine).len() < 10_000);
    }
}

/// Pushes a byte array of a megabyte.
fn megabyte() -> String {
    format!("PUSHDATA2 0x{}{}", "01".repeat(1 << 10), ", DUP, CAT".repeat(10))
}

#[test]
fn garbage_does_not_reach_the_limit_on_memory_and_what_is_in_use_does() {
    let limits = Limits { memory: 20 << 20, ..Limits::default() };
    let megabyte = megabyte();
    let check = |source: String, status: Status| {
        let (ended, machine) = run_limited(&source, &limits);
        assert_eq!(ended, status, "{}", machine.describe());
    };
    let limit = Status::Limit(LimitReached { flag: "max-memory", limit: limits.memory });
    // 1000 times, a megabyte twice in an Array that contains itself.
    check(
        format!(
            "PUSHBYTES2 0xe803, loop: {megabyte}, DUP, PUSH2, PACK, DUP, DUP, APPEND, DROP, DEC, DUP, JMPIF @loop"
        ),
        Status::Ended,
    );
    check(format!("{megabyte}{}", ", DUP".repeat(2000)), Status::Ended);
    check(format!("{megabyte}, loop: DUP, PUSH0, CAT, JMP @loop"), limit.clone());
    check(format!("{megabyte}, loop: DUP, NEGATE, JMP @loop"), limit);
}

#[test]
fn work_on_long_operands_reaches_the_limit_on_steps() {
    let limits = Limits { steps: 10_000_000, ..Limits::default() };
    for work in [
        "INVERT",
        "SHA256",
        "DUP, AND",
        "PUSH1, LT",
        "PUSH0, CAT",
        "ABS, SIZE",
        "DUP, EQUAL",
        "PUSH0, VERIFY",
    ] {
        let source = format!("{}, loop: DUP, DUP, {work}, DROP, JMP @loop", megabyte());
        assert_eq!(limit_reached(&source, &limits), "max-steps", "{work}");
    }
}
