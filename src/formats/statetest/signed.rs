//! Checks what a file states redundantly about a transaction: the sender next to the secret key, and the
//! signed bytes next to the members. A run uses neither; only `vmconf check` and `--strict` check them.

use k256::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use num_bigint::{BigInt, BigUint};
use rlp::{Rlp, RlpStream};
use sha3::{Digest, Keccak256};

use crate::formats::fields::Diagnostics;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Name, Value, bytes_key, hex_bytes};
use crate::text::json::{JsonNode, quoted};

/// The members of transactions of types 2 to 4 that all of them have.
const DYNAMIC_FEE: &[&str] = &[
    "chainId",
    "nonce",
    "maxPriorityFeePerGas",
    "maxFeePerGas",
    "gasLimit",
    "to",
    "value",
    "data",
    "accessList",
];

/// The members of a transaction of each type, in the order of its signed bytes. The three of the signature follow.
const LAYOUTS: [[&[&str]; 2]; 5] = [
    [&["nonce", "gasPrice", "gasLimit", "to", "value", "data"], &[]],
    [&["chainId", "nonce", "gasPrice", "gasLimit", "to", "value", "data", "accessList"], &[]],
    [DYNAMIC_FEE, &[]],
    [DYNAMIC_FEE, &["maxFeePerBlobGas", "blobVersionedHashes"]],
    [DYNAMIC_FEE, &["authorizationList"]],
];

/// The members that are lists.
const LISTS: [&str; 3] = ["accessList", "blobVersionedHashes", "authorizationList"];

/// The members of the items of lists, in the order of the signed bytes: of an authorization, and of an access.
const ITEM_MEMBERS: [&str; 7] = ["chainId", "address", "nonce", "v", "r", "s", "storageKeys"];

/// The size of a key of storage, in bytes.
const KEY_SIZE: usize = 32;

/// The lowest first byte of a transaction without a type, which is a list.
const MIN_OF_LIST: u8 = 0xc0;

/// Reports a sender that does not belong to the secret key, and a key that is none.
pub(super) fn check_sender(sender: JsonNode<'_>, secret: JsonNode<'_>, diagnostics: &mut Diagnostics) {
    let (Some(text), Some(key)) = (sender.text(), secret.text()) else { return };
    let Some(owner) = owner(&key) else {
        let what = format!("{} is no secret key", quoted(&key));
        let expected = "0x and 64 hex digits, of a number from 1 to below the order of secp256k1";
        let rule = LintRule::WrongSender;
        return diagnostics.suspect(|| Diagnostic::at(secret.at(), what).expected(expected).under(rule));
    };
    if !text.eq_ignore_ascii_case(&owner) {
        let what = format!("the secret key belongs to another sender than {}", quoted(&text));
        diagnostics.breach(|| Diagnostic::at(sender.at(), what).expected(owner).under(LintRule::WrongSender));
    }
}

