//! Traces: every instruction of a case, or the selected ones, written while the case runs. Memory use does
//! not grow with the length of the trace.
//!
//! A [`Tracer`] watches the run. It knows which steps are selected and what each of them costs; a [`TraceWriter`]
//! formats them. The effects of a step are known only when the next one begins, so a writer is called twice
//! for each step.

use std::io::{self, Write};

use crate::isa::OpInfo;
use crate::machines::inspect::{GasCount, Inspect};
use crate::machines::machine::{At, Watch};

mod eip3155;
mod json;
mod minic89;
mod text;
mod writer;

pub use self::writer::{TraceEnd, TraceKind, TraceOutcome, TraceStep, TraceWriter};

/// All trace formats; the first is the default.
pub static TRACES: &[TraceKind] = &[text::KIND, json::KIND, eip3155::KIND, minic89::KIND];

/// Selects the steps that are written.
#[derive(Debug, Clone)]
pub struct TraceSelection {
    /// The number of the first one. 0 is the initial state.
    pub from: u64,
    /// The number of the last one.
    pub to: u64,
    /// The instructions; empty for all.
    pub ops: Vec<&'static OpInfo>,
    /// How many frames there are, counted as by [`Inspect::depth`]; `None` for any number.
    pub frame: Option<usize>,
    /// How many steps to omit at the start, of those that match all other conditions.
    pub skip: u64,
}

impl Default for TraceSelection {
    /// Every step.
    fn default() -> TraceSelection {
        TraceSelection { from: 0, to: u64::MAX, ops: Vec::new(), frame: None, skip: 0 }
    }
}

impl TraceSelection {
    /// Whether the initial state is selected.
    fn has_initial(&self) -> bool {
        self.from == 0 && self.ops.is_empty() && self.frame.is_none() && self.skip == 0
    }
}

/// Counts steps and decides which are selected. Used as a watch, it only counts.
#[derive(Debug, Default)]
pub struct StepFilter {
    selection: TraceSelection,
    steps: u64,
    found: u64,
}

impl StepFilter {
    /// A filter that has seen no step yet.
    pub fn new(selection: TraceSelection) -> StepFilter {
        StepFilter { selection, steps: 0, found: 0 }
    }

    /// How many steps matched all conditions but [`TraceSelection::skip`].
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Counts the next step and returns whether it is selected.
    fn selects(&mut self, at: &At<'_>) -> bool {
        let TraceSelection { from, to, ops, frame, skip } = &self.selection;
        self.steps += 1;
        let is_asked_for = |op: &OpInfo| ops.iter().any(|asked| asked.code == op.code);
        let is_in = |depth: &usize| at.state.depth() == *depth;
        let is_found = (*from..=*to).contains(&self.steps)
            && (ops.is_empty() || at.op.is_some_and(is_asked_for))
            && frame.as_ref().is_none_or(is_in);
        self.found += u64::from(is_found);
        is_found && self.found > *skip
    }
}

impl Watch for StepFilter {
    fn before(&mut self, at: &At<'_>) {
        self.selects(at);
    }

    /// Those before the first selected step and after the last one, if their numbers alone decide that. The first step
    /// of the run is seen.
    fn passes_over(&self) -> u64 {
        let TraceSelection { from, to, ops, frame, skip } = &self.selection;
        if self.steps == 0 {
            return 0;
        }
        if self.steps >= *to {
            return u64::MAX;
        }
        let is_by_number = ops.is_empty() && frame.is_none();
        let first = if is_by_number { (*from).max(1).saturating_add(*skip) } else { *from };
        first.saturating_sub(1).saturating_sub(self.steps)
    }

    fn passed_over(&mut self, count: u64) {
        let (first, last) = (self.steps + 1, self.steps + count);
        let TraceSelection { from, to, ops, frame, .. } = &self.selection;
        if ops.is_empty() && frame.is_none() {
            self.found += (last.min(*to) + 1).saturating_sub(first.max(*from));
        }
        self.steps = last;
    }

    /// Those up to the one after the last selected step: the effects of a step are known when the next one begins.
    fn sees(&self) -> u64 {
        if self.steps == 0 { 1 } else { self.selection.to.saturating_sub(self.steps).saturating_add(1) }
    }
}

