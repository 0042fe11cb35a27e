//! `vmconf explore --html`: a run as a single page that needs no network. It contains the states in
//! compressed form, and a script that steps through them.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::{IndexMap, IndexSet};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::{Opened, OpenedAssertion};
use crate::explain::recording::Recording;
use crate::machines::inspect::InspectSource;
use crate::machines::machine::Machine;
use crate::machines::view::{CodeLine, Section, ViewDatum, ViewRow, ViewScope};
use crate::model::escape::escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const BODY: &str = include_str!("page.html");

/// The maximum number of steps in a page; of longer runs, the last ones before the failing assertion. There are fewer if
/// states are large.
pub const MAX_STEPS: u64 = 100_000;

/// The maximum number of rows of all states in a page; formatting one takes about a microsecond.
const MAX_ROWS: usize = 4_000_000;

/// The maximum size of the different rows and instructions in a page, in bytes.
const MAX_BYTES: usize = 1 << 26;

/// About how many bytes an instruction of the code takes.
const BYTES_OF_INSTRUCTION: usize = 256;

/// How many steps a page has, however large their states are.
const MIN_STEPS: u64 = 100;

/// Every `BLOCK`-th state is written in full, so that each state can be rebuilt quickly.
const BLOCK: usize = 500;

/// Writes a page.
///
/// # Errors
///
/// When writing fails.
pub fn write(opened: Opened, source: &[String], out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&format!("{} {}", opened.machine, opened.id)).into_owned();
    let data = compressed(opened, source)?;
    let policy = format!("default-src 'none'; style-src {}; script-src {}", hash(STYLE), hash(SCRIPT));
    let title = html(&title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
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

/// The data of a page, compressed: `first` is the number of the first state, `states` has each state as its difference
/// from the previous one, see [`PageStates::add`]; they refer to `lines` and `codes` by index.
fn compressed(opened: Opened, source: &[String]) -> io::Result<String> {
    let Opened { mut recording, assertion, .. } = opened;
    let end = recording.end_of_case_step(assertion.as_ref().map_or(usize::MAX, |it| it.case_step));
    let last = recording.steps().min(end.step().saturating_add(MAX_STEPS / 10));
    let (first, mut states) = last_states(&mut recording, last);
    let failure = assertion.map(|assertion| {
        let machine = recording.go_to(end);
        let datum = asserted(&assertion, machine).map(|row| states.line(&row));
        json!({ "step": end.step(), "text": assertion.text, "line": datum })
    });
    let steps = recording.steps();
    drop(recording);
    // Each write to the encoder is slow, however short.
    let mut out = BufWriter::new(GzEncoder::new(Vec::new(), Compression::default()));
    write!(out, "{{\"first\":{first},\"all\":{steps},\"states\":[{}],\"lines\":[", states.found)?;
    for (index, line) in states.lines.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}{}", Json::from(line.as_str()))?;
    }
    let codes: Vec<_> = states.codes.values().collect();
    write!(
        out,
        "],\"codes\":{},\"failure\":{},\"source\":{}}}",
        json!(codes),
        json!(failure),
        json!(source)
    )?;
    Ok(BASE64_STANDARD.encode(out.into_inner()?.finish()?))
}

/// The states up to this one, as many as a page can have, and the number of the first one.
fn last_states(recording: &mut Recording, last: u64) -> (u64, PageStates) {
    // States often grow, and a run ends in its largest one.
    let rows = recording.machine().sections().iter().map(|section| section.rows.len()).sum::<usize>();
    let mut count = MAX_STEPS.min((MAX_ROWS / rows.max(1)) as u64);
    loop {
        let first = last.saturating_sub(count.max(MIN_STEPS));
        let mut states = PageStates::default();
        let fit = (first..=last).take_while(|step| {
            states.add(recording.go_to(recording.moment(*step)));
            states.is_within_limits() || count <= MIN_STEPS
        });
        let fit = fit.count() as u64;
        if fit > last - first {
            return (first, states);
        }
        // Later states may be larger than those that fit.
        count = fit / 2;
    }
}

/// The innermost row that contains the datum of an assertion.
fn asserted(assertion: &OpenedAssertion, machine: &dyn Machine) -> Option<ViewRow> {
    let is_asserted = |row: &ViewRow| match &row.datum {
        Some(ViewDatum::At(path)) => assertion.at.starts_with(path),
        Some(ViewDatum::In(cell)) => machine.cells(&assertion.at).iter().any(|its| its.touches(cell)),
        None => false,
    };
    machine.sections().into_iter().flat_map(|section| section.rows).rfind(is_asserted)
}

