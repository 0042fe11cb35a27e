//! The key of the program that runs the cases.

use std::fmt;
use std::io::{self, Read};

/// Identifies the program that runs the cases: the BLAKE3 hash of its executable. Any change to a machine, a
/// format or the runner changes it, even if the version of the crate stays the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramKey(String);

impl ProgramKey {
    /// The key of the program that is read from this executable.
    pub fn of(executable: impl Read) -> io::Result<ProgramKey> {
        Ok(ProgramKey(blake3::Hasher::new().update_reader(executable)?.finalize().to_hex().to_string()))
    }

    /// The key of this program with a machine in another process.
    #[must_use]
    pub fn with_machine(&self, identity: &str) -> ProgramKey {
        let both = format!("{} {identity}", self.0);
        ProgramKey(blake3::hash(both.as_bytes()).to_hex().to_string())
    }
}

/// In hex digits.
impl fmt::Display for ProgramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
