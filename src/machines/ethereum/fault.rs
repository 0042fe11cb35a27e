//! Faults that `vmconf mutants` and tests plant in the machine, to show that vectors detect them.

use revm_bytecode::opcode;
use revm_context_interface::cfg::{GasId, GasParams};

use super::machine::Ethereum;
use super::refusal::BEFORE_ITS_FORK;
use crate::machines::info::BrokenRule;

/// What is wrong with a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EthereumFault {
    /// A price or a refund differs.
    Price(WrongPrice),
    /// The blob parameters of a fork differ.
    Blobs(WrongBlobs),
    /// A rule besides the instructions does not hold.
    Without(FaultyRule),
    /// Transactions that it should refuse are executed.
    Accepts(Accepted),
}

/// A wrong price or refund in one fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongPrice {
    /// The fork.
    pub fork: &'static str,
    /// Its name in revm: `sstore_clearing_slot_refund`.
    pub name: &'static str,
    /// By how much it is higher.
    pub by: i64,
}

/// Wrong blob parameters of one fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongBlobs {
    /// The fork.
    pub fork: &'static str,
    /// By how much the number of blobs that a transaction may carry is higher.
    pub most: i64,
    /// By how much the divisor of the price is higher.
    pub fraction: i64,
}

/// Transactions that are executed and should be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The class of the refusal.
    pub class: &'static str,
    /// Only transactions of this type.
    pub kind: Option<u8>,
}

/// A rule of Ethereum besides its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultyRule {
    /// Creation at an address with storage fails (EIP-7610).
    CreationCollision,
    /// EXTCODEHASH of an account with storage but without code is the hash of empty code.
    HashOfNoCode,
    /// SSTORE of Constantinople is charged net of earlier changes (EIP-1283).
    NetStorageGas,
    /// Each fork has its own blob parameters if a file has none, and Osaka limits the blobs of a transaction.
    BlobParameters,
    /// A number that is too large for its type is refused, rather than changed to another one.
    NumberRange,
    /// Blocks before London have no base fee, even if the environment of a test has one.
    BaseFeeOfLondon,
    /// Blocks since London have one, even if the environment has none.
    DefaultBaseFee,
    /// The base fee is burned.
    BaseFeeBurned,
    /// The beneficiary of the block gets the rest of the price of the gas.
    FeeToBeneficiary,
    /// The price of gas is the base fee and the tip, rather than all that is offered.
    EffectivePrice,
    /// The sender pays for the blobs.
    BlobFeeTaken,
    /// The sender pays only for gas that is used.
    UnusedGasReturned,
    /// Gas is refunded at the end.
    Refund,
    /// A part of the used gas at most is refunded.
    RefundLimit,
    /// The input costs a least amount of gas (EIP-7623).
    FloorGas,
    /// Gas is refunded for accounts that exist and sign an authorization.
    RefundOfAuthorities,
    /// An authorization must be for this chain or for all.
    AuthorizationChain,
    /// An authorization must have the nonce of its account.
    AuthorizationNonce,
    /// An account with code cannot delegate.
    AuthorizationCode,
    /// The second half of the signature of an authorization must be low.
    AuthorizationSignature,
    /// Before Prague, the code of a delegation is code.
    DelegationOfPrague,
    /// The environment says the id of the chain.
    ChainId,
    /// Since Paris, a block has randomness in place of a difficulty.
    RandomOfParis,
    /// The hash of a block is the hash of its number.
    HashOfBlock,
    /// Since EIP-158, empty accounts that are touched are removed.
    EmptyRemoved,
    /// Before, they stay.
    EmptyKept,
    /// Destroyed accounts are removed.
    DestroyedRemoved,
    /// A refused transaction touches the beneficiary, where the files say so.
    RefusalTouches,
}

impl WrongPrice {
    /// Changes the price; does nothing if revm does not have it.
    pub(super) fn plant(self, gas: &mut GasParams) {
        if let Some(id) = GasId::from_name(self.name) {
            gas.override_gas([(id, gas.get(id).saturating_add_signed(self.by))]);
        }
    }
}

