//! TAP version 14: one line per case, and a YAML block with the time of each case that ran, and with the
//! details of each that fails or is broken.

use std::io::{self, Write};

use super::case_block::{INTERRUPTED, counts, first_place, headline, plain_case, skip_reason};
use super::kind::{Report, ReportOptions};
use crate::model::{CaseReport, DiagnosticPlace, Event, RunSummary, Verdict, escaped};
use crate::text::shell::ShellWords;

/// TAP version 14.
pub struct Tap {
    out: Box<dyn Write>,
    flags: ShellWords,
    count: u64,
}

impl Tap {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Tap {
        Tap { out, flags: options.flags.clone(), count: 0 }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        self.count += 1;
        let (number, name) = (self.count, description(&report.id.to_string()));
        match &report.verdict {
            Verdict::Pass => writeln!(self.out, "ok {number} - {name}")?,
            Verdict::Skip(_) | Verdict::Unsupported(_) => {
                let reason = description(&skip_reason(report).unwrap_or_default());
                writeln!(self.out, "ok {number} - {name} # SKIP {reason}")?;
            }
            Verdict::Known(_, listing) => {
                let reason = description(&escaped(&listing.reason));
                writeln!(self.out, "not ok {number} - {name} # TODO {reason}")?;
            }
            Verdict::Fail(_)
            | Verdict::Fixed(_)
            | Verdict::Error(_)
            | Verdict::Crash(_)
            | Verdict::Timeout(_)
            | Verdict::Flaky(_) => {
                writeln!(self.out, "not ok {number} - {name}")?;
                return self.diagnostic(report);
            }
        }
        if report.time.is_some() {
            writeln!(self.out, "  ---")?;
            self.time(report)?;
            writeln!(self.out, "  ...")?;
        }
        Ok(())
    }

    /// Writes the time of a case, under the name that other programs use, if the case ran.
    fn time(&mut self, report: &CaseReport) -> io::Result<()> {
        let Some(time) = report.time else { return Ok(()) };
        writeln!(self.out, "  duration_ms: {:.3}", time.as_secs_f64() * 1000.0)
    }

    /// Writes the YAML block that follows the line of a case that fails or is broken.
    fn diagnostic(&mut self, report: &CaseReport) -> io::Result<()> {
        writeln!(self.out, "  ---")?;
        self.time(report)?;
        let out = &mut self.out;
        writeln!(out, "  message: {}", scalar(&headline(report).unwrap_or_default()))?;
        writeln!(out, "  severity: {}", report.verdict.name())?;
        writeln!(out, "  file: {}", scalar(&report.id.file))?;
        if let Some(DiagnosticPlace { position, .. }) = first_place(&report.verdict) {
            writeln!(out, "  line: {}\n  column: {}", position.line, position.column)?;
        }
        writeln!(out, "  text:")?;
        for line in plain_case(report, &self.flags)?.lines() {
            writeln!(out, "    - {}", scalar(line))?;
        }
        writeln!(out, "  ...")
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        // The plan is omitted, which shows consumers that tests are missing.
        if summary.interrupted {
            writeln!(self.out, "Bail out! {INTERRUPTED}")?;
            return self.out.flush();
        }
        // Version 14 requires a reason for a plan without tests.
        match self.count {
            0 => writeln!(self.out, "1..0 # SKIP no case ran")?,
            count => writeln!(self.out, "1..{count}")?,
        }
        writeln!(self.out, "# {}", counts(summary))?;
        self.out.flush()
    }
}

impl Report for Tap {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started { vm, .. } => {
                writeln!(self.out, "TAP version 14")?;
                vm.as_ref().map_or(Ok(()), |vm| writeln!(self.out, "# machine: {vm}"))
            }
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::NotCompared(fields) => fields.iter().try_for_each(|field| writeln!(self.out, "# {field}")),
            Event::Note { .. } | Event::FileDone | Event::Explained(_) | Event::Suspects(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

/// Escapes `#`, which would begin a directive, and the backslash.
fn description(text: &str) -> String {
    text.replace('\\', r"\\").replace('#', r"\#")
}

/// The text as a YAML scalar, written as a JSON string, which YAML accepts.
fn scalar(text: &str) -> String {
    serde_json::Value::from(&*escaped(text)).to_string()
}
