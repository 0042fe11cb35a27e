//! Forks, and the rules for them that revm does not provide.

use revm_context::CfgEnv;
use revm_context_interface::cfg::{GasId, GasParams};
use revm_primitives::hardfork::SpecId;

use super::fault::{EthereumFault, FaultyRule};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForkRules {
    /// Its name in files.
    pub(super) name: &'static str,
    pub(super) spec: SpecId,
    /// The blob parameters if a file has none.
    blobs: Option<Blobs>,
    storage: StorageGas,
    /// A planted fault of the machine.
    fault: Option<EthereumFault>,
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
    /// Net of earlier changes, as in Constantinople for a short time.
    Eip1283,
}

const CANCUN: Option<Blobs> = Some(BLOBS_OF_CANCUN);
const BLOBS_OF_CANCUN: Blobs = Blobs { most: 6, fraction: 3_338_477 };
const PRAGUE: Option<Blobs> = Some(Blobs { most: 9, fraction: 5_007_716 });
const OSAKA: Option<Blobs> = Some(Blobs { most: MAX_SINCE_OSAKA, fraction: 5_007_716 });
/// EIP-7892: forks that change only how many blobs a block has, and their price.
const BPO1: Option<Blobs> = Some(Blobs { most: MAX_SINCE_OSAKA, fraction: 8_346_193 });
const BPO2: Option<Blobs> = Some(Blobs { most: MAX_SINCE_OSAKA, fraction: 11_684_671 });

/// EIP-7594: a transaction may carry fewer blobs than a block.
const MAX_SINCE_OSAKA: u64 = 6;

const fn fork(name: &'static str, spec: SpecId, blobs: Option<Blobs>) -> ForkRules {
    ForkRules { name, spec, blobs, storage: StorageGas::OfSpec, fault: None }
}

const FORKS: &[ForkRules] = &[
    fork("Frontier", SpecId::FRONTIER, None),
    fork("Homestead", SpecId::HOMESTEAD, None),
    fork("EIP150", SpecId::TANGERINE, None),
    fork("EIP158", SpecId::SPURIOUS_DRAGON, None),
    fork("Byzantium", SpecId::BYZANTIUM, None),
    ForkRules { storage: StorageGas::Eip1283, ..fork("Constantinople", SpecId::PETERSBURG, None) },
    fork("ConstantinopleFix", SpecId::PETERSBURG, None),
    fork("Istanbul", SpecId::ISTANBUL, None),
    fork("Berlin", SpecId::BERLIN, None),
    fork("London", SpecId::LONDON, None),
    fork("Paris", SpecId::MERGE, None),
    fork("Shanghai", SpecId::SHANGHAI, None),
    fork("Cancun", SpecId::CANCUN, CANCUN),
    fork("Prague", SpecId::PRAGUE, PRAGUE),
    fork("Osaka", SpecId::OSAKA, OSAKA),
    fork("BPO1", SpecId::OSAKA, BPO1),
    fork("BPO2", SpecId::OSAKA, BPO2),
    // The main chain has no further schedule.
    fork("BPO3", SpecId::OSAKA, BPO2),
    fork("BPO4", SpecId::OSAKA, BPO2),
    fork("BPO5", SpecId::OSAKA, BPO2),
    fork("Amsterdam", SpecId::AMSTERDAM, BPO2),
];

impl ForkRules {
    pub(super) fn named(name: &str) -> Option<ForkRules> {
        FORKS.iter().find(|fork| fork.name == name).copied()
    }

    /// The fork on a machine with this fault.
    pub(super) fn with(self, fault: Option<EthereumFault>) -> ForkRules {
        ForkRules { fault, ..self }
    }

    /// Whether a rule that the engine does not have applies.
    pub(super) fn adds(self, rule: FaultyRule) -> bool {
        self.fault != Some(EthereumFault::Without(rule))
    }

    /// Whether a planted fault makes a refusal of transactions of this type void.
    pub(super) fn accepts(self, class: &str, kind: u8) -> bool {
        let Some(EthereumFault::Accepts(accepted)) = self.fault else { return false };
        accepted.class == class && accepted.kind.is_none_or(|only| only == kind)
    }

    /// Whether the rules of another fork also apply.
    pub(super) fn has(self, rules: SpecId) -> bool {
        self.spec.is_enabled_in(rules)
    }

    /// Whether empty accounts that are touched are removed (EIP-158).
    pub(super) fn removes_empty(self) -> bool {
        let is_new = self.has(SpecId::SPURIOUS_DRAGON);
        self.adds(if is_new { FaultyRule::EmptyRemoved } else { FaultyRule::EmptyKept }) == is_new
    }

    /// The blob parameters, given those that a file states for the fork.
    pub(super) fn blobs(self, written: Option<Blobs>) -> Option<Blobs> {
        let has_own = self.adds(FaultyRule::BlobParameters);
        let own = self.blobs?;
        let of_fork = if has_own { own } else { BLOBS_OF_CANCUN };
        let Blobs { most, fraction } = written.unwrap_or(of_fork);
        let most = if has_own && self.has(SpecId::OSAKA) { most.min(MAX_SINCE_OSAKA) } else { most };
        let (most, fraction) = match self.fault {
            Some(EthereumFault::Blobs(wrong)) if wrong.fork == self.name => {
                (most.saturating_add_signed(wrong.most), fraction.saturating_add_signed(wrong.fraction))
            }
            _ => (most, fraction),
        };
        // The engine divides by this number.
        Some(Blobs { most, fraction: fraction.max(1) })
    }

    /// The configuration of the engine without blob parameters and limits.
    pub(super) fn configuration(self) -> CfgEnv {
        let mut gas = GasParams::new_spec(self.spec);
        if self.has_net_storage_gas() {
            gas.override_gas([
                (GasId::sstore_static(), 200),
                (GasId::sstore_set_without_load_cost(), 19_800),
                (GasId::sstore_reset_without_cold_load_cost(), 4_800),
                (GasId::sstore_set_refund(), 19_800),
                (GasId::sstore_reset_refund(), 4_800),
            ]);
        }
        if let Some(EthereumFault::Price(wrong)) = self.fault
            && wrong.fork == self.name
        {
            wrong.plant(&mut gas);
        }
        CfgEnv::new_with_spec_and_gas_params(self.spec, gas)
    }

    /// Whether SSTORE is charged net of earlier changes, as the engine does not do.
    pub(super) fn has_net_storage_gas(self) -> bool {
        self.storage == StorageGas::Eip1283 && self.adds(FaultyRule::NetStorageGas)
    }
}
