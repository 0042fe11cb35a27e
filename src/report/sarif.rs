//! Failures as SARIF 2.1.0, for code scanning: a result for each case at the line of the vector that demands what
//! differs, and a rule for each cause.
//!
//! A rule is the signature of a failure, which does not depend on other cases, and the fingerprint of a result is
//! that of the case and its cause: so a server recognises a failure of an earlier run, also at another line.

use std::io::{self, Write};

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::annotation;
use super::kind::{Report, ReportOptions};
use super::truncate::truncate;
use crate::model::{CaseReport, Event, Exit, Position, RunSummary, Verdict, counted, escaped};
use crate::text::config::CONFIG_FILE;
use crate::text::file_name::{in_checkout, uri};
use crate::text::sarif::{OPENING, message_text};
use crate::wire::line::one_line;

/// The maximum length of a part of a message, in characters.
const MAX_LENGTH: usize = 1_000;

/// The maximum number of results. GitHub refuses a run that has more.
const MAX_RESULTS: usize = 25_000;

/// The rule, whose name stays for earlier results in code scanning, of cases that pass although a list expects them to fail.
const UNEXPECTED_PASS: &str = "unexpected pass";

/// Failures for code scanning.
pub struct Sarif {
    out: Box<dyn Write>,
    options: ReportOptions,
    /// The causes, in the order of their first results.
    rules: IndexSet<String>,
    results: usize,
    /// How many results are left out.
    left_out: u64,
    /// The machine in another process, and what was not compared.
    notifications: Vec<Json>,
}

impl Sarif {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Sarif {
        let (rules, notifications) = (IndexSet::new(), Vec::new());
        Sarif { out, options: options.clone(), rules, results: 0, left_out: 0, notifications }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        let rule = match &report.verdict {
            Verdict::Pass | Verdict::Known(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => {
                return Ok(());
            }
            Verdict::Fixed(_) => UNEXPECTED_PASS.to_owned(),
            _ => report.cause().unwrap_or_default(),
        };
        if self.results == MAX_RESULTS {
            self.left_out += 1;
            return Ok(());
        }
        // The same wherever in the checkout the command runs.
        let mut id = report.id.clone();
        if !id.is_machine() {
            id.file = in_checkout(&self.options.below_checkout, &id.file).into();
        }
        let fingerprint = blake3::hash(format!("{id}\n{rule}").as_bytes()).to_hex();
        let (index, _) = self.rules.insert_full(rule.clone());
        let result = json!({
            "ruleId": rule,
            "ruleIndex": index,
            "level": "error",
            "message": { "text": self.message(report) },
            "locations": [{ "physicalLocation": self.place(report) }],
            "partialFingerprints": { "vmconfCase/v1": fingerprint.as_str() },
        });
        self.separate()?;
        self.out.write_all(one_line(&result).as_bytes())
    }

    /// Writes what precedes a result.
    fn separate(&mut self) -> io::Result<()> {
        let first = self.results == 0;
        self.results += 1;
        if first { self.head() } else { writeln!(self.out, ",") }
    }

    fn head(&mut self) -> io::Result<()> {
        writeln!(self.out, "{OPENING}")?;
        writeln!(self.out, "\"columnKind\":\"unicodeCodePoints\",\"results\":[")
    }

    fn message(&self, report: &CaseReport) -> String {
        let case = format!("{} {}", report.verdict.name(), report.id);
        let mut lines = vec![truncate(&escaped(&case), 0, MAX_LENGTH)];
        lines.extend(annotation::lines(report, &self.options.flags, MAX_LENGTH));
        message_text(&lines.join("\n"))
    }

    /// The line that demands what differs; of a machine that broke down, where the case begins. What a machine does wrong
    /// outside of cases is in no file: GitHub, which refuses a report with a result that has no place, shows it with the
    /// file that configures machines.
    fn place(&self, report: &CaseReport) -> Json {
        if report.id.is_machine() {
            let file = in_checkout(&self.options.below_checkout, CONFIG_FILE);
            return json!({ "artifactLocation": { "uri": uri(&file) }, "region": { "startLine": 1 } });
        }
        let file = in_checkout(&self.options.below_checkout, &report.id.file);
        let mut place = json!({ "artifactLocation": { "uri": uri(&file) } });
        if let Some(Position { line, column }) = annotation::position(report) {
            place["region"] = json!({ "startLine": line, "startColumn": column });
        }
        place
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        if self.results == 0 {
            self.head()?;
        }
        if self.left_out > 0 {
            let more = counted(self.left_out, "more result");
            self.notifications.push(notification(&format!("{more}: a report has at most {MAX_RESULTS}")));
        }
        let described =
            |rule: &String| json!({ "id": rule, "shortDescription": { "text": message_text(rule) } });
        let driver = json!({
            "name": "vmconf",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": self.rules.iter().map(described).collect::<Vec<_>>(),
        });
        let exit = summary.exit();
        let mut invocation =
            json!({ "executionSuccessful": exit != Exit::Interrupted, "exitCode": exit as i32 });
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = json!(self.notifications);
        }
        let (driver, invocation) = (one_line(&driver), one_line(&invocation));
        writeln!(self.out, "\n],\n\"tool\":{{\"driver\":{driver}}},\n\"invocations\":[{invocation}]\n}}]}}")?;
        self.out.flush()
    }
}

fn notification(text: &str) -> Json {
    json!({ "level": "note", "message": { "text": message_text(&escaped(text)) } })
}

impl Report for Sarif {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::NotCompared(fields) => {
                self.notifications.extend(fields.iter().map(|field| notification(&field.to_string())));
                Ok(())
            }
            Event::Started { vm, .. } => {
                self.notifications.extend(vm.iter().map(|vm| notification(&format!("on {vm}"))));
                Ok(())
            }
            Event::Note { .. } | Event::FileDone | Event::Explained(_) | Event::Suspects(_) => Ok(()),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;
    use crate::model::{Breakdown, CaseId};

    /// What is left out is counted: GitHub would refuse all of it.
    #[test]
    fn more_results_than_github_takes_are_counted() {
        let mut file = tempfile::tempfile().expect("a file");
        let mut sarif = Sarif::new(Box::new(file.try_clone().expect("a file")), &ReportOptions::default());
        let breakdown = Breakdown { what: "killed".to_owned(), stderr: String::new() };
        let report = CaseReport::new(CaseId::of_file("a.json".into()), Verdict::Crash(breakdown));
        for _ in 0..MAX_RESULTS + 2 {
            sarif.event(&Event::Finished(report.clone())).expect("written");
        }
        sarif.event(&Event::Ended(RunSummary::default())).expect("written");
        let mut text = String::new();
        file.rewind().expect("the start");
        file.read_to_string(&mut text).expect("a report");
        let report: Json = serde_json::from_str(&text).expect("JSON");
        let run = &report["runs"][0];
        assert_eq!(run["results"].as_array().map(Vec::len), Some(MAX_RESULTS));
        let said = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        assert_eq!(said, "2 more results: a report has at most 25000");
    }
}
