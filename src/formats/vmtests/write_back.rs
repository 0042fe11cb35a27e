//! Writes actual values into VMTests. Every datum in a result is a number or bytes, which all eras accept as
//! `0x` and hex digits; a replaced value keeps its style.

use num_bigint::BigInt;
use serde_json::{Value as Json, json};

use crate::formats::ethereum_json::{CREATION, fresh, is_creation};
use crate::formats::fill::{Fill, missing};
use crate::formats::write_back::{
    NotRepresentable, WrittenBack, WrongAssertion, hex_like, in_case_of, number_like, resize,
};
use crate::model::{Expected, Path, PathKey, Value};
use crate::text::edit::TextChange;
use crate::text::json::{JsonDatum, JsonNode};

/// Members of a test that must end normally; a test that must halt does not have them.
pub(super) const RESULTS: [&str; 4] = ["gas", "out", "logs", "callcreates"];

pub(super) fn write_back<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if *failed.at == Path::field("outcome") {
        return outcome(failed);
    }
    match (failed.expected, failed.actual) {
        (Expected::Len(_), Some(Value::List(items))) if failed.node.is_array() => {
            resize(failed.node, items.iter().map(fresh))
        }
        (Expected::Len(_), Some(Value::Bytes(bytes))) => failed.replace(format!("#{}", bytes.len()).into()),
        (Expected::Absent, Some(value)) => {
            Ok(vec![TextChange::add_member(failed.node, &key(failed), fresh(value)?)])
        }
        (expected, None) => match &failed.at.keys()[..] {
            // A missing storage word, or a whole account.
            [PathKey::Name(post), _, _, _] | [PathKey::Name(post), _] if post == "post" => failed.remove(0),
            // Every account has this datum, so the account is missing.
            [PathKey::Name(post), _, _] if post == "post" => {
                Ok(TextChange::remove(failed.outer(1)?, failed.outer(0)?).into_iter().collect())
            }
            _ => leaf(failed, &nothing(expected)?),
        },
        (_, Some(value)) => leaf(failed, value),
    }
}

/// A test that must end normally has results; one that must halt has no results. Missing results are added
/// with placeholder values; the next comparison reports their differences.
fn outcome<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if *failed.present()? == Value::text("success") {
        return Ok(missing(failed.node, placeholders()).collect());
    }
    let test = failed.outer(0)?;
    let results = test.members().filter(|member| member.key == "post" || RESULTS.contains(&&*member.key));
    Ok(results.filter_map(|member| TextChange::remove(test, member.value)).collect())
}

/// The results that a test lacks. A test without any, except for a list of calls, demands a halt.
pub(super) fn fill(test: JsonNode<'_>) -> Fill<'_> {
    let is_result = |name: &str| name != "callcreates" && test.member(name).is_some();
    let has_results = placeholders().iter().any(|(name, _)| is_result(name));
    let results = has_results.then(|| missing(test, placeholders()));
    Fill { ends: Vec::new(), rest: results.into_iter().flatten().collect() }
}

fn placeholders() -> [(&'static str, Json); 5] {
    [
        ("gas", json!("0x00")),
        ("out", json!("0x")),
        ("logs", json!(hex_like("", &[0; 32]))),
        ("callcreates", json!([])),
        ("post", json!({})),
    ]
}

/// The value that the format reads as absent.
fn nothing(expected: &Expected) -> Result<Value, NotRepresentable> {
    match expected {
        Expected::Is(Value::Int(_)) | Expected::IsOrAbsent(Value::Int(_)) => Ok(Value::Int(BigInt::ZERO)),
        Expected::Is(Value::Bytes(_)) | Expected::IsOrAbsent(Value::Bytes(_)) => Ok(Value::Bytes(Vec::new())),
        _ => Err(NotRepresentable::nothing()),
    }
}

/// A number or bytes in the style of the old value.
fn leaf<'d>(failed: &WrongAssertion<'d, '_>, value: &Value) -> WrittenBack<'d> {
    let old = failed.node.text().unwrap_or_default();
    if let PathKey::Name(name) = failed.at.last()
        && is_creation(name, value)
    {
        return failed.replace(CREATION.into());
    }
    failed.replace(match (value, failed.node.datum()) {
        (Value::Int(number), JsonDatum::Number(_)) if number.bits() <= 64 => {
            u64::try_from(number.clone()).map_err(|_| NotRepresentable::value(value))?.into()
        }
        (Value::Int(number), _) => number_like(&old, number).into(),
        (Value::Bytes(bytes), _) => bytes_like(&old, bytes).into(),
        _ => return Err(NotRepresentable::value(value)),
    })
}

/// Hex digits, without the leading zero if the old text had an odd number of digits.
fn bytes_like(old: &str, bytes: &[u8]) -> String {
    let text = hex_like(old, bytes);
    match text.strip_prefix("0x0") {
        Some(digits) if digits.len() + 2 == old.len() && old.len() % 2 == 1 => {
            in_case_of(old, &format!("0x{digits}"))
        }
        _ => text,
    }
}

/// The key of an account, written like those next to it. A storage key always has `0x`; without it, it would
/// be decimal.
fn key(failed: &WrongAssertion<'_, '_>) -> String {
    let [.., object, key] = &failed.at.keys()[..] else { return failed.at.to_string() };
    let key = key.to_string();
    let bare = failed.node.members().next().is_some_and(|member| !member.key.starts_with("0x"));
    match object {
        PathKey::Name(name) if name == "post" && bare => key.trim_start_matches("0x").to_owned(),
        _ => key,
    }
}
