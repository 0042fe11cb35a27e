//! A JSON Schema that documents are held against.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;
use vmconf::wire::schema::SCHEMAS;

/// The stack for a document of any depth, in bytes.
const STACK: usize = 1 << 28;

/// A document with at most this many levels needs no more stack than a test has.
const LEVELS: usize = 24;

/// A compiled schema.
pub(crate) struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    /// One of the project's schemas, by the name that `vmconf schema` takes.
    ///
    /// # Panics
    ///
    /// When there is no such schema, or it breaks the rules of JSON Schema.
    pub(crate) fn named(name: &str) -> Validator {
        let schema = SCHEMAS.iter().find(|schema| schema.name == name).expect("a name of a schema");
        Validator::new(&serde_json::from_str(schema.text).unwrap())
    }

    /// This schema, which may refer to those of the project.
    ///
    /// # Panics
    ///
    /// When it breaks the rules of JSON Schema.
    pub(crate) fn new(schema: &Value) -> Validator {
        Validator::with(schema, SCHEMAS.iter().map(|schema| serde_json::from_str(schema.text).unwrap()))
    }

    /// This schema, which has all that it refers to.
    ///
    /// # Panics
    ///
    /// When it has not, or breaks the rules of JSON Schema.
    pub(crate) fn alone(schema: &Value) -> Validator {
        Validator::with(schema, std::iter::empty())
    }

    fn with(schema: &Value, others: impl Iterator<Item = Value>) -> Validator {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        for schema in others.chain([schema.clone()]) {
            compiler.add_resource(&id(&schema), schema).unwrap();
        }
        let compiled = compiler.compile(&id(schema), &mut schemas);
        let index = compiled.unwrap_or_else(|error| panic!("{error:#}"));
        Validator { schemas, index }
    }

    /// Holds each line of an output against the schema.
    pub(crate) fn assert_accepts_lines(&self, output: &str) {
        for line in output.lines() {
            self.assert_accepts(&serde_json::from_str(line).unwrap(), line);
        }
    }

    /// Whether the schema accepts a document.
    pub(crate) fn accepts(&self, document: &Value) -> bool {
        self.errors(document).is_none()
    }

    /// The schema accepts a document, which the message names.
    ///
    /// # Panics
    ///
    /// When it does not, with each violation.
    pub(crate) fn assert_accepts(&self, document: &Value, name: &str) {
        if let Some(errors) = self.errors(document) {
            panic!("{name}: {errors}\n{document:.2000}");
        }
    }

    /// What is wrong with a document. The validator recurses with it, and more than the stack of a test holds; a thread
    /// for each document would take longer than validating it.
    fn errors(&self, document: &Value) -> Option<String> {
        let validate = || self.schemas.validate(document, self.index).err().map(|error| error.to_string());
        if has_at_most(document, LEVELS) {
            return validate();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, validate);
            thread.unwrap().join().unwrap()
        })
    }
}

/// Whether a document has at most this many levels.
fn has_at_most(document: &Value, levels: usize) -> bool {
    let Some(inner) = levels.checked_sub(1) else { return false };
    match document {
        Value::Array(items) => items.iter().all(|item| has_at_most(item, inner)),
        Value::Object(members) => members.values().all(|member| has_at_most(member, inner)),
        _ => true,
    }
}

fn id(schema: &Value) -> String {
    let id = schema["$id"].as_str().or_else(|| schema["id"].as_str());
    id.expect("a schema with an id").trim_end_matches('#').to_owned()
}
