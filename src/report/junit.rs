//! The report that CI servers read: JUnit XML with a suite for each file. Only times differ from run to run.

mod suspect_properties;
mod xml;

use std::io::{self, Write};

use self::suspect_properties::SuspectProperties;
use self::xml::XmlElements;
use super::case_block::{plain_case, skip_reason};
use super::kind::{Report, ReportOptions};
use super::spool::Spool;
use crate::model::{CaseReport, Event, RunSummary, Verdict, escaped};
use crate::text::shell::ShellWords;

/// How many elements are around a suite, and around a case.
const AROUND_SUITE: usize = 1;
const AROUND_CASE: usize = 2;

/// JUnit XML.
pub struct Junit {
    out: Box<dyn Write>,
    flags: ShellWords,
    /// The counts of the finished suites.
    totals: SuiteCounts,
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
    name: String,
    counts: SuiteCounts,
    /// Writes a case.
    case: XmlElements,
    /// The text of the cases.
    cases: Spool,
}

/// How many cases a suite has.
#[derive(Clone, Copy, Default)]
struct SuiteCounts {
    tests: usize,
    skipped: usize,
    errors: usize,
    failures: usize,
}

impl SuiteCounts {
    fn add(&mut self, other: SuiteCounts) {
        self.tests += other.tests;
        self.skipped += other.skipped;
        self.errors += other.errors;
        self.failures += other.failures;
    }
}

impl OpenSuite {
    fn new(name: &str) -> io::Result<OpenSuite> {
        Ok(OpenSuite {
            name: name.to_owned(),
            counts: SuiteCounts::default(),
            case: XmlElements::inside(AROUND_CASE)?,
            cases: Spool::default(),
        })
    }

    /// Adds a case. The identity of a test case does not depend on its result, so that CI servers can compare runs.
    fn add(&mut self, report: &CaseReport, vm: Option<&str>, flags: &ShellWords) -> io::Result<()> {
        let name = report.id.in_file();
        let time = report.time.map(|time| format!("{:.3}", time.as_secs_f64()));
        let line = report.line.map(|line| line.to_string());
        let mut attributes = vec![("name", &*name), ("classname", &*self.name)];
        attributes.extend(time.as_deref().map(|time| ("time", time)));
        if !report.id.is_machine() {
            attributes.push(("file", &self.name));
        }
        attributes.extend(line.as_deref().map(|line| ("line", line)));
        let mut properties: Vec<_> = vm.into_iter().map(|vm| ("vm", vm)).collect();
        properties.extend(report.cached.then_some(("cached", "true")));
        let status = Status::of(&report.verdict);
        let case = &mut self.case;
        if properties.is_empty() && status.is_none() {
            case.empty("testcase", &attributes)?;
        } else {
            case.start("testcase", &attributes)?;
            case.properties(&properties)?;
            if let Some(status) = status {
                status.write(case, report, flags)?;
            }
            case.end("testcase")?;
        }
        self.counts.add(Status::counts(status));
        self.cases.write_all(&case.take())
    }
}

/// What the element of a case that did not simply pass says. CI servers fail the job for any failure. A known
/// failure is therefore skipped; a fixed one is a failure, as it fails the run.
#[derive(Clone, Copy)]
enum Status {
    Failure,
    Error,
    Skipped,
}

