//! The two formats of vectors for TinyVM: vmconf's own JSON format, and the public folder layout of drivers
//! and testees.
//!
//! In vmconf's own format, a test with `driver` is a driver case; any other test is for a single machine.
//! Unknown members are errors.
//!
//! | field of the state | its value |
//! |---|---|
//! | `stop` | Text: `yield`, `illegal`, `limit` |
//! | `value` | Int: the yielded value or the offending word; in a driver case, the datum that its outcome refers to |
//! | `registers` | Record of `r0` … `r15`, each an Int |
//! | `data` | Record of Int by address (`0x` and four lower-case digits); zero words are absent |
//! | `changedRegisters`, `changedData` | the same, only values that differ from the start of the phase |
//! | `pc`, `time` | Int |
//! | `usedRnd` | Bool |
//! | `outcome`, `rating` | Text |
//! | `results` | List of Text |
//! | `notPassed` | Record by `test 1` … of the results that are not `pass` |
//! | `driverInstructions`, `testeeInstructions` | Int |
//! | `driver`, `testee` | Records of `registers`, `data`, `pc`, `time` |

mod driver;
mod expect;
mod fill;
mod lexical;
mod new_vector;
mod reader;
mod segment;
mod single;
mod testcases;
mod write_back;

use self::reader::{MACHINE, TinyReader};
use super::envelope::{self, MachineMember};
use super::fields::{Diagnostics, FieldReader};
use super::files::VectorFolder;
use super::format::{Evidence, FileEntry, Format, ReadContext};
use crate::model::{Case, Severity};
use crate::text::json::JsonNode;

pub use testcases::FORMAT as TESTCASES;

/// The own format's entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "tinyvm",
    machine: MACHINE,
    looks_like: "an object with \"machine\": \"tinyvm\"",
    distinguished_by: "\"machine\": \"tinyvm\"",
    evidence: &evidence,
    outline: &envelope::outline,
    read: &read_test,
    rest: &read_rest,
    write_back: &write_back::write_back,
    fill: Some(&fill::fill),
    make: Some(new_vector::MAKE),
    outcomes: expect::outcomes,
    unknown: Severity::Error,
    folders: &[VectorFolder::Own],
    ..Format::BASE
};

/// Members of a driver case that a case for a single machine does not have.
const DRIVER_ONLY: [&str; 4] = ["driver", "testee", "budget", "zeroLimit"];

/// Members of a case for a single machine that a driver case does not have.
const SINGLE_ONLY: [&str; 6] = ["instructions", "data", "registers", "pc", "steps", "then"];

fn evidence(file: JsonNode<'_>) -> Option<Evidence> {
    envelope::evidence(file, MACHINE, "\"machine\": \"tinyvm\"")
}

/// The file without its tests.
fn read_rest(file: JsonNode<'_>, _: &[FileEntry], _: ReadContext<'_>, diagnostics: &mut Diagnostics) {
    if let Some(fields) = envelope::open(file, MACHINE, MachineMember::Required, diagnostics) {
        fields.finish(diagnostics);
    }
}

fn read_test(test: JsonNode<'_>, context: ReadContext<'_>, diagnostics: &mut Diagnostics) -> Option<Case> {
    let mut fields = FieldReader::open(test, "test", diagnostics)?;
    let name_at = envelope::name(&mut fields, diagnostics).unwrap_or(test.at());
    let mut reader = TinyReader::new(context, diagnostics);
    let steps = if let Some(driver) = fields.optional("driver") {
        reader.exclude(&mut fields, &SINGLE_ONLY, "a test with \"driver\"");
        reader.driver_case(&mut fields, driver, name_at)
    } else {
        reader.exclude(&mut fields, &DRIVER_ONLY, "a test without \"driver\"");
        reader.single_case(&mut fields)
    };
    let case = reader.case(steps);
    fields.finish(diagnostics);
    Some(case)
}
