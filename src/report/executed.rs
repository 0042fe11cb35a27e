//! Executed instructions as text, and how much of an explanation is shown.

use super::truncate::truncate;
use crate::model::{BlameInput, Cell, ExecutedInstruction, escaped};

/// How much of an explanation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What fits a screen.
    Screen,
    /// This many last instructions, and all differences in full.
    Full(usize),
}

/// An instruction with its inputs, in one line: `step 2, 0x04 ADD of 3, 4`.
pub(super) fn executed_by(by: &ExecutedInstruction, room: usize) -> String {
    let went = by.went.as_ref().map_or_else(String::new, |went| format!(", on to {}", went.shown(2)));
    truncate(&escaped(&format!("{}{went}", with_inputs(by))), 0, room)
}

/// Like [`executed_by`], for the last instruction of a frame: why it failed in place of where execution continued.
pub(super) fn ended_by(by: &ExecutedInstruction, room: usize) -> String {
    let failure = by.failure.as_ref().map_or_else(String::new, |failure| format!(": {failure}"));
    truncate(&escaped(&format!("{}{failure}", with_inputs(by))), 0, room)
}

fn with_inputs(by: &ExecutedInstruction) -> String {
    let inputs: Vec<_> = by.inputs.iter().map(input).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" of {}", inputs.join(", ")) };
    format!("{}{inputs}", numbered(by, &by.text))
}

/// An instruction by its number in the run and its place, with this name: `step 2, 0x04 ADD`.
pub(super) fn numbered(by: &ExecutedInstruction, name: &str) -> String {
    format!("step {}, {} {name}", by.number(), by.at.shown(2))
}

pub(super) fn input(input: &BlameInput) -> String {
    match (&input.name, &input.cell) {
        (Some(name), _) => format!("{name} = {}", input.value),
        (None, Cell::Stack(_)) => input.value.to_string(),
        (None, cell) => format!("{cell} = {}", input.value),
    }
}
