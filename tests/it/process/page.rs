//! The examples of `docs/src/protocol.md`: blocks `json request MACHINE`, each followed by a block `json answer`.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value as Json;

use crate::support::validator::Validator;
use crate::support::{at_root, command};

/// The requests and answers of the page, with their machines.
fn examples() -> Vec<(String, Json, Json)> {
    let page = std::fs::read_to_string(at_root("docs/src/protocol.md")).unwrap();
    let mut examples: Vec<(String, Json, Json)> = Vec::new();
    for block in page.split("\n```json ").skip(1) {
        let (kind, rest) = block.split_once('\n').unwrap();
        let text = rest.split_once("\n```").unwrap().0;
        let json = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        match kind.split_once(' ') {
            Some(("request", machine)) => examples.push((machine.to_owned(), json, Json::Null)),
            _ => examples.last_mut().unwrap().2 = json,
        }
    }
    examples
}

#[test]
fn each_example_is_answered_as_the_page_says() {
    let mut by_machine: BTreeMap<String, Vec<(Json, Json)>> = BTreeMap::new();
    for (machine, request, answer) in examples() {
        by_machine.entry(machine).or_default().push((request, answer));
    }
    assert_eq!(by_machine.values().map(Vec::len).sum::<usize>(), 7);
    for (machine, examples) in by_machine {
        let mut serve = command(&["serve", &machine]);
        let mut child = serve.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for (request, _) in &examples {
            writeln!(input, "{request}").unwrap();
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().count(), examples.len());
        for (line, (_, answer)) in answers.lines().zip(&examples) {
            assert_eq!(serde_json::from_str::<Json>(line).unwrap(), *answer);
        }
    }
}

#[test]
fn the_schema_accepts_each_example() {
    let validator = Validator::named("protocol");
    for (_, request, answer) in examples() {
        for message in [request, answer] {
            validator.assert_accepts(&message, "an example");
        }
    }
}
