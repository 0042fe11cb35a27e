//! A transaction from its validation to its settlement, in the phases of revm.

use revm_context::{CfgEnv, JournalTr, TxEnv};
use revm_context_interface::ContextTr;
use revm_context_interface::local::OutFrame;
use revm_handler::{EthFrame, FrameResult, Handler, ItemOrResult, execution::runtime_oog_unwind};
use revm_interpreter::FrameInput;
use revm_interpreter::interpreter_action::FrameInit;
use revm_primitives::Address;
use revm_state::EvmState;

use super::slices::size_of_code;
use super::{
    Ethereum, RunningTransaction, TransactionEnd, TransactionOutcome, TransactionStage, TransactionStop,
};
use crate::machines::account::{COPIES, Limit};
use crate::machines::ethereum::effects::{received, returned_to};
use crate::machines::ethereum::engine::{EngineError, RevmEngine};
use crate::machines::ethereum::fault::FaultyRule;
use crate::machines::ethereum::fork::ForkRules;
use crate::machines::ethereum::handler::Phases;
use crate::machines::ethereum::instructions;
use crate::machines::ethereum::memory::MemoryGrowth;
use crate::machines::ethereum::program::Prepared;
use crate::machines::ethereum::refusal::TransactionRefusal;
use crate::machines::ethereum::transaction;
use crate::machines::ethereum::transaction_record::ChosenTransaction;
use crate::machines::status::LoadError;

/// The id of the chain of blocks that state tests are usually in.
const MAINNET: u64 = 1;

/// The charge for a call or a creation, in units, besides its instruction. Created code is charged per byte,
/// since it is analysed.
const UNITS_OF_FRAME: u64 = 100;

/// The charge for a byte of created code, in units: its gas, as that of instructions is charged.
const UNITS_OF_CREATED_BYTE: u64 = 16;

/// The charge for an authorization, whose signature is recovered before the first instruction, in units.
const UNITS_OF_AUTHORIZATION: u64 = 52_000;

impl Ethereum {
    /// Sets up the engine for a transaction, and advances it to its first instruction.
    pub(super) fn begin(&mut self, chosen: ChosenTransaction<'_>) -> Result<(), LoadError> {
        let test = self.test.clone().ok_or_else(|| LoadError::new("there is no program"))?;
        let fork = chosen.fork()?;
        let fork =
            ForkRules::named(fork).ok_or_else(|| LoadError::new(format!("there is no fork {fork}")))?;
        let fork = fork.with(self.fault);
        let touches = chosen.refusal()? == "coinbase" && fork.adds(FaultyRule::RefusalTouches);
        let refused = touches.then(|| test.coinbase());
        let transaction = transaction::read(&test, fork, chosen)?;
        let gas = transaction.as_ref().map_or(0, |transaction| transaction.gas_limit);
        self.set_up(&test, fork, MemoryGrowth::of(gas, self.account.limits().memory))?;
        let outcome = match transaction {
            Err(refusal) => Err(refusal),
            Ok(transaction) => self.start(transaction, fork)?,
        };
        if let Err(refusal) = outcome {
            self.end(TransactionOutcome::Refused(refusal), refused);
        }
        Ok(())
    }

    fn set_up(&mut self, test: &Prepared, fork: ForkRules, growth: MemoryGrowth) -> Result<(), LoadError> {
        let blobs = test.blobs(fork)?;
        let context = &mut self.engine.ctx;
        if self.fork != Some(fork) {
            context.cfg = fork.configuration();
        }
        if (self.fork, self.growth) != (Some(fork), growth) {
            self.engine.instruction = instructions::of_fork(fork, growth);
        }
        (self.fork, self.growth) = (Some(fork), growth);
        let CfgEnv { chain_id, max_blobs_per_tx, blob_base_fee_update_fraction, memory_limit, .. } =
            &mut context.cfg;
        *chain_id = if fork.adds(FaultyRule::ChainId) { test.chain } else { MAINNET };
        *max_blobs_per_tx = blobs.map(|blobs| blobs.most);
        *blob_base_fee_update_fraction = blobs.map(|blobs| blobs.fraction);
        *memory_limit = self.account.limits().memory;
        context.block = test.block(fork, blobs);
        context.journaled_state.database.world = test.world.clone();
        context.journaled_state.database.fork = Some(fork);
        Ok(())
    }

    /// Validates the transaction, and advances it to its first instruction.
    fn start(
        &mut self,
        transaction: TxEnv,
        fork: ForkRules,
    ) -> Result<Result<(), TransactionRefusal>, LoadError> {
        self.engine.ctx.tx = transaction;
        match self.enter_first(fork) {
            Ok(()) => Ok(Ok(())),
            Err(TransactionStop::Limited(limit)) => {
                self.stage = TransactionStage::Limited(limit);
                Ok(Ok(()))
            }
            Err(TransactionStop::Invalid(EngineError::Transaction(why))) => Ok(Err(why.into())),
            Err(TransactionStop::Invalid(other)) => Err(LoadError::new(other.to_string())),
        }
    }

