//! Lines of EVM traces, as specified by EIP-3155 and as clients write them: numbers as JSON numbers or hex
//! digits with any number of zeros, optional members, other text between the lines.

use num_bigint::BigInt;
use serde_json::{Map, Value as Json};

use crate::model::hex::hex_bytes;
use crate::model::value::Value;

/// A line of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceLine {
    /// The machine before an instruction.
    Step(Eip3155Step),
    /// The end of the run: `output`, `gasUsed` and `pass`, as far as present.
    Summary(TraceMembers),
    /// Something else.
    Other,
}

/// The machine before an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eip3155Step {
    /// The name of the instruction, or its code in hex if the line has no name.
    pub op: String,
    /// The state: the members of `STATE` that are present.
    pub state: TraceMembers,
}

/// Members by name, in the order of their list.
pub type TraceMembers = Vec<(&'static str, Value)>;

/// How a member is read.
#[derive(Debug, Clone, Copy)]
enum TraceLineKind {
    Number,
    Numbers,
    Bytes,
    Bool,
}

impl TraceLineKind {
    fn expected(self) -> &'static str {
        match self {
            TraceLineKind::Number => "a number such as 10 or \"0xa\"",
            TraceLineKind::Numbers => "a list of numbers such as [\"0x2a\", \"0x1\"]",
            TraceLineKind::Bytes => "bytes as hex digits",
            TraceLineKind::Bool => "true or false",
        }
    }
}

/// The members that describe the state before an instruction. `gasCost` is not included, since clients define
/// it differently for calls; a different cost shows in `gas` of the next step.
const STATE: &[(&str, TraceLineKind)] = &[
    ("pc", TraceLineKind::Number),
    ("op", TraceLineKind::Number),
    ("depth", TraceLineKind::Number),
    ("gas", TraceLineKind::Number),
    ("stack", TraceLineKind::Numbers),
    ("memSize", TraceLineKind::Number),
    ("memory", TraceLineKind::Bytes),
    ("returnData", TraceLineKind::Bytes),
    ("refund", TraceLineKind::Number),
];

const SUMMARY: &[(&str, TraceLineKind)] =
    &[("output", TraceLineKind::Bytes), ("gasUsed", TraceLineKind::Number), ("pass", TraceLineKind::Bool)];

/// Reads a line; a member of another type than EIP-3155 gives it is left out.
pub fn read(line: &[u8]) -> TraceLine {
    members_of(line).map_or(TraceLine::Other, |members| of_members(&members))
}

/// Reads a line.
///
/// # Errors
///
/// The first member of a step that has another type than EIP-3155 gives it: its name, and what is expected.
pub fn read_exactly(line: &[u8]) -> Result<TraceLine, (&'static str, &'static str)> {
    let Some(members) = members_of(line) else { return Ok(TraceLine::Other) };
    if members.contains_key("pc") && members.contains_key("op") {
        let is_wrong = |(name, kind): &&(&'static str, TraceLineKind)| {
            let given = members.get(*name).filter(|given| !given.is_null());
            given.is_some_and(|given| value(given, *kind).is_none())
        };
        if let Some((name, kind)) = STATE.iter().find(is_wrong) {
            return Err((name, kind.expected()));
        }
    }
    Ok(of_members(&members))
}

fn members_of(line: &[u8]) -> Option<Map<String, Json>> {
    serde_json::from_slice(line).ok()
}

fn of_members(members: &Map<String, Json>) -> TraceLine {
    let state = read_members(members, STATE);
    let code = state.iter().find(|member| member.0 == "op").map(|member| &member.1);
    match code {
        Some(Value::Int(code)) if members.contains_key("pc") => {
            let name = members.get("opName").and_then(Json::as_str);
            let op = name.map_or_else(|| format!("{code:#04x}"), str::to_owned);
            TraceLine::Step(Eip3155Step { op, state })
        }
        _ => match read_members(members, SUMMARY) {
            none if none.is_empty() => TraceLine::Other,
            summary => TraceLine::Summary(summary),
        },
    }
}

fn read_members(members: &Map<String, Json>, kinds: &[(&'static str, TraceLineKind)]) -> TraceMembers {
    let read =
        |(name, kind): &(&'static str, TraceLineKind)| Some((*name, value(members.get(*name)?, *kind)?));
    kinds.iter().filter_map(read).collect()
}

fn value(json: &Json, kind: TraceLineKind) -> Option<Value> {
    match kind {
        TraceLineKind::Number => number(json),
        TraceLineKind::Numbers => json.as_array()?.iter().map(number).collect::<Option<_>>().map(Value::List),
        TraceLineKind::Bytes => {
            let text = json.as_str()?;
            hex_bytes(text.strip_prefix("0x").unwrap_or(text)).map(Value::Bytes)
        }
        TraceLineKind::Bool => json.as_bool().map(Value::Bool),
    }
}

fn number(json: &Json) -> Option<Value> {
    match json {
        Json::Number(number) => number.as_u64().map(Value::int),
        Json::String(text) => BigInt::parse_bytes(text.strip_prefix("0x")?.as_bytes(), 16).map(Value::Int),
        _ => None,
    }
}
