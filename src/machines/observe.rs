//! The observable state of a machine: a tree, requested one field at a time.

use crate::model::shape::{MemberShape, Shape};
use crate::model::value::Value;

/// The observable state of a machine.
pub trait Observe {
    /// Whether the machine declares this field.
    fn has_field(&self, field: &str) -> bool;

    /// The current value of the field; `None` if it has no value in this state.
    fn observe(&self, field: &str) -> Option<Value>;
}

/// An observable field of a machine.
#[derive(Debug, Clone, Copy)]
pub struct StateField<M: 'static> {
    /// Its name, the first key of a path.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its notation in the process protocol.
    pub shape: Shape,
    /// Reads it; `None` if it has no value in this state.
    pub read: fn(&M) -> Option<Value>,
}

/// A machine that lists its observable fields in a table.
pub trait StateFields: Sized + 'static {
    /// The fields; names are unique.
    const FIELDS: &'static [StateField<Self>];
}

impl<M: StateFields> Observe for M {
    fn has_field(&self, field: &str) -> bool {
        M::FIELDS.iter().any(|row| row.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        M::FIELDS.iter().find(|row| row.name == field).and_then(|row| (row.read)(self))
    }
}

/// The fields of a machine, without an instance of it.
pub(super) fn members<M: StateFields>() -> Vec<MemberShape> {
    M::FIELDS
        .iter()
        .map(|StateField { name, doc, shape, .. }| MemberShape { name, doc, shape: *shape })
        .collect()
}

/// A table of observable fields, one row each: name, notation, what it is, and the function that reads it.
macro_rules! state_fields {
    ($($name:literal: $shape:expr, $doc:literal, $read:expr;)*) => {
        &[$(StateField { name: $name, doc: $doc, shape: $shape, read: $read }),*]
    };
}

pub(super) use state_fields;
