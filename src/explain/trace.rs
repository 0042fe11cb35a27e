//! Every instruction of a case, or those that are asked for, written as it happens and in no more
//! memory than one of them takes.
//!
//! A [`Tracer`] watches the run. It knows which steps are meant and what each costs; how one looks is
//! the affair of a [`Writer`]. What a step changes is known when the next one begins, so a writer is
//! told of each step twice.

use std::io::{self, Write};

use crate::isa::{Isa, OpInfo};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};

mod eip3155;
mod jsonl;
mod minic89;
mod text;

/// How steps are written.
pub trait Writer {
    /// Writes what stands in front of the steps.
    ///
    /// # Errors
    ///
    /// When it cannot be written, as with all of these.
    fn start(&mut self, state: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
        let _ = (state, out);
        Ok(())
    }

    /// A step that is meant is about to happen.
    fn before(&mut self, step: &Step<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// The step has happened.
    fn after(&mut self, done: &Done<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what stands behind the steps.
    fn end(&mut self, end: &End<'_>, out: &mut dyn Write) -> io::Result<()>;
}

/// An instruction that is about to be executed.
pub struct Step<'a> {
    /// Its number in the run, from 1.
    pub number: u64,
    /// The instruction and the machine in front of it.
    pub at: &'a At<'a>,
}

/// An instruction that was executed, or could not be.
pub struct Done<'a> {
    /// The machine behind it.
    pub state: &'a dyn Inspect,
    /// Its price in gas, where the machine has gas. Of one that could not be executed it is what was
    /// charged, but at least what its row says.
    pub cost: Option<u64>,
}

/// The end of a run.
pub struct End<'a> {
    /// The machine as it is left.
    pub state: &'a dyn Inspect,
    /// How many steps the run had, whichever were meant.
    pub steps: u64,
    /// How it ended, in one line for a person.
    pub how: &'a str,
}

/// A way to write traces.
#[derive(Debug)]
pub struct TraceKind {
    /// Its name, as `--as` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// The only machine that it is for, where it is not for all.
    pub machine: Option<&'static str>,
    /// Makes a writer for a machine with these instructions.
    pub new: fn(&'static Isa) -> Box<dyn Writer>,
}

/// Every way to write traces, the usual one first.
pub static TRACES: &[TraceKind] = &[text::KIND, jsonl::KIND, eip3155::KIND, minic89::KIND];

/// The way of this name.
pub fn by_name(name: &str) -> Option<&'static TraceKind> {
    TRACES.iter().find(|kind| kind.name == name)
}

/// Which steps of a run are meant.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The number of the first one.
    pub from: u64,
    /// The number of the last one.
    pub to: u64,
    /// The instructions; all where there are none.
    pub ops: Vec<&'static OpInfo>,
    /// How many of those that all else lets through are left out at the start.
    pub skip: u64,
}

impl Default for Selection {
    /// Every step.
    fn default() -> Selection {
        Selection { from: 1, to: u64::MAX, ops: Vec::new(), skip: 0 }
    }
}

/// Counts steps and tells which are meant. As a watch, it finds out how many those are.
#[derive(Debug, Default)]
pub struct StepFilter {
    selection: Selection,
    steps: u64,
    found: u64,
}

impl StepFilter {
    /// A sieve in front of the first step.
    pub fn new(selection: Selection) -> StepFilter {
        StepFilter { selection, steps: 0, found: 0 }
    }

    /// How many steps there were that all but [`Selection::skip`] lets through.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Whether the next step is meant.
    fn lets_through(&mut self, at: &At<'_>) -> bool {
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
        self.lets_through(at);
    }
}

/// A watch that has the steps written that are meant.
pub struct Tracer {
    sieve: StepFilter,
    writer: Box<dyn Writer>,
    out: Box<dyn Write>,
    /// The step that the writer was told of and that has not happened yet.
    open: Option<Account>,
    result: io::Result<()>,
}

impl Tracer {
    /// A tracer that has the steps of `selection` written to `out`.
    pub fn new(writer: Box<dyn Writer>, selection: Selection, out: Box<dyn Write>) -> Tracer {
        Tracer { sieve: StepFilter::new(selection), writer, out, open: None, result: Ok(()) }
    }

    /// How many steps there were so far, whichever were meant.
    pub fn steps(&self) -> u64 {
        self.sieve.steps
    }

    /// The run is over, and `how` says how, in one line. Nothing is written after the first error.
    ///
    /// # Errors
    ///
    /// The first error of writing.
    pub fn end(&mut self, state: &dyn Inspect, how: &str) -> io::Result<()> {
        if self.steps() == 0 {
            self.tell(|writer, out| writer.start(state, out));
        }
        self.close(state);
        let end = End { state, steps: self.steps(), how };
        self.tell(|writer, out| writer.end(&end, out).and_then(|()| out.flush()));
        std::mem::replace(&mut self.result, Ok(()))
    }

    fn close(&mut self, state: &dyn Inspect) {
        if let Some(account) = self.open.take() {
            let done = Done { state, cost: account.cost(state) };
            self.tell(|writer, out| writer.after(&done, out));
        }
    }

    fn tell(&mut self, tell: impl FnOnce(&mut dyn Writer, &mut dyn Write) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = tell(&mut *self.writer, &mut *self.out);
        }
    }
}

impl Watch for Tracer {
    fn before(&mut self, at: &At<'_>) {
        self.close(at.state);
        if self.steps() == 0 {
            self.tell(|writer, out| writer.start(at.state, out));
        }
        if self.sieve.lets_through(at) {
            self.open = Some(Account::new(at));
            let step = Step { number: self.steps(), at };
            self.tell(|writer, out| writer.before(&step, out));
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
