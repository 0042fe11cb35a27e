//! What can be changed between two instructions.

use super::machine::MiniC89;
use super::word::Word;
use crate::machines::machine::{LoadError, numbered, unchangeable};
use crate::model::value::Value;

impl MiniC89 {
    /// Changes the state of a run as the record of an [`crate::model::case::Action::Set`] says.
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            let base = self.frames.last().map_or(0, |frame| frame.base);
            match field.as_str() {
                "operand_stack" => {
                    for (below, value) in numbered("operand_stack", value)? {
                        put(self.stack.iter_mut().nth_back(below), value)?;
                    }
                }
                "locals" => {
                    for (slot, value) in numbered("locals", value)? {
                        put(self.slots[base..].get_mut(slot), value)?;
                    }
                }
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

/// Puts a value in the place of another.
fn put(place: Option<&mut Word>, value: &Value) -> Result<(), LoadError> {
    let place = place.ok_or_else(|| LoadError::new(format!("there is no place for {value}")))?;
    let word = Word::of_value(value);
    *place = word.ok_or_else(|| LoadError::new(format!("{value} is no value of this machine")))?;
    Ok(())
}
