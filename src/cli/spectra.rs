//! The file that keeps what cases execute, for the suspects of later runs.

use vmconf::explain::spectrum::{self, SpectrumCache};
use vmconf::model::SuspectAnalysis;
use vmconf::run::sources::Sources;
use vmconf::run::{CaseVerdicts, LoadOptions};

use super::cache_file::{self, CacheFile, KEY_DIGITS};

/// The number of programs whose files are kept.
const MAX_PROGRAMS: usize = 4;

/// Finds the instructions that explain the failures of a run, and keeps what its cases execute.
pub(super) fn analyse(sources: &Sources, options: &LoadOptions, verdicts: &CaseVerdicts) -> SuspectAnalysis {
    let (cache, file) = match open() {
        Ok(opened) => opened,
        Err(error) => {
            note!("note: {error:#}; what the cases execute is not kept");
            return spectrum::analyse(sources, options, None, verdicts);
        }
    };
    let analysis = spectrum::analyse(sources, options, Some(&cache), verdicts);
    if let Some(text) = cache.text() {
        file.write(&text);
    }
    analysis
}

fn open() -> anyhow::Result<(SpectrumCache, CacheFile)> {
    let program = cache_file::program()?;
    let file = CacheFile::new("spectra", &program.to_string()[..KEY_DIGITS], MAX_PROGRAMS)?;
    let mut cache = SpectrumCache::new(program);
    let _nothing_if_damaged = file.read(|text| cache.read(text));
    Ok((cache, file))
}
