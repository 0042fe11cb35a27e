//! Limits that the page about the protocol names: of lists, and of requests in flight.

use std::fs;

use serde_json::Value as Json;
use vmconf::machines::by_name;
use vmconf::testees::server::Server;
use vmconf::wire::protocol::ProtocolAnswer;

use super::command_line::Project;
use crate::support::at_root;

/// `trace` returns at most 10,000 instructions.
#[test]
fn a_trace_has_at_most_10000_instructions() {
    let mut server = Server::new(by_name("neo3").unwrap());
    let mut traced = |count: u64| {
        // JMP to itself.
        let request = serde_json::json!({
            "type": "trace", "id": 1, "machine": "neo3", "program": {"script": "0x2200"}, "do": ["execute"],
            "skip": 5, "count": count,
        });
        let ProtocolAnswer::Trace(answer) = server.answer(request.to_string().as_bytes()).unwrap() else {
            panic!("no trace")
        };
        answer.instructions.len()
    };
    assert_eq!([9_999, 10_000, 10_001, u64::MAX].map(&mut traced), [9_999, 10_000, 10_000, 10_000]);
}

/// A machine that answers nothing counts what it is asked: `inFlight` above 64 counts as 64.
#[test]
fn at_most_64_requests_are_in_flight() {
    let project = Project::new();
    let hello = r#"{"type":"hello","version":1,"name":"a","release":"1","machines":[{"machine":"evm","fields":["outcome","gas","out","logs","logsHash","post","callcreates"]}],"inFlight":1000}"#;
    // A 65th request would arrive together with the others. The process for the second try exits at once.
    let script = format!(
        "read -r hello; echo '{hello}'; [ ! -e counts ] || exit 3; n=0\n\
         while read -t 1 -r request; do n=$((n+1)); done; echo $n >> counts; exit 3\n"
    );
    project.write("counts.sh", &script);
    let vector = fs::read_to_string(at_root("vectors/evm/arithmetic/add.json")).unwrap();
    let vector: Json = serde_json::from_str(&vector).unwrap();
    let case = vector.as_object().unwrap().values().next().unwrap();
    let cases: serde_json::Map<_, _> = (0..800).map(|number| (format!("a{number}"), case.clone())).collect();
    project.write("many.json", &Json::Object(cases).to_string());
    let ran = project.run(&["run", "-q", "--fail-fast", "-j", "1", "many.json", "--vm", "m=bash counts.sh"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    let counts = fs::read_to_string(project.path("counts")).unwrap();
    assert_eq!(counts, "64\n");
}

/// A text in `hello` has at most 200 bytes.
#[test]
fn a_text_in_hello_has_at_most_200_bytes() {
    let project = Project::new();
    for (length, exit) in [(200, 0), (201, 3)] {
        let filter = format!("s/\"release\":\"[^\"]*\"/\"release\":\"{}\"/", "1".repeat(length));
        let serve = env!("CARGO_BIN_EXE_vmconf");
        project.write("long.sh", &format!("'{serve}' serve evm | sed -u '1{filter}'\n"));
        let ran = project.run(&["run", "-q", "add.json", "--vm", "m=sh long.sh"]);
        assert_eq!(ran.exit, exit, "{ran:?}");
        let told = [&*ran.stdout, &*ran.stderr].concat();
        assert_eq!(told.contains("says hello with 201 bytes as release"), exit != 0, "{told}");
    }
}

/// A list in `hello` has at most 200 items.
#[test]
fn a_list_in_hello_has_at_most_200_items() {
    let project = Project::new();
    for (count, exit) in [(200, 0), (201, 3)] {
        let items = vec!["\"x\""; count].join(",");
        let filter = format!("s/\"actions\":/\"lacks\":[{items}],&/");
        let serve = env!("CARGO_BIN_EXE_vmconf");
        project.write("long.sh", &format!("'{serve}' serve evm | sed -u '1{filter}'\n"));
        let ran = project.run(&["run", "-q", "add.json", "--vm", "m=sh long.sh"]);
        assert_eq!(ran.exit, exit, "{ran:?}");
        let told = [&*ran.stdout, &*ran.stderr].concat();
        assert_eq!(told.contains("says hello with 201 texts in lacks; at most 200"), exit != 0, "{told}");
    }
}
