//! What can be changed between two instructions.

use super::core::Core;
use super::item::Item;
use crate::machines::change::{Counted, change_items, unchangeable};
use crate::machines::machine::{LoadError, Tamper};
use crate::model::value::Value;

impl Core {
    /// Changes the machine as the record of an [`crate::model::case::Action::Set`] says.
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            match field.as_str() {
                "stack" => change_items("stack", &mut self.stack, Counted::FromTop, value, put)?,
                "staticFields" => {
                    change_items("staticFields", &mut self.statics, Counted::FromStart, value, put)?;
                }
                "localVariables" => {
                    let locals = &mut self.context.locals;
                    change_items("localVariables", locals, Counted::FromStart, value, put)?;
                }
                "arguments" => {
                    change_items("arguments", &mut self.context.arguments, Counted::FromStart, value, put)?;
                }
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

impl Core {
    /// See [`crate::machines::machine::Machine::tamper`].
    pub(super) fn tamper(&mut self, tamper: Tamper) -> bool {
        match tamper {
            Tamper::Push => self.stack.push(Item::Integer(0)),
            Tamper::Pop => match self.stack.pop() {
                Some(item) => self.heap.let_go(&item),
                None => return false,
            },
            Tamper::Copy => return self.copy_top(),
            Tamper::Count => self.heap.counted += 1,
            Tamper::GoTo(_) => return false,
        }
        true
    }

    /// Puts a copy of the list on top in its place.
    fn copy_top(&mut self) -> bool {
        let Some(top) = self.stack.last().cloned() else { return false };
        let (Item::Array(id) | Item::Struct(id)) = top else { return false };
        let items = self.heap.list(id).to_vec();
        let copy = self.heap.add_list(Vec::new());
        let copied = if matches!(top, Item::Array(_)) { Item::Array(copy) } else { Item::Struct(copy) };
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

/// Replaces an item by another; neither may lead to anything that is counted.
fn put(place: &mut Item, value: &Value) -> Result<(), LoadError> {
    let item = primitive(value).filter(|_| place.compound().is_none());
    *place = item.ok_or_else(|| LoadError::new(format!("{place:?} cannot be set to {value}")))?;
    Ok(())
}

/// An item of a non-compound type, as the machine shows it.
fn primitive(value: &Value) -> Option<Item> {
    let Value::Typed(name, value) = value else { return None };
    match (&**name, &**value) {
        ("Null", Value::Null) => Some(Item::Null),
        ("Boolean", Value::Bool(truth)) => Some(Item::Boolean(*truth)),
        ("Integer", Value::Int(number)) => Item::integer(number.clone()).ok(),
        ("ByteString", Value::Bytes(bytes)) => Some(Item::bytes(bytes.clone())),
        _ => None,
    }
}
