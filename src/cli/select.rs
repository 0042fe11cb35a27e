//! The arguments that select files and cases, for every command that reads vectors.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use vmconf::run::anchor::Anchor;
use vmconf::run::expression::{self, Expr, Outcomes, Selection};
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Source};
use vmconf::run::{self, MissingCase, Options, RunOptions};

use super::exit_code::UsageError;
use super::file_args::{self, FileArgs};
use super::settings::{ConfigArgs, Settings};
use super::{output, outstanding};

/// Which vectors, and how to read them.
#[derive(Debug, Args)]
pub(super) struct Select {
    /// Vector files, folders that are searched for them, or case ids [default: vectors/]
    paths: Vec<PathBuf>,

    /// Only cases whose id contains PATTERN, or matches it if it has one of *?[{; repeatable
    #[arg(short, long, value_name = "PATTERN")]
    filter: Vec<String>,

    /// Only cases of which EXPR holds, such as "machine(evm) and uses(SSTORE) and not name(~gas)"
    #[arg(short = 'E', long = "expr", value_name = "EXPR", long_help = expr_help())]
    expr: Option<String>,

    #[command(flatten)]
    file: FileArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

impl Select {
    /// The selected files, of which `options` say how they are read. Notes about ignored files go to standard
    /// error.
    ///
    /// # Errors
    ///
    /// When a path or a case that was typed does not exist.
    pub(super) fn sources(&self, settings: &Settings, options: &Options) -> anyhow::Result<Vec<Source>> {
        let found = sources::find(&self.searched(), &settings.anchor)?;
        for source in &found.sources {
            if let Some(missing) = run::missing_cases(source, options).first() {
                return Err(no_such_case(source, missing));
            }
        }
        for passed_over in &found.passed_over {
            output::note(&format!("note: {passed_over}"));
        }
        Ok(found.sources)
    }

    /// Whether no argument selects cases.
    pub(super) fn is_all(&self) -> bool {
        self.paths.is_empty() && self.filter.is_empty() && self.expr.is_none()
    }

    /// Whether arguments select some of the cases of a file.
    pub(super) fn is_narrow(&self) -> bool {
        let is_case = |path: &PathBuf| path.to_string_lossy().contains("::");
        !self.filter.is_empty() || self.expr.is_some() || self.paths.iter().any(is_case)
    }

    /// The paths that were typed.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The paths that were typed, or the default one.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec!["vectors/".into()] } else { self.paths.clone() }
    }

    /// What selects cases, independent of how paths were typed: two runs with the same words select the same
    /// cases of the same files.
    pub(super) fn selected(&self, anchor: &Anchor) -> Vec<String> {
        let names: BTreeSet<_> = self.searched().iter().map(|path| sources::name_of(path, anchor)).collect();
        let filters = self.filter.iter().map(|pattern| format!("--filter={pattern}"));
        let expression = self.expr.iter().map(|text| format!("-E={text}"));
        names.into_iter().chain(filters).chain(expression).collect()
    }

    /// The options that these arguments and the overrides of `vmconf.toml` set.
    pub(super) fn options(&self, settings: &Settings) -> anyhow::Result<Options> {
        let patterns = self.filter.iter().map(String::as_str);
        let run = RunOptions {
            filter: Filter::new(patterns).context("--filter")?,
            expression: self.expr.as_deref().map(|text| selection(text, settings)).transpose()?,
            ..RunOptions::default()
        };
        Ok(Options { run, file: self.file.options(), overrides: file_args::overrides(settings)? })
    }
}

fn expr_help() -> String {
    format!(
        "Only cases of which EXPR holds, such as \"machine(evm) and uses(SSTORE)\"\n\n{}",
        expression::help()
    )
}

fn no_such_case(source: &Source, missing: &MissingCase) -> anyhow::Error {
    let MissingCase { name, near } = missing;
    let file = &source.shown;
    let near = near.as_ref().map_or(String::new(), |near| format!("; did you mean {file}::{near}?"));
    anyhow::anyhow!("there is no case {name} in {file}{near}")
}

/// The parsed expression, with the outcomes of the last run if it refers to them.
fn selection(text: &str, settings: &Settings) -> anyhow::Result<Selection> {
    let expr: Expr = text.parse().map_err(|wrong| UsageError(format!("error: -E, {wrong}")))?;
    let last =
        if expr.asks_for_last_run() { outstanding::outcomes(&settings.anchor)? } else { Outcomes::new() };
    Ok(Selection { expr, last: Arc::new(last) })
}
