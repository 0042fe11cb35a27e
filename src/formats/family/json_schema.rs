//! The JSON Schema of the files that a declaration reads.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::declaration::{Declaration, DemandedField, FormatDeclaration, GivenMember, StepDeclaration};
use super::node_path::{NodePath, PathStep};
use crate::model::{DeclaredField, FieldType};

/// The schema of all formats of a declaration.
pub(super) fn json_schema(family: &Declaration) -> Value {
    let mut formats: Vec<Value> = Vec::new();
    let mut rest: Vec<_> = family.formats.iter().collect();
    while let Some(first) = rest.first() {
        let first: &FormatDeclaration = first;
        let together: Vec<_> = rest.extract_if(.., |format| format.reads_with(first)).collect();
        let schema = file(family, &together);
        if !formats.contains(&schema) {
            formats.push(schema);
        }
    }
    let mut schema = match <[Value; 1]>::try_from(formats) {
        Ok([one]) => one,
        Err(several) => json!({ "anyOf": several }),
    };
    let mut definitions = IndexMap::new();
    family.members().for_each(|field| define(&field.field_type, &mut definitions));
    if let Some(object) = schema.as_object_mut() {
        let mut all = Map::new();
        all.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        all.insert("$id".to_owned(), json!(format!("urn:vmconf:schema:family:{}", family.machine)));
        all.insert("title".to_owned(), json!(family.title));
        all.append(object);
        all.insert("$defs".to_owned(), definitions.into_iter().collect());
        *object = all;
    }
    schema
}

/// What is known of a datum and of those inside it.
#[derive(Default)]
struct SchemaNode {
    /// What the datum itself is; more than one if several rules read it.
    is: Vec<Value>,
    members: IndexMap<String, SchemaNode>,
    items: Vec<(i64, SchemaNode)>,
    each: Option<Box<SchemaNode>>,
    /// Whether its place must have it.
    is_required: bool,
}

impl SchemaNode {
    fn at(&mut self, path: &[PathStep]) -> &mut SchemaNode {
        let Some((first, rest)) = path.split_first() else { return self };
        let inner = match first {
            PathStep::Member(name) => self.members.entry(name.clone()).or_default(),
            PathStep::Item(index) => {
                let position = self.items.iter().position(|item| item.0 == *index).unwrap_or_else(|| {
                    self.items.push((*index, SchemaNode::default()));
                    self.items.len() - 1
                });
                &mut self.items[position].1
            }
            PathStep::Each => self.each.get_or_insert_default(),
        };
        inner.at(rest)
    }

    /// Demands a datum and all that contain it.
    fn require(&mut self, path: &[PathStep]) {
        for length in 1..=path.len() {
            self.at(&path[..length]).is_required = true;
        }
    }

    fn schema(&self) -> Value {
        let mut all: Vec<Value> = self.is.clone();
        if !self.members.is_empty() {
            let properties: Map<_, _> =
                self.members.iter().map(|(name, inner)| (name.clone(), inner.schema())).collect();
            let required: Vec<_> =
                self.members.iter().filter(|(_, inner)| inner.is_required).map(|(name, _)| name).collect();
            all.push(json!({ "type": "object", "properties": properties, "required": required }));
        }
        all.extend(self.items_schema());
        if let Some(each) = &self.each {
            let inner = each.schema();
            all.push(json!({ "type": ["array", "object"], "items": inner, "additionalProperties": inner }));
        }
        match <[Value; 1]>::try_from(all) {
            Ok([one]) => one,
            Err(all) if all.is_empty() => json!(true),
            Err(all) => json!({ "allOf": all }),
        }
    }

