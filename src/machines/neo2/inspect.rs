//! What an instruction reads and writes, for blame and traces.

use std::ops::Range;

use super::count::LIMIT;
use super::fault::Neo2Stop;
use super::item::Neo2Item;
use super::machine::Neo2;
use super::map::key_name;
use super::opcodes::{NEO2, rows};
use super::place::Neo2Place;
use crate::isa::disassembler::line_at;
use crate::machines::effects::{DeclaredPlaces, MachineEffect, declared, effect_lists};
use crate::machines::inspect::{Effects, Inspect, ReferenceCount, cells_inside};
use crate::machines::machine::At;
use crate::machines::neo::operands::{
    NeoOperands, at_offset, copied_above, counted, exchanged, index, index_and_one, indexed, rolled, tucked,
    without_indexed,
};
use crate::machines::neo::show::Show;
use crate::machines::view::{CodeLine, Section, code_lines, part_of_code};
use crate::model::{Cell, Path, PathKey, Value};

impl Inspect for Neo2 {
    fn instruction(&self) -> String {
        let line = self.executed().and_then(|(script, pc)| line_at(&NEO2, script, pc));
        line.map_or_else(String::new, |line| line.source())
    }

    fn height(&self) -> usize {
        self.items().len()
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.below(below).map(|item| self.shown(item))
    }

    fn compound(&self, below: usize) -> Option<usize> {
        self.below(below).and_then(Neo2Item::compound)
    }

    fn references(&self) -> Option<ReferenceCount> {
        let estimate = &self.core.estimate;
        // What the host pushes is not known.
        let is_service = || self.at().and_then(|at| at.op).is_some_and(|op| op.name == "SYSCALL");
        Some(ReferenceCount {
            count: usize::try_from(estimate.count).ok()?,
            limit: usize::try_from(LIMIT).ok()?,
            is_estimate: !estimate.exact || is_service(),
        })
    }

    fn failure(&self) -> Option<String> {
        match self.end.map(|end| end.stop) {
            Some(Neo2Stop::Faulted(fault)) => Some(fault.to_string()),
            None | Some(Neo2Stop::Switched | Neo2Stop::Halted | Neo2Stop::Limited(_)) => None,
        }
    }

    fn depth(&self) -> usize {
        self.core.frames.len()
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        declared(self, counts)
    }

    fn sections(&self) -> Vec<Section> {
        self.view()
    }

    fn unit(&self) -> usize {
        self.core.frames.last().map_or(0, |frame| part_of_code(frame.script, listed(frame.pc)))
    }

    fn listing(&self) -> Vec<CodeLine> {
        let Some(frame) = self.core.frames.last() else { return Vec::new() };
        code_lines(&NEO2, self.scripts[frame.script].bytes(), listed(frame.pc))
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (place, way) = match &keys[..] {
            [PathKey::Name(field), PathKey::Index(index), way @ ..] if field == "resultStack" => {
                let items = self.items();
                (self.stacked(*index).zip(items.iter().nth_back(*index)), way)
            }
            [
                PathKey::Name(field),
                PathKey::Index(frame),
                PathKey::Name(part),
                PathKey::Index(index),
                way @ ..,
            ] if field == "invocationStack" => (self.framed(*frame, part, *index), way),
            _ => return Vec::new(),
        };
        let Some((cell, item)) = place else { return Vec::new() };
        cells_inside(cell, Some(item), way, |item| item.compound(), |item, key| self.child(item, key))
    }
}

/// The program counter whose surroundings are listed; a jump can lead outside the script.
fn listed(pc: i64) -> usize {
    usize::try_from(pc).unwrap_or(0)
}

rows!(effect_lists { EFFECTS: Neo2, Neo2Place });

impl DeclaredPlaces for Neo2 {
    type Place = Neo2Place;

