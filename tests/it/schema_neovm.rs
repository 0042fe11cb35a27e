//! `schemas/neovm-n3.schema.json` and `schemas/neovm-2x.schema.json` agree with the reader: both
//! accept what is well-formed, and what a schema rejects the reader reports.

use crate::support::schema::{Described, folders};
use crate::support::skip::suites;
use vmconf::formats::neovm;

const N3: Described =
    Described { format: &neovm::N3, schema: include_str!("../../schemas/neovm-n3.schema.json") };
const V2: Described =
    Described { format: &neovm::V2, schema: include_str!("../../schemas/neovm-2x.schema.json") };

fn samples(described: &Described, kind: &str) -> String {
    format!("tests/samples/{}/{kind}", described.format.name)
}

#[test]
fn schemas_accept_published_suites() {
    if let Some(suites) = suites() {
        N3.assert_schema_accepts(suites.join("neo3"), 153);
        V2.assert_schema_accepts(suites.join("neo2"), 95);
    }
}

/// Other runners read the own vectors of N3, but for those in one folder: outside it, no test has a member that only
/// vmconf knows.
#[test]
fn own_vectors_keep_to_the_published_format() {
    const OWN: [&str; 5] = ["strict", "limits", "host", "message", "curve"];
    const OWN_FOLDER: &str = "vectors/neo3/own-members";
    let published = N3.without("test", &OWN);
    for folder in &folders("vectors/neo3") {
        if folder != OWN_FOLDER {
            published.assert_schema_accepts(folder, 1);
        }
    }
    for folder in &folders(OWN_FOLDER) {
        N3.assert_schema_accepts(folder, 1);
        published.assert_schema_rejects(folder, 1);
    }
}

#[test]
fn schemas_and_reader_accept_well_formed_samples() {
    for described in [N3, V2] {
        described.assert_schema_accepts(samples(&described, "well-formed"), 3);
        described.assert_reader_accepts(samples(&described, "well-formed"), 3);
    }
}

#[test]
fn schemas_and_reader_reject_malformed_samples() {
    for described in [N3, V2] {
        described.assert_schema_rejects(samples(&described, "malformed"), 60);
        described.assert_reader_rejects(samples(&described, "malformed"), 60);
    }
}

/// That the schemas accept them also shows that the other samples, which are made alike, are
/// rejected for the one thing that is wrong with them.
#[test]
fn reader_rejects_what_the_schemas_cannot_tell() {
    for described in [N3, V2] {
        described.assert_schema_accepts(samples(&described, "malformed-beyond-schema"), 3);
        described.assert_reader_rejects(samples(&described, "malformed-beyond-schema"), 3);
    }
}
