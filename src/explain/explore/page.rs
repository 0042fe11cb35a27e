//! `vmconf explore --html`: a run as a single page that needs no network. It contains the states in
//! compressed form, and a script that steps through them.

mod places;
mod states;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest, Sha256};

use self::states::{MAX_ROWS, PageStates};
use super::beside::PairedExplorer;
use super::{Demands, Explorer, Opened, OpenedAssertion, id_text};
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
    let Opened { id, machine, recording, assertions, demands } = opened;
    let title = format!("{machine} {id}");
    let run = PageRun { id: id.to_string(), recording, assertions, demands, last: None };
    let mut packed = packing();
    let span = run.write(source, &mut packed)?;
    put(&title, &base64(packed)?, out)?;
    Ok(span)
}

/// How many states of two runs are compared in a page, from the first one that differs on.
const MAX_COMPARED: u64 = 1_000;

/// Writes a page of two runs beside each other, and returns what it does not have.
///
/// # Errors
///
/// When writing fails.
pub fn write_pair(
    mut pair: PairedExplorer,
    source: &[String],
    out: &mut dyn Write,
) -> io::Result<Option<String>> {
    let start = pair.first().unwrap_or_else(|| pair.step());
    let end = pair.sides().iter().map(|side| side.explorer.recording.steps()).max().unwrap_or(0);
    let compared = start.saturating_add(MAX_COMPARED).min(end);
    let mut differs = Vec::new();
    for step in pair.first().map_or(start..start, |first| first..compared + 1) {
        pair.go_to_step(step);
        let ids = pair.differing().map(|ids| ids.iter().map(id_text).collect::<Vec<_>>());
        differs.push(json!([step, pair.difference_lines(), ids[0], ids[1]]));
    }
    let names = pair.sides().each_ref().map(|side| escaped(&side.name).into_owned());
    let first = pair.first();
    let title = format!("{}: {} beside {}", pair.sides()[1].explorer.title, names[0], names[1]);
    let mut packed = packing();
    write!(packed, "{{\"names\":{},\"start\":{start},\"difference\":{},", json!(names), json!(first))?;
    write!(packed, "\"compared\":{compared},\"differs\":{},\"runs\":[", json!(differs))?;
    let mut cuts = Vec::new();
    for (index, (side, name)) in pair.into_sides().into_iter().zip(names).enumerate() {
        if index > 0 {
            write!(packed, ",")?;
        }
        let Explorer { id, recording, assertions, demands, .. } = side.explorer;
        let run = PageRun { id, recording, assertions, demands, last: first.map(|_| compared) };
        cuts.extend(run.write(source, &mut packed)?.cut().map(|cut| format!("{name}: {cut}")));
    }
    write!(packed, "]}}")?;
    put(&title, &base64(packed)?, out)?;
    Ok((!cuts.is_empty()).then(|| cuts.join("; ")))
}

type Packing = BufWriter<GzEncoder<Vec<u8>>>;

/// Where the data of a page are written to. Each write to the encoder is slow, however short.
fn packing() -> Packing {
    BufWriter::new(GzEncoder::new(Vec::new(), Compression::default()))
}

fn base64(packed: Packing) -> io::Result<String> {
    Ok(BASE64_STANDARD.encode(packed.into_inner()?.finish()?))
}

/// Writes a page with these data.
fn put(title: &str, data: &str, out: &mut dyn Write) -> io::Result<()> {
    let policy = format!("default-src 'none'; style-src {}; script-src {}", hash(STYLE), hash(SCRIPT));
    let title = html(&escaped(title));
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
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A run of which a page has the states.
struct PageRun {
    id: String,
    recording: Recording,
    assertions: Vec<OpenedAssertion>,
    demands: Demands,
    /// The number of its last state in the page; without one, the failing assertions decide.
    last: Option<u64>,
}

impl PageRun {
    /// Writes the data of a run: `first` is the number of the first state, `states` has each state as its difference
    /// from the previous one, see [`PageStates`]; they refer to `lines`, `codes` and `writes` by index.
    fn write(self, source: &[String], out: &mut Packing) -> io::Result<PageSpan> {
        let PageRun { id, mut recording, assertions, demands, last } = self;
        let ends = assertions.iter().take(MAX_FAILURES).map(|it| recording.end_of_case_step(it.case_step));
        let ends: Vec<_> = ends.collect();
        let last = last.unwrap_or_else(|| last_of(&ends)).min(recording.steps());
        let (span, mut states) = last_states(&mut recording, last);
        let failure = |(assertion, end): (&OpenedAssertion, Moment)| {
            let machine = recording.go_to(end);
            let rows = sections_of(machine.inspect()).into_iter().flat_map(|section| section.rows);
            let rows: Vec<_> = rows.collect();
            let asserted =
                assertion.row(machine.inspect(), rows.iter().map(|shown| (&shown.row, &shown.datum)));
            let datum = asserted.map(|index| states.datum(&rows[index].datum.id));
            let OpenedAssertion { text, line, cause, at, .. } = assertion;
            let at = at.to_string();
            let at = escaped(&at);
            json!({ "at": at,  "step": end.step(), "text": text, "line": line, "datum": datum, "cause": cause })
        };
        let failures: Vec<_> = assertions.iter().zip(ends).map(failure).collect();
        drop(recording);
        let demands = demands.states().iter().filter(|state| state.step >= span.first).map(|state| {
            let of = state.of.iter().map(|(id, text)| (states.datum(id), escaped(text)));
            json!([state.step, of.collect::<BTreeMap<_, _>>()])
        });
        let demands: Vec<_> = demands.collect();
        write!(out, "{{\"id\":{},\"demands\":{},", json!(id), json!(demands))?;
        write!(out, "\"first\":{},\"all\":{},\"cut\":{},", span.first, span.all, json!(span.cut()))?;
        states.write(out)?;
        write!(out, ",\"failures\":{},\"source\":{}}}", json!(failures), json!(source))?;
        Ok(span)
    }
}

/// The last state of a page with failing assertions in these states.
fn last_of(ends: &[Moment]) -> u64 {
    let first_end = ends.first().map_or(u64::MAX, |end| end.step());
    // All failing assertions, if there is room for the whole run up to them.
    let last_end = ends.iter().map(|end| end.step()).max().filter(|end| *end <= MAX_STEPS);
    first_end.saturating_add(MAX_STEPS / 10).max(last_end.unwrap_or(0))
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
        states.add_vector_writes(recording.vector_writes());
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