    /// Items by index. Those that are counted from the end have no place in a schema.
    fn items_schema(&self) -> Option<Value> {
        let known = |index: usize| self.items.iter().find(|item| item.0 == index as i64).map(|item| &item.1);
        let count = self.items.iter().filter_map(|item| usize::try_from(item.0).ok()).max()? + 1;
        let required = (0..count).rev().find(|index| known(*index).is_some_and(|item| item.is_required));
        let items: Vec<_> =
            (0..count).map(|index| known(index).map_or_else(|| json!(true), SchemaNode::schema)).collect();
        let least = required.map_or(0, |index| index + 1);
        Some(json!({ "type": "array", "prefixItems": items, "minItems": least }))
    }
}

struct FormatSchema<'d> {
    family: &'d Declaration,
    format: &'d FormatDeclaration,
}

/// The schema of a file that formats read together. Anything is accepted in place of a case if it lacks a datum of each
/// `has`, since it is read as no case.
fn file(family: &Declaration, formats: &[&FormatDeclaration]) -> Value {
    let mut case = None;
    for format in formats.iter().rev() {
        let mut has = SchemaNode::default();
        format.has.iter().for_each(|path| has.require(&path.steps));
        let own = FormatSchema { family, format }.case().schema();
        case = Some(match case {
            _ if format.has.is_empty() => own,
            None => json!({ "if": has.schema(), "then": own }),
            Some(other) => json!({ "if": has.schema(), "then": own, "else": other }),
        });
    }
    let mut file = SchemaNode::default();
    let cases = formats.first().map_or(&[][..], |format| &format.cases.steps);
    file.at(cases).is.extend(case);
    match cases.split_last() {
        Some((PathStep::Each, before)) => file.require(before),
        _ => file.require(cases),
    }
    file.schema()
}

impl FormatSchema<'_> {
    fn case(&self) -> SchemaNode {
        let mut case = SchemaNode::default();
        self.format.has.iter().for_each(|path| case.require(&path.steps));
        if let Some(name) = &self.format.name {
            case.at(&name.steps);
        }
        if let Some(name) = &self.format.info {
            case.at(&[PathStep::Member(name.clone())]).is.push(json!({ "type": "object" }));
        }
        for given in &self.format.program {
            match given {
                GivenMember::All(path) => object_of(&mut case, path, &mut self.family.members()),
                GivenMember::One(index, path) => {
                    let field = self.family.member_at(*index);
                    case.at(&path.steps).is.push(of_field(field));
                }
                GivenMember::Constant(..) => {}
            }
        }
        match &self.format.steps {
            None => self.step(&mut case, &self.format.step),
            Some(path) => self.step(case.at(&path.steps), &self.format.step),
        }
        case
    }

    fn step(&self, node: &mut SchemaNode, step: &StepDeclaration) {
        for demanded in &step.expect {
            match demanded {
                DemandedField::All(path) => object_of(node, path, &mut self.family.state.iter()),
                DemandedField::At { field, path, .. } => {
                    let field = of_field(&self.family.state[*field]);
                    let is = &mut node.at(&path.steps).is;
                    if !is.contains(&field) {
                        is.push(field);
                    }
                }
                DemandedField::Constant { .. } => {}
            }
        }
    }
}

/// Says that an object lies at a path, with any of these members, and no others.
fn object_of(node: &mut SchemaNode, path: &NodePath, fields: &mut dyn Iterator<Item = &DeclaredField>) {
    let properties: Map<_, _> = fields.map(|field| (field.name.to_string(), of_field(field))).collect();
    let object = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    node.at(&path.steps).is.push(object);
    node.require(&path.steps);
}

/// The schema of a field, with what the declaration says of it.
fn of_field(field: &DeclaredField) -> Value {
    let schema = of_type(&field.field_type);
    match (schema, field.doc.is_empty()) {
        (Value::Object(mut schema), false) => {
            schema.insert("description".to_owned(), json!(field.doc));
            Value::Object(schema)
        }
        (schema, _) => schema,
    }
}

