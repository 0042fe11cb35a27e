//! The process protocol, version 1: how vmconf drives a machine in another process.
//!
//! vmconf writes requests to the standard input of the process, and the process writes answers to its
//! standard output, one JSON object per line. vmconf begins with `hello` and then sends one request at a
//! time, or as many as the process offers to queue. The schema `protocol` and the page `docs/src/protocol.md`
//! describe every member.
//!
//! Unknown members are ignored, since a later vmconf may send more. Programs and fields are plain JSON, with
//! the shapes that the machine declares in [`crate::machines::MachineInfo`]; see [`super::plain`].

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use self::optional_request::OptionalRequest;
use super::line::{LineError, LineHeader, one_line, read};
use super::name::start;
use super::{remark, strict};
use crate::model::field_type::MAX_FIELDS;
use crate::model::{Path, PathKey};

mod optional_request;

/// The version of the protocol; incremented when the meaning of a member changes.
pub const VERSION: u32 = 1;

/// The longest line of an answer, in bytes without its terminator.
pub const MAX_MESSAGE_LINE: usize = 64 << 20;

/// The maximum number of commas in an answer, since each value takes memory, however short its text is.
const MAX_COMMAS: usize = 2_000_000;

/// What vmconf writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Request {
    /// The first request: `{"type":"hello","version":1,"vmconf":"0.1.0"}`.
    Hello(Greeting),
    /// Runs a program.
    Run(RunRequest),
    /// Runs a program and hashes its instructions.
    Digests(DigestsRequest),
    /// Runs a program and returns some of its instructions.
    Trace(TraceRequest),
}

/// What a process answers.
#[derive(Debug, Clone, PartialEq, Serialize, strum::IntoStaticStr)]
#[serde(tag = "type", rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ProtocolAnswer {
    /// To [`Request::Hello`].
    Hello(Hello),
    /// To [`Request::Run`]: the program ran.
    Done(RunDone),
    /// To any request except `hello`: the machine lacks what the program needs.
    Skip(Skip),
    /// To any request except `hello`: the program is invalid for this machine, or a limit was reached.
    Error(TesteeFailure),
    /// To [`Request::Digests`].
    Digests(DigestsDone),
    /// To [`Request::Trace`].
    Trace(TraceDone),
}

/// What tells whether a line answers a request. Lines of later versions and broken lines have one too.
#[derive(Debug, Default, Deserialize)]
pub struct AnswerHeader<'l> {
    #[serde(borrow, default)]
    r#type: Cow<'l, str>,
    #[serde(default)]
    id: Option<u64>,
}

impl AnswerHeader<'_> {
    /// Reads the header of a line; it is empty if the line has none.
    pub fn read(line: &[u8]) -> AnswerHeader<'_> {
        let done = done_id(line).map(|id| AnswerHeader { r#type: Cow::Borrowed("done"), id: Some(id) });
        done.or_else(|| read(line).ok()).unwrap_or_default()
    }

    /// The number of the request that the line answers.
    pub fn id(&self) -> Option<u64> {
        self.id
    }

    /// Whether it answers `hello`.
    pub fn is_hello(&self) -> bool {
        self.r#type == "hello"
    }

    /// Whether it says that the process works on its answer: `{"type": "alive"}`.
    pub fn is_alive(&self) -> bool {
        self.r#type == "alive"
    }
}

/// The number of the request, if a line begins as most answers do: the rest of it need not be read for that.
fn done_id(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(br#"{"type":"#)?.trim_ascii_start().strip_prefix(br#""done","#)?;
    let rest = rest.trim_ascii_start().strip_prefix(br#""id":"#)?.trim_ascii_start();
    let (id, _) = rest.split_at(rest.iter().position(|byte| matches!(byte, b',' | b'}'))?);
    str::from_utf8(id).ok()?.parse().ok()
}

/// The start of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// See [`VERSION`].
    pub version: u32,
    /// The version of vmconf.
    pub vmconf: String,
}

/// What a process reports about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol that the process speaks.
    pub version: u32,
    /// The name of the implementation: `py-evm`.
    pub name: String,
    /// The version of the implementation.
    pub release: String,
    /// The language that it is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Where to read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The machines that it implements.
    #[serde(deserialize_with = "strict::objects")]
    pub machines: Vec<Offer>,
    /// How many requests may wait for their answers at the same time; 1 without this member. Answers come in
    /// the order of the requests.
    #[serde(rename = "inFlight", default = "one", skip_serializing_if = "is_one")]
    pub in_flight: usize,
}

const fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(number: &usize) -> bool {
    *number == 1
}

