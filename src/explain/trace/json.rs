//! Traces for programs: one JSON object per step, then one that says how the run ended. The schema is
//! `schemas/trace.schema.json`.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::writer::{TraceEnd, TraceKind, TraceOutcome, TraceStep, TraceWriter};
use crate::machines::inspect::{InspectSource, written_cells};
use crate::model::{Cell, Value};
use crate::wire::line::one_line;
use crate::wire::value::Truncated;

pub(super) const KIND: TraceKind = TraceKind {
    name: "json",
    doc: "for programs: one JSON object a step",
    new: |_| Box::<JsonLines>::default(),
};

/// The maximum number of bytes, characters, items and members of a value that are written.
const ROOM: usize = 1024;

#[derive(Default)]
struct JsonLines {
    /// The line of the current step. Members that are not known yet are null.
    line: Map<String, Json>,
    writes: Vec<Cell>,
}

impl TraceWriter for JsonLines {
    fn before(&mut self, step: &TraceStep<'_>, _: &mut dyn Write) -> io::Result<()> {
        let TraceStep { number, at } = step;
        let effects = at.state.effects();
        let stack = (0..at.state.height()).rev().filter_map(|below| at.state.item(below));
        let read = |(cell, value): &(Cell, Value)| cell_json(cell, Some(value));
        let mut add = |name: &str, value: Json| drop(self.line.insert(name.to_owned(), value));
        add("type", "step".into());
        add("step", (*number).into());
        add("pc", at.pc.into());
        add("op", at.op.map(|op| op.name).into());
        add("text", at.state.instruction().into());
        if let Some(source) = at.state.source().and_then(InspectSource::position) {
            add("source", source.into());
        }
        if let Some(gas) = at.state.gas() {
            add("cost", Json::Null);
            add("gas", gas.left.into());
        }
        add("stack", stack.map(|item| value_json(&item)).collect());
        add("reads", effects.reads.iter().map(read).collect());
        add("writes", Json::Null);
        self.writes = effects.writes;
        Ok(())
    }

    fn after(&mut self, done: &TraceOutcome<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        let writes = written_cells(std::mem::take(&mut self.writes), done.state);
        if let Some(cost) = done.cost {
            line.insert("cost".to_owned(), cost.into());
        }
        if let Some(failure) = done.state.failure() {
            line.insert("failure".to_owned(), failure.into());
        }
        let written = |cell: &Cell| cell_json(cell, done.state.value(cell).as_ref());
        line.insert("writes".to_owned(), writes.iter().map(written).collect());
        writeln!(out, "{}", one_line(&line))
    }

    fn end(&mut self, end: &TraceEnd<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", one_line(&json!({ "type": "end", "steps": end.steps, "ended": end.how })))
    }
}

fn cell_json(cell: &Cell, value: Option<&Value>) -> Json {
    let mut json = json!({ "cell": cell.to_string() });
    if let Some(value) = value {
        json["value"] = value_json(value);
    }
    json
}

fn value_json(value: &Value) -> Json {
    json!(Truncated(value, ROOM))
}
