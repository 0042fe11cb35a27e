//! What a partial snapshot demands: the members that are present in each object, the length and every item of
//! each array.

use super::lexical::{self, Number};
use super::program::{constant, drop_schema};
use crate::formats::fields::{Diagnostics, FieldReader, array, no_such_word, wrong_type};
use crate::model::{Assertion, DECIMAL, Diagnostic, Expected, Origin, Path, Value};
use crate::text::json::{JsonDatum, JsonNode, quoted};

pub(super) const VERSION: &str = "MiniC89.VM.Snapshot.v0.2";

/// The members that every snapshot has, and those that say how a run ended, in the order of output.
const REQUIRED: &[&str] = &["schema_version", "step", "status", "pc", "operand_stack", "call_stack"];
const ENDS: &[&str] = &["trap", "halt"];

pub(super) const STATUSES: &[&str] = &["RUNNING", "HALTED", "TRAPPED"];

/// The codes that a trap can have.
pub(super) const TRAPS: &[&str] = &[
    "TRAP_INT_OVERFLOW",
    "TRAP_DIV_ZERO",
    "TRAP_UNINIT_READ",
    "TRAP_TYPE",
    "TRAP_BAD_LOCAL",
    "TRAP_BAD_FUNID",
    "TRAP_BAD_JUMP",
    "TRAP_CALL_NULLFUN",
    "TRAP_BAD_SIGNATURE",
    "TRAP_STACK",
    "TRAP_CALLSTACK",
    "TRAP_STEP_LIMIT",
    "TRAP_INTERNAL",
];

/// The members of a snapshot, in the order of output.
pub(super) fn members() -> impl Iterator<Item = &'static str> {
    REQUIRED.iter().chain(ENDS).copied()
}

/// Reads the demanded status and all other members.
pub(super) fn demands(
    node: JsonNode<'_>,
    diagnostics: &mut Diagnostics,
) -> (Option<Assertion>, Vec<Assertion>) {
    let mut snapshot = VectorSnapshot { diagnostics, status: None, assertions: Vec::new() };
    snapshot.read(node);
    (snapshot.status, snapshot.assertions)
}

/// Reads a whole snapshot, which has all members that the schema requires.
pub(super) fn complete(node: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    demands(node, diagnostics);
    require(node, REQUIRED, diagnostics);
    let status = node.member("status").and_then(|status| status.text().map(|text| text.to_string()));
    match status.as_deref() {
        Some("TRAPPED") => require(node, &["trap"], diagnostics),
        Some("HALTED") => require(node, &["halt"], diagnostics),
        _ => {}
    }
    if let Some(pc) = node.member("pc") {
        if pc.is_null() && status.as_deref() != Some("HALTED") {
            diagnostics.error(Diagnostic::at(pc.at(), "pc is null").expected("a place, unless it is HALTED"));
        }
        require(pc, &["fid", "ip"], diagnostics);
    }
    for frame in node.member("call_stack").into_iter().flat_map(JsonNode::items) {
        require(frame, &["fid", "return_pc", "locals"], diagnostics);
        if let Some(place) = frame.member("return_pc") {
            require(place, &["fid", "ip"], diagnostics);
        }
        frame
            .member("locals")
            .into_iter()
            .flat_map(JsonNode::items)
            .for_each(|it| complete_value(it, diagnostics));
    }
    node.member("operand_stack")
        .into_iter()
        .flat_map(JsonNode::items)
        .for_each(|it| complete_value(it, diagnostics));
    if let Some(trap) = node.member("trap") {
        require(trap, &["code"], diagnostics);
    }
    if let Some(halt) = node.member("halt") {
        require(halt, &["result"], diagnostics);
        halt.member("result").into_iter().for_each(|it| complete_value(it, diagnostics));
    }
}

fn complete_value(node: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    require(node, &["t"], diagnostics);
    if node.member("t").and_then(JsonNode::text).is_some_and(|tag| tag == "fun") {
        require(node, &["v"], diagnostics);
    }
}

/// Reports the members that an object lacks.
fn require(node: JsonNode<'_>, names: &[&str], diagnostics: &mut Diagnostics) {
    for name in names.iter().filter(|name| node.is_object() && node.member(name).is_none()) {
        diagnostics.error(Diagnostic::at(node.at(), format!("member {} is missing", quoted(name))));
    }
}

