//! Digests of the content of vector files, by which reports say whether two runs executed the same vectors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The first 16 bytes of a BLAKE3 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest([u8; ContentDigest::LENGTH]);

impl ContentDigest {
    const LENGTH: usize = 16;

    /// The digest of a text.
    pub fn of(text: &str) -> ContentDigest {
        ContentDigest::from(blake3::hash(text.as_bytes()))
    }

    /// The digest of this and of the files that were opened besides, which `opened` is a hash of.
    #[must_use]
    pub fn with(self, opened: &blake3::Hash) -> ContentDigest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(opened.as_bytes());
        ContentDigest::from(hasher.finalize())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<blake3::Hash> for ContentDigest {
    fn from(hash: blake3::Hash) -> ContentDigest {
        let mut first = [0; ContentDigest::LENGTH];
        first.copy_from_slice(&hash.as_bytes()[..ContentDigest::LENGTH]);
        ContentDigest(first)
    }
}

/// In hex digits.
impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for ContentDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<ContentDigest, String> {
        let mut bytes = [0; ContentDigest::LENGTH];
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if !text.contains(|it: char| it.is_ascii_uppercase()) => Ok(ContentDigest(bytes)),
            _ => Err(format!("expected {} lower-case hex digits of a digest", 2 * ContentDigest::LENGTH)),
        }
    }
}

/// The version of a folder of vectors, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct VectorsVersion {
    /// The folder that has all files of this version, as ids show it.
    pub folder: String,
    /// What the file `VERSION` in it, or in a folder above it, says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The commit of the git checkout that it is in. The files may have changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
