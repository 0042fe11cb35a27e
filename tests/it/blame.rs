//! Which instruction `vmconf diff` says made a datum, in vectors whose answer follows from reading the program.

use std::fs;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{at_root, vmconf};

/// What `vmconf diff` prints about the only case of this vector.
fn diff(vector: &Json, flags: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("vector.json");
    fs::write(&path, vector.to_string()).unwrap();
    let told = vmconf(&[&["diff"], flags, &[path.to_str().unwrap()]].concat());
    assert_eq!(told.exit, 1, "{told:?}");
    told.stdout
}

/// The lines from the one that begins with `head` on that are indented more than it, without indentation.
fn below<'t>(text: &'t str, head: &str) -> Vec<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with(head));
    let first = lines.next().unwrap_or_else(|| panic!("no {head}: {text}"));
    let inner = lines.take_while(|line| indent(line) > indent(first));
    [first].into_iter().chain(inner).map(str::trim).collect()
}

/// An instruction that finds no operands on its stack fails, and writes nothing.
#[test]
fn an_instruction_without_operands_writes_nothing() {
    let sample = fs::read_to_string(at_root("docs/examples/formats/statetest.json")).unwrap();
    let mut vector: Json = serde_json::from_str(&sample).unwrap();
    let called = "0x00000000000000000000000000000000000000b0";
    let account =
        |storage: Json| json!({"balance": "0x00", "nonce": "0x01", "code": "0x55", "storage": storage});
    vector["transfer"]["transaction"]["value"] = json!(["0x00"]);
    vector["transfer"]["pre"][called] = account(json!({}));
    let state = &mut vector["transfer"]["post"]["London"][0]["state"];
    state[called] = account(json!({"0x00": "0x01"}));
    // All gas is spent: 100,000 at a price of 10, of which 7 are burned.
    state["0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"]["balance"] = json!("0x0de0b6b3a754bdc0");
    state["0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba"]["balance"] = json!("0x0493e0");
    let told = diff(&vector, &[]);
    assert!(told.contains("storage/0x00\n    expected 1\n"), "{told}");
    let made_by = "made by  no instruction: it was so from the start";
    assert!(told.contains(made_by) && told.contains("1  0x0000  SSTORE"), "{told}");
}

/// A value that a step of the vector sets is not attributed to an instruction that wrote the place before.
#[test]
fn values_set_by_a_vector_step_are_attributed_to_the_vector() {
    let case = |instructions: &[&str], set: Json| {
        json!({ "machine": "tinyvm", "tests": [{
            "name": "then", "instructions": instructions, "expect": { "stop": "yield" },
            "then": [{ "registers": set["registers"], "data": set["data"], "expect": { "value": 10 } }],
        }] })
    };
    let nothing = json!({});
    let registers = |name: &str| json!({ "registers": { name: 9 }, "data": nothing });
    let text = diff(&case(&["lw r1, 5", "yield", "mov r0, r1", "yield"], registers("r1")), &[]);
    let expected = [
        "made by  step 3, 0x02 mov r0, r1 of register r1 = 9",
        "9 by the vector, which sets it before vector step 2",
    ];
    assert_eq!(below(&text, "made by"), expected, "{text}");

    // Instructions after the change count again.
    let text = diff(&case(&["yield", "lw r1, 5", "mov r0, r1", "yield"], registers("r1")), &[]);
    assert_eq!(below(&text, "made by")[1], "5 by step 2, 0x01 lw r1, 5", "{text}");

    let text = diff(&case(&["yield", "yield"], registers("r0")), &[]);
    assert_eq!(below(&text, "made by"), ["made by  no instruction: the vector sets it before vector step 2"]);

    // Of two words from 0x0004 on, the second one is read.
    let data = json!({ "registers": {}, "data": { "0x0004": [3, 4] } });
    let text = diff(&case(&["lw r1, 5", "yield", "lw r0, r1", "yield"], data), &[]);
    let lines = below(&text, "made by");
    assert!(lines.contains(&"4 by the vector, which sets it before vector step 2"), "{text}");
}

