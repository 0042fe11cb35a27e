//! A JSON Schema beside the reader of the same format: what the schema rejects the reader reports.

use std::fs;
use std::path::Path;

use serde_json::Value;
use vmconf::formats::{Context, Format, Options};
use vmconf::model::diagnostic::{Diagnostic, Severity};
use vmconf::model::position::Origin;
use vmconf::run::VectorFiles;
use vmconf::text::json::{Document, Node};

use super::validator::Validator;
use super::{at_root, files};

/// A format with the text of its schema.
pub(crate) struct Described {
    pub(crate) format: &'static Format,
    pub(crate) schema: &'static str,
}

impl Described {
    fn validator(&self) -> Validator {
        Validator::new(&json(self.schema))
    }

    /// The schema accepts every JSON file under a folder.
    pub(crate) fn assert_schema_accepts(&self, folder: impl AsRef<Path>, least: usize) {
        let validator = self.validator();
        for (path, text) in json_files(folder, least) {
            validator.assert_accepts(&json(&text), &path);
        }
    }

    /// The schema rejects every JSON file under a folder.
    pub(crate) fn assert_schema_rejects(&self, folder: impl AsRef<Path>, least: usize) {
        let validator = self.validator();
        for (path, text) in json_files(folder, least) {
            assert!(!validator.accepts(&json(&text)), "the schema accepts {path}");
        }
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
        let options = Options::default();
        let context = Context { options, files: &VectorFiles::new(path, self.format.folders), shared: None };
        let entries = match (self.format.outline)(document.root()) {
            Ok(entries) => entries,
            Err(error) => return vec![error],
        };
        let mut diagnostics = self.format.read_rest(document, &entries, options);
        for entry in entries {
            diagnostics
                .extend(self.format.read_case(Node::at_index(document, entry.node), context).diagnostics);
        }
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        diagnostics
    }
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
