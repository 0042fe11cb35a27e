//! SYSCALL: what the host of the machine does for a script. A host is a list of services; the program chooses
//! the host.

use ripemd::Ripemd160;
use sha2::{Digest, Sha256};

use super::core::{HostServices, Neo3Core, SignedData};
use super::fault::{Neo3End, Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::Neo3Frame;
use super::item::Neo3Item;
use super::value::{bytes, int32};
use crate::machines::ecdsa::{Curve, PublicKey};

/// A service that a script can call.
pub struct Service {
    name: ServiceName,
    /// Its parameters, the first one on top of the stack, and its result.
    pub signature: &'static str,
    /// How many items it pops.
    pub(super) takes: fn(&Neo3Core) -> usize,
    call: fn(&mut Neo3Frame<'_>) -> Neo3Flow,
}

/// How a script names a service.
enum ServiceName {
    /// By the first four bytes of the SHA-256 of this name.
    Hashed(&'static str),
    /// By this number; it has no name.
    Number(u32),
}

/// The two services of the published vectors.
const TEST: &[Service] = &[
    Service {
        name: ServiceName::Number(0x7777_7777),
        signature: "() -> a new host object",
        takes: |_| 0,
        call: new_object,
    },
    Service {
        name: ServiceName::Number(0xadde_adde),
        signature: "() -> throws \"error\"",
        takes: |_| 0,
        call: throw_error,
    },
];

/// The signature services of a node, plus those that the published specification adds; in a node, the latter
/// are methods of a native contract.
const CRYPTO: &[Service] = &[
    Service {
        name: ServiceName::Hashed("System.Crypto.CheckSig"),
        signature: "(public key, signature) -> Boolean",
        takes: |_| 2,
        call: check_sig,
    },
    Service {
        name: ServiceName::Hashed("System.Crypto.CheckMultisig"),
        signature: "(public keys, signatures) -> Boolean",
        takes: two_lists,
        call: check_multisig,
    },
    Service {
        name: ServiceName::Hashed("System.Crypto.SHA256"),
        signature: "(data) -> ByteString",
        takes: |_| 1,
        call: sha256,
    },
    Service {
        name: ServiceName::Hashed("System.Crypto.RIPEMD160"),
        signature: "(data) -> ByteString",
        takes: |_| 1,
        call: ripemd160,
    },
    Service {
        name: ServiceName::Hashed("System.Crypto.VerifyWithECDsa"),
        signature: "(message, public key, signature, curve: 22 secp256k1 or 23 secp256r1) -> Boolean",
        takes: |_| 4,
        call: verify_with_ecdsa,
    },
];

/// The services of each host, by the host's name in programs.
pub static HOSTS: &[(&str, &[Service])] = &[("test", TEST), ("crypto", CRYPTO)];

impl HostServices {
    fn services(&self) -> &'static [Service] {
        match self {
            HostServices::Test => TEST,
            HostServices::Crypto(_) => CRYPTO,
        }
    }

    /// The fault for a number without a service.
    fn unknown(&self, id: u32) -> Neo3Fault {
        match self {
            HostServices::Test => Neo3Fault::NoSyscallInTest,
            HostServices::Crypto(_) => Neo3Fault::NoSyscall(id),
        }
    }

    pub(super) fn service(&self, id: u32) -> Option<&'static Service> {
        self.services().iter().find(|service| service.id() == id)
    }
}

impl Service {
    /// Its name; `None` if it only has a number.
    pub fn name(&self) -> Option<&'static str> {
        match self.name {
            ServiceName::Hashed(name) => Some(name),
            ServiceName::Number(_) => None,
        }
    }

    /// The number that follows SYSCALL, least significant byte first.
    pub fn id(&self) -> u32 {
        match self.name {
            ServiceName::Number(id) => id,
            ServiceName::Hashed(name) => {
                let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(name));
                u32::from_le_bytes([a, b, c, d])
            }
        }
    }
}

/// The charge for looking up a service, whose name is hashed, in units.
const LOOK_UP: usize = 40;

pub(super) fn syscall(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let id = frame.operand().map(u32::from_le_bytes)?;
    frame.work(LOOK_UP)?;
    match frame.core.host.service(id) {
        Some(service) => (service.call)(frame),
        None => Err(frame.core.host.unknown(id).into()),
    }
}

fn new_object(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.core.interops += 1;
    let object = Neo3Item::Interop(frame.core.interops);
    frame.push(object);
    Ok(())
}

