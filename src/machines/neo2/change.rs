//! What can be changed between two instructions.

use std::rc::Rc;

use super::context::Context;
use super::item::Item;
use crate::machines::machine::{LoadError, numbered, unchangeable};
use crate::model::value::Value;

impl Context {
    /// Changes the machine as the record of an [`crate::model::case::Action::Set`] says.
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            let items = match field.as_str() {
                "stack" => &mut self.stack,
                "altStack" => &mut self.alt,
                _ => return Err(unchangeable(field, value)),
            };
            for (below, item) in numbered("stack", value)? {
                put(items.iter_mut().nth_back(below), item)?;
            }
        }
        Ok(())
    }
}

/// Puts an item in the place of another, neither of which is a container: those are counted.
fn put(place: Option<&mut Item>, value: &Value) -> Result<(), LoadError> {
    let place = place.ok_or_else(|| LoadError::new(format!("there is no place for {value}")))?;
    let item = primitive(value).filter(|_| !place.is_container());
    *place = item.ok_or_else(|| LoadError::new(format!("{place:?} cannot be set to {value}")))?;
    Ok(())
}

/// An item that is no container, as the machine shows it.
fn primitive(value: &Value) -> Option<Item> {
    let Value::Typed(name, value) = value else { return None };
    match (&**name, &**value) {
        ("Boolean", Value::Bool(truth)) => Some(Item::Boolean(*truth)),
        ("Integer", Value::Int(number)) => Some(number.clone().into()),
        ("ByteArray", Value::Bytes(bytes)) => Some(Item::Bytes(Rc::new(bytes.clone()))),
        _ => None,
    }
}
