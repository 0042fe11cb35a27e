//! How vmconf's own TinyVM vectors write numbers, addresses and names of registers.

use crate::formats::fields::wrong_type;
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin};
use crate::text::json::{JsonDatum, JsonNode, quoted};
use crate::text::number::small;

const WORD: &str = "an integer from -32768 to 65535, or one in quotes, also as 0x and hex digits";
const COUNT: &str = "an integer from 0 to 18446744073709551615, or one in quotes, also as 0x and hex digits";

/// A word; a negative number becomes its two's complement.
pub(super) fn word(node: JsonNode<'_>, name: &str) -> Result<u16, Diagnostic<Origin>> {
    let number = number(node, name, WORD)?;
    let what = || format!("{name} {} is not a word", node.shown());
    to_word(number).ok_or_else(|| Diagnostic::at(node.at(), what()).expected(WORD).under(LintRule::Number))
}

/// A number of instructions, or a seed.
pub(super) fn count(node: JsonNode<'_>, name: &str) -> Result<u64, Diagnostic<Origin>> {
    let number = number(node, name, COUNT)?;
    let what = || format!("{name} is {}", node.shown());
    u64::try_from(number)
        .map_err(|_| Diagnostic::at(node.at(), what()).expected(COUNT).under(LintRule::Number))
}

/// The address in a key, written like a number in quotes.
pub(super) fn address(key: &str, at: u32) -> Result<u16, Diagnostic<Origin>> {
    let what = || format!("{} is not an address", quoted(key));
    let address = small(key).and_then(to_word);
    address.ok_or_else(|| Diagnostic::at(at, what()).expected(WORD).under(LintRule::Number))
}

/// An address as a key of a record.
pub(super) fn address_key(address: u16) -> String {
    format!("{address:#06x}")
}

/// The number of the register named by a key.
pub(super) fn register(key: &str, at: u32) -> Result<usize, Diagnostic<Origin>> {
    let what = || format!("{} is not a register", quoted(key));
    let number = (0..16).find(|number| key == register_key(*number));
    number.ok_or_else(|| Diagnostic::at(at, what()).expected("r0 to r15").under(LintRule::UnknownName))
}

/// A register as a key of a record.
pub(super) fn register_key(number: usize) -> String {
    format!("r{number}")
}

fn number(node: JsonNode<'_>, name: &str, expected: &str) -> Result<i128, Diagnostic<Origin>> {
    let number = match node.datum() {
        JsonDatum::Number(text) => small(text),
        JsonDatum::Text(text) => small(&text),
        _ => return Err(wrong_type(node, name, expected)),
    };
    number.ok_or_else(|| {
        let what = format!("{name} {} is not such a number", node.shown());
        Diagnostic::at(node.at(), what).expected(expected).under(LintRule::Number)
    })
}

fn to_word(number: i128) -> Option<u16> {
    match i16::try_from(number) {
        Ok(signed) => Some(signed as u16),
        Err(_) => u16::try_from(number).ok(),
    }
}
