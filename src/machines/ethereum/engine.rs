//! The configuration of revm for this machine.

use std::convert::Infallible;

use revm_context::result::EVMError;
use revm_context::{BlockEnv, CfgEnv, Evm, Journal, TxEnv};
use revm_handler::EthFrame;
use revm_handler::instructions::EthInstructions;
use revm_interpreter::interpreter::EthInterpreter;
use revm_primitives::hardfork::SpecId;

use super::precompiles::Precompiles;
use super::rules::TransactionWork;
use super::world::WorldSource;

pub(super) type EngineContext =
    revm_context::Context<BlockEnv, TxEnv, CfgEnv, WorldSource, Journal<WorldSource>, TransactionWork>;
pub(super) type RevmInstructions = EthInstructions<EthInterpreter, EngineContext>;
pub(super) type RevmEngine = Evm<EngineContext, (), RevmInstructions, Precompiles, EthFrame>;

/// Why the engine does not execute a transaction.
pub(super) type EngineError = EVMError<Infallible>;

/// An engine for any fork; see [`super::machine`] for what is replaced for each case.
pub(super) fn new() -> RevmEngine {
    let spec = SpecId::default();
    let context = EngineContext::new(WorldSource::default(), spec);
    Evm::new(context, RevmInstructions::new_mainnet_with_spec(spec), Precompiles::new(spec))
}
