//! The machine: loading, the one loop, and what can be observed.

use std::borrow::Cow;

use super::call::Call;
use super::context::Context;
use super::frame::{Frame, Limit, Stop};
use super::program::{self, code_name};
use super::script::Script;
use super::show::Show;
use super::table::{self, NEO2};
use crate::machines::machine::{At, Field, LimitReached, LoadError, Machine, Meter, Metered, Status, Watch};
use crate::machines::observe::Observe;
use crate::machines::{Language, MachineInfo};
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "neo2",
    doc: "NeoVM 2.x, with the host services of its own test runner",
    isa: &NEO2,
    language: Language::Bytes,
    contains: program::contains,
    lint: crate::machines::nothing_odd,
    new: |limits| Box::new(Neo2::new(limits)),
};

/// A NeoVM 2.x.
pub struct Neo2 {
    scripts: Vec<Script>,
    pub(super) context: Context,
    end: Option<End>,
    limits: Limits,
}

/// How and where the run ended.
#[derive(Debug, Clone, Copy)]
struct End {
    stop: Stop,
    /// Offset and code of the last instruction.
    at: usize,
    code: u8,
}

impl Neo2 {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Neo2 {
        Neo2 {
            scripts: Vec::new(),
            context: Context::new(limits.steps, limits.memory),
            end: None,
            limits: limits.clone(),
        }
    }

    /// The one loop. Gives why it ended; none when the meter ended it.
    fn cycle(&mut self, mut meter: impl Meter) -> Option<End> {
        loop {
            let current = self.context.frames.len().checked_sub(1)?;
            let Call { script, pc, base, .. } = self.context.frames[current];
            let code = &self.scripts[script].code;
            let (scripts, context) = (&self.scripts, &mut self.context);
            let mut frame = Frame { pc: pc as usize, at: pc as usize, base, code, scripts, context };
            let stop = table::interpret(&mut frame, &mut meter);
            let Frame { pc, at, .. } = frame;
            if stop == Some(Stop::Switched) {
                continue;
            }
            // A frame that has returned is gone.
            if let Some(call) = self.context.frames.get_mut(current) {
                call.pc = pc as i64;
            }
            return stop.map(|stop| End { stop, at, code: code[at] });
        }
    }

    fn watched(&mut self, budget: u64, watch: &mut dyn Watch) -> Option<End> {
        for _ in 0..budget {
            if let Some(at) = self.at() {
                watch.before(&at);
            }
            if let Some(end) = self.cycle(Metered(1)) {
                return Some(end);
            }
        }
        None
    }

    /// The next instruction; none after the last one.
    pub(super) fn at(&self) -> Option<At<'_>> {
        let (script, pc) = self.executed()?;
        let (code, rest) = script[pc..].split_first()?;
        let op = NEO2.by_code((*code).into());
        let length = op.map_or(0, |op| op.operand_len(rest).unwrap_or(rest.len()));
        Some(At { pc, op, code: u16::from(*code), operand: &rest[..length], state: self })
    }

    /// The script of the current frame and where it is in it. The RET behind the end of the script is
    /// a part of it where that comes next: no operand has it.
    pub(super) fn executed(&self) -> Option<(&[u8], usize)> {
        let call = self.context.frames.last()?;
        let pc = usize::try_from(call.pc).ok()?;
        let script = &self.scripts[call.script];
        let script = if pc < script.bytes().len() { script.bytes() } else { &script.code };
        (pc < script.len()).then_some((script, pc))
    }

    fn status(&self) -> Status {
        match self.end.map(|end| end.stop) {
            None | Some(Stop::Switched) => Status::Running,
            Some(Stop::Halted | Stop::Faulted(_)) => Status::Ended,
            Some(Stop::Limited(limit)) => Status::Limit(self.limit_reached(limit)),
        }
    }

    fn limit_reached(&self, limit: Limit) -> LimitReached {
        let (flag, limit) = match limit {
            Limit::Steps => ("max-steps", self.limits.steps),
            Limit::Memory => ("max-memory", self.limits.memory),
        };
        LimitReached { flag, limit }
    }
}

