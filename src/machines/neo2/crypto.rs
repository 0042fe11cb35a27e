//! Hashes and signatures.

use std::rc::Rc;

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::item::Item;
use super::script;
use crate::machines::ecdsa::{Curve, KeyError, PublicKey};

/// How much work it is to check a signature, in the unit of [`super::core::Core::work`].
const SIGNATURE: u64 = 30_000;

#[inline(never)]
pub(super) fn sha1(f: &mut Frame<'_>) -> Flow {
    hash(f, |bytes| Sha1::digest(bytes).to_vec())
}

#[inline(never)]
pub(super) fn sha256(f: &mut Frame<'_>) -> Flow {
    hash(f, |bytes| Sha256::digest(bytes).to_vec())
}

#[inline(never)]
pub(super) fn hash160(f: &mut Frame<'_>) -> Flow {
    hash(f, |bytes| script::hash160(bytes).to_vec())
}

#[inline(never)]
pub(super) fn hash256(f: &mut Frame<'_>) -> Flow {
    hash(f, |bytes| Sha256::digest(Sha256::digest(bytes)).to_vec())
}

fn hash(f: &mut Frame<'_>, hash: fn(&[u8]) -> Vec<u8>) -> Flow {
    let bytes = f.pop_bytes()?;
    f.push_bytes(hash(&bytes))
}

#[inline(never)]
pub(super) fn checksig(f: &mut Frame<'_>) -> Flow {
    let key = f.pop_bytes()?;
    let signature = f.pop_bytes()?;
    let message = message(f)?;
    let signed = is_signed(f, &message, &signature, &key)?;
    f.push(signed == Signed::Yes);
    f.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn verify(f: &mut Frame<'_>) -> Flow {
    let key = f.pop_bytes()?;
    let signature = f.pop_bytes()?;
    let message = f.pop_bytes()?;
    let signed = is_signed(f, &message, &signature, &key)?;
    f.push(signed == Signed::Yes);
    f.note(Change::Strict(-2))
}

#[inline(never)]
pub(super) fn checkmultisig(f: &mut Frame<'_>) -> Flow {
    let keys = pop_several(f, usize::MAX)?;
    let signatures = pop_several(f, keys.len())?;
    let message = message(f)?;
    let signed = are_signed(f, &message, &signatures, &keys)?;
    f.push(signed);
    Ok(())
}

/// Whether each signature fits a key, in the same order. Keys that are not needed are not looked at.
fn are_signed(f: &mut Frame<'_>, message: &[u8], signatures: &[Bytes], keys: &[Bytes]) -> Result<bool, Stop> {
    let mut left = signatures;
    for (index, key) in keys.iter().enumerate() {
        let [signature, rest @ ..] = left else { break };
        if left.len() > keys.len() - index {
            return Ok(false);
        }
        match is_signed(f, message, signature, key)? {
            Signed::Yes => left = rest,
            Signed::No => {}
            Signed::NoKey => return Ok(false),
        }
    }
    Ok(left.is_empty())
}

type Bytes = Rc<Vec<u8>>;

/// Takes the items of an array, or a number and so many items: at least one, at most `most`.
fn pop_several(f: &mut Frame<'_>, most: usize) -> Result<Vec<Bytes>, Stop> {
    let item = f.pop()?;
    if let Item::Array(id) | Item::Struct(id) = item {
        let items = f.core.heap.list(id).to_vec();
        let all: Vec<_> = items.iter().map(|item| f.bytes_of(item)).collect::<Result<_, _>>()?;
        need_range(all.len(), most)?;
        f.note(Change::Loose(-1))?;
        return Ok(all);
    }
    f.push(item);
    let count = f.pop_count()?;
    need_range(count, most.min(f.items().len()))?;
    let all = (0..count).map(|_| f.pop_bytes()).collect::<Result<_, _>>()?;
    f.note(Change::Strict(-1 - count as i32))?;
    Ok(all)
}

fn need_range(count: usize, most: usize) -> Flow {
    if (1..=most).contains(&count) { Ok(()) } else { Err(Fault::OutOfRange.into()) }
}

fn message(f: &Frame<'_>) -> Result<Bytes, Stop> {
    f.core.message.clone().ok_or(Stop::Faulted(Fault::NoMessage))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signed {
    Yes,
    No,
    /// The key is written in no known form.
    NoKey,
}

/// Whether the signature is one of the message by the key. That a key is no point of the curve is
/// a fault where it is written with both coordinates.
fn is_signed(f: &mut Frame<'_>, message: &[u8], signature: &[u8], key: &[u8]) -> Result<Signed, Stop> {
    f.core.work(SIGNATURE)?;
    f.core.work_on_bytes(message.len())?;
    match PublicKey::decode(Curve::Secp256r1, key) {
        Ok(key) if key.verify(message, signature) => Ok(Signed::Yes),
        Ok(_) => Ok(Signed::No),
        Err(KeyError::NoPoint) if key.len() == 33 => Ok(Signed::No),
        Err(KeyError::NoPoint) => Err(Fault::NoPoint.into()),
        Err(KeyError::UnknownForm) => Ok(Signed::NoKey),
    }
}
