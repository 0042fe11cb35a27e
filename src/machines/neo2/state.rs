//! The state: what can be observed, and what can be changed between two instructions.

use std::borrow::Cow;
use std::rc::Rc;

use super::context::Neo2Context;
use super::fault::Neo2Stop;
use super::inspect::ALT;
use super::item::Neo2Item;
use super::machine::Neo2;
use super::opcodes::NEO2;
use super::program::ALIASES;
use crate::machines::change::{
    CountFrom, PartCells, StateChange, StateChanges, change_items, state_changes, unchangeable,
};
use crate::machines::neo::script::code_name;
use crate::machines::neo::shapes::{BY_NUMBER, ITEMS, NUMBER};
use crate::machines::neo::show::Show;
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::machines::status::LoadError;
use crate::model::shape::members;
use crate::model::{Shape, Value};

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

static FRAME: Shape = Shape::Record(members! {
    "scriptHash": Shape::Bytes, "the hash of its script, 20 bytes";
    "instructionPointer": NUMBER, "the byte offset of the next instruction";
    "nextInstruction": Shape::Name(ALIASES), "its mnemonic; null at the end of the script";
    "nextOpcode": NUMBER, "its code; null at the end of the script";
    "evaluationStack": ITEMS, "the top item first";
    "altStack": ITEMS, "the top item first";
});

impl StateChanges for Neo2 {
    const CHANGES: &'static [StateChange<Neo2>] = state_changes! {
        "stack": BY_NUMBER, "items of the evaluation stack by their number from the top, 0 first",
            |m, name, items| change_items(name, &mut m.core.stack, CountFrom::FromTop, items, put),
            PartCells::Stack;
        "altStack": BY_NUMBER, "items of the alt stack by their number from the top, 0 first",
            |m, name, items| change_items(name, &mut m.core.alt, CountFrom::FromTop, items, put),
            PartCells::Last(ALT, Neo2::top_of_alt);
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

impl Neo2 {
    /// The top item of the current frame's alt stack.
    fn top_of_alt(&self) -> Option<Value> {
        let own = self.core.alt.get(self.core.frames.last()?.alt_base..)?;
        own.last().map(|item| Show::whole(&self.core.heap, item))
    }
}

/// Replaces an item with another. Neither may be a compound, because compounds are counted.
fn put(place: &mut Neo2Item, value: &Value) -> Result<(), LoadError> {
    let item = primitive(value).filter(|_| !place.is_compound());
    *place = item.ok_or_else(|| unchangeable("this item", value))?;
    Ok(())
}

/// A non-compound item from its value.
fn primitive(value: &Value) -> Option<Neo2Item> {
    let Value::Typed(name, value) = value else { return None };
    match (&**name, &**value) {
        ("Boolean", Value::Bool(truth)) => Some(Neo2Item::Boolean(*truth)),
        ("Integer", Value::Int(number)) => Some(number.clone().into()),
        ("ByteArray", Value::Bytes(bytes)) => Some(Neo2Item::Bytes(Rc::new(bytes.clone()))),
        _ => None,
    }
}
