//! The examples of `docs/src/protocol.md`: blocks `json request MACHINE`, each followed by a block `json answer`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Stdio;

use serde_json::Value as Json;
use vmconf::machines::MACHINES;
use vmconf::model::MemberShape;

use crate::support::validator::Validator;
use crate::support::{at_root, command};

/// The seven requests and answers of the page, with their machines.
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
    assert_eq!(examples.len(), 7);
    examples
}

#[test]
fn each_example_is_answered_as_the_page_says() {
    let mut by_machine: BTreeMap<String, Vec<(Json, Json)>> = BTreeMap::new();
    for (machine, request, answer) in examples() {
        by_machine.entry(machine).or_default().push((request, answer));
    }
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

/// The names in backticks in the first column of the tables of a section whose first column has this header.
fn names(section: &str, header: &str) -> BTreeSet<String> {
    let page = std::fs::read_to_string(at_root("docs/src/protocol.md")).unwrap();
    let (_, rest) = page.split_once(&format!("\n{section}\n")).unwrap_or_else(|| panic!("no {section}"));
    let level = section.split(' ').next().unwrap().len();
    let is_heading = |line: &str| {
        let hashes = line.chars().take_while(|it| *it == '#').count();
        (1..=level).contains(&hashes) && line[hashes..].starts_with(' ')
    };
    let mut names = BTreeSet::new();
    let mut is_inside = false;
    for line in rest.lines().take_while(|line| !is_heading(line)) {
        let first = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        match first {
            Some(cell) if cell == header => is_inside = true,
            Some(cell) if is_inside => {
                let quoted = cell.split('`').skip(1).step_by(2);
                names.extend(quoted.map(str::to_owned));
            }
            None if !line.starts_with("|-") => is_inside = false,
            _ => {}
        }
    }
    names
}

/// The tables of each machine have the members that the code has, and no others.
#[test]
fn the_tables_of_machines_are_complete() {
    let of = |members: &[MemberShape]| -> BTreeSet<String> {
        members.iter().map(|member| member.name.to_owned()).collect()
    };
    // The program of minic89 is a document with a schema of its own, and its fields are those of a snapshot.
    for info in MACHINES.iter().filter(|info| info.name != "minic89") {
        let section = format!("### {}", info.name);
        assert_eq!(names(&section, "member of the program"), of(info.program), "{section}");
        assert_eq!(names(&section, "member of `set`"), of(info.changes), "{section}");
        assert_eq!(names(&section, "field"), of(info.fields), "{section}");
    }
}

/// The members of an object of the schema, and those of the objects in its lists: `machines[].fields`. Without the
/// type, and the id of an answer, which each section would repeat.
fn schema_members(definition: &str) -> BTreeSet<String> {
    fn add(object: &Json, prefix: &str, all: &mut BTreeSet<String>) {
        for (name, member) in object["properties"].as_object().into_iter().flatten() {
            all.insert(format!("{prefix}{name}"));
            add(&member["items"], &format!("{prefix}{name}[]."), all);
        }
    }
    let text = std::fs::read_to_string(at_root("schemas/protocol.schema.json")).unwrap();
    let schema: Json = serde_json::from_str(&text).unwrap();
    let mut all = BTreeSet::new();
    add(&schema["$defs"][definition], "", &mut all);
    all.remove("type");
    all
}

/// The tables of requests and answers have the members that the schema has, and no others.
#[test]
fn the_tables_of_messages_are_complete() {
    for (section, definitions, elsewhere) in [
        ("## hello", &["greeting", "hello"][..], &[][..]),
        ("## run", &["run", "done"], &[]),
        ("## error", &["error"], &["id"]),
    ] {
        let members: BTreeSet<_> = definitions.iter().flat_map(|name| schema_members(name)).collect();
        let elsewhere = elsewhere.iter().map(|name: &&str| (*name).to_owned()).collect();
        assert_eq!(names(section, "member"), &members - &elsewhere, "{section}");
    }
}
