//! What an instruction reads and writes, for blame and traces.

use super::fault::Neo3End;
use super::item::Neo3Item;
use super::machine::Neo3;
use super::map::{MapKey, key_name, pairs};
use super::opcodes::{NEO3, rows};
use super::place::Neo3Place;
use super::slot::Slots;
use super::value::{int32, number, with_bytes};
use crate::isa::disassembler::line_at;
use crate::machines::effects::{DeclaredPlaces, MachineEffect, declared, effect_lists};
use crate::machines::inspect::{Effects, Inspect, ReferenceCount, cells_inside};
use crate::machines::machine::At;
use crate::machines::neo::operands::{
    NeoOperands, at_offset, copied, counted, index, index_and_one, indexed, reversed, rolled, without_indexed,
};
use crate::machines::neo::show::Show;
use crate::machines::view::{CodeLine, Section, code_lines, part_of_code};
use crate::model::{Cell, Path, PathKey, Value};

impl Inspect for Neo3 {
    fn instruction(&self) -> String {
        line_at(&NEO3, self.executed(), self.pc).map_or_else(String::new, |line| line.source())
    }

    fn height(&self) -> usize {
        self.core.stack.len()
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.core.below(below).map(|item| self.shown(item))
    }

    fn compound(&self, below: usize) -> Option<usize> {
        self.core.below(below).and_then(compound)
    }

    fn references(&self) -> Option<ReferenceCount> {
        let limit = usize::try_from(self.core.limits.stack_size).ok()?;
        Some(ReferenceCount { count: self.core.references(), limit, is_estimate: false })
    }

    fn failure(&self) -> Option<String> {
        match self.stop.as_deref() {
            Some(Neo3End::Faulted(fault)) => Some(fault.to_string()),
            None | Some(Neo3End::Halted | Neo3End::Thrown(_) | Neo3End::Limited(_)) => None,
        }
    }

    fn depth(&self) -> usize {
        if self.has_frame() { 1 + self.core.callers.len() } else { 0 }
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        declared(self, counts)
    }

    /// The values of variables; none of compounds and Buffers, since other instructions change those in place.
    fn value(&self, cell: &Cell) -> Option<Value> {
        let item = self.variable(cell)?;
        compound(item).is_none().then(|| self.shown(item))
    }

    fn sections(&self) -> Vec<Section> {
        self.view()
    }

    fn listing(&self) -> Vec<CodeLine> {
        code_lines(&NEO3, &self.script[..self.length()], self.pc)
    }

    fn unit(&self) -> usize {
        part_of_code(0, self.pc)
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (cell, item, way) = match &keys[..] {
            [PathKey::Name(field), PathKey::Index(index), way @ ..] if field == "resultStack" => {
                (self.stacked(*index), self.core.below(*index), way)
            }
            [
                PathKey::Name(field),
                PathKey::Index(_),
                PathKey::Name(part),
                PathKey::Index(index),
                way @ ..,
            ] if field == "invocationStack" && part == "evaluationStack" => {
                (self.stacked(*index), self.core.below(*index), way)
            }
            [
                PathKey::Name(field),
                PathKey::Index(frame),
                PathKey::Name(part),
                PathKey::Index(index),
                way @ ..,
            ] if field == "invocationStack" => {
                let slots = Slots::ALL.into_iter().find(|slots| *part == slots.field());
                // The current frame is listed first, and has the highest number.
                let (Some(slots), Some(frame)) = (slots, self.core.callers.len().checked_sub(*frame)) else {
                    return Vec::new();
                };
                (Some(slots.cell(frame, *index)), self.variables(slots, frame).get(*index), way)
            }
            _ => return Vec::new(),
        };
        let Some(cell) = cell else { return Vec::new() };
        cells_inside(cell, item.cloned(), way, compound, |item, key| self.child(item, key))
    }
}

rows!(effect_lists { EFFECTS: Neo3, Neo3Place });

impl DeclaredPlaces for Neo3 {
    type Place = Neo3Place;

