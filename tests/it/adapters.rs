//! The adapters of `adapters/`: recorded conversations with other projects' machines, which agree with ours.

use std::sync::Arc;

use std::collections::BTreeMap;
use std::fs;

use vmconf::machines;
use vmconf::model::value::Value;
use vmconf::testees::server::Server;
use vmconf::wire::plain;
use vmconf::wire::protocol::{Answer, Request};

use crate::support::validator::Validator;
use crate::support::{at_root, files, relative};

/// Every line of a recording is one of the protocol, and each state is that of our machine.
#[test]
fn recorded_machines_agree_with_ours() {
    let recordings = files("adapters", "jsonl");
    let recordings = recordings.iter().filter(|path| path.ends_with("conversation.jsonl"));
    let schema = Validator::named("protocol");
    let (mut count, mut states) = (0, 0);
    for path in recordings {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.chunks(2) {
            let [request, answer] = pair else { panic!("{}: a request without an answer", path.display()) };
            for message in pair {
                schema.assert_accepts(&serde_json::from_str(message).unwrap(), relative(path).as_ref());
            }
            let request = Request::read(request.as_bytes()).unwrap();
            let answer = Answer::read(answer.as_bytes()).unwrap();
            assert_eq!(answer.id(), request.id(), "{}", relative(path));
            states += compare(&request, answer);
        }
        count += 1;
    }
    assert!(count >= 6 && states >= 20, "{count} recordings with {states} states");
}

/// Compares the states of an answer with those of our machine. How many there are.
fn compare(request: &Request, answer: Answer) -> usize {
    let (Request::Run(run), Answer::Done(theirs)) = (request, answer) else { return 0 };
    let info = machines::by_name(&run.machine).unwrap();
    let Ok(Answer::Done(ours)) = Server::new(info).answer(request.line().as_bytes()) else {
        panic!("our machine does not run {request:?}")
    };
    assert_eq!(theirs.steps.len(), ours.steps.len(), "{request:?}");
    for (theirs, ours) in theirs.steps.iter().zip(&ours.steps) {
        for field in (info.fields)() {
            let [theirs, ours] = [theirs, ours].map(|state| {
                let json = state.fields.get(field.name)?;
                Some(in_order(plain::read(json.clone(), &field.shape).unwrap()))
            });
            assert_eq!(theirs, ours, "{} of {request:?}", field.name);
        }
    }
    ours.steps.len()
}

/// The value with the members of its records by name: their order says nothing.
fn in_order(value: Value) -> Value {
    match value {
        Value::Record(members) => {
            let members: BTreeMap<_, _> = members.into_iter().map(|(key, it)| (key, in_order(it))).collect();
            Value::record(members)
        }
        Value::List(items) => Value::List(items.into_iter().map(in_order).collect()),
        Value::Typed(name, inner) => Value::typed(name, in_order(Arc::unwrap_or_clone(inner))),
        other => other,
    }
}

#[test]
fn every_adapter_is_short_and_described() {
    let folders: Vec<_> =
        fs::read_dir(at_root("adapters")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let folders = folders.iter().filter(|path| path.is_dir() && !path.ends_with("requests"));
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
