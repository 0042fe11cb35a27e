//! Precompiled contracts, within the limit of the runner.

use revm_context_interface::{Cfg, ContextTr};
use revm_handler::{EthPrecompiles, PrecompileProvider};
use revm_interpreter::{CallInputs, Gas, InstructionResult, InterpreterResult};
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, AddressSet};

use super::context::EngineContext;

/// The units per gas of these contracts, by the last bytes of their addresses.
const UNITS_BY_ADDRESS: [(u8, u64); 5] =
    [(ECRECOVER, 16), (SHA256, 1), (RIPEMD160, 1), (IDENTITY, 1), (P256_VERIFY, 11)];
/// The units per gas of all other contracts, which work on curves, and of BLAKE2.
const UNITS_OF_GAS: u64 = 5;
const ECRECOVER: u8 = 1;
const SHA256: u8 = 2;
const RIPEMD160: u8 = 3;
const IDENTITY: u8 = 4;
const MODEXP: u8 = 5;
/// Of the address 0x100.
const P256_VERIFY: u8 = 0;

/// How much gas is one unit for powers modulo a number without digits, which are not calculated.
const GAS_WITHOUT_MODULUS: u64 = 16;

/// The units per gas for powers modulo a number.
const UNITS_OF_GAS_OF_POWER: u64 = 2;

/// The units per gas for powers of short numbers: a squaring takes some time, however few digits there are.
const UNITS_OF_GAS_OF_SHORT: u64 = 8;
/// The most bytes of a short number.
const SHORT: u64 = 24;

/// The units for an input that the point evaluation of KZG rejects: it finds a wrong proof only at its end.
const UNITS_OF_REJECTED_PROOF: u64 = 350_000;
const KZG: u8 = 10;

/// The units per byte of rejected input: some contracts check much of it before they reject it.
const UNITS_OF_REJECTED_BYTE: u64 = 100;

/// The units per call.
const UNITS_OF_CALL: u64 = 100;
/// How many bytes of the input of a call are copied per unit.
const BYTES_OF_UNIT: u64 = 16;

/// The precompiled contracts of a fork. All check their price before they start to work, so a lower gas limit
/// bounds their time.
#[derive(Debug)]
pub(super) struct Precompiles {
    contracts: EthPrecompiles,
    /// The units that remain of the limit.
    left: u64,
    /// The units charged for calls since [`Precompiles::allow`].
    charged: u64,
    is_exceeded: bool,
}

impl Precompiles {
    pub(super) fn new(spec: SpecId) -> Precompiles {
        Precompiles { contracts: EthPrecompiles::new(spec), left: 0, charged: 0, is_exceeded: false }
    }

    /// Sets how many units the next call may use.
    pub(super) fn allow(&mut self, units: u64) {
        (self.left, self.charged, self.is_exceeded) = (units, 0, false);
    }

    /// The units that the call used; `None` if they did not suffice, and its result is not that of the contract.
    pub(super) fn charged(&self) -> Option<u64> {
        (!self.is_exceeded).then_some(self.charged)
    }

    fn units(inputs: &CallInputs, price: PrecompilePrice, result: &InterpreterResult) -> u64 {
        let length = inputs.input.len() as u64;
        let work = match result.result {
            // The price is checked before anything else.
            InstructionResult::PrecompileOOG => 0,
            end if end.is_halt() && inputs.bytecode_address[19] == KZG => UNITS_OF_REJECTED_PROOF,
            end if end.is_halt() => length.saturating_mul(UNITS_OF_REJECTED_BYTE),
            _ => price.units_of(result.gas.total_gas_spent()),
        };
        work.saturating_add(UNITS_OF_CALL + length / BYTES_OF_UNIT)
    }
}

/// What gas of a contract costs in units.
#[derive(Debug, Clone, Copy)]
struct PrecompilePrice {
    units: u64,
    gas: u64,
}

impl PrecompilePrice {
    fn of(context: &EngineContext, inputs: &CallInputs) -> PrecompilePrice {
        let contract = inputs.bytecode_address[19];
        if contract == MODEXP {
            return PrecompilePrice::of_power(&inputs.input.as_bytes(context));
        }
        let other = UNITS_BY_ADDRESS.iter().find(|other| other.0 == contract);
        PrecompilePrice { units: other.map_or(UNITS_OF_GAS, |other| other.1), gas: 1 }
    }

    /// The input begins with the lengths of base, exponent and modulus, a word each.
    fn of_power(input: &[u8]) -> PrecompilePrice {
        let length = |word: usize| {
            let bytes = input.iter().skip(32 * word).take(32);
            bytes.fold(0_u64, |length, byte| length.saturating_mul(256).saturating_add((*byte).into()))
        };
        match (length(0), length(2)) {
            (_, 0) => PrecompilePrice { units: 1, gas: GAS_WITHOUT_MODULUS },
            (0..=SHORT, 0..=SHORT) => PrecompilePrice { units: UNITS_OF_GAS_OF_SHORT, gas: 1 },
            _ => PrecompilePrice { units: UNITS_OF_GAS_OF_POWER, gas: 1 },
        }
    }

    fn units_of(self, gas: u64) -> u64 {
        (gas / self.gas).saturating_mul(self.units)
    }

    fn gas_of(self, units: u64) -> u64 {
        (units / self.units).saturating_mul(self.gas)
    }
}

impl PrecompileProvider<EngineContext> for Precompiles {
    type Output = InterpreterResult;

    fn set_spec(&mut self, spec: <<EngineContext as ContextTr>::Cfg as Cfg>::Spec) -> bool {
        PrecompileProvider::<EngineContext>::set_spec(&mut self.contracts, spec)
    }

    fn run(
        &mut self,
        context: &mut EngineContext,
        inputs: &CallInputs,
    ) -> Result<Option<InterpreterResult>, String> {
        if !self.contracts.contains(&inputs.bytecode_address) {
            return Ok(None);
        }
        let price = PrecompilePrice::of(context, inputs);
        let most = price.gas_of(self.left);
        let result = if inputs.gas_limit <= most {
            self.contracts.run(context, inputs)?
        } else {
            let bounded = CallInputs { gas_limit: most, ..inputs.clone() };
            let result = self.contracts.run(context, &bounded)?;
            self.is_exceeded =
                result.as_ref().is_some_and(|result| result.result == InstructionResult::PrecompileOOG);
            result.map(|result| with_limit(result, inputs.gas_limit))
        };
        self.charged = result.as_ref().map_or(0, |result| Precompiles::units(inputs, price, result));
        Ok(result)
    }

    fn warm_addresses(&self) -> &AddressSet {
        self.contracts.warm_addresses()
    }

    fn contains(&self, address: &Address) -> bool {
        self.contracts.contains(address)
    }
}

/// The result as if the contract had received this much gas.
fn with_limit(result: InterpreterResult, limit: u64) -> InterpreterResult {
    let mut gas = Gas::new_with_regular_gas_and_reservoir(limit, result.gas.reservoir());
    let is_paid = gas.record_regular_cost(result.gas.total_gas_spent());
    if result.result.is_halt() || !is_paid {
        gas.spend_all();
    }
    InterpreterResult { gas, ..result }
}
