//! Why a transaction is refused before it is executed.

use revm_context::result::InvalidTransaction;

/// The class of a transaction whose type the fork does not have.
pub(super) const BEFORE_ITS_FORK: &str = "type before its fork";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TransactionRefusal {
    /// The name of its class in vectors.
    pub(super) class: &'static str,
    /// What is wrong, as text for people.
    pub(super) what: String,
}

impl TransactionRefusal {
    pub(super) fn new(class: &'static str, what: impl Into<String>) -> TransactionRefusal {
        TransactionRefusal { class, what: what.into() }
    }
}

impl From<InvalidTransaction> for TransactionRefusal {
    fn from(why: InvalidTransaction) -> TransactionRefusal {
        TransactionRefusal::new(class(&why), why.to_string())
    }
}

pub(super) fn class(why: &InvalidTransaction) -> &'static str {
    match why {
        InvalidTransaction::LackOfFundForMaxFee { .. } => "insufficient funds",
        InvalidTransaction::CallGasCostMoreThanGasLimit { .. } => "less than intrinsic gas",
        InvalidTransaction::OverflowPaymentInTransaction => "fee overflow",
        InvalidTransaction::GasFloorMoreThanGasLimit { .. } => "less than floor gas",
        InvalidTransaction::Eip2930NotSupported
        | InvalidTransaction::Eip1559NotSupported
        | InvalidTransaction::Eip4844NotSupported
        | InvalidTransaction::Eip7702NotSupported
        | InvalidTransaction::Eip7873NotSupported
        | InvalidTransaction::AccessListNotSupported
        | InvalidTransaction::MaxFeePerBlobGasNotSupported
        | InvalidTransaction::BlobVersionedHashesNotSupported
        | InvalidTransaction::AuthorizationListNotSupported => BEFORE_ITS_FORK,
        InvalidTransaction::RejectCallerWithCode => "sender has code",
        InvalidTransaction::GasPriceLessThanBasefee => "fee below base fee",
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => "tip above fee",
        InvalidTransaction::NonceOverflowInTransaction => "nonce at its maximum",
        InvalidTransaction::NonceTooHigh { .. } => "nonce too high",
        InvalidTransaction::NonceTooLow { .. } => "nonce too low",
        InvalidTransaction::CallerGasLimitMoreThanBlock => "more than block gas",
        InvalidTransaction::TxGasLimitGreaterThanCap { .. } => "more than gas cap",
        InvalidTransaction::CreateInitCodeSizeLimit => "init code too long",
        InvalidTransaction::EmptyBlobs => "no blobs",
        InvalidTransaction::BlobVersionNotSupported => "blob version",
        InvalidTransaction::TooManyBlobs { .. } => "too many blobs",
        InvalidTransaction::BlobGasPriceGreaterThanMax { .. } => "fee below blob base fee",
        InvalidTransaction::BlobCreateTransaction | InvalidTransaction::Eip7873MissingTarget => {
            "creation by its type"
        }
        InvalidTransaction::EmptyAuthorizationList | InvalidTransaction::AuthorizationListInvalidFields => {
            "no authorizations"
        }
        InvalidTransaction::InvalidChainId | InvalidTransaction::MissingChainId => "wrong chain",
        InvalidTransaction::Str(_) => "another reason",
    }
}
