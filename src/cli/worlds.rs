//! States by their roots: `--worlds`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use sha2::{Digest, Sha256};
use vmconf::run::worlds::{KeptRoots, Worlds};
use vmconf::run::{FindWorld, sources};

use super::cache_file::CacheFile;
use super::output;
use super::settings::Settings;

/// The number of sets of folders whose index is kept.
const MAX_INDEXES: usize = 8;

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
        let file = CacheFile::new("worlds", &self.name(), MAX_INDEXES).ok();
        let kept =
            file.as_ref().and_then(|file| file.read(|text| Ok((KeptRoots::parse(text)?, text.to_owned()))));
        let (kept, before) = kept.unwrap_or_default();
        let worlds = Worlds::new(sources, kept);
        let index = worlds.index();
        if let Some(file) = file.filter(|_| index != before) {
            file.write(&index);
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
