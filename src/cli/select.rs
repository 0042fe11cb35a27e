//! The arguments that select files and cases, for every command that reads vectors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use vmconf::formats::forks;
use vmconf::model::without_bom;
use vmconf::run::anchor::Anchor;
use vmconf::run::expression::{Expr, ExprSelection, Outcomes};
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Sources, UnusablePath};
use vmconf::run::{self, CaseSample, Families, LoadOptions, MissingCase, RunOptions, UnmatchedEntries};
use vmconf::text::suggest::did_you_mean;

use super::errors::UsageError;
use super::file_args::{self, FileArgs};
use super::input::read_written;
use super::settings::{ConfigArgs, Settings};
use super::{candidates, families, outstanding};

/// What is read if no path is named.
const DEFAULT: &str = "vectors/";

/// Which vectors, and how to read them.
#[derive(Debug, Args)]
pub(super) struct Select {
    #[arg(add = ArgValueCompleter::new(candidates::paths),
        help = format!("Vector files, folders, or case ids; - reads them from standard input [default: {DEFAULT}]"))]
    paths: Vec<PathBuf>,

    /// The paths if none are typed
    #[arg(long = "paths", value_name = "PATH", hide = true)]
    default_paths: Vec<PathBuf>,

    /// Whether `-` was typed: then the paths may be none, and the default paths do not replace them.
    #[arg(skip)]
    is_from_standard_input: bool,

    /// Only cases whose id contains PATTERN, or matches it as a glob; repeatable
    #[arg(short, long, value_name = "PATTERN")]
    filter: Vec<String>,

    /// Only cases matching EXPR, such as "machine(evm) and uses(SSTORE)"; repeatable; see vmconf help
    /// expressions
    #[arg(short = 'E', long = "expr", value_name = "EXPR")]
    expr: Vec<String>,

    /// Only state tests of this fork; repeatable
    #[arg(long, value_name = "NAME")]
    fork: Vec<String>,

    /// Only N of these cases in each file, chosen by SEED (0 if there is none)
    #[arg(long, value_name = "N[:SEED]")]
    sample: Option<CaseSample>,

    #[command(flatten)]
    file: FileArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

impl Select {
    /// The selected files; `options` determine how they are read. Notes about ignored files go to standard error.
    /// Fails when a path or a case that was typed does not exist.
    pub(super) fn sources(&self, settings: &Settings, options: &LoadOptions) -> anyhow::Result<Sources> {
        self.check_default(&settings.anchor)?;
        let found = sources_of(&self.searched(), settings, options);
        if !self.is_unnamed() {
            return found;
        }
        let all = match settings.place("paths") {
            Some(place) => found.context(place)?,
            None => found?,
        };
        note_unused_overrides(&all, options, settings);
        Ok(all)
    }

    /// [`Select::sources`] without the paths that cannot be used, if another one can; each of them is noted.
    pub(super) fn usable_sources(
        &self,
        settings: &Settings,
        options: &LoadOptions,
    ) -> anyhow::Result<Sources> {
        let error = match self.sources(settings, options) {
            Err(error) if error.is::<UnusablePath>() => error,
            found => return found,
        };
        let (mut usable, mut unusable) = (self.searched(), Vec::new());
        usable.retain(|path| {
            let found = sources::find(std::slice::from_ref(path), &settings.anchor);
            found.map_err(|error| unusable.push(error)).is_ok()
        });
        if usable.is_empty() {
            return Err(error);
        }
        for path in &unusable {
            note!("note: {path}");
        }
        sources_of(&usable, settings, options)
    }

    /// Reports that no path was named and the default one does not exist.
    fn check_default(&self, anchor: &Anchor) -> anyhow::Result<()> {
        let is_default = !self.has_paths() && !self.is_from_standard_input;
        if is_default && !anchor.resolve(Path::new(DEFAULT), Path::exists).exists() {
            anyhow::bail!(
                "no path is named, and there is no folder {DEFAULT} here: name vector files or folders, or set \
                 paths in vmconf.toml"
            );
        }
        Ok(())
    }

    /// Whether paths are typed, or set in `vmconf.toml`.
    fn has_paths(&self) -> bool {
        !self.paths.is_empty() || !self.default_paths.is_empty()
    }