/// Adds the definitions of the numbers that a type has, by their notation.
fn define(field_type: &FieldType, definitions: &mut IndexMap<String, Value>) {
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            definitions.insert(field_type.notation(), number(field_type));
        }
        FieldType::Optional(inner)
        | FieldType::List(inner)
        | FieldType::Array(inner, _)
        | FieldType::Map(_, inner) => define(inner, definitions),
        FieldType::Tuple(items) => items.iter().for_each(|item| define(item, definitions)),
        FieldType::Table(fields) => fields.iter().for_each(|field| define(&field.field_type, definitions)),
        FieldType::Memory(memory) => {
            define(&memory.address, definitions);
            define(&memory.cell, definitions);
        }
        FieldType::Bool | FieldType::Text | FieldType::Bytes | FieldType::Base64 | FieldType::Json => {}
    }
}

/// The definition of a number.
fn number(field_type: &FieldType) -> Value {
    match field_type {
        FieldType::Unsigned(bits) => {
            let mut number = json!({ "type": "integer", "minimum": 0 });
            if *bits <= 64 {
                number["maximum"] = json!(u64::MAX >> (64 - bits));
            }
            json!({ "anyOf": [number, { "type": "string", "pattern": "^(0x[0-9a-fA-F]+|[0-9]+)$" }] })
        }
        FieldType::Signed(bits) => {
            let mut number = json!({ "type": "integer" });
            if *bits <= 64 {
                number["minimum"] = json!(i64::MIN >> (64 - bits));
                number["maximum"] = json!(i64::MAX >> (64 - bits));
            }
            signed(&number)
        }
        _ => signed(&json!({ "type": "integer" })),
    }
}

/// What vectors may have for a datum of this type.
fn of_type(field_type: &FieldType) -> Value {
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            json!({ "$ref": format!("#/$defs/{}", field_type.notation()) })
        }
        FieldType::Bool => json!({ "enum": [true, false, 0, 1] }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Bytes => json!({ "anyOf": [
            { "type": "string", "pattern": "^(0x)?([0-9a-fA-F]{2})*$" },
            { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
        ] }),
        FieldType::Base64 => json!({ "type": "string", "contentEncoding": "base64" }),
        FieldType::Optional(inner) => json!({ "anyOf": [{ "type": "null" }, of_type(inner)] }),
        FieldType::List(item) => json!({ "type": "array", "items": of_type(item) }),
        FieldType::Array(item, length) => {
            json!({ "type": "array", "items": of_type(item), "minItems": length, "maxItems": length })
        }
        FieldType::Tuple(items) => {
            let schemas: Vec<_> = items.iter().map(of_type).collect();
            json!({ "type": "array", "prefixItems": schemas, "items": false, "minItems": items.len() })
        }
        FieldType::Table(fields) => {
            let properties: Map<_, _> =
                fields.iter().map(|field| (field.name.to_string(), of_field(field))).collect();
            let required: Vec<_> = properties.keys().cloned().collect();
            let all = json!({ "type": "object", "required": required, "additionalProperties": false });
            with(all, "properties", properties.into())
        }
        FieldType::Map(_, value) => json!({ "type": "object", "additionalProperties": of_type(value) }),
        FieldType::Memory(memory) => {
            let (address, cell) = (of_type(&memory.address), of_type(&memory.cell));
            let pair =
                json!({ "type": "array", "prefixItems": [address, cell], "items": false, "minItems": 2 });
            let chunk = json!({
                "type": "object", "properties": { "address": address }, "required": ["address"],
                "minProperties": 2, "maxProperties": 2,
            });
            json!({ "anyOf": [
                { "type": "array", "items": { "anyOf": [pair, chunk] } },
                { "type": "object", "additionalProperties": cell },
            ] })
        }
        FieldType::Json => json!(true),
    }
}

fn signed(number: &Value) -> Value {
    json!({ "anyOf": [number, { "type": "string", "pattern": "^-?(0x[0-9a-fA-F]+|[0-9]+)$" }] })
}

fn with(mut object: Value, name: &str, value: Value) -> Value {
    object[name] = value;
    object
}
