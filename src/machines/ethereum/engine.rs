//! The configuration of revm for this machine.

use std::convert::Infallible;

use revm_context::Evm;
use revm_context::result::EVMError;
use revm_handler::EthFrame;
use revm_primitives::hardfork::SpecId;

use super::context::{EngineContext, RevmInstructions};
use super::precompiles::Precompiles;
use super::world::WorldSource;

pub(super) type RevmEngine = Evm<EngineContext, (), RevmInstructions, Precompiles, EthFrame>;

/// Why the engine does not execute a transaction.
pub(super) type EngineError = EVMError<Infallible>;

/// An engine for any fork; see [`super::machine`] for what is replaced for each case.
pub(super) fn new() -> RevmEngine {
    let spec = SpecId::default();
    let context = EngineContext::new(WorldSource::default(), spec);
    Evm::new(context, RevmInstructions::new_mainnet_with_spec(spec), Precompiles::new(spec))
}
