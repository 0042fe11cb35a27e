//! The list of reports. A report renders events; it changes nothing.

pub mod audit;
mod case_block;
pub mod comparison;
mod compressed;
pub mod coverage;
mod executed;
pub mod explanation;
pub mod github;
mod groups;
pub mod html;
mod html_page;
pub mod json;
pub mod junit;
mod kind;
pub mod markdown;
mod markdown_escape;
pub mod matrix;
pub mod mutants;
mod not_run;
mod slow;
pub mod spool;
pub mod tap;
pub mod text;
mod truncate;
mod world;

pub use self::case_block::counts;
pub use self::groups::of_cause;
pub use self::kind::{Grouping, Needs, Options, Report, ReportKind, Verbosity};

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
