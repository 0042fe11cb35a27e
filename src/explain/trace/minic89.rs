//! Snapshots of the MiniC89 machine: the initial one, and one after each selected step with the number of
//! that step, as described by `schemas/minic89-snapshot.schema.json`.

use std::io::{self, Write};

use serde_json::{Map, Value as Json};

use super::writer::{TraceEnd, TraceKind, TraceOutcome, TraceStep, TraceWriter};
use crate::machines;
use crate::machines::inspect::Inspect;
use crate::model::MemberShape;
use crate::text::plain_json::plain;
use crate::wire::line::one_line;

pub(super) const KIND: TraceKind = TraceKind {
    name: "minic89",
    doc: "snapshots of MiniC89, one JSON document a line",
    new: |_| Box::new(Snapshots),
};

struct Snapshots;

impl TraceWriter for Snapshots {
    fn initial(&mut self, state: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
        write(state, out)
    }

    fn before(&mut self, _: &TraceStep<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn after(&mut self, done: &TraceOutcome<'_>, out: &mut dyn Write) -> io::Result<()> {
        write(done.state, out)
    }

    fn end(&mut self, _: &TraceEnd<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn machines(&self) -> &'static [&'static str] {
        &["minic89"]
    }
}

/// The members of a snapshot are the fields of the machine.
fn write(state: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
    let fields = machines::by_name("minic89").map(|machine| machine.fields).unwrap_or_default();
    let member = |field: &MemberShape| Some((field.name.to_owned(), plain(&state.observe(field.name)?)));
    let snapshot: Map<String, Json> = fields.iter().filter_map(member).collect();
    writeln!(out, "{}", one_line(&snapshot))
}
