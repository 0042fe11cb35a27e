//! What can be changed between two instructions.

use std::cell::RefCell;
use std::rc::Rc;

use super::core::Neo3Core;
use super::item::{Buffer, Neo3Item};
use crate::machines::change::{CountFrom, change_items, unchangeable};
use crate::machines::machine::{LoadError, Tamper};
use crate::model::value::Value;

impl Neo3Core {
    /// Changes the machine as given by the record of an [`crate::model::case::Action::Set`].
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            match &**field {
                "stack" => change_items("stack", &mut self.stack, CountFrom::FromTop, value, put)?,
                "staticFields" => {
                    change_items("staticFields", &mut self.statics, CountFrom::FromStart, value, put)?;
                }
                "localVariables" => {
                    let locals = &mut self.context.locals;
                    change_items("localVariables", locals, CountFrom::FromStart, value, put)?;
                }
                "arguments" => {
                    change_items("arguments", &mut self.context.arguments, CountFrom::FromStart, value, put)?;
                }
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

impl Neo3Core {
    /// See [`crate::machines::machine::Machine::tamper`].
    pub(super) fn tamper(&mut self, tamper: Tamper) -> bool {
        match tamper {
            Tamper::Push => self.stack.push(Neo3Item::Integer(0)),
            Tamper::Pop => match self.stack.pop() {
                Some(item) => self.heap.let_go(&item),
                None => return false,
            },
            Tamper::Copy => return self.copy_top(),
            Tamper::Count(more) => self.heap.counted += more,
            Tamper::AsArray => match self.stack.last_mut() {
                Some(top @ &mut Neo3Item::Struct(id)) => *top = Neo3Item::Array(id),
                _ => return false,
            },
            Tamper::AsStruct(number) => {
                for item in self.heap.items_mut() {
                    match *item {
                        Neo3Item::Array(id) if id.0 as usize == number => *item = Neo3Item::Struct(id),
                        _ => {}
                    }
                }
            }
            Tamper::GoTo(_)
            | Tamper::FailOtherwise
            | Tamper::Overflow
            | Tamper::Spend(_)
            | Tamper::Excuse { .. } => return false,
        }
        true
    }

    /// Replaces the list on top with a copy.
    fn copy_top(&mut self) -> bool {
        let Some(top) = self.stack.last().cloned() else { return false };
        let (Neo3Item::Array(id) | Neo3Item::Struct(id)) = top else { return false };
        let items = self.heap.list(id).to_vec();
        let copy = self.heap.add_list(Vec::new());
        let copied =
            if matches!(top, Neo3Item::Array(_)) { Neo3Item::Array(copy) } else { Neo3Item::Struct(copy) };
        self.heap.hold(&copied);
        for item in &items {
            self.heap.acquire(item);
        }
        *self.heap.list_mut(copy) = items;
        self.heap.let_go(&top);
        self.stack.pop();
        self.stack.push(copied);
        true
    }
}

/// Replaces an item with another; neither may refer to anything that is counted.
fn put(place: &mut Neo3Item, value: &Value) -> Result<(), LoadError> {
    let item = primitive(value).filter(|_| place.compound().is_none()).or_else(|| buffer(place, value));
    *place = item.ok_or_else(|| LoadError::new(format!("{place:?} cannot be set to {value}")))?;
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