    fn enter_first(&mut self, fork: ForkRules) -> Result<(), TransactionStop> {
        let authorizations = self.engine.ctx.tx.authorization_list.len() as u64;
        self.account.charge(UNITS_OF_AUTHORIZATION * authorizations)?;
        let mut phases = Phases(fork);
        let engine = &mut self.engine;
        let initial = phases.validate(engine)?;
        let mut gas = phases.tx_gas(engine, &initial);
        let prepared = phases.pre_execution(engine, &mut gas)?;
        let refund = prepared.as_ref().map_or(0, |prepared| prepared.eip7702_refund as i64);
        let mut first = None;
        if let Some(prepared) = prepared {
            first = phases.first_frame_input(engine, &mut gas)?;
            if first.is_some() {
                engine.ctx.journal_mut().checkpoint_commit();
            } else {
                runtime_oog_unwind(&mut engine.ctx, prepared.checkpoint)?;
            }
        }
        self.stage = TransactionStage::Running(RunningTransaction { fork, initial, gas, refund });
        if let Some(first) = first {
            return self.enter(first);
        }
        let result = phases.runtime_oog_result(&mut self.engine, &initial, &mut gas)?;
        self.settle(result, RunningTransaction { fork, initial, gas, refund })
    }

    /// Starts a call or a creation.
    pub(super) fn enter(&mut self, init: FrameInit) -> Result<(), TransactionStop> {
        let created = match &init.frame_input {
            FrameInput::Create(inputs) => inputs.init_code().len(),
            FrameInput::Call(_) | FrameInput::Empty => 0,
        };
        self.account.charge(UNITS_OF_FRAME + created as u64)?;
        self.hold(size_of_code(created))?;
        let left = self.account.limits().steps.saturating_sub(self.account.units());
        if self.depth == self.frames.len() {
            self.frames.push(EthFrame::invalid());
        }
        let RevmEngine { ctx, precompiles, .. } = &mut self.engine;
        self.calls.enter(&init.frame_input, ctx);
        precompiles.allow(left);
        let slot = OutFrame::new_init(&mut self.frames[self.depth]);
        let entered = EthFrame::init_with_context(slot, ctx, precompiles, init)?;
        self.account.charge(precompiles.charged().ok_or(Limit::Steps)?)?;
        match entered {
            ItemOrResult::Item(token) => {
                token.assert();
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                if let Some(trail) = &mut self.trail {
                    trail.pass(received(self.depth));
                }
                Ok(())
            }
            ItemOrResult::Result(result) => self.leave(result),
        }
    }

    /// Passes a result to the frame that waits for it, or ends the transaction.
    pub(super) fn leave(&mut self, result: FrameResult) -> Result<(), TransactionStop> {
        self.calls.leave(&result);
        self.hold_result(&result)?;
        if let Some(caller) = self.depth.checked_sub(1) {
            if let Some(trail) = &mut self.trail {
                trail.pass(returned_to(self.depth, &result));
            }
            self.frames[caller].return_result::<_, EngineError>(&mut self.engine.ctx, result)?;
            self.forget_lengths();
            return Ok(());
        }
        let TransactionStage::Running(mut running) = self.stage else { return Ok(()) };
        let mut result = result;
        self.refund = if result.interpreter_result().is_ok() { result.gas().refunded() } else { 0 };
        Phases(running.fork).last_frame_result(&mut self.engine, &mut result, &mut running.gas)?;
        self.settle(result, running)
    }

    /// Counts the data that a frame returns, and charges and counts the code that it creates.
    fn hold_result(&mut self, result: &FrameResult) -> Result<(), Limit> {
        let length = result.interpreter_result().output.len();
        match result {
            FrameResult::Create(created) if created.result.is_ok() => {
                self.account.charge(UNITS_OF_CREATED_BYTE * length as u64)?;
                self.hold(size_of_code(length))
            }
            FrameResult::Create(_) | FrameResult::Call(_) => self.hold(length as u64),
        }
    }

    fn settle(
        &mut self,
        mut result: FrameResult,
        running: RunningTransaction,
    ) -> Result<(), TransactionStop> {
        let RunningTransaction { fork, initial, refund, .. } = running;
        let mut phases = Phases(fork);
        let gas = phases.post_execution(&mut self.engine, &mut result, initial, refund)?;
        let result = phases.execution_result(&mut self.engine, result, gas)?;
        self.end(TransactionOutcome::Executed(result), None);
        let size = self.after().map_or(0, |after| after.size());
        Ok(self.account.hold(COPIES * size)?)
    }

    fn end(&mut self, outcome: TransactionOutcome, touched: Option<Address>) {
        let changes = match outcome {
            TransactionOutcome::Executed(_) => self.engine.ctx.journaled_state.finalize(),
            TransactionOutcome::Refused(_) => EvmState::default(),
        };
        self.stage = TransactionStage::Ended(TransactionEnd { outcome, changes, touched });
    }
}