    /// How a run treats entries in lists of known failures that match no selected case.
    pub(super) fn unmatched_entries(&self) -> UnmatchedEntries {
        if self.is_narrow() {
            UnmatchedEntries::Ignore
        } else if self.has_paths() {
            UnmatchedEntries::ReportSelected
        } else {
            UnmatchedEntries::Report
        }
    }

    /// Whether no argument selects cases.
    pub(super) fn is_all(&self) -> bool {
        self.is_unnamed() && !self.is_filtered()
    }

    /// Whether no path was typed.
    pub(super) fn is_unnamed(&self) -> bool {
        self.paths.is_empty() && !self.is_from_standard_input
    }

    /// Whether arguments select some of the cases of a file.
    pub(super) fn is_narrow(&self) -> bool {
        self.is_filtered() || self.paths.iter().any(|path| is_case(path))
    }

    /// Whether flags select cases.
    fn is_filtered(&self) -> bool {
        !(self.filter.is_empty() && self.expr.is_empty() && self.fork.is_empty() && self.sample.is_none())
    }

    /// The paths that were typed.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether a word that was typed is one of the paths.
    pub(super) fn has_path(&self, word: &str) -> bool {
        self.paths.iter().any(|path| path.as_os_str() == word)
    }

    /// The declaration of a family that was typed.
    pub(super) fn declaration(&self) -> Option<&Path> {
        self.file.declaration()
    }

    /// The paths that were typed, or else those of `vmconf.toml`, or else the default one.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        match (&*self.paths, &*self.default_paths) {
            ([], _) if self.is_from_standard_input => Vec::new(),
            ([], []) => vec![DEFAULT.into()],
            ([], paths) | (paths, _) => paths.to_vec(),
        }
    }

    /// Takes the paths that `other` has read from standard input.
    pub(super) fn keep_standard_input(&mut self, other: &Select) {
        if other.is_from_standard_input {
            self.paths.clone_from(&other.paths);
            self.is_from_standard_input = true;
        }
    }

    /// Replaces each `-` among the paths by the lines of standard input.
    pub(super) fn read_standard_input(&mut self) -> anyhow::Result<()> {
        while let Some(at) = self.paths.iter().position(|path| path == Path::new("-")) {
            let text = read_written(Path::new("-"))?;
            let text = without_bom(&text);
            self.paths.splice(at..=at, text.lines().filter(|line| !line.is_empty()).map(PathBuf::from));
            self.is_from_standard_input = true;
        }
        Ok(())
    }

    /// What selects cases, independent of how paths were typed: two runs with the same words select the same
    /// cases of the same files.
    pub(super) fn selected(&self, anchor: &Anchor) -> Vec<String> {
        let names: BTreeSet<_> = self.searched().iter().map(|path| sources::name_of(path, anchor)).collect();
        names.into_iter().chain(self.filters()).collect()
    }

    /// What selects among the cases of the files: filters, and the ids that were typed.
    pub(super) fn only(&self, anchor: &Anchor) -> Vec<String> {
        let names = self.paths.iter().filter(|path| is_case(path));
        let names: BTreeSet<_> = names.map(|path| sources::name_of(path, anchor)).collect();
        names.into_iter().chain(self.filters()).collect()
    }

    /// The flags that select among the cases of the files, each as one word.
    fn filters(&self) -> impl Iterator<Item = String> {
        let filters = self.filter.iter().map(|pattern| format!("--filter={pattern}"));
        let expression = self.expr.iter().map(|text| format!("-E={text}"));
        let forks = self.fork.iter().map(|name| format!("--fork={name}"));
        let sample = self.sample.map(|CaseSample { count, seed }| format!("--sample={count}:{seed}"));
        filters.chain(expression).chain(forks).chain(sample)
    }

    /// What `-E` and `--fork` select: cases that match one of the expressions, and have one of the forks.
    fn expression(&self, settings: &Settings, families: &Families) -> anyhow::Result<Option<ExprSelection>> {
        let exprs = self.expr.iter().map(|text| parsed(text, families)).collect::<anyhow::Result<_>>()?;
        let forks = self.fork.iter().map(String::as_str).map(of_fork).collect::<anyhow::Result<_>>()?;
        let both = [Expr::any(exprs), Expr::any(forks)].into_iter().flatten().collect();
        let Some(expr) = Expr::all(both) else { return Ok(None) };
        let last = if expr.asks_for_last_run() {
            outstanding::outcomes(&settings.anchor)?
        } else if expr.may_ask_for_last_run() {
            // Without a record, there are no suspects.
            outstanding::outcomes(&settings.anchor).unwrap_or_default()
        } else {
            Outcomes::default()
        };
        Ok(Some(ExprSelection { expr, last: Arc::new(last) }))
    }

    /// The options that these arguments and the overrides of `vmconf.toml` set.
    pub(super) fn options(&self, settings: &Settings) -> anyhow::Result<LoadOptions> {
        let patterns = self.filter.iter().map(String::as_str);
        let families = families::configured(settings)?;
        let overrides = file_args::overrides(settings, &families)?;
        let file = self.file.options(&families)?;
        let run = RunOptions {
            filter: Filter::new(patterns),
            expression: self.expression(settings, &file.families)?,
            sample: self.sample,
            ..RunOptions::default()
        };
        Ok(LoadOptions { run, file, overrides })
    }
}

