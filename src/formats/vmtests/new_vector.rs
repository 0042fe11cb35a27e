//! Creates a VMTests file with one program, with addresses and a block that are easy to recognise.

use serde_json::{Map, Value as Json, json};

use super::write_back::RESULTS;
use crate::formats::ethereum_json::fresh;
use crate::formats::new_vector::{BlockNumbers, MakeVector, NewVector, StateOf};
use crate::formats::write_back::NotRepresentable;
use crate::model::Value;

pub(super) const MAKE: MakeVector = MakeVector {
    inputs: &[("gas", "gas [default: 1000000]"), ("input", "the input data, 0x and hex digits")],
    make,
};

/// Enough for most programs, but an endless loop runs out of it soon.
const GAS: u64 = 1_000_000;

/// All bytes of a large number but the first one.
const LOWER_BYTES: &str = "02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20";

const ADDRESS: &str = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn make(new: &NewVector<'_>) -> Result<Json, NotRepresentable> {
    let [difficulty, gas_limit, number, timestamp] = block(new.inputs.block);
    let mut test = json!({
        "env": {
            "currentCoinbase": "0x00000000000000000000000000000000000000c0",
            "currentDifficulty": difficulty, "currentGasLimit": gas_limit,
            "currentNumber": number, "currentTimestamp": timestamp,
        },
        "pre": {ADDRESS: {"balance": "0x03e8", "nonce": "0x00", "code": new.program, "storage": {}}},
        "exec": {
            "address": ADDRESS,
            "caller": "0xcacacacacacacacacacacacacacacacacacacaca",
            "origin": "0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
            "value": "0x00", "gasPrice": "0x01",
            "gas": fresh(&Value::int(new.inputs.gas.unwrap_or(GAS)))?,
            "data": new.inputs.input.as_deref().unwrap_or("0x"),
            "code": new.program,
        },
    });
    if let (Some(state), Some(test)) = (new.state, test.as_object_mut()) {
        expect(test, state)?;
    }
    Ok(json!({new.name: test}))
}

/// Difficulty, gas limit, number and time of the block.
fn block(numbers: BlockNumbers) -> [String; 4] {
    match numbers {
        BlockNumbers::Small => ["0x01", "0x0f4240", "0x01", "0x01"].map(str::to_owned),
        BlockNumbers::Large => ["d1", "e1", "f1", "c1"].map(|first| format!("0x{first}{LOWER_BYTES}")),
    }
}

/// Writes the expectation. A test without results must halt exceptionally.
fn expect(test: &mut Map<String, Json>, state: &StateOf<'_>) -> Result<(), NotRepresentable> {
    if state("outcome") != Some(Value::text("success")) {
        return Ok(());
    }
    for name in RESULTS.into_iter().chain(["post"]) {
        let value = state(name).ok_or_else(NotRepresentable::nothing)?;
        test.insert(name.to_owned(), fresh(&value)?);
    }
    Ok(())
}
