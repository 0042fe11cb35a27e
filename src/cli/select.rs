//! The arguments that choose files and cases, for every command that reads vectors.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, FromArgMatches, ValueEnum, value_parser};
use vmconf::formats::{self, FORMATS, Strictness, ValueDebit};
use vmconf::model::limits::{self, Limits};
use vmconf::run::expression::{self, Expr, Outcomes, Selection};
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Source};
use vmconf::run::{self, FileOptions, RunOptions};
use vmconf::text::shell::Words;

use super::output::{self, Lines};
use super::{config, run_record};

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

    /// Read every file as this format instead of recognising it
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name)))]
    format: Option<String>,

    /// Take for an error what a format does not know, such as unknown members, and what its text forbids
    #[arg(long)]
    strict: bool,

    /// Whether recorded calls take their value off the balance (vmtests); auto: if exec.gas is decimal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    value_debit: When,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    config: config::Choice,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    On,
    Off,
}

impl Select {
    /// The files that are meant; what was passed over is told on standard error.
    pub(super) fn sources(&self) -> anyhow::Result<Vec<Source>> {
        let found = sources::find(&self.searched())?;
        for passed_over in &found.passed_over {
            output::note(&format!("note: {passed_over}"));
        }
        Ok(found.sources)
    }

    /// Whether the user says nothing of which cases are meant.
    pub(super) fn is_all(&self) -> bool {
        self.paths.is_empty() && self.filter.is_empty() && self.expr.is_none()
    }

    /// The paths that the user named, or the one that is meant when there are none.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec!["vectors/".into()] } else { self.paths.clone() }
    }

    /// Whether cases are chosen out of files.
    pub(super) fn is_narrow(&self) -> bool {
        let is_case = |path: &PathBuf| path.to_string_lossy().contains("::");
        !self.filter.is_empty() || self.expr.is_some() || self.paths.iter().any(is_case)
    }

    /// The flags that change what comes of a case, as they are typed. What the configuration sets is not
    /// among them, since it applies to every command.
    pub(super) fn flags(&self) -> Words {
        let is_typed = |name| !config::sets(name);
        let format = self.format.iter().filter(|_| is_typed("format"));
        let format = format.flat_map(|format| ["--format".to_owned(), format.clone()]);
        let strict = (self.strict && is_typed("strict")).then(|| "--strict".to_owned());
        let value_debit = match self.value_debit {
            _ if !is_typed("value-debit") => None,
            When::Auto => None,
            When::On => Some("on"),
            When::Off => Some("off"),
        };
        let value_debit =
            value_debit.into_iter().flat_map(|when| ["--value-debit".to_owned(), when.to_owned()]);
        let limit = |row: &limits::Row| {
            let value = (row.get)(&self.limits.0);
            let flag = [format!("--{}", row.flag), value.to_string()];
            (value != row.default && is_typed(row.flag)).then_some(flag)
        };
        let limits = limits::ROWS.iter().filter_map(limit).flatten();
        format.chain(strict).chain(value_debit).chain(limits).collect::<Words>().and(config::chosen())
    }

    /// The paths that the user named.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How to run, as far as these arguments and the configuration say.
    pub(super) fn options(&self) -> anyhow::Result<run::Options> {
        let overrides = config::overrides(Select::file_options)?;
        Ok(run::Options { run: self.run_options()?, file: self.file_options(), overrides })
    }

    /// The paths and filters as they are typed.
    pub(super) fn selection(&self) -> Words {
        let paths = self.paths.iter().map(|path| path.to_string_lossy().into_owned());
        let filters = self.filter.iter().flat_map(|pattern| ["--filter".to_owned(), pattern.clone()]);
        let expr = self.expr.iter().flat_map(|expr| ["-E".to_owned(), expr.clone()]);
        paths.chain(filters).chain(expr).collect()
    }

    /// What these arguments say of a whole run.
    fn run_options(&self) -> anyhow::Result<RunOptions> {
        let patterns = self.filter.iter().map(String::as_str);
        Ok(RunOptions {
            filter: Filter::new(patterns).context("--filter")?,
            expression: self.expr.as_deref().map(selection).transpose()?,
            ..RunOptions::default()
        })
    }

    /// What these arguments say of a file.
    fn file_options(&self) -> FileOptions {
        FileOptions {
            format: self.format.as_deref().and_then(formats::by_name),
            read: formats::Options {
                strictness: if self.strict { Strictness::Strict } else { Strictness::Tolerant },
                value_debit: match self.value_debit {
                    When::Auto => ValueDebit::Auto,
                    When::On => ValueDebit::On,
                    When::Off => ValueDebit::Off,
                },
            },
            limits: self.limits.0.clone(),
            expected_failures: None,
        }
    }
}

fn expr_help() -> String {
    format!(
        "Only cases of which EXPR holds, such as \"machine(evm) and uses(SSTORE)\"\n\n{}",
        expression::help()
    )
}

/// The expression, and what came of the cases in the last run where it asks for that.
fn selection(text: &str) -> anyhow::Result<Selection> {
    let expr: Expr = text.parse().map_err(|wrong| Lines(format!("error: -E, {wrong}")))?;
    let last = if expr.asks_for_last_run() { run_record::outcomes()? } else { Outcomes::new() };
    Ok(Selection { expr, last: Arc::new(last) })
}

/// One argument for each row of [`limits::ROWS`].
#[derive(Debug)]
struct LimitArgs(Limits);

impl Args for LimitArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let flag = |row: &limits::Row| {
            Arg::new(row.flag)
                .long(row.flag)
                .value_name("N")
                .help(format!("Limit: {} [default: {}]", row.doc.trim(), row.default))
                .help_heading("Limits")
                .value_parser(value_parser!(u64))
        };
        command.args(limits::ROWS.iter().map(flag))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        LimitArgs::augment_args(command)
    }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<LimitArgs, clap::Error> {
        let mut args = LimitArgs(Limits::default());
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in limits::ROWS {
            if let Some(value) = matches.get_one::<u64>(row.flag) {
                (row.set)(&mut self.0, *value);
            }
        }
        Ok(())
    }
}
