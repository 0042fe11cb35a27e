//! JSON Schemas of data with a shape, as [`plain`](super::plain) writes them. A string that does not fit a shape is text,
//! so that strings are accepted everywhere.

use serde_json::{Map, Value, json};

use crate::model::{MemberShape, NumberNotation, Shape};

/// The schemas of some data, and those that they refer to.
#[derive(Default)]
pub(super) struct ShapeSchemas {
    /// The types of values, by the name of the definition. They contain each other: a list that was seen is not
    /// looked into again.
    types: Vec<&'static [(&'static str, Shape)]>,
    pub(super) definitions: Map<String, Value>,
}

impl ShapeSchemas {
    /// The schema of an object with these members and perhaps others.
    pub(super) fn record(&mut self, members: &'static [MemberShape]) -> Value {
        let mut properties = Map::new();
        for MemberShape { name, doc, shape } in members {
            let mut schema = self.of(shape);
            if let Some(object) = schema.as_object_mut().filter(|_| !doc.is_empty()) {
                object.insert("description".to_owned(), json!(doc));
            }
            properties.insert((*name).to_owned(), schema);
        }
        json!({ "type": "object", "properties": properties })
    }

    fn of(&mut self, shape: &'static Shape) -> Value {
        let or_text = |kind: &str| json!({ "type": [kind, "string", "null"] });
        let (kind, member, inner) = match shape {
            Shape::Bool => return or_text("boolean"),
            Shape::Int(notation) => return number(*notation),
            Shape::Bytes => return json!({ "type": ["string", "null"], "examples": ["0x", "0x0aff"] }),
            Shape::Text | Shape::Name(_) => return json!({ "type": ["string", "null"] }),
            Shape::Typed(types) => return self.typed(types),
            Shape::Plain | Shape::Declared(_) => return json!({}),
            Shape::List(item) => ("array", "items", self.of(item)),
            Shape::Map(_, value) => ("object", "additionalProperties", self.of(value)),
            Shape::Record(members) => ("object", "properties", self.record(members)["properties"].take()),
        };
        let mut schema = or_text(kind);
        schema[member] = inner;
        schema
    }

    fn typed(&mut self, types: &'static [(&'static str, Shape)]) -> Value {
        let known = self.types.iter().position(|known| std::ptr::eq(*known, types));
        let number = known.unwrap_or_else(|| {
            self.types.push(types);
            self.types.len() - 1
        });
        let name = format!("typed-{}", number + 1);
        if known.is_none() {
            let cases: Vec<_> = types.iter().map(|(name, shape)| self.with_type(name, shape)).collect();
            let schema = json!({
                "type": ["object", "string", "null"],
                "properties": { "type": { "type": "string" } },
                "required": ["type"],
                "allOf": cases,
            });
            self.definitions.insert(name.clone(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// That a value with the name of a type has its shape.
    fn with_type(&mut self, name: &str, shape: &'static Shape) -> Value {
        let value = self.of(shape);
        json!({
            "if": { "properties": { "type": { "const": name } }, "required": ["type"] },
            "then": { "properties": { "value": value } },
        })
    }
}

fn number(notation: NumberNotation) -> Value {
    let example = match notation {
        NumberNotation::Number => json!(42),
        NumberNotation::Decimal => json!("42"),
        NumberNotation::Hex => json!("0x2a"),
    };
    json!({ "type": ["integer", "string", "null"], "examples": [example] })
}
