//! Building blocks of the text for people: a case, a difference, a line of a vector.

use std::io::{self, Write};

use super::state_table::state_table;
use super::style::{ACTUAL, DIM, ERROR, EXPECTED, FAIL, WIDTH, location};
use super::truncate::{truncate, truncate_pair};
use crate::model::count;
use crate::model::{
    Breakdown, CaseDifference, CaseId, CaseReport, Diagnostic, DiagnosticPlace, Failure, FirstTry,
    KnownListing, NotPassed, RunSummary, Verdict, VerdictKind, escaped, vector_step,
};
use crate::text::excerpt::Excerpt;
use crate::text::shell::{ShellWords, quoted};

/// The maximum number of differences shown for a case.
const MAX_DIFFERENCES: usize = 10;

/// Writes a case that fails, is broken, or passes although it is known to fail. Writes nothing for other
/// cases.
pub(super) fn case(out: &mut Vec<u8>, report: &CaseReport, flags: &ShellWords) -> io::Result<()> {
    match &report.verdict {
        Verdict::Pass | Verdict::Skip(_) | Verdict::Unsupported(_) | Verdict::Known(..) => Ok(()),
        Verdict::Fixed(KnownListing { place, reason, .. }) => {
            writeln!(out, "{FAIL}FIXED{FAIL:#} {}", report.id)?;
            writeln!(out, "  {}: listed as a known failure, but passes: {}", escaped(place), escaped(reason))
        }
        Verdict::Fail(failure) => {
            writeln!(out, "{FAIL}FAIL{FAIL:#}  {}", report.id)?;
            failed(out, report, failure)?;
            why(out, &report.id, flags)
        }
        Verdict::Error(diagnostics) => {
            writeln!(out, "{ERROR}ERROR{ERROR:#} {}", report.id)?;
            diagnostics.iter().try_for_each(|diagnostic| broken(out, &report.id, diagnostic))?;
            // If a case could not run, there is nothing more to explain.
            let ran = report.machine.is_some() && diagnostics.iter().all(|it| it.place.is_none());
            if ran { why(out, &report.id, flags) } else { Ok(()) }
        }
        Verdict::Crash(breakdown) => {
            broke_down(out, "CRASH", report, breakdown)?;
            why(out, &report.id, flags)
        }
        Verdict::Timeout(breakdown) => {
            broke_down(out, "TIMEOUT", report, breakdown)?;
            why(out, &report.id, flags)
        }
        Verdict::Flaky(first) => {
            flaky(out, report, first)?;
            why(out, &report.id, flags)
        }
    }
}

/// Whether this is about a case, which `vmconf diff` explains, and not about a file as a whole, a list of known
/// failures or a machine.
pub(super) fn is_of_case(report: &CaseReport) -> bool {
    report.id.name.is_some() || report.machine.is_some()
}

/// Writes how the testee crashed or timed out, with its standard error.
pub(super) fn broke_down(
    out: &mut Vec<u8>,
    word: &str,
    CaseReport { id, listed, .. }: &CaseReport,
    breakdown: &Breakdown,
) -> io::Result<()> {
    let what = escaped(&breakdown.what);
    writeln!(out, "{ERROR}{word}{ERROR:#} {id}\n  {}", truncate(&what, 0, 4 * WIDTH))?;
    stderr(out, breakdown)?;
    not_as_known(out, listed.as_deref())
}

/// Writes how the testee broke down the first time.
pub(super) fn flaky(out: &mut Vec<u8>, report: &CaseReport, first: &FirstTry) -> io::Result<()> {
    writeln!(out, "{ERROR}FLAKY{ERROR:#} {}\n  {}", report.id, truncate(&passed_alone(first), 0, 4 * WIDTH))?;
    stderr(out, &first.breakdown)
}

/// What a flaky case did, in one line.
fn passed_alone(FirstTry { breakdown, time }: &FirstTry) -> String {
    let seconds = time.as_secs_f64();
    format!("{} after {seconds:.2} s, and passed alone in a new process", escaped(&breakdown.what))
}

fn stderr(out: &mut Vec<u8>, breakdown: &Breakdown) -> io::Result<()> {
    breakdown.stderr_lines().iter().try_for_each(|line| {
        writeln!(out, "  {DIM}stderr:{DIM:#} {}", truncate(&escaped(line), 0, 2 * WIDTH))
    })
}

/// If an entry in a list of known failures names the case but does not apply, writes why.
pub(super) fn not_as_known(out: &mut Vec<u8>, listed: Option<&str>) -> io::Result<()> {
    listed.map_or(Ok(()), |listed| writeln!(out, "  {DIM}known:{DIM:#} {}", escaped(listed)))
}

