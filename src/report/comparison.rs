//! What changed from one run to another, as text, as JSON and in Markdown.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::markdown_escape::code_span;
use super::style::{DIM, FAIL, WIDTH};
use super::truncate::{truncate, truncate_pair};
use crate::model::{Renderer, VerdictKind, escaped};
use crate::wire::comparison::{Changed, Comparison, RecordedOutcome, ReportedChange};
use crate::wire::line::one_line;

/// The maximum number of cases shown for each section, unless all are requested.
const MAX_CASES: usize = 20;

const GOOD: Style = AnsiColor::Green.on_default().bold();

/// What is shown.
pub struct Shown<'a> {
    /// The names of the runs, the earlier one first.
    pub names: [&'a str; 2],
    /// The command lines of the runs; `None` for reports, which do not have them.
    pub commands: [Option<&'a str>; 2],
    /// What changed.
    pub comparison: &'a Comparison<'a>,
    /// Reasons why the runs are hard to compare.
    pub cautions: &'a [String],
    /// How much of the comparison is shown.
    pub extent: ComparisonExtent,
}

/// How much of a comparison is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonExtent {
    /// The first cases of each section, in lines of 100 columns.
    Short,
    /// All cases, each in full.
    All,
}

impl ComparisonExtent {
    fn most(self) -> usize {
        match self {
            ComparisonExtent::Short => MAX_CASES,
            ComparisonExtent::All => usize::MAX,
        }
    }

    /// Escapes text from the input. [`ComparisonExtent::Short`] also truncates it to the width that remains after
    /// `prefix` columns.
    fn line(self, text: &str, prefix: usize) -> String {
        match self {
            ComparisonExtent::Short => truncate(&escaped(text), 0, WIDTH - prefix),
            ComparisonExtent::All => escaped(text).into_owned(),
        }
    }

    /// Two runs in a line each, after seven columns. Of two long commands, the parts are shown that differ.
    fn runs(self, names: &[&str; 2], commands: &[Option<&str>; 2]) -> [String; 2] {
        if let (ComparisonExtent::Short, [Some(one), Some(other)]) = (self, commands)
            && one != other
        {
            let names = names.map(escaped);
            let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
            let width = WIDTH.saturating_sub(7 + longest + 2).max(WIDTH / 2);
            let (one, other) = truncate_pair(&escaped(one), &escaped(other), width);
            return [format!("{}  {one}", names[0]), format!("{}  {other}", names[1])];
        }
        let run = |index: usize| {
            let command = commands[index].map_or_else(String::new, |command| format!("  {command}"));
            self.line(&format!("{}{command}", names[index]), 7)
        };
        [run(0), run(1)]
    }
}

/// A format for comparisons; `new` writes one.
pub type ComparisonKind = Renderer<fn(&mut dyn Write, &Shown<'_>) -> io::Result<()>>;

/// All formats for comparisons; the first is the default.
pub static COMPARISONS: &[ComparisonKind] = &[
    ComparisonKind { name: "text", doc: "For people", new: text },
    ComparisonKind { name: "json", doc: "For programs, one line", new: json },
    ComparisonKind { name: "markdown", doc: "For a comment or a summary", new: markdown },
];

/// Writes text for people: the counts, then a section for each kind of change.
fn text(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let Shown { names, commands, comparison, cautions, extent } = shown;
    writeln!(out, "{}", counts(comparison))?;
    writeln!(out, "  {}", judgement(comparison))?;
    let runs = extent.runs(names, commands);
    for (which, run) in ["from", "to"].iter().zip(runs) {
        writeln!(out, "  {DIM}{which:<4}{DIM:#} {run}")?;
    }
    for caution in *cautions {
        writeln!(out, "  {DIM}note:{DIM:#} {}", extent.line(caution, 8))?;
    }
    for (change, section) in sections(comparison) {
        let style = if section.iter().any(|it| it.is_worse()) { FAIL } else { GOOD };
        writeln!(out, "\n{style}{change}{style:#}")?;
        for changed in section.iter().take(extent.most()) {
            writeln!(out, "  {}", extent.line(changed.id, 2))?;
            for (when, what) in said(changed) {
                writeln!(out, "    {DIM}{when}{DIM:#} {}", extent.line(&what, 8))?;
            }
        }
        if let Some(more) = more(section.len(), *extent) {
            writeln!(out, "  {more}")?;
        }
    }
    Ok(())
}

/// Writes the comparison in Markdown.
fn markdown(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let Shown { names, commands, comparison, cautions, extent } = shown;
    let run = |index: usize| {
        let command = commands[index].map(|command| format!(" ({})", code_span(command)));
        code_span(names[index]) + &command.unwrap_or_default()
    };
    writeln!(out, "## vmconf: {}\n", counts(comparison))?;
    writeln!(out, "From {} to {}: {}.", run(0), run(1), judgement(comparison))?;
    for (index, caution) in cautions.iter().enumerate() {
        writeln!(out, "{}- {}", if index == 0 { "\n" } else { "" }, code_span(caution))?;
    }
    for (change, section) in sections(comparison) {
        let heading = change.to_string();
        writeln!(out, "\n### {}{}\n", heading[..1].to_uppercase(), &heading[1..])?;
        for changed in section.iter().take(extent.most()) {
            let said = said(changed).into_iter().map(|(when, what)| format!("{when} {}", code_span(&what)));
            let said = said.collect::<Vec<_>>().join(", ");
            let colon = if said.is_empty() { "" } else { ": " };
            writeln!(out, "- {}{colon}{said}", code_span(changed.id))?;
        }
        if let Some(more) = more(section.len(), *extent) {
            writeln!(out, "- {more}")?;
        }
    }
    Ok(())
}

/// Writes the comparison as one line of JSON, described by `schemas/comparison.schema.json`. All cases that changed
/// are in it.
fn json(out: &mut dyn Write, shown: &Shown<'_>) -> io::Result<()> {
    let Shown { names: [from, to], comparison, cautions, .. } = shown;
    let changed = comparison.changed.iter().map(|changed| ChangedCase {
        id: changed.id,
        change: changed.change.to_string(),
        worse: changed.is_worse(),
        before: changed.before,
        after: changed.after,
    });
    let line = ComparisonLine {
        from,
        to,
        worse: worse(comparison),
        same: comparison.same,
        same_not_passing: comparison.same_not_passing,
        notes: cautions,
        changed: changed.collect(),
    };
    writeln!(out, "{}", one_line(&line))
}

#[derive(Serialize)]
struct ComparisonLine<'s> {
    from: &'s str,
    to: &'s str,
    worse: usize,
    same: usize,
    same_not_passing: usize,
    notes: &'s [String],
    changed: Vec<ChangedCase<'s>>,
}

