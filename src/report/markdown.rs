//! A summary in Markdown, such as GitHub shows for a step. Text from vectors is in HTML elements, with all
//! Markdown punctuation written as character references, so that it cannot act as markup.

use std::io::{self, Write};

use quick_xml::escape::partial_escape;

use super::case_block::{counted, counts, headline, plain, plural};
use super::groups::{FailureGroup, FailureGroups};
use super::kind::{Report, ReportOptions};
use super::markdown_escape::{cause_span, code_span};
use super::slow::SlowCases;
use crate::model::{CaseReport, Event, FieldNotCompared, RunSummary, UsedVm, Verdict};

/// The maximum size of a report in bytes: GitHub accepts this number of characters in a comment.
const MAX_OF_COMMENT: usize = 65_536;

/// The maximum size of the summary of a step in bytes; GitHub accepts 1 MiB for a step.
const MAX_OF_STEP: usize = 512 << 10;

/// The longest line that says how many groups are left out, in bytes.
const MAX_OF_REST: usize = 60;

/// The maximum number of fields that are named as not compared.
const MAX_NOT_COMPARED: usize = 50;

/// The maximum number of skipped cases that are named.
const MAX_SKIPPED: usize = 20;

/// A summary in Markdown.
pub struct Markdown {
    out: Box<dyn Write>,
    options: ReportOptions,
    groups: FailureGroups,
    skipped: Vec<String>,
    slow: SlowCases,
    vm: Option<UsedVm>,
    not_compared: Vec<FieldNotCompared>,
    /// Groups that would make the report longer than this are counted.
    max_bytes: usize,
}

impl Markdown {
    /// A report that writes to `out`, and that a comment has room for.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Markdown {
        Markdown::up_to(MAX_OF_COMMENT, out, options)
    }

    /// A report that writes to `out`, the summary of a step of GitHub Actions.
    pub fn of_step(out: Box<dyn Write>, options: &ReportOptions) -> Markdown {
        Markdown::up_to(MAX_OF_STEP, out, options)
    }

    fn up_to(max_bytes: usize, out: Box<dyn Write>, options: &ReportOptions) -> Markdown {
        let (groups, slow) = (FailureGroups::new(options), SlowCases::new(options));
        Markdown {
            out,
            options: options.clone(),
            groups,
            skipped: Vec::new(),
            slow,
            vm: None,
            not_compared: Vec::new(),
            max_bytes,
        }
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        if matches!(report.verdict, Verdict::Skip(_)) && self.skipped.len() < MAX_SKIPPED {
            let reason = headline(report).unwrap_or_default();
            self.skipped.push(format!("- {}: {}", code_span(&report.id.to_string()), code_span(&reason)));
        }
        self.slow.add(report);
        self.groups.add(report)
    }

    fn end(&mut self, summary: &RunSummary) -> io::Result<()> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.counts(&mut before, summary)?;
        self.list_skipped(&mut after, summary.skipped)?;
        self.list_slow(&mut after)?;
        self.out.write_all(&before)?;
        let mut left = self.max_bytes.saturating_sub(before.len() + MAX_OF_REST + after.len());
        let mut omitted = 0;
        for group in self.groups.iter() {
            let text = group_text(group, &self.options);
            match left.checked_sub(text.len()) {
                Some(rest) => {
                    left = rest;
                    self.out.write_all(text.as_bytes())?;
                }
                None => omitted += 1,
            }
        }
        if omitted > 0 {
            writeln!(self.out, "\nand {omitted} more that do not fit here")?;
        }
        self.out.write_all(&after)?;
        self.out.flush()
    }

    /// Writes what precedes the groups.
    fn counts(&self, text: &mut Vec<u8>, summary: &RunSummary) -> io::Result<()> {
        let seconds = summary.seconds;
        let counted = counted(summary);
        writeln!(text, "## vmconf: {}\n", counts(summary))?;
        if let Some(vm) = &self.vm {
            writeln!(text, "On {}.\n", code_span(&vm.to_string()))?;
        }
        let (names, counts): (Vec<_>, Vec<_>) =
            counted.iter().map(|(kind, count)| (plural(*kind), count.to_string())).unzip();
        writeln!(text, "| {} | time |\n|{}---:|", names.join(" | "), "---:|".repeat(names.len()))?;
        writeln!(text, "| {} | {seconds:.2} s |", counts.join(" | "))?;
        for field in self.not_compared.iter().take(MAX_NOT_COMPARED) {
            writeln!(text, "\n{}", code_span(&field.to_string()))?;
        }
        if let more @ 1.. = self.not_compared.len().saturating_sub(MAX_NOT_COMPARED) {
            writeln!(text, "\nand {more} more that are not compared")?;
        }
        if let Some(lacks) = self.vm.as_ref().and_then(|vm| vm.lacks_in_words(&vm.name)) {
            writeln!(text, "\n{}", code_span(&lacks))?;
        }
        let head = self.groups.head();
        head.map_or(Ok(()), |head| writeln!(text, "\n{}", code_span(&head)))
    }

    fn list_skipped(&self, text: &mut Vec<u8>, count: u64) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        writeln!(text, "\n### Skipped\n\n{}", self.skipped.join("\n"))?;
        match count - self.skipped.len() as u64 {
            0 => Ok(()),
            more => writeln!(text, "- and {more} more"),
        }
    }

    fn list_slow(&self, text: &mut Vec<u8>) -> io::Result<()> {
        let Some(counted) = self.slow.counted() else { return Ok(()) };
        writeln!(text, "\n### Slow: {counted}\n")?;
        let (slowest, more) = self.slow.slowest();
        for (time, id) in slowest {
            writeln!(text, "- {time}: {}", code_span(id))?;
        }
        if more > 0 { writeln!(text, "- and {more} more") } else { Ok(()) }
    }
}

impl Report for Markdown {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::Started { vm, .. } => {
                self.vm.clone_from(vm);
                Ok(())
            }
            Event::NotCompared(fields) => {
                self.not_compared.clone_from(fields);
                Ok(())
            }
            Event::Note { .. } | Event::FileDone | Event::Explained(_) => Ok(()),
            Event::Suspects(analysis) => self.groups.explain(analysis),
            Event::Ended(summary) => self.end(summary),
        }
    }
}

fn group_text(group: &FailureGroup, options: &ReportOptions) -> String {
    let block = partial_escape(plain(&group.block));
    let more = match (group.count - 1, group.command(options)) {
        (0, _) => String::new(),
        (more, Some(command)) => format!("\nand {more} more like it: {}\n", code_span(&command)),
        (more, None) => format!("\nand {more} more of this entry, which a run with -v prints\n"),
    };
    // Without blank lines around it, the content of the element is not parsed as Markdown.
    format!(
        "\n<details><summary>{} × {}</summary>\n\n<pre>\n{block}</pre>\n{more}\n</details>\n",
        group.count,
        cause_span(&group.title())
    )
}
