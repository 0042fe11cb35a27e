//! How Ethereum's vectors write numbers, addresses and bytes: one set of rules for VMTests and state tests
//! of all eras.
//!
//! A number without `0x` is decimal; an address or hash is hex with or without it.

use num_bigint::{BigInt, BigUint};
use serde_json::Value as Json;

use crate::formats::fields::wrong_type;
use crate::formats::write_back::{NotRepresentable, hex_like, number_like};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Expected, Name, Origin, Value, hex_bytes, hex_to_slice, number_key};
use crate::text::json::{JsonDatum, JsonNode, quoted};

/// The maximum number of bits of a number.
const BITS: u64 = 256;

const QUANTITY: &str = "decimal digits, or 0x and hex digits, in quotes, or an integer below 2^64";

/// A quantity: decimal digits, `0x` and hex digits, or a JSON integer below 2^64.
pub(super) fn quantity(node: JsonNode<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    match node.datum() {
        JsonDatum::Text(text) => parse_quantity(&text, node.at()),
        JsonDatum::Number(digits) => match digits.parse::<u64>() {
            Ok(number) => Ok(BigInt::from(number)),
            Err(_) => Err(wrong(node, "is not a quantity", QUANTITY)),
        },
        _ => Err(wrong_type(node, "a quantity", QUANTITY)),
    }
}

/// A datum of the right type with an invalid value.
fn wrong(node: JsonNode<'_>, what: &str, expected: &str) -> Diagnostic<Origin> {
    Diagnostic::at(node.at(), format!("{} {what}", node.shown())).expected(expected).under(LintRule::Number)
}

fn parse_quantity(text: &str, at: u32) -> Result<BigInt, Diagnostic<Origin>> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => parse_hex_digits(digits),
        None => parse_decimal_digits(text),
    };
    match number {
        Some(number) if number.bits() <= BITS => Ok(number),
        Some(_) => {
            let what = format!("quantity {} is too large", quoted(text));
            Err(Diagnostic::at(at, what).expected("less than 2^256").under(LintRule::Number))
        }
        None => {
            let what = format!("{} is not a quantity", quoted(text));
            Err(Diagnostic::at(at, what).expected(QUANTITY).under(LintRule::Number))
        }
    }
}

/// The number with these digits; `None` if one is not a digit. Without digits, it is zero.
fn parse_hex_digits(digits: &str) -> Option<BigInt> {
    // Most numbers fit a machine word and need no multi-limb arithmetic.
    const SHORT: usize = 16;
    if digits.len() > SHORT {
        let mut word = [0; BITS as usize / 8];
        return match word.get_mut(..digits.len() / 2).filter(|_| digits.len().is_multiple_of(2)) {
            Some(bytes) => hex_to_slice(digits, bytes).map(|()| BigUint::from_bytes_be(bytes).into()),
            None => Some(BigInt::from(BigUint::from_bytes_be(&parse_hex(digits)?))),
        };
    }
    let number =
        digits.bytes().try_fold(0, |number: u64, digit| Some(number << 4 | u64::from(hex_digit(digit)?)));
    number.map(BigInt::from)
}

fn hex_digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// The number with these digits; `None` if one is not a digit. Without digits, it is zero.
fn parse_decimal_digits(digits: &str) -> Option<BigInt> {
    const SHORT: usize = 19;
    // A number with more digits is larger than any quantity, and the time to read it would be quadratic in
    // their number.
    const MAX_LENGTH: usize = 100;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some(BigInt::ZERO),
        digits if digits.len() <= SHORT => digits.parse::<u64>().ok().map(BigInt::from),
        digits if digits.len() <= MAX_LENGTH => digits.parse().ok(),
        _ => Some(BigInt::from(1) << BITS),
    }
}

/// The digits after `#`: the length in bytes of an output that the fixture omits.
pub(super) fn length(digits: &str, at: u32) -> Result<usize, Diagnostic<Origin>> {
    let only_digits = digits.bytes().all(|digit| digit.is_ascii_digit());
    let length = digits.parse().ok().filter(|_| only_digits);
    length.ok_or_else(|| {
        let what = format!("output length is {}", quoted(digits));
        Diagnostic::at(at, what).expected("decimal digits after #, below 2^64").under(LintRule::Number)
    })
}

