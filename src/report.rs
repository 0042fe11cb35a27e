//! The list of reports. A report renders events; it changes nothing.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::model::event::Event;
use crate::model::partition::Part;
use crate::model::renderer::Renderer;
use crate::text::shell::Words;

pub mod audit;
mod case_block;
pub mod comparison;
pub mod coverage;

pub mod explanation;
pub mod github;
mod groups;
pub mod html;
mod html_page;
pub mod json;
pub mod junit;
pub mod markdown;
mod markdown_escape;
pub mod matrix;
pub mod mutants;
mod slow;
pub mod spool;
pub mod tap;
pub mod text;
mod truncate;
mod world;

pub use case_block::counts;
pub use groups::of_cause;

/// Renders events.
pub trait Report {
    /// Renders the next event.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
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

/// What the user chose for reports.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much the text report says.
    pub verbosity: Verbosity,
    /// The flags that a printed command for a case needs in addition to the case id.
    pub flags: Words,
    /// The paths and filters of the run, as typed.
    pub selection: Words,
    /// How failures of the same cause are reported.
    pub grouping: Grouping,
    /// When the run began, or its parts were merged, in RFC 3339 format; `None` to omit it.
    pub when: Option<String>,
    /// The time from which on a case is listed as slow; `None` to list none.
    pub slow: Option<Duration>,
    /// The part of a run that is reported; `None` for a whole run.
    pub part: Option<Arc<Part>>,
}

/// How failures of the same cause are reported.
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
    /// The summary alone.
    Quiet,
    /// Every failure and error, and the summary.
    #[default]
    Normal,
    /// Also a line for each case when it is done.
    Cases,
    /// Also each note where it belongs, instead of once.
    Notes,
}

/// Every report; the first is the default.
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
    ReportKind {
        name: "junit",
        doc: "JUnit XML, a suite for each file",
        new: |out, options| Box::new(junit::Junit::new(out, options)),
    },
    ReportKind {
        name: "tap",
        doc: "TAP version 14",
        new: |out, options| Box::new(tap::Tap::new(out, options)),
    },
    ReportKind {
        name: "github",
        doc: "annotations of GitHub Actions on the lines of vector files",
        new: |out, options| Box::new(github::GitHub::new(out, options)),
    },
    ReportKind {
        name: "markdown",
        doc: "a summary in Markdown",
        new: |out, options| Box::new(markdown::Markdown::new(out, options)),
    },
    ReportKind {
        name: "html",
        doc: "one page that needs no network: search, filters, and why each case fails",
        new: |out, options| Box::new(html::Html::new(out, options)),
    },
];
