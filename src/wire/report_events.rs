//! Reads a JSON report as a whole: its first line, then the events of the run.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;

use super::line::LineError;
use super::record::{MAX_CASES, OTHER_COUNTS, ReadError, each_line, occurs_twice};
use super::report::{LineType, ReportLine, ReportStart};
use super::report_order::LineOrder;
use crate::model::{CaseId, Event, RunSummary, VerdictKind};

/// Reads the report of a whole run, compressed or not, and passes each event to `each`; the first line. A case that
/// ran twice, since it was named twice, is passed once. `name` is the name of the input in messages. The error is the
/// first line that cannot be read or is out of place, a case with two outcomes, a missing summary, or a report of a
/// part of a run.
pub fn read_events(
    name: &str,
    input: &mut dyn BufRead,
    each: &mut dyn FnMut(Event),
) -> Result<ReportStart, ReadError> {
    let mut reading = EventReading::default();
    let lines = each_line(name, input, &mut |line| reading.line(line, each))?;
    let wrong = |what: &str| ReadError { name: name.to_owned(), line: lines + 1, what: what.to_owned() };
    reading.order.end().map_err(wrong)?;
    Ok(reading.start)
}

#[derive(Default)]
struct EventReading {
    order: LineOrder,
    start: ReportStart,
    cases: usize,
    counted: RunSummary,
    /// The outcome of each case: its verdict, and the signature of a failure.
    outcomes: HashMap<CaseId, (VerdictKind, Option<String>)>,
}

impl EventReading {
    fn line(&mut self, line: &[u8], each: &mut dyn FnMut(Event)) -> Result<(), LineError> {
        self.order.count(line)?;
        let line = line.trim_ascii();
        let line_type = LineType::of(line)?;
        self.order.accept(line_type)?;
        let line = ReportLine::of_type(line_type, line)?;
        match &line {
            ReportLine::Run(start) => {
                if let Some(part) = &start.partition {
                    let what = format!("is of part {} of {}; vmconf merge joins them", part.part, part.of);
                    return Err(what.into());
                }
                self.start = start.clone();
            }
            ReportLine::Case(_) => self.cases += 1,
            _ => {}
        }
        if self.cases > MAX_CASES {
            return Err(format!("is of one more case than {MAX_CASES}; no report has more").into());
        }
        let event = line.try_into()?;
        self.count(&event)?;
        if self.is_new(&event)? {
            each(event);
        }
        Ok(())
    }

    /// Whether the event is not that of a case that ran before.
    fn is_new(&mut self, event: &Event) -> Result<bool, String> {
        let Event::Finished(report) = event else { return Ok(true) };
        let outcome = (report.verdict.kind(), report.signature());
        match self.outcomes.entry(report.id.clone()) {
            Entry::Vacant(place) => {
                place.insert(outcome);
                Ok(true)
            }
            // The second time, it may have been skipped.
            Entry::Occupied(same) if outcome.0 == VerdictKind::Skip || *same.get() == outcome => Ok(false),
            Entry::Occupied(other) => Err(occurs_twice(&other.key().to_string())),
        }
    }

    /// Counts the cases, and compares their numbers with those of the summary.
    fn count(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Finished(report) => self.counted.count(report),
            Event::Broken { .. } => self.counted.errors += 1,
            Event::Ended(summary) if !self.counted.counts_as(summary) => return Err(OTHER_COUNTS.to_owned()),
            _ => {}
        }
        Ok(())
    }
}
