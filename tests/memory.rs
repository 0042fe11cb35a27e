//! What runs with reports take from the allocator. A binary of its own, since an allocator counts for a whole
//! process.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use peak_alloc::PeakAlloc;
use tempfile::TempDir;
use vmconf::model::event::Summary;
use vmconf::model::limits::Limits;
use vmconf::report;
use vmconf::report::{REPORTS, ReportKind};
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, Source};
use vmconf::run::{self, FileOptions, Options, RunOptions};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Held by the test that measures: what another allocates would count too.
static MEASURING: Mutex<()> = Mutex::new(());

/// The bytes that a run of a hostile vector may have allocated at any moment.
const MOST_OF_A_RUN: usize = 512 << 20;

/// The bytes that a report may add to a run, however many cases there are: what it keeps in memory before it writes
/// to a temporary file, with room for the buffer to grow.
const MOST_OF_A_REPORT: usize = 3 << 20;

/// Runs the vectors with the reports; the most bytes that were allocated at any moment.
fn peak<'a>(
    sources: &[Source],
    options: &Options,
    reports: impl IntoIterator<Item = &'a ReportKind>,
) -> (usize, Summary) {
    ALLOCATOR.reset_peak_usage();
    let of_reports = report::Options::default();
    let mut reports: Vec<_> =
        reports.into_iter().map(|kind| (kind.new)(Box::new(io::sink()), &of_reports)).collect();
    let summary = run::run(sources, options, &mut |event| {
        for report in &mut reports {
            report.event(&event).unwrap();
        }
    });
    (ALLOCATOR.peak_usage(), summary)
}

/// Each vector of `tests/hostile` at the default limit on memory.
#[test]
fn hostile_vectors_stay_within_their_memory() {
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = Limits { steps: 50_000_000, ..Limits::default() };
    let options = Options { file: FileOptions { limits, ..FileOptions::default() }, ..Options::default() };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let anchor = Anchor::at(root).unwrap();
    let sources = sources::find(&[root.join("tests/hostile")], &anchor).unwrap().sources;
    assert!(sources.len() > 10);
    for source in &sources {
        let (peak, _) = peak(std::slice::from_ref(source), &options, REPORTS);
        assert!(peak < MOST_OF_A_RUN, "{}: {peak} bytes", source.shown);
    }
}

/// Files in the format of Neo N3, each with this number of cases of one instruction that are to end in `state`.
fn write_suite(folder: &TempDir, files: usize, cases: usize, state: &str) -> Vec<Source> {
    let steps = format!(r#"[{{"actions": ["Execute"], "result": {{"state": "{state}"}}}}]"#);
    let case = |number| format!(r#"{{"name": "case {number}", "script": ["PUSH1"], "steps": {steps}}}"#);
    let cases: Vec<_> = (0..cases).map(case).collect();
    let text = format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, cases.join(",\n"));
    (0..files).for_each(|number| fs::write(folder.path().join(format!("{number:02}.json")), &text).unwrap());
    let anchor = Anchor::at(folder.path()).unwrap();
    sources::find(&[folder.path().to_owned()], &anchor).unwrap().sources
}

/// Runs the vectors with each report in turn, which may add little to what the run takes without.
fn reports_add_little(sources: &[Source]) -> Summary {
    let options = Options { run: RunOptions { jobs: 1, ..RunOptions::default() }, ..Options::default() };
    let (alone, summary) = peak(sources, &options, []);
    for kind in REPORTS {
        let (with, _) = peak(sources, &options, [kind]);
        assert!(
            with <= alone + MOST_OF_A_REPORT,
            "{}: {with} bytes, and {alone} without the report",
            kind.name
        );
    }
    summary
}

/// No report holds the cases of files that have ended.
#[test]
fn reports_of_many_files_do_not_hold_their_cases() {
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = TempDir::new().unwrap();
    let summary = reports_add_little(&write_suite(&folder, 60, 1_000, "HALT"));
    assert_eq!(summary.passed, 60_000);
}

/// No report holds the failures of the file that runs.
#[test]
fn reports_of_a_file_do_not_hold_its_failures() {
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = TempDir::new().unwrap();
    let summary = reports_add_little(&write_suite(&folder, 1, 12_000, "FAULT"));
    assert_eq!(summary.failed, 12_000);
}
