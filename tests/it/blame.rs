//! Which instruction `vmconf diff` says made a datum, in vectors whose answer follows from reading the program.

use std::fs;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::vmconf;

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
