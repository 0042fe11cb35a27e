//! The short form of the JSON report, in which each run is recorded.

use std::io::{self, Write};

use crate::model::event::{CaseReport, Summary};
use crate::model::partition::Part;
use crate::model::signature::signature;
use crate::model::verdict::{Kind, Verdict};
use crate::report::spool::Spool;
use crate::report::truncate::truncate;
use crate::wire::line::one_line;
use crate::wire::record::{Case, Checksum, Line};
use crate::wire::report::{Problem, Start};

/// The maximum length of a message in characters; a vector can make one arbitrarily long.
const LONGEST: usize = 400;

/// A recorded run, kept until it ends.
pub struct Record {
    text: Spool,
    /// Of the lines so far.
    hasher: blake3::Hasher,
    /// The first error of writing.
    result: io::Result<()>,
}

/// How a run was started.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// When it began, in RFC 3339 format.
    pub when: &'a str,
    /// The command line.
    pub command: &'a str,
    /// The number of files to read.
    pub files: usize,
    /// The part of a run; `None` for a whole run.
    pub part: Option<&'a Part>,
}

impl Record {
    /// Starts the record of a run.
    pub fn new(invocation: Invocation<'_>) -> Record {
        let Invocation { when, command, files, part } = invocation;
        let (when, command) = (Some(when.to_owned()), Some(command.to_owned()));
        let mut record = Record { text: Spool::new(), hasher: blake3::Hasher::new(), result: Ok(()) };
        record.add(&Line::Run(Start { when, command, ..Start::new(files, part) }));
        record
    }

    /// Adds a case: its verdict and id. If it did not pass, also the file, so that the case can be found
    /// again, and the signature; if it is broken, also the first problem.
    pub fn case(&mut self, CaseReport { id, machine, verdict, .. }: &CaseReport) {
        let first = match verdict {
            Verdict::Error(diagnostics) => diagnostics.first(),
            Verdict::Pass
            | Verdict::Fail(_)
            | Verdict::ExpectedFail(..)
            | Verdict::UnexpectedPass(_)
            | Verdict::Skip(_) => None,
        };
        let problem = |message: &str| {
            let message = truncate(message, 0, LONGEST);
            vec![Problem { message, expected: None, line: None, column: None }]
        };
        self.add(&Line::Case(Case {
            verdict: verdict.kind(),
            id: id.to_string(),
            file: (verdict.kind() != Kind::Pass).then(|| id.file.to_string()),
            signature: signature(machine.as_deref(), verdict),
            problems: first.map(|first| problem(&first.what)),
        }));
    }

    /// Ends the record with the summary and a checksum, and returns its text.
    ///
    /// # Errors
    ///
    /// The first error of writing a line.
    pub fn end(mut self, summary: &Summary) -> io::Result<Spool> {
        self.add(&Line::Summary(summary.into()));
        self.add(&Line::Checksum(Checksum::of(&self.hasher)));
        self.result.map(|()| self.text)
    }

    fn add(&mut self, line: &Line) {
        if self.result.is_ok() {
            let line = one_line(line) + "\n";
            self.hasher.update(line.as_bytes());
            self.result = self.text.write_all(line.as_bytes());
        }
    }
}
