//! What an instruction reads and writes, for blame and traces.

use std::ops::Range;

use super::item::Item;
use super::machine::Neo2;
use super::show::{Show, key_name};
use super::table::{NEO2, Op};
use crate::isa::disassembler::line_at;
use crate::machines::inspect::{Effects, Inspect, cells_inside};
use crate::model::cell::Cell;
use crate::model::path::{Key, Path};
use crate::model::value::Value;

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
        self.below(below).and_then(Item::container)
    }

    fn effects(&self) -> Effects {
        let mut effects = Effects::default();
        let Some(at) = self.at() else { return effects };
        if let Some(op) = at.op.and_then(|op| Op::of_code(op.code as u8)) {
            self.effects_of(op, at.operand, &mut effects);
        }
        // It faults where it would take more than there is.
        effects.takes = effects.takes.map(|takes| takes.min(self.own().len()));
        effects
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        let keys = at.keys();
        let (place, way) = match &keys[..] {
            [Key::Name(field), Key::Index(index), way @ ..] if field == "resultStack" => {
                let items = self.items();
                (self.stacked(*index).zip(items.iter().nth_back(*index)), way)
            }
            [Key::Name(field), Key::Index(frame), Key::Name(part), Key::Index(index), way @ ..]
                if field == "invocationStack" =>
            {
                (self.framed(*frame, part, *index), way)
            }
            _ => return Vec::new(),
        };
        let Some((cell, item)) = place else { return Vec::new() };
        cells_inside(cell, Some(item), way, |item| item.container(), |item, key| self.child(item, key))
    }
}

/// An item of the alt stacks of all frames, counted from the bottom.
fn alt(index: usize) -> Cell {
    Cell::named("alt", index.to_string())
}

impl Neo2 {
    fn shown(&self, item: &Item) -> Value {
        Show::briefly(&self.context.heap, item)
    }

    /// The items of all frames; at the end what is left of them.
    fn items(&self) -> &[Item] {
        if self.context.frames.is_empty() { &self.context.results } else { &self.context.stack }
    }

    fn below(&self, below: usize) -> Option<&Item> {
        self.items().iter().nth_back(below)
    }

    /// The cell of an item, so many below the top one.
    fn stacked(&self, below: usize) -> Option<Cell> {
        self.height().checked_sub(below + 1).map(Cell::Stack)
    }

    fn effects_of(&self, op: Op, operand: &[u8], effects: &mut Effects) {
        match op {
            Op::JMPIF | Op::JMPIFNOT => effects.write(Cell::jump()),
            Op::PICK => self.reads(self.count(0).map(|count| count + 1), effects),
            Op::XSWAP => self.swaps(effects),
            // The operands are one count, and so many items and one more.
            Op::XDROP | Op::ROLL => effects.takes = self.takes(2),
            Op::XTUCK | Op::PACK => effects.takes = self.takes(1),
            Op::CHECKMULTISIG => {
                let keys = self.several(0);
                effects.takes = Some(keys + self.several(keys));
                effects.read_compound(self, 0);
                effects.read_compound(self, keys);
            }
            Op::TOALTSTACK => effects.write(alt(self.context.alt.len())),
            Op::FROMALTSTACK | Op::DUPFROMALTSTACK => {
                if let Some((top, rest)) = self.context.alt.split_last() {
                    effects.read(alt(rest.len()), Some(self.shown(top)));
                }
            }
            Op::RET => effects.takes = self.returned(),
            Op::APPCALL | Op::TAILCALL if operand.iter().all(|byte| *byte == 0) => effects.takes = Some(1),
            Op::CALL_ET => effects.takes = self.handed_over(operand, 0),
            Op::CALL_EDT => effects.takes = self.handed_over(operand, 1),
            Op::EQUAL => {
                effects.read_compound(self, 0);
                effects.read_compound(self, 1);
            }
            Op::HASKEY => effects.read_compound(self, 1),
            Op::UNPACK | Op::ARRAYSIZE | Op::NEWARRAY | Op::NEWSTRUCT | Op::KEYS | Op::VALUES => {
                effects.read_compound(self, 0);
            }
            Op::PICKITEM => {
                if let (Some(cell), Some(item)) = self.part(1, 0) {
                    effects.read(cell, Some(self.shown(item)));
                }
            }
            Op::SETITEM => {
                self.clones(0, effects);
                effects.writes.extend(self.part(2, 1).0);
            }
            Op::APPEND => {
                self.clones(0, effects);
                let size = self.below(1).and_then(|item| self.list(item)).map(<[Item]>::len);
                let new = self.compound(1).zip(size).map(|(id, size)| Cell::item(id, &size.into()));
                effects.writes.extend(new);
            }
            Op::REVERSE => effects.change_compound(self, 0),
            Op::REMOVE => effects.change_compound(self, 1),
            _ => {}
        }
    }