/// The text of [`case`] without colours.
pub(super) fn plain_case(report: &CaseReport, flags: &ShellWords) -> io::Result<String> {
    let mut block = Vec::new();
    case(&mut block, report, flags)?;
    Ok(plain(&block))
}

/// A block without colours.
pub(super) fn plain(block: &[u8]) -> String {
    anstream::adapter::strip_str(&String::from_utf8_lossy(block)).to_string()
}

/// What is wrong with a case, or why it did not run, in one line; `None` if it ran and passed.
pub(super) fn headline(report: &CaseReport) -> Option<String> {
    let headline = match &report.verdict {
        Verdict::Pass if report.cached => "from the cache".to_owned(),
        Verdict::Pass => return None,
        Verdict::Fail(failure) => headline_of(failure)?,
        Verdict::Known(not_passed, listing) => {
            let what = match not_passed {
                NotPassed::Fail(_) => "to fail",
                NotPassed::Unsupported(_) => "to be unsupported",
                NotPassed::Crash(_) => "to crash",
                NotPassed::Timeout(_) => "to time out",
            };
            format!("known {what}: {}", escaped(&listing.reason))
        }
        Verdict::Fixed(listing) => {
            format!("listed as a known failure, but passes: {}", escaped(&listing.reason))
        }
        Verdict::Error(diagnostics) => escaped(&diagnostics.first()?.what).into_owned(),
        Verdict::Skip(reason) | Verdict::Unsupported(reason) => escaped(reason).into_owned(),
        Verdict::Crash(breakdown) | Verdict::Timeout(breakdown) => escaped(&breakdown.what).into_owned(),
        Verdict::Flaky(first) => passed_alone(first),
    };
    Some(truncate(&headline, 0, 4 * WIDTH))
}

/// Why a case was skipped or is not supported, for reports that have one word for both.
pub(super) fn skip_reason(report: &CaseReport) -> Option<String> {
    let headline = headline(report)?;
    Some(match &report.verdict {
        Verdict::Unsupported(_) => format!("{}: {headline}", report.verdict.name()),
        _ => headline,
    })
}

fn headline_of(failure: &Failure) -> Option<String> {
    let first = failure.differences.first()?;
    let (step, at) = (vector_step(first.step), &first.at);
    let (expected, actual) = failure.texts(first);
    let (expected, actual) = truncate_pair(&escaped(&expected), &escaped(&actual), WIDTH);
    Some(format!("{step}{at}: expected {expected}, actual {actual}"))
}

/// The place in the vector file that a report points to: that of the first difference or diagnostic.
pub(super) fn first_place(verdict: &Verdict) -> Option<&DiagnosticPlace> {
    match (verdict, verdict.failure()) {
        (Verdict::Error(diagnostics), _) => {
            diagnostics.iter().find_map(|diagnostic| diagnostic.place.as_ref())
        }
        (_, failure) => failure?.differences.first().map(|difference| &difference.place),
    }
}

fn failed(
    out: &mut Vec<u8>,
    CaseReport { id, listed, .. }: &CaseReport,
    failure: &Failure,
) -> io::Result<()> {
    all_differences(out, id, failure)?;
    not_as_known(out, listed.as_deref())?;
    ended(out, &escaped(&failure.ended))
}

/// Writes the differences of a case; on a machine of a family, those that fit it in a table.
pub(super) fn all_differences(out: &mut Vec<u8>, id: &CaseId, failure: &Failure) -> io::Result<()> {
    let differences = state_table(out, id, failure)?;
    for difference in differences.iter().take(MAX_DIFFERENCES) {
        differs(out, id, difference)?;
    }
    let more = differences.len().saturating_sub(MAX_DIFFERENCES);
    if more > 0 {
        writeln!(out, "  and {}", count::counted(more, "more difference"))?;
    }
    Ok(())
}

/// Writes how the machine ended, if it says so.
pub(super) fn ended(out: &mut Vec<u8>, how: &str) -> io::Result<()> {
    if how.is_empty() { Ok(()) } else { writeln!(out, "  {DIM}ended:{DIM:#} {how}") }
}

/// Writes the command that explains the failure.
fn why(out: &mut Vec<u8>, id: &CaseId, flags: &ShellWords) -> io::Result<()> {
    writeln!(out, "  {DIM}why:{DIM:#}   vmconf diff {}{flags}", quoted(&id.to_string()))
}

/// Follows the counts of a run that was interrupted.
pub(super) const INTERRUPTED: &str = "interrupted";

