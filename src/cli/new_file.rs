//! Files that the user names and that commands create.

use std::io::ErrorKind;
use std::path::Path;

use clap::Args;

use super::result_file::{ResultFile, is_regular};
use super::unwritten::Unwritten;

/// Whether a command may replace files.
#[derive(Debug, Args)]
pub(super) struct ForceArgs {
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// Writes the file at `path` with these bytes.
    ///
    /// # Errors
    ///
    /// When there is a file and the user did not allow to replace it, or it cannot be written.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let written = if self.force || !is_regular(path) {
            ResultFile::with(path, bytes)
        } else {
            ResultFile::once(path, &mut &*bytes)
        };
        match written {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                anyhow::bail!("{}: this file exists; --force replaces it", path.display())
            }
            other => Ok(other.map_err(|error| Unwritten::file(path, error))?),
        }
    }
}
