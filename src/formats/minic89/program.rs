//! The program of a file: a metadata document, `schemas/minic89-metadata.schema.json`.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;

use super::lexical;
use crate::formats::fields::{Diagnostics, FieldReader, Strictness, wrong_type};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Name, Origin, Severity, Value};
use crate::text::json::{JsonDatum, JsonNode, quoted};

pub(super) const VERSION: &str = "MiniC89.VM.Metadata.v0.2";

pub(super) const MACHINE: &str = "minic89";

/// The maximum for function ids, slots, and instructions of a function.
const WIDEST: u16 = u16::MAX;

/// What the tests of a file share.
pub(super) struct SharedFunctions {
    /// The program record; `None` if the program is broken.
    pub(super) document: Option<Arc<Value>>,
    /// The positions of its functions.
    pub(super) functions_at: u32,
    params: HashMap<BigInt, BigInt>,
    mains: Vec<BigInt>,
    last: Option<BigInt>,
}

impl SharedFunctions {
    /// The number of parameters of a function.
    pub(super) fn params_of(&self, fid: &BigInt) -> Option<&BigInt> {
        self.params.get(fid)
    }

    /// The function that starts in a test without `entry`. A broken program has none; that has already been
    /// reported. `at` is the position of the error if there are several candidates.
    pub(super) fn default_entry(&self, at: u32) -> Result<BigInt, Diagnostic<Origin>> {
        let several = || {
            let what = format!("{} functions are called main", self.mains.len());
            Diagnostic::at(at, what).expected("a member \"entry\" of the test")
        };
        match &self.mains[..] {
            [] => Ok(self.last.clone().unwrap_or_default()),
            [main] => Ok(main.clone()),
            _ => Err(several()),
        }
    }
}

/// The program of a file for all its tests. [`read`] reports its errors once.
pub(super) fn share(file: JsonNode<'_>) -> SharedFunctions {
    let mut diagnostics = Diagnostics::new(Strictness::Tolerant, Severity::Error);
    let node = file.member("program");
    let document = node.and_then(|node| read(node, &mut diagnostics));
    let is_broken = diagnostics.finish().iter().any(|finding| finding.severity == Severity::Error);
    let functions = document.as_ref().and_then(|document| document.get("functions"));
    let mut shared = SharedFunctions {
        document: None,
        functions_at: node.and_then(|node| node.member("functions")).map_or(0, JsonNode::at),
        params: HashMap::new(),
        mains: Vec::new(),
        last: None,
    };
    let Some(Value::List(functions)) = functions else { return shared };
    for function in functions {
        let (Some(Value::Int(fid)), Some(Value::Int(params))) =
            (function.get("fid"), function.get("param_count"))
        else {
            continue;
        };
        shared.params.insert(fid.clone(), params.clone());
        if function.get("name") == Some(&Value::text("main")) {
            shared.mains.push(fid.clone());
        }
        shared.last = Some(fid.clone());
    }
    shared.document = document.filter(|_| !is_broken).map(Arc::new);
    shared
}

/// Reads the document into a record of the same shape.
pub(super) fn read(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Value> {
    let mut reader = MiniProgramReader { diagnostics };
    reader.program(node)
}

struct MiniProgramReader<'f> {
    diagnostics: &'f mut Diagnostics,
}

/// The members of a record that is being read.
#[derive(Default)]
struct FunctionRecord(Vec<(Name, Value)>);

impl FunctionRecord {
    fn push(&mut self, name: &'static str, value: Option<Value>) {
        self.0.extend(value.map(|value| (name.into(), value)));
    }

    fn done(self) -> Option<Value> {
        Some(Value::Record(self.0))
    }
}

