//! How NeoVM vectors write numbers and bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use num_bigint::BigInt;
use ripemd::Ripemd160;
use sha2::{Digest, Sha256};

use super::rules::Generation;
use crate::formats::fields::{Diagnostics, text, wrong_type};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Origin, bytes_key, hex_bytes};
use crate::text::json::{JsonDatum, JsonMember, JsonNode, quoted};

/// An integer: a JSON number without fraction and exponent, or a string of decimal digits.
pub(super) fn integer(node: JsonNode<'_>) -> Result<BigInt, Diagnostic<Origin>> {
    // The time to read decimal digits is quadratic in their number.
    const MAX_DIGITS: usize = 1000;
    const EXPECTED: &str = "an integer, as a number or as decimal digits in quotes";
    let text = match node.datum() {
        JsonDatum::Number(text) => text.into(),
        JsonDatum::Text(text) => text,
        _ => return Err(wrong_type(node, "an Integer", EXPECTED)),
    };
    let digits = text.strip_prefix('-').unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        let what = format!("{} is not an integer", node.shown());
        return Err(Diagnostic::at(node.at(), what).expected(EXPECTED).under(LintRule::Number));
    }
    if digits.len() > MAX_DIGITS {
        let what = format!("an Integer of {} digits", digits.len());
        return Err(Diagnostic::at(node.at(), what)
            .expected(format!("at most {MAX_DIGITS}"))
            .under(LintRule::Number));
    }
    let short = text.parse::<i64>().map(BigInt::from);
    short.or_else(|_| text.parse()).map_err(|_| Diagnostic::at(node.at(), "no integer"))
}

/// The text of a number that an engine would write differently: with a fraction or an exponent, or with
/// leading zeros. `None` for other data.
pub(super) fn not_canonical(node: JsonNode<'_>) -> Option<String> {
    match node.datum() {
        JsonDatum::Number(text) => text.contains(['.', 'e', 'E']).then(|| text.to_owned()),
        JsonDatum::Text(text) => {
            let digits = text.strip_prefix('-').unwrap_or(&text);
            let is_number = digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
            (is_number && text != "0").then(|| text.into_owned())
        }
        _ => None,
    }
}

/// A position in a script, or a count: a JSON number that fits a C# `int`.
pub(super) fn count(node: JsonNode<'_>, name: &str) -> Result<BigInt, Diagnostic<Origin>> {
    const EXPECTED: &str = "an integer from 0 to 2147483647";
    let JsonDatum::Number(digits) = node.datum() else { return Err(wrong_type(node, name, EXPECTED)) };
    match digits.parse::<i32>() {
        Ok(number) if number >= 0 => Ok(BigInt::from(number)),
        _ => {
            let what = format!("{name} is {}", node.shown());
            Err(Diagnostic::at(node.at(), what).expected(EXPECTED).under(LintRule::Number))
        }
    }
}

/// Bytes in N3: `0x` and hex digits, or an empty string.
pub(super) fn hex(node: JsonNode<'_>, name: &str) -> Result<Vec<u8>, Diagnostic<Origin>> {
    match node.text() {
        Some(text) => prefixed(&text, node.at()),
        None => Err(wrong_type(node, name, PREFIXED)),
    }
}

const PREFIXED: &str = "0x and an even number of hex digits, in quotes";

/// `0x` and hex digits, or an empty string.
fn prefixed(text: &str, at: u32) -> Result<Vec<u8>, Diagnostic<Origin>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let what = || format!("{} does not start with 0x", quoted(text));
    let unprefixed = || Diagnostic::at(at, what()).expected(PREFIXED).under(LintRule::Bytes);
    let digits = text.strip_prefix("0x").ok_or_else(unprefixed)?;
    hex_bytes(digits).ok_or_else(|| not_hex(text, digits, at))
}

fn not_hex(text: &str, digits: &str, at: u32) -> Diagnostic<Origin> {
    let what = if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        "has an odd number of hex digits"
    } else {
        "has non-hex characters"
    };
    Diagnostic::at(at, format!("{} {what}", quoted(text))).expected(PREFIXED).under(LintRule::Bytes)
}

/// The key of a Map as in paths: `0x` and lower-case hex digits, or an empty string for no bytes.
pub(super) fn key(bytes: &[u8]) -> String {
    if bytes.is_empty() { String::new() } else { bytes_key(bytes) }
}

