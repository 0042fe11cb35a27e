//! Executed instructions as text, and how much of an explanation is shown.

use super::truncate::truncate;
use crate::model::{BlameInput, Cell, ExecutedInstruction, Value, escaped};

/// How much of an explanation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplanationLength {
    /// What fits a screen.
    Screen,
    /// This many last instructions, and all differences in full.
    Full(usize),
}

/// The longest input in a line that has no room for all in full.
pub(super) const SHORT_INPUT: usize = 24;

/// The same if several long ones have no room.
const SHORTEST_INPUT: usize = 12;

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
    let with =
        |shown: &dyn Fn(&Value) -> String| escaped(&format!("{}{rest}", with_inputs(by, shown))).into_owned();
    let short = |most: usize| with(&|value| shortened(value, most));
    let fits = |text: &String| text.chars().count() <= room;
    let texts = [with(&Value::to_string)].into_iter().chain([SHORT_INPUT, SHORTEST_INPUT].map(short));
    texts.into_iter().find(fits).unwrap_or_else(|| truncate(&short(SHORT_INPUT), 0, room))
}

/// A value in at most [`SHORT_INPUT`] characters.
pub(super) fn brief_value(value: &Value) -> String {
    let full = value.to_string();
    if full.chars().count() <= SHORT_INPUT { full } else { shortened(value, SHORT_INPUT) }
}

/// A value in at most so many characters, without the same number in decimal: of a longer one, the first and the last,
/// in which large numbers often differ.
fn shortened(value: &Value, most: usize) -> String {
    let full = value.to_string();
    let text =
        if full.ends_with(')') { full.rsplit_once(" (").map_or(&*full, |(hex, _)| hex) } else { &full };
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end = 5 * most / 12;
    let first: String = text.chars().take(most - end - 1).collect();
    let last: String = text.chars().skip(length - end).collect();
    format!("{first}…{last}")
}

fn with_inputs(by: &ExecutedInstruction, shown: &dyn Fn(&Value) -> String) -> String {
    let inputs: Vec<_> = by.inputs.iter().map(|input| input_with(input, shown)).collect();
    let inputs = if inputs.is_empty() { String::new() } else { format!(" of {}", inputs.join(", ")) };
    format!("{}{inputs}", numbered(by, &by.text))
}

/// An instruction by its number in the run and its place, with this name: `step 2, 0x04 ADD`.
pub(super) fn numbered(by: &ExecutedInstruction, name: &str) -> String {
    format!("step {}, {} {name}", by.number(), by.at.shown(2))
}

pub(super) fn input(input: &BlameInput) -> String {
    input_with(input, &Value::to_string)
}

fn input_with(input: &BlameInput, shown: &dyn Fn(&Value) -> String) -> String {
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

    /// 13 characters, a mark and 10 characters; 6 and 5 if there is less room.
    #[test]
    fn a_long_value_is_shown_by_its_ends() {
        let large: BigInt = (BigInt::from(1) << 255) - 1;
        let short = |value: &Value| shortened(value, SHORT_INPUT);
        assert_eq!(short(&Value::Int(large.clone())), "0x7ffffffffff…ffffffffff");
        assert_eq!(short(&Value::typed("Integer", Value::Int(large))), "Integer 0x7ff…ffffffffff");
        let mut bytes = vec![0; 32];
        bytes[31] = 7;
        assert_eq!(short(&Value::Bytes(bytes.clone())), "0x00000000000…0000000007");
        assert_eq!(shortened(&Value::Bytes(bytes), SHORTEST_INPUT), "0x0000…00007");
        assert_eq!(brief_value(&Value::int(12)), "0xc (12)");
        assert_eq!(short(&Value::int(12)), "0xc");
        assert_eq!(brief_value(&Value::int(0x1234_5678_9abc_i64)), "0x123456789abc");
    }
}
