//! Digests of the content of vector files, by which reports say whether two runs executed the same vectors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A digest of what a case was read from: of the text of its file, and of the files that it opened besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest {
    /// The first 16 bytes of the BLAKE3 hash of the text of its file.
    text: [u8; ContentDigest::TEXT],
    /// The first 8 bytes of a BLAKE3 hash of the files that it opened; `None` if it opened none.
    opened: Option<[u8; ContentDigest::OPENED]>,
}

impl ContentDigest {
    const TEXT: usize = 16;
    const OPENED: usize = 8;

    /// The digest of a text.
    pub fn of(text: &str) -> ContentDigest {
        ContentDigest { text: start(&blake3::hash(text.as_bytes())), opened: None }
    }

    /// The digest of the same text and of the files that were opened besides, which `opened` is a hash of.
    #[must_use]
    pub fn with(self, opened: &blake3::Hash) -> ContentDigest {
        ContentDigest { opened: Some(start(opened)), ..self }
    }

    /// The digest of the text alone, which all cases of a file share.
    #[must_use]
    pub fn of_file(self) -> ContentDigest {
        ContentDigest { opened: None, ..self }
    }
}

fn start<const LENGTH: usize>(hash: &blake3::Hash) -> [u8; LENGTH] {
    let mut first = [0; LENGTH];
    first.copy_from_slice(&hash.as_bytes()[..LENGTH]);
    first
}

/// In hex digits; after `+` those of the files that were opened.
impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.text))?;
        self.opened.map_or(Ok(()), |opened| write!(f, "+{}", hex::encode(opened)))
    }
}

impl FromStr for ContentDigest {
    type Err = String;

    fn from_str(digest: &str) -> Result<ContentDigest, String> {
        let (text, opened) = digest.split_once('+').map_or((digest, None), |(text, rest)| (text, Some(rest)));
        Ok(ContentDigest { text: bytes(text)?, opened: opened.map(bytes).transpose()? })
    }
}

fn bytes<const LENGTH: usize>(digits: &str) -> Result<[u8; LENGTH], String> {
    let mut bytes = [0; LENGTH];
    match hex::decode_to_slice(digits, &mut bytes) {
        Ok(()) if !digits.contains(|it: char| it.is_ascii_uppercase()) => Ok(bytes),
        _ => Err(format!("expected {} lower-case hex digits of a digest", 2 * LENGTH)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_as_they_are_written() {
        let text = ContentDigest::of("text");
        let both = text.with(&blake3::hash(b"opened"));
        for digest in [text, both] {
            assert_eq!(digest.to_string().parse(), Ok(digest));
        }
        assert_ne!(both, text.with(&blake3::hash(b"changed")));
        assert_eq!(both.of_file(), text);
        let wrong = |digest: &str| digest.parse::<ContentDigest>().is_err();
        assert!(
            wrong(&format!("{text}+"))
                && wrong(&format!("{text}+12"))
                && wrong(&both.to_string().to_uppercase())
        );
    }
}
