//! Creates a NeoVM file with one script.

use num_bigint::BigInt;
use serde_json::{Map, Value as Json, json};

use super::rules::{Generation, Rules};
use super::write_back::{fresh_frame, fresh_item, items_of, plain};
use crate::formats::new_vector::{MakeVector, NewVector, StateOf, integers};
use crate::formats::write_back::NotRepresentable;

const STACK: (&str, &str) =
    ("stack", "integers that are pushed before the script, with commas between them, the top one last");

/// The inputs of N3.
pub(super) const INPUTS: &[(&str, &str)] = &[STACK];

/// The inputs of 2.x.
const INPUTS_OF_V2: &[(&str, &str)] = &[STACK, ("input", "the message that was signed, in hex digits")];

/// Creates a file for N3.
pub(super) const N3: MakeVector = MakeVector { inputs: INPUTS, make: |new| make(new, &super::rules::N3) };

/// Creates a file for 2.x.
pub(super) const V2: MakeVector =
    MakeVector { inputs: INPUTS_OF_V2, make: |new| make(new, &super::rules::V2) };

fn make(new: &NewVector<'_>, rules: &Rules) -> Result<Json, NotRepresentable> {
    let result = match new.state {
        Some(state) => result(state, rules)?,
        None => json!({"state": rules.fault}),
    };
    let script = match &new.inputs.stack {
        None => new.program.clone(),
        Some(stack) => after_pushes(new.program, &integers(Some(stack))?, rules)?,
    };
    let steps = json!([{"actions": ["Execute"], "result": result}]);
    let mut test = json!({"name": new.name, "script": script, "steps": steps});
    if let Some(message) = &new.inputs.input {
        test["message"] = json!(message);
    }
    if !new.inputs.scripts.is_empty() {
        let scripts = new.inputs.scripts.iter().map(|script| json!({"script": script}));
        test["scriptTable"] = scripts.collect();
    }
    Ok(json!({"category": "exec", "name": new.name, "machine": rules.machine, "tests": [test]}))
}

/// The script, preceded by instructions that push the numbers.
fn after_pushes(script: &Json, numbers: &[BigInt], rules: &Rules) -> Result<Json, NotRepresentable> {
    let mut pushes = Vec::new();
    for number in numbers {
        let what = || NotRepresentable::because(format!("{number} has more than 32 bytes"));
        pushes.extend(push(number, rules.generation).ok_or_else(what)?);
    }
    let digits = script.as_str().and_then(|text| text.strip_prefix("0x")).unwrap_or_default();
    Ok(format!("0x{}{digits}", hex::encode(pushes)).into())
}

/// The instruction that pushes a number; `None` for one of more than 32 bytes. Both generations read pushed
/// data as little-endian numbers in two's complement.
fn push(number: &BigInt, generation: Generation) -> Option<Vec<u8>> {
    let mut bytes = number.to_signed_bytes_le();
    match generation {
        // PUSHINT8 to PUSHINT256 have the codes 0 to 5.
        Generation::N3 => {
            let code = (0..=5u8).find(|code| bytes.len() <= 1 << code)?;
            let sign = if number.sign() == num_bigint::Sign::Minus { 0xff } else { 0 };
            bytes.resize(1 << code, sign);
            bytes.insert(0, code);
        }
        // The codes of PUSHBYTES1 to PUSHBYTES75 are the lengths.
        Generation::V2 => bytes.insert(0, u8::try_from(bytes.len()).ok().filter(|length| *length <= 32)?),
    }
    Some(bytes)
}

fn result(state: &StateOf<'_>, rules: &Rules) -> Result<Json, NotRepresentable> {
    let list = |name| state(name).as_ref().and_then(items_of).unwrap_or_default().to_vec();
    let (frames, items) = (list("invocationStack"), list("resultStack"));
    let mut result = Map::new();
    let mut add = |name: &str, value: Json| drop(result.insert(name.to_owned(), value));
    add("state", plain(&state("state").ok_or_else(NotRepresentable::nothing)?, None)?);
    if frames.is_empty() || !items.is_empty() {
        add("resultStack", items.iter().map(|item| fresh_item(item, rules)).collect::<Result<_, _>>()?);
    }
    if !frames.is_empty() {
        add("invocationStack", frames.iter().map(|it| fresh_frame(it, rules)).collect::<Result<_, _>>()?);
    }
    for name in ["refs", "exceptionMessage"] {
        if let Some(value) = state(name) {
            add(name, plain(&value, None)?);
        }
    }
    Ok(Json::Object(result))
}