fn owner(key: &str) -> Option<String> {
    let key = SigningKey::from_slice(&hex_bytes(key.strip_prefix("0x")?)?).ok()?;
    Some(bytes_key(&address_of(key.verifying_key())))
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

/// A decoded transaction: its type, its members by name, and its signature.
struct SignedFields {
    kind: u8,
    /// Bytes, numbers without leading zeros, and lists as they are encoded.
    members: Vec<(&'static str, Vec<u8>)>,
    /// The address that belongs to the signature; `None` if it is not valid.
    sender: Option<Vec<u8>>,
}

fn decoded(bytes: &[u8]) -> Option<SignedFields> {
    let (kind, encoded) = match bytes.split_first()? {
        (first, _) if *first >= MIN_OF_LIST => (0, bytes),
        (first, rest) => (*first, rest),
    };
    let (list, layout) = (Rlp::new(encoded), LAYOUTS.get(usize::from(kind))?.concat());
    let size = list.payload_info().ok()?;
    if size.header_len + size.value_len != encoded.len() || list.item_count().ok()? != layout.len() + 3 {
        return None;
    }
    let read = |(index, name): (usize, &&'static str)| {
        let item = list.at(index).ok()?;
        let bytes = if LISTS.contains(name) { item.as_raw() } else { item.data().ok()? };
        Some((*name, bytes.to_vec()))
    };
    let members = layout.iter().enumerate().map(read).collect::<Option<_>>()?;
    Some(SignedFields { kind, members, sender: sender(kind, &list, layout.len()) })
}

/// The address whose key signed a transaction with this number of members (Yellow Paper, appendix F; EIP-2718). In one
/// without a type, `v` may include the chain, which is then signed as well (EIP-155).
fn sender(kind: u8, list: &Rlp<'_>, members: usize) -> Option<Vec<u8>> {
    let number = |index: usize| Some(BigUint::from_bytes_be(list.at(members + index).ok()?.data().ok()?));
    let [v, r, s] = [number(0)?, number(1)?, number(2)?];
    let chain = (kind == 0 && v >= 35_u8.into()).then(|| (&v - 35_u8) / 2_u8);
    let base: u8 = match (kind, &chain) {
        (0, Some(_)) => 35,
        (0, None) => 27,
        _ => 0,
    };
    let odd = (v >= base.into()).then(|| v - base)?;
    if chain.is_none() && odd > 1_u8.into() {
        return None;
    }
    let mut signed = RlpStream::new_list(members + if chain.is_some() { 3 } else { 0 });
    for index in 0..members {
        signed.append_raw(list.at(index).ok()?.as_raw(), 1);
    }
    if let Some(chain) = chain {
        signed.append(&trimmed(&chain)).append_empty_data().append_empty_data();
    }
    let mut hash = Keccak256::new();
    if kind != 0 {
        hash.update([kind]);
    }
    hash.update(signed.out());
    let [r, s] = [padded(&r)?, padded(&s)?];
    let signature = Signature::from_scalars(r, s).ok()?;
    let recovery = RecoveryId::new(odd.bit(0), false);
    let key = VerifyingKey::recover_from_prehash(&hash.finalize(), &signature, recovery).ok()?;
    Some(address_of(&key))
}

fn address_of(key: &VerifyingKey) -> Vec<u8> {
    Keccak256::digest(&key.to_encoded_point(false).as_bytes()[1..])[12..].to_vec()
}

/// The bytes of a number without zeros in front.
fn trimmed(number: &BigUint) -> Vec<u8> {
    if *number == BigUint::ZERO { Vec::new() } else { number.to_bytes_be() }
}

/// The bytes of a word; `None` for a larger number.
fn padded(number: &BigUint) -> Option<[u8; KEY_SIZE]> {
    let (bytes, mut word) = (trimmed(number), [0; KEY_SIZE]);
    let start = KEY_SIZE.checked_sub(bytes.len())?;
    word[start..].copy_from_slice(&bytes);
    Some(word)
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
        Some(list) if LISTS.contains(name) => encoded(list) != *bytes,
        None if LISTS.contains(name) => *bytes != [MIN_OF_LIST],
        Some(Value::Bytes(wanted)) => wanted != bytes,
        Some(Value::Int(wanted)) => *wanted != BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes),
        // The members do not state the chain of the test.
        None if *name == "chainId" => false,
        _ => !bytes.is_empty(),
    };
    if let Some((name, _)) = signed.members.iter().find(is_other) {
        return Some(format!("have another {}", quoted(name)));
    }
    match (member("sender"), &signed.sender) {
        (Some(Value::Bytes(wanted)), Some(signer)) if wanted != signer => {
            Some(format!("are signed by {}", bytes_key(signer)))
        }
        (Some(Value::Bytes(_)), None) => Some("have an invalid signature".to_owned()),
        _ => None,
    }
}

fn encoded(list: &Value) -> Vec<u8> {
    let mut encoded = RlpStream::new();
    append(list, None, &mut encoded);
    encoded.out().to_vec()
}

/// Appends a value of a list. Numbers have this size in bytes, or as few bytes as they need.
fn append(value: &Value, size: Option<usize>, encoded: &mut RlpStream) {
    match value {
        Value::Bytes(bytes) => drop(encoded.append(bytes)),
        Value::Int(number) => {
            let bytes = trimmed(number.magnitude());
            let zeros = size.map_or(0, |size| size.saturating_sub(bytes.len()));
            encoded.append(&[vec![0; zeros], bytes].concat());
        }
        Value::List(items) => {
            encoded.begin_list(items.len());
            for item in items {
                append(item, size, encoded);
            }
        }
        Value::Record(members) => {
            encoded.begin_list(members.len());
            for name in ITEM_MEMBERS {
                let size = (name == "storageKeys").then_some(KEY_SIZE);
                value.get(name).into_iter().for_each(|member| append(member, size, encoded));
            }
        }
        _ => {}
    }
}