/// Exactly N bytes as hex digits, with or without `0x`.
fn fixed<const N: usize>(text: &str, at: u32, what: &str) -> Result<[u8; N], Diagnostic<Origin>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mut bytes = [0; N];
    let wrong = || {
        Diagnostic::at(at, format!("{} is not {what}", quoted(text)))
            .expected(format!("{} hex digits", 2 * N))
    };
    hex_to_slice(digits, &mut bytes).ok_or_else(|| wrong().under(LintRule::Bytes))?;
    Ok(bytes)
}

fn fixed_node<const N: usize>(node: JsonNode<'_>, what: &str) -> Result<[u8; N], Diagnostic<Origin>> {
    match node.text() {
        Some(text) => fixed(&text, node.at(), what),
        None => Err(wrong_type(node, what, &format!("{} hex digits in quotes", 2 * N))),
    }
}

/// 20 bytes.
pub(super) fn address(node: JsonNode<'_>) -> Result<[u8; 20], Diagnostic<Origin>> {
    fixed_node(node, "an address")
}

/// 20 bytes as the key of an account.
pub(super) fn address_key(text: &str, at: u32) -> Result<[u8; 20], Diagnostic<Origin>> {
    fixed(text, at, "an address")
}

/// 32 bytes: a hash or a topic.
pub(super) fn hash(node: JsonNode<'_>) -> Result<[u8; 32], Diagnostic<Origin>> {
    fixed_node(node, "a hash")
}

/// The 256 bytes of a bloom filter.
pub(super) fn bloom(node: JsonNode<'_>) -> Result<Vec<u8>, Diagnostic<Origin>> {
    fixed_node::<256>(node, "a bloom filter").map(Vec::from)
}

/// The key of a storage word, as written in paths.
pub(super) fn storage_key(text: &str, at: u32) -> Result<String, Diagnostic<Origin>> {
    let number = parse_quantity(text, at)?;
    Ok(number_key(&number.magnitude().to_bytes_be()))
}

/// Bytes: `0x` and hex digits, nothing, or an array of pieces (`$DATA_ARRAY`).
pub(super) fn data(node: JsonNode<'_>) -> Result<Vec<u8>, Diagnostic<Origin>> {
    match node.datum() {
        JsonDatum::Text(text) => parse_data(&text, node.at()),
        JsonDatum::Array => {
            let mut bytes = Vec::new();
            for piece in node.items() {
                bytes.extend(data_piece(piece)?);
            }
            Ok(bytes)
        }
        _ => Err(wrong_type(node, "data", "0x and hex digits in quotes, or an array")),
    }
}

fn parse_data(text: &str, at: u32) -> Result<Vec<u8>, Diagnostic<Origin>> {
    match text.strip_prefix("0x") {
        Some(digits) => parse_hex(digits).ok_or_else(|| not_data(text, at)),
        None if text.is_empty() => Ok(Vec::new()),
        None => Err(Diagnostic::at(at, format!("{} does not start with 0x", quoted(text)))
            .expected("bytes; text without 0x is the source of a test filler, not a vector")
            .under(LintRule::Bytes)),
    }
}

/// Hex digits to bytes. An odd number of digits gets a leading zero.
fn parse_hex(digits: &str) -> Option<Vec<u8>> {
    if digits.len().is_multiple_of(2) { hex_bytes(digits) } else { hex_bytes(&format!("0{digits}")) }
}

fn not_data(text: &str, at: u32) -> Diagnostic<Origin> {
    let what = format!("{} has non-hex characters", quoted(text));
    Diagnostic::at(at, what).expected("0x and hex digits").under(LintRule::Bytes)
}

