//! The report for people. Failures and errors follow after all cases have finished, each self-contained;
//! lines have at most 100 columns unless names from the vector are longer.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::case_block::{INTERRUPTED, cached, counted, counted_kind, headline};
use super::groups::{FailureGroup, FailureGroups};
use super::kind::{Report, ReportOptions, Verbosity};
use super::not_run::NotRun;
use super::slow::SlowCases;
use super::style::{DIM, ERROR, FAIL, WIDTH};
use super::truncate::truncate;
use crate::model::count;
use crate::model::{CaseReport, Event, FieldNotCompared, RunSummary, UsedVm, Verdict, VerdictKind, escaped};

const PASS: Style = AnsiColor::Green.on_default().bold();
const SKIP: Style = AnsiColor::Yellow.on_default();

/// The report for people. It always writes colours; the writer strips them when colours are off.
pub struct TextReport {
    out: Box<dyn Write>,
    options: ReportOptions,
    groups: FailureGroups,
    slow: SlowCases,
    not_run: NotRun,
    vm: Option<UsedVm>,
    not_compared: Vec<FieldNotCompared>,
}

impl TextReport {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> TextReport {
        let (groups, slow) = (FailureGroups::new(options), SlowCases::new(options));
        TextReport {
            out,
            options: options.clone(),
            groups,
            slow,
            not_run: NotRun::default(),
            vm: None,
            not_compared: Vec::new(),
        }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        if self.options.verbosity >= Verbosity::Cases {
            line(&mut self.out, report)?;
        } else if self.options.verbosity > Verbosity::Quiet {
            self.not_run.add(report);
        }
        if self.options.verbosity > Verbosity::Quiet {
            self.groups.add(report)?;
            self.slow.add(report);
        }
        Ok(())
    }

    fn end(&mut self, end: &RunSummary) -> io::Result<()> {
        if self.options.verbosity >= Verbosity::Cases && self.groups.iter().next().is_some() {
            writeln!(self.out)?;
        }
        if let Some(head) = self.groups.head() {
            writeln!(self.out, "{FAIL}{head}{FAIL:#}\n")?;
        }
        for (at, group) in self.groups.iter().enumerate() {
            if let Some(heading) = self.groups.heading(at) {
                writeln!(self.out, "{FAIL}{heading}{FAIL:#}")?;
                if let Some(fields) = group.fields() {
                    writeln!(self.out, "  {}", truncate(&escaped(&fields), 0, WIDTH))?;
                }
                writeln!(self.out)?;
            }
            self.out.write_all(&group.block)?;
            more(&mut self.out, group, &self.options)?;
            writeln!(self.out)?;
        }
        slow(&mut self.out, &self.slow)?;
        not_run(&mut self.out, &self.not_run)?;
        for field in &self.not_compared {
            writeln!(self.out, "{field}")?;
        }
        if let Some(lacks) = self.vm.as_ref().and_then(|vm| vm.lacks_in_words(&vm.name)) {
            writeln!(self.out, "{}", truncate(&lacks, 0, 4 * WIDTH))?;
        }
        summary(&mut self.out, end, self.vm.as_ref())?;
        self.out.flush()
    }
}

impl Report for TextReport {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::FileDone if self.options.verbosity >= Verbosity::Cases => self.out.flush(),
            Event::Started { vm, .. } => {
                self.vm.clone_from(vm);
                Ok(())
            }
            Event::Suspects(analysis) if self.options.verbosity > Verbosity::Quiet => {
                self.groups.explain(analysis)
            }
            Event::NotCompared(fields) => {
                self.not_compared.clone_from(fields);
                Ok(())
            }
            Event::Note { .. } | Event::FileDone | Event::Explained(_) | Event::Suspects(_) => Ok(()),
            Event::Ended(end) => self.end(end),
        }
    }
}

/// Writes the result of a case in one line, with the reason why it did not run or may fail.
fn line(out: &mut dyn Write, report: &CaseReport) -> io::Result<()> {
    let verdict = &report.verdict;
    let style = style(verdict.kind());
    let reason = match verdict {
        Verdict::Known(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => {
            headline(report).map(|reason| format!(": {reason}"))
        }
        Verdict::Pass
        | Verdict::Fail(_)
        | Verdict::Fixed(_)
        | Verdict::Error(_)
        | Verdict::Crash(_)
        | Verdict::Timeout(_)
        | Verdict::Flaky(_) => None,
    };
    let name = verdict.name();
    writeln!(out, "{style}{name:<5}{style:#} {}{DIM}{}{DIM:#}", report.id, reason.unwrap_or_default())
}

/// Writes how many more cases with the same cause there are, and the command that shows them.
fn more(out: &mut dyn Write, group: &FailureGroup, options: &ReportOptions) -> io::Result<()> {
    match (group.count - 1, group.command(options)) {
        (0, _) => Ok(()),
        (more, Some(command)) => {
            writeln!(out, "  {DIM}and {more} more like it:{DIM:#} {}", escaped(&command))
        }
        (more, None) => writeln!(out, "  {DIM}and {more} more of this entry; -v prints each{DIM:#}"),
    }
}

fn slow(out: &mut dyn Write, slow: &SlowCases) -> io::Result<()> {
    let Some(counted) = slow.counted() else { return Ok(()) };
    writeln!(out, "{SKIP}slow{SKIP:#}: {counted}")?;
    let (slowest, more) = slow.slowest();
    for (time, id) in slowest {
        writeln!(out, "  {time:>9}  {id}")?;
    }
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    writeln!(out)
}

/// Writes why cases were skipped or are not supported, in a line for each reason.
fn not_run(out: &mut dyn Write, not_run: &NotRun) -> io::Result<()> {
    let (reasons, others) = not_run.reasons();
    for (kind, reason, count) in reasons {
        let (style, name, cases) = (style(kind), kind.name(), count::counted(count, "case"));
        writeln!(out, "{style}{name}{style:#}: {cases}: {}", truncate(&escaped(reason), 0, 2 * WIDTH))?;
    }
    if others > 0 {
        writeln!(out, "  and {} with other reasons; -v shows each", count::counted(others, "case"))?;
    }
    Ok(())
}

fn summary(out: &mut dyn Write, summary: &RunSummary, vm: Option<&UsedVm>) -> io::Result<()> {
    let count = |(kind, count)| {
        let style = if count > 0 { style(kind) } else { Style::new() };
        let cached = if kind == VerdictKind::Pass { cached(summary) } else { String::new() };
        format!("{style}{}{style:#}{cached}", counted_kind(kind, count))
    };
    let counts: Vec<_> = counted(summary).into_iter().map(count).collect();
    let end = if summary.interrupted { format!(", {INTERRUPTED}") } else { String::new() };
    let on = vm.map_or(String::new(), |vm| format!(" on {vm}"));
    writeln!(out, "{} in {:.2} s{on}{end}", counts.join(", "), summary.seconds)
}

fn style(kind: VerdictKind) -> Style {
    match kind {
        VerdictKind::Pass => PASS,
        VerdictKind::Fail | VerdictKind::Fixed => FAIL,
        VerdictKind::Error | VerdictKind::Crash | VerdictKind::Timeout | VerdictKind::Flaky => ERROR,
        VerdictKind::Known | VerdictKind::Skip | VerdictKind::Unsupported => SKIP,
    }
}