    fn row_effects(&self) -> &'static [MachineEffect<Neo2, Neo2Place>] {
        let row = self.at().and_then(|at| NEO2.row(at.code));
        row.map_or(&[], |row| EFFECTS[row])
    }

    fn cells_at(&self, place: Neo2Place) -> Vec<Cell> {
        let one = |cell: Option<Cell>| cell.into_iter().collect();
        match place {
            Neo2Place::Picked => one(self.picked().and_then(|below| self.stacked(below))),
            // The item below the index stays where it is with the index 0.
            Neo2Place::Swapped => match self.picked().filter(|other| *other > 1) {
                Some(other) => [1, other].into_iter().filter_map(|below| self.stacked(below)).collect(),
                None => Vec::new(),
            },
            Neo2Place::Compound(operand) => one(self.compound(operand).map(Cell::Compound)),
            Neo2Place::Struct(operand) => match self.below(operand) {
                Some(Neo2Item::Struct(_)) => one(self.compound(operand).map(Cell::Compound)),
                _ => Vec::new(),
            },
            Neo2Place::Item(whole, key) => match self.part(whole, key) {
                (cell, Some(_)) => one(cell),
                (_, None) => Vec::new(),
            },
            Neo2Place::Entry(whole, key) => one(self.part(whole, key).0),
            Neo2Place::Removed(whole, key) => match self.below(whole) {
                Some(Neo2Item::Map(_)) => self.cells_at(Neo2Place::Item(whole, key)),
                _ => self.cells_at(Neo2Place::Compound(whole)),
            },
            Neo2Place::End(list) => {
                let size = self.below(list).and_then(|item| self.list(item)).map(<[Neo2Item]>::len);
                one(self.compound(list).zip(size).map(|(id, size)| Cell::item(id, &size.into())))
            }
            Neo2Place::Signatures => one(self.compound(self.several(0)).map(Cell::Compound)),
            Neo2Place::Alt => one(self.core.alt.len().checked_sub(1).map(alt)),
            Neo2Place::NewAlt => vec![alt(self.core.alt.len())],
        }
    }

    fn held(&self, place: Neo2Place, cell: &Cell) -> Option<Value> {
        match place {
            Neo2Place::Picked | Neo2Place::Swapped => match cell {
                Cell::Stack(index) => self.items().get(*index).map(|item| self.shown(item)),
                _ => None,
            },
            Neo2Place::Compound(operand) | Neo2Place::Struct(operand) => self.item(operand),
            Neo2Place::Item(whole, key) | Neo2Place::Entry(whole, key) => {
                self.part(whole, key).1.map(|item| self.shown(item))
            }
            Neo2Place::Signatures => self.item(self.several(0)),
            Neo2Place::Alt => self.core.alt.last().map(|item| self.shown(item)),
            Neo2Place::Removed(..) | Neo2Place::End(_) | Neo2Place::NewAlt => None,
        }
    }
}

/// How many items UNPACK pushes: the items of the array, and their number.
pub(super) fn unpacked(machine: &Neo2) -> Option<usize> {
    Some(machine.list(machine.below(0)?)?.len() + 1)
}

/// How many items CHECKMULTISIG pops.
pub(super) fn keys_and_signatures(machine: &Neo2) -> Option<usize> {
    let keys = machine.several(0);
    Some(machine.at_most_own(keys + machine.several(keys)))
}

/// How many items RET pops before it moves the returned ones to their place; `None` if all stay.
pub(super) fn returned(machine: &Neo2) -> Option<usize> {
    let wanted = machine.core.frames.last()?.wanted?;
    Some(machine.own().len()).filter(|own| *own > usize::from(wanted))
}

/// How many items a call pops if its operand is the hash of a script, or zeros for a hash on the stack.
pub(super) fn dynamic_hash(machine: &Neo2) -> Option<usize> {
    machine.operand().iter().all(|byte| *byte == 0).then(|| machine.at_most_own(1))
}

/// How many items a call that replaces its caller pops; it leaves only its arguments.
pub(super) fn handed_over(machine: &Neo2) -> Option<usize> {
    machine.above_arguments(0)
}

/// Like [`handed_over`], for a call with a hash on top of its arguments.
pub(super) fn handed_over_with_hash(machine: &Neo2) -> Option<usize> {
    machine.above_arguments(1)
}

/// How many of the popped items a call that replaces its caller leaves: its arguments.
pub(super) fn arguments(machine: &Neo2) -> Option<usize> {
    machine.above_arguments(0).and_then(|_| machine.operand().get(1).map(|count| usize::from(*count)))
}

/// Like [`arguments`], for a call with a hash on top of its arguments.
pub(super) fn arguments_below_hash(machine: &Neo2) -> Option<usize> {
    machine.above_arguments(1).and_then(|_| machine.operand().get(1).map(|count| usize::from(*count)))
}

