//! What runs with reports take from the allocator. A binary of its own, since an allocator counts for a whole
//! process.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use peak_alloc::PeakAlloc;
use tempfile::TempDir;
use vmconf::model::limits::Limits;
use vmconf::model::{RunSummary, VerdictKind};
use vmconf::report;
use vmconf::report::json::{Invocation, RecordWriter};
use vmconf::report::{REPORTS, ReportKind};
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{self, Sources};
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions};
use vmconf::wire::record::RecordedCase;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Held by the test that measures: what another allocates would count too.
static MEASURING: Mutex<()> = Mutex::new(());

/// The bytes that a run of a hostile vector may have allocated at any moment.
const MAX_OF_A_RUN: usize = 512 << 20;

/// The bytes that a report may add to a run, however many cases there are: what it keeps in memory before it writes
/// to a temporary file, with room for the buffer to grow.
const MAX_OF_A_REPORT: usize = 3 << 20;

/// Runs the vectors with the reports; the most bytes that were allocated at any moment.
fn peak<'a>(
    sources: &Sources,
    options: &LoadOptions,
    reports: impl IntoIterator<Item = &'a ReportKind>,
) -> (usize, RunSummary) {
    ALLOCATOR.reset_peak_usage();
    let of_reports = report::ReportOptions::default();
    let mut reports: Vec<_> =
        reports.into_iter().map(|kind| (kind.new.make)(Box::new(io::sink()), &of_reports)).collect();
    let summary = run::run(sources, options, &mut |event| {
        for report in &mut reports {
            report.event(&event).unwrap();
        }
    });
    (ALLOCATOR.peak_usage(), summary)
}

/// Each vector of `tests/hostile` with a limit of 256 MB: the rest is what the runner adds.
#[test]
fn hostile_vectors_stay_within_their_memory() {
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = Limits { steps: 50_000_000, memory: 256 << 20, ..Limits::default() };
    let options =
        LoadOptions { file: FileOptions { limits, ..FileOptions::default() }, ..LoadOptions::default() };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let anchor = Anchor::at(root).unwrap();
    let sources = sources::find(&[root.join("tests/hostile")], &anchor).unwrap().sources;
    assert!(sources.len() > 10);
    for source in &sources {
        let name = source.shown.clone();
        let (peak, _) = peak(&Sources::from_iter([source]), &options, REPORTS);
        assert!(peak < MAX_OF_A_RUN, "{name}: {peak} bytes");
    }
}

/// A file in the format of Neo N3 with this number of cases of one instruction that are to end in `state`.
fn vector(cases: usize, state: &str) -> String {
    let steps = format!(r#"[{{"actions": ["Execute"], "result": {{"state": "{state}"}}}}]"#);
    let case = |number| format!(r#"{{"name": "case {number}", "script": ["PUSH1"], "steps": {steps}}}"#);
    let cases: Vec<_> = (0..cases).map(case).collect();
    format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, cases.join(",\n"))
}

/// Files with these cases: see [`vector`].
fn write_suite(folder: &TempDir, files: usize, cases: usize, state: &str) -> Sources {
    let text = vector(cases, state);
    (0..files).for_each(|number| fs::write(folder.path().join(format!("{number:02}.json")), &text).unwrap());
    find(folder.path())
}

fn find(folder: &Path) -> Sources {
    sources::find(&[folder.to_owned()], &Anchor::at(folder).unwrap()).unwrap().sources
}

/// Runs the vectors with each report in turn, which may add little to what the run takes without.
fn reports_add_little(sources: &Sources) -> RunSummary {
    let options =
        LoadOptions { run: RunOptions { jobs: 1, ..RunOptions::default() }, ..LoadOptions::default() };
    let (alone, summary) = peak(sources, &options, []);
    for kind in REPORTS {
        let (with, _) = peak(sources, &options, [kind]);
        assert!(
            with <= alone + MAX_OF_A_REPORT,
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

/// Neither the list of files nor the pool grows with the number of files: only the files of one folder are listed in
/// memory.
#[test]
fn many_files_take_no_more_memory_than_few() {
    const FOLDERS: usize = 40;
    const FILES: usize = 600;
    /// In bytes: how many files wait for the first of them depends on the threads, and is limited. A list of the files
    /// would take 200 bytes for each, 4.8 MB.
    const MAX_MORE: usize = 2_000_000;
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = TempDir::new().unwrap();
    let text = vector(1, "HALT");
    for number in 0..FOLDERS {
        let below = folder.path().join(format!("{number:02}"));
        fs::create_dir(&below).unwrap();
        (0..FILES).for_each(|file| fs::write(below.join(format!("{file:03}.json")), &text).unwrap());
    }
    for jobs in [1, 2] {
        let options =
            LoadOptions { run: RunOptions { jobs, ..RunOptions::default() }, ..LoadOptions::default() };
        let of = |path: &Path| {
            ALLOCATOR.reset_peak_usage();
            let sources = find(path);
            let of_search = ALLOCATOR.peak_usage();
            let (peak, summary) = peak(&sources, &options, []);
            (of_search.max(peak), summary.passed)
        };
        let (few, passed) = of(&folder.path().join("00"));
        assert_eq!(passed, FILES as u64);
        let (many, passed) = of(folder.path());
        assert_eq!(passed, (FOLDERS * FILES) as u64);
        assert!(many <= few + MAX_MORE, "{many} bytes, and {few} for the files of one folder");
    }
}

/// Of the files of one folder, little more than the names is listed.
#[test]
fn a_folder_is_listed_by_names() {
    const FILES: usize = 40_000;
    /// In bytes, while the list grows.
    const MAX_FOR_EACH: usize = 80;
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = TempDir::new().unwrap();
    (0..FILES).for_each(|file| fs::write(folder.path().join(format!("{file:05}.json")), "").unwrap());
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.peak_usage();
    let sources = find(folder.path());
    assert_eq!((sources.len(), sources.iter().count()), (FILES, FILES));
    let taken = ALLOCATOR.peak_usage() - before;
    assert!(taken <= MAX_FOR_EACH * FILES, "{} bytes for each", taken / FILES);
}

/// The record of a run is compressed, and most of it is in a temporary file.
#[test]
fn a_record_of_many_cases_takes_little() {
    const CASES: usize = 300_000;
    let _measuring = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.peak_usage();
    let invocation =
        Invocation { when: "", command: "", selected: Vec::new(), files: 1, vm: None, part: None };
    let mut record = RecordWriter::new(invocation);
    for number in 0..CASES {
        record.case(RecordedCase {
            verdict: VerdictKind::Pass,
            unlisted: None,
            id: format!("folder/file-{number}.json::case"),
            file: None,
            signature: None,
            problems: None,
        });
    }
    let spool = record.end(&RunSummary::default()).unwrap();
    let length = spool.length() as usize;
    let taken = ALLOCATOR.peak_usage() - before;
    assert!(taken <= MAX_OF_A_REPORT, "{taken} bytes");
    assert!((1..10 * CASES).contains(&length), "{length} bytes, for a line of about 70 for each case");
}