/// Of a Buffer, the instruction that wrote the first byte that differs.
#[test]
fn a_buffer_byte_is_attributed_to_its_writer() {
    let made = |script: &[&str], demanded: &str| {
        let result = json!({ "state": "HALT", "resultStack": [{ "type": "Buffer", "value": demanded }] });
        let step = json!({ "actions": ["Execute"], "result": result });
        let vector =
            json!({ "machine": "neo3", "tests": [{ "name": "buffer", "script": script, "steps": [step] }] });
        let text = diff(&vector, &[]);
        below(&text, "made by")[0].split(" of ").next().unwrap().to_owned()
    };
    // Byte 0 = 7, then byte 1 = 8.
    let set = ["PUSH2", "NEWBUFFER", "DUP", "PUSH0", "PUSH7", "SETITEM", "DUP", "PUSH1", "PUSH8", "SETITEM"];
    assert_eq!(made(&set, "0x0608"), "made by  step 6, 0x05 SETITEM");
    assert_eq!(made(&set, "0x0709"), "made by  step 10, 0x09 SETITEM");
    // Zeros; the byte 0x05 of an Integer goes to index 0, then the byte 0x06 of another one to index 2.
    let copied = [
        "PUSH3",
        "NEWBUFFER",
        "DUP",
        "PUSH0",
        "PUSH5",
        "PUSH0",
        "PUSH1",
        "MEMCPY",
        "DUP",
        "PUSH2",
        "PUSH6",
        "PUSH0",
        "PUSH1",
        "MEMCPY",
    ];
    assert_eq!(made(&copied, "0x010006"), "made by  step 8, 0x07 MEMCPY");
    assert_eq!(made(&copied, "0x050106"), "made by  step 2, 0x01 NEWBUFFER");
    assert_eq!(made(&copied, "0x050001"), "made by  step 14, 0x0d MEMCPY");
}

/// A vector for the Homestead machine whose code spends this gas and leaves another word in storage 0 than the demanded
/// one.
fn stores(code: &str, demanded: &str, spent: u64) -> Json {
    let account = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    let state = |storage: Json| json!({ account: { "balance": "0x00", "nonce": "0x00", "code": code, "storage": storage } });
    json!({ "stores": {
        "env": {
            "currentCoinbase": account, "currentDifficulty": "0x01", "currentGasLimit": "0x0f4240",
            "currentNumber": "0x00", "currentTimestamp": "0x01",
        },
        "exec": {
            "address": account, "caller": account, "origin": account, "code": code, "data": "0x",
            "gas": "0x0f4240", "gasPrice": "0x01", "value": "0x00",
        },
        "pre": state(json!({})),
        "post": state(json!({ "0x00": demanded })),
        "gas": format!("0x{:x}", 1_000_000 - spent), "out": "0x", "callcreates": [],
        // The hash of an empty list.
        "logs": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    } })
}

