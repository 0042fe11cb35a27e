//! A JSON Schema beside the reader of the same format: what the schema rejects the reader reports.

use std::fs;
use std::path::Path;

use serde_json::Value;
use vmconf::formats::{Format, FormatOptions, ReadContext};
use vmconf::model::{Diagnostic, Origin, Severity};
use vmconf::run::VectorFiles;
use vmconf::text::json::{Document, JsonNode};

use super::validator::Validator;
use super::{at_root, files};

/// A format with the text of its schema.
pub(crate) struct Described {
    pub(crate) format: &'static Format,
    pub(crate) schema: &'static str,
}

impl Described {
    /// The schema.
    fn schema(&self) -> Schema {
        Schema(json(self.schema))
    }

    /// A copy of the schema to change, which other schemas do not refer to.
    fn copy(&self) -> Schema {
        let mut schema = self.schema();
        schema.0["$id"] = format!("{}/changed", schema.0["$id"].as_str().unwrap()).into();
        schema
    }

    /// The schema accepts every JSON file under a folder.
    pub(crate) fn assert_schema_accepts(&self, folder: impl AsRef<Path>, least: usize) {
        self.schema().assert_schema_accepts(folder, least);
    }

    /// The schema rejects every JSON file under a folder.
    pub(crate) fn assert_schema_rejects(&self, folder: impl AsRef<Path>, least: usize) {
        self.schema().assert_schema_rejects(folder, least);
    }

    /// The schema, with these members of one of its definitions forbidden.
    pub(crate) fn without(&self, definition: &str, members: &[&str]) -> Schema {
        let mut schema = self.copy();
        for member in members {
            *schema.member(definition, member) = Value::Bool(false);
        }
        schema
    }

    /// The schema, without the alternative that a member of one of its definitions is an array.
    pub(crate) fn without_array(&self, definition: &str, member: &str) -> Schema {
        let mut schema = self.copy();
        let alternatives = schema.member(definition, member)["anyOf"].as_array_mut().unwrap();
        let before = alternatives.len();
        alternatives.retain(|alternative| alternative["type"] != "array");
        assert_eq!(alternatives.len(), before - 1, "{definition}: {member}");
        schema
    }

    /// The reader finds nothing wrong in any JSON file under a folder.
    pub(crate) fn assert_reader_accepts(&self, folder: impl AsRef<Path>, least: usize) {
        for (path, text) in json_files(folder, least) {
            let errors = self.errors(&Document::parse(text, 128).unwrap(), Path::new(&path));
            assert!(errors.is_empty(), "{path}: {errors:?}");
        }
    }

    /// The reader finds an error with a place in every JSON file under a folder.
    pub(crate) fn assert_reader_rejects(&self, folder: impl AsRef<Path>, least: usize) {
        for (path, text) in json_files(folder, least) {
            let document = Document::parse(text, 128).unwrap();
            let errors = self.errors(&document, Path::new(&path));
            assert!(!errors.is_empty(), "the reader accepts {path}");
            for error in errors {
                assert!((error.place.0 as usize) < document.text().len(), "{path}: {error:?}");
            }
        }
    }

    /// The errors that the reader finds in a file, in its tests and between them.
    fn errors(&self, document: &Document, path: &Path) -> Vec<Diagnostic<Origin>> {
        let options = FormatOptions::default();
        let context =
            ReadContext { options, files: &VectorFiles::new(path, self.format.folders), shared: None };
        let entries = match (self.format.outline)(document.root()) {
            Ok(entries) => entries,
            Err(error) => return vec![error],
        };
        let mut diagnostics = self.format.read_rest(document, &entries, options);
        for entry in entries {
            diagnostics
                .extend(self.format.read_case(JsonNode::at_index(document, entry.node), context).diagnostics);
        }
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        diagnostics
    }
}

/// A JSON Schema.
pub(crate) struct Schema(Value);

impl Schema {
    /// What the schema says about a member of one of its definitions, which must be there.
    fn member(&mut self, definition: &str, member: &str) -> &mut Value {
        self.0["$defs"][definition]["properties"].get_mut(member).unwrap()
    }

    /// The schema accepts every JSON file under a folder.
    pub(crate) fn assert_schema_accepts(&self, folder: impl AsRef<Path>, least: usize) {
        let validator = Validator::new(&self.0);
        for (path, text) in json_files(folder, least) {
            validator.assert_accepts(&json(&text), &path);
        }
    }

    /// The schema rejects every JSON file under a folder.
    pub(crate) fn assert_schema_rejects(&self, folder: impl AsRef<Path>, least: usize) {
        let validator = Validator::new(&self.0);
        for (path, text) in json_files(folder, least) {
            assert!(!validator.accepts(&json(&text)), "the schema accepts {path}");
        }
    }
}

/// The folders in a folder of the project, as paths relative to the project; at least two.
pub(crate) fn folders(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(at_root(folder)).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    let found: Vec<_> =
        folders.map(|entry| format!("{folder}/{}", entry.file_name().to_str().unwrap())).collect();
    assert!(found.len() > 1, "the folders of {folder}: {found:?}");
    found
}

/// Path and text of every JSON file under a folder, which is relative to the project; at least `least`.
fn json_files(folder: impl AsRef<Path>, least: usize) -> Vec<(String, String)> {
    let files: Vec<_> = files(at_root(&folder), "json")
        .into_iter()
        .map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap()))
        .collect();
    assert!(files.len() >= least, "{} files under {}", files.len(), folder.as_ref().display());
    files
}

fn json(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}
