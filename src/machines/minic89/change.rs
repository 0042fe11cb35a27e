//! What can be changed between two instructions.

use super::machine::MiniC89;
use super::word::MiniWord;
use crate::machines::change::{CountFrom, change_items, unchangeable};
use crate::machines::machine::LoadError;
use crate::model::shape::{MemberShape, Shape, members};
use crate::model::value::Value;

/// What an action `set` can change.
pub(super) const CHANGES: &[MemberShape] = members! {
    "entry": Shape::Plain, "begins a run: the fid or name of the function that is called";
    "args": Shape::Plain, "with entry: its arguments";
    "limits": Shape::Plain, "with entry: limits of the run";
    "operand_stack": Shape::Plain, "values by their number from the top, 0 first";
    "locals": Shape::Plain, "slots of the current frame by number";
};

impl MiniC89 {
    /// Changes the state of a run as given by the record of an [`crate::model::case::Action::Set`].
    pub(super) fn change(&mut self, changes: &Value) -> Result<(), LoadError> {
        for (field, value) in changes.members().unwrap_or_default() {
            let base = self.frames.last().map_or(0, |frame| frame.base);
            match &**field {
                "operand_stack" => {
                    change_items("operand_stack", &mut self.stack, CountFrom::FromTop, value, put)?;
                }
                "locals" => {
                    change_items("locals", &mut self.slots[base..], CountFrom::FromStart, value, put)?;
                }
                _ => return Err(unchangeable(field, value)),
            }
        }
        Ok(())
    }
}

/// Replaces a value with another.
fn put(place: &mut MiniWord, value: &Value) -> Result<(), LoadError> {
    let word = MiniWord::of_value(value);
    *place = word.ok_or_else(|| LoadError::new(format!("{value} is not a value of this machine")))?;
    Ok(())
}
