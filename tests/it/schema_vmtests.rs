//! `schemas/vmtests.schema.json` and the reader agree: both accept the vectors, and what the schema
//! rejects the reader reports.

use crate::support::schema::{Described, folders};
use crate::support::skip::suites;
use vmconf::formats::vmtests::FORMAT;

const VMTESTS: Described =
    Described { format: &FORMAT, schema: include_str!("../../schemas/vmtests.schema.json") };
const MALFORMED: &str = "tests/samples/vmtests/malformed";
const MALFORMED_BEYOND_SCHEMA: &str = "tests/samples/vmtests/malformed-beyond-schema";

#[test]
fn schema_accepts_own_vectors() {
    VMTESTS.assert_schema_accepts("vectors/evm", 130);
}

/// Readers of the files of 2018 and later take the hash of the logs, and no entries: only the folders of older
/// layouts have those.
#[test]
fn own_vectors_have_the_logs_of_their_layout() {
    const OLD: [&str; 4] = ["2014", "2015", "2016", "2017"];
    let current = VMTESTS.without_array("test", "logs");
    for folder in &folders("vectors/evm") {
        if !OLD.iter().any(|year| folder.ends_with(&format!("layout-{year}"))) {
            current.assert_schema_accepts(folder, 1);
        }
    }
}

#[test]
fn schema_accepts_published_suites() {
    if let Some(suites) = suites() {
        VMTESTS.assert_schema_accepts(suites.join("evm"), 842);
    }
}

#[test]
fn schema_rejects_malformed_samples() {
    VMTESTS.assert_schema_rejects(MALFORMED, 160);
}

/// That it accepts them also shows that the other samples, which are made alike, are rejected
/// for the one thing that is wrong with them.
#[test]
fn schema_accepts_what_it_cannot_tell() {
    VMTESTS.assert_schema_accepts(MALFORMED_BEYOND_SCHEMA, 26);
}

#[test]
fn reader_rejects_malformed_samples() {
    VMTESTS.assert_reader_rejects(MALFORMED, 160);
    VMTESTS.assert_reader_rejects(MALFORMED_BEYOND_SCHEMA, 26);
}
