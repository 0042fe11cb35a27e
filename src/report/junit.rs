//! The report that CI servers read: JUnit XML with a suite for each file. Only times differ from run to run.

mod suspect_properties;
mod xml;

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use self::suspect_properties::SuspectProperties;
use self::xml::{empty, parts, with_suite};
use super::case_block::{broken_source, plain_case, skip_reason};
use super::kind::{Report, ReportOptions};
use super::spool::Spool;
use crate::model::case_report::CaseReport;
use crate::model::escape::escaped;
use crate::model::event::{Event, RunSummary};
use crate::model::verdict::Verdict;
use crate::text::shell::ShellWords;

/// JUnit XML.
pub struct Junit {
    out: Box<dyn Write>,
    flags: ShellWords,
    /// The totals of the finished suites.
    totals: Suites,
    /// The text of these suites.
    done: Spool,
    /// The suite of the current file.
    open: Option<OpenSuite>,
    /// The machine in another process.
    vm: Option<String>,
    suspects: SuspectProperties,
}

/// The suite of an unfinished file.
struct OpenSuite {
    /// Its name and counts, without the cases.
    suite: TestSuite,
    /// The text of the cases.
    cases: Spool,
}

impl OpenSuite {
    fn new(file: &str) -> OpenSuite {
        OpenSuite { suite: TestSuite::new(file), cases: Spool::new() }
    }

    fn add(&mut self, case: TestCase) -> io::Result<()> {
        let mut alone = TestSuite::new("");
        alone.add_test_case(case);
        let TestSuite { tests, failures, errors, skipped, .. } = &mut self.suite;
        *tests += alone.tests;
        *failures += alone.failures;
        *errors += alone.errors;
        *skipped += alone.skipped;
        let [_, case, _] = parts(&with_suite(alone), "testsuite")?;
        self.cases.write_all(case.as_bytes())
    }
}

impl Junit {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Junit {
        Junit {
            out,
            flags: options.flags.clone(),
            totals: empty(),
            done: Spool::new(),
            open: None,
            vm: None,
            suspects: SuspectProperties::default(),
        }
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
        if report.verdict.is_failed_or_broken() {
            self.suspects.count_failing(report.id.to_string());
        } else {
            self.suspects.count_passing();
        }
        self.open.get_or_insert_with(|| OpenSuite::new(&file)).add(case)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(OpenSuite { mut suite, mut cases }) = self.open.take() else { return Ok(()) };
        let Suites { tests, failures, errors, skipped, .. } = &mut self.totals;
        *tests += suite.tests;
        *failures += suite.failures;
        *errors += suite.errors;
        *skipped += suite.skipped;
        // The library writes a suite without cases differently.
        suite.test_cases.push(TestCase::new("", TestCaseStatus::success()));
        let alone = with_suite(suite);
        let [before, _, after] = parts(&alone, "testsuites")?;
        let [head, _, end] = parts(&alone, "testsuite")?;
        self.done.write_all(&head.as_bytes()[before.len()..])?;
        io::copy(&mut cases.reader()?, &mut self.done)?;
        self.done.write_all(&end.as_bytes()[..end.len() - after.len()])
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        self.close()?;
        self.totals.set_time(Duration::from_secs_f64(summary.seconds));
        let [head, _, end] = parts(&self.totals, "testsuites")?;
        self.out.write_all(head.as_bytes())?;
        self.suspects.copy(self.done.reader()?, &mut self.out)?;
        self.out.write_all(end.as_bytes())?;
        self.out.flush()
    }
}

impl Report for Junit {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&broken_source(source, errors)),
            Event::FileDone => self.close(),
            Event::Started { vm, .. } => {
                self.vm = vm.as_ref().map(ToString::to_string);
                Ok(())
            }
            Event::Suspects(analysis) => self.suspects.explain(analysis),
            Event::NotCompared(fields) => {
                self.close()?;
                let lines: Vec<_> = fields.iter().map(ToString::to_string).collect();
                let open = self.open.insert(OpenSuite::new("not compared"));
                open.suite.set_system_out(lines.join("\n"));
                self.close()
            }
            Event::Note { .. } | Event::Explained(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

fn status(report: &CaseReport, flags: &ShellWords) -> io::Result<TestCaseStatus> {
    let mut status = match &report.verdict {
        Verdict::Pass => return Ok(TestCaseStatus::success()),
        // CI servers fail the job for any failure. An expected failure is therefore skipped; an unexpected
        // pass is a failure, as it fails the run.
        Verdict::Fail(_) | Verdict::UnexpectedPass(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error(_) | Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Flaky(_) => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        Verdict::ExpectedFail(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => TestCaseStatus::skipped(),
    };
    if let Some(reason) = skip_reason(report) {
        status.set_message(reason);
    }
    let text = plain_case(report, flags)?;
    if !text.is_empty() {
        status.set_type(report.verdict.name()).set_description(text);
    }
    Ok(status)
}
