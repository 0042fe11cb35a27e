//! The states of a run and what each instruction wrote, in the form that the script of a page reads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use indexmap::{IndexMap, IndexSet};
use serde_json::{Value as Json, json};

use super::places::PagePlaces;
use crate::explain::explore::code::{PlacedLine, unlisted};
use crate::explain::explore::id_text;
use crate::explain::recording::{
    CelllessValues, DatumId, PendingWrites, StateRow, StateSection, StepWrites, cellless, differing,
    sections_of,
};
use crate::machines::inspect::{Inspect, InspectSource};
use crate::machines::machine::{At, Machine, Watch};
use crate::machines::view::{CodeLine, StackCount, ViewScope};
use crate::model::escape::escaped;

/// The maximum number of rows of all states in a page; formatting one takes about a microsecond.
pub(super) const MAX_ROWS: usize = 4_000_000;

/// The maximum size of the different rows and instructions in a page, in bytes.
const MAX_BYTES: usize = 1 << 26;

/// About how many bytes an instruction of the code takes.
const BYTES_OF_INSTRUCTION: usize = 256;

/// Every `BLOCK`-th state is written in full, so that each state can be rebuilt quickly.
const BLOCK: usize = 500;

/// The states of a run; each line, each code unit and each set of writes is stored once.
pub(super) struct PageStates {
    /// The number of the first state that is kept.
    first: u64,
    /// How many instructions were executed.
    step: u64,
    /// How many states there are at least, however large they are.
    least: u64,
    lines: IndexSet<String>,
    codes: IndexMap<usize, PageCode>,
    /// The identities of data, as text.
    data: IndexSet<String>,
    places: PagePlaces,
    writes: IndexSet<StepWrites>,
    /// What the vector sets before a state, as an index of `writes`.
    vector_writes: HashMap<u64, usize>,
    pending: Option<PendingWrites>,
    /// What the last instruction wrote, as an index of `writes`.
    wrote: Option<usize>,
    /// The code and the program counter of the last instruction.
    last: Option<(usize, usize)>,
    cellless: CelllessValues,
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

/// Where a state is in the code.
#[derive(Clone, Copy)]
struct CodePosition {
    code: usize,
    pc: Option<usize>,
    /// Whether the instruction there failed.
    failed: bool,
}

impl CodePosition {
    fn of(code: usize, pc: Option<usize>) -> CodePosition {
        CodePosition { code, pc, failed: false }
    }
}

/// The code of a unit.
struct PageCode {
    name: Option<String>,
    /// Whether the lines are what was executed, in order.
    is_played: bool,
    lines: Vec<CodeLine>,
    pcs: HashSet<usize>,
    /// The executed instructions that the listing does not have.
    unlisted: BTreeMap<usize, PlacedLine>,
}

impl PageStates {
    /// Keeps the states from this number on; of large states at least `least`.
    pub(super) fn new(first: u64, least: u64) -> PageStates {
        PageStates {
            first,
            step: first.saturating_sub(1),
            least,
            lines: IndexSet::new(),
            codes: IndexMap::new(),
            data: IndexSet::new(),
            places: PagePlaces::default(),
            writes: IndexSet::new(),
            vector_writes: HashMap::new(),
            pending: None,
            wrote: None,
            last: None,
            cellless: CelllessValues::new(),
            found: String::new(),
            count: 0,
            sections: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Adds what the vector sets after the instructions with these numbers.
    pub(super) fn add_vector_writes(&mut self, writes: impl Iterator<Item = (u64, StepWrites)>) {
        for (step, writes) in writes {
            self.vector_writes.insert(step, self.writes.insert_full(writes).0);
        }
    }

    /// How many states there are.
    pub(super) fn count(&self) -> u64 {
        self.count as u64
    }

    /// Whether there is room for more.
    pub(super) fn is_within_limits(&self) -> bool {
        self.count() < self.least || self.rows <= MAX_ROWS && self.bytes + self.found.len() <= MAX_BYTES
    }

    /// Adds the last state.
    pub(super) fn finish(&mut self, machine: &dyn Machine) {
        let state = machine.inspect();
        let sections = self.complete(state);
        let next = machine.next();
        let ended = next.is_none().then(|| escaped(&machine.describe()).into_owned());
        let place = match (next, state.stands_at(), self.last) {
            (Some(at), ..) => CodePosition::of(self.code(state, Some(&at)), Some(at.pc)),
            (None, None, Some((code, pc))) if state.failure().is_some() => {
                CodePosition { code, pc: Some(pc), failed: true }
            }
            (None, None, Some((code, _))) => CodePosition::of(code, None),
            (None, pc, _) => CodePosition::of(self.code(state, None), pc),
        };
        self.add(state, place, ended.as_deref(), &sections);
    }

    /// Completes the writes of the last instruction, and returns the sections of the state after it.
    fn complete(&mut self, state: &dyn Inspect) -> Vec<StateSection> {
        let sections = sections_of(state);
        let after = cellless(&sections);
        if let Some(pending) = self.pending.take() {
            let changed = differing(&self.cellless, &after);
            let (wrote, is_new) = self.writes.insert_full(StepWrites { changed, ..pending.done(state) });
            if is_new {
                self.bytes += size_of::<StepWrites>() + self.writes[wrote].cells.len() * BYTES_OF_INSTRUCTION;
            }
            self.wrote = Some(wrote);
        }
        self.cellless = after;
        sections
    }

    /// Adds a state: the index of its code, the program counter, the source line, the number of frames, how the run
    /// ended, the sections that differ, the index of what the last instruction wrote, and 1 if the instruction at the
    /// program counter failed; at the end the index of what the vector set after that instruction, if it did. Each section that differs has
    /// its index, how many lines at its start and at its end are unchanged, and the lines between. If the state has
    /// different sections, and for every [`BLOCK`]-th state, `null` and all sections are written instead.
    fn add(&mut self, state: &dyn Inspect, place: CodePosition, ended: Option<&str>, shown: &[StateSection]) {
        let sections: Vec<_> = shown.iter().map(|section| self.section(section)).collect();
        let is_alike = sections.len() == self.sections.len()
            && sections.iter().zip(&self.sections).all(|(one, other)| one.0 == other.0);
        let changes = if is_alike && !self.count.is_multiple_of(BLOCK) {
            let pairs = self.sections.iter().zip(&sections).enumerate();
            pairs.filter_map(|(index, (before, after))| splice(index, &before.1, &after.1)).collect()
        } else {
            vec![Json::Null, json!(sections)]
        };
        self.sections = sections;
        let comma = if self.count > 0 { "," } else { "" };
        let line = state.source().and_then(InspectSource::line);
        let CodePosition { code, pc, failed } = place;
        let wrote = self.wrote.take();
        let mut state = json!([code, pc, line, state.depth(), ended, changes, wrote, u8::from(failed)]);
        let set = self.vector_writes.get(&(self.first + self.count as u64));
        if let (Json::Array(members), Some(set)) = (&mut state, set) {
            members.push(json!(set));
        }
        // Writing to a string succeeds.
        let _ = write!(self.found, "{comma}{state}");
        self.count += 1;
    }

    /// The index of the code of a state.
    fn code(&mut self, state: &dyn Inspect, next: Option<&At<'_>>) -> usize {
        let unit = state.unit();
        let index = self.codes.get_index_of(&unit).unwrap_or_else(|| {
            let lines = state.listing();
            self.bytes += lines.len() * BYTES_OF_INSTRUCTION;
            let pcs = lines.iter().map(|line| line.pc).collect();
            let name = state.function().map(|name| escaped(&name).into_owned());
            self.codes
                .insert_full(
                    unit,
                    PageCode { name, is_played: state.is_played(), lines, pcs, unlisted: BTreeMap::new() },
                )
                .0
        });
        let code = &mut self.codes[index];
        if let Some(at) = next.filter(|at| !code.pcs.contains(&at.pc)) {
            let line = unlisted(at, &code.lines);
            code.unlisted.extend(line.map(|line| (at.pc, line)));
        }
        index
    }

    fn section(&mut self, section: &StateSection) -> (usize, Vec<usize>) {
        self.rows += section.rows.len() + 1;
        let counts = section.counts.map(|counts| u8::from(counts == StackCount::FromTop));
        let title = self.text(&json!([escaped(&section.title), counts]));
        let mut lines: Vec<_> = section.rows.iter().map(|row| self.line(row)).collect();
        if section.left_out > 0 {
            lines.push(self.text(&json!([0, "…", format!("{} more", section.left_out), 0, null, []])));
        }
        (title, lines)
    }

    /// The index of a row, which is stored as its depth, its name, its value, 1 if it is out of scope, its identity and
    /// its places; at the end the whole value, if it is longer.
    fn line(&mut self, shown: &StateRow) -> usize {
        let StateRow { row, datum } = shown;
        let out = u8::from(row.scope == ViewScope::Out);
        let (name, value, id) = (escaped(&row.name), escaped(&row.value), self.datum(&datum.id));
        let places = self.places.of(datum);
        let mut line = json!([row.depth, name, value, out, id, places]);
        if let (Json::Array(members), Some(whole)) = (&mut line, &row.whole) {
            members.push(escaped(whole).into());
        }
        self.text(&line)
    }

    /// The index of the identity of a datum.
    pub(super) fn datum(&mut self, id: &DatumId) -> usize {
        self.data.insert_full(id_text(id)).0
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

    /// Writes the members of the page's data that describe states.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\"states\":[{}],\"lines\":[", self.found)?;
        for (index, line) in self.lines.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(out, "{comma}{}", Json::from(line.as_str()))?;
        }
        let ranked = self.places.ranked();
        let writes: Vec<_> = self.writes.iter().map(|writes| ranked.written(writes)).collect();
        let data: Vec<_> = self.data.iter().collect();
        let codes: Vec<_> = self.codes.values().map(PageCode::json).collect();
        let (ranks, codes) = (json!(ranked.rank_of), json!(codes));
        write!(
            out,
            "],\"data\":{},\"places\":{ranks},\"writes\":{},\"codes\":{codes}",
            json!(data),
            json!(writes)
        )
    }
}

impl Watch for PageStates {
    fn before(&mut self, at: &At<'_>) {
        let sections = self.complete(at.state);
        let code = self.code(at.state, Some(at));
        // The instruction before the first state shows what it wrote there.
        if self.step >= self.first {
            self.add(at.state, CodePosition::of(code, Some(at.pc)), None, &sections);
        }
        self.last = Some((code, at.pc));
        self.pending = Some(PendingWrites::of(at));
        self.step += 1;
    }

    /// The case may change the machine before the next instruction.
    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn is_done(&self) -> bool {
        !self.is_within_limits()
    }
}

impl PageCode {
    /// For each instruction: its program counter, how the counter is displayed, its text, its source line, and a remark.
    fn json(&self) -> Json {
        let line = |line: &CodeLine, remark: &str| {
            json!([line.pc, line.label, escaped(&line.text), line.line, remark])
        };
        let lines: Vec<_> = self.lines.iter().map(|it| line(it, "")).collect();
        let unlisted: Vec<_> = self.unlisted.values().map(|it| line(&it.line, it.place.remark())).collect();
        json!({ "name": self.name, "isPlayed": self.is_played, "lines": lines, "unlisted": unlisted })
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
