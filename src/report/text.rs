//! The report for people. Failures and errors are told after all cases are done, each complete
//! in itself; at most 100 columns where the vector's own names allow it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::cut::{cut, cut_pair};
use super::{Report, Verbosity};
use crate::case::{CaseId, Want};
use crate::event::{CaseReport, Event, Summary};
use crate::excerpt::Excerpt;
use crate::value::{Value, escaped};
use crate::verdict::{Difference, Failure, Place, Trouble, Verdict};

const WIDTH: usize = 100;
/// How many differences of one case are told.
const MOST_DIFFERENCES: usize = 10;

const FAIL: Style = AnsiColor::Red.on_default().bold();
const ERROR: Style = AnsiColor::Magenta.on_default().bold();
const PASS: Style = AnsiColor::Green.on_default().bold();
const SKIP: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();
const EXPECTED: Style = AnsiColor::Green.on_default();
const ACTUAL: Style = AnsiColor::Red.on_default();

/// The report for people. It writes colours; where they are not wanted, the writer takes them
/// out.
pub struct Text {
    out: Box<dyn Write>,
    verbosity: Verbosity,
    blocks: Vec<u8>,
}

impl Text {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, verbosity: Verbosity) -> Text {
        Text { out, verbosity, blocks: Vec::new() }
    }
}

impl Report for Text {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) if self.verbosity != Verbosity::Quiet => block(&mut self.blocks, report),
            Event::Started { .. } | Event::Note { .. } | Event::Finished(_) | Event::FileDone => Ok(()),
            Event::Ended(end) => {
                self.out.write_all(&self.blocks)?;
                summary(&mut self.out, end)?;
                self.out.flush()
            }
        }
    }
}

fn block(out: &mut Vec<u8>, report: &CaseReport) -> io::Result<()> {
    match &report.verdict {
        Verdict::Pass | Verdict::Skip(_) => Ok(()),
        Verdict::Fail(failure) => {
            writeln!(out, "{FAIL}FAIL{FAIL:#}  {}", report.id)?;
            failed(out, &report.id, failure)?;
            again(out, &report.id)
        }
        Verdict::Error(troubles) => {
            writeln!(out, "{ERROR}ERROR{ERROR:#} {}", report.id)?;
            troubles.iter().try_for_each(|trouble| broken(out, &report.id, trouble))?;
            again(out, &report.id)
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

fn differs(out: &mut Vec<u8>, id: &CaseId, difference: &Difference) -> io::Result<()> {
    let Difference { step, at, want, got, place, note } = difference;
    let step = step.map_or(String::new(), |step| format!("step {step}, "));
    writeln!(out, "  {}: {step}{at}", location(id, place))?;
    let expected = escaped(&want.to_string()).into_owned();
    let actual = escaped(&shown(want, got.as_ref())).into_owned();
    let (expected, actual) = cut_pair(&expected, &actual, WIDTH - 13);
    writeln!(out, "    expected {EXPECTED}{expected}{EXPECTED:#}")?;
    writeln!(out, "    actual   {ACTUAL}{actual}{ACTUAL:#}")?;
    if let Some(note) = note {
        writeln!(out, "    {DIM}source{DIM:#}   {}", cut(&escaped(note), 0, WIDTH - 13))?;
    }
    excerpt(out, place)
}

/// What the machine has, with its length where a length was demanded.
fn shown(want: &Want, got: Option<&Value>) -> String {
    match (want, got) {
        (_, None) => "(absent)".to_owned(),
        (Want::Len(_), Some(got)) => match got.len() {
            Some(length) => format!("length {length}: {got}"),
            None => got.to_string(),
        },
        (_, Some(got)) => got.to_string(),
    }
}

fn broken(out: &mut Vec<u8>, id: &CaseId, trouble: &Trouble) -> io::Result<()> {
    let location = match &trouble.place {
        Some(place) => location(id, place),
        None => escaped(&id.file).into_owned(),
    };
    writeln!(out, "  {location}: {}", escaped(&trouble.what))?;
    if let Some(expected) = &trouble.expected {
        writeln!(out, "    expected {EXPECTED}{}{EXPECTED:#}", cut(&escaped(expected), 0, 4 * WIDTH))?;
    }
    trouble.place.as_ref().map_or(Ok(()), |place| excerpt(out, place))
}

/// `file:line:column`, which terminals and editors make a link of.
fn location(id: &CaseId, place: &Place) -> String {
    format!("{}:{}", escaped(&id.file), place.position)
}

fn excerpt(out: &mut Vec<u8>, place: &Place) -> io::Result<()> {
    write!(out, "{}", Excerpt { place, indent: 4, caret: FAIL })
}

fn again(out: &mut Vec<u8>, id: &CaseId) -> io::Result<()> {
    writeln!(out, "  {DIM}again:{DIM:#} vmconf run {}\n", shell_quoted(&id.to_string()))
}

/// The text as one word of a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn summary(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let Summary { passed, failed, errors, skipped, seconds } = *summary;
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
    writeln!(out, "{} in {seconds:.2} s", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::shell_quoted;

    #[test]
    fn a_quote_in_a_name_stays_one_word() {
        assert_eq!(shell_quoted("a'b"), r"'a'\''b'");
    }
}