/// Of a range of memory that an instruction reads, each instruction that wrote a part of it.
#[test]
fn each_writer_of_a_part_of_memory_is_shown() {
    // MSTORE 5 at 0, MSTORE8 1 at 0; MLOAD at 0. PUSH1, MSTORE8 and MLOAD cost 3, MSTORE too and 3 for each new word of
    // memory, SSTORE 20,000, SHA3 30 and 6 for each word.
    let text = diff(&stores("0x6005600052600160005360005160005500", "0x06", 20_030), &[]);
    let lines = below(&text, "made by");
    let starts = |line: &str| lines.iter().any(|it| it.starts_with(line));
    assert!(starts("made by  step 8, 0x0c MLOAD of 0"), "{text}");
    assert!(starts("memory 0x0000 by step 6, 0x09 MSTORE8 of 0, 1"), "{text}");
    assert!(starts("memory 0x0001..0x0020 by step 3, 0x04 MSTORE of 0, 5"), "{text}");

    // MSTORE 5 at 0, MSTORE 7 at 0x20; SHA3 of 0x40 bytes.
    let text = diff(&stores("0x600560005260076020526040600020600055", "0x01", 20_075), &[]);
    let lines = below(&text, "made by");
    let starts = |line: &str| lines.iter().any(|it| it.starts_with(line));
    assert!(starts("memory 0x0020..0x0040 by step 6, 0x09 MSTORE of 0x20 (32), 7"), "{text}");
    assert!(starts("memory 0x0000..0x0020 by step 3, 0x04 MSTORE of 0, 5"), "{text}");

    // MSTORE8 at 0 to 15, more than a chain shows; SHA3 of 0x10 bytes. Each is made by 2 PUSH1.
    let bytes = (0..16).map(|at| format!("600160{at:02x}53")).collect::<Vec<_>>().concat();
    let text = diff(&stores(&format!("0x{bytes}6010600020600055"), "0x01", 20_192), &["--last", "1"]);
    let shown = text.lines().filter(|line| line.contains("MSTORE8 of")).count();
    assert!(shown < 16, "{text}");
    assert!(text.contains(" more instructions"), "{text}");
}

/// What the transaction did not change was so from the start: all of it if it is refused, and a balance if it sends 0.
#[test]
fn a_transaction_without_effect_is_not_blamed() {
    const START: &str = "made by  no instruction: it was so from the start";
    let example = at_root("docs/examples/formats/statetest.json");
    let example: Json = serde_json::from_str(&fs::read_to_string(example).unwrap()).unwrap();
    let sender = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
    let recipient = "0x00000000000000000000000000000000000000b0";
    let after = |text: &str, path: &str| {
        let from = text.find(path).unwrap_or_else(|| panic!("no {path}: {text}"));
        below(&text[from..], "made by")[0].to_owned()
    };

    let mut refused = example.clone();
    refused["transfer"]["pre"][sender]["balance"] = json!("0x01");
    refused["transfer"]["post"]["London"][0]["expectException"] = json!("TR_NoFunds");
    let text = diff(&refused, &["--last", "9"]);
    assert_eq!(after(&text, &format!("{sender}/balance")), START, "{text}");
    assert_eq!(after(&text, &format!("{sender}/nonce")), START, "{text}");

    let mut nothing = example;
    let transfer = &mut nothing["transfer"];
    transfer["pre"][recipient] = json!({ "balance": "0x05", "nonce": "0x00", "code": "0x", "storage": {} });
    transfer["transaction"]["value"] = json!(["0x00"]);
    transfer["post"]["London"][0]["state"][recipient]["balance"] = json!("0x06");
    let text = diff(&nothing, &["--last", "9"]);
    assert_eq!(after(&text, &format!("{recipient}/balance")), START, "{text}");
    let fee = "made by  no instruction: the transaction takes its fee and what it sends";
    assert_eq!(after(&text, &format!("{sender}/balance")), fee, "{text}");
}

