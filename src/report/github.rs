//! Annotations of GitHub Actions: workflow commands that put a message on the line of a vector file whose
//! expectation failed.

use std::collections::HashSet;
use std::io::{self, Write};

use super::annotation;
use super::case_block::counts;
use super::kind::{Report, ReportOptions};
use super::slow::SlowCases;
use super::suspects::head;
use super::truncate::truncate;
use crate::model::{CaseReport, Event, Position, RunSummary, SuspectAnalysis, escaped};
use crate::text::file_name::in_checkout;

/// GitHub shows at most this many annotations of each level for a step and drops the rest.
const MAX_ANNOTATIONS: usize = 10;

/// The maximum length of a title, in characters.
const MAX_LENGTH: usize = 200;

/// Annotations of GitHub Actions.
pub struct GitHub {
    out: Box<dyn Write>,
    options: ReportOptions,
    causes: HashSet<String>,
    /// The annotations of the first case of each cause.
    first: Vec<CaseAnnotation>,
    /// The annotations of further cases.
    further: Vec<CaseAnnotation>,
    slow: SlowCases,
    /// Which instructions explain the failures, to follow the counts of the run; empty without suspects.
    suspects: String,
    /// The machine in another process, after its preposition; empty for the machines of this crate.
    on: String,
}

struct CaseAnnotation {
    id: String,
    text: String,
}

impl GitHub {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> GitHub {
        GitHub {
            out,
            options: options.clone(),
            causes: HashSet::new(),
            first: Vec::new(),
            further: Vec::new(),
            slow: SlowCases::new(options),
            suspects: String::new(),
            on: String::new(),
        }
    }

    fn case(&mut self, report: &CaseReport) {
        self.slow.add(report);
        let Some(cause) = report.group() else { return };
        let known = if self.causes.insert(cause) { &mut self.first } else { &mut self.further };
        if known.len() < MAX_ANNOTATIONS {
            let text = annotation(report, &self.options);
            known.push(CaseAnnotation { id: report.id.to_string(), text });
        }
    }

    /// Moves the annotations of the cases that stand for suspects to the front.
    fn explain(&mut self, analysis: &SuspectAnalysis) {
        self.suspects = format!("; {}", head(analysis));
        let rank = |annotation: &CaseAnnotation| {
            let mut suspects = analysis.suspects.iter();
            suspects.position(|it| it.representative() == Some(&annotation.id)).unwrap_or(usize::MAX)
        };
        let (mut all, further) = (std::mem::take(&mut self.first), std::mem::take(&mut self.further));
        all.extend(further);
        // A stable sort: the others stay in their order.
        all.sort_by_key(rank);
        self.first = all;
    }

    /// Writes one annotation for each cause first, since these are most informative, then others up to the
    /// number that GitHub shows.
    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        let shown: Vec<_> = self.first.iter().chain(&self.further).take(MAX_ANNOTATIONS).collect();
        for annotation in &shown {
            writeln!(self.out, "{}", annotation.text)?;
        }
        let RunSummary { failed, fixed, errors, crashed, timed_out, flaky, .. } = summary;
        let more = (failed + fixed + errors + crashed + timed_out + flaky).saturating_sub(shown.len() as u64);
        let more = if more > 0 { format!("; {more} more that do not pass") } else { String::new() };
        let slow = self.slow();
        writeln!(
            self.out,
            "::notice title=vmconf::{}{}{more}{}{slow}",
            counts(summary),
            data(&self.on),
            data(&self.suspects)
        )?;
        self.out.flush()
    }

    /// The slow cases, to follow the counts of the run; empty if there are none.
    fn slow(&self) -> String {
        let (mut slowest, _) = self.slow.slowest();
        self.slow.counted().zip(slowest.next()).map_or(String::new(), |(counted, (time, id))| {
            data(&format!("; {counted}, the longest {time}: {}", truncate(id, 0, MAX_LENGTH)))
        })
    }
}

impl Report for GitHub {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => {
                self.case(report);
                Ok(())
            }
            Event::Broken { source, errors } => {
                self.case(&CaseReport::broken(source, errors));
                Ok(())
            }
            Event::Started { vm, .. } => {
                self.on = vm.as_ref().map_or_else(String::new, |vm| format!(" on {vm}"));
                Ok(())
            }
            Event::NotCompared(fields) => {
                let fields = fields.iter().map(|field| format!("; {field}"));
                self.on.extend(fields);
                Ok(())
            }
            Event::Note { .. } | Event::FileDone | Event::Explained(_) => Ok(()),
            Event::Suspects(analysis) => {
                self.explain(analysis);
                Ok(())
            }
            Event::Ended(summary) => self.end(summary),
        }
    }
}

fn annotation(report: &CaseReport, options: &ReportOptions) -> String {
    let id = report.id.to_string();
    let place = annotation::position(report)
        .map_or(String::new(), |Position { line, column }| format!(",line={line},col={column}"));
    let lines = annotation::lines(report, &options.flags, 2 * MAX_LENGTH);
    let file = property(&escaped(&in_checkout(&options.below_checkout, &report.id.file)));
    // What a machine does wrong outside of cases is in no file.
    let place = if report.id.is_machine() { String::new() } else { format!("file={file}{place},") };
    format!(
        "::error {place}title={}::{}",
        property(&truncate(&format!("{} {id}", report.verdict.name()), 0, MAX_LENGTH)),
        data(&lines.join("\n")),
    )
}

/// Escapes text for the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes text for a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
