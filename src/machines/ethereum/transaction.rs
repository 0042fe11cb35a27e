//! The transaction of a case.

use revm_context::TxEnv;
use revm_context_interface::either::Either;
use revm_context_interface::transaction::{AccessList, AccessListItem, Authorization, SignedAuthorization};
use revm_primitives::hardfork::SpecId;
use revm_primitives::ruint::UintTryTo;
use revm_primitives::{Address, B256, Bytes, TxKind, U256};

use super::authorizations::AnyAuthorization;
use super::fault::FaultyRule;
use super::fork::ForkRules;
use super::program::Prepared;
use super::refusal::{BEFORE_ITS_FORK, TransactionRefusal};
use super::transaction_record::{AccessRecord, AuthorizationRecord, ChosenTransaction, NumberMember};
use crate::machines::record::word;
use crate::machines::status::LoadError;
use crate::model::Value;

/// The types of transactions that have rules of their own here.
const DYNAMIC_FEE: u8 = 2;
const BLOBS: u8 = 3;
const AUTHORIZATIONS: u8 = 4;

/// The transaction with the chosen parameters, or why no block could contain it.
pub(super) fn read(
    test: &Prepared,
    fork: ForkRules,
    chosen: ChosenTransaction<'_>,
) -> Result<Result<TxEnv, TransactionRefusal>, LoadError> {
    let common = test.transaction()?;
    let mut reader = TransactionReader { unencodable: None, fork };
    let kind = reader.number(chosen.kind()?)?.unwrap_or_default().saturating_to();
    let to = common.to()?;
    let tip = reader.small(common.tip()?)?;
    let price = reader.small(common.gas_price()?)?;
    let fee = reader.small(common.fee()?)?;
    // geth takes the one price of a transaction of the first two types for both prices of the others.
    let tip = if fee.is_none() { tip.or(price) } else { tip };
    let fee = fee.or(price).filter(|_| kind >= DYNAMIC_FEE);
    let nonce = reader.number(common.nonce()?)?.unwrap_or_default();
    let chain = reader.number(common.chain()?)?;
    let transaction = TxEnv {
        tx_type: kind,
        caller: test.sender.unwrap_or_default(),
        gas_limit: reader.small(chosen.gas_limit()?)?.unwrap_or_default(),
        gas_price: fee.or(price).unwrap_or_default(),
        kind: to.map_or(TxKind::Create, |to| TxKind::Call(Address::from_word(to.into()))),
        value: reader.number(chosen.value()?)?.unwrap_or_default(),
        data: Bytes::copy_from_slice(chosen.data()?),
        nonce: nonce.saturating_to(),
        chain_id: Some(chain.map_or(test.chain, |chain| test.engine_chain(chain))),
        access_list: access_list(chosen.access_list()?)?,
        gas_priority_fee: fee
            .filter(|_| fork.adds(FaultyRule::EffectivePrice))
            .map(|_| tip.unwrap_or_default()),
        blob_hashes: blob_hashes(common.blob_hashes()?)?,
        max_fee_per_blob_gas: reader.number(common.blob_fee()?)?.unwrap_or_default().saturating_to(),
        authorization_list: authorizations(common.authorizations()?)?,
    };
    Ok(refusal(test, fork, &transaction, nonce, &reader).map_or(Ok(transaction), Err))
}

