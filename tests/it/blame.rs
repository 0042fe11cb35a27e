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

/// A value that a step of the vector sets is not attributed to an instruction that wrote the place before.
#[test]
fn what_a_step_of_the_vector_sets_is_made_by_the_vector() {
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
fn a_byte_of_a_buffer_is_made_by_what_wrote_it() {
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

/// A vector for the Homestead machine whose code spends this gas and leaves another word in storage 0 than the demanded one.
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
fn a_transaction_that_changes_nothing_made_nothing() {
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
