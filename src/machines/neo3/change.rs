//! What can be changed between two instructions.

use super::frame::Core;
use super::item::Item;
use crate::machines::machine::{LoadError, numbered, unchangeable};
use crate::model::value::Value;

impl Core {
    /// Changes the machine as the record of an [`crate::model::case::Action::Set`] says.
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            match field.as_str() {
                "stack" => {
                    for (below, item) in numbered("stack", value)? {
                        put(self.stack.iter_mut().nth_back(below), item)?;
                    }
                }
                "staticFields" => change_slot("staticFields", &mut self.statics, value)?,
                "localVariables" => change_slot("localVariables", &mut self.context.locals, value)?,
                "arguments" => change_slot("arguments", &mut self.context.arguments, value)?,
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

fn change_slot(name: &'static str, slot: &mut [Item], value: &Value) -> Result<(), LoadError> {
    numbered(name, value)?.into_iter().try_for_each(|(index, item)| put(slot.get_mut(index), item))
}

/// Puts an item in the place of another, neither of which leads to anything that is counted.
fn put(place: Option<&mut Item>, value: &Value) -> Result<(), LoadError> {
    let place = place.ok_or_else(|| LoadError::new(format!("there is no place for {value}")))?;
    let item = primitive(value).filter(|_| place.compound().is_none());
    *place = item.ok_or_else(|| LoadError::new(format!("{place:?} cannot be set to {value}")))?;
    Ok(())
}

/// An item of a type that is no compound, as the machine shows it.
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
