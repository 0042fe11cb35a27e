//! The numbers of the last run that was saved, in `benches/results/`: the next run says what changed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value};

use crate::Rounds;

/// The numbers of a section: an object of rows, a row an object of numbers.
pub(crate) struct Results {
    path: PathBuf,
    last: Map<String, Value>,
    now: Map<String, Value>,
}

impl Results {
    /// Those of the section of this name, without any if none were saved.
    pub(crate) fn of(section: &str) -> anyhow::Result<Results> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(section).with_extension("json");
        let last = if path.exists() {
            serde_json::from_str(&fs::read_to_string(&path)?).with_context(|| path.display().to_string())?
        } else {
            Map::new()
        };
        Ok(Results { path, last, now: Map::new() })
    }

    /// Adds a row. What its numbers were in the last run; empty if that did not have it.
    pub(crate) fn add(&mut self, name: &str, numbers: &[(&str, Option<f64>)]) -> String {
        let known = numbers.iter().filter_map(|(column, number)| Some((*column, number.as_ref()?)));
        let rounded = |number: &f64| Value::from((number * 1e3).round() / 1e3);
        let row = known.map(|(column, number)| (column.to_owned(), rounded(number)));
        self.now.insert(name.to_owned(), Value::Object(row.collect()));
        let last = |(column, _): &(&str, _)| self.last.get(name)?.get(column)?.as_f64();
        let last: Vec<_> =
            numbers.iter().filter_map(|it| Some(format!("{} {:.2}", it.0, last(it)?))).collect();
        if last.is_empty() { String::new() } else { format!("was: {}", last.join(", ")) }
    }

    /// Saves the numbers, if this is requested.
    pub(crate) fn save(&self, rounds: &Rounds) -> anyhow::Result<()> {
        if !rounds.save {
            return Ok(());
        }
        let context = || self.path.display().to_string();
        fs::create_dir_all(self.path.parent().with_context(context)?)?;
        let text = serde_json::to_string_pretty(&self.now)? + "\n";
        fs::write(&self.path, text).with_context(context)
    }
}
