//! The machine: what a run changes, the one loop, and what can be observed.

use super::fault::{Fault, Limit, Stop};
use super::frame::{Context, Core, Frame};
use super::program::{self, Loaded};
use super::show::Show;
use super::table::{self, NEO3, Op};
use crate::machines::machine::{At, Field, LimitReached, LoadError, Machine, Metered, Status, Watch};
use crate::machines::observe::Observe;
use crate::machines::{Language, MachineInfo};
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// The machine's entry in the list of machines.
pub const INFO: MachineInfo = MachineInfo {
    name: "neo3",
    doc: "NeoVM of Neo N3, with the light reference counter",
    isa: &NEO3,
    language: Language::Bytes,
    contains: program::contains,
    lint: crate::machines::nothing_odd,
    new: |limits| Box::new(Neo3::new(limits)),
};

/// A NeoVM of N3.
pub struct Neo3 {
    /// The script, and a RET behind its end.
    script: Vec<u8>,
    pub(super) pc: usize,
    pub(super) core: Core,
    stop: Option<Stop>,
    steps: u64,
}

impl Neo3 {
    /// A machine that holds no program.
    pub fn new(limits: &Limits) -> Neo3 {
        Neo3 { script: vec![Op::RET as u8], pc: 0, core: Core::default(), stop: None, steps: limits.steps }
    }

    /// The one loop. Gives why it ended; none when the meter ended it. Kept in one copy, so that
    /// what is not inlined by order is where it is called once.
    #[inline(never)]
    fn cycle(&mut self, mut meter: Metered) -> Option<Stop> {
        let mut frame = Frame { pc: self.pc, script: &self.script, core: &mut self.core };
        let stop = table::interpret(&mut frame, &mut meter);
        self.pc = frame.pc;
        stop
    }

    fn watched(&mut self, budget: u64, watch: &mut dyn Watch) -> Option<Stop> {
        for _ in 0..budget {
            watch.before(&self.at());
            if let Some(stop) = self.cycle(Metered(1)) {
                return Some(stop);
            }
        }
        None
    }

    pub(super) fn at(&self) -> At<'_> {
        let code = self.script[self.pc];
        let op = NEO3.by_code(code.into());
        let rest = self.script[..self.length()].get(self.pc + 1..).unwrap_or_default();
        let length = op.map_or(0, |op| op.operand_len(rest).unwrap_or(rest.len()));
        At { pc: self.pc, op, code: u16::from(code), operand: &rest[..length], state: self }
    }

    /// How long the script is.
    fn length(&self) -> usize {
        self.script.len() - 1
    }

    /// With no script there is no frame, and the first step ends the run.
    fn has_frame(&self) -> bool {
        let is_rejected =
            matches!(&self.stop, Some(Stop::Faulted(fault)) if matches!(**fault, Fault::Rejected(_)));
        self.length() > 0 && !is_rejected && !self.is_halted()
    }

    fn is_halted(&self) -> bool {
        matches!(self.stop, Some(Stop::Halted))
    }

    fn status(&self) -> Status {
        match self.stop {
            None => Status::Running,
            Some(Stop::Limited(Limit::Steps)) => {
                Status::Limit(LimitReached { flag: "max-steps", limit: self.steps })
            }
            Some(Stop::Halted | Stop::Faulted(_) | Stop::Thrown(_)) => Status::Ended,
        }
    }
}

impl Machine for Neo3 {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        let Loaded { mut script, host, rejected } = program::load(program)?;
        script.push(Op::RET as u8);
        self.script = script;
        self.pc = 0;
        self.core.reset(host, self.steps);
        self.stop = rejected.map(Stop::from);
        Ok(())
    }

    fn run(&mut self, budget: u64, watch: Option<&mut dyn Watch>) -> Status {
        if self.stop.is_none() && budget > 0 {
            self.stop = match watch {
                _ if !self.has_frame() => Some(Stop::Halted),
                Some(watch) => self.watched(budget, watch),
                None => self.cycle(Metered(budget)),
            };
        }
        self.status()
    }

    fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.core.change(changes)
    }

    fn next(&self) -> Option<At<'_>> {
        (self.stop.is_none() && self.has_frame()).then(|| self.at())
    }

    fn depth(&self) -> usize {
        if self.has_frame() { 1 + self.core.callers.len() } else { 0 }
    }

    fn describe(&self) -> String {
        let (height, references) = (self.core.stack.len(), self.core.references());
        let counts = format!("{height} on the stack, {references} references");
        let reason = match &self.stop {
            Some(Stop::Halted) => return format!("HALT, {counts}"),
            None | Some(Stop::Thrown(_)) => "BREAK".to_owned(),
            Some(Stop::Limited(_)) => "ended by the runner".to_owned(),
            Some(Stop::Faulted(fault)) => format!("FAULT, {:?},", fault.to_string()),
        };
        format!("{reason} at 0x{:x} {}, {counts}", self.pc, self.mnemonic(self.pc))
    }
}