/// The refusal of the transaction for a reason that the engine does not check.
fn refusal(
    test: &Prepared,
    fork: ForkRules,
    transaction: &TxEnv,
    nonce: U256,
    reader: &TransactionReader,
) -> Option<TransactionRefusal> {
    let checks_range = fork.adds(FaultyRule::NumberRange);
    let mut refusals = Vec::new();
    if let Some(name) = reader.unencodable.filter(|_| checks_range) {
        refusals.push(TransactionRefusal::new("cannot be encoded", format!("{name} has more than 256 bits")));
    }
    if nonce > U256::from(u64::MAX) && checks_range {
        refusals.push(TransactionRefusal::new("cannot be encoded", "the nonce has more than 64 bits"));
    }
    if test.sender.is_none() {
        refusals
            .push(TransactionRefusal::new("bad signature", "no address can be recovered from the signature"));
    }
    let kind = transaction.tx_type;
    if kind > AUTHORIZATIONS {
        let what = format!("no fork has transactions of type {kind}");
        refusals.push(TransactionRefusal::new(BEFORE_ITS_FORK, what));
    }
    let exists = match kind {
        BLOBS => fork.has(SpecId::CANCUN),
        AUTHORIZATIONS => fork.has(SpecId::PRAGUE),
        _ => false,
    };
    // The engine refuses a type before its fork.
    if exists && transaction.kind.is_create() {
        let what = format!("a transaction of type {kind} cannot create a contract");
        refusals.push(TransactionRefusal::new("creation by its type", what));
    }
    if exists && kind == BLOBS && !test.has_blob_fee() {
        refusals.push(TransactionRefusal::new("fee below blob base fee", "the block has no blob base fee"));
    }
    refusals.into_iter().find(|refusal| !fork.accepts(refusal.class, kind))
}

/// Reads numbers, and remembers the first one that no transaction can have.
struct TransactionReader {
    unencodable: Option<&'static str>,
    fork: ForkRules,
}

impl TransactionReader {
    fn number(&mut self, member: Option<NumberMember<'_>>) -> Result<Option<U256>, LoadError> {
        let Some(member) = member else { return Ok(None) };
        let word = member.word()?;
        if word.is_none() {
            self.unencodable.get_or_insert(member.name);
        }
        Ok(Some(word.unwrap_or(U256::MAX)))
    }

    /// A number of a smaller type. A number that is too large becomes the largest one, which is refused.
    fn small<T>(&mut self, member: Option<NumberMember<'_>>) -> Result<Option<T>, LoadError>
    where
        U256: UintTryTo<T>,
    {
        let number = self.number(member)?;
        Ok(number.map(|number| {
            if self.fork.adds(FaultyRule::NumberRange) {
                number.saturating_to()
            } else {
                number.wrapping_to()
            }
        }))
    }
}

fn access_list(items: Option<&[Value]>) -> Result<AccessList, LoadError> {
    let item = |item: &Value| {
        let item = AccessRecord(item);
        let key = |key: &Value| Ok(B256::from(word("storageKeys", key)?));
        Ok(AccessListItem {
            address: Address::from_word(item.address()?.into()),
            storage_keys: item
                .keys()?
                .unwrap_or_default()
                .iter()
                .map(key)
                .collect::<Result<_, LoadError>>()?,
        })
    };
    items.unwrap_or_default().iter().map(item).collect::<Result<Vec<_>, _>>().map(AccessList)
}

fn blob_hashes(hashes: Option<&[Value]>) -> Result<Vec<B256>, LoadError> {
    let hash = |hash: &Value| match hash {
        Value::Bytes(bytes) if bytes.len() == 32 => Ok(B256::from_slice(bytes)),
        _ => Err(LoadError::new("a blob hash must be 32 bytes")),
    };
    hashes.unwrap_or_default().iter().map(hash).collect()
}

/// The authorizations. A number that is out of range becomes the largest one, which is never valid; the
/// engine skips invalid authorizations.
fn authorizations(items: Option<&[Value]>) -> Result<Vec<AnyAuthorization>, LoadError> {
    let number = |member: NumberMember<'_>| Ok::<_, LoadError>(member.word()?.unwrap_or(U256::MAX));
    let read = |item: &Value| {
        let item = AuthorizationRecord(item);
        let authorization = Authorization {
            chain_id: number(item.chain()?)?,
            address: Address::from_word(item.address()?.into()),
            nonce: number(item.nonce()?)?.saturating_to(),
        };
        let (parity, r, s) = (number(item.v()?)?.saturating_to(), number(item.r()?)?, number(item.s()?)?);
        Ok(Either::Left(SignedAuthorization::new_unchecked(authorization, parity, r, s)))
    };
    items.unwrap_or_default().iter().map(read).collect()
}