#[derive(Serialize)]
struct ChangedCase<'s> {
    id: &'s str,
    change: String,
    worse: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'s RecordedOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'s RecordedOutcome>,
}

/// How many cases are worse.
fn worse(comparison: &Comparison<'_>) -> usize {
    comparison.changed.iter().filter(|changed| changed.is_worse()).count()
}

fn counts(comparison: &Comparison<'_>) -> String {
    let count = |change: &ReportedChange| {
        let changed: Vec<_> = comparison.of(*change).collect();
        let name = match change {
            ReportedChange::FailsDifferently if changed.len() != 1 => "fail differently".to_owned(),
            _ => change.to_string(),
        };
        let known = changed
            .iter()
            .filter(|it| it.after.is_some_and(|after| after.kind == VerdictKind::Known))
            .count();
        let known = if *change == ReportedChange::Regressed && known > 0 {
            format!(" ({known} known)")
        } else {
            String::new()
        };
        format!("{} {name}{known}", changed.len())
    };
    format!(
        "{}, {} as before",
        ReportedChange::ALL.iter().map(count).collect::<Vec<_>>().join(", "),
        comparison.same
    )
}

/// How many cases are worse, which need attention, and how many unchanged cases still fail.
fn judgement(comparison: &Comparison<'_>) -> String {
    let worse = match worse(comparison) {
        0 => "nothing is worse".to_owned(),
        worse => format!("{worse} worse"),
    };
    match comparison.same_not_passing {
        0 => worse,
        1 => format!("{worse}; 1 unchanged case still fails"),
        count => format!("{worse}; {count} unchanged cases still fail"),
    }
}

/// The sections that have cases, each with those that are worse first.
fn sections<'c>(
    comparison: &'c Comparison<'c>,
) -> impl Iterator<Item = (ReportedChange, Vec<&'c Changed<'c>>)> {
    let section = |change| {
        let mut section: Vec<_> = comparison.of(change).collect();
        section.sort_by_key(|changed| !changed.is_worse());
        (change, section)
    };
    ReportedChange::ALL.iter().copied().map(section).filter(|(_, section)| !section.is_empty())
}

/// The result of a case before and now; passes are omitted.
fn said(changed: &Changed<'_>) -> Vec<(&'static str, String)> {
    let Changed { before, after, .. } = *changed;
    // If the first problem is the same, a later one differs: the signatures show which.
    let is_same = before.is_some() && before.map(problem) == after.map(problem);
    let what = if is_same { signature } else { problem };
    let side = |when, outcome: Option<&RecordedOutcome>| {
        outcome.filter(|outcome| !outcome.passes()).map(|outcome| (when, what(outcome)))
    };
    [side("was", before), side("now", after)].into_iter().flatten().collect()
}

/// The verdict with the first problem, or with the signature if no problem is recorded.
fn problem(outcome: &RecordedOutcome) -> String {
    match &outcome.problem {
        Some(problem) => format!("{}: {problem}", outcome.kind.name()),
        None => signature(outcome),
    }
}

fn signature(outcome: &RecordedOutcome) -> String {
    let signature = outcome.signature.as_ref().map_or(String::new(), |it| format!(": {it}"));
    outcome.kind.name().to_owned() + &signature
}

fn more(count: usize, extent: ComparisonExtent) -> Option<String> {
    let more = count.checked_sub(extent.most()).filter(|more| *more > 0)?;
    Some(format!("and {more} more; --all shows them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both commands are too long for their lines, and differ at their ends.
    #[test]
    fn long_commands_are_shown_where_they_differ() {
        let commands =
            ["sdiv", "allgas"].map(|fault| format!("vmconf run {} {fault}", "vectors/evm ".repeat(9)));
        let commands = commands.each_ref().map(|command| Some(command.as_str()));
        let names = ["last~1", "last"];
        let [one, other] = ComparisonExtent::Short.runs(&names, &commands);
        assert!(one.starts_with("last~1  …") && one.contains(" sdiv ("), "{one}");
        assert!(other.starts_with("last  …") && other.contains(" allgas ("), "{other}");
        assert!([&one, &other].iter().all(|run| run.chars().count() <= WIDTH - 7), "{one} {other}");
        let same = ComparisonExtent::Short.runs(&names, &[commands[0], commands[0]]);
        assert!(same[0].starts_with("last~1  vmconf run vectors"), "{same:?}");
        let all = ComparisonExtent::All.runs(&names, &commands);
        assert_eq!(all[1], format!("last  {}", commands[1].unwrap_or_default()));
    }
}
