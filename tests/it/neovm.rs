//! The reader of the NeoVM formats: how a file is recognised, how a test is read, and what a strict
//! reader reports.

mod rules;
mod written;

use std::fmt::Write;

use crate::support::{Ran, shown, vmconf};
use vmconf::formats::{self, Format, FormatOptions, Strictness, neovm};
use vmconf::model::{Case, Diagnostic, Origin, Step};
use vmconf::text::json::{Document, JsonNode};

fn document(text: &str) -> Document {
    Document::parse(text.to_owned(), 10_000).unwrap()
}

/// The only case of a file, which has nothing wrong with it.
fn case(format: &Format, file: &str) -> Case {
    let document = document(file);
    let entries = (format.outline)(document.root()).unwrap();
    let reading = format.read_case(JsonNode::at_index(&document, entries[0].node), FormatOptions::default());
    let wrong: Vec<_> = reading.diagnostics.iter().filter(|it| !has_no_steps(it)).collect();
    assert!(wrong.is_empty(), "{file}: {wrong:?}");
    reading.case.unwrap()
}

/// Everything that is said about a file and its cases: position, severity, text.
fn findings(format: &Format, file: &str, strictness: Strictness) -> Vec<String> {
    let document = document(file);
    let options = FormatOptions { strictness, ..FormatOptions::default() };
    let entries = match (format.outline)(document.root()) {
        Ok(entries) => entries,
        Err(error) => return vec![format!("{} error: {error}", document.position(error.place.0))],
    };
    let mut found = format.read_rest(&document, &entries, options);
    for entry in entries {
        found.extend(format.read_case(JsonNode::at_index(&document, entry.node), options).diagnostics);
    }
    let line = |diagnostic: Diagnostic<Origin>| {
        let severity = diagnostic.severity.name();
        format!("{} {severity}: {diagnostic}", document.position(diagnostic.place.0))
    };
    found.into_iter().filter(|it| !has_no_steps(it)).map(line).collect()
}

/// Whether it is the note on a test without steps, as most tests here are.
fn has_no_steps(diagnostic: &Diagnostic<Origin>) -> bool {
    diagnostic.what == "a test with no steps checks nothing"
}