/// In the table of expected and actual items, each that is wrong is marked: one too many, one that is missing, and one
/// that differs inside.
#[test]
fn wrong_items_of_containers_are_marked() {
    let integer = |value: i64| json!({ "type": "Integer", "value": value });
    let rows = |script: &[&str], result: Json| {
        let step = json!({ "actions": ["Execute"], "result": { "state": "HALT", "resultStack": result } });
        let vector =
            json!({ "machine": "neo3", "tests": [{ "name": "rows", "script": script, "steps": [step] }] });
        let text = diff(&vector, &[]);
        let rows = text.lines().skip_while(|line| !line.contains("expected and actual")).skip(1);
        let rows = rows.take_while(|line| line.trim_start_matches([' ', '!']).starts_with('['));
        let columns = |row: &str| {
            row.split("  ").map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
        };
        rows.map(columns).collect::<Vec<Vec<String>>>()
    };
    let pack = ["PUSH3", "PUSH2", "PUSH1", "PUSH3", "PACK"];
    let array = |items: Vec<Json>| json!([{ "type": "Array", "value": items }]);
    let items = |count: i64| array((1..=count).map(integer).collect());
    let same =
        |index: usize| vec![format!("[{index}] Integer {}", index + 1), format!("Integer {}", index + 1)];
    assert_eq!(rows(&pack, items(2)), [same(0), same(1), vec!["! [2] (absent)".into(), "Integer 3".into()]]);
    let missing = vec!["! [3] Integer 4".into(), "(absent)".into()];
    assert_eq!(rows(&pack, items(4)), [same(0), same(1), same(2), missing]);

    let map = json!([{ "type": "Map", "value": { "0x02": integer(2) } }, integer(9)]);
    let inside = vec!["! [0] Map".to_owned(), "Map {0x01: Integer 2}".into()];
    let other = vec!["[1] Integer 9".to_owned(), "Integer 9".into()];
    assert_eq!(rows(&["PUSH9", "NEWMAP", "DUP", "PUSH1", "PUSH2", "SETITEM"], map), [inside, other]);
}

/// Where a chain is cut or begins, it says so: each line directly below its end is an input with its value, or a mark.
#[test]
fn lines_of_a_chain_are_inputs_or_marked() {
    let adds = "600101".repeat(8);
    let vector = stores(&format!("0x6001{adds}60005500"), "0x01", 20_054);
    let is_reported = |line: &&str| {
        let marks = ["made by", "moved by", "begins with", "reached by", "…"];
        line.contains(" by step ") || marks.iter().any(|mark| line.starts_with(mark))
    };
    for flags in [&[][..], &["--last", "1"]] {
        let text = diff(&vector, flags);
        let lines = below(&text, "made by");
        assert!(lines.len() > 3 && lines.iter().all(is_reported), "{text}");
    }
}

const OWN: &str = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER: &str = "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// A test of VMTests that executes this code, with the state after it that is given.
fn vmtest(code: &str, gas: &str, post: &Json) -> Json {
    let env = json!({
        "currentCoinbase": "0x00000000000000000000000000000000000000c0", "currentDifficulty": "0x01",
        "currentGasLimit": "0x0f4240", "currentNumber": "0x01", "currentTimestamp": "0x01",
    });
    let account = |balance: &str, code: &str| json!({ "balance": balance, "nonce": "0x02", "code": code, "storage": { "0x05": "0x07" } });
    let exec = json!({
        "address": OWN, "caller": OWN, "origin": OWN, "code": code, "data": "0x", "gas": gas, "gasPrice": "0x01",
        "value": "0x00",
    });
    json!({ "t": {
        "env": env, "exec": exec, "pre": { OWN: account("0x03", "0x01"), OTHER: account("0x04", "0x6001") },
        "gas": "0x00", "out": "0x", "logs": [], "callcreates": [], "post": post,
    } })
}

/// What made the only datum of the state that differs, which is this one of an account: `None` for no instruction.
fn maker(code: &str, gas: &str, account: &str, part: &str) -> Option<String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("vector.json");
    fs::write(&path, vmtest(code, gas, &json!({})).to_string()).unwrap();
    assert_eq!(vmconf(&["bless", "--yes", path.to_str().unwrap()]).exit, 0);
    let mut vector: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let post = &mut vector["t"]["post"][account];
    // An account that is gone has nothing.
    if post.is_null() {
        *post = json!({ "balance": "0x00", "nonce": "0x00", "code": "0x", "storage": {} });
    }
    match part {
        "storage" => post["storage"]["0x05"] = "0x77".into(),
        part => post[part] = "0x77".into(),
    }
    let text = diff(&vector, &[]);
    let told = text.lines().find_map(|line| line.trim().strip_prefix("made by  "));
    let told = told.unwrap_or_else(|| panic!("{part} of {account}: {text}"));
    assert!(!text.contains("instead"), "{text}");
    match told.strip_prefix("no instruction: ") {
        Some(why) => {
            assert_eq!(why, "it was so from the start", "{part} of {account}: {text}");
            None
        }
        None => Some(told.split_whitespace().nth(3).unwrap().to_owned()),
    }
}

