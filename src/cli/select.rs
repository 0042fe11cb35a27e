//! The arguments that select files and cases, for every command that reads vectors.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use vmconf::run::expression::{self, Expr, Outcomes, Selection};
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Source};
use vmconf::run::{Options, RunOptions};

use super::exit_code::UsageError;
use super::file_args::{self, FileArgs};
use super::settings::{ConfigArgs, Settings};
use super::{history, output};

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
    /// The selected files. Notes about ignored files go to standard error.
    pub(super) fn sources(&self) -> anyhow::Result<Vec<Source>> {
        let found = sources::find(&self.searched())?;
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

    /// The options that these arguments and the overrides of `vmconf.toml` set.
    pub(super) fn options(&self, settings: &Settings) -> anyhow::Result<Options> {
        let patterns = self.filter.iter().map(String::as_str);
        let run = RunOptions {
            filter: Filter::new(patterns).context("--filter")?,
            expression: self.expr.as_deref().map(selection).transpose()?,
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

/// The parsed expression, with the outcomes of the last run if it refers to them.
fn selection(text: &str) -> anyhow::Result<Selection> {
    let expr: Expr = text.parse().map_err(|wrong| UsageError(format!("error: -E, {wrong}")))?;
    let last = if expr.asks_for_last_run() { history::last_outcomes()? } else { Outcomes::new() };
    Ok(Selection { expr, last: Arc::new(last) })
}
