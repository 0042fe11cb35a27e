//! What an instruction reads and writes, for blame and traces.

use std::rc::Rc;

use super::convert::{int32, number, with_bytes};
use super::item::Item;
use super::key::Key as MapKey;
use super::machine::Neo3;
use super::show::{Show, key_name, pairs};
use super::table::{NEO3, Op};
use crate::isa::disassembler::line_at;
use crate::machines::inspect::{Effects, Inspect, cells_inside};
use crate::model::cell::Cell;
use crate::model::path::{Key, Path};
use crate::model::value::Value;

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

    fn effects(&self) -> Effects {
        let mut effects = Effects::default();
        let Some(at) = self.at() else { return effects };
        let code = self.executed()[self.pc];
        if let Some(op) = Op::of_code(code) {
            self.effects_of(op, at.operand, &mut effects);
        }
        // It faults where it would take more than there is.
        effects.takes = effects.takes.map(|takes| takes.min(self.height()));
        if let Some((slots, index, is_stored)) = variable(code, at.operand) {
            self.uses_variable(slots, index, is_stored, &mut effects);
        }
        effects
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (cell, item, way) = match &keys[..] {
            [Key::Name(field), Key::Index(index), way @ ..] if field == "resultStack" => {
                (self.stacked(*index), self.core.below(*index), way)
            }
            [Key::Name(field), Key::Index(_), Key::Name(part), Key::Index(index), way @ ..]
                if field == "invocationStack" && part == "evaluationStack" =>
            {
                (self.stacked(*index), self.core.below(*index), way)
            }
            [Key::Name(field), Key::Index(frame), Key::Name(part), Key::Index(index), way @ ..]
                if field == "invocationStack" =>
            {
                let slots = Slots::ALL.into_iter().find(|slots| slots.field() == part);
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

/// Variables that have their own instructions.
#[derive(Clone, Copy)]
enum Slots {
    Statics,
    Locals,
    Arguments,
}

impl Slots {
    /// In the order of the instructions.
    const ALL: [Slots; 3] = [Slots::Statics, Slots::Locals, Slots::Arguments];

    /// What a frame of the state calls them.
    fn field(self) -> &'static str {
        match self {
            Slots::Statics => "staticFields",
            Slots::Locals => "localVariables",
            Slots::Arguments => "arguments",
        }
    }

    /// One of them; the oldest frame is 0. Static fields belong to all frames.
    fn cell(self, frame: usize, index: usize) -> Cell {
        match self {
            Slots::Statics => Cell::named("static", index.to_string()),
            Slots::Locals => Cell::named("local", format!("{index} of frame {frame}")),
            Slots::Arguments => Cell::named("argument", format!("{index} of frame {frame}")),
        }
    }
}

/// The variable that an instruction loads or stores, and whether it stores it.
fn variable(code: u8, operand: &[u8]) -> Option<(Slots, usize, bool)> {
    // For each kind eight that load and eight that store; the last of eight has the index behind it.
    let place = usize::from(code).checked_sub(Op::LDSFLD0 as usize)?;
    let slots = *Slots::ALL.get(place / 16)?;
    let index = match place % 8 {
        7 => usize::from(*operand.first()?),
        index => index,
    };
    Some((slots, index, place % 16 >= 8))
}

/// The exception that waits for the end of a finally block.
fn file_override() -> Cell {
    Cell::named("exception", "")
}

/// What a compound or Buffer is known by.
fn compound(item: &Item) -> Option<usize> {
    match item {
        // Above all numbers of compounds.
        Item::Buffer(bytes) => Some(!(Rc::as_ptr(bytes) as usize)),
        other => other.compound().map(|id| id.0 as usize),
    }
}

impl Neo3 {
    fn shown(&self, item: &Item) -> Value {
        Show::briefly(&self.core.heap, item)
    }

    fn uses_variable(&self, slots: Slots, index: usize, is_stored: bool, effects: &mut Effects) {
        let frame = self.core.callers.len();
        let cell = slots.cell(frame, index);
        if is_stored {
            effects.write(cell);
        } else {
            effects.read(cell, self.variables(slots, frame).get(index).map(|item| self.shown(item)));
        }
    }

    /// What an instruction does besides loading and storing variables.
    fn effects_of(&self, op: Op, operand: &[u8], effects: &mut Effects) {
        match op {
            _ if (Op::JMPIF as u8..=Op::JMPLE_L as u8).contains(&(op as u8)) => effects.write(Cell::jump()),
            Op::PICK => {
                if let Some(below) = self.count(0).map(|count| count + 1)
                    && let Some(cell) = self.stacked(below)
                {
                    effects.read(cell, self.item(below));
                }
            }
            // The operands are one count, and so many items and one more.
            Op::XDROP | Op::ROLL => effects.takes = self.takes(1, 2),
            Op::REVERSEN | Op::PACK | Op::PACKSTRUCT => effects.takes = self.takes(1, 1),
            Op::PACKMAP => effects.takes = self.takes(2, 1),
            Op::INITSSLOT => self.makes(Slots::Statics, operand.first(), effects),
            Op::INITSLOT => {
                self.makes(Slots::Locals, operand.first(), effects);
                self.makes(Slots::Arguments, operand.get(1), effects);
                effects.takes = operand.get(1).map(|count| usize::from(*count));
            }
            Op::SYSCALL => self.calls_service(operand, effects),
            Op::THROW => effects.write(file_override()),
            Op::ENDFINALLY => {
                if let Some(pending) = &self.core.uncaught {
                    effects.read(file_override(), Some(self.shown(pending)));
                }
            }
            Op::MEMCPY => {
                effects.read_compound(self, 2);
                effects.change_compound(self, 4);
            }
            Op::CAT | Op::EQUAL | Op::NOTEQUAL => {
                effects.read_compound(self, 0);
                effects.read_compound(self, 1);
            }
            Op::LEFT | Op::RIGHT | Op::HASKEY => effects.read_compound(self, 1),
            Op::SUBSTR => effects.read_compound(self, 2),
            Op::UNPACK | Op::SIZE | Op::KEYS | Op::VALUES | Op::CONVERT => effects.read_compound(self, 0),
            Op::PICKITEM => self.picks(effects),
            Op::APPEND => {
                self.clones(0, effects);
                let list = self.core.below(1).and_then(Item::list);
                let new = list.map(|list| Key::Index(self.core.heap.size(list)));
                effects.writes.extend(new.and_then(|key| self.item_cell(1, &key)));
            }
            Op::SETITEM => self.sets(effects),
            Op::REVERSEITEMS => effects.change_compound(self, 0),
            Op::REMOVE => effects.change_compound(self, 1),
            Op::CLEARITEMS => effects.writes.extend(self.compound(0).map(Cell::Compound)),
            Op::POPITEM => self.pops_item(effects),
            _ => {}
        }
    }

    /// The cell of an item of the stack, so many below the top one.
    fn stacked(&self, below: usize) -> Option<Cell> {
        self.height().checked_sub(below + 1).map(Cell::Stack)
    }

    /// The count that an item of the stack is.
    fn count(&self, below: usize) -> Option<usize> {
        usize::try_from(int32(self.core.below(below)?).ok()?).ok()
    }

    /// How many items an instruction takes: `each` for each that the top one counts, and `more`.
    fn takes(&self, each: usize, more: usize) -> Option<usize> {
        self.count(0).map(|count| count * each + more)
    }

    /// The variables of a frame.
    fn variables(&self, slots: Slots, frame: usize) -> &[Item] {
        let context = self.core.callers.get(frame).unwrap_or(&self.core.context);
        match slots {
            Slots::Statics => &self.core.statics,
            Slots::Locals => &context.locals,
            Slots::Arguments => &context.arguments,
        }
    }

    /// Makes so many variables.
    fn makes(&self, slots: Slots, count: Option<&u8>, effects: &mut Effects) {
        let frame = self.core.callers.len();
        let count = count.copied().map_or(0, usize::from);
        effects.writes.extend((0..count).map(|index| slots.cell(frame, index)));
    }

    fn calls_service(&self, operand: &[u8], effects: &mut Effects) {
        let id = operand.try_into().map(u32::from_le_bytes).ok();
        let Some(service) = id.and_then(|id| self.core.host.service(id)) else { return };
        let takes = (service.takes)(&self.core);
        (0..takes.min(self.height())).for_each(|below| effects.read_compound(self, below));
        effects.takes = Some(takes);
        // It may throw.
        effects.write(file_override());
    }

    /// Takes an operand over into a compound: a Struct is cloned.
    fn clones(&self, below: usize, effects: &mut Effects) {
        if let Some(Item::Struct(_)) = self.core.below(below) {
            effects.read_compound(self, below);
        }
    }

    fn picks(&self, effects: &mut Effects) {
        match self.part(1, 0) {
            Some((key, Some(item))) => {
                if let Some(cell) = self.item_cell(1, &key) {
                    effects.read(cell, Some(self.shown(&item)));
                }
            }
            _ => effects.write(file_override()),
        }
    }

    fn sets(&self, effects: &mut Effects) {
        self.clones(0, effects);
        let is_map = matches!(self.core.below(2), Some(Item::Map(_)));
        match self.part(2, 1) {
            Some((key, old)) if old.is_some() || is_map => effects.writes.extend(self.item_cell(2, &key)),
            _ => effects.write(file_override()),
        }
    }

    fn pops_item(&self, effects: &mut Effects) {
        let Some(list) = self.core.below(0).and_then(Item::list) else { return };
        let Some((last, rest)) = self.core.heap.list(list).split_last() else { return };
        if let Some(cell) = self.item_cell(0, &Key::Index(rest.len())) {
            effects.read(cell.clone(), Some(self.shown(last)));
            effects.write(cell);
        }
    }

    /// The cell of an item of a compound or Buffer on the stack.
    fn item_cell(&self, below: usize, key: &Key) -> Option<Cell> {
        self.compound(below).map(|id| Cell::item(id, key))
    }

    /// The key of a part of an operand, which is an operand too, and the part if it is there.
    fn part(&self, whole: usize, key: usize) -> Option<(Key, Option<Item>)> {
        let (whole, key) = (self.core.below(whole)?, self.core.below(key)?);
        if let Item::Map(map) = whole {
            let key = MapKey::of(key).ok()?;
            return Some((key_name(&key).into(), self.core.heap.map(*map).get(&key).cloned()));
        }
        let index = Key::Index(usize::try_from(number(key).ok()?).ok()?);
        let part = self.child(whole, &index);
        Some((index, part))
    }

    /// An item of a compound as a path names it, or a byte.
    fn child(&self, item: &Item, key: &Key) -> Option<Item> {
        match (item, key) {
            (Item::Array(list) | Item::Struct(list), Key::Index(index)) => {
                self.core.heap.list(*list).get(*index).cloned()
            }
            (Item::Map(map), Key::Name(name)) => {
                pairs(self.core.heap.map(*map)).find(|pair| pair.0 == *name).map(|pair| pair.1.clone())
            }
            (_, Key::Index(index)) => {
                let byte = with_bytes(item, |bytes| bytes.get(*index).copied()).ok()??;
                Some(Item::Integer(byte.into()))
            }
            _ => None,
        }
    }
}
