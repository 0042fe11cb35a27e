//! What [`Action::Set`](crate::model::case::Action) can change in a machine between two instructions: one row for each
//! member of its record, with the cells that it gives a value.

use std::ops::Range;

use super::inspect::Inspect;
use super::observe::MemberRow;
use super::plant::PlantInCells;
use super::status::LoadError;
use crate::model::{Cell, Name, Path, Value};

/// A part of a machine's state that can be changed.
pub(crate) type StateChange<M> = MemberRow<PartChange<M>>;

/// Changes a part of the state, which has this name, as the value of the record's member says.
type SetPart<M> = fn(&mut M, &'static str, &Value) -> Result<(), LoadError>;

/// How a part of the state is changed.
pub(crate) struct PartChange<M> {
    pub(crate) set: SetPart<M>,
    /// The cells in it; `None` if no instruction writes it as a cell.
    pub(crate) cells: Option<PartCells<M>>,
}

/// The cells in a part of the state: their kind, the function that reads one, and the key that the part's record has
/// for one. A function returns `None` if there is no such cell in this state.
pub(crate) enum PartCells<M> {
    /// The items of the operand stack, by their distance from its top.
    Stack,
    /// Cells of this kind by their names.
    ByName(&'static str, fn(&M, &str) -> Option<Value>),
    /// Cells of this kind by the number that their names begin with: `3 of frame 0`.
    ByNumber(&'static str, fn(&M, usize) -> Option<Value>),
    /// Cells of this kind, of which only the last one can be changed, with the number 0.
    Last(&'static str, fn(&M) -> Option<Value>),
    /// Ranges of this memory of bytes, by the address of the first one.
    Bytes(&'static str, fn(&M, &Range<usize>) -> Option<Value>),
    /// Words of this memory of words of 16 bits, by their addresses.
    Words(&'static str, fn(&M, usize) -> Option<u16>),
}

/// A machine that lists in a table what can be changed.
pub(crate) trait StateChanges: Inspect + Sized + 'static {
    /// The parts that can be changed; names are unique.
    const CHANGES: &'static [StateChange<Self>];

    /// The value of a cell that a planted fault can change although no part has it; `None` if there is no such cell.
    fn further_cell(&self, _cell: &Cell) -> Option<Value> {
        None
    }

    /// Gives such a cell a value; false if that is impossible.
    fn write_further_cell(&mut self, _cell: &Cell, _value: &Value) -> bool {
        false
    }
}

/// A table of what can be changed, one row each: name (a literal or a block), notation, what it is, the function that
/// changes it, and the cells in it, if there are any.
macro_rules! state_changes {
    ($($name:tt: $shape:expr, $doc:literal, $set:expr $(, $cells:expr)?;)*) => {
        &[$($crate::machines::observe::MemberRow {
            member: $crate::model::shape::MemberShape { name: $name, doc: $doc, shape: $shape },
            access: $crate::machines::change::PartChange {
                set: $set,
                cells: $crate::machines::change::state_changes!(@cells $($cells)?),
            },
        }),*]
    };
    (@cells) => { None };
    (@cells $cells:expr) => { Some($cells) };
}

pub(super) use state_changes;

/// Changes a machine as given by the record of an [`Action::Set`](crate::model::case::Action). Fails if the machine
/// has no such part, or a value does not fit.
pub(crate) fn change<M: StateChanges>(machine: &mut M, changes: &Value) -> Result<(), LoadError> {
    for (name, value) in changes.members().unwrap_or_default() {
        let row = M::CHANGES.iter().find(|row| *row.member.name == **name);
        let row = row.ok_or_else(|| unchangeable(name, value))?;
        (row.access.set)(machine, row.member.name, value)?;
    }
    Ok(())
}

/// The cells of the parts that can be changed.
impl<M: StateChanges> PlantInCells for M {
    fn content(&self, cell: &Cell) -> Option<Value> {
        let in_part = M::CHANGES.iter().find_map(|row| row.access.cells.as_ref()?.read(self, cell));
        in_part.or_else(|| self.further_cell(cell))
    }

    fn write(&mut self, cell: &Cell, value: &Value) -> bool {
        let in_part = M::CHANGES.iter().any(|row| {
            let member = row.access.cells.as_ref().and_then(|cells| cells.member(self, cell, value));
            let changes = member.map(|member| Value::record([member]));
            changes.is_some_and(|changes| (row.access.set)(self, row.member.name, &changes).is_ok())
        });
        in_part || self.write_further_cell(cell, value)
    }
}

impl<M: Inspect> PartCells<M> {
    fn read(&self, machine: &M, cell: &Cell) -> Option<Value> {
        match (self, cell) {
            (PartCells::Stack, Cell::Stack(at)) => machine.item(below(machine, *at)?),
            (PartCells::ByName(kind, read), Cell::Named(of, name)) if kind == of => read(machine, name),
            (PartCells::ByNumber(kind, read), Cell::Named(of, name)) if kind == of => {
                read(machine, number(name)?)
            }
            (PartCells::Last(kind, read), Cell::Named(of, _)) if kind == of => read(machine),
            (PartCells::Bytes(kind, read), Cell::Range(of, range)) if kind == of => read(machine, range),
            (PartCells::Words(kind, read), Cell::Range(of, range)) if kind == of => {
                read(machine, range.start).map(Value::int)
            }
            _ => None,
        }
    }

    /// The member of the part's record that gives the cell this value.
    fn member(&self, machine: &M, cell: &Cell, value: &Value) -> Option<(String, Value)> {
        let key = match (self, cell) {
            (PartCells::Stack, Cell::Stack(at)) => below(machine, *at)?.to_string(),
            (PartCells::ByName(kind, _), Cell::Named(of, name)) if kind == of => name.to_string(),
            (PartCells::ByNumber(kind, _), Cell::Named(of, name)) if kind == of => number(name)?.to_string(),
            (PartCells::Last(kind, _), Cell::Named(of, _)) if kind == of => "0".to_owned(),
            (PartCells::Bytes(kind, _), Cell::Range(of, range)) if kind == of => {
                format!("0x{:x}", range.start)
            }
            (PartCells::Words(kind, _), Cell::Range(of, range)) if kind == of => {
                let word: u16 = value.number()?;
                return Some((format!("0x{:04x}", range.start), Value::Bytes(word.to_be_bytes().to_vec())));
            }
            _ => return None,
        };
        Some((key, value.clone()))
    }
}

/// The distance from the top of the stack of the item with this number.
fn below(machine: &impl Inspect, at: usize) -> Option<usize> {
    machine.height().checked_sub(at + 1)
}

/// The number that a name begins with: `3 of frame 0`.
fn number(name: &str) -> Option<usize> {
    name.split(' ').next()?.parse().ok()
}

/// The end from which the items of a stack or a list of variables are counted, starting with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountFrom {
    FromTop,
    FromStart,
}

/// Changes the items of a stack or list by number, `{"0": 5}`, each with `put`. Fails if `changes` is not such a
/// record, an item does not exist, or `put` rejects a value.
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

/// A record of changes by number: `{"0": 5}`. Fails if it is something else.
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