impl Hello {
    /// The longest name, release or other text, in bytes.
    const MAX_TEXT: usize = 200;

    /// The most texts in a list.
    const MAX_TEXTS: usize = 200;

    /// The maximum number of requests in flight, whatever a process offers.
    pub const MAX_IN_FLIGHT: usize = 64;

    /// Whether the release says which version it is. `unknown` does not.
    pub fn has_release(&self) -> bool {
        !["", "unknown"].contains(&self.release.trim())
    }

    /// Returns the answer, with a number of requests in flight that is allowed, if no text and no list in it is longer
    /// than allowed: they are printed with every run. The error says in one line which one is.
    pub fn limited(self) -> Result<Hello, String> {
        let Hello { version: _, name, release, language, homepage, machines, in_flight: _ } = &self;
        let lists = machines.iter().flat_map(|offer| {
            let Offer { machine: _, fields, actions, revisions, lacks, extensions, requests } = offer;
            [
                ("fields", fields),
                ("actions", actions),
                ("revisions", revisions),
                ("lacks", lacks),
                ("extensions", extensions),
                ("requests", requests),
            ]
        });
        let one = |name, text| (name, std::slice::from_ref(text));
        let single = [one("name", name), one("release", release)].into_iter();
        let optional = [("language", language), ("homepage", homepage)];
        let optional = optional.into_iter().filter_map(|(name, text)| Some(one(name, text.as_ref()?)));
        let names = machines.iter().map(|offer| one("machine", &offer.machine));
        let lists = lists.map(|(name, list)| (name, list.as_slice()));
        for (member, texts) in single.chain(optional).chain(names).chain(lists) {
            let most = if member == "fields" { MAX_FIELDS } else { Hello::MAX_TEXTS };
            if texts.len() > most {
                let count = texts.len();
                return Err(format!("says hello with {count} texts in {member}; at most {most}"));
            }
            if let Some(text) = texts.iter().find(|text| text.len() > Hello::MAX_TEXT) {
                let (most, start) = (Hello::MAX_TEXT, start(text));
                return Err(format!(
                    "says hello with {} bytes as {member}: {start}; at most {most}",
                    text.len()
                ));
            }
        }
        if machines.len() > Hello::MAX_TEXTS {
            return Err(format!("says hello with {} machines; at most {}", machines.len(), Hello::MAX_TEXTS));
        }
        Ok(Hello { in_flight: self.in_flight.clamp(1, Hello::MAX_IN_FLIGHT), ..self })
    }
}

/// A machine that a process implements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Offer {
    /// The name of the machine, as listed by `vmconf isa`.
    pub machine: String,
    /// The fields of the state that it reports.
    pub fields: Vec<String>,
    /// The actions that it performs, by [`WireAction::name`]; only `execute` without this member.
    #[serde(default = "execute_only")]
    pub actions: Vec<String>,
    /// The revisions of the machine that it implements, such as `homestead`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// What it lacks, as text for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// What it does beyond the specification, as text for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The optional requests that it answers, by [`OptionalRequest::name`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<String>,
}

impl Offer {
    /// Whether it reports a field.
    pub fn reports(&self, field: &str) -> bool {
        self.fields.iter().any(|name| name == field)
    }

    /// Whether it answers an optional request.
    pub fn answers(&self, request: OptionalRequest) -> bool {
        self.requests.iter().any(|name| name == request.name())
    }

    /// Whether it performs an action with this name.
    pub fn performs(&self, action: &str) -> bool {
        self.actions.iter().any(|name| name == action)
    }

    /// Whether it can stop after a number of instructions, so that its state after each of them can be requested.
    pub fn stops(&self) -> bool {
        [WireAction::Run(0), WireAction::StepInto].iter().any(|action| self.performs(action.name()))
    }

    /// Whether it reports the steps of a run in some way.
    pub fn reports_steps(&self) -> bool {
        self.answers(OptionalRequest::Trace) || self.stops()
    }

