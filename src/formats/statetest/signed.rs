//! Checks what a file states redundantly about a transaction: the sender next to the secret key, and the
//! signed bytes next to the members. A run uses neither; only a reader that is not tolerant checks them.

use k256::ecdsa::SigningKey;
use num_bigint::BigInt;
use rlp::Rlp;
use sha3::{Digest, Keccak256};

use crate::formats::fields::Diagnostics;
use crate::model::diagnostic::Diagnostic;
use crate::model::hex::{bytes_key, hex_bytes};
use crate::model::name::Name;
use crate::model::rule::LintRule;
use crate::model::value::Value;
use crate::text::json::{JsonNode, quoted};

/// The members of a transaction of each type, in the order of its signed bytes; `_` for a member that is not
/// compared.
const LAYOUTS: [&[&str]; 5] = [
    &["nonce", "gasPrice", "gasLimit", "to", "value", "data"],
    &["chainId", "nonce", "gasPrice", "gasLimit", "to", "value", "data"],
    &["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gasLimit", "to", "value", "data"],
    &[
        "chainId",
        "nonce",
        "maxPriorityFeePerGas",
        "maxFeePerGas",
        "gasLimit",
        "to",
        "value",
        "data",
        "_",
        "maxFeePerBlobGas",
    ],
    &["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gasLimit", "to", "value", "data"],
];

/// The lowest first byte of a transaction without a type, which is a list.
const MIN_OF_LIST: u8 = 0xc0;

/// Reports a sender that does not belong to the secret key.
pub(super) fn check_sender(sender: JsonNode<'_>, secret: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    let (Some(text), Some(key)) = (sender.text(), secret.text()) else { return };
    let Some(owner) = owner(&key) else { return };
    if !text.eq_ignore_ascii_case(&owner) {
        let what = format!("the secret key belongs to another sender than {}", quoted(&text));
        diagnostics.breach(|| Diagnostic::at(sender.at(), what).expected(owner).under(LintRule::WrongSender));
    }
}

fn owner(key: &str) -> Option<String> {
    let key = SigningKey::from_slice(&hex_bytes(key.strip_prefix("0x")?)?).ok()?;
    let point = key.verifying_key().to_encoded_point(false);
    Some(bytes_key(&Keccak256::digest(&point.as_bytes()[1..])[12..]))
}

/// Reports signed bytes that do not decode, or that are not of the transaction that an entry chooses.
/// `chosen` are the members that the entry chooses, `common` those that all entries share.
pub(super) fn check_bytes(
    bytes: JsonNode<'_>,
    chosen: &[(Name, Value)],
    common: &Value,
    diagnostics: &mut Diagnostics,
) {
    let text = bytes.text().unwrap_or_default();
    let digits = text.strip_prefix("0x").unwrap_or_default();
    let differs = match hex_bytes(digits).as_deref().map(decoded) {
        Some(Some(signed)) => differing(&signed, chosen, common),
        Some(None) | None => Some("do not decode".to_owned()),
    };
    if let Some(why) = differs {
        let what = format!("the signed bytes of the transaction {why}");
        diagnostics.breach(|| Diagnostic::at(bytes.at(), what).under(LintRule::SignedBytes));
    }
}

/// A decoded transaction: its type, and its members by name.
struct SignedFields {
    kind: u8,
    members: Vec<(&'static str, Vec<u8>)>,
}

fn decoded(bytes: &[u8]) -> Option<SignedFields> {
    let (kind, list) = match bytes.split_first()? {
        (first, _) if *first >= MIN_OF_LIST => (0, bytes),
        (first, rest) => (*first, rest),
    };
    let list = Rlp::new(list);
    let members = LAYOUTS.get(usize::from(kind))?.iter().enumerate().filter(|member| *member.1 != "_");
    let read =
        |(index, name): (usize, &&'static str)| Some((*name, list.at(index).ok()?.data().ok()?.to_vec()));
    Some(SignedFields { kind, members: members.map(read).collect::<Option<_>>()? })
}

/// The first difference, as text.
fn differing(signed: &SignedFields, chosen: &[(Name, Value)], common: &Value) -> Option<String> {
    let member = |name: &str| {
        let chosen = chosen.iter().find(|member| member.0 == name).map(|member| &member.1);
        chosen.or_else(|| common.get(name))
    };
    if member("type").is_some_and(|kind| *kind != Value::int(signed.kind)) {
        return Some(format!("are of type {}", signed.kind));
    }
    let is_other = |(name, bytes): &&(&'static str, Vec<u8>)| match member(name) {
        Some(Value::Bytes(wanted)) => wanted != bytes,
        Some(Value::Int(wanted)) => *wanted != BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes),
        // The members do not state the chain of the test.
        None if *name == "chainId" => false,
        _ => !bytes.is_empty(),
    };
    signed.members.iter().find(is_other).map(|(name, _)| format!("have another {}", quoted(name)))
}
