//! What can be changed between two instructions.

use super::frame::{Halves, Word};
use super::machine::Evm;
use crate::machines::change::{numbered, unchangeable};
use crate::machines::machine::LoadError;
use crate::machines::record::{bytes, word, word_of_key};
use crate::model::value::Value;

impl Evm {
    /// Changes the machine as given by the record of an [`crate::model::case::Action::Set`].
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            match (&**field, value) {
                ("gas", gas) => {
                    self.gas = u64::try_from(word(field, gas)?).map_err(|_| unchangeable(field, gas))?;
                }
                ("stack", items) => {
                    for (below, item) in numbered("stack", items)? {
                        *self.place(below)? = Halves::new(word(field, item)?);
                    }
                }
                ("memory", Value::Record(parts)) => {
                    for (at, part) in parts {
                        self.change_memory(word_of_key(at)?, bytes(field, part)?)?;
                    }
                }
                ("storage", Value::Record(words)) => {
                    for (key, value) in words {
                        self.change_storage(word_of_key(key)?, word(field, value)?);
                    }
                }
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }

    /// The item at this distance from the top of the stack, mutable.
    fn place(&mut self, below: usize) -> Result<&mut Halves, LoadError> {
        if below >= self.height {
            return Err(LoadError::new(format!("there is no item {below} below the top one")));
        }
        Ok(&mut self.stack[self.height - below])
    }

    fn change_memory(&mut self, at: Word, bytes: &[u8]) -> Result<(), LoadError> {
        let memory = &mut self.context.memory;
        let start = usize::try_from(at).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(bytes.len())?));
        let range = range.filter(|range| range.end <= memory.size());
        let outside = || LoadError::new(format!("{} bytes at {at} are not all in memory", bytes.len()));
        memory[range.ok_or_else(outside)?].copy_from_slice(bytes);
        Ok(())
    }

    fn change_storage(&mut self, key: Word, value: Word) {
        if value.is_zero() {
            self.context.storage.remove(&key);
        } else {
            self.context.storage.insert(key, value);
        }
    }
}