    fn row_effects(&self) -> &'static [MachineEffect<Neo3, Neo3Place>] {
        let row = self.at().and_then(|at| NEO3.row(at.code));
        row.map_or(&[], |row| EFFECTS[row])
    }

    fn cells_at(&self, place: Neo3Place) -> Vec<Cell> {
        let one = |cell: Option<Cell>| cell.into_iter().collect();
        match place {
            Neo3Place::Picked => one(self.picked().and_then(|below| self.stacked(below))),
            Neo3Place::Compound(operand) => one(self.compound(operand).map(Cell::Compound)),
            Neo3Place::Struct(operand) => match self.core.below(operand) {
                Some(Neo3Item::Struct(_)) => one(self.compound(operand).map(Cell::Compound)),
                _ => Vec::new(),
            },
            Neo3Place::Item(whole, key) => match self.part(whole, key) {
                Some((key, Some(_))) => one(self.item_cell(whole, &key)),
                _ => Vec::new(),
            },
            Neo3Place::Entry(whole, key) => match (self.part(whole, key), self.core.below(whole)) {
                (Some((key, Some(_))), _) | (Some((key, None)), Some(Neo3Item::Map(_))) => {
                    one(self.item_cell(whole, &key))
                }
                _ => Vec::new(),
            },
            Neo3Place::Removed(whole, key) => match self.core.below(whole) {
                Some(Neo3Item::Map(_)) => self.cells_at(Neo3Place::Item(whole, key)),
                _ => self.cells_at(Neo3Place::Compound(whole)),
            },
            Neo3Place::NoItem(whole, key) => {
                one(self.cells_at(Neo3Place::Item(whole, key)).is_empty().then(Cell::exception))
            }
            Neo3Place::NoEntry(whole, key) => {
                one(self.cells_at(Neo3Place::Entry(whole, key)).is_empty().then(Cell::exception))
            }
            Neo3Place::Copied(buffer, start, count) => {
                let bytes = self.count(start).zip(self.count(count));
                let range = bytes.and_then(|(start, count)| Some(start..start.checked_add(count)?));
                let range = range.filter(|range| !range.is_empty());
                one(self.compound(buffer).zip(range).map(|(buffer, range)| Cell::Bytes(buffer, range)))
            }
            Neo3Place::End(list) => {
                one(self.list(list).and_then(|items| self.item_cell(list, &PathKey::Index(items.len()))))
            }
            Neo3Place::Last(list) => {
                let last = self.list(list).and_then(|items| items.len().checked_sub(1));
                one(last.and_then(|last| self.item_cell(list, &PathKey::Index(last))))
            }
            Neo3Place::Static => self.variable_cells(Slots::Statics),
            Neo3Place::Local => self.variable_cells(Slots::Locals),
            Neo3Place::Argument => self.variable_cells(Slots::Arguments),
            Neo3Place::NewStatics => self.new_cells(Slots::Statics, 0),
            Neo3Place::NewLocals => self.new_cells(Slots::Locals, 0),
            Neo3Place::NewArguments => self.new_cells(Slots::Arguments, 1),
            Neo3Place::Exception => vec![Cell::exception()],
            Neo3Place::Pending => one(self.core.uncaught.as_ref().map(|_| Cell::exception())),
            Neo3Place::ServiceOperands => {
                let operands = 0..service_operands(self).unwrap_or_default();
                operands.filter_map(|below| self.compound(below)).map(Cell::Compound).collect()
            }
        }
    }

    fn held(&self, place: Neo3Place, cell: &Cell) -> Option<Value> {
        let variable = |slots| {
            let (frame, index) = (self.core.callers.len(), self.variable_index()?);
            self.variables(slots, frame).get(index).map(|item| self.shown(item))
        };
        match place {
            Neo3Place::Picked => self.item(self.picked()?),
            Neo3Place::Compound(operand) | Neo3Place::Struct(operand) => self.item(operand),
            Neo3Place::Item(whole, key) | Neo3Place::Entry(whole, key) => {
                self.part(whole, key)?.1.map(|item| self.shown(&item))
            }
            Neo3Place::Last(list) => self.list(list)?.last().map(|item| self.shown(item)),
            Neo3Place::Static => variable(Slots::Statics),
            Neo3Place::Local => variable(Slots::Locals),
            Neo3Place::Argument => variable(Slots::Arguments),
            Neo3Place::Exception | Neo3Place::Pending => {
                self.core.uncaught.as_ref().map(|pending| self.shown(pending))
            }
            Neo3Place::ServiceOperands => {
                let mut operands = 0..service_operands(self)?;
                let is_it = |below: &usize| self.compound(*below).map(Cell::Compound).as_ref() == Some(cell);
                self.item(operands.find(is_it)?)
            }
            Neo3Place::NoItem(..)
            | Neo3Place::NoEntry(..)
            | Neo3Place::Removed(..)
            | Neo3Place::Copied(..)
            | Neo3Place::End(_)
            | Neo3Place::NewStatics
            | Neo3Place::NewLocals
            | Neo3Place::NewArguments => None,
        }
    }
}

/// How many items an instruction pops if a number of pairs is on top.
pub(super) fn paired(machine: &Neo3) -> Option<usize> {
    Some(machine.count(0)? * 2 + 1)
}

/// How many items there are.
#[allow(clippy::unnecessary_wraps, reason = "one type for all counts")]
pub(super) fn all(machine: &Neo3) -> Option<usize> {
    Some(machine.height())
}

/// How many items UNPACK pushes: the items or pairs, and their number.
pub(super) fn unpacked(machine: &Neo3) -> Option<usize> {
    match machine.core.below(0)? {
        Neo3Item::Map(map) => Some(2 * machine.core.heap.map(*map).len() + 1),
        _ => Some(machine.list(0)?.len() + 1),
    }
}