/// "The target's code, storage and balance are untouched", "the nonce is not incremented"; the value of a call is
/// subtracted from the own balance only if the gas is a decimal number.
#[test]
fn calls_and_creations_are_blamed_only_for_the_debited_balance() {
    let callee = &OTHER[2..];
    // Value 1, or 4, which is more than the balance.
    let call = |code: &str, value: u8| format!("0x600060006000600060{value:02x}73{callee}6000{code}00");
    let create = |value: u8| format!("0x6000600060{value:02x}f000");
    let codes = [
        ("CREATE", [create(0), create(1), create(4)]),
        ("CALL", [0, 1, 4].map(|value| call("f1", value))),
        ("CALLCODE", [0, 1, 4].map(|value| call("f2", value))),
    ];
    let parts = ["balance", "nonce", "code", "storage"];
    let parts = [OWN, OTHER].into_iter().flat_map(|account| parts.map(|part| (account, part)));
    for (name, [without, with, too_much]) in codes {
        for (account, part) in parts.clone() {
            let is_debited = account == OWN && part == "balance";
            let debited = is_debited.then(|| name.to_owned());
            assert_eq!(maker(&with, "100000", account, part), debited, "{name}: {part} of {account}");
            assert_eq!(maker(&with, "0x0186a0", account, part), None, "{name}: {part} of {account}");
        }
        for code in [without, too_much] {
            assert_eq!(maker(&code, "100000", OWN, "balance"), None, "{name} {code}");
        }
    }
}

/// "Add the own balance to the beneficiary, then delete the executing account."
#[test]
fn suicide_is_blamed_for_the_beneficiary_balance_and_the_deleted_account() {
    let code = format!("0x73{}ff", &OTHER[2..]);
    for part in ["balance", "nonce", "code", "storage"] {
        let suicide = Some("SUICIDE".to_owned());
        assert_eq!(maker(&code, "0x0186a0", OWN, part), suicide, "{part}");
        let heir = suicide.filter(|_| part == "balance");
        assert_eq!(maker(&code, "0x0186a0", OTHER, part), heir, "{part}");
    }
}

/// A vector for a script of NeoVM that leaves these numbers on its stack, the top one first.
fn script(script: &str, halted: &str, stack: &[u64]) -> Json {
    let stack: Vec<_> = stack.iter().map(|value| json!({ "type": "Integer", "value": value })).collect();
    let step = json!({ "actions": ["Execute"], "result": { "state": halted, "resultStack": stack } });
    json!({ "category": "Moves", "name": "Moves", "tests": [{ "name": "moves", "script": script, "steps": [step] }] })
}

