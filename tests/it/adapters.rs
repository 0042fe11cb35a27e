//! The adapters of `adapters/`: recorded conversations with other projects' machines, which agree with ours.

use std::fs;

use serde_json::{Value, json};
use vmconf::machines;
use vmconf::testees::server::Server;
use vmconf::wire::plain;
use vmconf::wire::protocol::{ProtocolAnswer, Request};

use crate::support::validator::Validator;
use crate::support::{at_root, files, relative, vmconf};

/// Every line of a recording is one of the protocol, and each state is that of our machine.
#[test]
fn recorded_machines_agree_with_ours() {
    let recordings = files("adapters", "jsonl");
    let recordings = recordings.iter().filter(|path| path.ends_with("conversation.jsonl"));
    let schema = protocol_schema();
    let (mut count, mut fields) = (0, 0);
    for path in recordings {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.chunks(2) {
            let [request, answer] = pair else { panic!("{}: a request without an answer", path.display()) };
            for message in pair {
                schema.assert_accepts(&serde_json::from_str(message).unwrap(), relative(path).as_ref());
            }
            let request = Request::read(request.as_bytes()).unwrap();
            let answer = ProtocolAnswer::read(answer.as_bytes()).unwrap();
            assert_eq!(answer.id(), request.id(), "{}", relative(path));
            fields += compare(&request, answer);
        }
        count += 1;
    }
    assert!(count >= 12 && fields >= 300, "{count} recordings with {fields} fields of states");
}

/// What `vmconf schema protocol` prints.
fn protocol_schema() -> Validator {
    Validator::alone(&serde_json::from_str(&vmconf(&["schema", "protocol"]).stdout).unwrap())
}

/// The schema has the members of the programs of each machine, and what can be set.
#[test]
fn the_schema_of_the_protocol_knows_the_programs_of_machines() {
    let schema = protocol_schema();
    let request = |machine: &str, program: Value, action: Value| {
        let steps = json!([{ "do": [action], "observe": [] }]);
        json!({ "type": "run", "id": 1, "machine": machine, "program": program, "steps": steps })
    };
    for (machine, right, wrong) in [
        ("evm", json!({ "code": "0x00" }), json!({ "code": 0 })),
        ("neo3", json!({ "script": "0x40", "strict": true }), json!({ "script": "0x40", "strict": 1 })),
        ("tinyvm", json!({ "instructions": { "0": "0x0000" } }), json!({ "instructions": { "0": 0 } })),
        ("another", json!({ "code": 0 }), json!([])),
    ] {
        schema.assert_accepts(&request(machine, right.clone(), json!("execute")), machine.as_ref());
        assert!(!schema.accepts(&request(machine, wrong, json!("execute"))), "{machine}");
    }
    for (value, is_right) in [(json!({ "0": "0x01" }), true), (json!([1]), false)] {
        let set = json!({ "set": { "stack": value } });
        assert_eq!(schema.accepts(&request("evm", json!({ "code": "0x00" }), set)), is_right, "{value}");
    }
    let trace = |code: Value| {
        let program = json!({ "code": code });
        json!({ "type": "trace", "id": 1, "machine": "evm", "program": program, "do": [], "skip": 0, "count": 1 })
    };
    assert!(schema.accepts(&trace(json!("0x00"))) && !schema.accepts(&trace(json!(0))));
}

/// Compares the states of an answer with those of our machine. How many fields they have.
fn compare(request: &Request, answer: ProtocolAnswer) -> usize {
    let (Request::Run(run), ProtocolAnswer::Done(theirs)) = (request, answer) else { return 0 };
    let info = machines::by_name(&run.machine).unwrap();
    let Ok(ProtocolAnswer::Done(ours)) = Server::new(info).answer(request.line().as_bytes()) else {
        panic!("our machine does not run {request:?}")
    };
    assert_eq!(theirs.steps.len(), ours.steps.len(), "{request:?}");
    let mut count = 0;
    for (theirs, ours) in theirs.steps.iter().zip(&ours.steps) {
        for field in info.fields {
            let [theirs, ours] = [theirs, ours].map(|state| {
                let json = state.fields.get(field.name)?;
                Some(plain::read(json.clone(), &field.shape).unwrap().in_order())
            });
            assert_eq!(theirs, ours, "{} of {request:?}", field.name);
            count += usize::from(ours.is_some());
        }
    }
    count
}

/// `vmconf vm check` finds nothing wrong with the machines whose conversations with it were recorded, by
/// `vmconf vm check --record`.
#[test]
#[cfg(unix)]
fn recorded_machines_pass_vm_check() {
    let recordings = files("adapters", "jsonl");
    let named = |name: &str| recordings.iter().filter(|path| path.ends_with(name)).collect::<Vec<_>>();
    // An adapter with one recording has both.
    assert_eq!(named("check.jsonl").len(), named("conversation.jsonl").len());
    for path in named("check.jsonl") {
        let replay = at_root("tests/testees/replay.sh");
        let args = ["vm", "check", "sh", replay.to_str().unwrap(), path.to_str().unwrap()];
        let checked = vmconf(&args);
        assert_eq!(checked.exit, 0, "{}: {checked:?}", relative(path));
    }
}

/// A recording of a machine is replayed as the machine.
#[test]
#[cfg(unix)]
fn a_recorded_conversation_with_vm_check_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("check.jsonl");
    let (path, replay) = (path.to_str().unwrap(), at_root("tests/testees/replay.sh"));
    let replay = replay.to_str().unwrap();
    let vmconf_itself = env!("CARGO_BIN_EXE_vmconf");
    let recorded = vmconf(&["vm", "check", "--record", path, vmconf_itself, "serve", "neo2"]);
    let replayed = vmconf(&["vm", "check", "sh", replay, path]);
    assert_eq!((recorded.exit, &recorded.stdout), (0, &replayed.stdout), "{replayed:?}");
    // A machine that answers something else does not hide behind the recording.
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text.replace("\"HALT", "\"FAULT").replace("\"Halt", "\"Fault")).unwrap();
    assert_eq!(vmconf(&["vm", "check", "sh", replay, path]).exit, 1);
}

#[test]
fn every_adapter_is_short_and_described() {
    let folders: Vec<_> =
        fs::read_dir(at_root("adapters")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let folders = folders.iter().filter(|path| path.is_dir() && !path.ends_with("requests"));
    assert!(folders.clone().count() >= 20, "{folders:?}");
    for folder in folders {
        let sources = ["adapter.py", "adapter.mjs", "adapter.cjs", "main.rs"].map(|name| folder.join(name));
        let source = sources.iter().find(|path| path.exists()).expect("an adapter is one file");
        let lines = fs::read_to_string(source).unwrap().lines().count();
        assert!(lines <= 170, "{}: {lines} lines", source.display());
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for part in ["- Install: ", "- Run: ", "- Tried with: ", "- Lacks: "] {
            assert!(readme.contains(part), "{}: {part}", folder.display());
        }
    }
}
