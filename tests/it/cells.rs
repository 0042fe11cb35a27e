//! The state of a machine by the cells that hold its parts.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use vmconf::machines::inspect::Inspect;
use vmconf::model::{Cell, Name, Path, PathKey, Value};

/// The bytes of a memory that are looked at.
const MEMORY: usize = 4096;

/// The state in front of an instruction, by the cells that hold its parts.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) cells: HashMap<Place, Part, RandomState>,
    pub(crate) height: usize,
    /// Whether parts stay where they are, and some share a cell.
    pub(crate) is_fixed: bool,
    /// Names for Buffers that two runs share; `None` where one run is looked at.
    pub(crate) names: Option<Names>,
}

/// Names for the Buffers of N3, which are known by their addresses: numbers in the order in which they
/// are seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(HashMap<usize, usize, RandomState>);

impl Names {
    /// Numbers from here on are addresses.
    const FIRST: usize = usize::MAX / 2;

    /// The cell with the name of its Buffer, where it is of one.
    pub(crate) fn name(&mut self, cell: Cell) -> Cell {
        let mut named = |id: usize| {
            let next = Names::FIRST + self.0.len();
            if id < Names::FIRST { id } else { *self.0.entry(id).or_insert(next) }
        };
        match cell {
            Cell::Compound(id) => Cell::Compound(named(id)),
            Cell::Bytes(id, range) => Cell::Bytes(named(id), range),
            Cell::Item(id, key) => Cell::Item(named(id), key),
            other => other,
        }
    }
}

/// The cells of a part, and what distinguishes it from others that share them.
pub(crate) type Place = (Vec<Cell>, Option<String>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Leaf(Value),
    /// Type and size of what has parts.
    Node(Option<Name>, usize),
}

impl State {
    /// The state that these fields show.
    pub(crate) fn of(fields: &[&'static str], machine: &dyn Inspect, names: Option<Names>) -> State {
        let mut state = State { height: machine.height(), names, ..State::default() };
        for field in fields {
            if let Some(value) = machine.observe(field) {
                state.add(&Path::field(*field), &value, machine);
            }
        }
        state
    }

    /// Adds a datum and all that is in it.
    pub(crate) fn add(&mut self, at: &Path, value: &Value, machine: &dyn Inspect) {
        let (kind, inside) = match value {
            Value::Typed(name, inside) => (Some(name.clone()), &**inside),
            other => (None, other),
        };
        let mut cells = machine.cells(at);
        if let Some(names) = &mut self.names {
            cells = cells.into_iter().map(|cell| names.name(cell)).collect();
        }
        let part = match inside {
            // A word with its type is one cell.
            Value::Record(members)
                if !self.is_fixed
                    && !cells.is_empty()
                    && members
                        .iter()
                        .any(|member| machine.cells(&at.child(member.0.clone())) == machine.cells(at)) =>
            {
                Part::Leaf(value.clone())
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.add(&at.child(index), item, machine);
                }
                Part::Node(kind, items.len())
            }
            Value::Record(members) => {
                for (name, member) in members {
                    self.add(&at.child(name.clone()), member, machine);
                }
                Part::Node(kind, members.len())
            }
            _ => Part::Leaf(value.clone()),
        };
        match (&cells[..], inside) {
            ([], _) => assert!(!is_on_a_stack(at), "{at} is in no cell"),
            ([Cell::Range(space, range)], Value::Bytes(bytes)) if range.end == usize::MAX => {
                // Memory that is zero may as well not be shown.
                for (index, byte) in bytes.iter().take(MEMORY).enumerate().filter(|(_, byte)| **byte != 0) {
                    let cell = Cell::Range(space, index..index + 1);
                    self.cells.insert((vec![cell], None), Part::Leaf(Value::int(*byte)));
                }
            }
            (cells, _) => {
                // Keys of two types with the same bytes.
                let second = Some(at.last().to_string()).filter(|key| key.contains('#'));
                let label = if self.is_fixed { Some(at.to_string()) } else { second };
                // Frames of N3 show the one stack and the static fields again.
                let held = self.cells.entry((cells.to_vec(), label)).or_insert_with(|| part.clone());
                assert_eq!(*held, part, "the cells of {at} hold something else");
            }
        }
    }

    /// Each part that is not as it was before.
    pub(crate) fn changes<'s>(&'s self, before: &'s State) -> impl Iterator<Item = (&'s Place, &'s Part)> {
        let now = self.cells.iter().filter(|(place, part)| match before.cells.get(*place) {
            Some(old) => old != *part,
            None => !is_zero(place, part),
        });
        // What is gone is a change only of what is zero where it is not shown.
        let gone = before.cells.iter().filter(|(place, part)| {
            matches!(place.0.first(), Some(Cell::Range(..)))
                && !is_zero(place, part)
                && !self.cells.contains_key(*place)
        });
        now.chain(gone)
    }
}

/// Whether it is memory that may as well not be shown.
fn is_zero(place: &Place, part: &Part) -> bool {
    matches!(place.0.first(), Some(Cell::Range(..))) && *part == Part::Leaf(Value::int(0))
}

/// Whether this is a datum of a stack or slot.
pub(crate) fn is_on_a_stack(at: &Path) -> bool {
    match &at.keys()[..] {
        [PathKey::Name(field), PathKey::Index(_), ..]
            if field == "resultStack" || field == "operand_stack" =>
        {
            true
        }
        [PathKey::Name(field), PathKey::Index(_), PathKey::Name(_), PathKey::Index(_), ..] => {
            field == "invocationStack" || field == "call_stack"
        }
        [PathKey::Name(field), PathKey::Index(_)] => field == "stack",
        _ => false,
    }
}

/// Whether one of the cells of a part is among those that are written.
pub(crate) fn is_written(writes: &[Cell], cells: &[Cell], part: &Part) -> bool {
    // To write an item of a compound does not change the others; but all of a Buffer is one leaf.
    let is_item = matches!((part, cells.first()), (Part::Leaf(_), Some(Cell::Item(..))));
    let writes_to = |cell: &Cell, write: &Cell| if is_item { cell == write } else { write.touches(cell) };
    cells.iter().any(|cell| writes.iter().any(|write| writes_to(cell, write)))
}
