//! Changing the state of a machine between two instructions, as the record of an
//! [`Action::Set`](crate::model::case::Action) says.

use super::machine::LoadError;
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;

/// From which end the items of a stack or a list of variables are counted, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    FromTop,
    FromStart,
}

/// Changes the items of a stack or list by number, `{"0": 5}`, each with `put`.
///
/// # Errors
///
/// When `changes` is not such a record, there is no item of this number, or `put` refuses a value.
pub(crate) fn change_items<T>(
    field: &'static str,
    items: &mut [T],
    counted: Counted,
    changes: &Value,
    put: impl Fn(&mut T, &Value) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    for (number, value) in numbered(field, changes)? {
        let item = match counted {
            Counted::FromTop => items.iter_mut().nth_back(number),
            Counted::FromStart => items.get_mut(number),
        };
        put(item.ok_or_else(|| LoadError::new(format!("there is no place for {value}")))?, value)?;
    }
    Ok(())
}

/// A record of changes by number: `{"0": 5}`.
///
/// # Errors
///
/// When it is something else.
pub(crate) fn numbered<'v>(
    field: &'static str,
    changes: &'v Value,
) -> Result<Vec<(usize, &'v Value)>, LoadError> {
    let wrong = || LoadError::at(Path::field(field), format!("{field} is {changes} and no record by number"));
    let members = changes.members().ok_or_else(wrong)?;
    let numbered = |(name, value): &'v (Name, Value)| Some((name.parse().ok()?, value));
    members.iter().map(|member| numbered(member).ok_or_else(wrong)).collect()
}

/// Why a machine does not take a change.
pub(crate) fn unchangeable(field: &str, value: &Value) -> LoadError {
    LoadError::new(format!("{field} cannot be set to {value}"))
}