impl Status {
    fn of(verdict: &Verdict) -> Option<Status> {
        match verdict {
            Verdict::Pass => None,
            Verdict::Fail(_) | Verdict::Fixed(_) => Some(Status::Failure),
            Verdict::Error(_) | Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Flaky(_) => {
                Some(Status::Error)
            }
            Verdict::Known(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => Some(Status::Skipped),
        }
    }

    /// What one case with this status counts.
    fn counts(status: Option<Status>) -> SuiteCounts {
        let one = SuiteCounts { tests: 1, ..SuiteCounts::default() };
        match status {
            None => one,
            Some(Status::Failure) => SuiteCounts { failures: 1, ..one },
            Some(Status::Error) => SuiteCounts { errors: 1, ..one },
            Some(Status::Skipped) => SuiteCounts { skipped: 1, ..one },
        }
    }

    fn write(self, case: &mut XmlElements, report: &CaseReport, flags: &ShellWords) -> io::Result<()> {
        let tag = match self {
            Status::Failure => "failure",
            Status::Error => "error",
            Status::Skipped => "skipped",
        };
        let (reason, text) = (skip_reason(report), plain_case(report, flags)?);
        let text = Some(&*text).filter(|text| !text.is_empty());
        let mut attributes: Vec<_> =
            reason.as_deref().map(|reason| ("message", reason)).into_iter().collect();
        attributes.extend(text.map(|_| ("type", report.verdict.name())));
        case.element(tag, &attributes, text)
    }
}

impl Junit {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Junit {
        Junit {
            out,
            flags: options.flags.clone(),
            totals: SuiteCounts::default(),
            done: Spool::default(),
            open: None,
            vm: None,
            suspects: SuspectProperties::default(),
        }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        if report.verdict.is_failed_or_broken() {
            self.suspects.count_failing(report.id.to_string());
        } else {
            self.suspects.count_passing();
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(OpenSuite::new(&escaped(&report.id.file))?),
        };
        open.add(report, self.vm.as_deref(), &self.flags)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(OpenSuite { name, counts, mut cases, .. }) = self.open.take() else { return Ok(()) };
        self.totals.add(counts);
        self.suite(&name, counts, |suite, done| {
            done.write_all(&suite.take())?;
            io::copy(&mut cases.reader()?, done).map(drop)
        })
    }

    /// Writes a suite, whose content `inside` writes.
    fn suite(
        &mut self,
        name: &str,
        counts: SuiteCounts,
        inside: impl FnOnce(&mut XmlElements, &mut Spool) -> io::Result<()>,
    ) -> io::Result<()> {
        let SuiteCounts { tests, skipped, errors, failures } = counts;
        let [tests, skipped, errors, failures] =
            [tests, skipped, errors, failures].map(|count| count.to_string());
        let mut suite = XmlElements::inside(AROUND_SUITE)?;
        let attributes = [
            ("name", name),
            ("tests", &tests),
            ("skipped", &skipped),
            ("errors", &errors),
            ("failures", &failures),
        ];
        suite.start("testsuite", &attributes)?;
        inside(&mut suite, &mut self.done)?;
        suite.end("testsuite")?;
        self.done.write_all(&suite.take())
    }

    /// A suite without cases that says which fields were not compared.
    fn not_compared(&mut self, fields: &str) -> io::Result<()> {
        self.close()?;
        self.suite("not compared", SuiteCounts::default(), |suite, _| {
            suite.element("system-out", &[], Some(fields))
        })
    }

    /// A suite with an error: what did not run would not be missed otherwise.
    fn interrupted(&mut self) -> io::Result<()> {
        const NAME: &str = "vmconf";
        let counts = Status::counts(Some(Status::Error));
        self.totals.add(counts);
        self.suite(NAME, counts, |suite, done| {
            done.write_all(&suite.take())?;
            let mut case = XmlElements::inside(AROUND_CASE)?;
            case.start("testcase", &[("name", "run"), ("classname", NAME)])?;
            case.element("error", &[("message", "interrupted: not all cases ran")], None)?;
            case.end("testcase")?;
            done.write_all(&case.take())
        })
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        self.close()?;
        if summary.interrupted {
            self.interrupted()?;
        }
        // The schema of Jenkins' xUnit plugin, which refuses what it does not know, has skipped cases of suites only.
        let SuiteCounts { tests, skipped: _, errors, failures } = self.totals;
        let [tests, failures, errors] = [tests, failures, errors].map(|count| count.to_string());
        let attributes = [
            ("name", "vmconf"),
            ("tests", &tests),
            ("failures", &failures),
            ("errors", &errors),
            ("time", &format!("{:.3}", summary.seconds)),
        ];
        let mut suites = XmlElements::inside(0)?;
        suites.start("testsuites", &attributes)?;
        self.out.write_all(&suites.take())?;
        self.suspects.copy(self.done.reader()?, &mut self.out)?;
        suites.end("testsuites")?;
        self.out.write_all(&suites.take())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

impl Report for Junit {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::FileDone => self.close(),
            Event::Started { vm, .. } => {
                self.vm = vm.as_ref().map(ToString::to_string);
                Ok(())
            }
            Event::Suspects(analysis) => self.suspects.explain(analysis),
            Event::NotCompared(fields) => {
                let lines: Vec<_> = fields.iter().map(ToString::to_string).collect();
                self.not_compared(&lines.join("\n"))
            }
            Event::Note { .. } | Event::Explained(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}
