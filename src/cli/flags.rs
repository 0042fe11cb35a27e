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
    /// What it changes.
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

/// The flags of the commands that read vectors, except those of the limits.
const FLAGS: &[Flag] = &[
    // Which cases.
    setting("paths", SettingScope::Run, Nothing),
    setting("filter", SettingScope::Run, Selection),
    Flag { short: Some('E'), ..setting("expr", SettingScope::Run, Selection) },
    setting("fork", SettingScope::Run, Selection),
    setting("sample", SettingScope::Run, Selection),
    setting("partition", SettingScope::Run, Nothing),
    typed("rerun", Selection),
    typed("watch", Nothing),
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
    setting("flaky", SettingScope::Run, Selection),
    // How failures are explained.
    typed("worlds", Verdicts),
    // Which settings.
    typed("profile", Verdicts),
    typed("no-config", Verdicts),
    // What `schema` prints.
    typed("list", Nothing),
    // How the run is done.
    setting("jobs", SettingScope::Run, Nothing),
    setting("max-fail", SettingScope::Run, Nothing),
    setting("fail-fast", SettingScope::Run, Nothing),
    setting("cached", SettingScope::Run, Nothing),
    setting("verify", SettingScope::Run, Nothing),
    typed("seed", Nothing),
    // How it is reported.
    setting("report", SettingScope::Run, Nothing),
    setting("no-group", SettingScope::Run, Nothing),
    setting("group", SettingScope::Run, Nothing),
    setting("quiet", SettingScope::Run, Nothing),
    typed("explore", Nothing),
    typed("verbose", Nothing),
    setting("slow", SettingScope::Run, Nothing),
    // Of single commands.
    typed("formats", Nothing),
    typed("counts", Nothing),
    typed("run", Nothing),
    typed("fix", Nothing),
    typed("rules", Nothing),
    typed("all", Nothing),
    typed("output", Nothing),
    typed("badges", Nothing),
    typed("results", Nothing),
    typed("site", Nothing),
    typed("statement", Nothing),
    typed("trace", Nothing),
    typed("json", Nothing),
    typed("from", Nothing),
    typed("to", Nothing),
    typed("last", Nothing),
    typed("op", Nothing),
    typed("html", Nothing),
    typed("source", Nothing),
    typed("at", Nothing),
    typed("datum", Nothing),
    typed("metadata", Nothing),
    typed("snapshots", Nothing),
    typed("frame", Nothing),
    typed("yes", Nothing),
    typed("changes", Nothing),
    typed("machine", Nothing),
    typed("only", Nothing),
    typed("most", Nothing),
    typed("max-work", Nothing),
    typed("min-score", Nothing),
    typed("search", Nothing),
    typed("write", Nothing),
    typed("faults", Nothing),
    typed("judge", Nothing),
    typed("leaf", Nothing),
    typed("fill", Nothing),
    typed("agree", Nothing),
    typed("cases", Nothing),
    typed("each", Nothing),
    typed("replace", Nothing),
    typed("allow-outcome-change", Nothing),
    typed("keep", Nothing),
    typed("out", Nothing),
    typed("tries", Nothing),
    typed("dir", Nothing),
    typed("fields", Nothing),
    typed("check", Nothing),
    typed("accept", Nothing),
    typed("prune", Nothing),
    typed("gas", Nothing),
    typed("input", Nothing),
    typed("stack", Nothing),
    typed("vector", Nothing),
    typed("map", Nothing),
    typed("record", Nothing),
    typed("time", Nothing),
    typed("corpus", Nothing),
    typed("force", Nothing),
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
    FLAGS.iter().copied().chain(limits)
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
}