struct VectorSnapshot<'f> {
    diagnostics: &'f mut Diagnostics,
    status: Option<Assertion>,
    assertions: Vec<Assertion>,
}

/// A function that reads one datum at a path.
type SnapshotPart<'f> = fn(&mut VectorSnapshot<'f>, JsonNode<'_>, &Path);

impl<'f> VectorSnapshot<'f> {
    fn read(&mut self, node: JsonNode<'_>) {
        let Some(mut fields) = FieldReader::open(node, "snapshot", self.diagnostics) else { return };
        drop_schema(&mut fields, self.diagnostics);
        if let Some(version) = fields.optional("schema_version") {
            constant(version, "schema_version", VERSION, self.diagnostics);
            self.is(&Path::field("schema_version"), Value::text(VERSION), version);
        }
        if let Some(step) = fields.optional("step") {
            self.count(step, &Path::field("step"));
        }
        if let Some(status) = fields.optional("status") {
            self.status =
                self.word(status, "status", STATUSES).map(|name| is(Path::field("status"), name, status));
        }
        let parts: &[(&'static str, SnapshotPart<'f>)] = &[
            ("pc", VectorSnapshot::place),
            ("operand_stack", VectorSnapshot::values),
            ("call_stack", VectorSnapshot::frames),
            ("trap", VectorSnapshot::trap),
            ("halt", VectorSnapshot::halt),
        ];
        for (name, read) in parts {
            if let Some(node) = fields.optional(name) {
                read(self, node, &Path::field(*name));
            }
        }
        fields.finish(self.diagnostics);
    }

    fn expected(&mut self, at: &Path, expected: Expected, node: JsonNode<'_>) {
        self.assertions.push(Assertion::new(at.clone(), expected, Origin(node.at())));
    }

    fn is(&mut self, at: &Path, value: Value, node: JsonNode<'_>) {
        self.assertions.push(is(at.clone(), value, node));
    }

    /// An object, with the members that are present.
    fn object(
        &mut self,
        node: JsonNode<'_>,
        at: &Path,
        name: &'static str,
        parts: &[(&'static str, SnapshotPart<'f>)],
    ) {
        let Some(mut fields) = FieldReader::open(node, name, self.diagnostics) else { return };
        self.expected(at, Expected::Record, node);
        for (key, read) in parts {
            if let Some(node) = fields.optional(key) {
                read(self, node, &at.child(*key));
            }
        }
        fields.finish(self.diagnostics);
    }

    fn array(&mut self, node: JsonNode<'_>, at: &Path, name: &str, read: SnapshotPart<'f>) {
        let Some(node) = self.diagnostics.keep(array(node, name, "an array")) else { return };
        self.expected(at, Expected::Len(node.items().count()), node);
        for (item, at) in node.items().zip(at.items()) {
            read(self, item, &at);
        }
    }

    fn count(&mut self, node: JsonNode<'_>, at: &Path) {
        if let Some(number) = self.diagnostics.keep(lexical::from(node, &at.last().to_string(), 0)) {
            self.is(at, Value::Int(number), node);
        }
    }

    /// The id of an existing function.
    fn fid(&mut self, node: JsonNode<'_>, at: &Path) {
        if let Some(number) = self.diagnostics.keep(lexical::from(node, "fid", 1)) {
            self.is(at, Value::Int(number), node);
        }
    }

    fn word(&mut self, node: JsonNode<'_>, name: &str, words: &[&str]) -> Option<Value> {
        let found = words.iter().find(|word| node.text().is_some_and(|text| text == **word));
        if found.is_none() {
            let each: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            let what = format!("{name} is {}", node.shown());
            self.diagnostics.error(no_such_word(node, what, each.join(", "), words.iter().copied()));
        }
        found.map(|word| Value::text(*word))
    }

    /// `pc`, `return_pc`: an object or null.
    fn place(&mut self, node: JsonNode<'_>, at: &Path) {
        if node.is_null() {
            return self.is(at, Value::Null, node);
        }
        self.object(node, at, "place", &[("fid", VectorSnapshot::fid), ("ip", VectorSnapshot::count)]);
    }

    fn values(&mut self, node: JsonNode<'_>, at: &Path) {
        self.array(node, at, "list of values", VectorSnapshot::value);
    }

