//! What an instruction reads and writes, for blame and traces.

use super::explain::named;
use super::machine::{MiniC89, RunStatus};
use super::opcodes::{MiniOp, rows};
use super::place::MiniPlace;
use super::program::{Function, MiniInstruction};
use super::word::MiniWord;
use crate::machines::effects::{DeclaredPlaces, MachineEffect, declared, effects};
use crate::machines::inspect::{Effects, Inspect, InspectSource};
use crate::machines::view::{CodeLine, Section};
use crate::model::{Cell, Path, PathKey, Value};

impl Inspect for MiniC89 {
    fn instruction(&self) -> String {
        self.stand().last().map_or(String::new(), |(function, ip)| self.written(function, ip))
    }

    fn stack_limit(&self) -> Option<usize> {
        usize::try_from(self.limits.operand_stack).ok()
    }

    fn height(&self) -> usize {
        self.stack.len()
    }

    fn item(&self, below: usize) -> Option<Value> {
        let index = self.stack.len().checked_sub(below + 1)?;
        Some(self.stack[index].to_value())
    }

    fn failure(&self) -> Option<String> {
        self.trap().map(|trap| trap.code().to_owned())
    }

    fn depth(&self) -> usize {
        self.frames.len()
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        declared(self, counts)
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        if let (RunStatus::Halted(returned), true) = (&self.status, *cell == result()) {
            return Some(Value::int(*returned));
        }
        let (slot, frame) = slot_and_frame(cell)?;
        let at = self.frames.get(frame)?.base.checked_add(slot)?;
        self.slots.get(at).map(|word| word.to_value())
    }

    fn sections(&self) -> Vec<Section> {
        self.view(self.stand().last())
    }

    fn unit(&self) -> usize {
        self.stand().last().map_or(0, |(function, _)| function.fid.into())
    }

    fn function(&self) -> Option<String> {
        self.stand().last().map(|(function, _)| named(function))
    }

    fn listing(&self) -> Vec<CodeLine> {
        self.stand().last().map_or_else(Vec::new, |(function, _)| self.lines_of(function))
    }

    fn label(&self, pc: usize) -> String {
        pc.to_string()
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        match &at.keys()[..] {
            [PathKey::Name(field), PathKey::Index(index), ..] if field == "operand_stack" => {
                vec![Cell::Stack(*index)]
            }
            [PathKey::Name(field), PathKey::Index(frame), PathKey::Name(part), PathKey::Index(slot), ..]
                if field == "call_stack" && part == "locals" =>
            {
                vec![cell(*frame, *slot)]
            }
            [PathKey::Name(field), ..] if field == "halt" => vec![result()],
            _ => Vec::new(),
        }
    }

    fn source(&self) -> Option<&dyn InspectSource> {
        Some(self)
    }
}

impl InspectSource for MiniC89 {
    fn line(&self) -> Option<u64> {
        self.source_line()
    }

    fn position(&self) -> Option<String> {
        let (function, ip) = self.stand().last()?;
        let line = function.source_map.line(ip)?;
        Some(format!("{}, line {line}", named(function)))
    }

    fn value_name(&self, value: &Value) -> Option<String> {
        MiniWord::of_value(value)?.as_fun().filter(|fid| *fid > 0).map(|fid| self.reference(fid))
    }

    fn cell_name(&self, cell: &Cell) -> Option<String> {
        let (slot, frame) = slot_and_frame(cell)?;
        self.slot_name(frame, slot)
    }
}

/// Generates the list of what each row reads and writes.
macro_rules! effect_lists {
    ($($name:ident $(= $alias:ident)? [$($operand:literal)?] ($pops:literal -> $pushes:literal)
        $handler:path, $doc:literal, $effects:tt;)*) => {
        effects! { { EFFECTS: MiniC89, MiniPlace } $($effects),* }
    };
}

rows!(effect_lists);

impl DeclaredPlaces for MiniC89 {
    type Place = MiniPlace;

    fn row_effects(&self) -> &'static [MachineEffect<MiniC89, MiniPlace>] {
        let row = self.next_instruction().map(|instruction| instruction.op as usize);
        row.and_then(|row| EFFECTS.get(row)).map_or(&[], |effects| effects)
    }

    fn cells_at(&self, place: MiniPlace) -> Vec<Cell> {
        let Some(frame) = self.frames.len().checked_sub(1) else { return Vec::new() };
        match place {
            MiniPlace::Slot => {
                let slot = self.next_instruction().and_then(|it| usize::try_from(it.argument).ok());
                slot.map(|slot| cell(frame, slot)).into_iter().collect()
            }
            // Slots other than parameters have no value, whatever an earlier frame had there.
            MiniPlace::CalleeSlots => {
                let locals = self.callee().map_or(0, |callee| callee.local_count);
                (0..locals).map(|slot| cell(frame + 1, slot)).collect()
            }
            MiniPlace::Result => {
                if frame == 0 {
                    vec![result()]
                } else {
                    Vec::new()
                }
            }
        }
    }
}

impl MiniC89 {
    fn next_instruction(&self) -> Option<MiniInstruction> {
        self.stand().last().map(|(function, ip)| function.instructions[ip])
    }

    /// The function that the next instruction calls.
    fn callee(&self) -> Option<&Function> {
        let MiniInstruction { op, argument } = self.next_instruction()?;
        match op {
            MiniOp::CALL_DIRECT => self.function(argument),
            MiniOp::CALL_IND => self.function(self.stack.last()?.as_fun()?.into()),
            _ => None,
        }
    }

    /// Where execution continues after JMP.
    pub(super) fn jumped(&self) -> Option<usize> {
        usize::try_from(self.next_instruction()?.argument).ok()
    }

    /// How many items a call pops as arguments.
    pub(super) fn arguments(&self) -> Option<usize> {
        Some(self.callee().map_or(0, |callee| callee.param_count))
    }

    /// How many items a call pops that also pops the function.
    pub(super) fn arguments_and_callee(&self) -> Option<usize> {
        self.arguments().map(|arguments| arguments + 1)
    }
}

/// The kind of cells of slots.
pub(super) const SLOT: &str = "slot";

const OF_FRAME: &str = " of frame ";

/// The cell of the first function's result.
fn result() -> Cell {
    Cell::named("result", "")
}

fn slot_and_frame(cell: &Cell) -> Option<(usize, usize)> {
    let Cell::Named(SLOT, name) = cell else { return None };
    let (slot, frame) = name.split_once(OF_FRAME)?;
    Some((slot.parse().ok()?, frame.parse().ok()?))
}

/// A slot of a frame, the oldest frame being 0.
fn cell(frame: usize, slot: usize) -> Cell {
    Cell::named(SLOT, format!("{slot}{OF_FRAME}{frame}"))
}
