//! Which instructions explain the failures of a run, as text and JSON.

use std::io::{self, Write};

use crate::model::{Renderer, Suspect, SuspectAnalysis, SuspectName, UnexplainedCases, counted, escaped};
use crate::text::shell::{ShellWords, quoted};
use crate::wire::line::write_line;

/// A format for suspects.
pub type SuspectsKind = Renderer<WriteSuspects>;

/// Writes suspects; the flags belong to each printed command.
pub type WriteSuspects = fn(&mut dyn Write, &SuspectAnalysis, &ShellWords) -> io::Result<()>;

/// All formats for suspects; the first is the default.
pub static SUSPECTS: &[SuspectsKind] = &[
    SuspectsKind { name: "text", doc: "For people", new: text },
    SuspectsKind { name: "json", doc: "For programs", new: |out, analysis, _| write_line(out, analysis) },
];

/// How many suspects the head names, and how many doubtful or unexplained cases are listed.
const MAX_NAMED: usize = 10;

/// What explains the failures, in a line: `106 failures, 2 suspects: SDIV (28), BYTE (23); 55 without a suspect`.
pub(super) fn head(analysis: &SuspectAnalysis) -> String {
    let suspects = &analysis.suspects;
    let failures = counted(analysis.failures, "failure");
    let mut parts = vec![format!("{failures}, {}", counted(suspects.len(), "suspect"))];
    let named = suspects.iter().take(MAX_NAMED);
    let mut named: Vec<_> =
        named.map(|it| format!("{} ({})", escaped(&it.name.op), it.cases.len())).collect();
    if suspects.len() > MAX_NAMED {
        named.push("...".to_owned());
    }
    if !named.is_empty() {
        parts[0] = format!("{}: {}", parts[0], named.join(", "));
    }
    if !analysis.doubtful.is_empty() {
        parts.push(format!("probably a wrong vector: {}", analysis.doubtful.len()));
    }
    if !analysis.unexplained.is_empty() {
        let why = if analysis.is_comparable { "" } else { " (too few passing cases to compare with)" };
        parts.push(format!("not explained: {}{why}", analysis.unexplained.len()));
    }
    parts.join("; ")
}

/// What a suspect explains and what speaks for it, in a line.
pub(super) fn heading(suspect: &Suspect) -> String {
    format!("{}: {}; {}", escaped(&suspect.name.op), explained(suspect), evidence(suspect))
}

fn text(out: &mut dyn Write, analysis: &SuspectAnalysis, flags: &ShellWords) -> io::Result<()> {
    if analysis.failures == 0 {
        return writeln!(out, "{} passed, nothing to explain", analysis.passing);
    }
    writeln!(out, "{}", head(analysis))?;
    let is_one_machine =
        analysis.suspects.windows(2).all(|pair| pair[0].name.machine == pair[1].name.machine);
    for (place, suspect) in analysis.suspects.iter().enumerate() {
        let SuspectName { machine, op } = &suspect.name;
        let machine = if is_one_machine { String::new() } else { format!("{} ", escaped(machine)) };
        writeln!(out, "\n{machine}{}: {}", escaped(op), explained(suspect))?;
        writeln!(out, "  {}", evidence(suspect))?;
        if suspect.diverging > 0 {
            let cases = counted(suspect.diverging, "failing case");
            writeln!(
                out,
                "  in {cases}, the machine first differs from the embedded one after this instruction"
            )?;
        }
        if let Some(example) = suspect.representative() {
            let case = case_and_flags(example, flags);
            writeln!(out, "  next: vmconf diff {case}")?;
            if place == 0 {
                writeln!(out, "  next: vmconf minimize {case}")?;
            }
        }
    }
    names(out, "in no passing case", &analysis.uncleared)?;
    names(out, "next most likely", &analysis.others)?;
    let doubtful = analysis.doubtful.iter().map(|it| format!("{}: {}", it.id, it.why));
    list(out, "probably a wrong vector", doubtful)?;
    if analysis.differing.is_empty() {
        return list(out, "not explained", analysis.unexplained.iter().cloned());
    }
    writeln!(out, "\nnot explained: {}", counted(analysis.unexplained.len(), "case"))?;
    for UnexplainedCases { signature, cases, example } in analysis.differing.iter().take(MAX_NAMED) {
        writeln!(out, "  {}: {}", escaped(signature), counted(*cases, "case"))?;
        writeln!(out, "    next: vmconf diff {}", case_and_flags(example, flags))?;
    }
    more(out, analysis.differing.len())
}

/// How many failures a suspect explains: `explains 28 failures, 25 of them alone`.
fn explained(Suspect { cases, alone, .. }: &Suspect) -> String {
    let count = counted(cases.len(), "failure");
    if *alone == cases.len() as u64 {
        format!("alone explains {count}")
    } else {
        format!("explains {count}, {alone} of them alone")
    }
}

/// What speaks for and against a suspect.
fn evidence(suspect: &Suspect) -> String {
    let Suspect { failing, passing, .. } = suspect;
    let Some(condition) = &suspect.condition else {
        let all = failing + passing;
        return format!("{failing} of {} with it fail", counted(all, "case"));
    };
    let all = condition.failing + condition.passing;
    // A case may meet the condition besides doing otherwise.
    let others = (passing - condition.passing, failing + passing - all);
    format!(
        "{} of {all} with \"{}\" fail, {} of {} others pass",
        condition.failing,
        escaped(&condition.what),
        others.0,
        others.1
    )
}

fn names(out: &mut dyn Write, title: &str, names: &[SuspectName]) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = names.iter().map(|name| escaped(&name.op)).collect();
    writeln!(out, "\n{title}: {}", names.join(", "))
}

fn list(out: &mut dyn Write, title: &str, lines: impl ExactSizeIterator<Item = String>) -> io::Result<()> {
    let count = lines.len();
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "\n{title}: {}", counted(count, "case"))?;
    for line in lines.take(MAX_NAMED) {
        writeln!(out, "  {}", escaped(&line))?;
    }
    more(out, count)
}

/// The arguments of a command about a case.
fn case_and_flags(id: &str, flags: &ShellWords) -> String {
    format!("{}{}", quoted(&escaped(id)), escaped(&flags.to_string()))
}

/// How many of this many lines are left out, if there are more than are listed.
fn more(out: &mut dyn Write, count: usize) -> io::Result<()> {
    match count.checked_sub(MAX_NAMED) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "  and {more} more; --output json names each"),
    }
}
