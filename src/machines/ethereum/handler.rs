//! The phases of revm around the execution of a transaction, and what planted faults change in them.

use revm_context::JournalTr;
use revm_context::result::{HaltReason, InvalidTransaction};
use revm_context_interface::ContextTr;
use revm_context_interface::block::Block;
use revm_context_interface::journaled_state::account::JournaledAccountTr;
use revm_context_interface::transaction::Transaction;
use revm_handler::{EthFrame, FrameResult, Handler, MainnetHandler};
use revm_interpreter::{GasTracker, InitialAndFloorGas};
use revm_primitives::{Address, U256};

use super::authorizations::pardon_authorizations;
use super::engine::{EngineError, RevmEngine};
use super::fault::FaultyRule;
use super::fork::ForkRules;
use super::pardon::pardon;
use super::refusal::class;

type Plain = MainnetHandler<RevmEngine, EngineError, EthFrame>;

/// The phases under the rules of a fork.
pub(super) struct Phases(pub(super) ForkRules);

impl Handler for Phases {
    type Evm = RevmEngine;
    type Error = EngineError;
    type HaltReason = HaltReason;

    fn validate(&self, engine: &mut RevmEngine) -> Result<InitialAndFloorGas, EngineError> {
        let plain = Plain::default();
        let gas = match plain.validate(engine) {
            Err(EngineError::Transaction(why)) if self.0.accepts(class(&why), engine.ctx.tx.tx_type) => {
                pardon(&why, &mut engine.ctx);
                plain.validate(engine)?
            }
            Err(EngineError::Transaction(InvalidTransaction::OverflowPaymentInTransaction))
                if can_pay(engine)? =>
            {
                return Err(EngineError::Custom(LARGE_FEE.to_owned()));
            }
            other => other?,
        };
        if !self.0.adds(FaultyRule::BlobFeeTaken) {
            let price = engine.ctx.block.blob_gasprice().unwrap_or_default();
            pay(engine, engine.ctx.tx.caller, engine.ctx.tx.total_blob_gas(), price)?;
        }
        Ok(gas)
    }

    fn apply_eip7702_auth_list(
        &self,
        engine: &mut RevmEngine,
        gas: &mut GasTracker,
    ) -> Result<Option<u64>, EngineError> {
        pardon_authorizations(&mut engine.ctx, self.0);
        let refund = Plain::default().apply_eip7702_auth_list(engine, gas)?;
        Ok(refund.map(|refund| if self.0.adds(FaultyRule::RefundOfAuthorities) { refund } else { 0 }))
    }

    fn refund(
        &self,
        engine: &mut RevmEngine,
        result: &mut FrameResult,
        of_authorities: i64,
    ) -> Result<(), EngineError> {
        if self.0.adds(FaultyRule::RefundLimit) {
            Plain::default().refund(engine, result, of_authorities)?;
        } else {
            result.gas_mut().record_refund(of_authorities);
        }
        if !self.0.adds(FaultyRule::Refund) {
            result.gas_mut().set_refund(0);
        }
        Ok(())
    }

    fn eip7623_check_gas_floor(
        &self,
        engine: &mut RevmEngine,
        result: &mut FrameResult,
        gas: InitialAndFloorGas,
    ) {
        if self.0.adds(FaultyRule::FloorGas) {
            Plain::default().eip7623_check_gas_floor(engine, result, gas);
        }
    }

    fn reimburse_caller(&self, engine: &mut RevmEngine, result: &mut FrameResult) -> Result<(), EngineError> {
        if self.0.adds(FaultyRule::UnusedGasReturned) {
            Plain::default().reimburse_caller(engine, result)?;
        }
        Ok(())
    }

    fn reward_beneficiary(
        &self,
        engine: &mut RevmEngine,
        result: &mut FrameResult,
    ) -> Result<(), EngineError> {
        if self.0.adds(FaultyRule::FeeToBeneficiary) {
            Plain::default().reward_beneficiary(engine, result)?;
        }
        if !self.0.adds(FaultyRule::BaseFeeBurned) {
            let base_fee = engine.ctx.block.basefee.into();
            pay(engine, engine.ctx.block.beneficiary, result.gas().used(), base_fee)?;
        }
        Ok(())
    }
}

/// The fee of a transaction that the engine cannot execute although it is valid.
const LARGE_FEE: &str =
    "this machine computes with fees of at most 128 bits; gas limit times price of the transaction is more";

/// Whether the sender has what the transaction may cost at most. A price that was read as the largest one may be more.
fn can_pay(engine: &mut RevmEngine) -> Result<bool, EngineError> {
    let tx = &engine.ctx.tx;
    let (price, most) = (U256::from(tx.gas_price), U256::from(u128::MAX));
    let fee = price.saturating_mul(U256::from(tx.gas_limit));
    let blobs = U256::from(tx.max_fee_per_blob_gas).saturating_mul(U256::from(tx.total_blob_gas()));
    let cost = fee.saturating_add(blobs).saturating_add(tx.value);
    let sender = tx.caller;
    let balance = *engine.ctx.journal_mut().load_account_mut(sender)?.balance();
    Ok(price < most && cost <= balance && cost < U256::MAX)
}

/// Gives an account the price of this much gas.
fn pay(engine: &mut RevmEngine, to: Address, gas: u64, price: u128) -> Result<(), EngineError> {
    let amount = U256::from(price.saturating_mul(gas.into()));
    engine.ctx.journal_mut().load_account_mut(to)?.incr_balance(amount);
    Ok(())
}