impl Machine for Neo2 {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        let mut context = Context::new(self.limits.steps, self.limits.memory);
        self.scripts = program::load(program, &mut context)?;
        context.frames.push(Call { script: 0, pc: 0, base: 0, alt_base: 0, wanted: None });
        self.context = context;
        self.end = None;
        Ok(())
    }

    fn run(&mut self, budget: u64, watch: Option<&mut dyn Watch>) -> Status {
        if self.end.is_none() {
            self.end = match watch {
                Some(watch) => self.watched(budget, watch),
                None => self.cycle(Metered(budget)),
            };
        }
        self.status()
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.context.change(changes)
    }

    fn next(&self) -> Option<At<'_>> {
        if self.end.is_none() { self.at() } else { None }
    }

    fn depth(&self) -> usize {
        self.context.frames.len()
    }

    fn describe(&self) -> String {
        let frames = counted(self.depth(), "frame");
        let Some(End { stop, at, code }) = self.end else {
            return format!("Break{}, {frames}", self.place());
        };
        match stop {
            Stop::Halted => format!("Halt, {}", counted(self.context.results.len(), "result")),
            Stop::Faulted(fault) => {
                format!("Fault at 0x{at:x} {}: {fault}, {frames}", code_name(code))
            }
            Stop::Limited(_) | Stop::Switched => {
                format!("ended by the runner at 0x{at:x} {}, {frames}", code_name(code))
            }
        }
    }
}

impl Neo2 {
    /// Where the machine stands, as a part of a sentence.
    fn place(&self) -> String {
        let call = self.context.frames.last();
        let name = call.and_then(|call| Some((call.pc, self.next_code(call)?)));
        name.map_or(String::new(), |(pc, code)| format!(" at 0x{pc:x} {}", code_name(code)))
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What can be observed. Stacks have their top first, and the frames the current one.
static FIELDS: &[Field<Neo2>] = &[
    Field { name: "state", doc: "Break, Halt or Fault", read: |m| Some(Value::text(m.state())) },
    Field {
        name: "invocationStack",
        doc: "frames with their script hash, place, stack and alt stack",
        read: |m| Some(m.frames()),
    },
    Field {
        name: "resultStack",
        doc: "what the entry script returned",
        read: |m| Some(Show::new(&m.context.heap).stack(&m.context.results)),
    },
    Field {
        name: "itemCount",
        doc: "what the machine believes of how many items there are",
        read: |m| Some(Value::int(m.context.estimate.count)),
    },
];

impl Observe for Neo2 {
    fn has_field(&self, field: &str) -> bool {
        FIELDS.iter().any(|row| row.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        FIELDS.iter().find(|row| row.name == field).and_then(|row| (row.read)(self))
    }
}

impl Neo2 {
    fn state(&self) -> &'static str {
        match self.end.map(|end| end.stop) {
            None | Some(Stop::Switched | Stop::Limited(_)) => "Break",
            Some(Stop::Halted) => "Halt",
            Some(Stop::Faulted(_)) => "Fault",
        }
    }

    fn frames(&self) -> Value {
        let mut show = Show::new(&self.context.heap);
        let mut frames = Vec::new();
        let (mut end, mut alt_end) = (self.context.stack.len(), self.context.alt.len());
        for call in self.context.frames.iter().rev() {
            let items = &self.context.stack[call.base..end];
            let alt = &self.context.alt[call.alt_base..alt_end];
            (end, alt_end) = (call.base, call.alt_base);
            frames.push(self.frame(call, show.stack(items), show.stack(alt)));
        }
        Value::List(frames)
    }

    fn frame(&self, call: &Call, items: Value, alt: Value) -> Value {
        let code = self.next_code(call);
        let members = [
            ("scriptHash", Value::Bytes(self.scripts[call.script].hash().to_vec())),
            ("instructionPointer", Value::int(call.pc)),
            (
                "nextInstruction",
                code.map_or(Value::Null, |code| Value::text(Cow::into_owned(code_name(code)))),
            ),
            ("nextOpcode", code.map_or(Value::Null, Value::int)),
            ("evaluationStack", items),
            ("altStack", alt),
        ];
        Value::Record(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// The code of a frame's next instruction, which behind the end is RET; none in front of the
    /// start, where only a call that failed leads.
    fn next_code(&self, call: &Call) -> Option<u8> {
        let code = &self.scripts[call.script].code;
        let pc = usize::try_from(call.pc).ok()?;
        code.get(pc).or(code.last()).copied()
    }
}
