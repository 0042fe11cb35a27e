//! `vmconf explore --html`: a run as a single page that needs no network. It contains the states in
//! compressed form, and a script that steps through them.

mod codes;
mod pair;
mod places;
mod spans;
mod states;
mod steps;

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value as Json, json};

use self::pair::PairDifferences;
use self::spans::{PageFailure, spans};
use self::states::{MAX_ROWS, PageStates};
use self::steps::{PageSteps, packed_column};
use super::beside::PairedExplorer;
use super::{Demands, Explorer, OpenedAssertion, OpenedCase};
use crate::explain::recording::{Recording, sections_of};
use crate::machines::inspect::lists_executions;
use crate::model::escaped;
use crate::text::html_head::HtmlHead;
use crate::text::shell::ShellWords;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const BODY: &str = include_str!("page.html");

/// The maximum number of steps in a page; of longer runs, the last ones up to the failing assertion.
const MAX_STEPS: u64 = 10_000_000;

/// The maximum number of states in a page. There are fewer if they are large.
const MAX_STATES: u64 = 100_000;

/// How many states a page has, however large they are.
const MIN_STATES: u64 = 100;

/// About how many bytes a page takes at most, besides its script.
const MAX_PAGE: usize = 5_000_000;

/// The most failing assertions in a page, the first ones.
const MAX_FAILURES: usize = 1000;

/// What of a run a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCut {
    /// The number of the first state.
    first: u64,
    /// The number of the last one.
    last: u64,
    /// How many of these states it has with their values.
    states: u64,
    /// The number of the last state of the run.
    all: u64,
}

impl PageCut {
    /// What the page does not have, in a sentence; `None` if it has the whole run.
    pub fn text(&self) -> Option<String> {
        let PageCut { first, last, states, all } = *self;
        let steps = last - first + 1;
        let is_short = first > 0 || last < all;
        let place =
            if is_short { format!("steps {first} to {last} of {all}") } else { format!("all {all} steps") };
        let values =
            if states < steps { format!(", with the values of {states} states") } else { String::new() };
        let rest = "in a terminal, vmconf explore has all of them";
        (is_short || states < steps).then(|| format!("the page has {place}{values}; {rest}"))
    }
}

/// Writes a page, and returns what of the run it has. `command` is what follows the name of the command that opens the
/// run in a terminal.
pub fn write(
    opened: OpenedCase,
    source: &[String],
    command: &ShellWords,
    out: &mut dyn Write,
) -> io::Result<PageCut> {
    let OpenedCase { id, machine, recording, assertions, demands } = opened;
    let title = format!("{machine} {id}");
    let command = command_line(command);
    let run = PageRun { id: id.to_string(), command, recording, assertions, demands };
    let PackedRun { data, cut } = run.packed(source, MAX_BYTES)?;
    put(&title, &[data], out)?;
    Ok(cut)
}

/// The most bytes of data that make a page of [`MAX_PAGE`]: four letters are three bytes.
const MAX_BYTES: usize = MAX_PAGE / 4 * 3;

/// The command that opens a run in a terminal, without the step.
fn command_line(words: &ShellWords) -> String {
    format!("vmconf explore{words}")
}

/// Writes a page of two runs beside each other, and returns what it does not have.
pub fn write_pair(
    mut pair: PairedExplorer,
    source: &[String],
    out: &mut dyn Write,
) -> io::Result<Option<String>> {
    let first = pair.first();
    let start = first.unwrap_or_else(|| pair.step());
    let last = pair.sides().iter().map(|side| side.explorer.recording.steps()).max().unwrap_or(0);
    let differences = PairDifferences::of(&mut pair);
    let names = pair.sides().each_ref().map(|side| escaped(&side.name).into_owned());
    let title = format!("{}: {} beside {}", pair.sides()[1].explorer.title, names[0], names[1]);
    let mut members = vec![("names", json!(names)), ("start", json!(start)), ("difference", json!(first))];
    members.extend(differences.json());
    let mut data = vec![packed(&format!("{{{}}}", joined(&members)), &[])?];
    let mut cuts: Vec<_> = differences.cut(last).into_iter().collect();
    for (side, name) in pair.sides.into_iter().zip(names) {
        let Explorer { id, command, recording, assertions, demands, .. } = side.explorer;
        let run = PageRun { id, command: command_line(&command), recording, assertions, demands };
        let PackedRun { data: packed, cut } = run.packed(source, MAX_BYTES / 2)?;
        cuts.extend(cut.text().map(|cut| format!("{name}: {cut}")));
        data.push(packed);
    }
    put(&title, &data, out)?;
    Ok((!cuts.is_empty()).then(|| cuts.join("; ")))
}

