//! EVM traces in the format of EIP-3155: one JSON object per instruction, then a summary.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::writer::{TraceEnd, TraceKind, TraceOutcome, TraceStep, TraceWriter};
use crate::machines::ends_of;
use crate::machines::inspect::{Inspect, frame_of};
use crate::model::{Value, bytes_key};
use crate::wire::line::one_line;

pub(super) const KIND: TraceKind = TraceKind {
    name: "eip3155",
    doc: "EIP-3155 of the EVM, one JSON object a line",
    new: |isa| {
        let normal_end = ends_of(isa.machine).normal;
        Box::new(Eip3155 { normal_end, ..Eip3155::default() })
    },
};

/// The state root for a machine that does not compute one.
const NO_ROOT: [u8; 32] = [0; 32];

#[derive(Default)]
struct Eip3155 {
    /// The field that says that a run ended normally, and its value then.
    normal_end: Option<(&'static str, &'static str)>,
    /// Gas at the start of the run.
    gas: u64,
    /// The line of the current step, as yet without its cost.
    line: Map<String, Json>,
}

impl TraceWriter for Eip3155 {
    fn start(&mut self, state: &dyn Inspect, _: &mut dyn Write) -> io::Result<()> {
        self.gas = state.gas().map_or(0, |gas| gas.left);
        Ok(())
    }

    fn before(&mut self, step: &TraceStep<'_>, _: &mut dyn Write) -> io::Result<()> {
        let at = step.at;
        let stack = (0..at.state.height()).rev().filter_map(|below| at.state.item(below));
        let mut add = |name: &str, value: Json| drop(self.line.insert(name.to_owned(), value));
        add("pc", at.pc.into());
        add("op", at.code.into());
        let frame = frame_of(at.state);
        let gas = frame.as_ref().map(|frame| frame.gas).or(at.state.gas().map(|gas| gas.left));
        add("gas", quantity(gas.map(Value::int)));
        add("gasCost", Json::Null);
        add("stack", stack.map(|item| quantity(Some(item))).collect());
        // If calls execute no code, there is a single frame, and its return data is empty.
        add("depth", frame.map_or(1, |frame| frame.depth).into());
        add("returnData", bytes(at.state.observe("returnData")).into());
        add("refund", quantity(at.state.observe("refund")));
        add("memSize", number(at.state.observe("memorySize")));
        if let Some(op) = at.op {
            add("opName", op.name.into());
        }
        Ok(())
    }

    fn after(&mut self, done: &TraceOutcome<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.insert("gasCost".to_owned(), quantity(done.cost.map(Value::int)));
        if let Some(failure) = done.state.failure() {
            line.insert("error".to_owned(), failure.into());
        }
        writeln!(out, "{}", one_line(&line))
    }

    fn end(&mut self, end: &TraceEnd<'_>, out: &mut dyn Write) -> io::Result<()> {
        let state = end.state;
        // A halt consumes all gas, whatever the machine has left.
        let left = if state.failure().is_some() { 0 } else { state.gas().map_or(0, |gas| gas.left) };
        let used = state.observe("gasUsed").unwrap_or_else(|| Value::int(self.gas.saturating_sub(left)));
        let is_normal =
            |(field, value): (&'static str, &'static str)| state.observe(field) == Some(Value::text(value));
        let fork = state.observe("fork").unwrap_or_else(|| Value::text("Homestead"));
        let summary = json!({
            "stateRoot": bytes(state.observe("root").or(Some(Value::Bytes(NO_ROOT.to_vec())))),
            "output": bytes(state.observe("out").or_else(|| state.observe("output"))),
            "gasUsed": quantity(Some(used)),
            "pass": self.normal_end.is_some_and(is_normal),
            "fork": if let Value::Text(fork) = fork { fork.to_string() } else { String::new() },
        });
        writeln!(out, "{}", one_line(&summary))
    }

    fn machines(&self) -> &'static [&'static str] {
        &["evm", "ethereum"]
    }
}

/// Bytes as hex digits; no digits if absent.
fn bytes(value: Option<Value>) -> String {
    if let Some(Value::Bytes(bytes)) = value { bytes_key(&bytes) } else { "0x".to_owned() }
}

/// A number as a hex string: `0x2a`.
fn quantity(value: Option<Value>) -> Json {
    match value {
        Some(Value::Int(number)) => format!("0x{number:x}").into(),
        _ => Json::Null,
    }
}

/// A small number as a number.
fn number(value: Option<Value>) -> Json {
    value.and_then(|value| value.number::<u64>()).into()
}