/// The kind of cells of the alt stacks.
pub(super) const ALT: &str = "alt";

/// An item of the alt stacks of all frames, counted from the bottom.
fn alt(index: usize) -> Cell {
    Cell::named(ALT, index.to_string())
}

impl NeoOperands for Neo2 {
    fn next(&self) -> Option<At<'_>> {
        self.at()
    }

    fn count(&self, below: usize) -> Option<usize> {
        let number = self.below(below)?.number()?;
        usize::try_from(i32::try_from(number).ok()?).ok()
    }

    fn at_most_own(&self, count: usize) -> usize {
        count.min(self.own().len())
    }
}

impl Neo2 {
    fn shown(&self, item: &Neo2Item) -> Value {
        Show::briefly(&self.core.heap, item)
    }

    /// The items of all frames; after the run, the results.
    fn items(&self) -> &[Neo2Item] {
        if self.core.frames.is_empty() { &self.core.results } else { &self.core.stack }
    }

    fn below(&self, below: usize) -> Option<&Neo2Item> {
        self.items().iter().nth_back(below)
    }

    /// The items of the current frame.
    fn own(&self) -> &[Neo2Item] {
        let base = self.core.frames.last().map_or(0, |call| call.base);
        self.core.stack.get(base..).unwrap_or_default()
    }

    /// How many stack items hold keys or signatures: one for an array, or a count and that number of them.
    fn several(&self, below: usize) -> usize {
        let is_list = self.below(below).is_some_and(|item| self.list(item).is_some());
        1 + if is_list { 0 } else { self.count(below).unwrap_or_default() }
    }

    /// The number of all items of the current frame, unless they are just the arguments that the operand
    /// counts, with `hashes` on top of them.
    fn above_arguments(&self, hashes: usize) -> Option<usize> {
        let arguments = usize::from(*self.operand().get(1)?);
        Some(self.own().len()).filter(|own| *own > arguments + hashes)
    }

    /// The cell of an item of a compound, both given by operands of an instruction, and the item if it exists.
    fn part(&self, compound: usize, key: usize) -> (Option<Cell>, Option<&Neo2Item>) {
        let Some(compound) = self.below(compound) else { return (None, None) };
        let key = match compound {
            Neo2Item::Map(_) => self.below(key).map(|key| PathKey::from(key_name(key))),
            _ => self.count(key).map(PathKey::from),
        };
        let Some(key) = key else { return (None, None) };
        (compound.compound().map(|id| Cell::item(id, &key)), self.child(compound, &key))
    }

    fn list(&self, item: &Neo2Item) -> Option<&[Neo2Item]> {
        match item {
            Neo2Item::Array(id) | Neo2Item::Struct(id) => Some(self.core.heap.list(*id)),
            _ => None,
        }
    }

    /// An item of a compound, by its key in a path.
    fn child(&self, item: &Neo2Item, key: &PathKey) -> Option<&Neo2Item> {
        match (item, key) {
            (Neo2Item::Map(id), PathKey::Name(name)) => {
                let entry = self.core.heap.map(*id).entries().find(|entry| key_name(&entry.key) == **name);
                entry.map(|entry| &entry.value)
            }
            (_, PathKey::Index(index)) => self.list(item)?.get(*index),
            _ => None,
        }
    }

    /// The cell and the item of a stack of a frame. Frames are listed from the current one, items from
    /// the top one.
    fn framed(&self, frame: usize, part: &str, index: usize) -> Option<(Cell, &Neo2Item)> {
        let frame = self.core.frames.len().checked_sub(frame + 1)?;
        let (call, next) = (self.core.frames[frame], self.core.frames.get(frame + 1));
        let from_top = |own: Range<usize>| own.rev().nth(index);
        match part {
            "evaluationStack" => {
                let end = next.map_or(self.core.stack.len(), |next| next.base);
                let place = from_top(call.base..end)?;
                Some((Cell::Stack(place), &self.core.stack[place]))
            }
            "altStack" => {
                let end = next.map_or(self.core.alt.len(), |next| next.alt_base);
                let place = from_top(call.alt_base..end)?;
                Some((alt(place), &self.core.alt[place]))
            }
            _ => None,
        }
    }
}
