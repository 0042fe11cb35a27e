//! The interface of reports, and the user's options for them.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::model::event::Event;
use crate::model::partition::Part;
use crate::model::renderer::Renderer;
use crate::text::shell::Words;

/// Renders events.
pub trait Report {
    /// Renders the next event.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// Which events it needs.
    fn needs(&self) -> Needs {
        Needs::Events
    }
}

/// A kind of report; `new` makes one that writes to the given writer.
pub type ReportKind = Renderer<fn(Box<dyn Write>, &Options) -> Box<dyn Report>>;

/// Which events a report needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// What every run emits.
    Events,
    /// Also [`Event::Explained`] for the first cases that do not pass.
    Explanations,
}

/// The user's options for reports.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much the text report says.
    pub verbosity: Verbosity,
    /// The flags that a printed command for a case needs in addition to the case id.
    pub flags: Words,
    /// The paths and filters of the run, as typed.
    pub selection: Words,
    /// How failures with the same cause are reported.
    pub grouping: Grouping,
    /// When the run began, or its parts were merged, in RFC 3339 format; `None` to omit it.
    pub when: Option<String>,
    /// The time from which on a case is listed as slow; `None` to list none.
    pub slow: Option<Duration>,
    /// The path from the root of the checkout, which annotations refer to, to the folder that the names of files
    /// are relative to; empty if they are the same.
    pub below_checkout: String,
    /// The part of a run that is reported; `None` for a whole run.
    pub part: Option<Arc<Part>>,
}

/// How failures with the same cause are reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Once: the shortest of them, and how many there are.
    #[default]
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
