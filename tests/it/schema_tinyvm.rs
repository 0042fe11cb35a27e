//! `schemas/tinyvm.schema.json` agrees with the reader: both accept what is well-formed, and what a
//! schema rejects the reader reports.

use crate::support::schema::Described;
use vmconf::formats::tinyvm;

const TINYVM: Described =
    Described { format: &tinyvm::FORMAT, schema: include_str!("../../schemas/tinyvm.schema.json") };
const TESTCASES: Described =
    Described { format: &tinyvm::TESTCASES, schema: include_str!("../../schemas/testcases.schema.json") };

#[test]
fn schemas_and_reader_accept_well_formed_samples() {
    TINYVM.assert_schema_accepts("tests/samples/tinyvm/well-formed", 8);
    TINYVM.assert_reader_accepts("tests/samples/tinyvm/well-formed", 8);
    TESTCASES.assert_schema_accepts("tests/samples/testcases/well-formed", 1);
    TESTCASES.assert_reader_accepts("tests/samples/testcases/well-formed", 1);
}

#[test]
fn schemas_and_reader_accept_our_vectors() {
    for folder in ["vectors/tinyvm/machine", "vectors/tinyvm/driver"] {
        TINYVM.assert_schema_accepts(folder, 5);
        TINYVM.assert_reader_accepts(folder, 5);
    }
    TESTCASES.assert_schema_accepts("vectors/tinyvm/drivers", 1);
    TESTCASES.assert_reader_accepts("vectors/tinyvm/drivers", 1);
}

#[test]
fn schemas_and_reader_reject_malformed_samples() {
    TINYVM.assert_schema_rejects("tests/samples/tinyvm/malformed", 150);
    TINYVM.assert_reader_rejects("tests/samples/tinyvm/malformed", 150);
    TESTCASES.assert_schema_rejects("tests/samples/testcases/malformed", 5);
    TESTCASES.assert_reader_rejects("tests/samples/testcases/malformed", 5);
}

/// That the schema accepts them also shows that the other samples, which are made alike, are
/// rejected for the one thing that is wrong with them.
#[test]
fn reader_rejects_what_the_schema_cannot_tell() {
    TINYVM.assert_schema_accepts("tests/samples/tinyvm/malformed-beyond-schema", 20);
    TINYVM.assert_reader_rejects("tests/samples/tinyvm/malformed-beyond-schema", 20);
}
