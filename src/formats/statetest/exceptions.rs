//! The old and new names of refusals in `expectException`, by class.

use crate::formats::fields::{Diagnostics, wrong_type};
use crate::model::diagnostic::Diagnostic;
use crate::model::rule::Rule;
use crate::text::json::{Node, quoted};

/// The refusals that an entry accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Demanded {
    /// One of these classes.
    Classes(Vec<&'static str>),
    /// Any class, since a name is not known.
    Any,
}

/// The classes of refusals by their names in the machine, and the names in files for each.
const CLASSES: &[(&str, &[&str])] = &[
    ("insufficient funds", &["INSUFFICIENT_ACCOUNT_FUNDS", "TR_NoFunds", "TR_NoFundsOrGas"]),
    (
        "less than intrinsic gas",
        &["INTRINSIC_GAS_TOO_LOW", "IntrinsicGas", "TR_IntrinsicGas", "TR_NoFundsOrGas"],
    ),
    ("fee overflow", &["GASLIMIT_PRICE_PRODUCT_OVERFLOW", "TR_NoFundsX"]),
    ("less than floor gas", &["INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"]),
    (
        "type before its fork",
        &[
            "TYPE_1_TX_PRE_FORK",
            "TYPE_2_TX_PRE_FORK",
            "TYPE_3_TX_PRE_FORK",
            "TYPE_4_TX_PRE_FORK",
            "TR_TypeNotSupported",
            "TR_TypeNotSupportedBlob",
        ],
    ),
    ("sender has code", &["SENDER_NOT_EOA", "SenderNotEOA"]),
    ("fee below base fee", &["INSUFFICIENT_MAX_FEE_PER_GAS", "TR_FeeCapLessThanBlocks"]),
    ("tip above fee", &["PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS", "TR_TipGtFeeCap"]),
    ("nonce at its maximum", &["NONCE_IS_MAX", "TR_NonceHasMaxValue"]),
    ("nonce too high", &["NONCE_MISMATCH_TOO_HIGH"]),
    ("nonce too low", &["NONCE_MISMATCH_TOO_LOW"]),
    ("more than block gas", &["GAS_ALLOWANCE_EXCEEDED", "TR_GasLimitReached"]),
    ("more than gas cap", &["GAS_LIMIT_EXCEEDS_MAXIMUM"]),
    ("init code too long", &["INITCODE_SIZE_EXCEEDED", "TR_InitCodeLimitExceeded"]),
    ("no blobs", &["TYPE_3_TX_ZERO_BLOBS", "TR_EMPTYBLOB"]),
    ("blob version", &["TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH", "TR_BLOBVERSION_INVALID"]),
    (
        "too many blobs",
        &[
            "TYPE_3_TX_BLOB_COUNT_EXCEEDED",
            "TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED",
            "TR_BLOBLIST_OVERSIZE",
        ],
    ),
    ("fee below blob base fee", &["INSUFFICIENT_MAX_FEE_PER_BLOB_GAS"]),
    (
        "creation by its type",
        &["TYPE_3_TX_CONTRACT_CREATION", "TYPE_4_TX_CONTRACT_CREATION", "TR_BLOBCREATE"],
    ),
    ("no authorizations", &["TYPE_4_EMPTY_AUTHORIZATION_LIST"]),
    ("cannot be encoded", &["RLP_INVALID_VALUE", "TR_RLP_WRONGVALUE"]),
    ("wrong chain", &["INVALID_CHAINID"]),
    ("bad signature", &["INVALID_SIGNATURE_VRS"]),
];

/// The prefix of names since 2023.
const PREFIX: &str = "TransactionException.";

/// The classes of refusals.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(class, _)| *class)
}

/// What `expectException` demands: one name, or any of several.
pub(super) fn read(node: Node<'_>, diagnostics: &mut Diagnostics) -> Option<Demanded> {
    let Some(text) = node.text() else {
        diagnostics.error(wrong_type(node, "expectException", "the name of a refusal"));
        return None;
    };
    let mut classes = Vec::new();
    for name in text.split('|').map(|name| name.trim().trim_start_matches(PREFIX)) {
        let before = classes.len();
        classes.extend(CLASSES.iter().filter(|row| row.1.contains(&name)).map(|row| row.0));
        if classes.len() == before {
            let what = format!("refusal {} is not known, so any passes", quoted(name));
            let names = CLASSES.iter().flat_map(|row| row.1).copied();
            let suggestion = crate::text::suggest::nearest(name, names);
            diagnostics.note(Diagnostic::at(node.at(), what).under(Rule::UnknownName).suggest(suggestion));
            return Some(Demanded::Any);
        }
    }
    Some(Demanded::Classes(classes))
}
