//! A part of the cases of each file, the same on every computer: `--sample`.

use std::io::Write;
use std::str::FromStr;

use crate::model::CaseId;

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
        let mut hashed = Vec::new();
        let mut hash = |id: &CaseId| {
            hashed.clear();
            hashed.extend(self.seed.to_le_bytes());
            // Writing to memory does not fail.
            let _ = write!(hashed, "{id}");
            *blake3::hash(&hashed).as_bytes()
        };
        let mut hashes: Vec<_> = ids.enumerate().map(|(index, id)| (hash(id), index)).collect();
        let mut is_in = vec![false; hashes.len()];
        if self.count < hashes.len() {
            hashes.select_nth_unstable(self.count);
        }
        hashes.iter().take(self.count).for_each(|(_, index)| is_in[*index] = true);
        is_in
    }
}
