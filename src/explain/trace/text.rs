//! Traces for people: one line per step. Long values and lists are truncated, so that most lines have at most
//! 100 characters.

use std::fmt;
use std::io::{self, Write};

use num_bigint::{BigInt, Sign};

use super::writer::{TraceEnd, TraceKind, TraceOutcome, TraceStep, TraceWriter};
use crate::isa::{Isa, Unit};
use crate::machines::inspect::{Inspect, InspectSource, function_of_pc, written_cells};
use crate::model::{Cell, Value, brief, brief_bytes, counted, escaped};

pub(super) const KIND: TraceKind =
    TraceKind { name: "text", doc: "for people: one line a step", new: |isa| Box::new(TraceText::new(isa)) };

/// Column widths: the program counter without and with a function, the instruction, the stack, and, on a
/// machine without a stack, the values read.
const PC: usize = 4;
const FUNCTION: usize = 9;
const INSTRUCTION: usize = 28;
const STACK: usize = 30;
const READS: usize = 40;

/// The maximum number of characters shown of a value, a cell or a part of an instruction.
const MAX_LENGTH: usize = 24;

/// The maximum number of cells read or written that a line shows.
const CELLS: usize = 2;

struct TraceText {
    isa: &'static Isa,
    /// The start of the current line, and the part that follows the cost.
    line: String,
    found: String,
    writes: Vec<Cell>,
}

impl TraceText {
    fn new(isa: &'static Isa) -> TraceText {
        TraceText { isa, line: String::new(), found: String::new(), writes: Vec::new() }
    }

    /// The text of the first columns.
    fn beginning(&self, step: &str, pc: &str, instruction: &str) -> String {
        let width = if self.isa.unit == Unit::Objects { FUNCTION } else { PC };
        format!("{step:>6}  {pc:<width$}  {instruction:<INSTRUCTION$}  ")
    }

    /// Writes a line with these columns.
    fn write(
        &self,
        line: &str,
        cost: &str,
        found: &str,
        changed: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let cost = if self.isa.has_gas() { format!("{cost:>6}  ") } else { String::new() };
        let width = if self.isa.has_stack() { STACK } else { READS };
        let line = format!("{line}{cost}{found:<width$}  {changed}");
        writeln!(out, "{}", escaped(line.trim_end()))
    }
}

impl TraceWriter for TraceText {
    fn start(&mut self, _: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
        let found = if self.isa.has_stack() { "stack, top first" } else { "reads" };
        self.write(&self.beginning("step", "pc", "instruction"), "cost", found, "writes", out)
    }

    fn before(&mut self, step: &TraceStep<'_>, _: &mut dyn Write) -> io::Result<()> {
        let state = step.at.state;
        let pc = match self.isa.unit {
            Unit::Bytes | Unit::Words => format!("{:04x}", step.at.pc),
            Unit::Objects => step.at.pc.to_string(),
        };
        let source = state
            .source()
            .and_then(InspectSource::line)
            .map_or(String::new(), |line| format!(" ; line {line}"));
        let pc = function_of_pc(state).map_or(pc, |function| {
            // Every function has an instruction with this number.
            format!("{}+{}", truncated(function), step.at.pc)
        });
        self.line =
            self.beginning(&step.number.to_string(), &pc, &(truncated(state.instruction()) + &source));
        let effects = state.effects();
        self.found = if self.isa.has_stack() { stack(state) } else { read(&effects.reads, state) };
        self.writes = effects.writes;
        Ok(())
    }

    fn after(&mut self, done: &TraceOutcome<'_>, out: &mut dyn Write) -> io::Result<()> {
        let cost = done.cost.map_or(String::new(), |cost| cost.to_string());
        let written = written(&written_cells(std::mem::take(&mut self.writes), done.state), done.state);
        let changed = match done.state.failure() {
            Some(failure) if written.is_empty() => format!("! {failure}"),
            Some(failure) => format!("! {failure}; {written}"),
            None => written,
        };
        self.write(&self.line, &cost, &self.found, &changed, out)
    }

    fn end(&mut self, end: &TraceEnd<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {}", counted(end.steps, "step"), escaped(end.how))
    }
}

/// The top of the stack: as many values as fit, but at least one.
fn stack(state: &dyn Inspect) -> String {
    let height = state.height();
    let mut text = String::new();
    for below in 0..height {
        let item = state.item(below).map_or(String::new(), |item| short(&item, state));
        let more = |count: usize| if count == 0 { String::new() } else { format!(" … {count} more") };
        let comma = if below > 0 { ", " } else { "" };
        let longer = format!("{text}{comma}{item}");
        if below > 0 && longer.chars().count() + more(height - below - 1).chars().count() > STACK {
            return text + &more(height - below);
        }
        text = longer;
    }
    text
}

fn read(reads: &[(Cell, Value)], state: &dyn Inspect) -> String {
    some(reads.iter().map(|(cell, value)| with_value(cell, Some(value), state)))
}

fn written(writes: &[Cell], state: &dyn Inspect) -> String {
    some(writes.iter().map(|cell| with_value(cell, state.value(cell).as_ref(), state)))
}

/// The first texts, and the number of the others.
fn some(mut texts: impl ExactSizeIterator<Item = String>) -> String {
    let shown = texts.by_ref().take(CELLS).collect::<Vec<_>>().join(", ");
    match texts.len() {
        0 => shown,
        more => format!("{shown} … {more} more"),
    }
}

fn with_value(cell: &Cell, value: Option<&Value>, state: &dyn Inspect) -> String {
    let value = value.map_or(String::new(), |value| format!(" = {}", short(value, state)));
    state.source().and_then(|source| source.cell_name(cell)).map_or_else(|| truncated(cell), truncated)
        + &value
}

/// A value, abbreviated to a few characters.
fn short(value: &Value, state: &dyn Inspect) -> String {
    const BYTES: usize = 8;
    if let Some(name) = state.source().and_then(|source| source.value_name(value)) {
        return truncated(name);
    }
    match value {
        Value::Int(number) => short_number(number),
        Value::Bytes(bytes) if bytes.len() > BYTES => brief_bytes(bytes, BYTES / 2),
        Value::Typed(name, value) if **value != Value::Null => format!("{name} {}", short(value, state)),
        other => truncated(other),
    }
}

/// The decimal digits if there are few of them, otherwise hex digits; only both ends of a long number.
fn short_number(number: &BigInt) -> String {
    const FEW: usize = 6;
    const HEX: usize = 16;
    if let Ok(few) = i32::try_from(number)
        && few.unsigned_abs() < 100_000
    {
        return few.to_string();
    }
    let sign = if number.sign() == Sign::Minus { "-" } else { "" };
    let digits = format!("{:x}", number.magnitude());
    match digits.len() {
        0..=HEX => format!("{sign}0x{digits}"),
        length => format!("{sign}0x{}…{}", &digits[..FEW], &digits[length - FEW..]),
    }
}

/// The text, truncated if it is long.
fn truncated(text: impl fmt::Display) -> String {
    brief(text, MAX_LENGTH)
}
