//! `vmconf schema`, and the list of schemas.

use std::collections::BTreeSet;
use std::process::Output;

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, files, relative, vmconf};
use vmconf::formats::FORMATS;
use vmconf::formats::family::BUILT_IN;
use vmconf::report::REPORTS;
use vmconf::wire::schema::SCHEMAS;

/// A case that every command accepts.
const CASE: &str = "vectors/minic89/partial.json::the status";

/// Every file has a row; that every row has its file the compiler sees to.
#[test]
fn every_schema_is_listed() {
    let files = files("schemas", "json").into_iter().map(|path| relative(&path));
    let names: BTreeSet<_> =
        SCHEMAS.iter().map(|schema| format!("schemas/{}.schema.json", schema.name)).collect();
    assert_eq!(names.len(), SCHEMAS.len(), "a name twice");
    assert_eq!(files.collect::<BTreeSet<_>>(), names);
}

#[test]
fn every_schema_is_printed_and_valid() {
    for schema in SCHEMAS {
        let Output { status, stdout, stderr } = command(&["schema", schema.name]).output().unwrap();
        let file = std::fs::read_to_string(at_root(format!("schemas/{}.schema.json", schema.name))).unwrap();
        assert!(status.success() && stderr.is_empty(), "{}", schema.name);
        // Its own id is the only one. That of the protocol has what machines are asked for, too.
        if schema.name != "protocol" && file.matches("urn:vmconf:schema:").count() <= 1 {
            assert_eq!(stdout, file.as_bytes(), "{}", schema.name);
        }
        if schema.name == "protocol" {
            let [printed, file] = [stdout, file.into_bytes()]
                .map(|text| serde_json::from_slice::<serde_json::Value>(&text).unwrap());
            for (name, definition) in file["$defs"].as_object().unwrap() {
                assert_eq!(printed["$defs"][name], *definition, "{name}");
            }
            assert_eq!((&printed["$id"], &printed["oneOf"]), (&file["$id"], &file["oneOf"]));
        }
        // Panics if it breaks the rules of JSON Schema.
        Validator::named(schema.name);
    }
}

/// A printed schema needs no other file.
#[test]
fn printed_schemas_have_what_they_refer_to() {
    let printed = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&command(&["schema", name]).output().unwrap().stdout).unwrap()
    };
    for schema in SCHEMAS {
        Validator::alone(&printed(schema.name));
    }
    let answer = vmconf(&["exec", "evm", "0x6001", "--output", "json"]).stdout;
    let mut answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let exec = Validator::alone(&printed("exec"));
    exec.assert_accepts(&answer, "the answer");
    answer["state"]["stack"] = serde_json::json!({ "int": 1 });
    assert!(!exec.accepts(&answer), "a number of another type");
}

#[test]
fn schemas_are_listed_with_a_command() {
    let Ran { exit, stdout, .. } = vmconf(&["schema", "--list"]);
    assert_eq!(exit, 0);
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), SCHEMAS.len() + BUILT_IN.len());
    for (line, schema) in lines.iter().zip(SCHEMAS) {
        assert!(
            line.starts_with(schema.name) && line.contains(schema.command) && line.ends_with(schema.doc),
            "{line}"
        );
        // The command exists: it accepts its arguments.
        let [_, ref args @ ..] = schema.command.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        // As another format, the file has no such case.
        let file = CASE.split("::").next().unwrap();
        let path = if schema.command.contains("--format") { file } else { CASE };
        let paths = if ["exec", "serve", "compare", "fuzz"].contains(&args[0]) { &[][..] } else { &[path] };
        assert_ne!(vmconf(&[args, paths].concat()).exit, 2, "{}", schema.command);
    }
}

/// Each format that is read and each report that is JSON has its schema.
#[test]
fn whatever_is_read_or_written_has_a_schema() {
    let commands: Vec<_> = SCHEMAS.iter().map(|schema| schema.command).collect();
    for format in FORMATS {
        let command = format!("vmconf run --format {}", format.name);
        assert!(commands.contains(&&*command), "{command}");
    }
    assert!(REPORTS.iter().any(|report| report.name == "json"));
    assert!(commands.contains(&"vmconf run --report json"));
}

#[test]
fn a_schema_must_be_named() {
    for args in [&["schema"][..], &["schema", "nonsense"], &["schema", "report", "--list"]] {
        assert_eq!(vmconf(args).exit, 2, "{args:?}");
    }
}
