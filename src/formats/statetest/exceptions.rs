//! The old and new names of refusals in `expectException`, by class.

use crate::formats::fields::{Diagnostics, text};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::json::{JsonNode, quoted};
use crate::text::suggest::nearest;

/// The refusals that an entry accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DemandedRefusal {
    /// One of these classes.
    Classes(Vec<&'static str>),
    /// Any class, since one of the names has none.
    Any,
}

/// The classes of refusals by their names in the machine, and the names in files for each.
const CLASSES: &[(&str, &[&str])] = &[
    ("insufficient funds", &["INSUFFICIENT_ACCOUNT_FUNDS", "TR_NoFunds", "TR_NoFundsOrGas"]),
    (
        "less than intrinsic gas",
        &["INTRINSIC_GAS_TOO_LOW", "IntrinsicGas", "TR_IntrinsicGas", "TR_NoFundsOrGas"],
    ),
    // No account has as much as the sum, so that clients say that its funds do not suffice.
    (
        "fee overflow",
        &[
            "GASLIMIT_PRICE_PRODUCT_OVERFLOW",
            "TR_NoFundsX",
            "INSUFFICIENT_ACCOUNT_FUNDS",
            "TR_NoFunds",
            "TR_NoFundsOrGas",
        ],
    ),
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

/// Names of the execution specifications for refusals that vmconf does not tell from others: any refusal satisfies
/// them.
const OTHERS: &[&str] = &[
    "TYPE_NOT_SUPPORTED",
    "ADDRESS_TOO_SHORT",
    "ADDRESS_TOO_LONG",
    "NONCE_TOO_BIG",
    "NONCE_OVERFLOW",
    "GASLIMIT_OVERFLOW",
    "VALUE_OVERFLOW",
    "GASPRICE_OVERFLOW",
    "PRIORITY_OVERFLOW",
    "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2",
    "EC_RECOVERY_FAIL",
    "RLP_INVALID_SIGNATURE_R",
    "RLP_INVALID_SIGNATURE_S",
    "RLP_LEADING_ZEROS_GASLIMIT",
    "RLP_LEADING_ZEROS_GASPRICE",
    "RLP_LEADING_ZEROS_VALUE",
    "RLP_LEADING_ZEROS_NONCE",
    "RLP_LEADING_ZEROS_R",
    "RLP_LEADING_ZEROS_S",
    "RLP_LEADING_ZEROS_V",
    "RLP_LEADING_ZEROS_BASEFEE",
    "RLP_LEADING_ZEROS_PRIORITY_FEE",
    "RLP_LEADING_ZEROS_DATA_SIZE",
    "RLP_LEADING_ZEROS_NONCE_SIZE",
    "RLP_TOO_FEW_ELEMENTS",
    "RLP_TOO_MANY_ELEMENTS",
    "RLP_ERROR_EOF",
    "RLP_ERROR_SIZE",
    "RLP_ERROR_SIZE_LEADING_ZEROS",
    "RLP_INVALID_DATA",
    "RLP_INVALID_GASLIMIT",
    "RLP_INVALID_NONCE",
    "RLP_INVALID_TO",
    "RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_LONG",
    "RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_SHORT",
    "RLP_INVALID_ACCESS_LIST_STORAGE_TOO_LONG",
    "RLP_INVALID_ACCESS_LIST_STORAGE_TOO_SHORT",
    "RLP_INVALID_HEADER",
    "TYPE_3_TX_ZERO_BLOBS_PRE_FORK",
    "TYPE_3_TX_WITH_FULL_BLOBS",
    "TYPE_4_INVALID_AUTHORITY_SIGNATURE",
    "TYPE_4_INVALID_AUTHORITY_SIGNATURE_S_TOO_HIGH",
    "TYPE_4_INVALID_AUTHORIZATION_FORMAT",
];

/// The prefix of names since 2023.
const PREFIX: &str = "TransactionException.";

/// The classes of refusals.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(class, _)| *class)
}

/// The name of a class in the execution specifications, of several the first one; `None` for another class.
pub(super) fn name_of(class: &str) -> Option<String> {
    let (_, names) = CLASSES.iter().find(|row| row.0 == class)?;
    names.first().map(|name| format!("{PREFIX}{name}"))
}

/// What `expectException` demands: one name, or any of several.
pub(super) fn read(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<DemandedRefusal> {
    let text = diagnostics.keep(text(node, "expectException", "the name of a refusal"))?;
    let mut classes = Vec::new();
    let mut has_any = false;
    for name in text.split('|').map(|name| name.trim().trim_start_matches(PREFIX)) {
        let before = classes.len();
        classes.extend(CLASSES.iter().filter(|row| row.1.contains(&name)).map(|row| row.0));
        if classes.len() > before {
            continue;
        }
        has_any = true;
        diagnostics.note(if OTHERS.contains(&name) {
            without_class(node, name)
        } else {
            unknown(node, name)
        });
    }
    Some(if has_any { DemandedRefusal::Any } else { DemandedRefusal::Classes(classes) })
}

fn without_class(node: JsonNode<'_>, name: &str) -> Diagnostic<Origin> {
    let what = format!("refusal {} has no class in vmconf, so any passes", quoted(name));
    Diagnostic::at(node.at(), what).under(LintRule::UnknownName)
}

/// New names of refusals come with each fork.
fn unknown(node: JsonNode<'_>, name: &str) -> Diagnostic<Origin> {
    let names = CLASSES.iter().flat_map(|row| row.1).chain(OTHERS).copied();
    let unknown = Diagnostic::at(node.at(), format!("unknown refusal {}, so any passes", quoted(name)));
    unknown.under(LintRule::UnknownName).suggest(nearest(name, names))
}