/// A watch that writes the selected steps.
pub struct Tracer {
    filter: StepFilter,
    writer: Box<dyn TraceWriter>,
    out: TracedCount,
    /// The maximum number of bytes.
    most: u64,
    /// Whether steps are missing at the end, since there are too many bytes before.
    pub is_cut: bool,
    /// The gas before the step that is executing; `None` if that step is not selected.
    before: Option<GasBeforeStep>,
    result: io::Result<()>,
}

/// Counts the bytes that are written.
struct TracedCount {
    out: Box<dyn Write>,
    bytes: u64,
}

impl Write for TracedCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Tracer {
    /// A tracer that writes the steps of `selection` to `out`. A step that begins beyond the first `most` bytes ends
    /// the run.
    pub fn new(
        writer: Box<dyn TraceWriter>,
        selection: TraceSelection,
        out: Box<dyn Write>,
        most: u64,
    ) -> Tracer {
        let (filter, out) = (StepFilter::new(selection), TracedCount { out, bytes: 0 });
        Tracer { filter, writer, out, most, is_cut: false, before: None, result: Ok(()) }
    }

    /// How many steps were executed so far, including those that are not selected.
    pub fn steps(&self) -> u64 {
        self.filter.steps
    }

    /// Ends the trace; `how` says in one line how the run ended. Nothing is written after the first error, which is
    /// returned here.
    pub fn end(&mut self, state: &dyn Inspect, how: &str) -> io::Result<()> {
        if self.steps() == 0 {
            self.start(state);
        }
        self.close(state);
        let end = TraceEnd { state, steps: self.steps(), how };
        self.write(|writer, out| writer.end(&end, out).and_then(|()| out.flush()));
        std::mem::replace(&mut self.result, Ok(()))
    }

    fn start(&mut self, state: &dyn Inspect) {
        self.write(|writer, out| writer.start(state, out));
        if self.filter.selection.has_initial() {
            self.write(|writer, out| writer.initial(state, out));
        }
    }

    fn close(&mut self, state: &dyn Inspect) {
        if let Some(before) = self.before.take() {
            let done = TraceOutcome { state, cost: before.cost(state) };
            self.write(|writer, out| writer.after(&done, out));
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn TraceWriter, &mut dyn Write) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = write(&mut *self.writer, &mut self.out);
        }
    }
}

impl Watch for Tracer {
    fn before(&mut self, at: &At<'_>) {
        self.close(at.state);
        if self.steps() == 0 {
            self.start(at.state);
        }
        if self.filter.selects(at) {
            self.is_cut = self.out.bytes >= self.most;
            if self.is_cut {
                return;
            }
            self.before = Some(GasBeforeStep::new(at));
            let step = TraceStep { number: self.steps(), at };
            self.write(|writer, out| writer.before(&step, out));
        }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.close(state);
    }

    fn is_done(&self) -> bool {
        self.is_cut || self.result.is_err()
    }

    fn passes_over(&self) -> u64 {
        // The effects of a step are seen before the next one.
        if self.before.is_some() { 0 } else { self.filter.passes_over() }
    }

    fn passed_over(&mut self, count: u64) {
        self.filter.passed_over(count);
    }

    fn sees(&self) -> u64 {
        self.filter.sees()
    }
}

/// The gas before a step, from which its cost is computed.
struct GasBeforeStep {
    gas: Option<GasCount>,
    /// The least that the step costs, according to the row of its instruction.
    least: u64,
}

impl GasBeforeStep {
    fn new(at: &At<'_>) -> GasBeforeStep {
        let least = at.op.map_or(0, |op| op.gas);
        GasBeforeStep { gas: at.state.gas(), least }
    }

    fn cost(&self, after: &dyn Inspect) -> Option<u64> {
        let (before, after) = (self.gas?, after.gas()?);
        let returned = after.given_back.wrapping_sub(before.given_back);
        let cost = before.left.wrapping_add(returned).wrapping_sub(after.left);
        Some(cost.max(self.least))
    }
}
