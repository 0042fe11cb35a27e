//! Lines of EVM traces, as specified by EIP-3155 and as clients write them: numbers as JSON numbers or hex
//! digits with any number of zeros, optional members, other text between the lines.

use num_bigint::BigInt;
use serde_json::{Map, Value as Json};

use crate::model::{Value, hex_bytes};

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
enum MemberType {
    Number,
    Numbers,
    Bytes,
    Bool,
}

impl MemberType {
    fn expected(self) -> &'static str {
        match self {
            MemberType::Number => "a number below 2^64 such as 10, or any in hex as \"0xa\"",
            MemberType::Numbers => "a list of numbers such as [\"0x2a\", \"0x1\"]",
            MemberType::Bytes => "bytes as hex digits",
            MemberType::Bool => "true or false",
        }
    }
}

/// The members that describe the state before an instruction. `gasCost` is not included, since clients define
/// it differently for calls; a different cost shows in `gas` of the next step.
const STATE: &[(&str, MemberType)] = &[
    ("pc", MemberType::Number),
    ("op", MemberType::Number),
    ("depth", MemberType::Number),
    ("gas", MemberType::Number),
    ("stack", MemberType::Numbers),
    ("memSize", MemberType::Number),
    ("memory", MemberType::Bytes),
    ("returnData", MemberType::Bytes),
    ("refund", MemberType::Number),
];

const SUMMARY: &[(&str, MemberType)] =
    &[("output", MemberType::Bytes), ("gasUsed", MemberType::Number), ("pass", MemberType::Bool)];

/// What is wrong with a line that says to be a step or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongLine {
    /// A member has another type than EIP-3155 gives it.
    #[error("{member}: expected {expected}")]
    Member {
        /// Its name.
        member: &'static str,
        /// What is expected.
        expected: &'static str,
    },
    /// It begins like an object, and is none: it is cut, say.
    #[error("expected a whole JSON object")]
    NoObject,
}

/// Reads a line. A member that is null is one that the client does not report. The error is the first wrong member of
/// a step or of a summary, or the one that a step lacks.
pub fn read(line: &[u8]) -> Result<TraceLine, WrongLine> {
    // A byte order mark may begin the first line of a file. Before other lines it is ignored, too.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Some(members) = members_of(line) else {
        // Skipped, it would be a step that the run does not have.
        let is_broken = line.trim_ascii_start().starts_with(b"{");
        return if is_broken { Err(WrongLine::NoObject) } else { Ok(TraceLine::Other) };
    };
    let lacking = ["pc", "op"].iter().filter(|member| !members.contains_key(**member));
    if let [member] = lacking.collect::<Vec<_>>()[..] {
        return Err(WrongLine::Member { member, expected: MemberType::Number.expected() });
    }
    if !members.contains_key("op") {
        let summary = read_members(&members, SUMMARY)?;
        return Ok(if summary.is_empty() { TraceLine::Other } else { TraceLine::Summary(summary) });
    }
    let state = read_members(&members, STATE)?;
    let Some((_, Value::Int(code))) = state.iter().find(|member| member.0 == "op") else {
        return Err(WrongLine::Member { member: "op", expected: MemberType::Number.expected() });
    };
    let name = members.get("opName").and_then(Json::as_str);
    let op = name.map_or_else(|| format!("{code:#04x}"), str::to_owned);
    Ok(TraceLine::Step(Eip3155Step { op, state }))
}

fn members_of(line: &[u8]) -> Option<Map<String, Json>> {
    serde_json::from_slice(line).ok()
}

fn read_members(
    members: &Map<String, Json>,
    kinds: &[(&'static str, MemberType)],
) -> Result<TraceMembers, WrongLine> {
    let read = |(name, kind): &(&'static str, MemberType)| {
        let given = members.get(*name).filter(|given| !given.is_null())?;
        let wrong = WrongLine::Member { member: name, expected: kind.expected() };
        Some(value(given, *kind).map(|value| (*name, value)).ok_or(wrong))
    };
    kinds.iter().filter_map(read).collect()
}

fn value(json: &Json, kind: MemberType) -> Option<Value> {
    match kind {
        MemberType::Number => number(json),
        MemberType::Numbers => json.as_array()?.iter().map(number).collect::<Option<_>>().map(Value::List),
        MemberType::Bytes => {
            let text = json.as_str()?;
            hex_bytes(text.strip_prefix("0x").unwrap_or(text)).map(Value::Bytes)
        }
        MemberType::Bool => json.as_bool().map(Value::Bool),
    }
}

fn number(json: &Json) -> Option<Value> {
    match json {
        Json::Number(number) => number.as_u64().map(Value::int),
        Json::String(text) => {
            let digits = text.strip_prefix("0x")?.as_bytes();
            // The parser allows signs and underscores, too.
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            is_hex.then(|| BigInt::parse_bytes(digits, 16).map(Value::Int))?
        }
        _ => None,
    }
}
