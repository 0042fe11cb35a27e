//! `schemas/statetest.schema.json` and the reader agree: both accept the vectors, and what the schema
//! rejects the reader reports.

use crate::support::schema::Described;
use crate::support::skip::suites;
use vmconf::formats::statetest::FORMAT;

const STATETEST: Described =
    Described { format: &FORMAT, schema: include_str!("../../schemas/statetest.schema.json") };
const MALFORMED: &str = "tests/samples/statetest/malformed";
const MALFORMED_BEYOND_SCHEMA: &str = "tests/samples/statetest/malformed-beyond-schema";

#[test]
fn schema_accepts_own_vectors() {
    STATETEST.assert_schema_accepts("vectors/ethereum", 38);
}

#[test]
fn schema_accepts_published_suites() {
    if let Some(suites) = suites() {
        STATETEST.assert_schema_accepts(suites.join("ethereum"), 3_054);
    }
}

#[test]
fn schema_rejects_malformed_samples() {
    STATETEST.assert_schema_rejects(MALFORMED, 22);
}

/// That it accepts them also shows that the other samples, which are made alike, are rejected
/// for the one thing that is wrong with them.
#[test]
fn schema_accepts_what_it_cannot_tell() {
    STATETEST.assert_schema_accepts(MALFORMED_BEYOND_SCHEMA, 1);
}

#[test]
fn reader_rejects_malformed_samples() {
    STATETEST.assert_reader_rejects(MALFORMED, 22);
    STATETEST.assert_reader_rejects(MALFORMED_BEYOND_SCHEMA, 1);
}