    /// An integer, or an object with a tag.
    fn value(&mut self, node: JsonNode<'_>, at: &Path) {
        if !node.is_object() {
            if let Some(number) = self.diagnostics.keep(lexical::int16(node, "value")) {
                self.is(at, Value::Int(number), node);
            }
            return;
        }
        let tag = node.member("t");
        if tag.and_then(JsonNode::text).is_some_and(|tag| tag == "uninit")
            && let Some(number) = node.member("v")
        {
            let what = "an uninitialised value with \"v\"";
            self.diagnostics.error(Diagnostic::at(number.at(), what).expected("\"t\" alone"));
        }
        self.object(node, at, "value", &[("t", VectorSnapshot::tag), ("v", VectorSnapshot::count)]);
    }

    fn tag(&mut self, node: JsonNode<'_>, at: &Path) {
        if let Some(tag) = self.word(node, "t", &["fun", "uninit"]) {
            self.is(at, tag, node);
        }
    }

    fn frames(&mut self, node: JsonNode<'_>, at: &Path) {
        self.array(node, at, "call_stack", |this, frame, at| {
            let parts: &[(&'static str, SnapshotPart<'f>)] = &[
                ("fid", VectorSnapshot::fid),
                ("return_pc", VectorSnapshot::place),
                ("locals", VectorSnapshot::values),
            ];
            this.object(frame, at, "frame", parts);
        });
    }

    fn trap(&mut self, node: JsonNode<'_>, at: &Path) {
        let parts: &[(&'static str, SnapshotPart<'f>)] = &[
            ("code", VectorSnapshot::code),
            ("message", VectorSnapshot::message),
            ("details", VectorSnapshot::details),
        ];
        self.object(node, at, "trap", parts);
    }

    fn code(&mut self, node: JsonNode<'_>, at: &Path) {
        if let Some(code) = self.word(node, "code", TRAPS) {
            self.is(at, code, node);
        }
    }

    fn message(&mut self, node: JsonNode<'_>, at: &Path) {
        match node.datum() {
            JsonDatum::Null => self.is(at, Value::Null, node),
            JsonDatum::Text(text) => self.is(at, Value::text(text), node),
            _ => self.diagnostics.error(wrong_type(node, "message", "a string or null")),
        }
    }

    fn details(&mut self, node: JsonNode<'_>, at: &Path) {
        if !node.is_null() && !node.is_object() {
            return self.diagnostics.error(wrong_type(node, "details", "an object or null"));
        }
        self.anything(node, at);
    }

    /// Any datum.
    fn anything(&mut self, node: JsonNode<'_>, at: &Path) {
        match node.datum() {
            JsonDatum::Null => self.is(at, Value::Null, node),
            JsonDatum::Bool(bool) => self.is(at, Value::Bool(bool), node),
            JsonDatum::Number(text) => self.is(at, number(text), node),
            JsonDatum::Text(text) => self.is(at, Value::text(text), node),
            JsonDatum::Array => self.array(node, at, "details", VectorSnapshot::anything),
            JsonDatum::Object => {
                self.expected(at, Expected::Record, node);
                for member in node.members() {
                    self.anything(member.value, &at.child(member.key.into_owned()));
                }
            }
        }
    }

    fn halt(&mut self, node: JsonNode<'_>, at: &Path) {
        self.object(node, at, "halt", &[("result", VectorSnapshot::value)]);
    }
}

/// A number of any kind. A value of the machine has neither a fraction nor too many digits.
fn number(text: &str) -> Value {
    match lexical::value(text) {
        Number::Integer(number) => Value::Int(number),
        Number::Fraction | Number::TooLong => Value::typed(DECIMAL, Value::text(text)),
    }
}

/// The assertion that a datum has this value.
fn is(at: Path, value: Value, node: JsonNode<'_>) -> Assertion {
    Assertion::new(at, Expected::Is(value), Origin(node.at()))
}

#[cfg(test)]
mod tests {
    /// The codes of the published schema.
    #[test]
    fn traps_are_those_of_the_schema() {
        let schema = include_str!("../../../schemas/minic89-snapshot.schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
        let codes = &schema["$defs"]["trap"]["properties"]["code"]["enum"];
        assert_eq!(*codes, serde_json::json!(super::TRAPS));
    }
}
