//! What a viewer of MiniC89 shows, by the rules of the published document: a table of small programs.

use std::fmt::Write as _;

use serde_json::json;
use vmconf::explain::explore;
use vmconf::explain::recording::Recording;
use vmconf::formats::minic89::documents;
use vmconf::machines;
use vmconf::machines::inspect::InspectSource;
use vmconf::machines::minic89::Playback;
use vmconf::machines::view::ViewScope;
use vmconf::model::Value;
use vmconf::model::limits::Limits;
use vmconf::run::sources::{self, VectorSource};
use vmconf::run::{self, LoadOptions};

/// A program of these functions, each its name, counts of parameters and locals, code, and more members.
fn recording(functions: &[serde_json::Value]) -> Recording {
    let text = json!({
        "machine": "minic89",
        "program": {
            "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1",
            "functions": functions,
        },
        "tests": [{ "name": "it", "expect": { "status": "HALTED" } }],
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vector.json");
    std::fs::write(&path, text.to_string()).unwrap();
    let anchor = run::anchor::Anchor::at(folder.path()).unwrap();
    let sources: Vec<VectorSource> = sources::find(&[path], &anchor).unwrap().sources.iter().collect();
    let options = LoadOptions::default();
    let loaded = run::open(&sources[0], &options);
    let case = loaded.case(0).unwrap().read().unwrap().case.unwrap();
    Recording::new((machines::by_name("minic89").unwrap().new)(&Limits::default()), &case).unwrap()
}

fn function(
    fid: u16,
    name: &str,
    counts: [u8; 2],
    code: &str,
    more: &serde_json::Value,
) -> serde_json::Value {
    let code: Vec<_> = code
        .split("; ")
        .map(|text| {
            let mut words = text.split(' ');
            let op = words.next().unwrap();
            json!({ "op": op, "args": words.map(|word| word.parse::<i32>().unwrap()).collect::<Vec<_>>() })
        })
        .collect();
    let mut function = json!({
        "fid": fid, "name": name, "param_count": counts[0], "local_count": counts[1], "code": code,
    });
    for (name, member) in more.as_object().unwrap() {
        function[name] = member.clone();
    }
    function
}

/// A state in one line: function and instruction, line, and the rows of all sections.
fn shown(recording: &mut Recording, step: u64) -> String {
    let moment = recording.moment(step);
    let machine = recording.go_to(moment);
    let pc = machine.next().map_or("-".to_owned(), |at| at.pc.to_string());
    let line = machine.source().and_then(InspectSource::line).map_or("-".to_owned(), |line| line.to_string());
    let mut text = format!("{}+{pc} line {line}", machine.function().unwrap_or_default());
    for row in machine.sections().iter().skip(1).flat_map(|section| &section.rows) {
        let out = if row.scope == ViewScope::Out { " out" } else { "" };
        write!(text, " | {}: {}{out}", row.name, row.value).unwrap();
    }
    text
}

#[test]
fn lines_are_those_of_the_map() {
    let map = |entries: &[(u32, Option<u32>)]| {
        let entry = |(ip, line): &(u32, Option<u32>)| json!({ "ip": ip, "loc": { "line": line } });
        json!({ "source_map": entries.iter().map(entry).collect::<Vec<_>>() })
    };
    let code = "NOP; NOP; DBG_LINE 9; PUSH_I16 1; RET";
    // Each with the lines of its instructions; - is none.
    for (entries, lines) in [
        (map(&[(0, Some(3))]), "3 3 3 3 3"),
        (map(&[(1, Some(3)), (3, Some(4))]), "- 3 3 4 4"),
        // Not in order.
        (map(&[(3, Some(4)), (0, Some(3))]), "3 3 3 4 4"),
        // Of equals the last one counts.
        (map(&[(0, Some(3)), (2, Some(5)), (2, Some(6))]), "3 3 6 6 6"),
        // A null line is none, and not the one before.
        (map(&[(0, Some(3)), (1, None), (4, Some(8))]), "3 - - - 8"),
        // Without a map the last DBG_LINE counts.
        (json!({}), "- - - 9 9"),
        (map(&[]), "- - - 9 9"),
    ] {
        let mut recording = recording(&[function(1, "main", [0, 0], code, &entries)]);
        let line = |step| {
            let moment = recording.moment(step);
            recording
                .go_to(moment)
                .source()
                .and_then(InspectSource::line)
                .map_or("-".to_owned(), |line| line.to_string())
        };
        let found: Vec<_> = (0..5).map(line).collect();
        assert_eq!(found.join(" "), lines, "{entries}");
    }
}

#[test]
fn locals_have_the_names_that_are_in_scope() {
    let local = |slot: u8, name: &str, scope: serde_json::Value| json!({ "slot": slot, "name": name, "kind": "local", "scope": scope });
    let range = |start: u8, end: u8| json!({ "ip_start": start, "ip_end": end });
    let names = json!({ "locals": [
        local(0, "a", range(0, 2)), local(0, "b", range(2, 4)), local(1, "f", json!(null)),
    ]});
    let code = "PUSH_I16 7; STORE_LOCAL 0; POP; PUSH_FUN 2; STORE_LOCAL 1; PUSH_NULL; STORE_LOCAL 1; POP; POP; PUSH_I16 0; RET";
    let functions = [function(1, "main", [0, 2], code, &names), function(2, "g", [0, 0], "RET", &json!({}))];
    let mut recording = recording(&functions);
    for (step, expected) in [
        (0, "main+0 line - | 0 main: entry | a: uninitialised | f: uninitialised"),
        (1, "main+1 line - | [0]: 7 | 0 main: entry | a: uninitialised | f: uninitialised"),
        // Half-open: a ends before instruction 2.
        (2, "main+2 line - | [0]: 7 | 0 main: entry | b: 7 | f: uninitialised"),
        (3, "main+3 line - | 0 main: entry | b: 7 | f: uninitialised"),
        // None is in scope: the first, dimmed.
        (4, "main+4 line - | [0]: fun 2 g | 0 main: entry | a: 7 out | f: uninitialised"),
        (5, "main+5 line - | [0]: fun 2 g | 0 main: entry | a: 7 out | f: fun 2 g"),
        (7, "main+7 line - | [1]: null | [0]: fun 2 g | 0 main: entry | a: 7 out | f: null"),
    ] {
        assert_eq!(shown(&mut recording, step), expected, "step {step}");
    }
}

#[test]
fn a_trap_in_an_inner_call_shows_all_frames() {
    let map = json!({ "source_map": [{ "ip": 0, "loc": { "line": 4 } }] });
    let functions = [
        function(1, "main", [0, 1], "PUSH_I16 5; CALL_DIRECT 2; RET", &json!({})),
        function(2, "div", [1, 1], "LOAD_LOCAL 0; PUSH_I16 0; DIV; RET", &map),
    ];
    let mut recording = recording(&functions);
    assert_eq!(recording.steps(), 5);
    let expected = "div+- line 4 | [1]: 0 | [0]: 5 | 1 div: returns to main+2 | slot 0: 5 \
                    | 0 main: entry | slot 0: uninitialised";
    assert_eq!(shown(&mut recording, 5), expected);
    let rows = recording.machine().sections().remove(0).rows;
    let rows: Vec<_> = rows.iter().map(|row| format!("{}: {}", row.name, row.value)).collect();
    assert_eq!(rows, ["status: TRAPPED", "step: 5", "pc: div+2", "trap: TRAP_DIV_ZERO", "a: 5"]);
    let listing: Vec<_> = recording.machine().listing().into_iter().map(|line| line.text).collect();
    assert_eq!(listing, ["LOAD_LOCAL 0", "PUSH_I16 0", "DIV", "RET"]);
}

#[test]
fn the_end_of_the_code_is_not_an_instruction() {
    let mut recording = recording(&[function(1, "main", [0, 0], "NOP", &json!({}))]);
    let text = shown(&mut recording, 1);
    assert_eq!(text, "main+1 line - | 0 main: entry");
    assert_eq!(recording.machine().instruction(), "(after the last instruction)");
    assert_eq!(recording.machine().listing().len(), 1);
}

/// 100,000 attempts and the one that the limit ends.
#[test]
fn a_run_up_to_the_step_limit_opens() {
    let mut recording = recording(&[function(1, "main", [0, 0], "NOP; JMP 0", &json!({}))]);
    assert_eq!(recording.steps(), 100_001);
    assert_eq!(shown(&mut recording, 100_000), "main+0 line - | 0 main: entry");
    recording.go_to(recording.moment(u64::MAX));
    let rows = recording.machine().sections().remove(0).rows;
    assert_eq!(rows[3].value, "TRAP_STEP_LIMIT");
}

// ---- The documents of another machine

/// A metadata document and a stream of snapshots, and what the page of them and standard error say.
fn foreign(metadata: &serde_json::Value, snapshots: &str) -> crate::support::Ran {
    let folder = tempfile::tempdir().unwrap();
    let [program, stream] = ["program.json", "snapshots.jsonl"].map(|name| folder.path().join(name));
    std::fs::write(&program, metadata.to_string()).unwrap();
    std::fs::write(&stream, snapshots).unwrap();
    let mut command = crate::support::command(&["explore", "--html", "-", "--metadata"]);
    command.arg(&program).arg("--snapshots").arg(&stream);
    crate::support::ran(command.output().unwrap())
}

fn document(functions: &[serde_json::Value]) -> serde_json::Value {
    json!({
        "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1", "functions": functions,
    })
}

fn snapshot(step: u64, ip: u64, stack: &[i16]) -> String {
    let snapshot = json!({
        "schema_version": "MiniC89.VM.Snapshot.v0.2", "step": step, "status": "RUNNING",
        "pc": { "fid": 1, "ip": ip }, "operand_stack": stack,
        "call_stack": [{ "fid": 1, "return_pc": null, "locals": [] }],
    });
    format!("{snapshot}\n")
}

#[test]
fn snapshots_of_another_machine_are_shown() {
    let program = document(&[function(1, "main", [0, 0], "PUSH_I16 7; RET", &json!({}))]);
    let ran = foreign(&program, &(snapshot(0, 0, &[]) + &snapshot(1, 1, &[7])));
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stderr.ends_with("main has no source_map, so no lines\n"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("<!DOCTYPE html>"));
    let map = json!({ "source_map": [{ "ip": 0, "loc": { "line": 1 } }] });
    let program = document(&[function(1, "main", [0, 0], "PUSH_I16 7; RET", &map)]);
    assert_eq!(foreign(&program, &snapshot(0, 0, &[])).stderr, "");
}

#[test]
fn contradictions_of_foreign_documents_are_named() {
    let program = document(&[function(1, "main", [0, 0], "PUSH_I16 7; RET", &json!({}))]);
    let ran = foreign(&program, &(snapshot(0, 0, &[]) + &snapshot(5, 99, &[7])));
    assert_eq!(ran.exit, 0);
    for note in
        ["snapshot 1: pc is at 99, and the function has 2 instructions", "snapshot 1: step 5 after step 0"]
    {
        assert!(ran.stderr.contains(note), "{}", ran.stderr);
    }
    let other = snapshot(0, 0, &[]).replace("\"fid\":1", "\"fid\":9");
    let ran = foreign(&program, &other);
    assert!(
        ran.stderr.contains("frame 0 is of function 9, which the metadata does not have"),
        "{}",
        ran.stderr
    );
    // What the schemas do not allow.
    for (broken, error) in [
        (snapshot(0, 0, &[]).replace("\"ip\":0", "\"ip\":-1"), "ip is -1"),
        (snapshot(0, 0, &[]).replace("RUNNING", "TRAPPED"), "member \"trap\" is missing"),
        (snapshot(0, 0, &[]).replace("\"status\"", "\"state\""), "status"),
        ("{".to_owned(), "snapshots.jsonl"),
    ] {
        let ran = foreign(&program, &broken);
        assert_eq!(ran.exit, 3, "{broken}");
        assert!(ran.stderr.contains(error), "{broken}: {}", ran.stderr);
    }
    let ran = foreign(&document(&[]), "");
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
}

/// The notes of a state, where it says that it is, and the instruction there.
fn noted(metadata: &serde_json::Value, snapshots: &[serde_json::Value], index: u64) -> Vec<String> {
    let text = snapshots.iter().fold(String::new(), |text, snapshot| format!("{text}{snapshot}\n"));
    let program = documents::metadata("program.json", metadata.to_string()).unwrap();
    let snapshots = documents::snapshots("snapshots.jsonl", &text).unwrap();
    let (playback, _) = Playback::new(&program, &snapshots).unwrap();
    let opened = explore::open_machine("snapshots.jsonl", "minic89", Box::new(playback), program).unwrap();
    let mut recording = opened.recording;
    let moment = recording.moment(index);
    let machine = recording.go_to(moment);
    let rows = machine.sections().into_iter().flat_map(|section| section.rows);
    let rows = rows.filter(|row| row.name == "pc" || row.name.starts_with("note "));
    rows.map(|row| row.value).chain([machine.instruction()]).collect()
}

/// Each contradiction is shown with the snapshot that it is in.
#[test]
fn contradictions_are_in_their_state() {
    let main = "PUSH_I16 7; STORE_LOCAL 0; LOAD_LOCAL 0; RET";
    let program = document(&[
        function(1, "main", [0, 1], main, &json!({})),
        function(2, "g", [0, 0], "PUSH_I16 1; RET", &json!({})),
    ]);
    let uninit = json!({ "t": "uninit" });
    let state = |step: u64, pc: [u64; 2], stack: serde_json::Value, local: &serde_json::Value| {
        json!({
            "schema_version": "MiniC89.VM.Snapshot.v0.2", "step": step, "status": "RUNNING",
            "pc": { "fid": pc[0], "ip": pc[1] }, "operand_stack": stack,
            "call_stack": [{ "fid": 1, "return_pc": null, "locals": [local] }],
        })
    };
    let first = || state(0, [1, 0], json!([]), &uninit);
    for (second, expected) in [
        (state(1, [1, 1], json!([7]), &uninit), &["main+1", "STORE_LOCAL 0"][..]),
        (
            state(1, [9, 3], json!([7]), &uninit),
            &[
                "pc is in function 9, which the metadata does not have",
                "3 of function 9",
                "(pc names no instruction)",
            ],
        ),
        (
            state(1, [1, 50], json!([7]), &uninit),
            &[
                "pc is at 50, and the function has 4 instructions",
                "50 of function 1",
                "(pc names no instruction)",
            ],
        ),
        (
            state(1, [2, 1], json!([7]), &uninit),
            &["pc is in function 2, and the current frame in function 1", "g+1", "RET"],
        ),
        (
            state(1, [1, 1], json!([{ "t": "fun", "v": 6 }]), &uninit),
            &[
                "[0] of the operand stack is function 6, which the metadata does not have",
                "main+1",
                "STORE_LOCAL 0",
            ],
        ),
        (
            state(1, [1, 1], json!([uninit]), &uninit),
            &["[0] of the operand stack is uninitialised", "main+1", "STORE_LOCAL 0"],
        ),
        (
            state(1, [1, 1], json!([7, 8]), &uninit),
            &[
                "after main+0 PUSH_I16 7, the operand stack is [7, 8], and by the rules [7]",
                "main+1",
                "STORE_LOCAL 0",
            ],
        ),
        (
            state(1, [1, 2], json!([7]), &uninit),
            &[
                "after main+0 PUSH_I16 7, pc is {fid: 1, ip: 2}, and by the rules {fid: 1, ip: 1}",
                "main+2",
                "LOAD_LOCAL 0",
            ],
        ),
    ] {
        assert_eq!(noted(&program, &[first(), second.clone()], 1), expected, "{second}");
        assert_eq!(noted(&program, &[first(), second], 0), ["main+0", "PUSH_I16 7"]);
    }
}

/// More than a page shows.
#[test]
fn a_hundred_thousand_snapshots_are_opened() {
    const COUNT: u64 = 100_002;
    let program = document(&[function(1, "main", [0, 0], "NOP; JMP 0", &json!({}))]);
    let stream: String = (0..COUNT).map(|step| snapshot(step, step % 2, &[])).collect();
    let program = documents::metadata("program.json", program.to_string()).unwrap();
    let snapshots = documents::snapshots("snapshots.jsonl", &stream).unwrap();
    let (playback, notes) = Playback::new(&program, &snapshots).unwrap();
    assert_eq!(notes, ["main has no source_map, so no lines"]);
    let opened = explore::open_machine("snapshots.jsonl", "minic89", Box::new(playback), program).unwrap();
    let mut recording = opened.recording;
    assert_eq!(recording.steps(), COUNT - 1);
    for step in [COUNT - 1, 3, 99_998, 0] {
        let at = recording.moment(step);
        let machine = recording.go_to(at);
        assert_eq!(machine.observe("step"), Some(Value::int(step)));
        // After the last snapshot nothing is known to be executed.
        let next = (step < COUNT - 1).then_some(step % 2);
        assert_eq!(machine.next().map(|at| at.pc as u64), next);
    }
}

/// `vmconf check` takes both documents by themselves.
#[test]
fn documents_by_themselves_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let ran = crate::support::ran(
            crate::support::command(&["check", "--no-config"]).arg(path).output().unwrap(),
        );
        (ran.exit, ran.stdout.clone() + &ran.stderr)
    };
    let program = document(&[function(1, "main", [0, 0], "PUSH_I16 7; RET", &json!({}))]).to_string();
    let (exit, said) = check("program.json", &program);
    assert!(
        exit == 0 && said.contains("this function has no source_map, which is strongly recommended"),
        "{said}"
    );
    let (exit, said) = check("broken.json", &program.replace("\"functions\"", "\"function\""));
    assert!(exit == 3 && said.contains("functions"), "{said}");
    let stream = snapshot(0, 0, &[]) + &snapshot(1, 1, &[7]);
    assert_eq!(check("stream.jsonl.json", &stream).0, 0);
    let (exit, said) = check("bad.json", &(stream + &snapshot(2, 1, &[7]).replace("RUNNING", "RUNING")));
    assert!(exit == 3 && said.contains("bad.json:3:"), "{said}");
    let (exit, said) =
        check("list.json", &format!("[{}]", snapshot(0, 0, &[]).replace("\"ip\":0", "\"ip\":-1")));
    assert!(exit == 3 && said.contains("ip"), "{said}");
}
