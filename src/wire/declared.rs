//! Requests and answers for machines that are described by data: the lines of [`super::protocol`], written and read
//! without trees.

use std::collections::BTreeMap;

use super::line::one_line;
use crate::model::{FieldType, MemberShape, NameIndex, Shape, Value};
use crate::text::json::{Document, JsonDatum, JsonNode};
use crate::text::typed;

/// How deeply an answer may be nested.
const MAX_DEPTH: usize = 128;

/// A request to run a program; see [`super::protocol::RunRequest`].
pub struct DeclaredRequest<'r> {
    /// The number of the request.
    pub id: u64,
    /// The machine.
    pub machine: &'r str,
    /// The members that a program may have, and where their names are.
    pub members: &'r [MemberShape],
    /// See `members`.
    pub names: &'r NameIndex,
    /// The program.
    pub program: &'r Value,
    /// What to do, and which fields to report.
    pub steps: &'r [DeclaredStep<'r>],
    /// The limits that differ from their defaults.
    pub limits: &'r BTreeMap<String, u64>,
}

/// A step of a [`DeclaredRequest`].
pub struct DeclaredStep<'r> {
    /// The names of the actions.
    pub actions: Vec<&'static str>,
    /// The fields to report.
    pub observe: Vec<&'r str>,
}

impl DeclaredRequest<'_> {
    /// Appends the request in one line, with its terminator.
    pub fn write(&self, line: &mut String) {
        line.push_str("{\"type\":\"run\",\"id\":");
        line.push_str(&self.id.to_string());
        line.push_str(",\"machine\":");
        typed::quote(self.machine, line);
        line.push_str(",\"program\":{");
        for (index, (name, value)) in self.program.members().unwrap_or_default().iter().enumerate() {
            line.push_str(if index == 0 { "" } else { "," });
            typed::quote(name, line);
            line.push(':');
            let member = self.names.find(name, |index| self.members[index].name);
            typed::write(value, type_of(member.map(|index| &self.members[index])), line);
        }
        line.push_str("},\"steps\":[");
        for (index, step) in self.steps.iter().enumerate() {
            line.push_str(if index == 0 { "{\"do\":[" } else { ",{\"do\":[" });
            quote_all(&step.actions, line);
            line.push_str("],\"observe\":[");
            quote_all(&step.observe, line);
            line.push_str("]}");
        }
        line.push(']');
        if !self.limits.is_empty() {
            line.push_str(",\"limits\":");
            line.push_str(&one_line(self.limits));
        }
        line.push_str("}\n");
    }
}

fn quote_all(names: &[&str], line: &mut String) {
    for (index, name) in names.iter().enumerate() {
        line.push_str(if index == 0 { "" } else { "," });
        typed::quote(name, line);
    }
}

fn type_of(member: Option<&MemberShape>) -> &FieldType {
    match member.map(|member| &member.shape) {
        Some(Shape::Declared(field)) => &field.field_type,
        _ => &FieldType::Json,
    }
}

/// An answer with states; see [`super::protocol::RunDone`].
pub struct DeclaredAnswer(Document);

impl DeclaredAnswer {
    /// Reads the line of an answer with states. Any other line is returned as the error.
    pub fn read(line: Vec<u8>) -> Result<DeclaredAnswer, Vec<u8>> {
        let text = String::from_utf8(line).map_err(std::string::FromUtf8Error::into_bytes)?;
        let document =
            Document::parse(text, MAX_DEPTH).map_err(|(text, _)| text.into_string().into_bytes())?;
        // A comment or a second member of the same name is not JSON for everybody.
        let is_plain = document.deviations().is_empty();
        let kind = document.root().member("type").and_then(JsonNode::text);
        if is_plain && kind.is_some_and(|kind| kind == "done") {
            Ok(DeclaredAnswer(document))
        } else {
            Err(document.into_text().into_string().into_bytes())
        }
    }

    /// What makes a line no JSON for everybody, such as a second member of the same name, with its place.
    pub fn deviation(line: &[u8]) -> Option<String> {
        let document = Document::parse(str::from_utf8(line).ok()?.to_owned(), MAX_DEPTH).ok()?;
        let first = document.deviations().first()?.diagnostic(&document);
        Some(document.locate(first).to_string())
    }

    /// The number of the request that it answers.
    pub fn id(&self) -> Option<u64> {
        match self.0.root().member("id")?.datum() {
            JsonDatum::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The number of the request as it is written.
    pub fn shown_id(&self) -> String {
        let id = self.0.root().member("id");
        id.map_or_else(|| "without \"id\"".to_owned(), |id| format!("request {}", id.shown()))
    }

    /// How the machine ended, as it says.
    pub fn ended(&self) -> Option<String> {
        Some(self.0.root().member("ended")?.text()?.into_owned())
    }

    /// The states after the steps; an error says why the answer has none.
    pub fn steps(&self) -> Result<Vec<JsonNode<'_>>, String> {
        let steps = self.0.root().member("steps").filter(|steps| steps.is_array());
        let steps = steps.ok_or("answered done without a list of steps")?;
        let fields = |(index, step): (usize, JsonNode<'_>)| {
            let index_of = step.member("fields").filter(|fields| fields.is_object()).map(JsonNode::index);
            let index_of =
                index_of.ok_or_else(|| format!("answered steps[{index}] without an object of fields"))?;
            Ok(JsonNode::at_index(&self.0, index_of))
        };
        steps.items().enumerate().map(fields).collect()
    }

    /// The fields of a state, as far as they are compared. Unknown fields are ignored. `names` says where the name of
    /// each is. The error is the first field that is not of its type.
    pub fn state(
        &self,
        state: JsonNode<'_>,
        (fields, names): (&[MemberShape], &NameIndex),
    ) -> Result<Vec<(&'static str, Value)>, String> {
        let mut values = Vec::with_capacity(fields.len());
        for member in state.members() {
            let Some(index) = names.find(&member.key, |index| fields[index].name) else { continue };
            let known = &fields[index];
            let Shape::Declared(field) = known.shape else { continue };
            let value = typed::read_wire(member.value, &field.field_type, known.name)
                .map_err(|error| format!("answered a wrong state: {error}"))?;
            values.push((known.name, typed::compared_in_parts(value, &field.field_type, &field.options)));
        }
        Ok(values)
    }
}
