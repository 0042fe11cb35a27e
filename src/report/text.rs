//! The report for people. Failures and errors are told after all cases are done, each complete
//! in itself; at most 100 columns where the vector's own names allow it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::block::{DIM, ERROR, FAIL, INTERRUPTED, cached};
use super::groups::{Group, Groups};
use super::{Options, Report, Verbosity};
use crate::event::{Event, Summary};
use crate::value::escaped;

const PASS: Style = AnsiColor::Green.on_default().bold();
const SKIP: Style = AnsiColor::Yellow.on_default();

/// The report for people. It writes colours; where they are not wanted, the writer takes them
/// out.
pub struct Text {
    out: Box<dyn Write>,
    options: Options,
    groups: Groups,
}

impl Text {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Text {
        Text { out, options: options.clone(), groups: Groups::new(options) }
    }

    fn end(&mut self, end: &Summary) -> io::Result<()> {
        for group in self.groups.iter() {
            self.out.write_all(&group.block)?;
            more(&mut self.out, group, &self.options)?;
            writeln!(self.out)?;
        }
        summary(&mut self.out, end)?;
        self.out.flush()
    }
}

impl Report for Text {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) if self.options.verbosity != Verbosity::Quiet => self.groups.add(report),
            Event::Started { .. }
            | Event::Note { .. }
            | Event::Finished(_)
            | Event::FileDone
            | Event::Explained { .. } => Ok(()),
            Event::Ended(end) => self.end(end),
        }
    }
}

/// How many more cases there are like the one that is shown, and the command that shows them.
fn more(out: &mut dyn Write, group: &Group, options: &Options) -> io::Result<()> {
    match group.count - 1 {
        0 => Ok(()),
        more => writeln!(out, "  {DIM}and {more} more like it:{DIM:#} {}", escaped(&group.command(options))),
    }
}

fn summary(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let Summary { passed, cached: _, failed, known, fixed, errors, skipped, seconds, interrupted } = *summary;
    let count = |count: u64, style: Style, name: &str| {
        let style = if count > 0 { style } else { Style::new() };
        format!("{style}{count} {name}{style:#}")
    };
    let passed = count(passed, PASS, "passed") + &cached(summary);
    let mut counts = vec![passed, count(failed, FAIL, "failed")];
    // Of a list of known failures nobody hears who has none.
    counts.extend((known > 0).then(|| count(known, SKIP, "known")));
    counts.extend((fixed > 0).then(|| count(fixed, FAIL, "fixed")));
    counts.extend([count(errors, ERROR, "errors"), count(skipped, SKIP, "skipped")]);
    let end = if interrupted { format!(", {INTERRUPTED}") } else { String::new() };
    writeln!(out, "{} in {seconds:.2} s{end}", counts.join(", "))
}
