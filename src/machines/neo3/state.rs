//! The state: what can be observed, and what can be changed between two instructions.

use std::cell::RefCell;
use std::rc::Rc;

use super::context::Neo3Context;
use super::fault::Neo3End;
use super::heap::Neo3Heap;
use super::item::{Buffer, Neo3Item};
use super::machine::Neo3;
use super::opcodes::NEO3;
use super::slot::{Arguments, Locals, SlotTable, Slots, Statics};
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

static FRAME: Shape = Shape::Record(members! {
    "instructionPointer": NUMBER, "the byte offset of the next instruction";
    "nextInstruction": Shape::Text, "its mnemonic";
    "nextOpcode": NUMBER, "its code";
    "evaluationStack": ITEMS, "the top item first";
    { Slots::Statics.field() }: ITEMS, "not there when empty";
    { Slots::Locals.field() }: ITEMS, "not there when empty";
    { Slots::Arguments.field() }: ITEMS, "not there when empty";
});

impl StateChanges for Neo3 {
    const CHANGES: &'static [StateChange<Neo3>] = state_changes! {
        "stack": BY_NUMBER, "items of the evaluation stack by their number from the top, 0 first",
            |m, name, items| change_items(name, &mut m.core.stack, CountFrom::FromTop, items, put),
            PartCells::Stack;
        { Slots::Statics.field() }: BY_NUMBER, "static fields by number",
            change_slots::<Statics>,
            PartCells::ByNumber(Slots::Statics.cell_kind(), |m, number| m.slot(Slots::Statics, number));
        { Slots::Locals.field() }: BY_NUMBER, "local variables by number",
            change_slots::<Locals>,
            PartCells::ByNumber(Slots::Locals.cell_kind(), |m, number| m.slot(Slots::Locals, number));
        { Slots::Arguments.field() }: BY_NUMBER, "arguments by number",
            change_slots::<Arguments>,
            PartCells::ByNumber(Slots::Arguments.cell_kind(), |m, number| m.slot(Slots::Arguments, number));
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
        for slots in Slots::ALL {
            let items = slots.of(&self.core, context);
            if !items.is_empty() {
                members.push((slots.field().into(), show.in_order(items)));
            }
        }
        Value::Record(members)
    }
}

impl Neo3 {
    /// A variable of the current frame, if there is one.
    fn slot(&self, slots: Slots, number: usize) -> Option<Value> {
        let item = slots.of(&self.core, &self.core.context).get(number)?;
        self.has_frame().then(|| Show::whole(&self.core.heap, item))
    }
}

fn change_slots<S: SlotTable>(
    machine: &mut Neo3,
    name: &'static str,
    items: &Value,
) -> Result<(), LoadError> {
    change_items(name, S::of(&mut machine.core), CountFrom::FromStart, items, put)
}

/// Replaces an item with another; neither may refer to anything that is counted.
fn put(place: &mut Neo3Item, value: &Value) -> Result<(), LoadError> {
    let item = primitive(value).filter(|_| place.compound().is_none()).or_else(|| buffer(place, value));
    *place = item.ok_or_else(|| unchangeable("this item", value))?;
    Ok(())
}

/// A new Buffer that replaces a Buffer.
fn buffer(place: &Neo3Item, value: &Value) -> Option<Neo3Item> {
    let Neo3Item::Buffer(old) = place else { return None };
    match value {
        Value::Typed(name, value) if &**name == "Buffer" => match &**value {
            Value::Bytes(bytes) => Some(Neo3Item::Buffer(Rc::new(Buffer {
                number: old.number,
                bytes: RefCell::new(bytes.clone()),
            }))),
            _ => None,
        },
        _ => None,
    }
}

/// An item of a non-compound type from its value.
fn primitive(value: &Value) -> Option<Neo3Item> {
    let Value::Typed(name, value) = value else { return None };
    match (&**name, &**value) {
        ("Null", Value::Null) => Some(Neo3Item::Null),
        ("Boolean", Value::Bool(truth)) => Some(Neo3Item::Boolean(*truth)),
        ("Integer", Value::Int(number)) => Neo3Item::integer(number.clone()).ok(),
        ("Pointer", Value::Int(position)) => u32::try_from(position).ok().map(Neo3Item::Pointer),
        ("ByteString", Value::Bytes(bytes)) => Some(Neo3Item::bytes(bytes.clone())),
        _ => None,
    }
}
