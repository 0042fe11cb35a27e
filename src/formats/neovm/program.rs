//! The program of a test: the script and its environment.

use super::lexical::{self, hex};
use crate::formats::fields::{Diagnostics, FieldReader, boolean, misspelled, one_of, text, wrong_type};
use crate::formats::files::{Files, VectorFolder};
use crate::formats::nef::{self, Nef};
use crate::model::limits;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Name, Origin, Path, Value};
use crate::text::json::{JsonNode, quoted};

/// The members of the program record, and the positions of its data.
#[derive(Default)]
pub(super) struct NeoProgram {
    pub(super) members: Vec<(Name, Value)>,
    pub(super) places: Vec<(Path, Origin)>,
}

impl NeoProgram {
    fn keep(&mut self, name: &'static str, node: JsonNode<'_>, value: Option<Value>) {
        if let Some(value) = value {
            self.members.push((name.into(), value));
            self.places.push((Path::field(name), Origin(node.at())));
        }
    }

    /// `script`, and the members that vmconf adds: `host`, `message`, `curve`, `strict`, `limits`.
    pub(super) fn read_n3(
        &mut self,
        fields: &mut FieldReader<'_>,
        files: &dyn Files,
        diagnostics: &mut Diagnostics,
    ) {
        if let Some(script) = fields.present("script") {
            let value = if script.is_array() {
                Some(NeoProgram::entries(script, diagnostics))
            } else if script.is_object() {
                named_script(script, files, diagnostics)
            } else {
                diagnostics.keep(hex(script, "script")).map(Value::Bytes)
            };
            self.keep("script", script, value.filter(|value| !value.is_empty()));
        }
        if let Some(limits) = fields.optional("limits") {
            let value = self.limits(limits, diagnostics);
            self.keep("limits", limits, value);
        }
        self.read_host(fields, diagnostics);
        if let Some(strict) = fields.optional("strict") {
            let value = diagnostics.keep(boolean(strict, "strict"));
            self.keep("strict", strict, value.map(Value::Bool));
        }
    }

    /// `host`, and the members for the one with `crypto`.
    fn read_host(&mut self, fields: &mut FieldReader<'_>, diagnostics: &mut Diagnostics) {
        let host = fields.optional("host");
        if let Some(host) = host {
            let name = diagnostics.keep(one_of(host, "host", &["test", "crypto"]));
            self.keep("host", host, name.map(Value::text));
        }
        let crypto = host.and_then(JsonNode::text).is_some_and(|host| host == "crypto");
        for name in ["message", "curve"] {
            let Some(node) = fields.optional(name) else { continue };
            if !crypto {
                let what = format!("{} without \"host\": \"crypto\"", quoted(name));
                diagnostics.error(
                    Diagnostic::at(node.at(), what).expected("both or neither").under(LintRule::Misplaced),
                );
            }
            let value = match name {
                "message" => diagnostics.keep(hex(node, name)).map(Value::Bytes),
                _ => diagnostics.keep(one_of(node, name, &["secp256r1", "secp256k1"])).map(Value::text),
            };
            self.keep(name, node, value);
        }
    }

