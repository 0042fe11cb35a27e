//! What can be observed.

use std::borrow::Cow;

use super::context::Neo2Context;
use super::fault::Neo2Stop;
use super::machine::Neo2;
use super::opcodes::NEO2;
use super::shapes::{FRAME, ITEMS, NUMBER};
use crate::machines::neo::script::code_name;
use crate::machines::neo::show::Show;
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::model::shape::Shape;
use crate::model::value::Value;

/// Stacks are listed from their top, frames from the current one.
impl StateFields for Neo2 {
    const FIELDS: &'static [StateField<Neo2>] = state_fields! {
        "state": Shape::Text, "Break, Halt or Fault", |m| Some(Value::text(m.state()));
        "invocationStack": Shape::List(&FRAME), "frames with their script hash, place, stack and alt stack",
            |m| Some(m.frames());
        "resultStack": ITEMS, "results of the entry script",
            |m| Some(Show::new(&m.core.heap).top_first(&m.core.results));
        "itemCount": NUMBER, "number of items that the machine counts",
            |m| Some(Value::int(m.core.estimate.count));
    };
}

impl Neo2 {
    fn state(&self) -> &'static str {
        match self.end.map(|end| end.stop) {
            None | Some(Neo2Stop::Switched | Neo2Stop::Limited(_)) => "Break",
            Some(Neo2Stop::Halted) => "Halt",
            Some(Neo2Stop::Faulted(_)) => "Fault",
        }
    }

    fn frames(&self) -> Value {
        let mut show = Show::new(&self.core.heap);
        let mut frames = Vec::new();
        let (mut end, mut alt_end) = (self.core.stack.len(), self.core.alt.len());
        for call in self.core.frames.iter().rev() {
            let items = &self.core.stack[call.base..end];
            let alt = &self.core.alt[call.alt_base..alt_end];
            (end, alt_end) = (call.base, call.alt_base);
            frames.push(self.frame(call, show.top_first(items), show.top_first(alt)));
        }
        Value::List(frames)
    }

    fn frame(&self, call: &Neo2Context, items: Value, alt: Value) -> Value {
        let code = self.next_code(call);
        Value::record([
            ("scriptHash", Value::Bytes(self.scripts[call.script].hash().to_vec())),
            ("instructionPointer", Value::int(call.pc)),
            (
                "nextInstruction",
                code.map_or(Value::Null, |code| Value::text(Cow::into_owned(code_name(&NEO2, code)))),
            ),
            ("nextOpcode", code.map_or(Value::Null, Value::int)),
            ("evaluationStack", items),
            ("altStack", alt),
        ])
    }
}
