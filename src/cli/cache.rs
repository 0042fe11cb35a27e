//! `--cached`, `--verify`: where the result cache is stored, and which results are verified.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, bail};
use clap::Args;
use vmconf::run::cache::{MOST_BYTES, ProgramKey, ResultCache, Sample, Share};
use vmconf::run::open_file::{Links, open_regular, read_at_most};
use vmconf::text::shell::Words;

use super::history;
use super::output;
use super::result_file::{ResultFile, remove_abandoned};
use super::settings::Settings;

/// The number of programs whose results are kept: the ones that wrote most recently.
const MOST_PROGRAMS: usize = 8;

/// Which cases need not run.
#[derive(Debug, Args)]
pub(super) struct CacheArgs {
    /// Skip cases that passed in an earlier run with --cached, if file, flags and vmconf are unchanged
    #[arg(long)]
    cached: bool,

    /// Run N% of the cached cases anyway, such as 5% or 0.1%; one that does not pass is an error
    #[arg(long, value_name = "N%", hide_short_help = true)]
    verify: Option<Share>,

    /// Seed that chooses the cases of --verify [default: random]
    #[arg(long, value_name = "N", hide_short_help = true)]
    seed: Option<u64>,
}

impl CacheArgs {
    /// The cache that the run uses; `None` without `--cached`, and when it cannot be opened.
    ///
    /// # Errors
    ///
    /// When `--verify` or `--seed` is typed without the flag that it modifies.
    pub(super) fn open(&self, settings: &Settings) -> anyhow::Result<Option<Cache>> {
        // clap cannot require this: vmconf.toml may set one flag and leave the other to the command line.
        if self.verify.is_some() && !self.cached && !settings.is_configured("verify") {
            bail!("--verify checks results from the cache and requires --cached");
        }
        if self.seed.is_some() && self.verify.is_none() {
            bail!("--seed requires --verify");
        }
        if !self.cached {
            return Ok(None);
        }
        match Cache::open(self.sample()) {
            Ok(cache) => Ok(Some(cache)),
            Err(error) => {
                output::note(&format!("note: --cached: {error:#}; all cases run, and nothing is kept"));
                Ok(None)
            }
        }
    }

    fn sample(&self) -> Option<Sample> {
        let share = self.verify?;
        let seed = self.seed.unwrap_or_else(|| {
            let seed = RandomState::new().hash_one(());
            output::note(&format!("note: --verify {share} chooses with --seed {seed}"));
            seed
        });
        Some(Sample { share, seed })
    }
}

/// A result cache and its file.
pub(super) struct Cache {
    results: Arc<ResultCache>,
    path: PathBuf,
}

impl Cache {
    fn open(sample: Option<Sample>) -> anyhow::Result<Cache> {
        let folder = history::cache_folder().context("there is no cache folder; VMCONF_CACHE names one")?;
        let program = executable().and_then(ProgramKey::of);
        let program = program.context("the executable of this program cannot be read")?;
        let path = folder.join("answers").join(&program.to_string()[..16]);
        let mut cache = ResultCache::new(program, sample);
        let read = read(&path).and_then(|text| text.map_or(Ok(()), |text| cache.read(&text)));
        if let Err(why) = read {
            output::note(&format!("note: {}: {why}; it is ignored and will be replaced", path.display()));
        }
        Ok(Cache { results: Arc::new(cache), path })
    }

    pub(super) fn results(&self) -> Arc<ResultCache> {
        self.results.clone()
    }

    /// Writes the new results to the file. A failure to write is a note and does not fail the run.
    pub(super) fn save(&self) {
        let Some(text) = self.results.text() else { return };
        if let Err(error) = self.write(&text) {
            output::note(&format!("note: {}: cannot be written: {error}", self.path.display()));
        }
        let refuted = self.results.refuted();
        if refuted > 0 {
            let files = if refuted == 1 { "file" } else { "files" };
            output::note(&format!(
                "note: the answers of {refuted} {files} are discarded; rm{} discards all of this program",
                Words::from_iter([self.path.to_string_lossy()])
            ));
        }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        remove_abandoned(folder);
        ResultFile::with(&self.path, text.as_bytes())?;
        forget_oldest_programs(folder)
    }
}

/// The running executable; on Linux also after its file was replaced.
fn executable() -> io::Result<File> {
    if cfg!(target_os = "linux") {
        return File::open("/proc/self/exe");
    }
    File::open(std::env::current_exe()?)
}

/// The text of a cache file; `None` if there is no such file.
fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match open_regular(path, Links::Follow) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| error.to_string())?,
    };
    let bytes = read_at_most(file, MOST_BYTES as u64).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("is larger than {MOST_BYTES} bytes"))?;
    String::from_utf8(bytes).map(Some).map_err(|error| error.to_string())
}

/// Deletes the caches of the programs that wrote least recently.
fn forget_oldest_programs(folder: &Path) -> io::Result<()> {
    let written = |entry: &fs::DirEntry| entry.metadata().and_then(|file| file.modified());
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_complete = !entry.file_name().to_string_lossy().starts_with('.');
        files.extend(written(&entry).ok().filter(|_| is_complete).map(|time| (time, entry.path())));
    }
    files.sort();
    let too_many = files.len().saturating_sub(MOST_PROGRAMS);
    files.iter().take(too_many).try_for_each(|(_, path)| match fs::remove_file(path) {
        // Another process deleted it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    })
}
