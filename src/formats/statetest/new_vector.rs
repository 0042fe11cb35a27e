//! Creates a state test: one transaction to an account with the program as its code.

use serde_json::{Map, Value as Json, json};

use super::write_back::NO_HASH;
use crate::formats::ethereum_json::fresh;
use crate::formats::forks::{self, Named};
use crate::formats::new_vector::{MakeVector, NewVector, StateOf};
use crate::formats::write_back::NotRepresentable;
use crate::model::Value;
use crate::text::suggest::did_you_mean;

pub(super) const MAKE: MakeVector = MakeVector {
    inputs: &[
        ("gas", "gas limit of the transaction [default: 1000000]"),
        ("input", "the data of the transaction, 0x and hex digits"),
        ("fork", "the fork [default: Osaka]"),
    ],
    make,
};

/// Enough for most programs and less than any cap on transactions.
const GAS: u64 = 1_000_000;

/// The newest fork of the main chain; later ones only change what blobs cost.
const FORK: &str = "Osaka";

/// The owner of the key, with which other clients sign.
const SENDER: &str = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
const SECRET_KEY: &str = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8";
const TARGET: &str = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn make(new: &NewVector<'_>) -> Result<Json, NotRepresentable> {
    let fork = new.inputs.fork.as_deref().unwrap_or(FORK);
    if !matches!(forks::named(fork), Named::Supported(_)) {
        let near = did_you_mean(fork, forks::all());
        return Err(NotRepresentable::because(format!("--fork: {fork:?} is not a fork that runs{near}")));
    }
    let mut entry = json!({"hash": NO_HASH, "logs": NO_HASH, "indexes": {"data": 0, "gas": 0, "value": 0}});
    if let (Some(state), Some(entry)) = (new.state, entry.as_object_mut()) {
        expect(entry, state)?;
    }
    let test = json!({
        "env": {
            "currentCoinbase": "0x00000000000000000000000000000000000000c0",
            "currentGasLimit": "0x07270e00", "currentNumber": "0x01", "currentTimestamp": "0x03e8",
            "currentDifficulty": "0x020000", "currentRandom": NO_HASH, "currentBaseFee": "0x07",
            "currentExcessBlobGas": "0x00",
        },
        "pre": {
            SENDER: {"balance": "0x0de0b6b3a7640000", "nonce": "0x00", "code": "0x", "storage": {}},
            TARGET: {"balance": "0x00", "nonce": "0x01", "code": new.program, "storage": {}},
        },
        "transaction": {
            "sender": SENDER, "secretKey": SECRET_KEY, "to": TARGET, "nonce": "0x00", "gasPrice": "0x0a",
            "value": ["0x00"], "gasLimit": [fresh(&Value::int(new.inputs.gas.unwrap_or(GAS)))?],
            "data": [new.inputs.input.as_deref().unwrap_or("0x")],
        },
        "post": {fork: [entry]},
    });
    Ok(json!({new.name: test}))
}

/// Writes what the entry expects. A refusal has no class in the notation of the format.
fn expect(entry: &mut Map<String, Json>, state: &StateOf<'_>) -> Result<(), NotRepresentable> {
    if state("outcome") != Some(Value::text("executed")) {
        return Err(NotRepresentable::because("the transaction is refused"));
    }
    for (member, field) in [("hash", "root"), ("logs", "logs"), ("state", "state")] {
        let value = state(field).ok_or_else(NotRepresentable::nothing)?;
        entry.insert(member.to_owned(), fresh(&value)?);
    }
    Ok(())
}