/// Among equal values, the instruction is named whose value was moved where the wrong one is. Each case: the script,
/// the stack that it leaves with one wrong number, and the step that made what is there.
#[test]
fn the_producer_of_a_moved_value_is_named_among_equal_ones() {
    let neo3: [(&str, &[u64], u64); 13] = [
        // PUSH5 PUSH5, then SWAP, OVER, NIP, TUCK
        ("0x15155040", &[6, 5], 1),
        ("0x15155040", &[5, 6], 2),
        ("0x15154b40", &[6, 5, 5], 1),
        ("0x15154640", &[6], 2),
        ("0x15154e40", &[5, 5, 6], 2),
        ("0x15154e40", &[5, 6, 5], 1),
        // PUSH5 PUSH5 PUSH5, then ROT, PUSH2 ROLL, PUSH1 XDROP, PUSH3 REVERSEN
        ("0x1515155140", &[6, 5, 5], 1),
        ("0x1515155140", &[5, 6, 5], 3),
        ("0x151515125240", &[6, 5, 5], 1),
        ("0x151515114840", &[6, 5], 3),
        ("0x151515135540", &[6, 5, 5], 1),
        // PUSH5, then PUSH0 PICK, which leaves the item that it copies
        ("0x15104d40", &[5, 6], 1),
        ("0x15104d40", &[6, 5], 1),
    ];
    for (code, stack, step) in neo3 {
        let text = diff(&script(code, "HALT", stack), &[]);
        assert!(text.contains(&format!("made by  step {step}, ")), "{code} {stack:?}: {text}");
    }
    let neo2: [(&str, &[u64], u64); 5] = [
        // PUSH5 PUSH5, then SWAP, PUSH1 XSWAP, PUSH2 XTUCK, PUSH1 PICK
        ("0x55557c66", &[6, 5], 1),
        ("0x5555517266", &[6, 5], 1),
        ("0x5555517266", &[5, 6], 2),
        ("0x5555527366", &[5, 5, 6], 2),
        ("0x5555517966", &[6, 5, 5], 1),
    ];
    for (code, stack, step) in neo2 {
        let text = diff(&script(code, "Halt", stack), &[]);
        assert!(text.contains(&format!("made by  step {step}, ")), "{code} {stack:?}: {text}");
    }
    // PUSH1 7, PUSH1 7, then SWAP1 or DUP2; the top item goes to storage.
    for (code, spent) in [("0x600760079060005500", 20_012), ("0x600760078160005500", 20_012)] {
        let text = diff(&stores(code, "0x08", spent), &[]);
        assert!(text.contains("made by  step 1, 0x00 PUSH1 0x07"), "{code}: {text}");
    }
}

/// REMOVE of one key of a Map writes no other one.
#[test]
fn removing_a_key_is_not_blamed_for_other_values() {
    // NEWMAP; m[1] = 5; m[2] = 6; remove 2
    let code = "0xc84a1115d04a1216d04a12d240";
    let map = json!([{ "type": "Map", "value": { "0x01": { "type": "Integer", "value": 7 } } }]);
    let mut vector = script(code, "HALT", &[]);
    vector["tests"][0]["steps"][0]["result"]["resultStack"] = map;
    let text = diff(&vector, &[]);
    assert!(text.contains("made by  step 5, 0x04 SETITEM"), "{text}");
}

/// The length of a copy is not what it copies: CALLDATACOPY makes the memory, even if it copies a word of that value.
#[test]
fn a_copy_is_not_made_by_its_length() {
    // CALLDATACOPY of 32 bytes to 0, then MLOAD of 0 to storage 0: each PUSH1 3, the copy 3 and 3 a word and 3 for
    // memory
    let mut vector = stores("0x6020600060003760005160005500", "0x21", 20_030);
    vector["stores"]["exec"]["data"] = format!("0x{:064x}", 0x20).into();
    let text = diff(&vector, &[]);
    assert!(text.contains("by step 4, 0x06 CALLDATACOPY of 0, 0, 0x20 (32)"), "{text}");
    assert!(!text.contains("moved by step 4"), "{text}");
}

/// An instruction that could not be executed leaves its operands, which others made.
#[test]
fn a_trap_makes_no_operands() {
    let function = json!({ "fid": 1, "name": "main", "param_count": 0, "local_count": 0, "code": [
        { "op": "PUSH_I16", "args": [5] }, { "op": "PUSH_I16", "args": [0] }, { "op": "DIV", "args": [] },
    ] });
    let vector = json!({
        "machine": "minic89", "name": "division",
        "program": {
            "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1", "functions": [function],
        },
        "tests": [{ "name": "by zero", "entry": 1, "expect": { "status": "TRAPPED", "operand_stack": [6, 0] } }],
    });
    let text = diff(&vector, &[]);
    assert!(text.contains("made by  step 1, main+0 PUSH_I16 5"), "{text}");
}

