//! Writes the actual result of a state test as its expectation.

use serde_json::{Value as Json, json};

use super::exceptions;
use crate::formats::ethereum_json::fresh;
use crate::formats::fill::{Fill, missing_or_null};
use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, hex_like, number_like};
use crate::model::{Expected, PathKey, Value};
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// Stands for a hash that is not known yet.
pub(super) const NO_HASH: &str = "0x0000000000000000000000000000000000000000000000000000000000000000";

pub(super) fn write_back<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    match failed.at.keys()[..] {
        [PathKey::Name(name)] if name == "outcome" => return outcome(failed),
        [PathKey::Name(name)] if name == "exception" => return failed.replace(refusal(failed.present()?)?),
        _ => {}
    }
    match (failed.expected, failed.actual) {
        (Expected::Absent, Some(value)) => {
            Ok(vec![TextChange::add_member(failed.node, &key(failed), fresh(value)?)])
        }
        (Expected::Record | Expected::Is(_), None) => failed.remove(0),
        (Expected::Is(_) | Expected::IsOrAbsent(_), Some(value)) => {
            let old = failed.node.text().unwrap_or_default();
            failed.replace(Json::String(match value {
                Value::Int(number) => number_like(&old, number),
                Value::Bytes(bytes) => hex_like(&old, bytes),
                _ => return Err(NotRepresentable::value(value)),
            }))
        }
        (_, actual) => Err(actual.map_or_else(NotRepresentable::nothing, NotRepresentable::value)),
    }
}

/// Demands that the transaction is refused, or that it is executed. For which reason it is refused is another difference.
fn outcome<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if *failed.present()? == Value::text("executed") {
        return failed.remove(0);
    }
    let any = exceptions::classes().next().map(Value::text).ok_or_else(NotRepresentable::nothing)?;
    Ok(missing_or_null(failed.node, [("expectException", refusal(&any)?)], JsonNode::member).collect())
}

/// A refusal, as the execution specifications name it.
fn refusal(class: &Value) -> Result<Json, NotRepresentable> {
    let name = match class {
        Value::Text(class) => exceptions::name_of(class),
        _ => None,
    };
    name.map(Json::String).ok_or_else(|| NotRepresentable::value(class))
}

/// What an entry lacks of what all published entries, and the fixtures of the execution specifications, demand.
pub(super) fn fill(entry: JsonNode<'_>) -> Fill<'_> {
    let demands = [("hash", json!(NO_HASH)), ("logs", json!(NO_HASH)), ("state", json!({}))];
    Fill { ends: Vec::new(), rest: missing_or_null(entry, demands, JsonNode::member).collect() }
}

fn key(failed: &WrongAssertion<'_, '_>) -> String {
    match failed.at.last() {
        PathKey::Name(name) => name.to_string(),
        PathKey::Index(index) => index.to_string(),
    }
}
