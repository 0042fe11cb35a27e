//! The short form of the JSON report, in which each run is recorded.

use std::io::{self, Write};

use crate::model::{
    CaseId, CaseReport, Diagnostic, Partition, RunSummary, SuspectAnalysis, UsedVm, Verdict, VerdictKind,
    signature,
};
use crate::report::compressed::CompressedText;
use crate::report::spool::Spool;
use crate::report::truncate::truncate;
use crate::wire::line::one_line;
use crate::wire::record::{Checksum, RecordLine, RecordedCase};
use crate::wire::report::{Problem, ReportStart};

/// The maximum length of a message in characters; a vector can make one arbitrarily long.
const MAX_LENGTH: usize = 400;

/// A recorded run, kept until it ends. Its memory does not depend on the number of cases.
pub struct RecordWriter {
    text: CompressedText,
    /// The hash of the lines so far.
    hasher: blake3::Hasher,
    /// The first error of writing.
    result: io::Result<()>,
}

/// How a run was started.
#[derive(Debug, Clone)]
pub struct Invocation<'a> {
    /// When it began, in RFC 3339 format.
    pub when: &'a str,
    /// The command line.
    pub command: &'a str,
    /// The paths and filters that select the cases.
    pub selected: Vec<String>,
    /// The number of files to read.
    pub files: usize,
    /// The machine in another process; `None` for embedded machines.
    pub vm: Option<UsedVm>,
    /// The part of a run; `None` for a whole run.
    pub part: Option<Partition>,
}

impl RecordWriter {
    /// Starts the record of a run.
    pub fn new(invocation: Invocation<'_>) -> RecordWriter {
        let Invocation { when, command, selected, files, vm, part } = invocation;
        let (when, command) = (Some(when.to_owned()), Some(command.to_owned()));
        RecordWriter::starting(ReportStart {
            when,
            command,
            selected: Some(selected),
            vm,
            ..ReportStart::new(files, part)
        })
    }

    /// Starts a record of cases from several runs on a machine rather than of a single run.
    pub fn of_runs(vm: Option<UsedVm>) -> RecordWriter {
        RecordWriter::starting(ReportStart { vm, ..ReportStart::new(0, None) })
    }

    fn starting(start: ReportStart) -> RecordWriter {
        let text = CompressedText::default();
        let mut record = RecordWriter { text, hasher: blake3::Hasher::new(), result: Ok(()) };
        record.add(&RecordLine::Run(Box::new(start)));
        record
    }

    /// Adds a case.
    pub fn case(&mut self, case: RecordedCase) {
        self.add(&RecordLine::Case(case));
    }

    /// Adds what is broken besides cases and vector files; see [`Event::Broken`](crate::model::event::Event::Broken).
    pub fn broken(&mut self, source: &CaseId, errors: &[Diagnostic]) {
        self.case(RecordWriter::recorded(&CaseReport::broken(source, errors)));
    }

    /// Adds the instructions that explain the failures.
    pub fn suspects(&mut self, analysis: &SuspectAnalysis) {
        self.add(&RecordLine::Suspects(Box::new(analysis.into())));
    }

    /// A case as it is recorded: its verdict and id. If it did not pass, also the file, so that the case can
    /// be found again, and the signature; if it is broken, also the first problem.
    pub fn recorded(CaseReport { id, machine, verdict, .. }: &CaseReport) -> RecordedCase {
        let first = match verdict {
            Verdict::Error(diagnostics) => diagnostics.first(),
            _ => None,
        };
        let problem = |message: &str| {
            let message = truncate(message, 0, MAX_LENGTH);
            vec![Problem { message, expected: None, suggestion: None, line: None, column: None }]
        };
        RecordedCase {
            verdict: verdict.kind(),
            unlisted: Some(verdict.unlisted_kind())
                .filter(|kind| verdict.kind() == VerdictKind::Known && *kind != VerdictKind::Fail),
            id: id.to_string(),
            file: (verdict.kind() != VerdictKind::Pass).then(|| id.file.to_string()),
            signature: signature(machine.as_deref(), verdict),
            problems: first.map(|first| problem(&first.what)),
        }
    }

    /// Ends the record with the summary and a checksum, and returns its text, which is compressed if it is long.
    pub fn end(mut self, summary: &RunSummary) -> io::Result<Spool> {
        self.add(&RecordLine::Summary(summary.into()));
        self.add(&RecordLine::Checksum(Checksum::of(&self.hasher)));
        self.result?;
        self.text.finish()
    }

    fn add(&mut self, line: &RecordLine) {
        if self.result.is_ok() {
            let line = one_line(line) + "\n";
            self.hasher.update(line.as_bytes());
            self.result = self.text.write_all(line.as_bytes());
        }
    }
}
