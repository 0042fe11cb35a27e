//! Converts the program record to the input of the engine.

use std::rc::Rc;

use k256::ecdsa::SigningKey;
use revm_context::BlockEnv;
use revm_context_interface::block::BlobExcessGasAndPrice;
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, B256, U256, keccak256};

use super::fault::FaultyRule;
use super::fork::{Blobs, ForkRules};
use super::table::ETHEREUM;
use super::transaction_record::TransactionRecord;
use super::world::EthereumWorld;
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::record::{ACCOUNTS, HEX, address, any, members_of, record, word};
use crate::machines::status::LoadError;
use crate::model::{MapKeys, Name, Program, Shape, Value};

record! {
    /// A program record: what all cases of a test have in common.
    EthereumProgram;
    "env": Shape::Record(EnvRecord::MEMBERS), "the block" => env: &'v Value = needed any;
    "chainId": HEX, "the chain" => chain: U256 = needed word;
    "blobSchedule": Shape::Map(MapKeys::Text, &BLOBS), "the blob parameters by fork, where they are not the usual ones"
        => blob_schedule: Option<&'v Value> = optional any;
    "transaction": Shape::Record(TransactionRecord::MEMBERS), "the members of the transaction that the cases share"
        => transaction: &'v Value = needed any;
    "pre": ACCOUNTS, "the accounts before the transaction, by address" => pre: &'v [(Name, Value)] = needed members_of;
}

record! {
    /// The block.
    EnvRecord;
    "coinbase": Shape::Bytes, "the beneficiary, 20 bytes" => coinbase: U256 = needed address;
    "gasLimit": HEX, "the gas limit of the block" => gas_limit: U256 = needed word;
    "number": HEX, "the number of the block" => number: U256 = needed word;
    "timestamp": HEX, "the time of the block, in seconds" => timestamp: U256 = needed word;
    "difficulty": HEX, "before Paris" => difficulty: Option<U256> = optional word;
    "random": HEX, "from Paris on" => random: Option<U256> = optional word;
    "baseFee": HEX, "from London on" => base_fee: Option<U256> = optional word;
    "excessBlobGas": HEX, "from Cancun on" => excess_blob_gas: Option<U256> = optional word;
    "slotNumber": HEX, "from Amsterdam on" => slot: Option<U256> = optional word;
}

static BLOBS: Shape = Shape::Record(BlobsRecord::MEMBERS);

record! {
    /// The blob parameters of a fork.
    BlobsRecord;
    "max": HEX, "the most blobs of a block" => most: U256 = needed word;
    "baseFeeUpdateFraction": HEX, "how slowly the price of blobs changes, see EIP-4844"
        => fraction: U256 = needed word;
}

/// What all cases of a test have in common, in the engine's form.
pub(super) struct Prepared {
    pub(super) program: Program,
    pub(super) world: Rc<EthereumWorld>,
    block: BlockMembers,
    pub(super) chain: u64,
    whole_chain: U256,
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
        let record = EthereumProgram(&program.0);
        let env = EnvRecord(record.env()?);
        let block = BlockMembers {
            coinbase: Address::from_word(env.coinbase()?.into()),
            gas_limit: clamped(env.gas_limit()?),
            number: env.number()?,
            timestamp: env.timestamp()?,
            difficulty: env.difficulty()?.unwrap_or_default(),
            random: env.random()?.unwrap_or_default(),
            base_fee: env.base_fee()?.map(clamped),
            excess_blob_gas: env.excess_blob_gas()?.map(clamped),
            slot: env.slot()?.map_or(0, clamped),
        };
        Ok(Prepared {
            world: Rc::new(EthereumWorld::read(record.pre()?)?),
            block,
            chain: clamped(record.chain()?),
            whole_chain: record.chain()?,
            sender: sender(TransactionRecord(record.transaction()?))?,
            program: program.clone(),
        })
    }

    /// What all transactions of the test have in common.
    pub(super) fn transaction(&self) -> Result<TransactionRecord<'_>, LoadError> {
        EthereumProgram(&self.program.0).transaction().map(TransactionRecord)
    }

    /// The blob parameters of the fork.
    pub(super) fn blobs(&self, fork: ForkRules) -> Result<Option<Blobs>, LoadError> {
        let schedule = EthereumProgram(&self.program.0).blob_schedule()?;
        let written = schedule.and_then(|schedule| schedule.get(fork.name)).map(BlobsRecord);
        let written = written
            .map(|blobs| Ok(Blobs { most: clamped(blobs.most()?), fraction: clamped(blobs.fraction()?) }));
        Ok(fork.blobs(written.transpose()?))
    }

    /// The number of a chain for the engine, which compares 64 bits of it with those of [`Prepared::chain`].
    pub(super) fn engine_chain(&self, chain: U256) -> u64 {
        if chain == self.whole_chain { self.chain } else { chain.try_into().unwrap_or(!self.chain) }
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
fn sender(transaction: TransactionRecord<'_>) -> Result<Option<Address>, LoadError> {
    if let Some(sender) = transaction.sender()? {
        return Ok(Some(Address::from_word(sender.into())));
    }
    let Some(key) = transaction.secret_key()? else { return Ok(None) };
    let Ok(key) = SigningKey::from_slice(key) else { return Ok(None) };
    let point = key.verifying_key().to_encoded_point(false);
    let hash = keccak256(&point.as_bytes()[1..]);
    Ok(Some(Address::from_slice(&hash[12..])))
}

/// The number, or the largest one, since larger numbers are refused for the same reason.
pub(super) fn clamped(number: U256) -> u64 {
    number.saturating_to()
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let accounts = program.0.get("pre").and_then(Value::members).unwrap_or_default();
    let codes = accounts.iter().filter_map(|(_, account)| account.get("code")?.as_bytes());
    codes.flat_map(|code| in_bytes(&ETHEREUM, code)).collect()
}
