//! The report that CI servers read: JUnit XML with a suite for each file. Only times differ from run to run.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::case_block::{broken_list, headline, plain_case};
use super::spool::Spool;
use super::{Options, Report};
use crate::model::escape::escaped;
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::verdict::Verdict;
use crate::text::shell::Words;

/// JUnit XML.
pub struct Junit {
    out: Box<dyn Write>,
    flags: Words,
    /// The totals of the suites that are done.
    totals: Suites,
    /// The text of these suites.
    done: Spool,
    /// The suite of the current file.
    open: Option<TestSuite>,
    /// The machine in another process.
    vm: Option<String>,
}

impl Junit {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Junit {
        Junit { out, flags: options.flags.clone(), totals: empty(), done: Spool::new(), open: None, vm: None }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        // The identity of a test case does not depend on its result, so that CI servers can compare runs.
        let file = escaped(&report.id.file);
        let mut case = TestCase::new(report.id.in_file(), status(report, &self.flags)?);
        case.set_classname(&*file);
        case.extra.insert("file".into(), (&*file).into());
        if let Some(line) = report.line {
            case.extra.insert("line".into(), line.to_string().into());
        }
        if let Some(time) = report.time {
            case.set_time(time);
        }
        if let Some(vm) = &self.vm {
            case.add_property(("vm", vm.as_str()));
        }
        if report.cached {
            case.add_property(("cached", "true"));
        }
        self.open.get_or_insert_with(|| TestSuite::new(&*file)).add_test_case(case);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(suite) = self.open.take() else { return Ok(()) };
        let Suites { tests, failures, errors, skipped, .. } = &mut self.totals;
        *tests += suite.tests;
        *failures += suite.failures;
        *errors += suite.errors;
        *skipped += suite.skipped;
        let mut alone = empty();
        alone.add_test_suite(suite);
        let [_, suite, _] = parts(&alone)?;
        self.done.write_all(suite.as_bytes())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.close()?;
        self.totals.set_time(Duration::from_secs_f64(summary.seconds));
        let [head, _, end] = parts(&self.totals)?;
        self.out.write_all(head.as_bytes())?;
        io::copy(&mut self.done.reader()?, &mut self.out)?;
        self.out.write_all(end.as_bytes())?;
        self.out.flush()
    }
}

impl Report for Junit {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::UnmatchedEntries { list, entries } => self.case(&broken_list(list, entries)),
            Event::FileDone => self.close(),
            Event::Started { vm, .. } => {
                self.vm = vm.as_ref().map(ToString::to_string);
                Ok(())
            }
            Event::Note { .. } | Event::Explained(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

fn empty() -> Suites {
    Suites::new("vmconf")
}

/// The XML of a report: what precedes the suites, the suites, and what follows them. The library writes only
/// whole reports, which would have to be in memory.
fn parts(report: &Suites) -> io::Result<[String; 3]> {
    const END: &str = "\n</testsuites>";
    let text = report.to_string().map_err(io::Error::other)?;
    // Nothing in the start tag is from a vector.
    let head = text.find("<testsuites ").and_then(|start| Some(start + text[start..].find('>')? + 1));
    let (head, end) =
        head.zip(text.rfind(END)).ok_or_else(|| io::Error::other("unknown form of JUnit XML"))?;
    Ok([&text[..head], &text[head..end], &text[end..]].map(str::to_owned))
}

fn status(report: &CaseReport, flags: &Words) -> io::Result<TestCaseStatus> {
    let mut status = match &report.verdict {
        Verdict::Pass => return Ok(TestCaseStatus::success()),
        // CI servers fail the job for any failure. An expected failure is therefore skipped; an unexpected
        // pass is a failure, as it fails the run.
        Verdict::Fail(_) | Verdict::UnexpectedPass(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error(_) | Verdict::Crash(_) | Verdict::Timeout(_) => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        Verdict::ExpectedFail(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => TestCaseStatus::skipped(),
    };
    if let Some(headline) = headline(report) {
        status.set_message(headline);
    }
    let text = plain_case(report, flags)?;
    if !text.is_empty() {
        status.set_type(report.verdict.name()).set_description(text);
    }
    Ok(status)
}
