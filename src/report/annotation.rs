//! What annotations of GitHub and results of code scanning show of a case: its place, and lines of text.

use super::case_block::{first_place, headline, is_of_case};
use super::truncate::truncate;
use crate::model::{Breakdown, CaseReport, Position, Verdict, escaped};
use crate::text::shell::{ShellWords, quoted};

/// The longest command that is shown, in bytes: a part of one is of no use.
const MAX_COMMAND: usize = 4_000;

/// Where in its file a case differs from what is demanded there, or else where it begins; `None` if that is not known.
pub(super) fn position(report: &CaseReport) -> Option<Position> {
    let begin = report.line.map(|line| Position { line, column: 1 });
    first_place(&report.verdict).map(|place| place.position).or(begin)
}

/// What is wrong with a case, and the command with these flags that explains it: lines of at most this number of
/// characters.
pub(super) fn lines(report: &CaseReport, flags: &ShellWords, max_length: usize) -> Vec<String> {
    let mut lines: Vec<_> = headline(report).into_iter().collect();
    if let Verdict::Fail(failure) = &report.verdict
        && !failure.ended.is_empty()
    {
        lines.push(format!("ended: {}", failure.ended));
    }
    // What a machine says before it breaks down is often the cause.
    let said = report.verdict.breakdown().map(Breakdown::stderr_ends);
    lines.extend(said.into_iter().flatten().map(|line| format!("stderr: {line}")));
    lines.extend(report.listed.as_ref().map(|why| format!("known: {why}")));
    if let Verdict::Fixed(listing) = &report.verdict {
        lines.push(format!("listed: {}", listing.place));
    }
    for line in &mut lines {
        *line = truncate(&escaped(line), 0, max_length);
    }
    if is_of_case(report) && !matches!(report.verdict, Verdict::Fixed(_)) {
        let why = format!("why: vmconf diff {}{flags}", quoted(&report.id.to_string()));
        lines.extend((why.len() <= MAX_COMMAND).then_some(why));
    }
    lines
}
