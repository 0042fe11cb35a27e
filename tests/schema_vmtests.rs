//! `schemas/vmtests.schema.json` and the reader agree: both accept the vectors, and what the schema
//! rejects the reader reports.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;
use vmconf::formats::vmtests::FORMAT;
use vmconf::formats::{Options, Severity};
use vmconf::json::{Document, Node, Problem};
use walkdir::WalkDir;

const VECTORS: &str = "vectors/evm";
const MALFORMED: &str = "tests/samples/vmtests/malformed";
const MALFORMED_BEYOND_SCHEMA: &str = "tests/samples/vmtests/malformed-beyond-schema";

/// Path and text of every JSON file under a folder, which is relative to the project; at least `least`.
fn json_files(folder: impl AsRef<Path>, least: usize) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = WalkDir::new(&folder).sort_by_file_name().into_iter().map(|entry| entry.unwrap().into_path());
    let files: Vec<_> = paths
        .filter(|path| path.extension() == Some(OsStr::new("json")))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    assert!(files.len() >= least, "{} files under {}", files.len(), folder.display());
    files
}

fn json(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

fn schema() -> Value {
    json(include_str!("../schemas/vmtests.schema.json"))
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

fn assert_all_validate(folder: impl AsRef<Path>, least: usize) {
    let validator = validator();
    for (path, text) in json_files(folder, least) {
        if let Err(error) = validator.validate(&json(&text)) {
            panic!("{} at {}: {error}", path.display(), error.instance_path());
        }
    }
}

/// The errors that the reader finds in a file, in its tests and between them.
fn errors(document: &Document) -> Vec<Problem> {
    let options = Options::default();
    let entries = match (FORMAT.outline)(document.root()) {
        Ok(entries) => entries,
        Err(problem) => return vec![problem],
    };
    let mut findings = FORMAT.read_rest(document, &entries, options);
    for entry in entries {
        findings.extend(FORMAT.read_case(Node::at_index(document, entry.node), options).findings);
    }
    let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.problem).collect()
}

fn assert_reader_rejects_all(folder: &str, least: usize) {
    for (path, text) in json_files(folder, least) {
        let document = Document::parse(text, 128).unwrap();
        let errors = errors(&document);
        assert!(!errors.is_empty(), "the reader accepts {}", path.display());
        for error in errors {
            assert!((error.at as usize) < document.text().len(), "{}: {error:?}", path.display());
        }
    }
}

#[test]
fn schema_is_valid() {
    jsonschema::draft202012::meta::validate(&schema()).unwrap();
}

#[test]
fn schema_accepts_own_vectors() {
    assert_all_validate(VECTORS, 1);
}

#[test]
fn schema_accepts_published_suites() {
    if let Some(suites) = std::env::var_os("VMCONF_SUITES") {
        assert_all_validate(Path::new(&suites).join("evm"), 1);
    }
}

#[test]
fn schema_rejects_malformed_samples() {
    let validator = validator();
    for (path, text) in json_files(MALFORMED, 100) {
        assert!(!validator.is_valid(&json(&text)), "the schema accepts {}", path.display());
    }
}

/// That it accepts them also shows that the other samples, which are made alike, are rejected
/// for the one thing that is wrong with them.
#[test]
fn schema_accepts_what_it_cannot_tell() {
    assert_all_validate(MALFORMED_BEYOND_SCHEMA, 10);
}

#[test]
fn reader_rejects_malformed_samples() {
    assert_reader_rejects_all(MALFORMED, 100);
    assert_reader_rejects_all(MALFORMED_BEYOND_SCHEMA, 10);
}