/// A file of one test with the members `test`.
fn with_test(test: &str) -> String {
    format!(r#"{{"category": "c", "name": "n", "tests": [{{{test}}}]}}"#)
}

/// A file of one test with one step, which has the members `step`.
fn with_step(step: &str) -> String {
    with_test(&format!(r#""name": "t", "steps": [{{{step}}}]"#))
}

/// A step after which there must be the members `result`.
fn with_result(result: &str) -> String {
    with_step(&format!(r#""actions": ["Execute"], "result": {{{result}}}"#))
}

/// The steps in lines: actions, state, checks as `path: want`.
fn told(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let actions: Vec<_> = step.actions.iter().map(|action| format!("{action:?}")).collect();
        writeln!(text, "-- {}", actions.join(" ")).unwrap();
        for check in step.demands() {
            writeln!(text, "{}: {} @{}", check.at, expected(&check.expected), check.origin.0).unwrap();
        }
    }
    text
}

fn expected(expected: &vmconf::model::assertion::Expected) -> String {
    match expected {
        vmconf::model::assertion::Expected::Type(name) => format!("type {name}"),
        other => other.to_string(),
    }
}

/// The checks of a result without where they come from.
fn assertions(format: &Format, result: &str) -> String {
    let told = told(&case(format, &with_result(result)).steps);
    let lines = told.lines().skip(1).map(|line| line.rsplit_once(" @").unwrap().0);
    lines.collect::<Vec<_>>().join("\n")
}

/// The checks of one item at the top of the result stack.
fn item_checks(format: &Format, item: &str) -> String {
    let state = if format.name == "neovm-n3" { "HALT" } else { "Halt" };
    let assertions = assertions(format, &format!(r#""state": "{state}", "resultStack": [{item}]"#));
    let of_item = assertions.lines().filter_map(|line| line.strip_prefix("resultStack[0]"));
    of_item.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_format_is_detected_by_its_own_members() {
    fn check(file: &str, expected: &str) {
        let document = document(file);
        let found = match formats::detection::detect(&document, "") {
            Ok((format, seen)) => {
                format!("{}, {} in line {}", format.name, seen.what, document.position(seen.at).line)
            }
            Err(not) => format!("{not}; expected {}", not.expected()),
        };
        assert_eq!(found, expected, "{file}");
    }
    let test = |members: &str| format!("{{\"tests\": [\n{{\"steps\": [],\n{members}}}]}}");
    for (members, sign) in [
        (r#""script": []"#, "a script in an array"),
        (r#""Script": ["PUSH1"]"#, "a script in an array"),
        (r#""host": "test""#, "\"host\""),
        (r#""host": "crypto", "message": "0x""#, "\"host\""),
        (r#""strict": true"#, "\"strict\""),
        (r#""x": {"refs": 1}"#, "\"refs\""),
        (r#""x": {"exceptionMessage": ""}"#, "\"exceptionMessage\""),
        (r#""x": [[{"staticFields": []}]]"#, "\"staticFields\""),
        (r#""x": {"type": "bytestring"}"#, "type \"ByteString\""),
        (r#""x": {"type": "Null"}"#, "type \"Null\""),
        (r#""x": {"state": "BREAK"}"#, "state \"BREAK\""),
        (r#""x": {"state": "HALT"}, "script": "0x""#, "state \"HALT\""),
    ] {
        check(&test(members), &format!("neovm-n3, {sign} in line 3"));
    }
    for (members, sign) in [
        (r#""message": """#, "\"message\""),
        (r#""scripttable": []"#, "\"scriptTable\""),
        (r#""x": {"scriptHash": ""}"#, "\"scriptHash\""),
        (r#""x": {"altStack": []}"#, "\"altStack\""),
        (r#""x": {"type": "ByteArray"}"#, "type \"ByteArray\""),
        (r#""x": {"state": "Fault"}"#, "state \"Fault\""),
        (r#""x": {"state": "FAULT"}, "altStack": 1"#, "\"altStack\""),
    ] {
        check(&test(members), &format!("neovm-2x, {sign} in line 3"));
    }
    let expected = "expected for neovm-n3 \"machine\": \"neo3\", or members that only \
                    N3 has: a script in an array, slots, \"refs\", a ByteString; for neovm-2x \
                    \"machine\": \"neo2\", or members that only 2.x has: \"scriptHash\", \"altStack\", \
                    \"scriptTable\", a ByteArray; or --format NAME";
    let several = |n3: &str, v2: &str| {
        format!("several formats look like this: neovm-n3 ({n3}) and neovm-2x ({v2}); {expected}")
    };
    check(
        &test("\"x\": {\"refs\": 1},\n\"y\": {\"scriptHash\": \"\"}"),
        &several("\"refs\", line 3", "\"scriptHash\", line 4"),
    );
    check(
        &test("\"x\": {\"state\": \"HALT\"},\n\"y\": {\"state\": \"Halt\"}"),
        &several("state \"HALT\", line 3", "state \"Halt\", line 4"),
    );
    // Tests need no steps to show what they are.
    for (tests, found) in [
        (r#"{"script": ["PUSH1"]}"#, "neovm-n3, a script in an array in line 1"),
        (r#"{"script": "0x51", "scriptTable": []}"#, "neovm-2x, \"scriptTable\" in line 1"),
    ] {
        check(&format!("{{\"tests\": [{tests}]}}"), found);
        check(&format!("{{\"tests\": [{tests}, {{\"steps\": []}}]}}"), found);
    }
    let envelope = "\"tests\" with \"steps\", line 2";
    check(&test(r#""x": {"state": "halt"}"#), &several(envelope, envelope));
    check(&test(r#""name": "t""#), &several(envelope, envelope));

    let machine =
        |name: &str| format!("{{\"machine\": \"{name}\", \"tests\": [{{\"steps\": [], \"refs\": 1}}]}}");
    check(&machine("neo3"), "neovm-n3, \"machine\": \"neo3\" in line 1");
    check(&machine("neo2"), "neovm-2x, \"machine\": \"neo2\" in line 1");
    check(r#"{"machine": "neo3"}"#, "neovm-n3, \"machine\": \"neo3\" in line 1");
    for file in [
        &*machine("evm"),
        "[]",
        "{}",
        r#"{"tests": []}"#,
        r#"{"tests": [{}]}"#,
        r#"{"tests": [{"script": "build.sh"}]}"#,
        r#"{"tests": [{"arguments": []}]}"#,
        r#"{"tests": {"steps": []}}"#,
    ] {
        let not = formats::detection::detect(&document(file), "").err().unwrap().to_string();
        assert!(not.starts_with("not a vector file: "), "{file}: {not}");
    }
}

/// The command says which format each file has and why; `--format` decides where nothing else does.
#[test]
fn the_command_explains_formats() {
    const UNDECIDED: &str = "tests/samples/neovm-n3/well-formed/as-little-as-possible.json";
    let Ran { exit, stdout, .. } = vmconf(&["list", "--formats", "tests/samples/neovm-2x/well-formed"]);
    let folder = "tests/samples/neovm-2x/well-formed";
    assert_eq!(exit, 0, "{stdout}");
    assert_eq!(
        stdout,
        format!(
            "{folder}/as-little-as-possible.json: neovm-2x, state \"Break\" in line 2\n\
             {folder}/every-member.json: neovm-2x, \"machine\": \"neo2\" in line 2\n\
             {folder}/every-type.json: neovm-2x, \"scriptHash\" in line 15\n\
             {folder}/minimal.json: neovm-2x, \"scriptHash\" in line 15\n"
        )
    );
    let listed = vmconf(&["list", UNDECIDED]);
    assert_eq!((listed.exit, &*listed.stdout), (0, &*format!("{UNDECIDED}::test 1\n")));
    let Ran { exit, stdout, .. } = vmconf(&["list", "--formats", "schemas", "vectors/evm/hash", "README.md"]);
    assert_eq!(exit, 3);
    assert!(stdout.contains("schemas/neovm-2x.schema.json: skipped: not a vector file"), "{stdout}");
    assert!(stdout.contains(": vmtests, a test with two of env, exec, pre and post in line 2\n"), "{stdout}");
    assert!(stdout.ends_with("README.md: error: unexpected '#'; expected a JSON value\n"), "{stdout}");
}

#[test]
fn an_override_takes_precedence_over_detection() {
    let folder = std::env::temp_dir().join(format!("vmconf-neovm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("both.json");
    std::fs::write(&path, r#"{"tests": [{"refs": 1, "altStack": [], "steps": []}]}"#).unwrap();
    let path = path.to_str().unwrap();
    let listed = vmconf(&["list", path]);
    assert_eq!(listed.exit, 3, "{listed:?}");
    assert!(listed.stderr.contains("several formats look like this"), "{}", listed.stderr);
    for name in ["neovm-n3", "neovm-2x"] {
        let listed = vmconf(&["list", path, "--format", name]);
        assert_eq!((listed.exit, listed.stdout), (0, format!("{}::test 1\n", shown(path))));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn names_cases_by_name_or_number() {
    let file = r#"{"tests": [{"name": "a"}, {}, {"NAME": "a"}, {"name": ""}, {"name": 1}, null]}"#;
    for format in [neovm::N3, neovm::V2] {
        let entries = (format.outline)(document(file).root()).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| &*entry.name).collect();
        assert_eq!(names, ["a", "test 2", "a", "test 4", "test 5", "test 6"]);
    }
}

#[test]
fn programs_are_read() {
    fn check(format: &Format, test: &str, program: &str, places: &str) {
        let file = with_test(&format!(r#""name": "t", "steps": [], {test}"#));
        let case = case(format, &file);
        assert_eq!(case.program.0.to_string(), program, "{test}");
        let place = |(path, origin): &(vmconf::model::path::Path, Origin)| {
            let rest = &file[origin.0 as usize..];
            format!("{path}={}", rest.split_inclusive([',', ']', '}']).next().unwrap())
        };
        assert_eq!(case.places.iter().map(place).collect::<Vec<_>>().join(" "), places, "{test}");
        let machine = if format.name == "neovm-n3" { "neo3" } else { "neo2" };
        assert_eq!(case.machine, machine);
    }
    let (n3, v2) = (neovm::N3, neovm::V2);
    check(&n3, r#""x": null, "script": null"#.split_once(", ").unwrap().1, "{}", "");
    check(&n3, r#""script": []"#, "{}", "");
    check(&n3, r#""script": """#, "{}", "");
    check(&n3, r#""script": "0x""#, "{}", "");
    check(&n3, r#""script": "0x4Aff""#, "{script: 0x4aff}", r#"script="0x4Aff"}"#);
    check(
        &n3,
        r#""script": ["PUSH1", "0x0A", "0x"]"#,
        r#"{script: ["PUSH1", 0x0a, 0x]}"#,
        r#"script=["PUSH1","#,
    );
    check(
        &n3,
        r#""host": "crypto", "message": "0x01", "curve": "secp256k1", "strict": true"#,
        r#"{host: "crypto", message: 0x01, curve: "secp256k1", strict: true}"#,
        r#"host="crypto", message="0x01", curve="secp256k1", strict=true}"#,
    );
    check(
        &n3,
        r#""host": "test", "strict": false"#,
        r#"{host: "test", strict: false}"#,
        r#"host="test", strict=false}"#,
    );
    check(&v2, r#""script": "0X4Aff""#, "{script: 0x4aff}", r#"script="0X4Aff"}"#);
    check(&v2, r#""SCRIPT": "UVI=""#, "{script: 0x5152}", r#"script="UVI="}"#);
    check(&v2, r#""script": ["PUSH1"]"#, r#"{script: ["PUSH1"]}"#, r#"script=["PUSH1"]"#);
    check(&v2, r#""script": "", "message": """#, "{message: 0x}", r#"message=""}"#);
    check(&v2, r#""message": null, "scriptTable": null"#, "{}", "");
    check(&v2, r#""scriptTable": []"#, "{scriptTable: []}", "scriptTable=[]");
    check(
        &v2,
        r#""scriptTable": [{"script": "0x51"}, {"Script": ""}]"#,
        "{scriptTable: [0x51, 0x]}",
        r#"scriptTable[0]="0x51"} scriptTable[1]=""} scriptTable=[{"script": "0x51"}"#,
    );
    check(
        &v2,
        r#""scripttable": "0x51""#,
        "{scriptTable: [0x51]}",
        r#"scriptTable[0]="0x51"} scriptTable="0x51"}"#,
    );
}

#[test]
fn steps_have_actions_and_an_end() {
    let file = with_test(
        r#""name": "t", "steps": [{"result": {"state": "BREAK"}}, {"actions": ["EXECUTE", "stepinto", "StepOut", "stepOver"], "result": {"state": "halt"}}]"#,
    );
    assert_eq!(
        told(&case(&neovm::N3, &file).steps),
        "-- \nstate: \"BREAK\" @86\ninvocationStack: length 0 @76\n\
         -- Execute StepInto StepOut StepOver\nstate: \"HALT\" @177\ninvocationStack: length 0 @167\n"
    );
    assert_eq!(
        told(&case(&neovm::V2, &file).steps),
        "-- \nstate: \"Break\" @86\ninvocationStack: length 0 @76\nresultStack: length 0 @76\n\
         -- Execute StepInto StepOut StepOver\nstate: \"Halt\" @177\ninvocationStack: length 0 @167\nresultStack: length 0 @167\n"
    );
}

/// The reference of N3, section 9.3.
#[test]
fn members_that_n3_vectors_leave_out() {
    fn check(result: &str, expected: &[&str]) {
        assert_eq!(assertions(&neovm::N3, result), expected.join("\n"), "{result}");
    }
    let (halt, fault) = (r#"state: "HALT""#, r#"state: "FAULT""#);
    let no_frames = "invocationStack: length 0";
    check(r#""state": "HALT""#, &[halt, no_frames]);
    check(
        r#""state": "HALT", "invocationStack": null, "resultStack": null, "refs": null"#,
        &[halt, no_frames],
    );
    check(
        r#""state": "HALT", "invocationStack": [], "resultStack": []"#,
        &[halt, no_frames, "resultStack: length 0"],
    );
    check(r#""state": "HALT", "refs": 12"#, &[halt, no_frames, "refs: 0xc (12)"]);
    check(r#""state": "HALT", "exceptionMessage": "why""#, &[halt, no_frames]);
    check(r#""state": "FAULT", "invocationStack": [{}], "resultStack": [], "refs": 1"#, &[fault]);
    check(r#""state": "fault", "exceptionMessage": "why""#, &[fault, r#"exceptionMessage: "why""#]);
    check(r#""state": "FAULT", "exceptionMessage": null"#, &[fault]);
    check(
        r#""state": "HALT", "invocationStack": [{}, {"staticFields": [], "localVariables": null, "arguments": [{"type": "Null"}], "evaluationStack": []}]"#,
        &[
            halt,
            "invocationStack: length 2",
            "invocationStack[0]/instructionPointer: 0",
            "invocationStack[0]/staticFields: (absent)",
            "invocationStack[0]/localVariables: (absent)",
            "invocationStack[0]/arguments: (absent)",
            "invocationStack[1]/instructionPointer: 0",
            "invocationStack[1]/evaluationStack: length 0",
            "invocationStack[1]/staticFields: (absent)",
            "invocationStack[1]/localVariables: (absent)",
            "invocationStack[1]/arguments: length 1",
            "invocationStack[1]/arguments[0]: Null",
        ],
    );
}

/// The reference of 2.x, section 1.3.
#[test]
fn members_that_2x_vectors_leave_out() {
    fn check(result: &str, expected: &[&str]) {
        assert_eq!(assertions(&neovm::V2, result), expected.join("\n"), "{result}");
    }
    let (none, empty) = ("invocationStack: length 0", "resultStack: length 0");
    check(r#""state": "Halt""#, &[r#"state: "Halt""#, none, empty]);
    check(r#""state": "Fault", "resultStack": null"#, &[r#"state: "Fault""#, none, empty]);
    check(
        r#""state": "Fault", "invocationStack": [{}, {"scriptHash": "0x01", "instructionPointer": 3, "nextInstruction": "PUSHT", "altStack": [{"type": "Boolean", "value": true}]}]"#,
        &[
            r#"state: "Fault""#,
            "invocationStack: length 2",
            "invocationStack[0]/instructionPointer: 0",
            "invocationStack[0]/evaluationStack: length 0",
            "invocationStack[0]/altStack: length 0",
            "invocationStack[1]/scriptHash: 0x01",
            "invocationStack[1]/instructionPointer: 3",
            r#"invocationStack[1]/nextInstruction: "PUSH1""#,
            "invocationStack[1]/evaluationStack: length 0",
            "invocationStack[1]/altStack: length 1",
            "invocationStack[1]/altStack[0]: Boolean true",
            empty,
        ],
    );
}

#[test]
fn the_next_instruction_is_compared() {
    fn check(format: &Format, written: &str, expected: &str) {
        let result = format!(r#""state": "Break", "invocationStack": [{{"nextInstruction": {written}}}]"#);
        let assertions = assertions(format, &result);
        let next = assertions.lines().find_map(|line| line.strip_prefix("invocationStack[0]/next")).unwrap();
        assert_eq!(next, expected, "{written}");
    }
    for format in [neovm::N3, neovm::V2] {
        check(&format, r#""RET""#, r#"Instruction: "RET""#);
        check(&format, r#""pushInt8""#, r#"Instruction: "PUSHINT8""#);
        check(&format, r#""10""#, "Opcode: 0xa (10)");
        check(&format, "255", "Opcode: 0xff (255)");
    }
    check(&neovm::N3, r#""PUSHT""#, r#"Instruction: "PUSHT""#);
    check(&neovm::V2, r#""pushf""#, r#"Instruction: "PUSH0""#);
    check(&neovm::V2, r#""PUSHBYTES10""#, r#"Instruction: "PUSHBYTES10""#);
}

#[test]
fn items_of_every_type_are_read() {
    fn check(format: &Format, item: &str, expected: &[&str]) {
        assert_eq!(item_checks(format, item), expected.join("\n"), "{item}");
    }
    let (n3, v2) = (neovm::N3, neovm::V2);
    for format in [&n3, &v2] {
        check(format, r#"{"type": "integer", "value": 7}"#, &[": Integer 7"]);
        check(format, r#"{"Type": "Integer", "Value": "-7"}"#, &[": Integer -7"]);
        check(format, r#"{"value": true, "type": "BOOLEAN"}"#, &[": Boolean true"]);
        check(format, r#"{"type": "Interop", "value": "Object"}"#, &[": Interop \"Object\""]);
        check(format, r#"{"type": "Array", "value": []}"#, &[": type Array", ": length 0"]);
        check(
            format,
            r#"{"type": "struct", "value": [{"type": "Integer", "value": 1}, {"type": "Array", "value": [{"type": "Boolean", "value": false}]}, {"type": "Integer", "value": 2}]}"#,
            &[
                ": type Struct",
                ": length 3",
                "[0]: Integer 1",
                "[1]: type Array",
                "[1]: length 1",
                "[1][0]: Boolean false",
                "[2]: Integer 2",
            ],
        );
        check(format, r#"{"type": "Map", "value": {}}"#, &[": type Map", ": no members"]);
    }
    check(&v2, r#"{"type": "Integer", "value": "-007"}"#, &[": Integer -7"]);
    check(&n3, r#"{"type": "Integer", "value": "0"}"#, &[": Integer 0"]);
    // What no engine writes stays text and matches nothing.
    for (value, text) in
        [("1.0", "1.0"), ("1e3", "1e3"), ("\"01\"", "01"), ("\"-0\"", "-0"), ("\"00\"", "00")]
    {
        let item = format!(r#"{{"type": "Integer", "value": {value}}}"#);
        check(&n3, &item, &[&format!(": Integer \"{text}\"")]);
    }
    check(&n3, r#"{"type": "Null", "value": 1}"#, &[": Null"]);
    check(&n3, r#"{"type": "ByteString", "value": ""}"#, &[": ByteString 0x"]);
    check(&n3, r#"{"type": "Buffer", "value": "0xAb"}"#, &[": Buffer 0xab"]);
    check(&n3, r#"{"type": "String", "value": "é"}"#, &[": ByteString 0xc3a9"]);
    check(&n3, r#"{"type": "Pointer", "value": 3}"#, &[": Pointer 3"]);
    check(
        &n3,
        r#"{"type": "Map", "value": {"0xAB": {"type": "Null"}, "": {"type": "Map", "value": {"0x01": {"type": "Null"}}}}}"#,
        &[
            ": type Map",
            ": no members but 0xAB, ",
            ": members in the order 0xAB, ",
            "/0xAB: Null",
            "/: type Map",
            "/: no members but 0x01",
            "//0x01: Null",
        ],
    );
    check(&v2, r#"{"type": "ByteArray", "value": ""}"#, &[": ByteArray 0x"]);
    check(&v2, r#"{"type": "ByteArray", "value": "AP8="}"#, &[": ByteArray 0x00ff"]);
    check(&v2, r#"{"type": "String", "value": "é"}"#, &[": ByteArray 0xc3a9"]);
    check(&v2, r#"{"type": "Boolean", "value": "false"}"#, &[": Boolean false"]);
    check(&v2, r#"{"type": "Interop", "value": null}"#, &[": Interop"]);
    check(&v2, r#"{"type": "Map", "value": []}"#, &[": type Map", ": no members"]);
    let key =
        |key: &str| format!(r#"{{"type": "Map", "value": [{key}, {{"type": "Boolean", "value": true}}]}}"#);
    for (item, bytes) in [
        (r#"{"type": "Integer", "value": 0}"#, "0x00"),
        (r#"{"type": "Integer", "value": 128}"#, "0x8000"),
        (r#"{"type": "Integer", "value": -1}"#, "0xff"),
        (r#"{"type": "Boolean", "value": true}"#, "0x01"),
        (r#"{"type": "Boolean", "value": false}"#, ""),
        (r#"{"type": "ByteArray", "value": "0x0102"}"#, "0x0102"),
    ] {
        let (only, leaf) = (format!(": no members but {bytes}"), format!("/{bytes}: Boolean true"));
        check(&v2, &key(item), &[": type Map", &only, &leaf]);
    }
}

/// Items as deep as a file can have them, read without going as deep on the stack.
#[test]
fn items_may_nest_2048_deep() {
    let nested = |depth: usize| {
        let (open, close) = (r#"{"type": "Array", "value": ["#, "]}");
        let item = format!("{}{}", open.repeat(depth), close.repeat(depth));
        with_result(&format!(r#""state": "HALT", "resultStack": [{item}]"#))
    };
    let deepest = case(&neovm::N3, &nested(2048));
    assert_eq!(deepest.steps[0].assertions.len(), 2 + 2 * 2048);
    assert_eq!(
        findings(&neovm::N3, &nested(2049), Strictness::Tolerant),
        ["1:57479 error: too many nested items; expected at most 2048 levels"]
    );
}

#[test]
fn deviations_are_noted() {
    fn check(format: &Format, file: &str, expected: &[&str]) {
        assert_eq!(findings(format, file, Strictness::Tolerant), expected, "{file}");
    }
    let (n3, v2) = (neovm::N3, neovm::V2);
    check(
        &n3,
        &with_result(r#""state": "HALT", "evaluationStack": []"#),
        &["1:119 note: unknown member \"evaluationStack\" of result is ignored"],
    );
    check(
        &n3,
        &with_test(r#""script": ["NOP"], "Script": ["NOP"], "steps": []"#),
        &[
            "1:43 note: member \"script\" occurs again with other capitals; it is ignored; expected one member \"script\" of test",
        ],
    );
    check(
        &n3,
        &with_test(r#""steps": [], "steps": []"#),
        &[
            "1:56 note: key \"steps\" is duplicated in this object; expected each key once; the first is in line 1",
        ],
    );
    check(&n3, &with_test(""), &["1:42 note: a test without \"steps\" checks nothing"]);
    check(
        &n3,
        &with_result(
            r#""state": "HALT", "resultStack": [{"type": "Map", "value": {"0xAB": {"type": "Null"}, "0xab": {"type": "Null"}}}]"#,
        ),
        &[],
    );
    check(
        &v2,
        &with_test(r#""script": "5152", "message": "515253", "steps": []"#),
        &[
            // What is no base64 can only be hex: 0x may be left out.
            "1:53 error: \"5152\" is both hex and base64; expected 0x and an even number of hex digits, in quotes",
        ],
    );
    check(
        &v2,
        &with_test(r#""host": "test", "steps": []"#),
        &["1:43 note: unknown member \"host\" of test is ignored"],
    );
    check(
        &v2,
        r#"{"machine": "neo3", "tests": null}"#,
        &["1:13 error: \"machine\" is \"neo3\"; expected \"neo2\""],
    );
    check(&v2, "[]", &["1:1 error: the file is an array; expected an object with \"tests\""]);
}

/// Whatever stands in the place of a datum, the reader does not panic, and most of it is noticed.
#[test]
fn any_datum_in_any_place_is_read_or_refused() {
    const OTHERS: [&str; 8] = ["null", "true", "-1", "1e9", "[]", "{}", "\"\"", "[[{\"type\": \"Map\"}]]"];
    let (mut changed, mut noticed) = (0, 0);
    for path in crate::support::files("tests/samples/neovm-n3/well-formed", "json")
        .into_iter()
        .chain(crate::support::files("tests/samples/neovm-2x/well-formed", "json"))
    {
        let text = std::fs::read_to_string(path).unwrap();
        let whole = document(&text);
        for object in whole.root().objects() {
            for member in object.members() {
                let (start, end) = (member.value.at() as usize, member.value.raw().len());
                for other in OTHERS {
                    let file = format!("{}{other}{}", &text[..start], &text[start + end..]);
                    for format in [neovm::N3, neovm::V2] {
                        changed += 1;
                        noticed += usize::from(!findings(&format, &file, Strictness::Strict).is_empty());
                    }
                }
            }
        }
    }
    assert!(changed > 500 && 10 * noticed > 9 * changed, "{noticed} of {changed}");
}
