//! Digests of the content of vector files, by which reports say whether two runs executed the same vectors.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::case_report::CaseReport;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorsVersion {
    /// The folder that has all files of this version, as ids show it.
    pub folder: String,
    /// What the file `VERSION` in it, or in a folder above it, says.
    pub version: Option<String>,
    /// The commit of the git checkout that it is in. The files may have changed since.
    pub commit: Option<String>,
}

/// The content of the cases of a run, in their order. A report says it where it is another one than that of the case
/// before in the same file: once for most files.
#[derive(Debug, Default)]
pub struct ContentOrder {
    last: Option<(Arc<str>, Option<ContentDigest>)>,
}

impl ContentOrder {
    /// Removes the digest of the next case if it is that of the case before.
    pub fn leave_out(&mut self, report: &mut CaseReport) {
        let before = self.before(report);
        self.last = Some((report.id.file.clone(), report.content));
        if before == report.content {
            report.content = None;
        }
    }

    /// Adds the digest of the next case if it was left out.
    pub fn fill_in(&mut self, report: &mut CaseReport) {
        report.content = report.content.or(self.before(report));
        self.last = Some((report.id.file.clone(), report.content));
    }

    fn before(&self, report: &CaseReport) -> Option<ContentDigest> {
        let (_, content) = self.last.as_ref().filter(|(file, _)| *file == report.id.file)?;
        *content
    }
}
