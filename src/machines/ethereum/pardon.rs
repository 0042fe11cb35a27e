//! How a transaction that should be refused is executed nevertheless, on a machine that does not check the reason.

use revm_context::JournalTr;
use revm_context::result::InvalidTransaction;
use revm_context_interface::ContextTr;
use revm_context_interface::cfg::Cfg;
use revm_primitives::eip4844::VERSIONED_HASH_VERSION_KZG;
use revm_primitives::{B256, U256};
use revm_state::AccountInfo;

use super::context::EngineContext;
use super::refusal::{BEFORE_ITS_FORK, class};

/// The type of the transactions of Frontier, and the first one that has a tip.
const OLDEST: u8 = 0;
const WITH_TIP: u8 = 2;

/// The largest nonce of a transaction.
const MAX_NONCE: u64 = u64::MAX - 1;

/// Changes the transaction or its block such that this reason is gone.
pub(super) fn pardon(why: &InvalidTransaction, context: &mut EngineContext) {
    match why {
        InvalidTransaction::LackOfFundForMaxFee { fee, .. } => {
            change_sender(context, |sender| sender.balance = **fee);
        }
        InvalidTransaction::OverflowPaymentInTransaction => {
            context.tx.value = U256::ZERO;
            context.tx.gas_price = context.block.basefee.into();
        }
        InvalidTransaction::CallGasCostMoreThanGasLimit { initial_gas: gas, .. }
        | InvalidTransaction::GasFloorMoreThanGasLimit { gas_floor: gas, .. }
        | InvalidTransaction::TxGasLimitGreaterThanCap { cap: gas, .. } => context.tx.gas_limit = *gas,
        InvalidTransaction::CallerGasLimitMoreThanBlock => context.block.gas_limit = context.tx.gas_limit,
        InvalidTransaction::RejectCallerWithCode => {
            change_sender(context, |sender| sender.code = None);
        }
        InvalidTransaction::GasPriceLessThanBasefee => {
            context.block.basefee = context.tx.gas_price.try_into().unwrap_or(u64::MAX);
        }
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => {
            context.tx.gas_priority_fee = Some(context.tx.gas_price);
        }
        InvalidTransaction::NonceOverflowInTransaction => {
            context.tx.nonce = MAX_NONCE;
            change_sender(context, |sender| sender.nonce = MAX_NONCE);
        }
        InvalidTransaction::NonceTooHigh { state, .. } | InvalidTransaction::NonceTooLow { state, .. } => {
            context.tx.nonce = *state;
        }
        InvalidTransaction::CreateInitCodeSizeLimit => {
            let most = context.cfg.max_initcode_size();
            context.tx.data.truncate(most);
        }
        InvalidTransaction::EmptyBlobs => context.tx.blob_hashes = vec![with_version(B256::ZERO)],
        InvalidTransaction::BlobVersionNotSupported => {
            context.tx.blob_hashes.iter_mut().for_each(|hash| *hash = with_version(*hash));
        }
        InvalidTransaction::TooManyBlobs { max, .. } => context.tx.blob_hashes.truncate(*max),
        InvalidTransaction::BlobGasPriceGreaterThanMax { block_blob_gas_price, .. } => {
            context.tx.max_fee_per_blob_gas = *block_blob_gas_price;
        }
        InvalidTransaction::EmptyAuthorizationList | InvalidTransaction::AuthorizationListInvalidFields => {
            context.tx.tx_type = WITH_TIP;
        }
        InvalidTransaction::InvalidChainId | InvalidTransaction::MissingChainId => {
            context.tx.chain_id = Some(context.cfg.chain_id);
        }
        other if class(other) == BEFORE_ITS_FORK => context.tx.tx_type = OLDEST,
        // The machine itself checks these.
        _ => {}
    }
}

/// Changes the account of the sender.
fn change_sender(context: &mut EngineContext, change: impl FnOnce(&mut AccountInfo)) {
    let sender = context.tx.caller;
    let journal = context.journal_mut();
    if journal.load_account(sender).is_ok()
        && let Some(account) = journal.inner.state.get_mut(&sender)
    {
        change(&mut account.info);
    }
}

fn with_version(mut hash: B256) -> B256 {
    hash[0] = VERSIONED_HASH_VERSION_KZG;
    hash
}
