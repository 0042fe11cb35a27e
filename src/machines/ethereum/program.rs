//! Converts the program record to the input of the engine.

use std::rc::Rc;

use k256::ecdsa::SigningKey;
use revm_context::BlockEnv;
use revm_context_interface::block::BlobExcessGasAndPrice;
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, B256, U256, keccak256};

use super::fault::FaultyRule;
use super::fork::{Blobs, ForkRules};
use super::world::EthereumWorld;
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::machine::LoadError;
use crate::machines::record::{ProgramRecord, word};
use crate::model::case::Program;
use crate::model::value::Value;

/// What all cases of a test have in common, in the engine's form.
pub(super) struct Prepared {
    pub(super) program: Program,
    pub(super) world: Rc<EthereumWorld>,
    block: BlockMembers,
    pub(super) chain: u64,
    pub(super) sender: Option<Address>,
}

struct BlockMembers {
    coinbase: Address,
    gas_limit: u64,
    number: U256,
    timestamp: U256,
    difficulty: U256,
    random: U256,
    base_fee: Option<u64>,
    excess_blob_gas: Option<u64>,
    slot: u64,
}

impl Prepared {
    pub(super) fn new(program: &Program) -> Result<Prepared, LoadError> {
        let record = ProgramRecord(&program.0);
        let env = ProgramRecord(record.get("env")?);
        let block = BlockMembers {
            coinbase: Address::from_word(env.address("coinbase")?.into()),
            gas_limit: clamped(env.word("gasLimit")?),
            number: env.word("number")?,
            timestamp: env.word("timestamp")?,
            difficulty: optional(&env, "difficulty")?.unwrap_or_default(),
            random: optional(&env, "random")?.unwrap_or_default(),
            base_fee: optional(&env, "baseFee")?.map(clamped),
            excess_blob_gas: optional(&env, "excessBlobGas")?.map(clamped),
            slot: optional(&env, "slotNumber")?.map_or(0, clamped),
        };
        Ok(Prepared {
            world: Rc::new(EthereumWorld::read(record.members("pre")?)?),
            block,
            chain: clamped(record.word("chainId")?),
            sender: sender(&ProgramRecord(record.get("transaction")?))?,
            program: program.clone(),
        })
    }

    /// What all transactions of the test have in common.
    pub(super) fn transaction(&self) -> Result<ProgramRecord<'_>, LoadError> {
        Ok(ProgramRecord(ProgramRecord(&self.program.0).get("transaction")?))
    }

    /// The blob parameters of the fork.
    pub(super) fn blobs(&self, fork: ForkRules) -> Result<Option<Blobs>, LoadError> {
        let written = self.program.0.get("blobSchedule").and_then(|schedule| schedule.get(fork.name));
        let written = written.map(|blobs| {
            let blobs = ProgramRecord(blobs);
            let (most, fraction) = (blobs.word("max")?, blobs.word("baseFeeUpdateFraction")?);
            Ok(Blobs { most: clamped(most), fraction: clamped(fraction) })
        });
        Ok(fork.blobs(written.transpose()?))
    }

    /// Whether the block states the price of blobs.
    pub(super) fn has_blob_fee(&self) -> bool {
        self.block.excess_blob_gas.is_some()
    }

    pub(super) fn coinbase(&self) -> Address {
        self.block.coinbase
    }

    /// The block as a fork sees it.
    pub(super) fn block(&self, fork: ForkRules, blobs: Option<Blobs>) -> BlockEnv {
        /// The base fee that geth uses if a file has none.
        const BASE_FEE: u64 = 10;
        let BlockMembers { base_fee, excess_blob_gas, difficulty, .. } = self.block;
        let random = if fork.adds(FaultyRule::RandomOfParis) { self.block.random } else { difficulty };
        let blob_fee = |Blobs { fraction, .. }| BlobExcessGasAndPrice {
            excess_blob_gas: excess_blob_gas.unwrap_or(0),
            blob_gasprice: excess_blob_gas.map_or(0, |excess| blob_price(excess, fraction)),
        };
        BlockEnv {
            number: self.block.number,
            beneficiary: self.block.coinbase,
            timestamp: self.block.timestamp,
            gas_limit: self.block.gas_limit,
            // All forks of a test share the environment, which has a base fee for the later ones.
            basefee: if fork.has(SpecId::LONDON) || !fork.adds(FaultyRule::BaseFeeOfLondon) {
                base_fee.unwrap_or(if fork.adds(FaultyRule::DefaultBaseFee) { BASE_FEE } else { 0 })
            } else {
                0
            },
            difficulty: if fork.has(SpecId::MERGE) { U256::ZERO } else { difficulty },
            prevrandao: fork.has(SpecId::MERGE).then(|| B256::from(random)),
            blob_excess_gas_and_price: blobs.map(blob_fee),
            slot_num: self.block.slot,
        }
    }
}

/// The price of a unit of blob gas: e to the power of `excess / fraction`, by the series of EIP-4844;
/// `u128::MAX` if it is larger. The engine's own function only terminates for small numbers.
fn blob_price(excess: u64, fraction: u64) -> u128 {
    /// For larger powers, the price has more than 128 bits. For this one, each product below has at most 256.
    const MAX_POWER: u64 = 88;
    if excess / fraction > MAX_POWER {
        return u128::MAX;
    }
    let (excess, fraction) = (U256::from(excess), U256::from(fraction));
    let (mut sum, mut term, mut divisor) = (U256::ZERO, fraction, U256::ZERO);
    while !term.is_zero() {
        sum += term;
        divisor += fraction;
        term = term * excess / divisor;
    }
    (sum / fraction).saturating_to()
}

/// The sender, or the owner of the secret key; `None` without both: there is then no valid signature.
fn sender(transaction: &ProgramRecord<'_>) -> Result<Option<Address>, LoadError> {
    if transaction.0.get("sender").is_some() {
        return Ok(Some(Address::from_word(transaction.address("sender")?.into())));
    }
    if transaction.0.get("secretKey").is_none() {
        return Ok(None);
    }
    let Ok(key) = SigningKey::from_slice(transaction.bytes("secretKey")?) else { return Ok(None) };
    let point = key.verifying_key().to_encoded_point(false);
    let hash = keccak256(&point.as_bytes()[1..]);
    Ok(Some(Address::from_slice(&hash[12..])))
}

/// An optional number.
pub(super) fn optional(record: &ProgramRecord<'_>, name: &str) -> Result<Option<U256>, LoadError> {
    record.0.get(name).map(|value| word(name, value)).transpose()
}

/// The number, or the largest one, since larger numbers are refused for the same reason.
pub(super) fn clamped(number: U256) -> u64 {
    number.saturating_to()
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let accounts = program.0.get("pre").and_then(Value::members).unwrap_or_default();
    let codes = accounts.iter().filter_map(|(_, account)| match account.get("code") {
        Some(Value::Bytes(code)) => Some(code),
        _ => None,
    });
    codes.flat_map(|code| in_bytes(&super::ETHEREUM, code)).collect()
}
