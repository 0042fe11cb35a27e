//! Forks, and what revm does not bring along for them.

use revm::context::CfgEnv;
use revm::context_interface::cfg::{GasId, GasParams};
use revm::primitives::hardfork::SpecId;

use super::engine::Instructions;
use super::rules;

/// A fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fork {
    /// Its name in files.
    pub(super) name: &'static str,
    pub(super) spec: SpecId,
    /// The blob parameters where a file has none.
    blobs: Option<Blobs>,
    storage: StorageGas,
}

/// What blobs cost, and how many a transaction may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blobs {
    pub(super) most: u64,
    pub(super) fraction: u64,
}

/// How SSTORE is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StorageGas {
    /// As in the rules of the engine.
    OfSpec,
    /// Net of earlier changes, as Constantinople had it for a short time.
    Eip1283,
}

const CANCUN: Option<Blobs> = Some(Blobs { most: 6, fraction: 3_338_477 });
const PRAGUE: Option<Blobs> = Some(Blobs { most: 9, fraction: 5_007_716 });
const OSAKA: Option<Blobs> = Some(Blobs { most: MOST_SINCE_OSAKA, fraction: 5_007_716 });

/// EIP-7594: a block may carry more blobs than a transaction.
const MOST_SINCE_OSAKA: u64 = 6;

const fn fork(name: &'static str, spec: SpecId, blobs: Option<Blobs>) -> Fork {
    Fork { name, spec, blobs, storage: StorageGas::OfSpec }
}

const FORKS: &[Fork] = &[
    fork("Frontier", SpecId::FRONTIER, None),
    fork("Homestead", SpecId::HOMESTEAD, None),
    fork("EIP150", SpecId::TANGERINE, None),
    fork("EIP158", SpecId::SPURIOUS_DRAGON, None),
    fork("Byzantium", SpecId::BYZANTIUM, None),
    Fork { storage: StorageGas::Eip1283, ..fork("Constantinople", SpecId::PETERSBURG, None) },
    fork("ConstantinopleFix", SpecId::PETERSBURG, None),
    fork("Istanbul", SpecId::ISTANBUL, None),
    fork("Berlin", SpecId::BERLIN, None),
    fork("London", SpecId::LONDON, None),
    fork("Paris", SpecId::MERGE, None),
    fork("Shanghai", SpecId::SHANGHAI, None),
    fork("Cancun", SpecId::CANCUN, CANCUN),
    fork("Prague", SpecId::PRAGUE, PRAGUE),
    fork("Osaka", SpecId::OSAKA, OSAKA),
    fork("BPO1", SpecId::OSAKA, OSAKA),
    fork("BPO2", SpecId::OSAKA, OSAKA),
    fork("BPO3", SpecId::OSAKA, OSAKA),
    fork("BPO4", SpecId::OSAKA, OSAKA),
    fork("BPO5", SpecId::OSAKA, OSAKA),
    fork("Amsterdam", SpecId::AMSTERDAM, OSAKA),
];

impl Fork {
    /// The fork of this name.
    pub(super) fn named(name: &str) -> Option<Fork> {
        FORKS.iter().find(|fork| fork.name == name).copied()
    }

    /// Whether the rules of another fork hold, too.
    pub(super) fn has(self, rules: SpecId) -> bool {
        self.spec.is_enabled_in(rules)
    }

    /// The blob parameters by what a file says for the fork.
    pub(super) fn blobs(self, written: Option<Blobs>) -> Option<Blobs> {
        let Blobs { most, fraction } = written.or(self.blobs).filter(|_| self.blobs.is_some())?;
        let most = if self.has(SpecId::OSAKA) { most.min(MOST_SINCE_OSAKA) } else { most };
        // The engine divides by it.
        Some(Blobs { most, fraction: fraction.max(1) })
    }

    /// The instructions with their base costs.
    pub(super) fn instructions(self) -> Instructions {
        let mut instructions = Instructions::new_mainnet_with_spec(self.spec);
        rules::replace_extcodehash(&mut instructions, self.spec);
        if self.storage == StorageGas::Eip1283 {
            rules::replace_sstore(&mut instructions);
        }
        instructions
    }

    /// The configuration of the engine without blob parameters and limits.
    pub(super) fn configuration(self) -> CfgEnv {
        let mut gas = GasParams::new_spec(self.spec);
        if self.storage == StorageGas::Eip1283 {
            gas.override_gas([
                (GasId::sstore_static(), 200),
                (GasId::sstore_set_without_load_cost(), 19_800),
                (GasId::sstore_reset_without_cold_load_cost(), 4_800),
                (GasId::sstore_set_refund(), 19_800),
                (GasId::sstore_reset_refund(), 4_800),
            ]);
        }
        CfgEnv::new_with_spec_and_gas_params(self.spec, gas)
    }
}

/// A price or refund of one fork that is not what it should be.
#[derive(Debug, Clone, Copy)]
pub struct WrongPrice {
    /// The fork.
    pub fork: &'static str,
    /// Its name in revm: `sstore_clearing_slot_refund`.
    pub name: &'static str,
    /// By how much it is higher.
    pub by: i64,
}

impl WrongPrice {
    /// Changes the price; one that revm does not have stays as it is.
    pub(super) fn plant(self, gas: &mut GasParams) {
        if let Some(id) = GasId::from_name(self.name) {
            gas.override_gas([(id, gas.get(id).saturating_add_signed(self.by))]);
        }
    }
}