    /// Those of the fields that a process need not report that it does not report: assertions on them are left out.
    pub fn left_out(&self, optional: &[&'static str]) -> impl Iterator<Item = &'static str> {
        optional.iter().copied().filter(|name| !self.reports(name))
    }
}

fn execute_only() -> Vec<String> {
    vec![WireAction::Execute.name().to_owned()]
}

/// Runs a program from its start on a fresh machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The number of the request, which the answer repeats.
    pub id: u64,
    /// The machine.
    pub machine: String,
    /// The program; its members depend on the machine.
    pub program: Json,
    /// What to do with the machine and which fields to report, in order.
    #[serde(deserialize_with = "strict::objects")]
    pub steps: Vec<WireStep>,
    /// The limits of vmconf that differ from their defaults, by the name of the flag: `max-steps`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct WireStep {
    /// The actions, in order.
    pub r#do: Vec<WireAction>,
    /// The fields to report after them.
    pub observe: Vec<String>,
}

/// An action: `"execute"`, `{"run": 5}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum WireAction {
    /// Runs to the end.
    Execute,
    /// Executes at most this number of instructions.
    Run(u64),
    /// Changes the state; the members depend on the machine.
    Set(Json),
    /// Executes one instruction.
    StepInto,
    /// Executes one instruction and everything that it calls.
    StepOver,
    /// Runs until the current frame returns.
    StepOut,
}

impl WireAction {
    /// One of each kind.
    pub fn all() -> [WireAction; 6] {
        [
            WireAction::Execute,
            WireAction::Run(0),
            WireAction::Set(Json::Null),
            WireAction::StepInto,
            WireAction::StepOver,
            WireAction::StepOut,
        ]
    }

    /// Its name in [`Offer::actions`].
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// The states of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDone {
    /// The number of the request.
    pub id: u64,
    /// One state for each step of the request.
    #[serde(deserialize_with = "strict::objects")]
    pub steps: Vec<ObservedState>,
    /// How the machine ended, in one line for people.
    #[serde(default, deserialize_with = "remark::optional", skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// The state after a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct ObservedState {
    /// The fields that were requested and have a value.
    #[serde(deserialize_with = "strict::members")]
    pub fields: Map<String, Json>,
}

/// The machine lacks what the program needs, such as an instruction or an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The number of the request.
    pub id: u64,
    /// What it lacks: `no call recording`.
    #[serde(deserialize_with = "remark::text")]
    pub reason: String,
}

/// The program is invalid for this machine, or a limit of [`RunRequest::limits`] was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TesteeFailure {
    /// The number of the request.
    pub id: u64,
    /// What is wrong.
    #[serde(deserialize_with = "remark::text")]
    pub message: String,
    /// The path of the invalid datum in the program: names of members and indices of items, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<PathKey>,
}

impl TesteeFailure {
    /// The path of the invalid datum; `None` if no program can have one at such a path.
    pub fn path(&self) -> Option<Path> {
        /// More than a line may nest. A path is a chain that is followed by recursion.
        const MAX_KEYS: usize = 128;
        let (PathKey::Name(field), keys) = self.at.split_first()? else { return None };
        if keys.len() > MAX_KEYS {
            return None;
        }
        Some(keys.iter().fold(Path::field(field.clone()), |path, key| path.child(key.clone())))
    }
}

/// Runs a program and hashes its instructions, so that two machines can be compared without their full traces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DigestsRequest {
    /// The number of the request.
    pub id: u64,
    /// The machine.
    pub machine: String,
    /// The program.
    pub program: Json,
    /// The actions, in order.
    pub r#do: Vec<WireAction>,
    /// See [`RunRequest::limits`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// Numbers of instructions, in ascending order.
    pub after: Vec<u64>,
}

/// The hashes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestsDone {
    /// The number of the request.
    pub id: u64,
    /// The SHA-256, in hex digits, of the first instructions; one for each number in [`DigestsRequest::after`] that
    /// the run reached. The input for each instruction is [`TracedInstruction::hashed`].
    pub digests: Vec<String>,
    /// How many instructions were executed, up to the largest number in [`DigestsRequest::after`].
    pub instructions: u64,
}

/// Runs a program and returns some of its instructions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceRequest {
    /// The number of the request.
    pub id: u64,
    /// The machine.
    pub machine: String,
    /// The program.
    pub program: Json,
    /// The actions, in order.
    pub r#do: Vec<WireAction>,
    /// See [`RunRequest::limits`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// How many instructions to skip before the first one that is returned.
    pub skip: u64,
    /// How many to return, at most [`MAX_INSTRUCTIONS`].
    pub count: u64,
}

/// The maximum number of instructions in an answer.
pub const MAX_INSTRUCTIONS: u64 = 10_000;

/// The instructions that were requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceDone {
    /// The number of the request.
    pub id: u64,
    /// Fewer than requested if the run ends earlier.
    #[serde(deserialize_with = "strict::objects")]
    pub instructions: Vec<TracedInstruction>,
}

/// The state of a machine before an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct TracedInstruction {
    /// The program counter.
    pub pc: u64,
    /// The code of the instruction.
    pub code: u64,
    /// Remaining gas, on a machine with gas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gas: Option<u64>,
    /// How many values are on the stack.
    pub height: u64,
    /// The top values of the stack, at most [`MAX_TOP`], the top one first: numbers in decimal, bytes in hex
    /// after `0x`, others as the name of their type.
    pub top: Vec<String>,
}

