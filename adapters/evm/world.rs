//! The accounts and the block of a program, as the crate asks for them.

use std::collections::BTreeMap;

use alloy_primitives::{Bytes, hex, keccak256};
use evm::backend::{InMemoryAccount, InMemoryBackend, InMemoryEnvironment};
use evm::uint::{H160, H256, U256, U256Ext};
use serde_json::{Map, Value as Json, json};

use crate::request::{Refused, members, read};

const BLOCKHASH: u8 = 0x40;

pub fn bytes(record: &Json, name: &str) -> Result<Vec<u8>, Refused> {
    Ok(read::<Bytes>(record, name)?.to_vec())
}

fn account(record: &Json) -> Result<InMemoryAccount, Refused> {
    let slot = |(slot, key): (U256, _)| Ok((slot.to_h256(), read::<U256>(&record["storage"], key)?.to_h256()));
    let storage = members(record, "storage")?.into_iter().map(slot).collect::<Result<_, _>>()?;
    let (balance, nonce) = (read(record, "balance")?, read(record, "nonce")?);
    Ok(InMemoryAccount { balance, nonce, code: bytes(record, "code")?, storage, transient_storage: BTreeMap::new() })
}

/// The hash of a block is that of its number in decimal digits; there are those of the last 256 blocks.
fn block_hashes(number: U256) -> BTreeMap<U256, H256> {
    let hash = |number: U256| (number, H256(keccak256(number.to_string()).0));
    (1..=256).map_while(|back| number.checked_sub(U256::from(back))).map(hash).collect()
}

pub fn world(program: &Json, code: &[u8]) -> Result<InMemoryBackend, Refused> {
    let number = read(program, "number")?;
    let environment = InMemoryEnvironment {
        block_hashes: if code.contains(&BLOCKHASH) { block_hashes(number) } else { BTreeMap::new() },
        block_number: number,
        block_coinbase: read(program, "coinbase")?,
        block_timestamp: read(program, "timestamp")?,
        block_difficulty: read(program, "difficulty")?,
        block_randomness: None,
        block_gas_limit: read(program, "gasLimit")?,
        block_base_fee_per_gas: U256::ZERO,
        blob_base_fee_per_gas: U256::ZERO,
        blob_versioned_hashes: Vec::new(),
        chain_id: U256::ONE,
    };
    let accounts = members::<H160>(program, "pre")?.into_iter();
    let state = accounts.map(|(address, key)| Ok((address, account(&program["pre"][key])?))).collect::<Result<_, _>>()?;
    Ok(InMemoryBackend { environment, state })
}

/// The accounts; an empty one is not there.
pub fn post(accounts: &BTreeMap<H160, InMemoryAccount>) -> Json {
    let mut post = Map::new();
    for (address, account) in accounts {
        let slot = |(key, value): (&H256, &H256)| (format!("{key:#x}"), json!(format!("{value:#x}")));
        let storage: Map<_, _> = account.storage.iter().filter(|slot| !slot.1.is_zero()).map(slot).collect();
        if !(account.balance.is_zero() && account.nonce.is_zero() && account.code.is_empty() && storage.is_empty()) {
            let (balance, nonce) = (format!("{:#x}", account.balance), format!("{:#x}", account.nonce));
            let account = json!({"balance": balance, "nonce": nonce, "code": hex::encode_prefixed(&account.code), "storage": storage});
            post.insert(format!("{address:#x}"), account);
        }
    }
    Json::Object(post)
}
