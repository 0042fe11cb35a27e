//! Snapshots of the MiniC89 machine: one before the first instruction and one after each, as
//! `schemas/minic89-snapshot.schema.json` has them.

use std::io::{self, Write};

use serde_json::{Map, Value as Json};

use super::plain::plain;
use super::{TraceKind, Tracer};
use crate::diff::Observe;
use crate::machine::{At, Watch};

pub(super) const KIND: TraceKind = TraceKind {
    name: "minic89",
    doc: "snapshots of MiniC89, one JSON document a line",
    machine: Some("minic89"),
    new: |out| Box::new(Snapshots { out, result: Ok(()) }),
};

/// The members of a snapshot, in the order in which they are written.
const MEMBERS: &[&str] =
    &["schema_version", "step", "status", "pc", "operand_stack", "call_stack", "trap", "halt"];

struct Snapshots {
    out: Box<dyn Write>,
    result: io::Result<()>,
}

impl Snapshots {
    fn write(&mut self, state: &dyn Observe) {
        if self.result.is_err() {
            return;
        }
        let member = |name: &&str| Some(((*name).to_owned(), plain(&state.observe(name)?)));
        let snapshot: Map<_, _> = MEMBERS.iter().filter_map(member).collect();
        self.result = writeln!(self.out, "{}", Json::Object(snapshot));
    }
}

impl Watch for Snapshots {
    fn before(&mut self, at: &At<'_>) {
        self.write(at.state);
    }
}

impl Tracer for Snapshots {
    fn end(&mut self, state: &dyn Observe) -> io::Result<()> {
        self.write(state);
        std::mem::replace(&mut self.result, Ok(()))?;
        self.out.flush()
    }
}
