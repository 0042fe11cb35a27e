//! The report for programs: one JSON object per line. Its schema is `schemas/report.schema.json`.

use std::io::{self, Write};
use std::sync::Arc;

use super::explanation;
use super::kind::{Report, ReportOptions};
use super::spool::Spool;
use crate::model::{CaseId, CaseReport, Event, Explanation, PartitionPart, UsedVm, VectorsVersion};
use crate::text::shell::ShellWords;
use crate::wire::line::{one_line, write_line};
use crate::wire::report::{
    Note, ReportLine, ReportStart, ReportedExplanation, ReportedNotCompared, TypedFlags,
};

mod record;

pub use record::{Invocation, RecordWriter};

/// The report for programs.
pub struct Json {
    out: Box<dyn Write>,
    part: Option<Arc<PartitionPart>>,
    /// For a part of a run, the first line of the report, which describes the whole selection, and the lines
    /// after it.
    pending: Option<(ReportStart, Spool)>,
    selection: ShellWords,
    only: Vec<String>,
    flags: ShellWords,
    system: Option<String>,
    versions: Vec<VectorsVersion>,
    /// Notes whose position in the whole run is not known yet.
    notes: Vec<Note>,
}

impl Json {
    /// A report that writes to `out`.
    pub fn new(out: Box<dyn Write>, options: &ReportOptions) -> Json {
        let ReportOptions { selection, only, flags, system, versions, part, .. } = options.clone();
        Json { out, part, pending: None, selection, only, flags, system, versions, notes: Vec::new() }
    }

    fn line(&mut self, line: &ReportLine) -> io::Result<()> {
        match &mut self.pending {
            Some((_, lines)) => writeln!(lines, "{}", one_line(line)),
            None => writeln!(self.out, "{}", one_line(line)),
        }
    }

    /// Writes the pending notes, then the line of a case. In a part of a run, each line has its position in
    /// the whole run, by which `vmconf merge` sorts the lines.
    fn placed(&mut self, id: &CaseId, line: Option<ReportLine>) -> io::Result<()> {
        let place = self.part.as_ref().map(|part| part.place(id));
        for mut line in self.notes.split_off(0).into_iter().map(ReportLine::Note).chain(line) {
            if let Some(position) = line.position() {
                *position = place;
            }
            self.line(&line)?;
        }
        Ok(())
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        self.placed(&report.id, Some(ReportLine::Case(Box::new(report.into()))))
    }

    fn start(&mut self, files: usize, vm: Option<&UsedVm>) -> io::Result<()> {
        let mut start = ReportStart::new(files, self.part.as_ref().map(|part| part.partition));
        start.vm = vm.cloned();
        start.system = self.system.take();
        start.only = std::mem::take(&mut self.only);
        start.versions = std::mem::take(&mut self.versions);
        if let Some(partition) = &mut start.partition {
            let words = |words: &ShellWords| words.iter().map(str::to_owned).collect();
            partition.typed =
                Some(TypedFlags { selection: words(&self.selection), flags: words(&self.flags) });
            self.pending = Some((start, Spool::default()));
            return Ok(());
        }
        self.line(&ReportLine::Run(start))
    }

    /// Writes the pending lines, once all files are loaded and the whole selection is known.
    fn end_pending(&mut self) -> io::Result<()> {
        let Some((mut start, mut lines)) = self.pending.take() else { return Ok(()) };
        if let (Some(partition), Some(part)) = (&mut start.partition, &self.part) {
            partition.selection = part.selection();
            partition.unmatched = part.unmatched().into_iter().map(Into::into).collect();
        }
        self.line(&ReportLine::Run(start))?;
        io::copy(&mut lines.reader()?, &mut self.out).map(drop)
    }
}

impl Report for Json {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started { files, vm } => self.start(*files, vm.as_ref()),
            Event::Note { file, diagnostic } => {
                self.notes.push(Note::new(file, diagnostic));
                Ok(())
            }
            Event::Finished(report) => self.case(report),
            Event::Broken { source, errors } => self.case(&CaseReport::broken(source, errors)),
            Event::FileDone => {
                let id = self.notes.first().map(|note| CaseId::of_file(note.file.as_str().into()));
                id.map_or(Ok(()), |id| self.placed(&id, None))
            }
            Event::Explained(explained) if self.part.is_some() => {
                let line = ReportedExplanation::new(explained.id(), &explanation::plain(explained)?);
                self.placed(explained.id(), Some(ReportLine::Explained(line)))
            }
            Event::Suspects(analysis) => self.line(&ReportLine::Suspects(Box::new((&**analysis).into()))),
            Event::Explained(_) => Ok(()),
            Event::NotCompared(fields) => {
                self.line(&ReportLine::NotCompared(ReportedNotCompared { fields: fields.clone() }))
            }
            Event::Ended(summary) => {
                self.end_pending()?;
                self.line(&ReportLine::Summary(summary.into()))?;
                self.out.flush()
            }
        }
    }
}

/// Writes why a case fails as one line of JSON. Its schema is `schemas/diff.schema.json`.
pub fn explained(out: &mut dyn Write, explained: &Explanation) -> io::Result<()> {
    write_line(out, explained)
}
