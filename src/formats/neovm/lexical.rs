//! How NeoVM vectors write numbers and bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use num_bigint::BigInt;

use crate::formats::fields::{Diagnostics, wrong_type};
use crate::model::diagnostic::Diagnostic;
use crate::model::hex::{bytes_key, hex_bytes};
use crate::model::position::Origin;
use crate::model::rule::Rule;
use crate::text::json::{Datum, Member, Node, quoted};

/// An integer: a JSON number without fraction and exponent, or decimal digits.
pub(super) fn integer(node: Node<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    // Reading decimal digits takes time in the square of their number.
    const MOST_DIGITS: usize = 1000;
    const EXPECTED: &str = "an integer, as a number or as decimal digits in quotes";
    let text = match node.datum() {
        Datum::Number(text) => text.into(),
        Datum::Text(text) => text,
        _ => return Err(wrong_type(node, "an Integer", EXPECTED)),
    };
    let digits = text.strip_prefix('-').unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        let what = format!("{} is no integer", node.shown());
        return Err(Diagnostic::at(node.at(), what).expected(EXPECTED).under(Rule::Number));
    }
    if digits.len() > MOST_DIGITS {
        let what = format!("an Integer of {} digits", digits.len());
        return Err(Diagnostic::at(node.at(), what)
            .expected(format!("at most {MOST_DIGITS}"))
            .under(Rule::Number));
    }
    let short = text.parse::<i64>().map(BigInt::from);
    short.or_else(|_| text.parse()).map_err(|_| Diagnostic::at(node.at(), "no integer"))
}

/// A place in a script, or a number of things: a JSON number that a C# `int` holds.
pub(super) fn count(node: Node<'_>, name: &str) -> Result<BigInt, Diagnostic<Origin>> {
    const EXPECTED: &str = "an integer from 0 to 2147483647";
    let Datum::Number(digits) = node.datum() else { return Err(wrong_type(node, name, EXPECTED)) };
    match digits.parse::<i32>() {
        Ok(number) if number >= 0 => Ok(BigInt::from(number)),
        _ => {
            let what = format!("{name} is {}", node.shown());
            Err(Diagnostic::at(node.at(), what).expected(EXPECTED).under(Rule::Number))
        }
    }
}

/// Bytes in N3: `0x` and hex digits, or nothing.
pub(super) fn hex(node: Node<'_>, name: &str) -> Result<Vec<u8>, Diagnostic<Origin>> {
    match node.text() {
        Some(text) => prefixed(&text, node.at()),
        None => Err(wrong_type(node, name, PREFIXED)),
    }
}

const PREFIXED: &str = "0x and an even number of hex digits, in quotes";

/// `0x` and hex digits, or nothing.
fn prefixed(text: &str, at: u32) -> Result<Vec<u8>, Diagnostic<Origin>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let what = || format!("{} does not start with 0x", quoted(text));
    let unprefixed = || Diagnostic::at(at, what()).expected(PREFIXED).under(Rule::Bytes);
    let digits = text.strip_prefix("0x").ok_or_else(unprefixed)?;
    hex_bytes(digits).ok_or_else(|| not_hex(text, digits, at))
}

fn not_hex(text: &str, digits: &str, at: u32) -> Diagnostic<Origin> {
    let what = if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        "has an odd number of hex digits"
    } else {
        "has other characters than hex digits"
    };
    Diagnostic::at(at, format!("{} {what}", quoted(text))).expected(PREFIXED).under(Rule::Bytes)
}

/// The key of a Map in the one way in which paths write it: `0x` and hex digits in lower case, or
/// nothing for no bytes.
pub(super) fn key(bytes: &[u8]) -> String {
    if bytes.is_empty() { String::new() } else { bytes_key(bytes) }
}

/// The key of a Map as an object has it.
pub(super) fn parse_key(member: &Member<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let key = key(&diagnostics.keep(prefixed(&member.key, member.key_at))?);
    if key != member.key {
        let string = member.key_node();
        let what = || format!("key {} of a Map is spelled otherwise", string.shown());
        diagnostics.breach(|| {
            Diagnostic::at(string.at(), what())
                .expected(quoted(&key))
                .under(Rule::MustMapKey)
                .replace(string.range().len(), format!("\"{key}\""))
        });
    }
    Some(key)
}

/// What the text of 2.x demands of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `0x` in front of them.
    Required,
    /// `0x` or nothing.
    Optional,
}

/// Bytes in 2.x: `0x` and hex digits, or base64. What is neither but hex digits is read as such,
/// which is what the format's text says; those who run the vectors read base64.
pub(super) fn bytes(
    node: Node<'_>,
    name: &str,
    prefix: Prefix,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u8>> {
    const EXPECTED: &str = "0x and an even number of hex digits, or base64, in quotes";
    let Some(text) = node.text() else {
        diagnostics.error(wrong_type(node, name, EXPECTED));
        return None;
    };
    let at = node.at();
    if !text.starts_with("0x") && (prefix == Prefix::Required || text.starts_with("0X")) {
        let what = || format!("{} does not start with 0x", quoted(&text));
        diagnostics.breach(|| Diagnostic::at(at, what()).expected(PREFIXED).under(Rule::MustBeHex));
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return diagnostics.keep(hex_bytes(digits).ok_or_else(|| not_hex(&text, digits, at)));
    }
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let caution = |read: &str| {
        Diagnostic::at(at, format!("{} is read as {read}", quoted(&text)))
            .expected("0x in front of hex digits")
            .under(Rule::AmbiguousBytes)
    };
    match BASE64.decode(&*text) {
        Ok(bytes) => {
            if is_hex && !text.is_empty() {
                diagnostics.caution(caution("base64, though it could be hex"));
            } else if !is_hex && prefix == Prefix::Optional {
                let diagnostic =
                    || Diagnostic::at(at, format!("{} is base64", quoted(&text))).expected(PREFIXED);
                diagnostics.breach(|| diagnostic().under(Rule::MustBeHex));
            }
            Some(bytes)
        }
        Err(_) if is_hex => {
            diagnostics.caution(caution("hex"));
            hex_bytes(&text)
        }
        Err(_) => {
            let what = format!("{} is neither hex nor base64", quoted(&text));
            diagnostics.error(Diagnostic::at(at, what).expected(EXPECTED).under(Rule::Bytes));
            None
        }
    }
}