/// Writes to a released compound are not attributed to a new one that reuses its number.
#[test]
fn items_of_a_new_compound_are_not_made_by_an_old_one() {
    // PUSHINT16 1200 NEWARRAY DUP PUSH0 PUSH8 SETITEM DROP, PUSH1 NEWARRAY: an Array of Null
    let array = json!([{ "type": "Array", "value": [{ "type": "Integer", "value": 9 }] }]);
    let mut vector = script("0x01b004c34a1018d04511c340", "HALT", &[]);
    vector["tests"][0]["steps"][0]["result"]["resultStack"] = array.clone();
    let text = diff(&vector, &[]);
    assert!(text.contains("made by  step 9, 0x0a NEWARRAY"), "{text}");
    // PUSH7 PUSH1 PACK DROP 600 times, PUSH5 PUSH1 PACK
    let code = format!("0x{}1511c040", "1711c045".repeat(600));
    let mut vector = script(&code, "HALT", &[]);
    vector["tests"][0]["steps"][0]["result"]["resultStack"] = array;
    let text = diff(&vector, &[]);
    assert!(text.contains("made by  step 2403, 0x962 PACK"), "{text}");
}

/// A datum whose writer is older than the instructions that are kept: it is searched from the start of the run, up to
/// where the datum is demanded.
#[test]
fn old_writers_are_found() {
    // Four instructions, 65,535 times.
    let long = ["decr r4", "incr r5", "incr r5", "b r4 -3"];
    let told = |instructions: &[&str], expect: Json, then: Json| {
        let test = json!({
            "name": "then", "steps": 1_000_000, "registers": { "r4": 65_535 }, "instructions": instructions,
            "expect": expect, "then": [then],
        });
        diff(&json!({ "machine": "tinyvm", "tests": [test] }), &[])
    };
    // What is written after the demand made nothing.
    let text = told(
        &[&["lw r0, 5"], &long[..], &["yield", "lw r0, 7", "yield"]].concat(),
        json!({ "stop": "yield", "value": 6 }),
        json!({ "expect": { "value": 7 } }),
    );
    assert!(text.contains("made by  step 1, 0x00 lw r0, 5\n"), "{text}");
    // The vector may have set it.
    let text = told(
        &[&["yield"], &long[..], &["yield"]].concat(),
        json!({ "stop": "yield", "value": 0 }),
        json!({ "steps": 1_000_000, "registers": { "r0": 9 }, "expect": { "value": 7 } }),
    );
    assert!(text.contains("made by  no instruction: the vector sets it before vector step 2\n"), "{text}");
}

/// A value that is older than the instructions that are kept: the one that moved it says that it is not followed.
#[test]
fn inputs_beyond_the_kept_instructions_are_named_as_such() {
    // 7 + 8, DUP1, 9, then 40,000 times a loop of seven instructions, SWAP2 of the sum, and a store
    let code = "0x600760080180600962009c405b600190038061000c575091600055";
    let mut vector = stores(code, "0x01", 0);
    vector["stores"]["exec"]["gas"] = "0x3b9aca00".into();
    let text = diff(&vector, &[]);
    assert!(text.contains("made by  step 280008, 0x17 SWAP2"), "{text}");
    assert!(
        text.contains("an input was not written by the last 200000 instructions, and is not followed"),
        "{text}"
    );
    // Within the kept instructions, the sum is followed.
    let text = diff(&stores(&code.replace("9c40", "0040"), "0x01", 0), &[]);
    assert!(
        text.contains("made by  step 3, 0x04 ADD of 8, 7") && !text.contains("is not followed"),
        "{text}"
    );
}
