//! The state: what can be observed, and what can be changed between two instructions.

use super::cpu::MiniFrame;
use super::inspect::SLOT;
use super::machine::{MiniC89, RunStatus};
use super::program::Function;
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::change::{CountFrom, PartCells, StateChange, StateChanges, change_items, state_changes};
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::machines::status::LoadError;
use crate::model::{Shape, Value};

/// The members of a snapshot, in the order of output.
impl StateFields for MiniC89 {
    const FIELDS: &'static [StateField<MiniC89>] = state_fields! {
        "schema_version": Shape::Plain, "MiniC89.VM.Snapshot.v0.2",
            |m| m.has_begun().then(|| Value::text("MiniC89.VM.Snapshot.v0.2"));
        "step": Shape::Plain, "attempts so far", |m| m.has_begun().then(|| Value::int(m.step));
        "status": Shape::Plain, "RUNNING, HALTED or TRAPPED", status;
        "pc": Shape::Plain, "the next instruction, or the one that trapped; Null when halted", pc;
        "operand_stack": Shape::Plain, "the values of all frames, the top last",
            |m| m.has_begun().then(|| list(&m.stack));
        "call_stack": Shape::Plain, "the frames, the current one last", call_stack;
        "trap": Shape::Plain, "code and details of a trap", |m| m.trap().map(Trap::to_value);
        "halt": Shape::Plain, "the result of the first function",
            |m| match m.status {
                RunStatus::Halted(result) => Some(Value::record([("result", Value::int(result))])),
                _ => None,
            };
    };
}

/// The parts of a run that has begun.
impl StateChanges for MiniC89 {
    const CHANGES: &'static [StateChange<MiniC89>] = state_changes! {
        "operand_stack": Shape::Plain, "values by their number from the top, 0 first",
            |m, name, values| change_items(name, &mut m.stack, CountFrom::FromTop, values, put),
            PartCells::Stack;
        "locals": Shape::Plain, "slots of the current frame by number",
            |m, name, values| {
                let base = m.base();
                change_items(name, &mut m.slots[base..], CountFrom::FromStart, values, put)
            },
            PartCells::ByNumber(SLOT, |m, slot| m.slots.get(m.base() + slot).map(|word| word.to_value()));
    };
}

fn status(machine: &MiniC89) -> Option<Value> {
    let name = match machine.status {
        RunStatus::Idle => return None,
        RunStatus::Running => "RUNNING",
        RunStatus::Halted(_) => "HALTED",
        RunStatus::Trapped(_) => "TRAPPED",
    };
    Some(Value::text(name))
}

fn pc(machine: &MiniC89) -> Option<Value> {
    match machine.status {
        RunStatus::Idle => None,
        RunStatus::Halted(_) => Some(Value::Null),
        RunStatus::Running | RunStatus::Trapped(_) => {
            machine.stand().last().map(|(function, ip)| place(function, ip))
        }
    }
}

fn call_stack(machine: &MiniC89) -> Option<Value> {
    let code = machine.code.as_ref().filter(|_| machine.has_begun())?;
    let frames = &machine.frames;
    let ends = frames.iter().skip(1).map(|frame| frame.base).chain([machine.slots.len()]);
    let mut below: Option<&Function> = None;
    let frame = |(frame, end): (&MiniFrame, usize)| {
        let function = &code.functions[frame.function];
        let return_pc = below.map_or(Value::Null, |below| place(below, frame.return_ip));
        below = Some(function);
        Value::record([
            ("fid", Value::int(function.fid)),
            ("return_pc", return_pc),
            ("locals", list(&machine.slots[frame.base..end])),
        ])
    };
    Some(Value::List(frames.iter().zip(ends).map(frame).collect()))
}

fn place(function: &Function, ip: usize) -> Value {
    Value::record([("fid", Value::int(function.fid)), ("ip", Value::int(ip))])
}

fn list(words: &[MiniWord]) -> Value {
    Value::List(words.iter().map(|word| word.to_value()).collect())
}

impl MiniC89 {
    /// Where the slots of the current frame begin.
    fn base(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.base)
    }
}

/// Replaces a value with another.
fn put(place: &mut MiniWord, value: &Value) -> Result<(), LoadError> {
    let word = MiniWord::of_value(value);
    *place = word.ok_or_else(|| LoadError::new(format!("{value} is not a value of this machine")))?;
    Ok(())
}
