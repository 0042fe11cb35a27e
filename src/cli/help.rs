//! `vmconf help`: help on a command or a topic.

use std::io::Write;

use clap::{Args, Command};
use vmconf::model::limits;
use vmconf::model::{Exit, LimitOwner, LimitRow};
use vmconf::run::expression;
use vmconf::text::suggest::did_you_mean;

use super::errors::{self, UsageError};
use super::{output, scheduler};

/// Print help on a command or a topic
///
/// Example: vmconf help expressions
#[derive(Debug, Args)]
#[command(after_help = topics())]
pub(super) struct Help {
    /// A command, such as `run` or `known update`, or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// A text that several commands refer to.
struct Topic {
    name: &'static str,
    doc: &'static str,
    text: fn() -> String,
}

const TOPICS: &[Topic] = &[
    Topic { name: "expressions", doc: "how -E selects cases", text: expression::help },
    Topic { name: "limits", doc: "limits on time and memory", text: limits },
    Topic { name: "schedulers", doc: "where --partition auto finds its part", text: scheduler::schedulers },
    Topic { name: "exit-codes", doc: "what the exit code of vmconf says", text: errors::help },
];

/// The commands in the order of the help, by what they are for.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("Run", &["run", "list", "exec", "matrix", "merge"]),
    ("Explain", &["diff", "suspects", "minimize", "trace", "explore", "bisect", "compare"]),
    ("Write vectors", &["check", "bless", "fill", "snapshot", "known"]),
    ("Prove", &["audit", "mutants", "coverage", "minset", "fuzz"]),
    ("Machines", &["family", "isa", "asm", "disasm", "serve", "vm"]),
    ("Set-up", &["init", "config", "schema", "completions", "man", "help"]),
];

/// The commands in groups, each with what it does and its example.
pub(super) fn commands(tree: &Command) -> String {
    let (heading, name_style) = (*tree.get_styles().get_header(), *tree.get_styles().get_literal());
    let mut lines = Vec::new();
    for (group, names) in GROUPS {
        lines.push(format!("{heading}{group}:{heading:#}"));
        for command in names.iter().filter_map(|name| tree.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let name = command.get_name();
            lines.push(format!("  {name_style}{name:<11}{name_style:#}  {about}"));
            lines.extend(example(command).map(|example| format!("{:15}{example}", "")));
        }
        lines.push(String::new());
    }
    lines.join("\n")
}

/// The example in the help of a command.
pub(super) fn example(command: &Command) -> Option<String> {
    let help = command.get_long_about()?.to_string();
    help.lines().find_map(|line| line.strip_prefix("Example: ")).map(str::to_owned)
}

pub(super) fn topics() -> String {
    let rows = TOPICS.iter().map(|topic| format!("\n  {:<12} {}", topic.name, topic.doc));
    format!("Topics of vmconf help:{}", rows.collect::<String>())
}

fn limits() -> String {
    let of_runner = |row: &&LimitRow| row.owner == LimitOwner::Runner;
    let (of_runner, of_machines): (Vec<_>, Vec<_>) = limits::ROWS.iter().partition(of_runner);
    format!(
        "Limits of the runner; a case that reaches one is an error:\n{}\
         Limits of the machine neo3, which a test may lower; exceeding one is a fault of the script:\n{}\
         Every command that reads vectors takes these flags, and vmconf.toml sets them for all or some files.",
        limit_lines(&of_runner),
        limit_lines(&of_machines)
    )
}

fn limit_lines(rows: &[&LimitRow]) -> String {
    let width = rows.iter().map(|row| row.flag.len()).max().unwrap_or(0);
    let line =
        |row: &&LimitRow| format!("  --{:width$} <N>  {} [{}]\n", row.flag, row.doc.trim(), row.range());
    rows.iter().map(line).collect()
}

impl Help {
    /// Prints the help. `tree` is the whole command line, and has not parsed arguments.
    pub(super) fn run(&self, mut tree: Command) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        match TOPICS.iter().find(|topic| self.words == [topic.name]) {
            Some(topic) => writeln!(out, "{}", (topic.text)())?,
            None => write!(out, "{}", command(&mut tree, &self.words)?.render_long_help().ansi())?,
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// The command of this name.
fn command<'t>(tree: &'t mut Command, words: &[String]) -> anyhow::Result<&'t mut Command> {
    tree.build();
    let mut found = tree;
    for word in words {
        if found.find_subcommand(word).is_none() {
            return Err(unknown(found, word).into());
        }
        found = found.find_subcommand_mut(word).unwrap_or_else(|| unreachable!("it was found"));
    }
    Ok(found)
}

fn unknown(tree: &Command, word: &str) -> UsageError {
    let commands = tree.get_subcommands().map(Command::get_name);
    let hint = did_you_mean(word, commands.chain(TOPICS.iter().map(|topic| topic.name)));
    UsageError(format!("error: there is no command or topic {word}{hint}; vmconf help lists the commands"))
}