/// The key of a Map in an object. N3 compares the text of keys, so a key with a different spelling than
/// [`key`] matches none and stays as it is.
pub(super) fn parse_key(
    member: &JsonMember<'_>,
    generation: Generation,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let key = key(&diagnostics.keep(prefixed(&member.key, member.key_at))?);
    if key == member.key {
        return Some(key);
    }
    let string = member.key_node();
    let breach = |what: &str| {
        Diagnostic::at(string.at(), format!("key {} of a Map {what}", string.shown()))
            .expected(quoted(&key))
            .under(LintRule::MustMapKey)
    };
    match generation {
        Generation::N3 => {
            diagnostics.breach(|| breach("matches no key"));
            Some(member.key.clone().into_owned())
        }
        Generation::V2 => {
            let replaced = format!("\"{key}\"");
            diagnostics
                .breach(|| breach("has the wrong letter case").replace(string.range().len(), replaced));
            Some(key)
        }
    }
}

/// The length of the hash of a script.
pub(super) const HASH_BYTES: usize = 20;

/// The hash of a script in 2.x. Base64 of its 20 bytes has 28 characters, so 40 hex digits can only be hex.
pub(super) fn script_hash(node: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<u8>> {
    let text = node.text().filter(|text| text.len() == 2 * HASH_BYTES);
    text.and_then(|text| hex_bytes(&text))
        .or_else(|| bytes(node, "scriptHash", Prefix::Optional, diagnostics))
}

/// A script or message of 2.x. Text that is valid as hex and as base64 is read as hex if a frame of `test` is
/// expected to have the hash of that script.
pub(super) fn program_bytes(
    node: JsonNode<'_>,
    name: &str,
    test: Option<JsonNode<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u8>> {
    let text = node.text().unwrap_or_default();
    if text.is_empty() || !is_hex(&text) || BASE64.decode(&*text).is_err() {
        return bytes(node, name, Prefix::Optional, diagnostics);
    }
    let script = hex_bytes(&text)?;
    if test.is_some_and(|test| expects_hash(test, &script)) {
        return Some(script);
    }
    let what = format!("{} is both hex and base64", quoted(&text));
    diagnostics.error(Diagnostic::at(node.at(), what).expected(PREFIXED).under(LintRule::AmbiguousBytes));
    None
}

/// Whether a frame is expected to have the hash of this script.
fn expects_hash(test: JsonNode<'_>, script: &[u8]) -> bool {
    let hash = Ripemd160::digest(Sha256::digest(script));
    let (hex, base64) = (hex::encode(hash), BASE64.encode(hash));
    let hashes = test.objects().filter_map(|frame| member(frame, "scriptHash")?.value.text());
    hashes.into_iter().any(|text| {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(&text);
        digits.eq_ignore_ascii_case(&hex) || text == base64
    })
}

fn is_hex(text: &str) -> bool {
    text.len().is_multiple_of(2) && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The prefix that the specification of 2.x demands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `0x` is required.
    Required,
    /// `0x` is optional.
    Optional,
}

/// Bytes in 2.x: `0x` and hex digits, or base64. Hex digits without `0x` that are not valid base64 are read
/// as hex. The format's specification says hex, but existing runners read base64.
pub(super) fn bytes(
    node: JsonNode<'_>,
    name: &str,
    prefix: Prefix,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u8>> {
    const EXPECTED: &str = "0x and an even number of hex digits, or base64, in quotes";
    let text = diagnostics.keep(text(node, name, EXPECTED))?;
    let at = node.at();
    if !text.starts_with("0x") && (prefix == Prefix::Required || text.starts_with("0X")) {
        let what = || format!("{} does not start with 0x", quoted(&text));
        diagnostics.breach(|| Diagnostic::at(at, what()).expected(PREFIXED).under(LintRule::MustBeHex));
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return diagnostics.keep(hex_bytes(digits).ok_or_else(|| not_hex(&text, digits, at)));
    }
    let is_hex = is_hex(&text);
    let caution = |read: &str| {
        Diagnostic::at(at, format!("{} is read as {read}", quoted(&text)))
            .expected("0x before hex digits")
            .under(LintRule::AmbiguousBytes)
    };
    match BASE64.decode(&*text) {
        Ok(bytes) => {
            if is_hex && !text.is_empty() {
                diagnostics.caution(caution("base64, though it could be hex"));
            } else if !is_hex && prefix == Prefix::Optional {
                let diagnostic =
                    || Diagnostic::at(at, format!("{} is base64", quoted(&text))).expected(PREFIXED);
                diagnostics.breach(|| diagnostic().under(LintRule::MustBeHex));
            }
            Some(bytes)
        }
        // The convention allows hex digits without 0x, and these can be nothing else.
        Err(_) if is_hex => hex_bytes(&text),
        Err(_) => {
            let what = format!("{} is neither hex nor base64", quoted(&text));
            diagnostics.error(Diagnostic::at(at, what).expected(EXPECTED).under(LintRule::Bytes));
            None
        }
    }
}

/// The last member with this name, ignoring case.
pub(super) fn member<'d>(object: JsonNode<'d>, name: &str) -> Option<JsonMember<'d>> {
    object.members().filter(|member| member.key.eq_ignore_ascii_case(name)).last()
}