fn throw_error(_: &mut Neo3Frame<'_>) -> Neo3Flow {
    Err(Neo3End::Thrown(Neo3Item::bytes("error")).into())
}

fn check_sig(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (key, signature) = (pop_bytes(frame)?, pop_bytes(frame)?);
    let valid = is_signed(frame, &signature, &key)?;
    frame.push(Neo3Item::Boolean(valid));
    Ok(())
}

/// Signatures and keys are in the same order; each key is used once at most.
fn check_multisig(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (keys, signatures) = (pop_list(frame)?, pop_list(frame)?);
    if keys.is_empty() || signatures.is_empty() || signatures.len() > keys.len() {
        return Err(Neo3Fault::OutOfRange("The number of keys and signatures").into());
    }
    let (mut keys, mut signatures) = (&keys[..], &signatures[..]);
    while let ([key, more_keys @ ..], [signature, more_signatures @ ..]) = (keys, signatures) {
        if signatures.len() > keys.len() {
            break;
        }
        if is_signed(frame, signature, key)? {
            signatures = more_signatures;
        }
        keys = more_keys;
    }
    frame.push(Neo3Item::Boolean(signatures.is_empty()));
    Ok(())
}

fn sha256(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let data = pop_bytes(frame)?;
    push_hash(frame, data.len(), Sha256::digest(&data).to_vec())
}

fn ripemd160(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let data = pop_bytes(frame)?;
    push_hash(frame, data.len(), Ripemd160::digest(&data).to_vec())
}

/// Pushes a hash of this number of bytes.
fn push_hash(frame: &mut Neo3Frame<'_>, length: usize, hash: Vec<u8>) -> Neo3Flow {
    frame.work(HASH * (2 + length / 64))?;
    frame.push(Neo3Item::bytes(hash));
    Ok(())
}

fn verify_with_ecdsa(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (message, key, signature) = (pop_bytes(frame)?, pop_bytes(frame)?, pop_bytes(frame)?);
    let curve = match frame.pop_int32()? {
        22 => Curve::Secp256k1,
        23 => Curve::Secp256r1,
        _ => return Err(Neo3Fault::OutOfRange("The curve").into()),
    };
    frame.work(SIGNATURE + HASH * (2 + message.len() / 64))?;
    frame.push(Neo3Item::Boolean(is_valid(curve, &key, &message, &signature)));
    Ok(())
}

/// The charge for checking a signature, in units.
const SIGNATURE: usize = 45_000;
/// The charge for hashing a block of 64 bytes, in units.
const HASH: usize = 20;

/// Whether the signature is one of the host's message; `false` for an invalid key.
fn is_signed(frame: &mut Neo3Frame<'_>, signature: &[u8], key: &[u8]) -> Result<bool, Neo3Stop> {
    frame.work(SIGNATURE)?;
    let HostServices::Crypto(SignedData { message, curve }) = &frame.core.host else { return Ok(false) };
    Ok(is_valid(*curve, key, message, signature))
}

fn is_valid(curve: Curve, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    // N3 does not accept the raw form without a prefix.
    let key = Some(key).filter(|key| key.len() != 64).and_then(|key| PublicKey::decode(curve, key).ok());
    key.is_some_and(|key| key.verify(message, signature))
}

fn pop_bytes(frame: &mut Neo3Frame<'_>) -> Result<Vec<u8>, Neo3Fault> {
    bytes(&frame.pop()?)
}

/// How many stack items two lists take, as popped by [`pop_list`].
fn two_lists(core: &Neo3Core) -> usize {
    let list = |below: usize| match core.below(below) {
        Some(item) if item.list().is_none() => {
            1 + int32(item).ok().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
        }
        _ => 1,
    };
    let first = list(0);
    first + list(first)
}

/// Pops an Array or Struct of byte strings, or a count and that number of byte strings below it.
fn pop_list(frame: &mut Neo3Frame<'_>) -> Result<Vec<Vec<u8>>, Neo3Fault> {
    let top = frame.pop()?;
    if let Some(list) = top.list() {
        return frame.core.heap.list(list).iter().map(bytes).collect();
    }
    let count = usize::try_from(int32(&top)?).ok().filter(|count| *count <= frame.height());
    (0..count.ok_or(Neo3Fault::Underflow)?).map(|_| pop_bytes(frame)).collect()
}
