//! The program of a file: a metadata document, `schemas/minic89-metadata.schema.json`.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;

use super::lexical;
use crate::formats::fields::{Diagnostics, FieldReader, RecordMembers, Strictness, array, text, wrong_type};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, Severity, Value};
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

impl MiniProgramReader<'_> {
    fn program(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "program", |this, fields, record| {
            drop_schema(fields, this.diagnostics);
            if let Some(node) = fields.required("schema_version", this.diagnostics) {
                constant(node, "schema_version", VERSION, this.diagnostics);
            }
            this.text(fields, "isa_version", record);
            record.keep("limits", fields.optional("limits").and_then(|limits| this.limits(limits)));
            let Some(node) = fields.required("functions", this.diagnostics) else { return };
            let functions = this.list(node, "functions", MiniProgramReader::function);
            if functions.as_ref().is_some_and(Value::is_empty) {
                let error = Diagnostic::at(node.at(), "there are no functions");
                this.diagnostics.error(error.expected("at least one function"));
            }
            this.unique(node);
            record.keep("functions", functions);
        })
    }

    fn limits(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "limits", |this, fields, record| {
            let limit = fields.optional("step_limit");
            record.read("step_limit", limit, |it| lexical::nullable(it, "step_limit", 0), this.diagnostics);
        })
    }

    fn function(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "function", |this, fields, record| {
            this.width(fields, "fid", 1, record);
            this.text(fields, "name", record);
            let params_at = node.member("param_count").map_or(node.at(), JsonNode::at);
            let params = this.width(fields, "param_count", 0, record);
            let slots = this.width(fields, "local_count", 0, record);
            if let (Some(params), Some(slots)) = (params, slots)
                && params > slots
            {
                let what = format!("param_count {params} is more than local_count {slots}");
                let expected = "a local_count with the parameters in it";
                this.diagnostics.error(Diagnostic::at(params_at, what).expected(expected));
            }
            if let Some(node) = fields.required("code", this.diagnostics) {
                let code = this.list(node, "code", MiniProgramReader::instruction);
                if code.as_ref().and_then(Value::len).is_some_and(|length| length > WIDEST.into()) {
                    let error = Diagnostic::at(node.at(), "too many instructions");
                    this.diagnostics.error(error.expected(format!("at most {WIDEST}")));
                }
                record.keep("code", code);
            }
            if let Some(map) = fields.optional("source_map") {
                record.keep("source_map", this.list(map, "source_map", MiniProgramReader::source));
            }
            if let Some(locals) = fields.optional("locals") {
                record.keep("locals", this.list(locals, "locals", MiniProgramReader::local));
            }
        })
    }

    fn instruction(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "instruction", |this, fields, record| {
            this.text(fields, "op", record);
            if let Some(args) = fields.required("args", this.diagnostics) {
                record.keep("args", this.list(args, "args", MiniProgramReader::argument));
            }
        })
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
        self.record(node, "source_map entry", |this, fields, record| {
            this.number(fields, "ip", record);
            let location = fields.required("loc", this.diagnostics);
            record.keep("loc", location.and_then(|location| this.location(location)));
        })
    }

    fn location(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "loc", |this, fields, record| {
            let line = fields.required("line", this.diagnostics);
            record.read("line", line, |line| lexical::nullable(line, "line", 1), this.diagnostics);
        })
    }

    fn local(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "local", |this, fields, record| {
            this.number(fields, "slot", record);
            this.text(fields, "name", record);
            if let Some(kind) = fields.required("kind", this.diagnostics) {
                let name = kind.text().filter(|kind| kind == "param" || kind == "local");
                if name.is_none() {
                    let error = Diagnostic::at(kind.at(), format!("kind is {}", kind.shown()));
                    this.diagnostics.error(error.expected("\"param\" or \"local\""));
                }
                record.keep("kind", name.map(Value::text));
            }
            match fields.optional("scope") {
                Some(scope) if scope.is_null() => record.push("scope", Value::Null),
                scope => record.keep("scope", scope.and_then(|scope| this.scope(scope))),
            }
        })
    }

    fn scope(&mut self, node: JsonNode<'_>) -> Option<Value> {
        self.record(node, "scope", |this, fields, record| {
            this.number(fields, "ip_start", record);
            this.number(fields, "ip_end", record);
        })
    }

    /// A record with the members that `read` takes from an object; the others are reported.
    fn record(
        &mut self,
        node: JsonNode<'_>,
        name: &'static str,
        read: impl FnOnce(&mut Self, &mut FieldReader<'_>, &mut RecordMembers),
    ) -> Option<Value> {
        let mut fields = FieldReader::open(node, name, self.diagnostics)?;
        let mut record = RecordMembers::default();
        read(self, &mut fields, &mut record);
        fields.finish(self.diagnostics);
        Some(record.record())
    }

    /// Every item; none if the datum is not a list. Invalid items are omitted.
    fn list(
        &mut self,
        node: JsonNode<'_>,
        name: &str,
        read: fn(&mut Self, JsonNode<'_>) -> Option<Value>,
    ) -> Option<Value> {
        let list = self.diagnostics.keep(array(node, name, "an array"))?;
        Some(Value::List(list.items().filter_map(|item| read(self, item)).collect()))
    }

    fn text(&mut self, fields: &mut FieldReader<'_>, name: &'static str, record: &mut RecordMembers) {
        let text = |node: JsonNode<'_>| text(node, name, "a string").map(Value::text);
        record.read(name, fields.required(name, self.diagnostics), text, self.diagnostics);
    }

    fn number(&mut self, fields: &mut FieldReader<'_>, name: &'static str, record: &mut RecordMembers) {
        let number = |node: JsonNode<'_>| lexical::from(node, name, 0).map(Value::Int);
        record.read(name, fields.required(name, self.diagnostics), number, self.diagnostics);
    }

    /// A number with a limit that the machine sets but the schema does not state.
    fn width(
        &mut self,
        fields: &mut FieldReader<'_>,
        name: &'static str,
        least: u8,
        record: &mut RecordMembers,
    ) -> Option<u16> {
        let node = fields.required(name, self.diagnostics)?;
        let number = self.diagnostics.keep(lexical::from(node, name, least))?;
        let Ok(width) = u16::try_from(&number) else {
            let what = format!("{name} is {}", node.shown());
            self.diagnostics.error(Diagnostic::at(node.at(), what).expected(format!("at most {WIDEST}")));
            return None;
        };
        record.push(name, Value::Int(number));
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
