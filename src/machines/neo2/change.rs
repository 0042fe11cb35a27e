//! What can be changed between two instructions.

use std::rc::Rc;

use super::core::Neo2Core;
use super::item::Neo2Item;
use crate::machines::change::{CountFrom, change_items, unchangeable};
use crate::machines::machine::{LoadError, Tamper};
use crate::model::value::Value;

impl Neo2Core {
    /// Changes the machine as given by the record of an [`crate::model::case::Action::Set`].
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            match &**field {
                "stack" => change_items("stack", &mut self.stack, CountFrom::FromTop, value, put)?,
                "altStack" => change_items("altStack", &mut self.alt, CountFrom::FromTop, value, put)?,
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

impl Neo2Core {
    /// See [`crate::machines::machine::Machine::tamper`].
    pub(super) fn tamper(&mut self, tamper: Tamper) -> bool {
        match tamper {
            Tamper::Push => self.stack.push(Neo2Item::Integer(0)),
            Tamper::Pop => return self.stack.pop().is_some(),
            Tamper::Copy => return self.copy_top(),
            Tamper::Count(more) => self.estimate.count += more as i64,
            Tamper::AsArray => match self.stack.last_mut() {
                Some(top @ &mut Neo2Item::Struct(id)) => *top = Neo2Item::Array(id),
                _ => return false,
            },
            Tamper::AsStruct(number) => {
                for item in self.heap.items_mut() {
                    match *item {
                        Neo2Item::Array(id) if item.compound() == Some(number) => {
                            *item = Neo2Item::Struct(id);
                        }
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
        let copied = match self.stack.last() {
            Some(Neo2Item::Array(id)) => Neo2Item::Array(self.heap.add_list(self.heap.list(*id).to_vec())),
            Some(Neo2Item::Struct(id)) => Neo2Item::Struct(self.heap.add_list(self.heap.list(*id).to_vec())),
            _ => return false,
        };
        self.stack.pop();
        self.stack.push(copied);
        true
    }
}

/// Replaces an item with another. Neither may be a compound, because compounds are counted.
fn put(place: &mut Neo2Item, value: &Value) -> Result<(), LoadError> {
    let item = primitive(value).filter(|_| !place.is_compound());
    *place = item.ok_or_else(|| LoadError::new(format!("{place:?} cannot be set to {value}")))?;
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
