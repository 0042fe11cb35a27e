//! The ways to break a rule of the machine, which `vmconf mutants` lists.

use revm_bytecode::opcode;

use super::fault::{Accepted, EthereumFault, FaultyRule, WrongBlobs, WrongPrice};
use super::machine::Ethereum;
use super::refusal::BEFORE_ITS_FORK;
use crate::machines::info::BrokenRule;

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
