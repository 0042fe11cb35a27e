//! Creates a file in vmconf's own format with one program, for a single machine or for the driver of another one.

use serde_json::{Map, Value as Json, json};

use super::reader::MACHINE;
use crate::formats::new_vector::{MakeVector, NewVector, StateOf, numbers};
use crate::formats::write_back::NotRepresentable;
use crate::text::plain_json::plain;

pub(super) const MAKE: MakeVector =
    MakeVector { inputs: &[("input", "the words of r0, r1 and so on, with commas between them")], make };

/// Members of `expect`, each with the field of the state, of a single machine.
const EXPECTED: &[(&str, &str)] = &[
    ("stop", "stop"),
    ("value", "value"),
    ("pc", "pc"),
    ("time", "time"),
    ("usedRnd", "usedRnd"),
    ("registers", "changedRegisters"),
    ("data", "changedData"),
];

/// Members of `expect` of a driver, which are also fields of the state.
const EXPECTED_OF_DRIVER: [&str; 6] =
    ["outcome", "value", "results", "rating", "driverInstructions", "testeeInstructions"];

/// Members of `expect` of a driver that are machines.
const EXPECTED_MACHINES: [&str; 2] = ["driver", "testee"];

/// The members of these machines, which are also fields of their states.
const EXPECTED_OF_MACHINE: [&str; 4] = ["registers", "data", "pc", "time"];

fn make(new: &NewVector<'_>) -> Result<Json, NotRepresentable> {
    let mut test = json!({"name": new.name});
    if let Json::Object(driver) = new.program {
        driver.iter().for_each(|(name, value)| test[name] = value.clone());
        test["expect"] = new.state.map_or_else(|| json!({}), driver_end);
        return Ok(json!({"machine": MACHINE, "tests": [test]}));
    }
    test["instructions"] = new.program.clone();
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

/// What is expected of a driver whose run ends in this state.
fn driver_end(state: &StateOf<'_>) -> Json {
    let member = |name: &str| Some((name.to_owned(), plain(&state(name)?)));
    let mut expect: Map<_, _> = EXPECTED_OF_DRIVER.into_iter().filter_map(member).collect();
    for name in EXPECTED_MACHINES {
        let Some(machine) = state(name) else { continue };
        let part = |name: &&str| Some(((*name).to_owned(), plain(machine.get(name)?)));
        expect.insert(name.to_owned(), EXPECTED_OF_MACHINE.iter().filter_map(part).collect());
    }
    Json::Object(expect)
}
