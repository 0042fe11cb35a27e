//! Creates a file in vmconf's own format with one program, which expects its last snapshot.

use serde_json::{Map, Value as Json, json};

use super::program::MACHINE;
use super::snapshot;
use crate::formats::new_vector::{MakeVector, NewVector, numbers};
use crate::formats::write_back::NotRepresentable;
use crate::text::plain_json::plain;

pub(super) const MAKE: MakeVector = MakeVector {
    inputs: &[("input", "the arguments of the function that starts, with commas between them")],
    make,
};

fn make(new: &NewVector<'_>) -> Result<Json, NotRepresentable> {
    let expect = match new.state {
        Some(state) => {
            let member = |name: &str| Some((name.to_owned(), plain(&state(name)?)));
            snapshot::members().filter_map(member).collect::<Map<_, _>>()
        }
        None => Map::new(),
    };
    let args = numbers(new.inputs.input.as_deref());
    let test = json!({"name": new.name, "args": args, "expect": expect});
    Ok(json!({"machine": MACHINE, "program": new.program, "tests": [test]}))
}
