//! Writes actual values into vmconf's own TinyVM vectors.

use num_bigint::{BigInt, Sign};
use serde_json::{Value as Json, json};

use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, number_like, resize};
use crate::model::{PathKey, Value};
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

pub(super) fn write_back<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    match failed.at.keys()[..] {
        [PathKey::Name(name)] if name == "outcome" => outcome(failed),
        [PathKey::Name(name)] if name == "rating" => rating(failed),
        [PathKey::Name(name)] if name == "results" => results(failed),
        [PathKey::Name(name), _] if name == "notPassed" => expected(failed, "results", json!([])),
        [PathKey::Name(name), key] if name == "changedRegisters" => listed(failed, "registers", key),
        [PathKey::Name(name), key] if name == "changedData" => listed(failed, "data", key),
        [.., PathKey::Name(name), _] if name == "data" => {
            let zero = Value::int(0);
            failed.replace(json_of(failed.actual.unwrap_or(&zero), Some(failed.node))?)
        }
        _ => match failed.actual {
            Some(value) => failed.replace(json_of(value, Some(failed.node))?),
            None => failed.remove(0),
        },
    }
}

/// Writes the outcome. A run that is not completed has no rating and no results.
fn outcome<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let value = failed.present()?;
    let mut changes = expected(failed, "outcome", json_of(value, None)?)?;
    if *value != Value::text("completed") {
        let expect = if failed.node.is_object() { failed.node } else { failed.outer(0)? };
        let results = ["rating", "results"].into_iter().filter_map(|name| expect.member(name));
        changes.extend(results.filter_map(|node| TextChange::remove(expect, node)));
    }
    Ok(changes)
}

fn rating<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if failed.node.is_array() {
        return Err(NotRepresentable::because("it follows from the results that are listed"));
    }
    expected(failed, "rating", json_of(failed.present()?, None)?)
}

fn results<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let Some(Value::List(results)) = failed.actual else { return failed.remove(0) };
    resize(failed.node, results.iter().map(|result| json_of(result, None)))
}

/// A member of `expect`. Both the member and `expect` itself may be missing: an implied assertion has the
/// position of the test's name.
fn expected<'d>(failed: &WrongAssertion<'d, '_>, name: &str, value: Json) -> WrittenBack<'d> {
    if failed.node.is_object() {
        return Ok(vec![TextChange::add_member(failed.node, name, value)]);
    }
    let outer = failed.outer(0)?;
    let is = |key: &str| outer.member(key) == Some(failed.node);
    Ok(if is("name") {
        vec![TextChange::add_member(outer, "expect", json!({name: value}))]
    } else if is(name) {
        vec![TextChange::Replace { node: failed.node, value }]
    } else {
        vec![TextChange::add_member(outer, name, value)]
    })
}

/// Writes a register or word that changed but is not listed, although `exact` says that all are.
fn listed<'d>(failed: &WrongAssertion<'d, '_>, name: &str, key: &PathKey) -> WrittenBack<'d> {
    let expect = failed.outer(0)?;
    let (key, value) = (key.to_string(), json_of(failed.present()?, None)?);
    Ok(vec![match expect.member(name) {
        Some(list) if list.is_object() => TextChange::add_member(list, &key, value),
        Some(_) => {
            return Err(NotRepresentable::because(format!(
                "{name} is an array, which lists none but the first"
            )));
        }
        None => TextChange::add_member(expect, name, json!({key: value})),
    }])
}

/// A datum in the style of the old one.
fn json_of(value: &Value, old: Option<JsonNode<'_>>) -> Result<Json, NotRepresentable> {
    Ok(match value {
        Value::Int(number) => number_as(number, old),
        Value::Text(text) => text.as_str().into(),
        Value::Bool(value) => (*value).into(),
        other => return Err(NotRepresentable::value(other)),
    })
}

/// A number written like the old one: in quotes, in hex, as a negative word.
fn number_as(number: &BigInt, old: Option<JsonNode<'_>>) -> Json {
    let quoted = old.and_then(JsonNode::text);
    let written = quoted.as_deref().or(old.map(JsonNode::raw)).unwrap_or_default();
    let number = as_negative(number, written).unwrap_or_else(|| number.clone());
    let digits = number_like(written.trim_start_matches('-'), &number.magnitude().clone().into());
    let sign = if number.sign() == Sign::Minus { "-" } else { "" };
    match i64::try_from(&number) {
        Ok(number) if quoted.is_none() => number.into(),
        _ => format!("{sign}{digits}").into(),
    }
}

/// The word as a negative number, if the old one was negative and the word is negative in two's complement.
fn as_negative(number: &BigInt, written: &str) -> Option<BigInt> {
    let word = u16::try_from(number).ok().filter(|_| written.starts_with('-'))? as i16;
    (word < 0).then(|| BigInt::from(word))
}
