//! The list of reports. A report renders events; it changes nothing.

use std::io::{self, Write};
use std::sync::Arc;

use crate::event::Event;
use crate::partition::Part;

mod block;
mod cut;
pub mod explained;
pub mod json;
pub mod text;

/// Renders events.
pub trait Report {
    /// Renders the next event.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn event(&mut self, event: &Event) -> io::Result<()>;
}

/// A way to render events.
#[derive(Debug)]
pub struct ReportKind {
    /// Its name, as `--report` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Makes one that writes there.
    pub new: fn(Box<dyn Write>, &Options) -> Box<dyn Report>,
}

/// What the user wants of reports.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much the text report says.
    pub verbosity: Verbosity,
    /// The flags that a command for one of the cases needs besides its id, each with a space before it.
    pub flags: String,
    /// The part of a run that is reported; none for a whole run.
    pub part: Option<Arc<Part>>,
}

/// How much the text report says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// The summary alone.
    Quiet,
    /// Every failure and error, and the summary.
    #[default]
    Normal,
}

/// Every report.
pub static REPORTS: &[ReportKind] = &[
    ReportKind {
        name: "text",
        doc: "for people: failures and errors in full, then a summary line",
        new: |out, options| Box::new(text::Text::new(out, options)),
    },
    ReportKind {
        name: "json",
        doc: "one JSON object a line: the run, each case, the summary",
        new: |out, options| Box::new(json::Json::new(out, options)),
    },
];

/// The report of this name.
pub fn by_name(name: &str) -> Option<&'static ReportKind> {
    REPORTS.iter().find(|report| report.name == name)
}
