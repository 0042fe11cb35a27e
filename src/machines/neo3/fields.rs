//! What can be observed.

use super::context::Neo3Context;
use super::fault::Neo3End;
use super::heap::Neo3Heap;
use super::machine::Neo3;
use super::opcodes::NEO3;
use super::shapes::{FRAME, ITEMS, NUMBER};
use crate::machines::neo::script::code_name;
use crate::machines::neo::show::Show;
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::model::shape::Shape;
use crate::model::value::Value;

impl StateFields for Neo3 {
    const FIELDS: &'static [StateField<Neo3>] = state_fields! {
        "state": Shape::Text, "BREAK, HALT or FAULT", |m| Some(Value::text(m.state()));
        "invocationStack": Shape::List(&FRAME), "frames, the current one first; stacks are listed from their top",
            |m| Some(m.frames());
        "resultStack": ITEMS, "items that the script leaves, the top one first; none before HALT",
            |m| Some(m.results());
        "refs": NUMBER, "references, as the limit counts them", |m| Some(m.references());
        "exceptionMessage": Shape::Text, "why the script faulted; none else", Neo3::message;
    };
}

impl Neo3 {
    fn state(&self) -> &'static str {
        match self.stop.as_deref() {
            None | Some(Neo3End::Thrown(_) | Neo3End::Limited(_)) => "BREAK",
            Some(Neo3End::Halted) => "HALT",
            Some(Neo3End::Faulted(_)) => "FAULT",
        }
    }

    fn references(&self) -> Value {
        Value::int(self.core.references())
    }

    fn message(&self) -> Option<Value> {
        match self.stop.as_deref() {
            Some(Neo3End::Faulted(fault)) => Some(Value::text(fault.to_string())),
            None | Some(Neo3End::Halted | Neo3End::Thrown(_) | Neo3End::Limited(_)) => None,
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
        // One for all frames, since each of them shows the same stack again.
        let mut show = Show::new(&self.core.heap);
        Value::List(frames.map(|(pc, context)| self.frame(pc, context, &mut show)).collect())
    }

    fn frame(&self, pc: usize, context: &Neo3Context, show: &mut Show<'_, Neo3Heap>) -> Value {
        let mut members = vec![
            ("instructionPointer".into(), Value::int(pc)),
            ("nextInstruction".into(), Value::text(code_name(&NEO3, self.script[pc]))),
            ("nextOpcode".into(), Value::int(self.script[pc])),
            ("evaluationStack".into(), show.top_first(&self.core.stack)),
        ];
        let slots = [
            ("staticFields", &self.core.statics),
            ("localVariables", &context.locals),
            ("arguments", &context.arguments),
        ];
        for (name, slot) in slots {
            if !slot.is_empty() {
                members.push((name.into(), show.in_order(slot)));
            }
        }
        Value::Record(members)
    }
}
