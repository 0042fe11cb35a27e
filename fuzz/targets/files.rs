//! Vector files: one is read, run, explained, checked and fixed.

use std::io;
use std::path::PathBuf;

use vmconf::explain::explain_on_screen;
use vmconf::formats;
use vmconf::lint::Checker;
use vmconf::lint::fix::fix;
use vmconf::model::limits::Limits;
use vmconf::model::rule::LintRule;
use vmconf::model::{CaseReport, Event, Verdict};
use vmconf::report::explanation::{self, ExplanationLength};
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{FileOptions, LoadOptions, LoadedFile, Worker, open_text};
use vmconf::wire::line::one_line;
use vmconf::wire::report::ReportLine;

/// A mutated file has more cases only by chance, and the seeds have few.
const MAX_CASES: usize = 20;

/// Does with a text what the commands do with a vector file of a format.
pub(super) fn run(format: &str, data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let options = options(format);
    // No case can name a file that exists.
    let source = VectorSource {
        path: PathBuf::from("no-such-folder/fuzz.json"),
        shown: "fuzz.json".into(),
        origin: SourceOrigin::Named,
        only: None,
        unreadable: None,
    };
    let file = open_text(&source, text.clone(), &options);
    let failed = run_cases(&file, &options);
    if let Some(index) = failed {
        let explained = explain_on_screen(&file, index, &options.run);
        explanation::write(&mut io::sink(), &explained, ExplanationLength::Screen).unwrap();
    }
    let mut checker = Checker::new(&options);
    let checked = checker.check_text(&source, text);
    let internal = checked.diagnostics.iter().find(|diagnostic| diagnostic.rule == LintRule::Internal);
    assert!(internal.is_none(), "{internal:?}");
    let _ = fix(&mut checker, &source, &checked);
}

fn options(format: &str) -> LoadOptions {
    let limits = Limits { steps: 2_000, memory: 1 << 20, ..Limits::default() };
    let file = FileOptions { format: formats::by_name(format), limits, ..FileOptions::default() };
    LoadOptions { file, ..LoadOptions::default() }
}

/// Runs the cases; returns the first one that fails.
fn run_cases(file: &LoadedFile<'_>, options: &LoadOptions) -> Option<usize> {
    let mut worker = Worker::new(&options.run);
    let mut failed = None;
    for index in 0..file.cases().min(MAX_CASES) {
        let report = worker.run_case(file, index);
        if let Verdict::Error(diagnostics) = &report.verdict {
            let panicked = diagnostics.iter().find(|diagnostic| is_of_a_panic(&diagnostic.what));
            assert!(panicked.is_none(), "{panicked:?}");
        }
        assert_round_trip(&report);
        failed = failed.or(report.verdict.failure().map(|_| index));
    }
    failed
}

/// Whether a message is that of a panic which the library caught. A vector may quote the word.
fn is_of_a_panic(what: &str) -> bool {
    let starts = ["the machine ", "the reader of "];
    starts.iter().any(|start| what.starts_with(start)) && what.contains(" panicked: ")
}

/// The line of a case in a report says the same when it was read and is written again.
fn assert_round_trip(report: &CaseReport) {
    let written = one_line(&ReportLine::Case(Box::new(report.into())));
    let read = Event::try_from(ReportLine::read(written.as_bytes()).unwrap()).unwrap();
    let Event::Finished(read) = read else { panic!("{read:?}") };
    assert_eq!(one_line(&ReportLine::Case(Box::new((&read).into()))), written);
}
