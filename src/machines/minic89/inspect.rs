//! What an instruction reads and writes, for blame and traces.

use super::explain::named;
use super::machine::MiniC89;
use super::table::Op;
use crate::machines::inspect::{Effects, Inspect};
use crate::model::cell::Cell;
use crate::model::path::{Key, Path};
use crate::model::value::Value;

impl Inspect for MiniC89 {
    fn instruction(&self) -> String {
        self.stand().last().map_or(String::new(), |(function, ip)| self.written(function, ip))
    }

    fn source(&self) -> Option<String> {
        let (function, ip) = self.stand().last()?;
        let line = function.source_map.line(ip)?;
        Some(format!("{}, line {line}", named(function)))
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

    fn effects(&self) -> Effects {
        let mut effects = Effects::default();
        let Some((function, ip)) = self.stand().last() else { return effects };
        let instruction = function.instructions[ip];
        let frame = self.frames.len() - 1;
        let slot = usize::try_from(instruction.argument).unwrap_or(usize::MAX);
        match instruction.op {
            Op::LOAD_LOCAL => {
                let base = self.frames.last().map_or(0, |frame| frame.base);
                let value = base.checked_add(slot).and_then(|at| self.slots.get(at));
                effects.read(cell(frame, slot), value.map(|word| word.to_value()));
            }
            Op::JZ | Op::JNZ => effects.write(Cell::jump()),
            Op::RET if frame == 0 => effects.write(result()),
            Op::STORE_LOCAL => effects.write(cell(frame, slot)),
            Op::CALL_DIRECT | Op::CALL_IND => {
                let callee = match instruction.op {
                    Op::CALL_DIRECT => self.function(instruction.argument),
                    _ => self.stack.last().and_then(|top| self.function(top.as_fun()?.into())),
                };
                let (parameters, locals) =
                    callee.map_or((0, 0), |callee| (callee.param_count, callee.local_count));
                let takes = parameters + usize::from(instruction.op == Op::CALL_IND);
                effects.takes = Some(takes.min(self.stack.len()));
                // Those that are no parameters have no value, whatever a frame before had there.
                effects.writes.extend((0..locals).map(|slot| cell(frame + 1, slot)));
            }
            _ => {}
        }
        effects
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        let Cell::Named("slot", name) = cell else { return None };
        let (slot, frame) = name.split_once(OF_FRAME)?;
        let frame = self.frames.get(frame.parse::<usize>().ok()?)?;
        let at = frame.base.checked_add(slot.parse().ok()?)?;
        self.slots.get(at).map(|word| word.to_value())
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        match &at.keys()[..] {
            [Key::Name(field), Key::Index(index), ..] if field == "operand_stack" => {
                vec![Cell::Stack(*index)]
            }
            [Key::Name(field), Key::Index(frame), Key::Name(part), Key::Index(slot), ..]
                if field == "call_stack" && part == "locals" =>
            {
                vec![cell(*frame, *slot)]
            }
            [Key::Name(field), ..] if field == "halt" => vec![result()],
            _ => Vec::new(),
        }
    }
}

const OF_FRAME: &str = " of frame ";
/// What the first function returned.
fn result() -> Cell {
    Cell::named("result", "")
}

/// A slot of a frame, the oldest frame being 0.
fn cell(frame: usize, slot: usize) -> Cell {
    Cell::named("slot", format!("{slot}{OF_FRAME}{frame}"))
}
