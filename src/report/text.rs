//! The report for people. Failures and errors are told after all cases are done, each complete
//! in itself; at most 100 columns where the vector's own names allow it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::block::{DIM, ERROR, FAIL, broken, differs, shell_quoted};
use super::{Options, Report, Verbosity};
use crate::case::CaseId;
use crate::event::{CaseReport, Event, Summary};
use crate::value::escaped;
use crate::verdict::{Failure, Verdict};

/// How many differences of one case are told.
const MOST_DIFFERENCES: usize = 10;

const PASS: Style = AnsiColor::Green.on_default().bold();
const SKIP: Style = AnsiColor::Yellow.on_default();

/// The report for people. It writes colours; where they are not wanted, the writer takes them
/// out.
pub struct Text {
    out: Box<dyn Write>,
    options: Options,
    blocks: Vec<u8>,
}

impl Text {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Text {
        Text { out, options: options.clone(), blocks: Vec::new() }
    }
}

impl Report for Text {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) if self.options.verbosity != Verbosity::Quiet => {
                block(&mut self.blocks, report, &self.options.flags)
            }
            Event::Started { .. } | Event::Note { .. } | Event::Finished(_) | Event::FileDone => Ok(()),
            Event::Ended(end) => {
                self.out.write_all(&self.blocks)?;
                summary(&mut self.out, end)?;
                self.out.flush()
            }
        }
    }
}

fn block(out: &mut Vec<u8>, report: &CaseReport, flags: &str) -> io::Result<()> {
    match &report.verdict {
        Verdict::Pass | Verdict::Skip(_) => Ok(()),
        Verdict::Fail(failure) => {
            writeln!(out, "{FAIL}FAIL{FAIL:#}  {}", report.id)?;
            failed(out, &report.id, failure)?;
            why(out, &report.id, flags)
        }
        Verdict::Error(troubles) => {
            writeln!(out, "{ERROR}ERROR{ERROR:#} {}", report.id)?;
            troubles.iter().try_for_each(|trouble| broken(out, &report.id, trouble))?;
            why(out, &report.id, flags)
        }
    }
}

fn failed(out: &mut Vec<u8>, id: &CaseId, failure: &Failure) -> io::Result<()> {
    for difference in failure.differences.iter().take(MOST_DIFFERENCES) {
        differs(out, id, difference)?;
    }
    let more = failure.differences.len().saturating_sub(MOST_DIFFERENCES);
    if more > 0 {
        writeln!(out, "  and {more} more differences")?;
    }
    writeln!(out, "  {DIM}ended:{DIM:#} {}", escaped(&failure.ended))
}

/// The command that tells more.
fn why(out: &mut Vec<u8>, id: &CaseId, flags: &str) -> io::Result<()> {
    writeln!(
        out,
        "  {DIM}why:{DIM:#}   vmconf diff {}{flags}
",
        shell_quoted(&id.to_string())
    )
}

fn summary(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let Summary { passed, failed, errors, skipped, seconds, interrupted } = *summary;
    let count = |count: u64, style: Style, name: &str| {
        let style = if count > 0 { style } else { Style::new() };
        format!("{style}{count} {name}{style:#}")
    };
    let counts = [
        count(passed, PASS, "passed"),
        count(failed, FAIL, "failed"),
        count(errors, ERROR, "errors"),
        count(skipped, SKIP, "skipped"),
    ];
    let end = if interrupted { ", interrupted" } else { "" };
    writeln!(out, "{} in {seconds:.2} s{end}", counts.join(", "))
}
