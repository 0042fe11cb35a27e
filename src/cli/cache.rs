//! `--cached`, `--verify`: where the result cache is stored, and which results are verified.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use vmconf::model::counted;
use vmconf::run::cache::{ResultCache, VerifiedSample, VerifiedShare};
use vmconf::text::shell::ShellWords;
use vmconf::wire::protocol::Hello;

use super::cache_file::{self, CacheFile, KEY_DIGITS};
use super::number::number;
use super::output;
use super::settings::{FILE, Settings};
use super::vm::VmArgs;

/// The number of programs whose results are kept: the ones that wrote most recently.
const MAX_PROGRAMS: usize = 8;

/// Which cases need not run.
#[derive(Debug, Args)]
pub(super) struct CacheArgs {
    /// Skip cases that passed in an earlier run with --cached, if file, flags and vmconf are unchanged
    #[arg(long)]
    cached: bool,

    /// Run N% of the cached cases anyway, such as 5% or 0.1%; one that does not pass is an error
    #[arg(long, value_name = "N%", hide_short_help = true)]
    verify: Option<VerifiedShare>,

    /// Seed that chooses the cases of --verify [default: random]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = number::<u64>)]
    seed: Option<u64>,
}

impl CacheArgs {
    /// The cache that the run uses. `hello` is what the machine of `--vm` reports. `None` without `--cached`, and
    /// when it cannot be opened. Fails when `--verify` or `--seed` is typed without the flag that it modifies.
    pub(super) fn open(
        &self,
        vm: &VmArgs,
        settings: &Settings,
        hello: Option<&Hello>,
    ) -> anyhow::Result<Option<CacheOptions>> {
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
        let identity = match vm.identity(settings, hello) {
            Ok(identity) => identity,
            Err(why) => {
                note!(
                    "note: --cached: {why:#}: all cases run, and nothing is kept; list the files that results depend \
                     on as cache-key in [vm.NAME] of {FILE}"
                );
                return Ok(None);
            }
        };
        match CacheOptions::open(identity, self.sample()) {
            Ok(cache) => Ok(Some(cache)),
            Err(error) => {
                note!("note: --cached: {error:#}; all cases run, and nothing is kept");
                Ok(None)
            }
        }
    }

    fn sample(&self) -> Option<VerifiedSample> {
        let share = self.verify?;
        let seed = self.seed.unwrap_or_else(|| {
            let seed = RandomState::new().hash_one(());
            note!("note: --verify {share} chooses with --seed {seed}");
            seed
        });
        Some(VerifiedSample { share, seed })
    }
}

/// A result cache and its file.
pub(super) struct CacheOptions {
    results: Arc<ResultCache>,
    file: CacheFile,
    /// A hash of the files that results of the machine of `--vm` depend on, at the start of the run.
    identity: Option<String>,
}

impl CacheOptions {
    fn open(identity: Option<String>, sample: Option<VerifiedSample>) -> anyhow::Result<CacheOptions> {
        let program = cache_file::program()?;
        let program = identity.as_ref().map_or(program.clone(), |machine| program.with_machine(machine));
        let file = CacheFile::new("answers", &program.to_string()[..KEY_DIGITS], MAX_PROGRAMS)?;
        let mut cache = ResultCache::new(program, sample);
        let _nothing_if_damaged = file.read(|text| cache.read(text));
        Ok(CacheOptions { results: Arc::new(cache), file, identity })
    }

    pub(super) fn results(&self) -> Arc<ResultCache> {
        self.results.clone()
    }

    /// Says that nothing is kept, since the machine broke the protocol outside of cases, so that the next run reports
    /// it again.
    pub(super) fn note_nothing_is_kept() {
        output::note("note: --cached: the machine broke the protocol; nothing is kept");
    }

    /// Writes the new results to the file. A failure to write is a note and does not fail the run.
    pub(super) fn save(&self, vm: &VmArgs, settings: &Settings) {
        // If the machine was rebuilt during the run, some of the results are those of the old one.
        if vm.identity(settings, None).ok().flatten() != self.identity {
            output::note("note: --cached: the machine changed during the run; nothing is kept");
            return;
        }
        let Some(text) = self.results.text() else { return };
        self.file.write(&text);
        let refuted = self.results.refuted();
        if refuted > 0 {
            note!(
                "note: the kept results of {} were wrong and are discarded; rm{} discards all results of this vmconf",
                counted(refuted, "file"),
                ShellWords::from_iter([self.file.path.to_string_lossy()])
            );
        }
    }
}
