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
    let inputs: Vec<_> = by.inputs.iter().map(input).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" of {}", inputs.join(", ")) };
    let went = by.went.as_ref().map_or_else(String::new, |went| format!(", on to {}", went.shown(2)));
    let text = format!("{}{inputs}{went}", numbered(by, &by.text));
    truncate(&escaped(&text), 0, room)
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
