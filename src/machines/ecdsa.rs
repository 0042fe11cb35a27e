//! Verification of ECDSA signatures over SHA-256.

use k256::ecdsa as k1;
use p256::ecdsa as r1;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use sha2::{Digest, Sha256};

/// The curve of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// secp256r1, which is also called P-256.
    Secp256r1,
    /// secp256k1.
    Secp256k1,
}

/// A public key for verifying signatures: a point of a curve.
#[derive(Debug, Clone)]
pub struct PublicKey(VerifyingKey);

#[derive(Debug, Clone)]
enum VerifyingKey {
    R1(r1::VerifyingKey),
    K1(k1::VerifyingKey),
}

/// Why bytes are not a public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// They have the form of a point, but the curve has no such point.
    #[error("no point of the curve")]
    NoPoint,
    /// They do not have the form of an encoded point.
    #[error("no known form of a public key")]
    UnknownForm,
}

impl PublicKey {
    /// Decodes a key in one of the big-endian forms of SEC 1, section 2.3.3: 33 bytes that start with 02 or 03, 65
    /// bytes that start with 04, or the latter without the 04. Other forms are errors, and so are bytes that are no
    /// point of the curve. The point at infinity is not a key.
    pub fn decode(curve: Curve, bytes: &[u8]) -> Result<PublicKey, KeyError> {
        let point = match (bytes.len(), bytes.first()) {
            (33, Some(2 | 3)) | (65, Some(4)) => bytes.to_vec(),
            (64, _) => [&[4], bytes].concat(),
            _ => return Err(KeyError::UnknownForm),
        };
        let key = match curve {
            Curve::Secp256r1 => r1::VerifyingKey::from_sec1_bytes(&point).map(VerifyingKey::R1),
            Curve::Secp256k1 => k1::VerifyingKey::from_sec1_bytes(&point).map(VerifyingKey::K1),
        };
        key.map(PublicKey).map_err(|_| KeyError::NoPoint)
    }

    /// Whether `signature` is one of `message` by this key: r and s, 32 bytes each, big-endian, both from 1
    /// to the order of the curve minus 1. Both matching values of s are accepted.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let hash = Sha256::digest(message);
        match &self.0 {
            VerifyingKey::R1(key) => r1::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_prehash(&hash, &signature).is_ok()),
            // This library accepts only the smaller s.
            VerifyingKey::K1(key) => k1::Signature::from_slice(signature).is_ok_and(|signature| {
                key.verify_prehash(&hash, &signature.normalize_s().unwrap_or(signature)).is_ok()
            }),
        }
    }
}
