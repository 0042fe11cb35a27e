//! The short form of the report in which each run is recorded: its lines are those of the report with
//! fewer members, and the first says besides when the run began and how it was asked for.

use serde::Serialize;

use super::{head_json, summary_json};
use crate::model::event::{CaseReport, Summary};
use crate::model::partition::Part;
use crate::model::signature::signature;
use crate::model::verdict::{Kind, Verdict};
use crate::report::truncate::truncate;
use crate::wire::value::{harmless, one_line};

/// The longest message; one can be as long as a vector makes it.
const LONGEST: usize = 400;

/// A run in short, kept in memory until it is whole.
pub struct Record {
    text: String,
}

/// How a run was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// When it began, as RFC 3339 has it.
    pub when: &'a str,
    /// The command line.
    pub command: &'a str,
    /// How many files there are to read.
    pub files: usize,
    /// The part of a run; none for a whole run.
    pub part: Option<&'a Part>,
}

#[derive(Serialize)]
struct Case<'a> {
    r#type: &'static str,
    verdict: &'static str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<[Problem; 1]>,
}

#[derive(Serialize)]
struct Problem {
    message: String,
}

impl Record {
    /// The record of a run that begins.
    pub fn new(asked: Asked<'_>) -> Record {
        let mut head = head_json(asked.files, asked.part);
        head.insert("when".into(), asked.when.into());
        head.insert("command".into(), asked.command.into());
        Record { text: one_line(&head.into()) + "\n" }
    }

    /// Adds a case: its verdict and id, and of one that did not pass the file, to find it again, the
    /// signature and the first problem.
    pub fn case(&mut self, CaseReport { id, machine, verdict, .. }: &CaseReport) {
        let problem = match verdict {
            Verdict::Error(diagnostics) => diagnostics.first(),
            Verdict::Pass
            | Verdict::Fail(_)
            | Verdict::ExpectedFail(..)
            | Verdict::UnexpectedPass(_)
            | Verdict::Skip(_) => None,
        };
        let line = Case {
            r#type: "case",
            verdict: verdict.name(),
            id: &id.to_string(),
            file: (verdict.kind() != Kind::Pass).then_some(&id.file),
            signature: signature(*machine, verdict),
            problems: problem.map(|it| [Problem { message: truncate(&it.what, 0, LONGEST) }]),
        };
        // Texts and names of members are all that is in it: that has a form in JSON.
        let line = serde_json::to_string(&line).unwrap_or_default();
        self.text += &harmless(line);
        self.text.push('\n');
    }

    /// The record of the whole run.
    pub fn end(self, summary: &Summary) -> String {
        self.text + &one_line(&summary_json(summary)) + "\n"
    }
}