/// How many of the passed cases came from the cache, to follow their number; empty if there are no such
/// cases.
pub(super) fn cached(summary: &RunSummary) -> String {
    match summary.cached {
        0 => String::new(),
        cached => format!(" ({cached} of them from the cache)"),
    }
}

/// The counts of a run in words, without the time, which differs from run to run.
pub fn counts(summary: &RunSummary) -> String {
    let in_words = |(kind, count)| {
        let cached = if kind == VerdictKind::Pass { cached(summary) } else { String::new() };
        format!("{}{cached}", counted_kind(kind, count))
    };
    let counts = counted(summary).into_iter().map(in_words);
    let end = summary.interrupted.then(|| INTERRUPTED.to_owned());
    counts.chain(end).collect::<Vec<_>>().join(", ")
}

/// The counts of a run, in the order in which reports show them. Known and fixed cases are counted only if
/// there are any, since a run without a list of known failures has neither; likewise the verdicts that only
/// machines in other processes get.
pub(super) fn counted(summary: &RunSummary) -> Vec<(VerdictKind, u64)> {
    let always =
        |kind| matches!(kind, VerdictKind::Pass | VerdictKind::Fail | VerdictKind::Error | VerdictKind::Skip);
    let all = IN_ORDER.into_iter().map(|kind| (kind, summary.of(kind)));
    all.filter(|(kind, count)| always(*kind) || *count > 0).collect()
}

/// Every kind, in the order in which reports show their counts.
const IN_ORDER: [VerdictKind; VerdictKind::ALL.len()] = [
    VerdictKind::Pass,
    VerdictKind::Fail,
    VerdictKind::Known,
    VerdictKind::Fixed,
    VerdictKind::Crash,
    VerdictKind::Timeout,
    VerdictKind::Flaky,
    VerdictKind::Error,
    VerdictKind::Unsupported,
    VerdictKind::Skip,
];

/// A number of cases of this kind: `1 failed`, `2 errors`.
pub(super) fn counted_kind(kind: VerdictKind, count: u64) -> String {
    match kind {
        VerdictKind::Error => count::counted(count, kind.name()),
        _ => format!("{count} {}", plural(kind)),
    }
}

/// The label of a column with the number of cases of this kind.
pub(super) fn plural(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Pass => "passed",
        VerdictKind::Fail => "failed",
        VerdictKind::Known => "known",
        VerdictKind::Fixed => "fixed",
        VerdictKind::Error => "errors",
        VerdictKind::Skip => "skipped",
        VerdictKind::Unsupported => "unsupported",
        VerdictKind::Crash => "crashed",
        VerdictKind::Timeout => "timed out",
        VerdictKind::Flaky => "flaky",
    }
}

/// Writes a difference, with the line of the vector that states the expected value.
pub(super) fn differs(out: &mut Vec<u8>, id: &CaseId, difference: &CaseDifference) -> io::Result<()> {
    let CaseDifference { step, at, expected, actual: _, place, note } = difference;
    let step = vector_step(*step);
    writeln!(out, "  {}: {step}{at}", location(id, place))?;
    let actual = escaped(&difference.actual_text()).into_owned();
    let (expected, actual) = truncate_pair(&escaped(&expected.to_string()), &actual, WIDTH - 13);
    writeln!(out, "    expected {EXPECTED}{expected}{EXPECTED:#}")?;
    writeln!(out, "    actual   {ACTUAL}{actual}{ACTUAL:#}")?;
    if let Some(note) = note {
        writeln!(out, "    {DIM}note{DIM:#}     {}", truncate(&escaped(note), 0, WIDTH - 13))?;
    }
    excerpt(out, place)
}

/// Writes a diagnostic of a broken case or file.
pub(super) fn broken(out: &mut Vec<u8>, id: &CaseId, diagnostic: &Diagnostic) -> io::Result<()> {
    let location = match &diagnostic.place {
        Some(place) => location(id, place),
        None => escaped(&id.file).into_owned(),
    };
    writeln!(out, "  {location}: {}", escaped(&diagnostic.what))?;
    if let Some(expected) = &diagnostic.expected {
        writeln!(out, "    expected {EXPECTED}{}{EXPECTED:#}", truncate(&escaped(expected), 0, 4 * WIDTH))?;
    }
    if let Some(name) = diagnostic.suggestion() {
        writeln!(out, "    did you mean {}?", escaped(name))?;
    }
    diagnostic.place.as_ref().map_or(Ok(()), |place| excerpt(out, place))
}

fn excerpt(out: &mut Vec<u8>, place: &DiagnosticPlace) -> io::Result<()> {
    write!(out, "{}", Excerpt { place, indent: 4, caret: FAIL })
}
