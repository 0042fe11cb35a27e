//! What instructions and contracts of the engine work on.

use revm_context::{BlockEnv, CfgEnv, Journal, TxEnv};
use revm_handler::instructions::EthInstructions;
use revm_interpreter::interpreter::EthInterpreter;

use super::world::WorldSource;

pub(super) type EngineContext =
    revm_context::Context<BlockEnv, TxEnv, CfgEnv, WorldSource, Journal<WorldSource>, TransactionWork>;
pub(super) type RevmInstructions = EthInstructions<EthInterpreter, EngineContext>;

/// Units of work that instructions used besides their gas.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TransactionWork(pub(super) u64);

/// How many entries of the journal, accounts and logs there are: what grows while a transaction runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JournalLengths {
    pub(super) entries: usize,
    pub(super) accounts: usize,
    pub(super) logs: usize,
}

impl JournalLengths {
    pub(super) fn of(context: &EngineContext) -> JournalLengths {
        let journal = &context.journaled_state.inner;
        JournalLengths {
            entries: journal.journal.len(),
            accounts: journal.state.len(),
            logs: journal.logs.len(),
        }
    }
}
