//! Hashes and signatures.

use std::rc::Rc;

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::item::Neo2Item;
use super::script;
use crate::machines::ecdsa::{Curve, KeyError, PublicKey};

/// The charge for checking a signature, in units.
const SIGNATURE: u64 = 45_000;

/// The charge for hashing a block of 64 bytes, in units.
const BLOCK: u64 = 10;

#[inline(never)]
pub(super) fn sha1(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    hash(frame, |bytes| Sha1::digest(bytes).to_vec())
}

#[inline(never)]
pub(super) fn sha256(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    hash(frame, |bytes| Sha256::digest(bytes).to_vec())
}

#[inline(never)]
pub(super) fn hash160(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    hash(frame, |bytes| script::hash160(bytes).to_vec())
}

#[inline(never)]
pub(super) fn hash256(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    hash(frame, |bytes| Sha256::digest(Sha256::digest(bytes)).to_vec())
}

fn hash(frame: &mut Neo2Frame<'_>, hash: fn(&[u8]) -> Vec<u8>) -> Neo2Flow {
    let bytes = frame.pop_bytes()?;
    frame.core.work(blocks(&bytes))?;
    frame.push_bytes(hash(&bytes))
}

/// The charge for hashing bytes, plus one more hash of the result.
fn blocks(bytes: &[u8]) -> u64 {
    BLOCK * (3 + bytes.len() as u64 / 64)
}

#[inline(never)]
pub(super) fn checksig(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let key = frame.pop_bytes()?;
    let signature = frame.pop_bytes()?;
    let message = message(frame)?;
    let signed = is_signed(frame, &message, &signature, &key)?;
    frame.push(signed == SignedMessage::Yes);
    frame.note(CountChange::Strict(-1))
}

#[inline(never)]
pub(super) fn verify(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let key = frame.pop_bytes()?;
    let signature = frame.pop_bytes()?;
    let message = frame.pop_bytes()?;
    let signed = is_signed(frame, &message, &signature, &key)?;
    frame.push(signed == SignedMessage::Yes);
    frame.note(CountChange::Strict(-2))
}

#[inline(never)]
pub(super) fn checkmultisig(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let keys = pop_several(frame, usize::MAX)?;
    let signatures = pop_several(frame, keys.len())?;
    let message = message(frame)?;
    let signed = are_signed(frame, &message, &signatures, &keys)?;
    frame.push(signed);
    Ok(())
}

/// Whether each signature matches a key, in the same order. Keys that are not needed are not examined.
fn are_signed(
    frame: &mut Neo2Frame<'_>,
    message: &[u8],
    signatures: &[Bytes],
    keys: &[Bytes],
) -> Result<bool, Neo2Stop> {
    let mut left = signatures;
    for (index, key) in keys.iter().enumerate() {
        let [signature, rest @ ..] = left else { break };
        if left.len() > keys.len() - index {
            return Ok(false);
        }
        match is_signed(frame, message, signature, key)? {
            SignedMessage::Yes => left = rest,
            SignedMessage::No => {}
            SignedMessage::NoKey => return Ok(false),
        }
    }
    Ok(left.is_empty())
}

type Bytes = Rc<Vec<u8>>;

/// Pops an array and takes its items, or pops a count and that number of items: at least one, at most `most`.
fn pop_several(frame: &mut Neo2Frame<'_>, most: usize) -> Result<Vec<Bytes>, Neo2Stop> {
    let item = frame.pop()?;
    if let Neo2Item::Array(id) | Neo2Item::Struct(id) = item {
        let items = frame.core.heap.list(id).to_vec();
        let all: Vec<_> = items.iter().map(|item| frame.bytes_of(item)).collect::<Result<_, _>>()?;
        need_range(all.len(), most)?;
        frame.note(CountChange::Loose(-1))?;
        return Ok(all);
    }
    frame.push(item);
    let count = frame.pop_count()?;
    need_range(count, most.min(frame.items().len()))?;
    let all = (0..count).map(|_| frame.pop_bytes()).collect::<Result<_, _>>()?;
    frame.note(CountChange::Strict(-1 - count as i32))?;
    Ok(all)
}

fn need_range(count: usize, most: usize) -> Neo2Flow {
    if (1..=most).contains(&count) { Ok(()) } else { Err(Neo2Fault::OutOfRange.into()) }
}

fn message(frame: &Neo2Frame<'_>) -> Result<Bytes, Neo2Stop> {
    frame.core.message.clone().ok_or(Neo2Stop::Faulted(Neo2Fault::NoMessage))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SignedMessage {
    Yes,
    No,
    /// The key has no known form.
    NoKey,
}

/// Whether the key produced this signature of the message. A key with both coordinates that is not a point of
/// the curve is a fault.
fn is_signed(
    frame: &mut Neo2Frame<'_>,
    message: &[u8],
    signature: &[u8],
    key: &[u8],
) -> Result<SignedMessage, Neo2Stop> {
    frame.core.work(SIGNATURE)?;
    frame.core.work(blocks(message))?;
    match PublicKey::decode(Curve::Secp256r1, key) {
        Ok(key) if key.verify(message, signature) => Ok(SignedMessage::Yes),
        Ok(_) => Ok(SignedMessage::No),
        Err(KeyError::NoPoint) if key.len() == 33 => Ok(SignedMessage::No),
        Err(KeyError::NoPoint) => Err(Neo2Fault::NoPoint.into()),
        Err(KeyError::UnknownForm) => Ok(SignedMessage::NoKey),
    }
}
