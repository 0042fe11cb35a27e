//! The schemas of MiniC89 agree with their reference, and that of its vectors with the reader.

use crate::support::at_root;
use crate::support::schema::Described;
use crate::support::validator::Validator;
use serde_json::Value as Json;
use vmconf::formats::minic89;

const VECTORS: Described =
    Described { format: &minic89::FORMAT, schema: include_str!("../../schemas/minic89-vectors.schema.json") };
const SNAPSHOT: &str = include_str!("../../schemas/minic89-snapshot.schema.json");
const METADATA: &str = include_str!("../../schemas/minic89-metadata.schema.json");
const SAMPLES: &str = "tests/samples/minic89";

#[test]
fn schemas_are_valid() {
    for (schema, id) in [(SNAPSHOT, "vm-snapshot"), (METADATA, "vm-metadata")] {
        let schema: Json = serde_json::from_str(schema).unwrap();
        assert_eq!(schema["$id"], format!("https://minic89.local/schema/{id}-v0.2.json"));
    }
}

/// What the published schemas accept and reject.
#[test]
fn documents_are_accepted_or_rejected() {
    let [snapshot, metadata] = ["minic89-snapshot", "minic89-metadata"].map(Validator::named);
    let samples = std::fs::read_to_string(at_root(SAMPLES).join("documents.json")).unwrap();
    let samples: Vec<Json> = serde_json::from_str(&samples).unwrap();
    assert_eq!(samples.len(), 183);
    for sample in samples {
        let validator = match sample["schema"].as_str() {
            Some("snapshot") => &snapshot,
            Some("metadata") => &metadata,
            other => panic!("no schema {other:?}"),
        };
        let is_accepted = validator.accepts(&sample["document"]);
        assert_eq!(Json::Bool(is_accepted), sample["accept"], "{}", sample["edit"]);
    }
}

#[test]
fn schema_and_reader_accept_well_formed_samples() {
    for folder in ["well-formed", "warned"] {
        VECTORS.assert_schema_accepts(format!("{SAMPLES}/{folder}"), 8);
        VECTORS.assert_reader_accepts(format!("{SAMPLES}/{folder}"), 8);
    }
    VECTORS.assert_schema_accepts("vectors/minic89", 80);
    VECTORS.assert_reader_accepts("vectors/minic89", 80);
}

#[test]
fn schema_and_reader_reject_malformed_samples() {
    VECTORS.assert_schema_rejects(format!("{SAMPLES}/malformed"), 80);
    VECTORS.assert_reader_rejects(format!("{SAMPLES}/malformed"), 80);
}

/// That the schema accepts them also shows that the other samples, which are made alike, are
/// rejected for the one thing that is wrong with them.
#[test]
fn reader_rejects_what_the_schema_cannot_tell() {
    VECTORS.assert_schema_accepts(format!("{SAMPLES}/malformed-beyond-schema"), 12);
    VECTORS.assert_reader_rejects(format!("{SAMPLES}/malformed-beyond-schema"), 12);
}
