//! The effect of each flag of the commands that read vectors: one row per flag.
//!
//! The row determines whether `vmconf.toml` may set the flag, for a whole run or also for some files, and
//! which printed commands repeat it. Tests fail for a flag without a row, for a row without a flag, and for a
//! flag that says how files are read and is not part of the result cache's key.

use std::ffi::OsString;

use clap::Command;
use vmconf::model::limits;
use vmconf::text::config::SettingScope;

/// A row: the effect of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flag {
    /// Its long name, without the dashes.
    pub(super) name: &'static str,
    /// The short flag that printed commands use instead of the long one.
    short: Option<char>,
    /// Where `vmconf.toml` may set it; `None` if only the command line may.
    pub(super) scope: Option<SettingScope>,
    pub(super) changes: FlagEffect,
}

/// What a flag changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagEffect {
    /// How files are read and cases run. Every printed command repeats it; if `vmconf.toml` may set it, its
    /// value is part of the result cache's key.
    Verdicts,
    /// Which cases run, and which failures are expected. A printed `vmconf run` repeats it.
    Selection,
    /// How the run is done and reported. No printed command repeats it.
    Nothing,
}

use FlagEffect::{Nothing, Selection, Verdicts};

/// The flags of the commands that read vectors, except those of the limits and of [`TYPED`].
const FLAGS: &[Flag] = &[
    // Which cases.
    setting("paths", SettingScope::Run, Nothing),
    setting("filter", SettingScope::Run, Selection),
    Flag { short: Some('E'), ..setting("expr", SettingScope::Run, Selection) },
    setting("fork", SettingScope::Run, Selection),
    setting("sample", SettingScope::Run, Selection),
    setting("partition", SettingScope::Run, Nothing),
    typed("rerun", Selection),
    setting("known", SettingScope::File, Selection),
    typed("today", Selection),
    // How files are read.
    setting("format", SettingScope::File, Verdicts),
    setting("family", SettingScope::File, Verdicts),
    setting("ignore", SettingScope::File, Verdicts),
    setting("strict", SettingScope::File, Verdicts),
    setting("value-debit", SettingScope::File, Verdicts),
    // What runs them.
    setting("vm", SettingScope::Run, Verdicts),
    setting("engine", SettingScope::Run, Verdicts),
    setting("timeout", SettingScope::Run, Verdicts),
    setting("start-timeout", SettingScope::Run, Verdicts),
    setting("vm-memory", SettingScope::Run, Verdicts),
    setting("flaky", SettingScope::Run, Verdicts),
    // How failures are explained.
    typed("worlds", Verdicts),
    // Which settings.
    typed("profile", Verdicts),
    typed("no-config", Verdicts),
    // How the run is done.
    setting("jobs", SettingScope::Run, Nothing),
    setting("max-fail", SettingScope::Run, Nothing),
    setting("fail-fast", SettingScope::Run, Nothing),
    setting("cached", SettingScope::Run, Nothing),
    setting("verify", SettingScope::Run, Nothing),
    // How it is reported.
    setting("report", SettingScope::Run, Nothing),
    setting("no-group", SettingScope::Run, Nothing),
    setting("group", SettingScope::Run, Nothing),
    setting("quiet", SettingScope::Run, Nothing),
    setting("slow", SettingScope::Run, Nothing),
];

/// Flags that only the command line may set and that change nothing but how the run is done and reported.
#[rustfmt::skip]
const TYPED: &[&str] = &[
    "watch", "list", "seed", "explore", "verbose", "formats", "counts", "run", "fix", "rules", "all", "output",
    "badges", "results", "site", "statement", "trace", "json", "from", "to", "last", "op", "html", "source", "at",
    "datum", "metadata", "snapshots", "frame", "yes", "changes", "machine", "only", "most", "max-work", "min-score",
    "search", "write", "faults", "judge", "leaf", "fill", "agree", "cases", "each", "replace", "allow-outcome-change",
    "keep", "out", "tries", "dir", "fields", "check", "accept", "prune", "gas", "input", "stack", "vector", "map",
    "record", "time", "corpus", "force",
];

const fn setting(name: &'static str, scope: SettingScope, changes: FlagEffect) -> Flag {
    Flag { name, short: None, scope: Some(scope), changes }
}

const fn typed(name: &'static str, changes: FlagEffect) -> Flag {
    Flag { name, short: None, scope: None, changes }
}

/// All rows.
pub(super) fn all() -> impl Iterator<Item = Flag> {
    let limits = limits::ROWS.iter().map(|row| setting(row.flag, SettingScope::File, Verdicts));
    FLAGS.iter().copied().chain(limits).chain(TYPED.iter().map(|name| typed(name, Nothing)))
}

/// The row of the flag of this long name.
pub(super) fn by_name(name: &str) -> Option<Flag> {
    all().find(|flag| flag.name == name)
}

/// The flags of a command that were typed with a name that they no longer have, each with its name: aliases that no
/// help shows.
pub(super) fn with_earlier_names(command: &Command, typed: &[OsString]) -> Vec<(String, String)> {
    let words = typed.iter().map_while(|word| word.to_str().filter(|word| *word != "--"));
    let words: Vec<_> = words.filter_map(|word| word.strip_prefix("--")?.split('=').next()).collect();
    let mut found = Vec::new();
    for arg in command.get_arguments() {
        let shown = arg.get_visible_aliases().unwrap_or_default();
        let earlier = arg.get_all_aliases().unwrap_or_default();
        let earlier = earlier.into_iter().filter(|name| !shown.contains(name) && words.contains(name));
        found.extend(earlier.filter_map(|name| Some((name.to_owned(), arg.get_long()?.to_owned()))));
    }
    found
}

impl Flag {
    /// The flag as a word of a printed command.
    pub(super) fn word(self) -> String {
        self.short.map_or_else(|| format!("--{}", self.name), |short| format!("-{short}"))
    }

    /// Whether a word is the flag, in its short or its long form.
    pub(super) fn is_written(self, word: &str) -> bool {
        word.strip_prefix("--").is_some_and(|name| name == self.name) || word == self.word()
    }
}
