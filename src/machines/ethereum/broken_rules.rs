//! The ways to break a rule of the machine, which `vmconf mutants` lists.

use revm_bytecode::opcode;

use super::fault::{Accepted, EthereumFault, FaultyRule, WrongBlobs, WrongPrice};
use super::machine::Ethereum;
use super::refusal::BEFORE_ITS_FORK;
use crate::machines::info::BrokenRule;

/// Generates from each row a way to break a rule: its name, the instruction that it is about if it is about one, and
/// the rule that does not hold, or how it is broken and the fault.
macro_rules! broken_rules {
    ($($name:literal $(at $code:ident)?: $(dropped $rule:ident)? $($wrong:literal, $fault:expr)?;)*) => {
        pub(super) static BROKEN_RULES: &[BrokenRule] = &[$(BrokenRule {
            rule: $name,
            wrong: broken_rules!(@wrong $($wrong)?),
            code: broken_rules!(@code $($code)?),
            plant: |limits| {
                let fault = $(EthereumFault::Without(FaultyRule::$rule))? $($fault)?;
                Box::new(Ethereum::with_fault(limits, fault))
            },
        }),*];

        /// Every rule has a row.
        const _: fn(FaultyRule) = |rule| match rule { $($(| FaultyRule::$rule)?)* => {} };
    };
    (@wrong) => { "dropped" };
    (@wrong $wrong:literal) => { $wrong };
    (@code) => { None };
    (@code $code:ident) => { Some(opcode::$code as u16) };
}

broken_rules! {
    "creation collision": dropped CreationCollision;
    "hash of no code" at EXTCODEHASH: dropped HashOfNoCode;
    "net storage gas" at SSTORE: dropped NetStorageGas;
    "sstore_static of Constantinople" at SSTORE: "price-more", price("sstore_static", 1);
    "sstore_static of Constantinople" at SSTORE: "price-less", price("sstore_static", -1);
    "sstore_set_without_load_cost of Constantinople" at SSTORE: "price-more", price("sstore_set_without_load_cost", 1);
    "sstore_set_without_load_cost of Constantinople" at SSTORE: "price-less", price("sstore_set_without_load_cost", -1);
    "sstore_reset_without_cold_load_cost of Constantinople" at SSTORE: "price-more", price("sstore_reset_without_cold_load_cost", 1);
    "sstore_reset_without_cold_load_cost of Constantinople" at SSTORE: "price-less", price("sstore_reset_without_cold_load_cost", -1);
    "sstore_set_refund of Constantinople" at SSTORE: "price-more", price("sstore_set_refund", 1);
    "sstore_set_refund of Constantinople" at SSTORE: "price-less", price("sstore_set_refund", -1);
    "sstore_reset_refund of Constantinople" at SSTORE: "price-more", price("sstore_reset_refund", 1);
    "sstore_reset_refund of Constantinople" at SSTORE: "price-less", price("sstore_reset_refund", -1);
    "blob parameters": dropped BlobParameters;
    "blobs of Cancun": "more", blobs("Cancun", 1, 0);
    "blobs of Cancun": "less", blobs("Cancun", -1, 0);
    "blob fraction of Cancun": "more", blobs("Cancun", 0, 1);
    "blob fraction of Cancun": "less", blobs("Cancun", 0, -1);
    "blobs of Prague": "more", blobs("Prague", 1, 0);
    "blobs of Prague": "less", blobs("Prague", -1, 0);
    "blob fraction of Prague": "more", blobs("Prague", 0, 1);
    "blob fraction of Prague": "less", blobs("Prague", 0, -1);
    "blobs of Osaka": "more", blobs("Osaka", 1, 0);
    "blobs of Osaka": "less", blobs("Osaka", -1, 0);
    "blob fraction of Osaka": "more", blobs("Osaka", 0, 1);
    "blob fraction of Osaka": "less", blobs("Osaka", 0, -1);
    "number range": dropped NumberRange;
    "base fee of London": dropped BaseFeeOfLondon;
    "default base fee": dropped DefaultBaseFee;
    "base fee burned": dropped BaseFeeBurned;
    "fee to beneficiary": dropped FeeToBeneficiary;
    "effective price": dropped EffectivePrice;
    "blob fee taken": dropped BlobFeeTaken;
    "unused gas returned": dropped UnusedGasReturned;
    "refund": dropped Refund;
    "refund limit": dropped RefundLimit;
    "floor gas": dropped FloorGas;
    "refund of authorities": dropped RefundOfAuthorities;
    "authorization chain": dropped AuthorizationChain;
    "authorization nonce": dropped AuthorizationNonce;
    "authorization code": dropped AuthorizationCode;
    "authorization signature": dropped AuthorizationSignature;
    "delegation of Prague": dropped DelegationOfPrague;
    "chain id": dropped ChainId;
    "random of Paris": dropped RandomOfParis;
    "hash of block" at BLOCKHASH: dropped HashOfBlock;
    "empty removed": dropped EmptyRemoved;
    "empty kept": dropped EmptyKept;
    "destroyed removed": dropped DestroyedRemoved;
    "refusal touches": dropped RefusalTouches;
    "insufficient funds": "accepted", accepts("insufficient funds", None);
    "less than intrinsic gas": "accepted", accepts("less than intrinsic gas", None);
    "fee overflow": "accepted", accepts("fee overflow", None);
    "less than floor gas": "accepted", accepts("less than floor gas", None);
    "sender has code": "accepted", accepts("sender has code", None);
    "fee below base fee": "accepted", accepts("fee below base fee", None);
    "tip above fee": "accepted", accepts("tip above fee", None);
    "nonce at its maximum": "accepted", accepts("nonce at its maximum", None);
    "nonce too high": "accepted", accepts("nonce too high", None);
    "nonce too low": "accepted", accepts("nonce too low", None);
    "more than block gas": "accepted", accepts("more than block gas", None);
    "more than gas cap": "accepted", accepts("more than gas cap", None);
    "init code too long": "accepted", accepts("init code too long", None);
    "no blobs": "accepted", accepts("no blobs", None);
    "blob version": "accepted", accepts("blob version", None);
    "too many blobs": "accepted", accepts("too many blobs", None);
    "fee below blob base fee": "accepted", accepts("fee below blob base fee", None);
    "no authorizations": "accepted", accepts("no authorizations", None);
    "wrong chain": "accepted", accepts("wrong chain", None);
    "bad signature": "accepted", accepts("bad signature", None);
    "type 1 before its fork": "accepted", accepts(BEFORE_ITS_FORK, Some(1));
    "type 2 before its fork": "accepted", accepts(BEFORE_ITS_FORK, Some(2));
    "type 3 before its fork": "accepted", accepts(BEFORE_ITS_FORK, Some(3));
    "type 4 before its fork": "accepted", accepts(BEFORE_ITS_FORK, Some(4));
    "creation by type 3": "accepted", accepts("creation by its type", Some(3));
    "creation by type 4": "accepted", accepts("creation by its type", Some(4));
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
