//! Where each step of a run went and what it wrote, without the values: that is the same again and again in a loop, so
//! that millions of steps fit a page.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::codes::PageCodes;
use crate::explain::recording::{Datum, PendingWrites, StepWrites};
use crate::machines::inspect::{Inspect, InspectSource, stands_at};
use crate::machines::machine::{At, Machine, Watch};
use crate::model::escaped;

/// The maximum size of the different positions, writes and instructions of a page, in bytes.
const MAX_BYTES: usize = 1 << 27;

/// About how many bytes a write takes, besides its cells.
const BYTES_OF_WRITE: usize = size_of::<StepWrites>() + 64;

/// Where a state is: the index of its code, the program counter, and the source line.
type PagePosition = (usize, Option<usize>, Option<u64>);

/// The steps of a run, one entry in each column for each state.
#[derive(Default)]
pub(super) struct PageSteps {
    /// The number of the first state that is kept.
    first: u64,
    /// The number of the next state.
    step: u64,
    codes: PageCodes,
    positions: IndexSet<PagePosition>,
    /// The index of the position of each state.
    position: Vec<u32>,
    /// The number of frames in each state.
    depth: Vec<u32>,
    /// What the instruction before each state wrote, as an index of `writes`.
    pub(super) wrote: Vec<u32>,
    /// What instructions and the vector wrote, without data that no cell holds; the first one is nothing.
    pub(super) writes: IndexSet<StepWrites>,
    /// What the vector sets before a state, as an index of `writes`.
    sets: Vec<(u64, usize)>,
    pending: Option<PendingWrites>,
    /// What the last instruction wrote.
    wrote_last: usize,
    /// The position of the last instruction.
    last: Option<PagePosition>,
    ended: Option<String>,
    /// Whether the instruction at the last position failed.
    failed: bool,
    bytes: usize,
}

impl PageSteps {
    /// Keeps the states with the numbers from `first` to `last`.
    pub(super) fn new(first: u64, last: u64) -> PageSteps {
        let count = usize::try_from(last - first + 1).unwrap_or(0);
        let column = || Vec::with_capacity(count);
        PageSteps {
            first,
            step: first.saturating_sub(1),
            position: column(),
            depth: column(),
            wrote: column(),
            writes: IndexSet::from_iter([StepWrites::default()]),
            ..PageSteps::default()
        }
    }

    /// Adds what the vector sets after the instructions with these numbers.
    pub(super) fn add_sets(&mut self, writes: impl Iterator<Item = (u64, StepWrites)>) {
        for (step, writes) in writes {
            self.sets.push((step, self.writes.insert_full(writes).0));
        }
    }

    /// How many states there are.
    pub(super) fn count(&self) -> u64 {
        self.position.len() as u64
    }

    /// The number of the first state.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The number of the last state.
    pub(super) fn last(&self) -> u64 {
        self.first + self.count().saturating_sub(1)
    }

    /// Whether there is room for more.
    pub(super) fn is_within_limits(&self) -> bool {
        self.bytes + self.codes.bytes <= MAX_BYTES
    }

    /// Adds the last state; `ended` is how the run ended, if it did in this state.
    pub(super) fn finish(&mut self, machine: &dyn Machine, ended: Option<String>) {
        let state = machine.inspect();
        self.complete(state);
        let next = machine.next();
        self.ended = ended.map(|how| escaped(&how).into_owned());
        let stands = stands_at(state);
        let position = match (next, stands, self.last) {
            (Some(at), ..) => self.position(&at),
            (None, None, Some((code, pc, _))) if state.failure().is_some() => {
                self.failed = true;
                (code, pc, line(state))
            }
            (None, None, Some((code, ..))) => (code, None, line(state)),
            (None, pc, _) => (self.codes.unit(state), pc, line(state)),
        };
        self.add(state, position);
    }

    /// The numbers of the last states, the last one first, that an instruction led to which wrote the datum.
    pub(super) fn last_writes<'s>(
        &'s self,
        datum: &Datum,
        until: u64,
    ) -> impl Iterator<Item = u64> + use<'s> {
        let is_it: Vec<_> = self.writes.iter().map(|writes| writes.wrote(datum)).collect();
        let count = usize::try_from((until + 1).saturating_sub(self.first)).unwrap_or(usize::MAX);
        let wrote = self.wrote[..count.min(self.wrote.len())].iter().enumerate().rev();
        wrote.filter(move |(_, wrote)| is_it[**wrote as usize]).map(|(index, _)| self.first + index as u64)
    }

    /// What the vector set before states of the page: the state counted from the first one, and what, as an index.
    pub(super) fn sets(&self) -> impl Iterator<Item = (u64, usize)> {
        let range = self.first..=self.last();
        self.sets
            .iter()
            .filter(move |(step, _)| range.contains(step))
            .map(|(step, set)| (step - self.first, *set))
    }

    /// The members of the page's data that describe the steps.
    pub(super) fn json(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("first", json!(self.first)),
            ("count", json!(self.count())),
            ("ended", json!(self.ended)),
            ("failed", json!(self.failed)),
            ("codes", self.codes.json()),
            ("positions", json!(self.positions.iter().collect::<Vec<_>>())),
        ]
    }

    /// The columns of positions and of depths.
    pub(super) fn columns(&self) -> [&[u32]; 2] {
        [&self.position, &self.depth]
    }

    /// Completes the writes of the last instruction.
    fn complete(&mut self, state: &dyn Inspect) {
        let Some(pending) = self.pending.take() else { return };
        let (index, is_new) = self.writes.insert_full(pending.done(state));
        if is_new {
            let StepWrites { stack, cells, .. } = &self.writes[index];
            self.bytes += BYTES_OF_WRITE + size_of_val(&**stack) + size_of_val(&**cells);
        }
        self.wrote_last = index;
    }

    fn position(&mut self, at: &At<'_>) -> PagePosition {
        let position = (self.codes.unit(at.state), Some(at.pc), line(at.state));
        if !self.positions.contains(&position) {
            self.codes.add(position.0, at);
        }
        position
    }

    fn add(&mut self, state: &dyn Inspect, position: PagePosition) {
        let (index, is_new) = self.positions.insert_full(position);
        self.bytes += if is_new { size_of::<PagePosition>() } else { 0 };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        self.position.push(small(index));
        self.depth.push(small(state.depth()));
        self.wrote.push(small(std::mem::take(&mut self.wrote_last)));
    }
}

fn line(state: &dyn Inspect) -> Option<u64> {
    state.source().and_then(InspectSource::line)
}

impl Watch for PageSteps {
    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state);
        let position = self.position(at);
        // The instruction before the first state shows what it wrote there.
        if self.step >= self.first {
            self.add(at.state, position);
        }
        self.last = Some(position);
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

/// Numbers of a column in the fewest bytes that all of them fit, and how many bytes each takes: 1, 2 or 4.
pub(super) fn packed_column(column: &[u32]) -> (usize, Vec<u8>) {
    let most = column.iter().copied().max().unwrap_or(0);
    let width = match most.leading_zeros() {
        24.. => 1,
        16.. => 2,
        _ => 4,
    };
    (width, column.iter().flat_map(|number| number.to_le_bytes().into_iter().take(width)).collect())
}
