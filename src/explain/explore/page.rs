//! `vmconf explore --html`: a run as a single page that needs no network. It contains the states in
//! compressed form, and a script that steps through them.

mod places;
mod states;

use std::io::{self, BufWriter, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest, Sha256};

use self::states::{MAX_ROWS, PageStates};
use super::{Opened, OpenedAssertion};
use crate::explain::recording::{Moment, Recording, sections_of};
use crate::model::escape::escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const BODY: &str = include_str!("page.html");

/// The maximum number of steps in a page; of longer runs, the last ones before the failing assertion. There are fewer if
/// states are large.
pub const MAX_STEPS: u64 = 100_000;

/// The most failing assertions in a page, the first ones.
const MAX_FAILURES: usize = 1000;

/// How many steps a page has, however large their states are.
const MIN_STEPS: u64 = 100;

/// Which states of a run a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSpan {
    /// The number of the first one.
    pub first: u64,
    /// The number of the last one.
    pub last: u64,
    /// The number of the last one of the run.
    pub all: u64,
}

impl PageSpan {
    /// What the page does not have, in a sentence; `None` if it has the whole run.
    pub fn cut(&self) -> Option<String> {
        let PageSpan { first, last, all } = *self;
        (first > 0 || last < all).then(|| {
            format!(
                "the page has steps {first} to {last} of {all}; in a terminal, vmconf explore has all of them"
            )
        })
    }
}

/// Writes a page, and returns which states it has.
///
/// # Errors
///
/// When writing fails.
pub fn write(opened: Opened, source: &[String], out: &mut dyn Write) -> io::Result<PageSpan> {
    let title = escaped(&format!("{} {}", opened.machine, opened.id)).into_owned();
    let (span, data) = compressed(opened, source)?;
    let policy = format!("default-src 'none'; style-src {}; script-src {}", hash(STYLE), hash(SCRIPT));
    let title = html(&title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1></header>"
    )?;
    write!(out, "{BODY}")?;
    // Base64 has only letters, digits, +, / and =, so nothing from a vector can end the element.
    writeln!(out, "<script type=\"application/octet-stream\" id=\"data\">{data}</script>")?;
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")?;
    Ok(span)
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The data of a page, compressed: `first` is the number of the first state, `states` has each state as its difference
/// from the previous one, see [`PageStates`]; they refer to `lines`, `codes` and `writes` by index.
fn compressed(opened: Opened, source: &[String]) -> io::Result<(PageSpan, String)> {
    let Opened { mut recording, assertions, .. } = opened;
    let ends = assertions.iter().take(MAX_FAILURES).map(|it| recording.end_of_case_step(it.case_step));
    let ends: Vec<_> = ends.collect();
    let first_end = ends.first().map_or(u64::MAX, |end| end.step());
    // All failing assertions, if there is room for the whole run up to them.
    let last_end = ends.iter().map(|end| end.step()).max().filter(|end| *end <= MAX_STEPS);
    let last = first_end.saturating_add(MAX_STEPS / 10).max(last_end.unwrap_or(0)).min(recording.steps());
    let (span, mut states) = last_states(&mut recording, last);
    let failure = |(assertion, end): (&OpenedAssertion, Moment)| {
        let machine = recording.go_to(end);
        let rows = sections_of(machine.inspect()).into_iter().flat_map(|section| section.rows);
        let rows: Vec<_> = rows.collect();
        let asserted = assertion.row(machine.inspect(), rows.iter().map(|shown| (&shown.row, &shown.datum)));
        let datum = asserted.map(|index| states.datum(&rows[index]));
        let OpenedAssertion { text, line, cause, at, .. } = assertion;
        let at = at.to_string();
        let at = escaped(&at);
        json!({ "at": at,  "step": end.step(), "text": text, "line": line, "datum": datum, "cause": cause })
    };
    let failures: Vec<_> = assertions.iter().zip(ends).map(failure).collect();
    drop(recording);
    // Each write to the encoder is slow, however short.
    let mut out = BufWriter::new(GzEncoder::new(Vec::new(), Compression::default()));
    write!(out, "{{\"first\":{},\"all\":{},\"cut\":{},", span.first, span.all, json!(span.cut()))?;
    states.write(&mut out)?;
    write!(out, ",\"failures\":{},\"source\":{}}}", json!(failures), json!(source))?;
    Ok((span, BASE64_STANDARD.encode(out.into_inner()?.finish()?)))
}

/// The states up to this one, as many as a page can have.
fn last_states(recording: &mut Recording, last: u64) -> (PageSpan, PageStates) {
    // States often grow, and a run ends in its largest one.
    let rows = recording.machine().sections().iter().map(|section| section.rows.len()).sum::<usize>();
    let mut count = MAX_STEPS.min((MAX_ROWS / rows.max(1)) as u64);
    loop {
        let first = last.saturating_sub(count.max(MIN_STEPS));
        let least = if count <= MIN_STEPS { u64::MAX } else { 0 };
        let mut states = PageStates::new(first, least);
        recording.watch(first.saturating_sub(1)..last, &mut states);
        if states.is_within_limits() {
            states.finish(recording.go_to(recording.moment(last)));
        }
        if states.is_within_limits() {
            return (PageSpan { first, last, all: recording.steps() }, states);
        }
        // Later states may be larger than those that fit.
        count = states.count() / 2;
    }
}