/// What can be observed.
static FIELDS: &[Field<Neo3>] = &[
    Field { name: "state", doc: "BREAK, HALT or FAULT", read: |m| Some(Value::text(m.state())) },
    Field {
        name: "invocationStack",
        doc: "frames, the current one first; stacks are listed from their top",
        read: |m| Some(m.frames()),
    },
    Field {
        name: "resultStack",
        doc: "items that the script leaves, the top one first; none before HALT",
        read: |m| Some(m.results()),
    },
    Field { name: "refs", doc: "references, as the limit counts them", read: |m| Some(m.references()) },
    Field { name: "exceptionMessage", doc: "why the script faulted; none else", read: Neo3::message },
];

impl Observe for Neo3 {
    fn has_field(&self, field: &str) -> bool {
        FIELDS.iter().any(|row| row.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        FIELDS.iter().find(|row| row.name == field).and_then(|row| (row.read)(self))
    }
}

impl Neo3 {
    fn state(&self) -> &'static str {
        match self.stop {
            None | Some(Stop::Thrown(_) | Stop::Limited(_)) => "BREAK",
            Some(Stop::Halted) => "HALT",
            Some(Stop::Faulted(_)) => "FAULT",
        }
    }

    fn references(&self) -> Value {
        Value::int(self.core.references())
    }

    fn message(&self) -> Option<Value> {
        match &self.stop {
            Some(Stop::Faulted(fault)) => Some(Value::text(fault.to_string())),
            None | Some(Stop::Halted | Stop::Thrown(_) | Stop::Limited(_)) => None,
        }
    }

    fn results(&self) -> Value {
        let items = if self.is_halted() { &self.core.stack[..] } else { &[] };
        Show::new(&self.core.heap).top_first(items)
    }

    fn frames(&self) -> Value {
        if !self.has_frame() {
            return Value::List(Vec::new());
        }
        let current = (self.pc, &self.core.context);
        let callers = self.core.callers.iter().rev().map(|caller| (caller.pc, caller));
        let frames = [current].into_iter().chain(callers);
        // One for all: each frame shows the one stack again.
        let mut show = Show::new(&self.core.heap);
        Value::List(frames.map(|(pc, context)| self.frame(pc, context, &mut show)).collect())
    }

    fn frame(&self, pc: usize, context: &Context, show: &mut Show<'_>) -> Value {
        let mut members = vec![
            ("instructionPointer".to_owned(), Value::int(pc)),
            ("nextInstruction".to_owned(), Value::text(self.mnemonic(pc))),
            ("nextOpcode".to_owned(), Value::int(self.script[pc])),
            ("evaluationStack".to_owned(), show.top_first(&self.core.stack)),
        ];
        let slots = [
            ("staticFields", &self.core.statics),
            ("localVariables", &context.locals),
            ("arguments", &context.arguments),
        ];
        for (name, slot) in slots {
            if !slot.is_empty() {
                members.push((name.to_owned(), show.in_order(slot)));
            }
        }
        Value::Record(members)
    }

    /// The script, with the RET behind its end where that comes next: no operand has it.
    pub(super) fn executed(&self) -> &[u8] {
        &self.script[..self.length().max(self.pc + 1)]
    }

    /// The mnemonic at a position; RET at the end, and the number of a code without a row.
    fn mnemonic(&self, pc: usize) -> String {
        let code = self.script[pc];
        NEO3.by_code(code.into()).map_or_else(|| code.to_string(), |op| op.name.to_owned())
    }
}