/// Whether a path names a case of a file.
fn is_case(path: &Path) -> bool {
    path.to_string_lossy().contains("::")
}

/// The selected files of these paths. Cases that are named and do not exist are errors.
fn sources_of(paths: &[PathBuf], settings: &Settings, options: &LoadOptions) -> anyhow::Result<Sources> {
    let found = sources::find(paths, &settings.anchor)?;
    let named: Vec<_> = found.sources.with_named_cases().collect();
    if let Some(missing) = run::first_missing_case(&named, options) {
        return Err(no_such_case(&missing));
    }
    note_filtered(&found.sources, options, settings);
    for passed_over in &found.passed_over {
        note!("note: {passed_over}");
    }
    Ok(found.sources)
}

/// Reports named cases that the filter of `vmconf.toml` does not select.
fn note_filtered(sources: &Sources, options: &LoadOptions, settings: &Settings) {
    let Some(place) = settings.place("filter") else { return };
    for source in sources.with_named_cases() {
        for name in source.only.iter().flatten() {
            let id = format!("{}::{name}", source.shown);
            if !options.run.filter.matches_text(&id) {
                note!("note: {id} is not selected: it does not match the filter of {place}");
            }
        }
    }
}

/// Reports overrides of `vmconf.toml` that apply to no file.
fn note_unused_overrides(all: &Sources, options: &LoadOptions, settings: &Settings) {
    let (mut applied, mut matched) = (BTreeSet::<usize>::new(), BTreeSet::<usize>::new());
    for source in all {
        if applied.len() == options.overrides.len() {
            return;
        }
        let matching: Vec<_> = options.matching_overrides(&source).collect();
        applied.extend(matching.first());
        matched.extend(matching);
    }
    for index in (0..options.overrides.len()).filter(|index| !applied.contains(index)) {
        let Some((place, path)) = settings.place_of_override(index) else { continue };
        let why = if matched.contains(&index) {
            "an override before it applies to each file of"
        } else {
            "no vector file matches"
        };
        note!("note: {place}: {why} the path {path:?} of this override");
    }
}

/// The parsed expression that `-E` is given.
fn parsed(text: &str, families: &Families) -> anyhow::Result<Expr> {
    Ok(Expr::parse(text, families).map_err(|wrong| UsageError(format!("error: -E, {wrong}")))?)
}

/// The expression that selects the cases of a fork.
fn of_fork(name: &str) -> anyhow::Result<Expr> {
    if forks::all().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(format!("fork(\"{name}\")").parse::<Expr>()?);
    }
    anyhow::bail!("--fork: unknown fork {name:?}{}", did_you_mean(name, forks::all()))
}

fn no_such_case(missing: &MissingCase) -> anyhow::Error {
    let MissingCase { file, name, near } = missing;
    let near = near.as_ref().map_or(String::new(), |near| format!("; did you mean {file}::{near}?"));
    anyhow::anyhow!("there is no case {name} in {file}{near}")
}
