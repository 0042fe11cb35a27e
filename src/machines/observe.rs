//! The observable state of a machine: a tree, requested one field at a time.

use std::borrow::Cow;

use crate::model::{MemberShape, Shape, Value};

/// The observable state of a machine.
pub trait Observe {
    /// Whether the machine declares this field.
    fn has_field(&self, field: &str) -> bool;

    /// The current value of the field; `None` if it has no value in this state.
    fn observe(&self, field: &str) -> Option<Value>;

    /// As [`Observe::observe`]; a state that keeps its values need not clone them.
    fn observed(&self, field: &str) -> Option<Cow<'_, Value>> {
        self.observe(field).map(Cow::Owned)
    }
}

/// A row of a table that describes a machine.
#[derive(Debug, Clone, Copy)]
pub struct MemberRow<F> {
    /// Its name, its notation in the process protocol, and what it is.
    pub member: MemberShape,
    /// What the machine does with it.
    pub access: F,
}

/// An observable field of a machine, with the function that reads it. The function returns `None` if it has no value
/// in this state.
pub type StateField<M> = MemberRow<fn(&M) -> Option<Value>>;

/// A machine that lists its observable fields in a table.
pub trait StateFields: Sized + 'static {
    /// The fields; names are unique.
    const FIELDS: &'static [StateField<Self>];
}

impl<M: StateFields> Observe for M {
    fn has_field(&self, field: &str) -> bool {
        M::FIELDS.iter().any(|row| row.member.name == field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        M::FIELDS.iter().find(|row| row.member.name == field).and_then(|row| (row.access)(self))
    }
}

/// The members of a table with this number of rows, without what the machine does with them.
pub(super) const fn members<F, const ROWS: usize>(table: &[MemberRow<F>]) -> [MemberShape; ROWS] {
    let mut members = [MemberShape { name: "", doc: "", shape: Shape::Plain }; ROWS];
    let mut row = 0;
    while row < ROWS {
        members[row] = table[row].member;
        row += 1;
    }
    members
}

/// The members of two tables, which have this number together.
pub(super) const fn joined<const MEMBERS: usize>(
    first: &[MemberShape],
    second: &[MemberShape],
) -> [MemberShape; MEMBERS] {
    let mut members = [MemberShape { name: "", doc: "", shape: Shape::Plain }; MEMBERS];
    let mut row = 0;
    while row < MEMBERS {
        members[row] = if row < first.len() { first[row] } else { second[row - first.len()] };
        row += 1;
    }
    members
}

/// A table of observable fields, one row each: name, notation, what it is, and the function that reads it.
macro_rules! state_fields {
    ($($name:literal: $shape:expr, $doc:literal, $read:expr;)*) => {
        &[$($crate::machines::observe::MemberRow {
            member: $crate::model::shape::MemberShape { name: $name, doc: $doc, shape: $shape },
            access: $read,
        }),*]
    };
}

/// The members of a table, as [`MachineInfo`](super::MachineInfo) has them.
macro_rules! members_of {
    ($table:expr) => {
        &$crate::machines::observe::members::<_, { $table.len() }>($table)
    };
}

pub(super) use {members_of, state_fields};
