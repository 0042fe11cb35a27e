//! Creates a file in vmconf's own format with one program for a single machine.

use serde_json::{Map, Value as Json, json};

use super::reader::MACHINE;
use crate::formats::new_vector::{MakeVector, NewVector, numbers};
use crate::formats::write_back::NotRepresentable;
use crate::text::plain_json::plain;

pub(super) const MAKE: MakeVector =
    MakeVector { inputs: &[("input", "the words of r0, r1 and so on, with commas between them")], make };

/// Members of `expect`, each with the field of the state.
const EXPECTED: &[(&str, &str)] = &[
    ("stop", "stop"),
    ("value", "value"),
    ("pc", "pc"),
    ("time", "time"),
    ("usedRnd", "usedRnd"),
    ("registers", "changedRegisters"),
    ("data", "changedData"),
];

fn make(new: &NewVector<'_>) -> Result<Json, NotRepresentable> {
    let mut test = json!({"name": new.name, "instructions": new.program});
    if let Some(words) = &new.inputs.input {
        test["registers"] = numbers(Some(words)).into();
    }
    if let Some(state) = new.state {
        let member = |(name, field): &(&str, &str)| Some(((*name).to_owned(), plain(&state(field)?)));
        let mut expect: Map<_, _> = EXPECTED.iter().filter_map(member).collect();
        expect.insert("exact".to_owned(), json!(true));
        test["expect"] = Json::Object(expect);
    }
    Ok(json!({"machine": MACHINE, "tests": [test]}))
}