    /// The items of the current frame.
    fn own(&self) -> &[Item] {
        let base = self.context.frames.last().map_or(0, |call| call.base);
        self.context.stack.get(base..).unwrap_or_default()
    }

    /// The count that an item of the stack is.
    fn count(&self, below: usize) -> Option<usize> {
        let number = self.below(below)?.number()?;
        usize::try_from(i32::try_from(number).ok()?).ok()
    }

    /// How many items an instruction takes: as many as the top one counts, and `more`.
    fn takes(&self, more: usize) -> Option<usize> {
        self.count(0).map(|count| count + more)
    }

    /// How many items an array of keys or signatures is, or a count and so many of them.
    fn several(&self, below: usize) -> usize {
        let is_list = self.below(below).is_some_and(|item| self.list(item).is_some());
        1 + if is_list { 0 } else { self.count(below).unwrap_or_default() }
    }

    /// How many items RET takes that others move to the place of; none where all stay.
    fn returned(&self) -> Option<usize> {
        let wanted = self.context.frames.last()?.wanted?;
        Some(self.own().len()).filter(|own| *own > usize::from(wanted))
    }

    /// How many items a call in the place of the caller takes, which leaves of them only its arguments;
    /// with `hashes` on top of them.
    fn handed_over(&self, operand: &[u8], hashes: usize) -> Option<usize> {
        let arguments = usize::from(*operand.get(1)?);
        Some(self.own().len()).filter(|own| *own > arguments + hashes)
    }

    /// Reads an item of the stack without taking it.
    fn reads(&self, below: Option<usize>, effects: &mut Effects) {
        if let Some(below) = below
            && let Some(cell) = self.stacked(below)
        {
            effects.read(cell, self.item(below));
        }
    }

    /// Two items of the stack change places; what is between them stays.
    fn swaps(&self, effects: &mut Effects) {
        let Some(other) = self.count(0).map(|count| count + 1) else { return };
        for below in [1, other] {
            self.reads(Some(below), effects);
            effects.writes.extend(self.stacked(below));
        }
    }

    /// Takes an operand over into a container: a Struct is cloned.
    fn clones(&self, below: usize, effects: &mut Effects) {
        if let Some(Item::Struct(_)) = self.below(below) {
            effects.read_compound(self, below);
        }
    }

    /// The cell of an item of a container, both operands of an instruction, and the item if it is there.
    fn part(&self, container: usize, key: usize) -> (Option<Cell>, Option<&Item>) {
        let Some(container) = self.below(container) else { return (None, None) };
        let key = match container {
            Item::Map(_) => self.below(key).map(|key| Key::from(key_name(key))),
            _ => self.count(key).map(Key::from),
        };
        let Some(key) = key else { return (None, None) };
        (container.container().map(|id| Cell::item(id, &key)), self.child(container, &key))
    }

    fn list(&self, item: &Item) -> Option<&[Item]> {
        match item {
            Item::Array(id) | Item::Struct(id) => Some(self.context.heap.list(*id)),
            _ => None,
        }
    }

    /// An item of a container as a path names it.
    fn child(&self, item: &Item, key: &Key) -> Option<&Item> {
        match (item, key) {
            (Item::Map(id), Key::Name(name)) => {
                let entry = self.context.heap.map(*id).entries().find(|entry| key_name(&entry.key) == **name);
                entry.map(|entry| &entry.value)
            }
            (_, Key::Index(index)) => self.list(item)?.get(*index),
            _ => None,
        }
    }

    /// The cell and the item of a stack of a frame. Frames are listed from the current one, items from
    /// the top one.
    fn framed(&self, frame: usize, part: &str, index: usize) -> Option<(Cell, &Item)> {
        let frame = self.context.frames.len().checked_sub(frame + 1)?;
        let (call, next) = (self.context.frames[frame], self.context.frames.get(frame + 1));
        let from_top = |own: Range<usize>| own.rev().nth(index);
        match part {
            "evaluationStack" => {
                let end = next.map_or(self.context.stack.len(), |next| next.base);
                let place = from_top(call.base..end)?;
                Some((Cell::Stack(place), &self.context.stack[place]))
            }
            "altStack" => {
                let end = next.map_or(self.context.alt.len(), |next| next.alt_base);
                let place = from_top(call.alt_base..end)?;
                Some((alt(place), &self.context.alt[place]))
            }
            _ => None,
        }
    }
}
