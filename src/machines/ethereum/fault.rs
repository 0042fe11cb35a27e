//! Faults that tests plant in the machine, to show that vectors detect them.

use revm_context_interface::cfg::{GasId, GasParams};

/// What is wrong with a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EthereumFault {
    /// A price or a refund differs.
    Price(WrongPrice),
    /// A rule that this machine adds to revm's does not apply.
    Without(FaultyRule),
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

/// A rule of Ethereum that revm does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultyRule {
    /// Creation at an address with storage fails (EIP-7610).
    CreationCollision,
    /// EXTCODEHASH of an account with storage but without code is the hash of empty code.
    HashOfNoCode,
    /// Transactions with blobs or authorizations cannot create a contract.
    RecipientOfType,
    /// SSTORE of Constantinople is charged net of earlier changes (EIP-1283).
    NetStorageGas,
    /// Each fork has its own blob parameters if a file has none, and Osaka limits the blobs of a transaction.
    BlobParameters,
    /// A number that is too large for its type is refused, rather than changed to another one.
    NumberRange,
    /// Blocks before London have no base fee, even if the environment of a test has one.
    BaseFeeOfLondon,
}

impl WrongPrice {
    /// Changes the price; does nothing if revm does not have it.
    pub(super) fn plant(self, gas: &mut GasParams) {
        if let Some(id) = GasId::from_name(self.name) {
            gas.override_gas([(id, gas.get(id).saturating_add_signed(self.by))]);
        }
    }
}