/// The maximum number of values in [`TracedInstruction::top`].
pub const MAX_TOP: usize = 4;

impl TracedInstruction {
    /// The line that is hashed: the members separated by spaces, with `-` for no gas: `3 96 97 1 42`.
    pub fn hashed(&self) -> String {
        let TracedInstruction { pc, code, gas, height, top } = self;
        let gas = gas.map_or_else(|| "-".to_owned(), |gas| gas.to_string());
        let top: String = top.iter().flat_map(|item| [" ", item]).collect();
        format!("{pc} {code} {gas} {height}{top}\n")
    }
}

impl Request {
    /// Reads a request. An error says what is wrong, with its column.
    pub fn read(line: &[u8]) -> Result<Request, LineError> {
        read_typed(
            line,
            &[
                ("hello", |line| read(line).map(Request::Hello)),
                ("run", |line| read(line).map(Request::Run)),
                ("digests", |line| read(line).map(Request::Digests)),
                ("trace", |line| read(line).map(Request::Trace)),
            ],
        )
    }

    /// The same request with this number; `hello` has none.
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Request {
        match &mut self {
            Request::Hello(_) => {}
            Request::Run(RunRequest { id, .. })
            | Request::Digests(DigestsRequest { id, .. })
            | Request::Trace(TraceRequest { id, .. }) => *id = number,
        }
        self
    }

    /// The number of the request; `None` for `hello`.
    pub fn id(&self) -> Option<u64> {
        match self {
            Request::Hello(_) => None,
            Request::Run(RunRequest { id, .. })
            | Request::Digests(DigestsRequest { id, .. })
            | Request::Trace(TraceRequest { id, .. }) => Some(*id),
        }
    }

    /// The request in one line, with its terminator.
    pub fn line(&self) -> String {
        one_line(self) + "\n"
    }
}

impl ProtocolAnswer {
    /// Reads an answer. An error says what is wrong, with its column.
    pub fn read(line: &[u8]) -> Result<ProtocolAnswer, LineError> {
        if memchr::memchr_iter(b',', line).count() > MAX_COMMAS {
            return Err(format!("has more than {MAX_COMMAS} values").into());
        }
        read_typed(
            line,
            &[
                ("hello", |line| read(line).map(ProtocolAnswer::Hello)),
                ("done", |line| read(line).map(ProtocolAnswer::Done)),
                ("skip", |line| read(line).map(ProtocolAnswer::Skip)),
                ("error", |line| read(line).map(ProtocolAnswer::Error)),
                ("digests", |line| read(line).map(ProtocolAnswer::Digests)),
                ("trace", |line| read(line).map(ProtocolAnswer::Trace)),
            ],
        )
    }

    /// The number of the request that is answered; `None` for `hello`.
    pub fn id(&self) -> Option<u64> {
        match self {
            ProtocolAnswer::Hello(_) => None,
            ProtocolAnswer::Done(RunDone { id, .. })
            | ProtocolAnswer::Skip(Skip { id, .. })
            | ProtocolAnswer::Error(TesteeFailure { id, .. })
            | ProtocolAnswer::Digests(DigestsDone { id, .. })
            | ProtocolAnswer::Trace(TraceDone { id, .. }) => Some(*id),
        }
    }

    /// The answer in one line, with its terminator.
    pub fn line(&self) -> String {
        one_line(self) + "\n"
    }

    /// The type of its line.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// A type of line, and the function that reads it.
type LineReader<T> = (&'static str, fn(&[u8]) -> Result<T, LineError>);

fn read_typed<T>(line: &[u8], types: &[LineReader<T>]) -> Result<T, LineError> {
    let LineHeader { r#type, .. } = read(line)?;
    if let Some((_, read)) = types.iter().find(|known| known.0 == r#type) {
        return read(line);
    }
    let names: Vec<_> = types.iter().map(|known| known.0).collect();
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    let expected = format!("{} or {last}", others.join(", "));
    Err(format!("has the type {}; expected {expected}", start(&r#type)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of an answer has room for a million keys.
    #[test]
    fn a_path_that_no_program_has_is_none() {
        let failure = |count| TesteeFailure { id: 1, message: "m".to_owned(), at: vec!["a".into(); count] };
        assert_eq!(failure(2).path(), Some(Path::field("a").child("a")));
        assert_eq!(failure(1_000_000).path(), None);
    }
}