/// The states of a run; each line and each code unit is stored once.
#[derive(Default)]
struct PageStates {
    lines: IndexSet<String>,
    codes: IndexMap<usize, Json>,
    /// The states as JSON, with commas between.
    found: String,
    count: usize,
    /// The sections of the last state: their titles and lines.
    sections: Vec<(usize, Vec<usize>)>,
    /// How many rows there are in all states.
    rows: usize,
    /// The size of all different lines, in bytes.
    bytes: usize,
}

impl PageStates {
    fn is_within_limits(&self) -> bool {
        self.rows <= MAX_ROWS && self.bytes + self.found.len() <= MAX_BYTES
    }

    /// Adds a state: the index of its code, the program counter, the source line, the number of frames, how
    /// the run ended, and the sections that differ. Each of these has its index, how many lines at its start
    /// and at its end are unchanged, and the lines between. If the state has different sections, and for
    /// every [`BLOCK`]-th state, `null` and all sections are written instead.
    fn add(&mut self, machine: &dyn Machine) {
        let next = machine.next().map(|at| at.pc);
        let unit = machine.unit();
        let code = self.codes.get_index_of(&unit).unwrap_or_else(|| {
            let listing = machine.listing();
            self.bytes += listing.len() * BYTES_OF_INSTRUCTION;
            self.codes.insert_full(unit, code(machine.function(), listing)).0
        });
        let sections: Vec<(usize, Vec<usize>)> =
            machine.sections().iter().map(|section| self.section(section)).collect();
        let is_alike = sections.len() == self.sections.len()
            && sections.iter().zip(&self.sections).all(|(one, other)| one.0 == other.0);
        let changes = if is_alike && !self.count.is_multiple_of(BLOCK) {
            let pairs = self.sections.iter().zip(&sections).enumerate();
            pairs.filter_map(|(index, (before, after))| splice(index, &before.1, &after.1)).collect()
        } else {
            vec![Json::Null, json!(sections)]
        };
        let ended = next.is_none().then(|| escaped(&machine.describe()).into_owned());
        self.sections = sections;
        let comma = if self.count > 0 { "," } else { "" };
        let state = json!([
            code,
            next,
            machine.source().and_then(InspectSource::line),
            machine.depth(),
            ended,
            changes
        ]);
        // Writing to a string succeeds.
        let _ = write!(self.found, "{comma}{state}");
        self.count += 1;
    }

    fn section(&mut self, section: &Section) -> (usize, Vec<usize>) {
        self.rows += section.rows.len() + 1;
        let title = self.text(&json!([escaped(&section.title)]));
        let mut lines: Vec<_> = section.rows.iter().map(|row| self.line(row)).collect();
        if section.left_out > 0 {
            lines.push(self.text(&json!([0, "…", format!("{} more", section.left_out)])));
        }
        (title, lines)
    }

    /// The index of a row, which is stored as its depth, its name, its value, and 1 if it is out of scope.
    fn line(&mut self, row: &ViewRow) -> usize {
        let ViewRow { depth, name, value, scope, datum: _ } = row;
        self.text(&match scope {
            ViewScope::In => json!([depth, escaped(name), escaped(value)]),
            ViewScope::Out => json!([depth, escaped(name), escaped(value), 1]),
        })
    }

    fn text(&mut self, line: &Json) -> usize {
        let line = line.to_string();
        let length = line.len();
        let (index, is_new) = self.lines.insert_full(line);
        if is_new {
            self.bytes += length;
        }
        index
    }
}

/// The part of a section that differs.
fn splice(index: usize, before: &[usize], after: &[usize]) -> Option<Json> {
    if before == after {
        return None;
    }
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    Some(json!([index, start, end, after[..after.len() - end]]))
}

/// For each instruction: its program counter, how the counter is displayed, its text and its source line.
fn code(function: Option<String>, listing: Vec<CodeLine>) -> Json {
    let line = |line: CodeLine| json!([line.pc, line.label, escaped(&line.text), line.line]);
    let lines: Vec<_> = listing.into_iter().map(line).collect();
    json!({ "name": function.map(|name| escaped(&name).into_owned()), "lines": lines })
}
