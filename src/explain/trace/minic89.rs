//! Snapshots of the MiniC89 machine, one before each instruction and one at the end, as
//! `schemas/minic89-snapshot.schema.json` describes them.

use std::io::{self, Write};

use serde_json::{Map, Value as Json};

use super::{Done, End, Step, TraceKind, Writer};
use crate::machines::inspect::Inspect;
use crate::text::plain_json::plain;
use crate::wire::line::one_line;

pub(super) const KIND: TraceKind = TraceKind {
    name: "minic89",
    doc: "snapshots of MiniC89, one JSON document a line",
    new: |_| Box::new(Snapshots),
};

/// The members of a snapshot, in the order of output.
const MEMBERS: &[&str] =
    &["schema_version", "step", "status", "pc", "operand_stack", "call_stack", "trap", "halt"];

struct Snapshots;

impl Writer for Snapshots {
    fn before(&mut self, step: &Step<'_>, out: &mut dyn Write) -> io::Result<()> {
        write(step.at.state, out)
    }

    fn after(&mut self, _: &Done<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, end: &End<'_>, out: &mut dyn Write) -> io::Result<()> {
        write(end.state, out)
    }

    fn machine(&self) -> Option<&'static str> {
        Some("minic89")
    }
}

fn write(state: &dyn Inspect, out: &mut dyn Write) -> io::Result<()> {
    let member = |name: &&str| Some(((*name).to_owned(), plain(&state.observe(name)?)));
    let snapshot: Map<String, Json> = MEMBERS.iter().filter_map(member).collect();
    writeln!(out, "{}", one_line(&snapshot))
}
