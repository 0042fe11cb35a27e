//! Faults that `vmconf mutants` and tests plant in the machine, to show that vectors detect them.

use revm_context_interface::cfg::{GasId, GasParams};

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