/// An element of a `$DATA_ARRAY`: a number becomes as few bytes as possible, but at least one; hex keeps its
/// leading zeros.
fn data_piece(node: JsonNode<'_>) -> Result<Vec<u8>, Diagnostic<Origin>> {
    // The time to read decimal digits is quadratic in their number.
    const MAX_DIGITS: usize = 10_000;
    const EXPECTED: &str = "an integer below 2^64, at most 10000 decimal digits, or 0x and hex digits";
    let number = match node.datum() {
        JsonDatum::Number(digits) => digits.parse::<u64>().ok().map(BigUint::from),
        JsonDatum::Text(text) => match text.strip_prefix("0x") {
            Some(digits) => return parse_hex(digits).ok_or_else(|| not_data(&text, node.at())),
            None if text.is_empty() || text.len() > MAX_DIGITS => None,
            None if !text.bytes().all(|byte| byte.is_ascii_digit()) => None,
            None => BigUint::parse_bytes(text.as_bytes(), 10),
        },
        _ => return Err(wrong_type(node, "an element of data", EXPECTED)),
    };
    match number {
        Some(number) => Ok(number.to_bytes_be()),
        None => Err(wrong(node, "is not an element of data", EXPECTED).under(LintRule::Bytes)),
    }
}

/// A storage value: a quantity, or data of at most 32 bytes read as a number.
pub(super) fn number(node: JsonNode<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    if !node.is_array() {
        return quantity(node);
    }
    let bytes = data(node)?;
    if bytes.len() > 32 {
        let what = format!("a word of {} bytes", bytes.len());
        return Err(Diagnostic::at(node.at(), what).expected("at most 32").under(LintRule::Bytes));
    }
    Ok(BigInt::from(BigUint::from_bytes_be(&bytes)))
}

/// The destination of a recorded call: an empty one is a creation, forty zeros may be a creation or a call.
pub(super) fn destination(node: JsonNode<'_>) -> Result<Expected, Diagnostic<Origin>> {
    let creation = Value::Bytes(Vec::new());
    if node.text().is_some_and(|text| text.is_empty() || text == "0x") {
        return Ok(Expected::Is(creation));
    }
    let called = address(node)?;
    let call = Value::Bytes(called.to_vec());
    Ok(if called == [0; 20] { Expected::OneOf(vec![call, creation]) } else { Expected::Is(call) })
}

/// The destination of a call that is a creation, as published files write it.
pub(super) const CREATION: &str = "";

/// Whether this is the destination of a creation.
pub(super) fn is_creation(name: &str, value: &Value) -> bool {
    name == "destination" && value.len() == Some(0)
}

/// A datum that the file lacks.
pub(super) fn fresh(value: &Value) -> Result<Json, NotRepresentable> {
    Ok(match value {
        Value::Int(number) => number_like("0x00", number).into(),
        Value::Bytes(bytes) => hex_like("", bytes).into(),
        Value::List(items) => Json::Array(items.iter().map(fresh).collect::<Result<_, _>>()?),
        Value::Record(members) => {
            let member = |(name, value): &(Name, Value)| {
                let written = if is_creation(name, value) { CREATION.into() } else { fresh(value)? };
                Ok((name.to_string(), written))
            };
            Json::Object(members.iter().map(member).collect::<Result<_, _>>()?)
        }
        other => return Err(NotRepresentable::value(other)),
    })
}

pub(super) fn number_value(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    quantity(node).map(Value::Int)
}

pub(super) fn address_value(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    address(node).map(|address| Value::Bytes(address.to_vec()))
}

pub(super) fn hash_value(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    hash(node).map(|hash| Value::Bytes(hash.to_vec()))
}

pub(super) fn data_value(node: JsonNode<'_>) -> Result<Value, Diagnostic<Origin>> {
    data(node).map(Value::Bytes)
}

/// Whether a test is an Ethereum state test, complete or not: it has a `transaction` or results by fork, and no `exec`.
pub(super) fn is_state_test(test: JsonNode<'_>) -> bool {
    let has = |name| test.member(name).is_some();
    let first = test.member("post").and_then(|post| post.members().next());
    let has_forks = first.is_some_and(|fork| fork.value.is_array());
    (has("transaction") && (has("pre") || has("post")) || has_forks) && !has("exec")
}

/// The tests that this one belongs to, if their format is one of Ethereum that vmconf does not read.
pub(super) fn other_test(test: JsonNode<'_>) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 3] = [
        ("blocks", "Ethereum blockchain tests, which vmconf does not read"),
        ("engineNewPayloads", "Ethereum engine tests, which vmconf does not read"),
        ("txbytes", "Ethereum transaction tests, which vmconf does not read"),
    ];
    OTHERS.iter().find(|(member, _)| test.member(member).is_some()).map(|(_, what)| *what)
}
