//! The list of reports. A report renders events; it changes nothing.

use std::io::{self, Write};
use std::sync::Arc;

use crate::model::event::Event;
use crate::model::partition::Part;
use crate::text::shell::Words;

mod case_block;
pub mod comparison;

pub mod explanation;
pub mod github;
mod groups;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod markdown_escape;
pub mod tap;
pub mod text;
mod truncate;

pub use case_block::counts;

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
    /// What it is made from.
    pub needs: Needs,
    /// Makes one that writes there.
    pub new: fn(Box<dyn Write>, &Options) -> Box<dyn Report>,
}

/// What a report is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// What every run emits.
    Events,
    /// Also why cases do not pass: [`Event::Explained`] for the first of them.
    Explanations,
}

/// What the user wants of reports.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much the text report says.
    pub verbosity: Verbosity,
    /// The flags that a command for one of the cases needs besides its id.
    pub flags: Words,
    /// The paths and filters of the run as they are typed.
    pub selection: Words,
    /// Whether failures of the same cause are told once.
    pub grouping: Grouping,
    /// The part of a run that is reported; none for a whole run.
    pub part: Option<Arc<Part>>,
}

/// How failures of the same cause are told.
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
    /// Also each note where it belongs.
    Notes,
}

/// Every report; the first is the one that is made unless another one is asked for.
pub static REPORTS: &[ReportKind] = &[
    ReportKind {
        name: "text",
        doc: "for people: failures and errors in full, then a summary line",
        needs: Needs::Events,
        new: |out, options| Box::new(text::Text::new(out, options)),
    },
    ReportKind {
        name: "json",
        doc: "one JSON object a line: the run, each case, the summary",
        needs: Needs::Events,
        new: |out, options| Box::new(json::Json::new(out, options)),
    },
    ReportKind {
        name: "junit",
        doc: "JUnit XML, a suite for each file",
        needs: Needs::Events,
        new: |out, options| Box::new(junit::Junit::new(out, options)),
    },
    ReportKind {
        name: "tap",
        doc: "TAP version 14",
        needs: Needs::Events,
        new: |out, options| Box::new(tap::Tap::new(out, options)),
    },
    ReportKind {
        name: "github",
        doc: "annotations of GitHub Actions on the lines of vector files",
        needs: Needs::Events,
        new: |out, options| Box::new(github::GitHub::new(out, options)),
    },
    ReportKind {
        name: "markdown",
        doc: "a summary in Markdown",
        needs: Needs::Events,
        new: |out, options| Box::new(markdown::Markdown::new(out, options)),
    },
    ReportKind {
        name: "html",
        doc: "one page that needs no network: search, filters, and why each case fails",
        needs: Needs::Explanations,
        new: |out, options| Box::new(html::Html::new(out, options)),
    },
];

/// The report of this name.
pub fn by_name(name: &str) -> Option<&'static ReportKind> {
    REPORTS.iter().find(|report| report.name == name)
}