impl MiniProgramReader<'_> {
    fn program(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "program", self.diagnostics)?;
        drop_schema(&mut fields, self.diagnostics);
        let mut record = FunctionRecord::default();
        if let Some(node) = fields.required("schema_version", self.diagnostics) {
            constant(node, "schema_version", VERSION, self.diagnostics);
        }
        self.text(&mut fields, "isa_version", &mut record);
        if let Some(limits) = fields.optional("limits") {
            record.push("limits", self.limits(limits));
        }
        if let Some(node) = fields.required("functions", self.diagnostics) {
            let functions = self.list(node, "functions", MiniProgramReader::function);
            if functions.as_ref().is_some_and(Vec::is_empty) {
                self.diagnostics.error(
                    Diagnostic::at(node.at(), "there are no functions").expected("at least one function"),
                );
            }
            self.unique(node);
            record.push("functions", functions.map(Value::List));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn limits(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "limits", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        if let Some(node) = fields.optional("step_limit") {
            record.push("step_limit", self.diagnostics.keep(lexical::nullable(node, "step_limit", 0)));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn function(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "function", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        self.width(&mut fields, "fid", 1, &mut record);
        self.text(&mut fields, "name", &mut record);
        let params_at = node.member("param_count").map_or(node.at(), JsonNode::at);
        let params = self.width(&mut fields, "param_count", 0, &mut record);
        let slots = self.width(&mut fields, "local_count", 0, &mut record);
        if let (Some(params), Some(slots)) = (params, slots)
            && params > slots
        {
            let what = format!("param_count {params} is more than local_count {slots}");
            let expected = "a local_count with the parameters in it";
            self.diagnostics.error(Diagnostic::at(params_at, what).expected(expected));
        }
        if let Some(node) = fields.required("code", self.diagnostics) {
            let code = self.list(node, "code", MiniProgramReader::instruction);
            if code.as_ref().is_some_and(|code| code.len() > WIDEST.into()) {
                let expected = format!("at most {WIDEST}");
                self.diagnostics.error(Diagnostic::at(node.at(), "too many instructions").expected(expected));
            }
            record.push("code", code.map(Value::List));
        }
        if let Some(node) = fields.optional("source_map") {
            record.push(
                "source_map",
                self.list(node, "source_map", MiniProgramReader::source).map(Value::List),
            );
        }
        if let Some(node) = fields.optional("locals") {
            record.push("locals", self.list(node, "locals", MiniProgramReader::local).map(Value::List));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn instruction(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "instruction", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        self.text(&mut fields, "op", &mut record);
        if let Some(node) = fields.required("args", self.diagnostics) {
            record.push("args", self.list(node, "args", MiniProgramReader::argument).map(Value::List));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn argument(&mut self, node: JsonNode<'_>) -> Option<Value> {
        const EXPECTED: &str = "an integer, a string or null";
        match node.datum() {
            JsonDatum::Null => Some(Value::Null),
            JsonDatum::Text(text) => Some(Value::text(text)),
            _ => self.diagnostics.keep(lexical::integer(node, "argument", EXPECTED)).map(Value::Int),
        }
    }

    fn source(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "source_map entry", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        self.number(&mut fields, "ip", &mut record);
        if let Some(node) = fields.required("loc", self.diagnostics) {
            record.push("loc", self.location(node));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn location(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "loc", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        if let Some(line) = fields.required("line", self.diagnostics) {
            record.push("line", self.diagnostics.keep(lexical::nullable(line, "line", 1)));
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn local(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "local", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        self.number(&mut fields, "slot", &mut record);
        self.text(&mut fields, "name", &mut record);
        if let Some(kind) = fields.required("kind", self.diagnostics) {
            let name = kind.text().filter(|kind| kind == "param" || kind == "local");
            if name.is_none() {
                let what = format!("kind is {}", kind.shown());
                self.diagnostics.error(Diagnostic::at(kind.at(), what).expected("\"param\" or \"local\""));
            }
            record.push("kind", name.map(Value::text));
        }
        match fields.optional("scope") {
            Some(scope) if scope.is_null() => record.push("scope", Some(Value::Null)),
            Some(scope) => record.push("scope", self.scope(scope)),
            None => {}
        }
        fields.finish(self.diagnostics);
        record.done()
    }

    fn scope(&mut self, node: JsonNode<'_>) -> Option<Value> {
        let mut fields = FieldReader::open(node, "scope", self.diagnostics)?;
        let mut record = FunctionRecord::default();
        self.number(&mut fields, "ip_start", &mut record);
        self.number(&mut fields, "ip_end", &mut record);
        fields.finish(self.diagnostics);
        record.done()
    }

    /// Every item; none if the datum is not a list. Invalid items are omitted.
    fn list(
        &mut self,
        node: JsonNode<'_>,
        name: &str,
        read: fn(&mut Self, JsonNode<'_>) -> Option<Value>,
    ) -> Option<Vec<Value>> {
        if !node.is_array() {
            self.diagnostics.error(wrong_type(node, name, "an array"));
            return None;
        }
        Some(node.items().filter_map(|item| read(self, item)).collect())
    }

    fn text(&mut self, fields: &mut FieldReader<'_>, name: &'static str, record: &mut FunctionRecord) {
        let Some(node) = fields.required(name, self.diagnostics) else { return };
        if node.text().is_none() {
            self.diagnostics.error(wrong_type(node, name, "a string"));
        }
        record.push(name, node.text().map(Value::text));
    }

    fn number(&mut self, fields: &mut FieldReader<'_>, name: &'static str, record: &mut FunctionRecord) {
        let Some(node) = fields.required(name, self.diagnostics) else { return };
        record.push(name, self.diagnostics.keep(lexical::from(node, name, 0)).map(Value::Int));
    }

    /// A number with a limit that the machine sets but the schema does not state.
    fn width(
        &mut self,
        fields: &mut FieldReader<'_>,
        name: &'static str,
        least: u8,
        record: &mut FunctionRecord,
    ) -> Option<u16> {
        let node = fields.required(name, self.diagnostics)?;
        let number = self.diagnostics.keep(lexical::from(node, name, least))?;
        let Ok(width) = u16::try_from(&number) else {
            let what = format!("{name} is {}", node.shown());
            self.diagnostics.error(Diagnostic::at(node.at(), what).expected(format!("at most {WIDEST}")));
            return None;
        };
        record.push(name, Some(Value::Int(number)));
        Some(width)
    }

    /// Reports each function with the id of an earlier one.
    fn unique(&mut self, functions: JsonNode<'_>) {
        let mut seen = HashMap::new();
        for node in functions.items().filter_map(|function| function.member("fid")) {
            let Ok(fid) = lexical::from(node, "fid", 1) else { continue };
            let first = *seen.entry(fid).or_insert_with(|| node.at());
            if first != node.at() {
                let line = node.document().position(first).line;
                let what = format!("a second function has fid {}", node.shown());
                let expected = format!("each fid once; the first is in line {line}");
                self.diagnostics.error(Diagnostic::at(node.at(), what).expected(expected));
            }
        }
    }
}

/// A text with only one valid value.
pub(super) fn constant(node: JsonNode<'_>, name: &str, text: &str, diagnostics: &mut Diagnostics) {
    if node.text().is_none_or(|found| found != text) {
        diagnostics
            .error(Diagnostic::at(node.at(), format!("{name} is {}", node.shown())).expected(quoted(text)));
    }
}

/// Examples in the published specification name their schema, which the schemas themselves forbid.
pub(super) fn drop_schema(fields: &mut FieldReader<'_>, diagnostics: &mut Diagnostics) {
    let Some(node) = fields.optional("$schema") else { return };
    if node.text().is_none() {
        diagnostics.error(wrong_type(node, "$schema", "a string, or no $schema"));
    } else {
        let what = "$schema is not a member of this document and is ignored";
        diagnostics.mention(Diagnostic::at(node.at(), what).under(LintRule::UnknownMember));
    }
}
