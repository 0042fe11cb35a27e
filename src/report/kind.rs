//! The interface of reports, and the user's options for them.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::model::{Event, PartitionPart, Renderer, VectorsVersion};
use crate::text::shell::ShellWords;

/// Renders events.
pub trait Report {
    /// Renders the next event.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// Which events it needs.
    fn needs(&self) -> Needs {
        Needs::Events
    }
}

/// A kind of report.
pub type ReportKind = Renderer<NewReport>;

/// How a report is made and recognised.
#[derive(Debug)]
pub struct NewReport {
    /// Makes a report that writes to the given writer.
    pub make: fn(Box<dyn Write>, &ReportOptions) -> Box<dyn Report>,
    /// Whether a file with these ends was written by this kind of report.
    pub wrote: fn(&FileEnds) -> bool,
}

/// The ends of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileEnds {
    /// Its first 1024 bytes, as far as they are text.
    pub start: String,
    /// Its last line, or the last 1024 bytes of it.
    pub last_line: String,
}

impl FileEnds {
    /// How many bytes of each end are read.
    const SIZE: usize = 1024;

    /// Reads the ends of a file.
    pub fn read(file: &mut (impl Read + Seek)) -> io::Result<FileEnds> {
        let mut start = Vec::new();
        file.by_ref().take(FileEnds::SIZE as u64).read_to_end(&mut start)?;
        let size = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(size.saturating_sub(FileEnds::SIZE as u64)))?;
        let mut end = Vec::new();
        file.take(FileEnds::SIZE as u64).read_to_end(&mut end)?;
        let end = String::from_utf8_lossy(&end);
        let last_line = end.trim_end().lines().last().unwrap_or_default().to_owned();
        Ok(FileEnds { start: String::from_utf8_lossy(&start).into_owned(), last_line })
    }
}

/// Which events a report needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// What every run emits.
    Events,
    /// Also [`Event::Explained`] for the first cases that do not pass.
    Explanations,
}

/// The flags of a run with a value that `vmconf explore` does not take: it has one engine, and looks for no states by
/// their roots.
pub const NOT_EXPLORED: &[&str] = &["--engine", "--worlds"];

/// The user's options for reports.
#[derive(Debug, Clone, Default)]
pub struct ReportOptions {
    /// How much the text report says.
    pub verbosity: Verbosity,
    /// The flags that a printed command for a case needs in addition to the case id.
    pub flags: ShellWords,
    /// Whether the machine reports no steps, so that `vmconf explore` cannot show its runs.
    pub hides_steps: bool,
    /// The paths and filters of the run, as typed.
    pub selection: ShellWords,
    /// What selects among the cases of the files, independent of how it was typed; none if all of them run.
    pub only: Vec<String>,
    /// How failures with the same cause are reported.
    pub grouping: Grouping,
    /// When the run began, or its parts were merged, in RFC 3339 format; `None` to omit it.
    pub when: Option<String>,
    /// The system that the cases run on, as `linux x86_64`; `None` for parts that ran on several.
    pub system: Option<String>,
    /// The versions of the vectors.
    pub versions: Vec<VectorsVersion>,
    /// The time from which on a case is listed as slow; `None` to list none.
    pub slow: Option<Duration>,
    /// The path from the root of the checkout, which annotations refer to, to the folder that the names of files
    /// are relative to; empty if they are the same.
    pub below_checkout: String,
    /// The part of a run that is reported; `None` for a whole run.
    pub part: Option<Arc<PartitionPart>>,
}

impl ReportOptions {
    /// The flags with which `vmconf explore` opens a case of the run.
    pub fn explorer_flags(&self) -> ShellWords {
        self.flags.without(NOT_EXPLORED)
    }
}

/// How failures with the same cause are reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Once for each instruction that explains failures and each cause: the simplest of them, and how many there are.
    #[default]
    BySuspect,
    /// Once for each cause.
    ByCause,
    /// Each in full.
    None,
}

/// How much the text report says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only the summary.
    Quiet,
    /// Every failure and error, and the summary.
    #[default]
    Normal,
    /// Also a line for each finished case.
    Cases,
    /// Also each note next to its case, instead of once.
    Notes,
}
