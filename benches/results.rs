//! The ratios of the last run that was saved, in `benches/results/`: the next run says what changed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::Rounds;

/// The ratios of a section.
pub(crate) struct Results {
    path: PathBuf,
    last: Vec<(String, f64)>,
    now: Vec<(String, f64)>,
}

impl Results {
    /// Those of the section of this name, without any if none were saved.
    pub(crate) fn of(section: &str) -> anyhow::Result<Results> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(section).with_extension("txt");
        let text = if path.exists() { fs::read_to_string(&path)? } else { String::new() };
        let row = |line: &str| {
            let (name, ratio) = line.split_once(" | ")?;
            Some((name.to_owned(), ratio.parse().ok()?))
        };
        Ok(Results { path, last: text.lines().filter_map(row).collect(), now: Vec::new() })
    }

    /// Adds a ratio. What it was in the last run; empty if that did not have it.
    pub(crate) fn add(&mut self, name: &str, ratio: f64) -> String {
        self.now.push((name.to_owned(), ratio));
        let last = self.last.iter().find(|(known, _)| known == name);
        last.map_or(String::new(), |(_, ratio)| format!("was {ratio:.2}"))
    }

    /// Saves the ratios, if this is requested.
    pub(crate) fn save(&self, rounds: &Rounds) -> anyhow::Result<()> {
        if !rounds.save {
            return Ok(());
        }
        let lines: String = self.now.iter().map(|(name, ratio)| format!("{name} | {ratio:.2}\n")).collect();
        fs::write(&self.path, lines).with_context(|| self.path.display().to_string())
    }
}