/// Members of a JSON object, with commas between.
fn joined(members: &[(&str, Json)]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    members.join(",")
}

/// Packs data: the length of their text in four bytes, the text, and columns.
fn packed(text: &str, columns: &[&[u8]]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    // Each write to the encoder is slow, however short.
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&length.to_le_bytes())?;
    packed.write_all(text.as_bytes())?;
    columns.iter().try_for_each(|column| packed.write_all(column))?;
    packed.finish()
}

/// Writes a page with these data.
fn put(title: &str, data: &[Vec<u8>], out: &mut dyn Write) -> io::Result<()> {
    let title = html(&escaped(title));
    let head = HtmlHead { title: &title, meta: "", style: STYLE, script: Some(SCRIPT) };
    writeln!(out, "{}<body>\n<header><h1>{title}</h1></header>", head.html())?;
    write!(out, "{BODY}")?;
    // Base64 has only letters, digits, +, / and =, so nothing from a vector can end the element.
    let data: Vec<_> = data.iter().map(|data| BASE64_STANDARD.encode(data)).collect();
    writeln!(out, "<script type=\"application/octet-stream\" id=\"data\">{}</script>", data.join(","))?;
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A run of which a page has the steps.
struct PageRun {
    id: String,
    /// The command that opens it in a terminal.
    command: String,
    recording: Recording,
    assertions: Vec<OpenedAssertion>,
    demands: Demands,
}

/// The data of a run in a page, and what they leave out.
struct PackedRun {
    data: Vec<u8>,
    cut: PageCut,
}

/// The lengths of the parts of a run that a page has.
#[derive(Clone, Copy)]
struct PageRoom {
    /// How many steps.
    steps: u64,
    /// How many of their states.
    states: u64,
}

impl PageRun {
    /// The data of a run, in at most about this number of bytes.
    fn packed(mut self, source: &[String], most: usize) -> io::Result<PackedRun> {
        let failures = self.failures();
        let last = self.last(&failures);
        let mut room = PageRoom { steps: self.most_steps(), states: u64::MAX };
        loop {
            let steps = record_steps(&mut self.recording, last, room.steps);
            room.steps = steps.count();
            room.states = room.states.min(self.most_states());
            loop {
                let states = self.states(&steps, &failures, &mut room);
                let packed = self.pack(&steps, states, &failures, source)?;
                if packed.data.len() <= most || room.states <= MIN_STATES && room.steps <= MIN_STATES {
                    return Ok(packed);
                }
                if room.states <= MIN_STATES {
                    break;
                }
                room.states = (packed.cut.states.min(room.states) / 2).max(MIN_STATES);
            }
            room.steps /= 2;
        }
    }

    /// Where assertions fail.
    fn failures(&mut self) -> Vec<PageFailure> {
        let recording = &mut self.recording;
        let failures = self.assertions.iter().take(MAX_FAILURES).map(|assertion| {
            let end = recording.end_of_case_step(assertion.case_step);
            let machine = recording.go_to(end);
            let rows = sections_of(machine.inspect()).into_iter().flat_map(|section| section.rows);
            let mut rows: Vec<_> = rows.collect();
            let row = assertion.row(machine.inspect(), rows.iter().map(|shown| (&shown.row, &shown.datum)));
            PageFailure { end, datum: row.map(|index| rows.swap_remove(index).datum) }
        });
        failures.collect()
    }

    /// The last state of a page: that of the run, unless it is too far from the first failing assertion.
    fn last(&self, failures: &[PageFailure]) -> u64 {
        let (last, most) = (self.recording.steps(), self.most_steps());
        let end = failures.first().map_or(last, |failure| failure.end.step());
        if last <= most { last } else { end.saturating_add(most / 10).min(last) }
    }

    fn most_steps(&self) -> u64 {
        // Of a run that another machine made, the code is as long as the run.
        if lists_executions(self.recording.machine().inspect()) { MAX_STATES } else { MAX_STEPS }
    }

    fn most_states(&self) -> u64 {
        // States often grow, and a run ends in its largest one.
        let rows =
            self.recording.machine().sections().iter().map(|section| section.rows.len()).sum::<usize>();
        MAX_STATES.min((MAX_ROWS / rows.max(1)) as u64).max(MIN_STATES)
    }

    /// As many states as there is room for.
    fn states(&mut self, steps: &PageSteps, failures: &[PageFailure], room: &mut PageRoom) -> PageStates {
        loop {
            let least = if room.states <= MIN_STATES { u64::MAX } else { 0 };
            let mut states = PageStates::new(least);
            for span in spans(steps, failures, room.states) {
                states.add_span(&mut self.recording, &span);
            }
            if states.is_within_limits() {
                return states;
            }
            room.states = (states.count() / 2).max(MIN_STATES);
        }
    }

    /// The data as text, and after it the columns of the steps.
    fn pack(
        &self,
        steps: &PageSteps,
        mut states: PageStates,
        failures: &[PageFailure],
        source: &[String],
    ) -> io::Result<PackedRun> {
        let cut = PageCut {
            first: steps.first(),
            last: steps.last(),
            states: states.count(),
            all: self.recording.steps(),
        };
        let shown = self.assertions.iter().zip(failures);
        let shown = shown.map(|(OpenedAssertion { text, line, cause, at, .. }, PageFailure { end, datum })| {
            let datum = datum.as_ref().map(|datum| states.datum(&datum.id));
            let at = escaped(&at.to_string()).into_owned();
            json!({ "at": at, "step": end.step(), "text": text, "line": line, "datum": datum, "cause": cause })
        });
        let shown: Vec<_> = shown.collect();
        let demands = self.demands.states().iter().filter(|state| state.step >= cut.first).map(|state| {
            let of = state.of.iter().map(|(id, text)| (states.datum(id), escaped(text)));
            json!([state.step, of.collect::<BTreeMap<_, _>>()])
        });
        let demands: Vec<_> = demands.collect();
        let (of_states, wrote) = states.json(steps);
        let [position, depth] = steps.columns();
        let columns = [position, depth, &wrote].map(packed_column);
        let widths = columns.each_ref().map(|(width, _)| width);
        let mut members = vec![
            ("id", json!(self.id)),
            ("command", json!(self.command)),
            ("all", json!(cut.all)),
            ("cut", json!(cut.text())),
            ("failures", json!(shown)),
            ("demands", json!(demands)),
            ("source", json!(source)),
            ("widths", json!(widths)),
        ];
        members.extend(steps.json());
        members.extend(of_states);
        let text = format!("{{{},\"states\":[{}]}}", joined(&members), states.states());
        let [(_, position), (_, depth), (_, wrote)] = &columns;
        Ok(PackedRun { data: packed(&text, &[position, depth, wrote])?, cut })
    }
}

/// The steps up to a state, as many as fit a page, up to this number.
fn record_steps(recording: &mut Recording, last: u64, most: u64) -> PageSteps {
    let mut count = most;
    loop {
        let first = last.saturating_sub(count);
        let mut steps = PageSteps::new(first, last);
        steps.add_sets(recording.vector_writes());
        recording.watch(first.saturating_sub(1)..last, &mut steps);
        recording.go_to(recording.moment(last));
        steps.finish(recording.machine(), recording.ended());
        if steps.is_within_limits() || count <= MIN_STATES {
            return steps;
        }
        // Only the last ones of those that fit.
        count = steps.count() / 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_lacks_is_said() {
        let text = |first, last, states| PageCut { first, last, states, all: 20 }.text();
        let note =
            |what: &str| Some(format!("the page has {what}; in a terminal, vmconf explore has all of them"));
        assert_eq!(text(0, 20, 21), None);
        assert_eq!(text(0, 20, 9), note("all 20 steps, with the values of 9 states"));
        assert_eq!(text(3, 20, 18), note("steps 3 to 20 of 20"));
        assert_eq!(text(0, 19, 5), note("steps 0 to 19 of 20, with the values of 5 states"));
    }
}
