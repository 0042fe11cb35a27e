//! The configuration of revm for this machine.

use std::convert::Infallible;

use revm_context::result::EVMError;
use revm_context::{BlockEnv, CfgEnv, Evm, Journal, TxEnv};
use revm_handler::instructions::EthInstructions;
use revm_handler::{EthFrame, MainnetHandler};
use revm_interpreter::interpreter::EthInterpreter;
use revm_primitives::hardfork::SpecId;

use super::precompiles::Precompiles;
use super::rules::Work;
use super::world::Source;

pub(super) type Context = revm_context::Context<BlockEnv, TxEnv, CfgEnv, Source, Journal<Source>, Work>;
pub(super) type Instructions = EthInstructions<EthInterpreter, Context>;
pub(super) type Engine = Evm<Context, (), Instructions, Precompiles, EthFrame>;

/// The phases of a transaction around its execution.
pub(super) type Phases = MainnetHandler<Engine, EngineError, EthFrame>;

/// Why the engine does not execute a transaction.
pub(super) type EngineError = EVMError<Infallible>;

/// An engine for any fork; see [`super::machine`] for what is replaced for each case.
pub(super) fn new() -> Engine {
    let spec = SpecId::default();
    let context = Context::new(Source::default(), spec);
    Evm::new(context, Instructions::new_mainnet_with_spec(spec), Precompiles::new(spec))
}
