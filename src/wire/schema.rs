//! The JSON Schemas, one for each kind of JSON that vmconf reads or writes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::shape_schema::ShapeSchemas;
use crate::model::MemberShape;

/// A JSON Schema.
#[derive(Debug)]
pub struct JsonSchema {
    /// Its name, the argument of `vmconf schema`.
    pub name: &'static str,
    /// A description in one line.
    pub doc: &'static str,
    /// A command that reads or writes such data.
    pub command: &'static str,
    /// The text of the schema.
    pub text: &'static str,
}

/// The name of the schema of the protocol.
pub const PROTOCOL: &str = "protocol";

/// How the ids of schemas begin.
const ID: &str = "urn:vmconf:schema:";

impl JsonSchema {
    /// The text with all schemas that it refers to, which stand in `$defs` with their ids.
    pub fn whole(&self) -> Cow<'static, str> {
        let mut names = BTreeSet::new();
        self.add_references(&mut names);
        names.remove(self.name);
        if names.is_empty() {
            return Cow::Borrowed(self.text);
        }
        let mut whole = self.json();
        for schema in names.into_iter().filter_map(by_name) {
            whole["$defs"][format!("{ID}{}", schema.name)] = schema.json();
        }
        Cow::Owned(format!("{whole:#}\n"))
    }

    fn json(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_else(|error| unreachable!("{}: {error}", self.name))
    }

    /// Adds the names of the schemas that this one refers to, directly or not.
    fn add_references(&self, names: &mut BTreeSet<&'static str>) {
        let reference = format!("\"$ref\": \"{ID}");
        for reference in self.text.split(&reference).skip(1) {
            let name = reference.split(['#', '"']).next().unwrap_or_default();
            if let Some(schema) = by_name(name)
                && names.insert(schema.name)
            {
                schema.add_references(names);
            }
        }
    }
}

/// A row of [`SCHEMAS`], with the text from the file of that name.
macro_rules! schema {
    ($name:literal, $command:literal, $doc:literal) => {
        JsonSchema {
            name: $name,
            doc: $doc,
            command: $command,
            text: include_str!(concat!("../../schemas/", $name, ".schema.json")),
        }
    };
}

/// All schemas.
pub static SCHEMAS: &[JsonSchema] = &[
    schema!("vmtests", "vmconf run --format vmtests", "Ethereum VMTests, 2015 to 2019"),
    schema!("statetest", "vmconf run --format statetest", "Ethereum state tests, 2019 to today"),
    schema!("neovm-n3", "vmconf run --format neovm-n3", "NeoVM test vectors of N3"),
    schema!("neovm-2x", "vmconf run --format neovm-2x", "NeoVM test vectors of 2.x"),
    schema!("tinyvm", "vmconf run --format tinyvm", "TinyVM vectors, a format of vmconf"),
    schema!("testcases", "vmconf run --format testcases", "lists of TinyVM drivers and testees"),
    schema!("minic89-vectors", "vmconf run --format minic89", "MiniC89 vectors, a format of vmconf"),
    schema!(
        "minic89-metadata",
        "vmconf run --format minic89",
        "a program of MiniC89, a member of its vectors"
    ),
    schema!(
        "minic89-snapshot",
        "vmconf trace --output minic89",
        "a MiniC89 machine between two instructions"
    ),
    schema!("trace", "vmconf trace --output json", "an instruction of a trace for programs"),
    schema!("matrix", "vmconf matrix --vm x=true --output json", "machines by suites"),
    schema!("exec", "vmconf exec evm 0x00 --output json", "the state that a program left"),
    schema!("diff", "vmconf diff --output json", "why a case fails, for programs"),
    schema!("protocol", "vmconf serve evm", "a message from or to a machine in another process"),
    schema!("report", "vmconf run --report json", "a line of a report for programs"),
    schema!("audit", "vmconf audit --output json", "expectations that are not compared"),
    schema!("mutants", "vmconf mutants --output json", "planted faults and which are noticed"),
    schema!("coverage", "vmconf coverage --output json", "what cases do with instructions"),
    schema!("minset", "vmconf minset --output json", "a small set of cases with the same coverage"),
    schema!("suspects", "vmconf suspects --output json", "which instructions explain all failures"),
    schema!("comparison", "vmconf compare --output json", "what changed between two runs"),
    schema!("list", "vmconf list --output json", "a case, for programs"),
    schema!("fuzz", "vmconf fuzz evm --vm x=true --output json", "a difference between machines"),
    schema!("fill", "vmconf fill --vm x=true --vm y=true --output json", "what machines agree on"),
];

/// What a machine in another process is asked for: the name of a machine, the members of its programs, and what the
/// action `set` changes.
pub struct RequestedMachine {
    /// Its name.
    pub name: &'static str,
    /// The members of a program.
    pub program: &'static [MemberShape],
    /// What can be set.
    pub changes: &'static [MemberShape],
}

/// The schema of the protocol, with what these machines are asked for.
pub fn protocol(machines: impl IntoIterator<Item = RequestedMachine>) -> String {
    let mut whole = by_name(PROTOCOL).map_or(Value::Null, JsonSchema::json);
    let mut shapes = ShapeSchemas::default();
    let mut rules = Vec::new();
    for machine in machines {
        let [program, changes] = ["program", "changes"].map(|what| format!("{what}-{}", machine.name));
        let refer = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
        let set = json!({ "properties": { "set": refer(&changes) } });
        let actions = json!({ "items": set });
        let step = json!({ "type": "object", "properties": { "do": actions } });
        // An answer has steps, too, but names no machine.
        rules.push(json!({
            "if": { "properties": { "machine": { "const": machine.name } }, "required": ["machine", "program"] },
            "then": { "properties": {
                "program": refer(&program),
                "do": actions,
                "steps": { "items": step },
            } },
        }));
        for (name, members) in [(program, machine.program), (changes, machine.changes)] {
            whole["$defs"][name] = shapes.record(members);
        }
    }
    for (name, definition) in shapes.definitions {
        whole["$defs"][name] = definition;
    }
    whole["allOf"] = Value::Array(rules);
    format!("{whole:#}\n")
}

/// The schema with this name.
pub fn by_name(name: &str) -> Option<&'static JsonSchema> {
    SCHEMAS.iter().find(|schema| schema.name == name)
}
