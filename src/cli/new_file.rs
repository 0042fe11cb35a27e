//! Files that the user names and that commands create.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::bail;
use clap::Args;
use vmconf::text::file_name::uncompressed_name;

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
    /// Checks whether the file at `path` may be written, before a command that takes long. [`ForceArgs::write`]
    /// decides. Fails when there is a file and the user did not allow to replace it, or when its name is that of a
    /// compressed file.
    pub(super) fn check(&self, path: &Path) -> anyhow::Result<()> {
        let name = path.file_name().and_then(|name| name.to_str());
        if name.and_then(uncompressed_name).is_some() {
            bail!("{}: vmconf does not write compressed files; choose a name without .gz", path.display());
        }
        if self.permits(path) { Ok(()) } else { Err(exists(path)) }
    }

    /// Writes the file at `path` with these bytes. Fails when there is a file and the user did not allow to replace
    /// it, or it cannot be written.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        if !self.permits(path) {
            return Err(exists(path));
        }
        let written = if self.force || !is_regular(path) {
            ResultFile::typed(path).and_then(|file| file.write(bytes))
        } else {
            ResultFile::typed(path).and_then(|file| file.write_new(&mut &*bytes))
        };
        match written {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(path)),
            other => Ok(other.map_err(|error| Unwritten::file(path, error))?),
        }
    }

    /// Whether a command may write what is at `path`; true if there is nothing.
    fn permits(&self, path: &Path) -> bool {
        // A dangling link counts as an existing file: writing would follow it.
        self.force || !is_regular(path) || path.symlink_metadata().is_err()
    }
}

fn exists(path: &Path) -> anyhow::Error {
    anyhow::anyhow!("{}: this file exists; --force replaces it", path.display())
}
