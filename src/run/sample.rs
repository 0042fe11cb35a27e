//! A part of the cases of each file, the same on every computer: `--sample`.

use std::str::FromStr;

use crate::model::case::CaseId;

/// How many cases of each file to keep, and the seed that chooses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseSample {
    /// The number of cases.
    pub count: usize,
    /// The seed.
    pub seed: u64,
}

/// `COUNT` or `COUNT:SEED`.
impl FromStr for CaseSample {
    type Err = String;

    fn from_str(text: &str) -> Result<CaseSample, String> {
        let (count, seed) = text.split_once(':').unwrap_or((text, "0"));
        let count = count.parse().ok().filter(|count| *count > 0);
        let count = count.ok_or("expected the number of cases of each file, at least 1")?;
        let seed = seed.parse().map_err(|_| "expected a seed, a number of 64 bits, after the colon")?;
        Ok(CaseSample { count, seed })
    }
}

impl CaseSample {
    /// Which of the cases of a file are in the sample: those with the smallest hashes.
    pub(super) fn of<'i>(self, ids: impl Iterator<Item = &'i CaseId>) -> Vec<bool> {
        let mut hashes: Vec<_> =
            ids.map(|id| self.hash(id)).enumerate().map(|(index, hash)| (hash, index)).collect();
        let mut is_in = vec![false; hashes.len()];
        hashes.sort_unstable();
        hashes.iter().take(self.count).for_each(|(_, index)| is_in[*index] = true);
        is_in
    }

    fn hash(self, id: &CaseId) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.seed.to_le_bytes()).update(id.to_string().as_bytes());
        *hasher.finalize().as_bytes()
    }
}
