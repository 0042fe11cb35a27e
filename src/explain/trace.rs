//! Every instruction of a case, or the selected ones, written as they are executed: a trace of any length
//! takes no more memory than one step.
//!
//! A [`Tracer`] watches the run. It knows which steps are selected and what each costs; a [`Writer`]
//! formats them. What a step changes is known when the next one begins, so a writer is called twice
//! for each step.

use std::io::{self, Write};

use crate::isa::{Isa, OpInfo};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::model::renderer::Renderer;

mod eip3155;
mod jsonl;
mod minic89;
mod text;

/// How steps are written.
pub trait Writer {
    /// Writes what comes before the steps.
    ///
    /// # Errors
    ///
    /// When it cannot be written, as with all of these.
    fn start(&mut self, state: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
        let _ = (state, out);
        Ok(())
    }

    /// A selected step is about to happen.
    fn before(&mut self, step: &Step<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// The step has happened.
    fn after(&mut self, done: &Done<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what comes after the steps.
    fn end(&mut self, end: &End<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// The only machine whose runs it can write; `None` for all.
    fn machine(&self) -> Option<&'static str> {
        None
    }
}

/// An instruction that is about to be executed.
pub struct Step<'a> {
    /// Its number in the run, from 1.
    pub number: u64,
    /// The instruction, and the machine before it.
    pub at: &'a At<'a>,
}

/// An instruction that was executed, or could not be.
pub struct Done<'a> {
    /// The machine after it.
    pub state: &'a dyn Inspect,
    /// Its price in gas, where the machine has gas. Of one that could not be executed it is what was
    /// charged, but at least what its row says.
    pub cost: Option<u64>,
}

/// The end of a run.
pub struct End<'a> {
    /// The machine as it is left.
    pub state: &'a dyn Inspect,
    /// How many steps the run had, selected or not.
    pub steps: u64,
    /// How it ended, in one line for a person.
    pub how: &'a str,
}

/// A form of traces; `new` makes a writer for a machine with these instructions.
pub type TraceKind = Renderer<fn(&'static Isa) -> Box<dyn Writer>>;

/// Every form of traces; the first is the default.
pub static TRACES: &[TraceKind] = &[text::KIND, jsonl::KIND, eip3155::KIND, minic89::KIND];

/// Which steps of a run are written.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The number of the first one.
    pub from: u64,
    /// The number of the last one.
    pub to: u64,
    /// The instructions; empty for all.
    pub ops: Vec<&'static OpInfo>,
    /// How many of the steps that match all else are omitted at the start.
    pub skip: u64,
}

impl Default for Selection {
    /// Every step.
    fn default() -> Selection {
        Selection { from: 1, to: u64::MAX, ops: Vec::new(), skip: 0 }
    }
}

/// Counts steps and decides which are selected. As a watch, it counts the selected ones.
#[derive(Debug, Default)]
pub struct StepFilter {
    selection: Selection,
    steps: u64,
    found: u64,
}

impl StepFilter {
    /// A filter before the first step.
    pub fn new(selection: Selection) -> StepFilter {
        StepFilter { selection, steps: 0, found: 0 }
    }

    /// How many steps matched all but [`Selection::skip`].
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Counts the next step, and whether it is selected.
    fn selects(&mut self, at: &At<'_>) -> bool {
        let Selection { from, to, ops, skip } = &self.selection;
        self.steps += 1;
        let is_asked_for = |op: &OpInfo| ops.iter().any(|asked| asked.code == op.code);
        let is_found =
            (*from..=*to).contains(&self.steps) && (ops.is_empty() || at.op.is_some_and(is_asked_for));
        self.found += u64::from(is_found);
        is_found && self.found > *skip
    }
}

impl Watch for StepFilter {
    fn before(&mut self, at: &At<'_>) {
        self.selects(at);
    }
}

/// A watch that writes the selected steps.
pub struct Tracer {
    filter: StepFilter,
    writer: Box<dyn Writer>,
    out: Box<dyn Write>,
    /// The step that is being executed.
    open: Option<Account>,
    result: io::Result<()>,
}

impl Tracer {
    /// A tracer that writes the steps of `selection` to `out`.
    pub fn new(writer: Box<dyn Writer>, selection: Selection, out: Box<dyn Write>) -> Tracer {
        Tracer { filter: StepFilter::new(selection), writer, out, open: None, result: Ok(()) }
    }

    /// How many steps there were so far, selected or not.
    pub fn steps(&self) -> u64 {
        self.filter.steps
    }

    /// The run is over, and `how` says how, in one line. Nothing is written after the first error.
    ///
    /// # Errors
    ///
    /// The first error of writing.
    pub fn end(&mut self, state: &dyn Inspect, how: &str) -> io::Result<()> {
        if self.steps() == 0 {
            self.write(|writer, out| writer.start(state, out));
        }
        self.close(state);
        let end = End { state, steps: self.steps(), how };
        self.write(|writer, out| writer.end(&end, out).and_then(|()| out.flush()));
        std::mem::replace(&mut self.result, Ok(()))
    }

    fn close(&mut self, state: &dyn Inspect) {
        if let Some(account) = self.open.take() {
            let done = Done { state, cost: account.cost(state) };
            self.write(|writer, out| writer.after(&done, out));
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn Writer, &mut dyn Write) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = write(&mut *self.writer, &mut *self.out);
        }
    }
}

impl Watch for Tracer {
    fn before(&mut self, at: &At<'_>) {
        self.close(at.state);
        if self.steps() == 0 {
            self.write(|writer, out| writer.start(at.state, out));
        }
        if self.filter.selects(at) {
            self.open = Some(Account::new(at));
            let step = Step { number: self.steps(), at };
            self.write(|writer, out| writer.before(&step, out));
        }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.close(state);
    }
}

/// What must be known of the machine before a step for its price.
struct Account {
    gas: Option<u64>,
    given_back: u64,
    least: u64,
}

impl Account {
    fn new(at: &At<'_>) -> Account {
        let least = at.op.map_or(0, |op| op.gas);
        Account { gas: at.state.gas(), given_back: at.state.given_back(), least }
    }

    fn cost(&self, after: &dyn Inspect) -> Option<u64> {
        let returned = after.given_back().wrapping_sub(self.given_back);
        let cost = self.gas?.wrapping_add(returned).wrapping_sub(after.gas()?);
        Some(cost.max(self.least))
    }
}
