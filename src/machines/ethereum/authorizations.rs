//! What planted faults change in the authorizations of a transaction.

use revm_context::JournalTr;
use revm_context_interface::ContextTr;
use revm_context_interface::either::Either;
use revm_context_interface::transaction::{
    Authorization, AuthorizationTr, RecoveredAuthority, RecoveredAuthorization, SignedAuthorization,
};
use revm_database_interface::Database;
use revm_primitives::{U256, uint};
use revm_state::AccountInfo;

use super::context::EngineContext;
use super::fault::FaultyRule;
use super::fork::ForkRules;

/// An authorization, signed or with the account that signed it.
pub(super) type AnyAuthorization = Either<SignedAuthorization, RecoveredAuthorization>;

/// The order of the curve of signatures.
const ORDER: U256 = uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

/// Changes authorizations that break a rule which the machine does not check.
pub(super) fn pardon_authorizations(context: &mut EngineContext, fork: ForkRules) {
    let mut list = std::mem::take(&mut context.tx.authorization_list);
    for authorization in &mut list {
        if !fork.adds(FaultyRule::AuthorizationSignature) {
            with_low_s(authorization);
        }
        if !fork.adds(FaultyRule::AuthorizationChain) {
            change(authorization, |it| it.chain_id = U256::ZERO);
        }
        if !fork.adds(FaultyRule::AuthorizationNonce) {
            let nonce = authority(context, authorization).map_or(0, |account| account.nonce);
            change(authorization, |it| it.nonce = nonce);
        }
        if !fork.adds(FaultyRule::AuthorizationCode) {
            clear_code(context, authorization);
        }
    }
    context.tx.authorization_list = list;
}

/// The account that signed; `None` if it does not exist.
fn authority(context: &mut EngineContext, signed: &AnyAuthorization) -> Option<AccountInfo> {
    let address = signed.authority()?;
    let journal = context.journal_mut();
    match journal.inner.state.get(&address) {
        Some(account) => Some(account.info.clone()),
        None => journal.database.basic(address).ok()?,
    }
}

/// Clears the code of the account that signed, unless it is a delegation.
fn clear_code(context: &mut EngineContext, signed: &AnyAuthorization) -> Option<()> {
    let code = authority(context, signed)?.code?;
    if !code.is_empty() && !code.is_eip7702() {
        let address = signed.authority()?;
        let journal = context.journal_mut();
        journal.load_account(address).ok()?;
        journal.inner.state.get_mut(&address)?.info.code = None;
    }
    Some(())
}

/// Changes what was signed, without another signature.
fn change(signed: &mut AnyAuthorization, change: impl FnOnce(&mut Authorization)) {
    let authority = signed.authority().map_or(RecoveredAuthority::Invalid, RecoveredAuthority::Valid);
    let mut inner = match signed {
        Either::Left(signed) => signed.inner().clone(),
        Either::Right(recovered) => recovered.clone().into_parts().0,
    };
    change(&mut inner);
    *signed = Either::Right(RecoveredAuthorization::new_unchecked(inner, authority));
}

/// The other signature by the same key, if `s` is in the upper half.
fn with_low_s(signed: &mut AnyAuthorization) {
    if let Either::Left(it) = signed
        && (ORDER / U256::from(2)..ORDER).contains(&it.s())
    {
        let (parity, s) = (1 - it.y_parity().min(1), ORDER - it.s());
        *it = SignedAuthorization::new_unchecked(it.inner().clone(), parity, it.r(), s);
    }
}
