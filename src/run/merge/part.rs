//! The report of one part.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::excerpts::Excerpts;
use crate::formats;
use crate::formats::family::is_machine_name;
use crate::machines;
use crate::model::{
    CaseId, CaseReport, ContentDigest, Diagnostic, Event, ExplainedCase, FieldNotCompared, RunSummary,
    UnmatchedEntry, VectorsVersion,
};
use crate::run::content_order::ContentOrder;
use crate::text::shell::ShellWords;
use crate::wire::line::LineError;
use crate::wire::record::OTHER_COUNTS;
use crate::wire::report::{ReportLine, ReportStart, ReportedPartition, TypedFlags};

/// A report to merge.
#[derive(Debug)]
pub struct PartSource<'s> {
    /// The name, as messages show it.
    pub name: &'s str,
    /// The text.
    pub text: &'s str,
}

/// The events of one part.
pub(super) struct MergedPart<'s> {
    /// The name of the report, as messages show it.
    pub(super) name: &'s str,
    pub(super) header: PartHeader,
    /// Cases and notes, each with its position in the whole run.
    pub(super) cases: Vec<(u64, Event)>,
    /// The digest of the text of each file; several if it changed during the run.
    pub(super) contents: BTreeMap<Arc<str>, BTreeSet<ContentDigest>>,
    /// Explanations, each with its position in the whole run.
    pub(super) explained: Vec<(u64, ExplainedCase)>,
    /// Assertions that were not compared.
    pub(super) not_compared: Vec<FieldNotCompared>,
    /// What machines did wrong outside of cases.
    pub(super) broken: Vec<(CaseId, Vec<Diagnostic>)>,
    pub(super) seconds: f64,
}

/// The first line of the report of a part.
pub(super) struct PartHeader {
    pub(super) part: u64,
    pub(super) of: u64,
    pub(super) files: usize,
    pub(super) selection: ShellWords,
    pub(super) flags: ShellWords,
    /// The system that the part ran on.
    pub(super) system: Option<String>,
    pub(super) versions: Vec<VectorsVersion>,
    /// The entries of lists of known failures that match no case of the part.
    pub(super) unmatched: Vec<UnmatchedEntry>,
    /// The line without what differs between parts: it is the same for all parts of a run.
    pub(super) common: ReportStart,
}

impl PartHeader {
    fn new(line: ReportLine) -> Result<PartHeader, String> {
        const OTHER: &str = "is not a report of a part of a run";
        let ReportLine::Run(start) = line else { return Err(OTHER.to_owned()) };
        let ReportedPartition { kind, part, of, selection, typed, unmatched } =
            start.partition.ok_or(OTHER)?;
        let TypedFlags { selection: paths, flags } = typed.clone().ok_or(OTHER)?;
        let unmatched = unmatched.into_iter().map(UnmatchedEntry::try_from).collect::<Result<_, _>>();
        Ok(PartHeader {
            part,
            of,
            files: start.files,
            unmatched: unmatched.map_err(|what| format!("line 1 {what}"))?,
            system: start.system.clone(),
            versions: start.versions.clone(),
            selection: paths.into_iter().collect(),
            flags: flags.into_iter().collect(),
            common: ReportStart {
                system: None,
                versions: Vec::new(),
                partition: Some(ReportedPartition {
                    kind,
                    part: 0,
                    of,
                    selection,
                    typed,
                    unmatched: Vec::new(),
                }),
                ..start
            },
        })
    }
}

impl<'s> MergedPart<'s> {
    /// Reads a report; the error says what is wrong with it.
    pub(super) fn read(
        source: &PartSource<'s>,
        excerpts: &mut Excerpts<'_>,
    ) -> Result<MergedPart<'s>, String> {
        let mut lines =
            (1..).zip(source.text.lines()).map(|(number, line)| Ok((number, read(number, line)?)));
        let (_, first) = lines.next().unwrap_or_else(|| Err("is empty".to_owned()))?;
        let header = PartHeader::new(first)?;
        if !(1..=header.of).contains(&header.part) {
            return Err(format!("is part {} of {}", header.part, header.of));
        }
        let mut part = MergedPart {
            name: source.name,
            header,
            cases: Vec::new(),
            contents: BTreeMap::new(),
            explained: Vec::new(),
            not_compared: Vec::new(),
            broken: Vec::new(),
            seconds: 0.0,
        };
        let (mut end, mut contents) = (None, ContentOrder::default());
        for line in lines {
            let (number, mut line) = line?;
            if end.is_some() {
                return Err(format!("line {number} comes after the summary"));
            }
            let position = line.position().copied().flatten();
            let wrong = |what: String| format!("line {number} {what}");
            let mut event = Event::try_from(line).map_err(wrong)?;
            excerpts.add_to(&mut event);
            match event {
                Event::Ended(summary) => end = Some(summary),
                event => part.add(event, position, &mut contents).map_err(wrong)?,
            }
        }
        part.end(end.ok_or("ends before the run does")?)
    }

    /// Adds an event of the run before its end; the error says what is wrong with the line.
    fn add(
        &mut self,
        event: Event,
        position: Option<u64>,
        contents: &mut ContentOrder,
    ) -> Result<(), String> {
        match (event, position) {
            (Event::NotCompared(fields), _) => self.not_compared.extend(fields),
            (Event::Broken { source, errors }, _) => self.broken.push((source, errors)),
            (Event::Started { .. } | Event::Ended(_) | Event::FileDone | Event::Suspects(_), _) => {
                return Err("begins another run".to_owned());
            }
            (_, None) => return Err("has no position".to_owned()),
            (Event::Explained(explained), Some(place)) => self.explained.push((place, explained)),
            (event @ Event::Note { .. }, Some(place)) => self.cases.push((place, event)),
            (Event::Finished(mut report), Some(place)) => {
                contents.fill_in(&mut report);
                if let Some(content) = report.content {
                    self.contents.entry(report.id.file.clone()).or_default().insert(content.of_file());
                }
                is_of_this_program(&report)?;
                self.cases.push((place, Event::Finished(report)));
            }
        }
        Ok(())
    }

    fn end(self, said: RunSummary) -> Result<MergedPart<'s>, String> {
        if said.interrupted {
            return Err("is of a run that was interrupted".to_owned());
        }
        let mut counted = RunSummary { errors: self.broken.len() as u64, ..RunSummary::default() };
        for (_, event) in &self.cases {
            if let Event::Finished(report) = event {
                counted.count(report);
            }
        }
        if !counted.counts_as(&said) {
            return Err(OTHER_COUNTS.to_owned());
        }
        Ok(MergedPart { seconds: said.seconds, ..self })
    }
}

fn read(number: usize, line: &str) -> Result<ReportLine, String> {
    ReportLine::read(line.as_bytes()).map_err(|LineError { what, column }| match column {
        Some(column) => format!("line {number}, column {column}: {what}"),
        None => format!("line {number} {what}"),
    })
}

/// Checks that the format and the machine exist in vmconf, or can be those of a family: reports rely on it that their
/// names need no escaping.
fn is_of_this_program(report: &CaseReport) -> Result<(), String> {
    let is_other = |name: &str| formats::by_name(name).is_none() && !is_machine_name(name);
    if report.format.as_deref().is_some_and(is_other) {
        return Err("is of a case in an unknown format".to_owned());
    }
    let is_other = |name: &str| machines::by_name(name).is_none() && !is_machine_name(name);
    if report.machine.as_deref().is_some_and(is_other) {
        return Err("is of a case for an unknown machine".to_owned());
    }
    Ok(())
}