    /// `limits`: the limits of the engine that the test lowers.
    fn limits(&mut self, node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Value> {
        let mut fields = FieldReader::open(node, "limits", diagnostics)?;
        let mut limits = Vec::new();
        for (member, _) in limits::of_machine(super::rules::N3.machine) {
            let Some(limit) = fields.optional(member) else { continue };
            self.places.push((Path::field("limits").child(member), Origin(limit.at())));
            let number = diagnostics.keep(lexical::count(limit, member));
            limits.extend(number.map(|number| (member.into(), Value::Int(number))));
        }
        fields.finish(diagnostics);
        Some(Value::Record(limits))
    }

    /// `script`, `message`, `scriptTable`.
    pub(super) fn read_v2(&mut self, fields: &mut FieldReader<'_>, diagnostics: &mut Diagnostics) {
        let test = Some(fields.node);
        if let Some(script) = fields.present("script") {
            let value = if script.is_array() {
                let diagnostic = || wrong_type(script, "script", "hex digits in quotes");
                diagnostics.breach(|| diagnostic().under(LintRule::MustType));
                Some(NeoProgram::entries(script, diagnostics))
            } else {
                bytes_value(script, "script", test, diagnostics)
            };
            self.keep("script", script, value.filter(|value| !value.is_empty()));
        }
        if let Some(message) = fields.present("message") {
            let value = bytes_value(message, "message", None, diagnostics);
            self.keep("message", message, value);
        }
        self.read_table(fields, test, diagnostics);
    }

    /// Mnemonics and `0x…` pieces, without invalid ones. The machine decides whether a mnemonic exists.
    fn entries(script: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Value {
        let mut entries = Vec::with_capacity(script.items().count());
        entries.extend(script.items().filter_map(|node| diagnostics.keep(entry(node))));
        Value::List(entries)
    }

    /// The specification says `scripttable` and a String; all files have `scriptTable` and an array.
    fn read_table(
        &mut self,
        fields: &mut FieldReader<'_>,
        test: Option<JsonNode<'_>>,
        diagnostics: &mut Diagnostics,
    ) {
        const NAME: &str = "scriptTable";
        let Some(member) = fields.member(NAME) else { return };
        match &*member.key {
            "scripttable" => {}
            NAME => {
                let diagnostic =
                    || misspelled(member.key_node(), "scripttable").under(LintRule::TextAndFiles);
                diagnostics.remark(diagnostic);
            }
            _ => diagnostics.breach(|| misspelled(member.key_node(), "scripttable")),
        }
        let table = member.value;
        if table.is_null() {
            return;
        }
        let path = Path::field(NAME);
        let scripts: Option<Vec<_>> = if table.is_array() {
            let expected = "hex digits in quotes, though files have this form";
            diagnostics.remark(|| wrong_type(table, NAME, expected).under(LintRule::TextAndFiles));
            let scripts: Vec<_> = table.items().map(|entry| table_script(entry, test, diagnostics)).collect();
            scripts.into_iter().collect()
        } else {
            bytes_value(table, NAME, test, diagnostics).map(|script| vec![(table, script)])
        };
        let Some(scripts) = scripts else { return };
        let place =
            |(index, script): (usize, &(JsonNode<'_>, Value))| (path.child(index), Origin(script.0.at()));
        self.places.extend(scripts.iter().enumerate().map(place));
        self.keep(NAME, table, Some(Value::List(scripts.into_iter().map(|script| script.1).collect())));
    }
}

/// `{"file": "x.nef"}`: the script of a contract in the vector's folder.
fn named_script(node: JsonNode<'_>, files: &dyn Files, diagnostics: &mut Diagnostics) -> Option<Value> {
    let mut fields = FieldReader::open(node, "script", diagnostics)?;
    let name = fields.required("file", diagnostics);
    fields.finish(diagnostics);
    let name = name?;
    let text = diagnostics.keep(text(name, "file", "the name of a NEF3 file"))?;
    let read = files.read(VectorFolder::Own, &text, nef::FILE_SIZE as u64).map_err(|why| why.to_string());
    let nef = read.and_then(|file| Nef::read(&file).map_err(|why| why.to_string()));
    let wrong =
        |why| Diagnostic::at(name.at(), format!("file {}: {why}", name.shown())).under(LintRule::NamedFile);
    diagnostics.keep(nef.map_err(wrong)).map(|nef| Value::Bytes(nef.script))
}

/// An element of a script in an array.
fn entry(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    const EXPECTED: &str = "a mnemonic in capitals, or 0x and hex digits";
    let text = text(node, "an element of script", EXPECTED)?;
    let in_capitals = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if text.starts_with("0x") {
        hex(node, "an element of script").map(Value::Bytes)
    } else if text.starts_with(|first: char| first.is_ascii_uppercase()) && text.bytes().all(in_capitals) {
        Ok(Value::text(text))
    } else {
        let what = format!("{} is not an element of a script", quoted(&text));
        Err(Diagnostic::at(node.at(), what).expected(EXPECTED))
    }
}

/// The script of an entry of `scriptTable`, and its position.
fn table_script<'d>(
    entry: JsonNode<'d>,
    test: Option<JsonNode<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<(JsonNode<'d>, Value)> {
    let names = super::rules::V2.names;
    let mut fields = FieldReader::open_with(entry, "entry of scriptTable", names, diagnostics)?;
    let script = fields.required("script", diagnostics);
    fields.finish(diagnostics);
    Some((script?, bytes_value(script?, "script", test, diagnostics)?))
}

fn bytes_value(
    node: JsonNode<'_>,
    name: &str,
    test: Option<JsonNode<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<Value> {
    lexical::program_bytes(node, name, test, diagnostics).map(Value::Bytes)
}
