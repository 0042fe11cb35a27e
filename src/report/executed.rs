//! Executed instructions as text, and how much of an explanation is shown.

use super::truncate::truncate;
use crate::model::{BlameInput, Cell, ExecutedInstruction, Value, escaped};

/// How much of an explanation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What fits a screen.
    Screen,
    /// This many last instructions, and all differences in full.
    Full(usize),
}

/// The longest input in a line that has no room for all in full.
pub(super) const SHORT_INPUT: usize = 24;

/// How many of its characters are the last ones: large numbers often differ in these.
const END_OF_INPUT: usize = 10;

/// An instruction with its inputs, in one line: `step 2, 0x04 ADD of 3, 4`.
pub(super) fn executed_by(by: &ExecutedInstruction, room: usize) -> String {
    let went = by.went.as_ref().map_or_else(String::new, |went| format!(", on to {}", went.shown(2)));
    fitted(by, &went, room)
}

/// Like [`executed_by`], for the last instruction of a frame: why it failed in place of where execution continued.
pub(super) fn ended_by(by: &ExecutedInstruction, room: usize) -> String {
    let failure = by.failure.as_ref().map_or_else(String::new, |failure| format!(": {failure}"));
    fitted(by, &failure, room)
}

/// An instruction with its inputs, of which long ones are shortened if there is not enough room, and what follows.
fn fitted(by: &ExecutedInstruction, rest: &str, room: usize) -> String {
    let full = escaped(&format!("{}{rest}", with_inputs(by, Value::to_string))).into_owned();
    if full.chars().count() <= room {
        return full;
    }
    truncate(&escaped(&format!("{}{rest}", with_inputs(by, shortened))), 0, room)
}

/// A value in at most [`SHORT_INPUT`] characters.
pub(super) fn brief_value(value: &Value) -> String {
    let full = value.to_string();
    if full.chars().count() <= SHORT_INPUT { full } else { shortened(value) }
}

/// A value in at most [`SHORT_INPUT`] characters, without the same number in decimal: of a longer one, the first and the
/// last.
fn shortened(value: &Value) -> String {
    let full = value.to_string();
    let text =
        if full.ends_with(')') { full.rsplit_once(" (").map_or(&*full, |(hex, _)| hex) } else { &full };
    let length = text.chars().count();
    if length <= SHORT_INPUT {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHORT_INPUT - END_OF_INPUT - 1).collect();
    let end: String = text.chars().skip(length - END_OF_INPUT).collect();
    format!("{start}…{end}")
}

fn with_inputs(by: &ExecutedInstruction, shown: fn(&Value) -> String) -> String {
    let inputs: Vec<_> = by.inputs.iter().map(|input| input_with(input, shown)).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" of {}", inputs.join(", ")) };
    format!("{}{inputs}", numbered(by, &by.text))
}

/// An instruction by its number in the run and its place, with this name: `step 2, 0x04 ADD`.
pub(super) fn numbered(by: &ExecutedInstruction, name: &str) -> String {
    format!("step {}, {} {name}", by.number(), by.at.shown(2))
}

pub(super) fn input(input: &BlameInput) -> String {
    input_with(input, Value::to_string)
}

fn input_with(input: &BlameInput, shown: fn(&Value) -> String) -> String {
    let value = shown(&input.value);
    match (&input.name, &input.cell) {
        (Some(name), _) => format!("{name} = {value}"),
        (None, Cell::Stack(_)) => value,
        (None, cell) => format!("{cell} = {value}"),
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    /// 13 characters, a mark and 10 characters.
    #[test]
    fn a_long_value_is_shown_by_its_ends() {
        let large = (BigInt::from(1) << 255) - 1;
        assert_eq!(shortened(&Value::Int(large.clone())), "0x7ffffffffff…ffffffffff");
        assert_eq!(shortened(&Value::typed("Integer", Value::Int(large))), "Integer 0x7ff…ffffffffff");
        let mut bytes = vec![0; 32];
        bytes[31] = 7;
        assert_eq!(shortened(&Value::Bytes(bytes)), "0x00000000000…0000000007");
        assert_eq!(brief_value(&Value::int(12)), "0xc (12)");
        assert_eq!(shortened(&Value::int(12)), "0xc");
        assert_eq!(brief_value(&Value::int(0x1234_5678_9abc_i64)), "0x123456789abc");
    }
}
