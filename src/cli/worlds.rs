//! States by their roots: `--worlds`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use sha2::{Digest, Sha256};
use vmconf::run::worlds::Worlds;
use vmconf::run::{FindWorld, sources};

use super::result_file::ResultFile;
use super::settings::Settings;
use super::{cache_file, history, output};

/// Where states are looked up by their roots.
#[derive(Debug, Args)]
pub(super) struct WorldsArgs {
    /// Look up states by their roots among the vectors in FOLDER, to explain roots that differ; repeatable
    #[arg(long, value_name = "FOLDER")]
    worlds: Vec<PathBuf>,
}

impl WorldsArgs {
    /// The states of the vectors in the folders; `None` without a folder. Their index is kept in the cache folder.
    /// Fails when a folder does not exist.
    pub(super) fn open(&self, settings: &Settings) -> anyhow::Result<Option<Arc<FindWorld>>> {
        if self.worlds.is_empty() {
            return Ok(None);
        }
        for path in &self.worlds {
            // A pipe can be read only once, and each state is looked up where it is.
            if path.metadata().is_ok_and(|it| !it.is_dir() && !it.is_file()) {
                bail!("--worlds {}: expected a folder of vectors", path.display());
            }
        }
        let sources: Vec<_> = sources::find(&self.worlds, &settings.anchor)?.sources.iter().collect();
        if sources.is_empty() {
            output::note("note: --worlds: there is no vector file in these folders");
        }
        let path = history::cache_folder().ok().map(|folder| folder.join("worlds").join(self.name()));
        let kept = path.as_ref().and_then(|path| cache_file::read(path).ok().flatten()).unwrap_or_default();
        let worlds = Worlds::new(sources, &kept);
        if let (Some(path), Some(text)) = (path, worlds.text())
            && let Err(error) = write(&path, &text)
        {
            output::note(&format!("note: {}: cannot be written: {error}", path.display()));
        }
        Ok(Some(Arc::new(move |root| worlds.find(root))))
    }

    /// The name of the index of these folders.
    fn name(&self) -> String {
        let mut hash = Sha256::new();
        for folder in &self.worlds {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            hash.update(folder.as_os_str().as_encoded_bytes());
            hash.update([0]);
        }
        hex::encode(&hash.finalize()[..8])
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    ResultFile::own(path)?.write(text.as_bytes())
}
