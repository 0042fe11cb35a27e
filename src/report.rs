//! The list of reports. A report renders events; it changes nothing.

mod annotation;
pub mod audit;
mod case_block;
pub mod comparison;
mod compressed;
pub mod conformance;
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
mod ran_suites;
pub mod sarif;
pub mod site;
mod slow;
pub mod spool;
mod state_table;
pub mod statement;
mod style;
pub mod suspects;
pub mod tap;
pub mod text;
pub mod truncate;
mod world;

pub use self::case_block::counts;
pub use self::groups::of_cause;
pub use self::kind::{
    FileEnds, Grouping, NOT_EXPLORED, Needs, NewReport, Report, ReportKind, ReportOptions, Verbosity,
};

use crate::text::sarif::OPENING;

/// Every report; the first is the default.
pub static REPORTS: &[ReportKind] = &[
    ReportKind {
        name: "text",
        doc: "for people: failures and errors in full, then a summary line",
        new: NewReport {
            make: |out, options| Box::new(text::TextReport::new(out, options)),
            wrote: |ends| is_summary(&ends.last_line),
        },
    },
    ReportKind {
        name: "json",
        doc: "one JSON object a line: the run, each case, the summary",
        new: NewReport {
            make: |out, options| Box::new(json::Json::new(out, options)),
            wrote: |ends| ends.start.starts_with("{\"type\":\"run\""),
        },
    },
    ReportKind {
        name: "junit",
        doc: "JUnit XML, a suite for each file",
        new: NewReport {
            make: |out, options| Box::new(junit::Junit::new(out, options)),
            wrote: |ends| ends.start.contains("<testsuites name=\"vmconf\""),
        },
    },
    ReportKind {
        name: "tap",
        doc: "TAP version 14",
        new: NewReport {
            make: |out, options| Box::new(tap::Tap::new(out, options)),
            wrote: |ends| ends.start.starts_with("TAP version 14"),
        },
    },
    ReportKind {
        name: "github",
        doc: "annotations of GitHub Actions on the lines of vector files",
        new: NewReport {
            make: |out, options| Box::new(github::GitHub::new(out, options)),
            wrote: |ends| is_annotation(&ends.last_line),
        },
    },
    ReportKind {
        name: "markdown",
        doc: "a summary in Markdown",
        new: NewReport {
            make: |out, options| Box::new(markdown::Markdown::new(out, options)),
            wrote: is_markdown,
        },
    },
    ReportKind {
        name: "html",
        doc: "one page that needs no network: search, filters, and why each case fails",
        new: NewReport {
            make: |out, options| Box::new(html::Html::new(out, options)),
            wrote: |ends| ends.start.contains("<title>vmconf"),
        },
    },
    ReportKind {
        name: "sarif",
        doc: "failures for code scanning, as SARIF 2.1.0: a rule for each cause",
        new: NewReport {
            make: |out, options| Box::new(sarif::Sarif::new(out, options)),
            wrote: |ends| ends.start.starts_with(OPENING),
        },
    },
];

/// The summary of a step of GitHub Actions, which may be longer than the report in Markdown.
pub static STEP_SUMMARY: ReportKind = ReportKind {
    name: "markdown",
    doc: "the summary of a step of GitHub Actions",
    new: NewReport {
        make: |out, options| Box::new(markdown::Markdown::of_step(out, options)),
        wrote: is_markdown,
    },
};

fn is_markdown(ends: &FileEnds) -> bool {
    ends.start.starts_with("## vmconf: ")
}

/// Whether a line is the summary at the end of a text report, as `2 passed (1 of them from the cache), 0 failed, `.
fn is_summary(line: &str) -> bool {
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    let Some((passed, rest)) = line.split_once(" passed") else { return false };
    let is_after = |cached: &str| {
        let number = cached.strip_prefix(" (").and_then(|it| it.strip_suffix(" of them from the cache)"));
        cached.is_empty() || number.is_some_and(is_number)
    };
    is_number(passed)
        && rest.contains(" failed, ")
        && rest.split_once(", ").is_some_and(|(cached, _)| is_after(cached))
}

/// Whether a line is the last one of the annotations for GitHub.
fn is_annotation(line: &str) -> bool {
    line.starts_with("::notice title=vmconf::")
}
