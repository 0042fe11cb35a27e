//! What can be changed between two instructions.

use super::core::Core;
use super::item::Item;
use crate::machines::change::{Counted, change_items, unchangeable};
use crate::machines::machine::LoadError;
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
