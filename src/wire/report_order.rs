//! The order of the lines of a report: one of type run, those of its cases, a summary. A record has a checksum after
//! it.

use super::line::LineError;
use super::report::LineType;

/// The largest report that is accepted, in bytes.
pub const MAX_REPORT_BYTES: u64 = 1 << 30;

/// How much of a report was read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportProgress {
    #[default]
    BeforeRun,
    Inside,
    AfterSummary,
    AfterChecksum,
}

/// Accepts the lines of a report if they are in order.
#[derive(Debug, Default)]
pub(super) struct LineOrder {
    pub(super) progress: ReportProgress,
    bytes: u64,
}

impl LineOrder {
    /// Counts the bytes of a line with its terminator. Fails if no report is so large.
    pub(super) fn count(&mut self, line: &[u8]) -> Result<(), LineError> {
        self.bytes += line.len() as u64;
        if self.bytes > MAX_REPORT_BYTES {
            let what = format!("ends more than {MAX_REPORT_BYTES} bytes from the start; no report is larger");
            return Err(what.into());
        }
        Ok(())
    }

    /// Accepts a line of this type. Fails if it is out of place.
    pub(super) fn accept(&mut self, line: LineType) -> Result<(), LineError> {
        self.progress = match (line, self.progress) {
            (LineType::Run, ReportProgress::BeforeRun) => ReportProgress::Inside,
            (_, ReportProgress::BeforeRun) => {
                return Err("expected a line of type run, with which a report begins".to_owned().into());
            }
            (LineType::Run, _) => return Err("another run begins; expected one".to_owned().into()),
            (LineType::Checksum, ReportProgress::AfterSummary) => ReportProgress::AfterChecksum,
            (_, ReportProgress::AfterSummary | ReportProgress::AfterChecksum) => {
                return Err("follows the summary, which must be the last line of a report".to_owned().into());
            }
            (LineType::Checksum, ReportProgress::Inside) => {
                return Err("comes before the summary".to_owned().into());
            }
            (LineType::Summary, ReportProgress::Inside) => ReportProgress::AfterSummary,
            (_, ReportProgress::Inside) => ReportProgress::Inside,
        };
        Ok(())
    }

    /// Fails if the report ends too early.
    pub(super) fn end(&self) -> Result<(), &'static str> {
        match self.progress {
            ReportProgress::BeforeRun => Err("is empty; expected a line of type run"),
            ReportProgress::Inside => Err("ends before the run does; expected a summary"),
            ReportProgress::AfterSummary | ReportProgress::AfterChecksum => Ok(()),
        }
    }
}
