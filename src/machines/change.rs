//! Changes the state of a machine between two instructions, as given by the record of an
//! [`Action::Set`](crate::model::case::Action).

use super::machine::LoadError;
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;

/// The end from which the items of a stack or a list of variables are counted, starting with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountFrom {
    FromTop,
    FromStart,
}

/// Changes the items of a stack or list by number, `{"0": 5}`, each with `put`.
///
/// # Errors
///
/// If `changes` is not such a record, an item does not exist, or `put` rejects a value.
pub(crate) fn change_items<T>(
    field: &'static str,
    items: &mut [T],
    counted: CountFrom,
    changes: &Value,
    put: impl Fn(&mut T, &Value) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    for (number, value) in numbered(field, changes)? {
        let item = match counted {
            CountFrom::FromTop => items.iter_mut().nth_back(number),
            CountFrom::FromStart => items.get_mut(number),
        };
        put(item.ok_or_else(|| LoadError::new(format!("there is no place for {value}")))?, value)?;
    }
    Ok(())
}

/// A record of changes by number: `{"0": 5}`.
///
/// # Errors
///
/// If it is something else.
pub(crate) fn numbered<'v>(
    field: &'static str,
    changes: &'v Value,
) -> Result<Vec<(usize, &'v Value)>, LoadError> {
    let wrong = || LoadError::at(Path::field(field), format!("{field} is {changes} and no record by number"));
    let members = changes.members().ok_or_else(wrong)?;
    let numbered = |(name, value): &'v (Name, Value)| Some((name.parse().ok()?, value));
    members.iter().map(|member| numbered(member).ok_or_else(wrong)).collect()
}

/// The error for a change that a machine does not accept.
pub(crate) fn unchangeable(field: &str, value: &Value) -> LoadError {
    LoadError::new(format!("{field} cannot be set to {value}"))
}