/// Where execution continues after ENDTRY: at the finally block if there is one.
pub(super) fn ended(machine: &Neo3) -> Option<usize> {
    let block = machine.core.context.tries.last()?;
    block.finally().map_or_else(|| at_offset(machine), |finally| usize::try_from(finally).ok())
}

/// How many items INITSLOT pops.
pub(super) fn initialised(machine: &Neo3) -> Option<usize> {
    Some(usize::from(*machine.operand().get(1)?))
}

/// How many items are popped by the service that the instruction calls.
pub(super) fn service_operands(machine: &Neo3) -> Option<usize> {
    let id = u32::from_le_bytes(machine.operand().try_into().ok()?);
    let takes = (machine.core.host.service(id)?.takes)(&machine.core);
    Some(takes.min(machine.height()))
}

/// The number that identifies a compound or Buffer.
fn compound(item: &Neo3Item) -> Option<usize> {
    match item {
        // Greater than all numbers of compounds.
        Neo3Item::Buffer(buffer) => Some(!(buffer.number as usize)),
        other => other.compound().map(|id| id.0 as usize),
    }
}

impl NeoOperands for Neo3 {
    fn next(&self) -> Option<At<'_>> {
        self.at()
    }

    fn count(&self, below: usize) -> Option<usize> {
        usize::try_from(int32(self.core.below(below)?).ok()?).ok()
    }
}

impl Neo3 {
    fn shown(&self, item: &Neo3Item) -> Value {
        Show::briefly(&self.core.heap, item)
    }

    /// The variable that an instruction names: by its operand, or by itself (`LDLOC0` to `LDLOC6`).
    fn variable_index(&self) -> Option<usize> {
        let at = self.at()?;
        match at.op?.operands {
            [] => Some(usize::from(at.code % 8)),
            _ => at.operand.first().map(|index| usize::from(*index)),
        }
    }

    fn variable_cells(&self, slots: Slots) -> Vec<Cell> {
        let index = self.variable_index();
        index.map(|index| slots.cell(self.core.callers.len(), index)).into_iter().collect()
    }

    /// Variables that an instruction creates; this byte of its operand is their number.
    fn new_cells(&self, slots: Slots, byte: usize) -> Vec<Cell> {
        let (frame, count) = (self.core.callers.len(), self.operand().get(byte).copied().unwrap_or_default());
        (0..count).map(|index| slots.cell(frame, index.into())).collect()
    }

    /// The items of an operand that is an Array or a Struct.
    fn list(&self, operand: usize) -> Option<&[Neo3Item]> {
        Some(self.core.heap.list(self.core.below(operand)?.list()?))
    }

    /// The variable in a cell of [`Slots::cell`], if it exists.
    fn variable(&self, cell: &Cell) -> Option<&Neo3Item> {
        let Cell::Named(kind, name) = cell else { return None };
        let slots = Slots::ALL.into_iter().find(|slots| slots.cell_kind() == *kind)?;
        let (index, frame) = name.split_once(" of frame ").unwrap_or((name, "0"));
        let frame: usize = frame.parse().ok()?;
        let exists = frame <= self.core.callers.len();
        self.variables(slots, frame).get(index.parse::<usize>().ok()?).filter(|_| exists)
    }

    fn variables(&self, slots: Slots, frame: usize) -> &[Neo3Item] {
        let context = self.core.callers.get(frame).unwrap_or(&self.core.context);
        slots.of(&self.core, context)
    }

    /// The cell of an item of a compound or Buffer on the stack.
    fn item_cell(&self, below: usize, key: &PathKey) -> Option<Cell> {
        self.compound(below).map(|id| Cell::item(id, key))
    }

    /// The key of a part of an operand, which is also an operand, and the part if it exists.
    fn part(&self, whole: usize, key: usize) -> Option<(PathKey, Option<Neo3Item>)> {
        let (whole, key) = (self.core.below(whole)?, self.core.below(key)?);
        if let Neo3Item::Map(map) = whole {
            let key = MapKey::of(key).ok()?;
            return Some((key_name(&key).into(), self.core.heap.map(*map).get(&key).cloned()));
        }
        let index = PathKey::Index(usize::try_from(number(key).ok()?).ok()?);
        let part = self.child(whole, &index);
        Some((index, part))
    }

    /// An item of a compound, or a byte, by its key in a path.
    fn child(&self, item: &Neo3Item, key: &PathKey) -> Option<Neo3Item> {
        match (item, key) {
            (Neo3Item::Array(list) | Neo3Item::Struct(list), PathKey::Index(index)) => {
                self.core.heap.list(*list).get(*index).cloned()
            }
            (Neo3Item::Map(map), PathKey::Name(name)) => {
                pairs(self.core.heap.map(*map)).find(|pair| *name == *pair.0).map(|pair| pair.1.clone())
            }
            (_, PathKey::Index(index)) => {
                let byte = with_bytes(item, |bytes| bytes.get(*index).copied()).ok()??;
                Some(Neo3Item::Integer(byte.into()))
            }
            _ => None,
        }
    }
}
