//! What rows declare: the places besides the operand stack that an instruction reads and writes.
//!
//! A row of an instruction table ends with a list of [`Effect`]s, such as `[Reads(Memory(0, 1)),
//! Writes(Log)]`. Each machine has an enum of its places and maps a place to [`Cell`]s in a given state;
//! [`declared`] combines both into what blame and traces ask for.

use super::inspect::{Effects, Inspect};
pub(crate) use crate::isa::effect::{Effect, MachineEffect};
use crate::model::{Cell, Value};

/// A machine whose rows declare effects.
pub(crate) trait DeclaredPlaces: Inspect + Sized + 'static {
    /// A place that an instruction can read or write, in terms of its operands.
    type Place: Copy + 'static;

    /// What the row of the next instruction declares.
    fn row_effects(&self) -> &'static [MachineEffect<Self, Self::Place>];

    /// The cells that a place refers to when the next instruction is executed. Empty if its operands name no place.
    fn cells_at(&self, place: Self::Place) -> Vec<Cell>;

    /// The current value of a cell of a place.
    fn held(&self, _place: Self::Place, cell: &Cell) -> Option<Value> {
        self.value(cell)
    }
}

/// What the next instruction reads and writes according to the declarations of its row; only those whose
/// index `counts` are used.
pub(crate) fn declared<M: DeclaredPlaces>(machine: &M, counts: &dyn Fn(usize) -> bool) -> Effects {
    let mut effects = Effects::default();
    let declarations = machine.row_effects().iter().enumerate().filter(|(index, _)| counts(*index));
    for (_, effect) in declarations {
        match *effect {
            Effect::Reads(place) => {
                for cell in machine.cells_at(place) {
                    let value = machine.held(place, &cell);
                    effects.read(cell, value);
                }
            }
            Effect::Needs(place) => effects.needs.extend(machine.cells_at(place)),
            Effect::Writes(place) => effects.writes.extend(machine.cells_at(place)),
            Effect::Stores(place) => {
                let cells = machine.cells_at(place);
                effects.stores = cells.first().cloned();
                effects.writes.extend(cells);
            }
            Effect::MayWrite(place) => effects.may_write.extend(machine.cells_at(place)),
            Effect::Jumps => effects.write(Cell::jump()),
            Effect::JumpsTo(target) => {
                effects.write(Cell::jump());
                effects.target = target(machine);
            }
            // It fails if it would pop more items than there are.
            Effect::Takes(count) => effects.takes = count(machine).map(|takes| takes.min(machine.height())),
            Effect::Leaves(count) => effects.leaves = count(machine),
            Effect::Creates => effects.creates = true,
            Effect::Moves(from) => effects.moves = from(machine),
        }
    }
    effects
}

/// Generates the static list of what each instruction declares from lists of effects, one for each instruction.
///
/// The list of a row is written without paths: [`Effect`]s, and variants of the enum of the machine's places.
macro_rules! effects {
    ({ $list:ident: $machine:ty, $place:ident } $($effects:expr),* $(,)?) => {
        /// What each instruction reads and writes, in the order of the rows.
        pub(super) static $list: &[&[$crate::machines::effects::MachineEffect<$machine, $place>]] = {
            #[allow(unused_imports, reason = "a machine may need only some")]
            use $crate::machines::effects::Effect::{Creates, Jumps, JumpsTo, Leaves, Moves, Needs, Reads, Stores, Takes, Writes};
            #[allow(clippy::enum_glob_use, reason = "rows name places without their type")]
            use $place::*;
            &[$(&$effects),*]
        };
    };
}

/// The same from the rows of [`named_rows`](crate::isa::rows): each instruction of a range has the list of its row.
macro_rules! effect_lists {
    (
        $head:tt
        $({
            $code:literal [$($name:ident)+] $operands:tt $gas:tt $pops:tt $pushes:tt $handler:tt
            $doc:literal $effects:tt
        })*
    ) => {
        $crate::machines::effects::effects! { $head $($($crate::isa::rows::with_number!($name: $effects)),+),* }
    };
}

pub(crate) use {effect_lists, effects};
