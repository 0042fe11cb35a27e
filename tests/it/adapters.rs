//! The adapters of `adapters/`: recorded conversations with other projects' machines, which agree with ours.

use std::fs;

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
    let schema = Validator::named("protocol");
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
