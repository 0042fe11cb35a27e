//! The report that CI servers read: JUnit XML with a suite for each file. Only the time differs from run to
//! run; it appears once, at the top.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::case_block::{broken_list, headline, plain_case};
use super::{Options, Report};
use crate::model::escape::escaped;
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::verdict::Verdict;
use crate::text::shell::Words;

/// JUnit XML.
pub struct Junit {
    out: Box<dyn Write>,
    flags: Words,
    suites: Suites,
    /// The suite of the current file.
    open: Option<TestSuite>,
}

impl Junit {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &Options) -> Junit {
        Junit { out, flags: options.flags.clone(), suites: Suites::new("vmconf"), open: None }
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
        if report.cached {
            case.add_property(("cached", "true"));
        }
        self.open.get_or_insert_with(|| TestSuite::new(&*file)).add_test_case(case);
        Ok(())
    }

    fn close(&mut self) {
        self.suites.add_test_suites(self.open.take());
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.close();
        self.suites.set_time(Duration::from_secs_f64(summary.seconds));
        self.suites.serialize(&mut self.out).map_err(io::Error::other)?;
        self.out.flush()
    }
}

impl Report for Junit {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::UnmatchedEntries { list, entries } => self.case(&broken_list(list, entries)),
            Event::FileDone => {
                self.close();
                Ok(())
            }
            Event::Started { .. } | Event::Note { .. } | Event::Explained(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

fn status(report: &CaseReport, flags: &Words) -> io::Result<TestCaseStatus> {
    let mut status = match &report.verdict {
        Verdict::Pass => return Ok(TestCaseStatus::success()),
        // CI servers fail the job for any failure. An expected failure is therefore skipped; an unexpected
        // pass is a failure, as it fails the run.
        Verdict::Fail(_) | Verdict::UnexpectedPass(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error(_) => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::ExpectedFail(..) | Verdict::Skip(_) => TestCaseStatus::skipped(),
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