/// Generates from each row a way to break a rule: how it is broken, its name, the instruction that it is about if it is
/// about one, and the fault.
macro_rules! broken_rules {
    ($($wrong:literal $rule:literal $(at $code:ident)? => $fault:expr;)*) => {
        pub(super) static BROKEN_RULES: &[BrokenRule] = &[$(BrokenRule {
            rule: $rule,
            wrong: $wrong,
            code: broken_rules!(@code $($code)?),
            plant: |limits| Box::new(Ethereum::with_fault(limits, $fault)),
        }),*];
    };
    (@code) => { None };
    (@code $code:ident) => { Some(opcode::$code as u16) };
}

broken_rules! {
    "dropped" "creation collision" => EthereumFault::Without(FaultyRule::CreationCollision);
    "dropped" "hash of no code" at EXTCODEHASH => EthereumFault::Without(FaultyRule::HashOfNoCode);
    "dropped" "net storage gas" at SSTORE => EthereumFault::Without(FaultyRule::NetStorageGas);
    "price-more" "sstore_static of Constantinople" at SSTORE => price("sstore_static", 1);
    "price-less" "sstore_static of Constantinople" at SSTORE => price("sstore_static", -1);
    "price-more" "sstore_set_without_load_cost of Constantinople" at SSTORE => price("sstore_set_without_load_cost", 1);
    "price-less" "sstore_set_without_load_cost of Constantinople" at SSTORE => price("sstore_set_without_load_cost", -1);
    "price-more" "sstore_reset_without_cold_load_cost of Constantinople" at SSTORE => price("sstore_reset_without_cold_load_cost", 1);
    "price-less" "sstore_reset_without_cold_load_cost of Constantinople" at SSTORE => price("sstore_reset_without_cold_load_cost", -1);
    "price-more" "sstore_set_refund of Constantinople" at SSTORE => price("sstore_set_refund", 1);
    "price-less" "sstore_set_refund of Constantinople" at SSTORE => price("sstore_set_refund", -1);
    "price-more" "sstore_reset_refund of Constantinople" at SSTORE => price("sstore_reset_refund", 1);
    "price-less" "sstore_reset_refund of Constantinople" at SSTORE => price("sstore_reset_refund", -1);
    "dropped" "blob parameters" => EthereumFault::Without(FaultyRule::BlobParameters);
    "more" "blobs of Cancun" => blobs("Cancun", 1, 0);
    "less" "blobs of Cancun" => blobs("Cancun", -1, 0);
    "more" "blob fraction of Cancun" => blobs("Cancun", 0, 1);
    "less" "blob fraction of Cancun" => blobs("Cancun", 0, -1);
    "more" "blobs of Prague" => blobs("Prague", 1, 0);
    "less" "blobs of Prague" => blobs("Prague", -1, 0);
    "more" "blob fraction of Prague" => blobs("Prague", 0, 1);
    "less" "blob fraction of Prague" => blobs("Prague", 0, -1);
    "more" "blobs of Osaka" => blobs("Osaka", 1, 0);
    "less" "blobs of Osaka" => blobs("Osaka", -1, 0);
    "more" "blob fraction of Osaka" => blobs("Osaka", 0, 1);
    "less" "blob fraction of Osaka" => blobs("Osaka", 0, -1);
    "dropped" "number range" => EthereumFault::Without(FaultyRule::NumberRange);
    "dropped" "base fee of London" => EthereumFault::Without(FaultyRule::BaseFeeOfLondon);
    "dropped" "default base fee" => EthereumFault::Without(FaultyRule::DefaultBaseFee);
    "dropped" "base fee burned" => EthereumFault::Without(FaultyRule::BaseFeeBurned);
    "dropped" "fee to beneficiary" => EthereumFault::Without(FaultyRule::FeeToBeneficiary);
    "dropped" "effective price" => EthereumFault::Without(FaultyRule::EffectivePrice);
    "dropped" "blob fee taken" => EthereumFault::Without(FaultyRule::BlobFeeTaken);
    "dropped" "unused gas returned" => EthereumFault::Without(FaultyRule::UnusedGasReturned);
    "dropped" "refund" => EthereumFault::Without(FaultyRule::Refund);
    "dropped" "refund limit" => EthereumFault::Without(FaultyRule::RefundLimit);
    "dropped" "floor gas" => EthereumFault::Without(FaultyRule::FloorGas);
    "dropped" "refund of authorities" => EthereumFault::Without(FaultyRule::RefundOfAuthorities);
    "dropped" "authorization chain" => EthereumFault::Without(FaultyRule::AuthorizationChain);
    "dropped" "authorization nonce" => EthereumFault::Without(FaultyRule::AuthorizationNonce);
    "dropped" "authorization code" => EthereumFault::Without(FaultyRule::AuthorizationCode);
    "dropped" "authorization signature" => EthereumFault::Without(FaultyRule::AuthorizationSignature);
    "dropped" "delegation of Prague" => EthereumFault::Without(FaultyRule::DelegationOfPrague);
    "dropped" "chain id" => EthereumFault::Without(FaultyRule::ChainId);
    "dropped" "random of Paris" => EthereumFault::Without(FaultyRule::RandomOfParis);
    "dropped" "hash of block" at BLOCKHASH => EthereumFault::Without(FaultyRule::HashOfBlock);
    "dropped" "empty removed" => EthereumFault::Without(FaultyRule::EmptyRemoved);
    "dropped" "empty kept" => EthereumFault::Without(FaultyRule::EmptyKept);
    "dropped" "destroyed removed" => EthereumFault::Without(FaultyRule::DestroyedRemoved);
    "dropped" "refusal touches" => EthereumFault::Without(FaultyRule::RefusalTouches);
    "accepted" "insufficient funds" => accepts("insufficient funds", None);
    "accepted" "less than intrinsic gas" => accepts("less than intrinsic gas", None);
    "accepted" "fee overflow" => accepts("fee overflow", None);
    "accepted" "less than floor gas" => accepts("less than floor gas", None);
    "accepted" "sender has code" => accepts("sender has code", None);
    "accepted" "fee below base fee" => accepts("fee below base fee", None);
    "accepted" "tip above fee" => accepts("tip above fee", None);
    "accepted" "nonce at its maximum" => accepts("nonce at its maximum", None);
    "accepted" "nonce too high" => accepts("nonce too high", None);
    "accepted" "nonce too low" => accepts("nonce too low", None);
    "accepted" "more than block gas" => accepts("more than block gas", None);
    "accepted" "more than gas cap" => accepts("more than gas cap", None);
    "accepted" "init code too long" => accepts("init code too long", None);
    "accepted" "no blobs" => accepts("no blobs", None);
    "accepted" "blob version" => accepts("blob version", None);
    "accepted" "too many blobs" => accepts("too many blobs", None);
    "accepted" "fee below blob base fee" => accepts("fee below blob base fee", None);
    "accepted" "no authorizations" => accepts("no authorizations", None);
    "accepted" "wrong chain" => accepts("wrong chain", None);
    "accepted" "bad signature" => accepts("bad signature", None);
    "accepted" "type 1 before its fork" => accepts(BEFORE_ITS_FORK, Some(1));
    "accepted" "type 2 before its fork" => accepts(BEFORE_ITS_FORK, Some(2));
    "accepted" "type 3 before its fork" => accepts(BEFORE_ITS_FORK, Some(3));
    "accepted" "type 4 before its fork" => accepts(BEFORE_ITS_FORK, Some(4));
    "accepted" "creation by type 3" => accepts("creation by its type", Some(3));
    "accepted" "creation by type 4" => accepts("creation by its type", Some(4));
}

/// A wrong price of SSTORE in Constantinople.
const fn price(name: &'static str, by: i64) -> EthereumFault {
    EthereumFault::Price(WrongPrice { fork: "Constantinople", name, by })
}

const fn blobs(fork: &'static str, most: i64, fraction: i64) -> EthereumFault {
    EthereumFault::Blobs(WrongBlobs { fork, most, fraction })
}

const fn accepts(class: &'static str, kind: Option<u8>) -> EthereumFault {
    EthereumFault::Accepts(Accepted { class, kind })
}
