//! The interface of trace formats.

use std::io::{self, Write};

use crate::isa::Isa;
use crate::machines::inspect::Inspect;
use crate::machines::machine::At;
use crate::model::Renderer;

/// Formats the steps of a trace.
pub trait TraceWriter {
    /// Writes what comes before the steps.
    fn start(&mut self, _state: &dyn Inspect, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the initial state, step 0, if it is selected.
    fn initial(&mut self, _state: &dyn Inspect, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Called before a selected step is executed.
    fn before(&mut self, step: &TraceStep<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Called after the step was executed.
    fn after(&mut self, done: &TraceOutcome<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what comes after the steps.
    fn end(&mut self, end: &TraceEnd<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// The machines this writer supports; none if it supports all.
    fn machines(&self) -> &'static [&'static str] {
        &[]
    }
}

/// An instruction that is about to be executed.
pub struct TraceStep<'a> {
    /// Its number in the run, from 1: it leads from state `number - 1` to state `number`.
    pub number: u64,
    /// The instruction, with the state of the machine before it.
    pub at: &'a At<'a>,
}

/// An instruction that was executed, or that could not be.
pub struct TraceOutcome<'a> {
    /// The machine after it.
    pub state: &'a dyn Inspect,
    /// Its cost in gas, if the machine has gas. For an instruction that could not be executed it is the gas
    /// that was charged, but at least the gas in the instruction table.
    pub cost: Option<u64>,
}

/// The end of a run.
pub struct TraceEnd<'a> {
    /// The final state of the machine.
    pub state: &'a dyn Inspect,
    /// How many steps the run had, including those that are not selected.
    pub steps: u64,
    /// How the run ended, in one line of text.
    pub how: &'a str,
}

/// A trace format; `new` makes a writer for a machine with these instructions.
pub type TraceKind = Renderer<fn(&'static Isa) -> Box<dyn TraceWriter>>;
