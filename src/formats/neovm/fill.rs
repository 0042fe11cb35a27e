//! What a result of a NeoVM vector could demand and does not.

use serde_json::{Value as Json, json};

use super::lexical::member;
use super::rules::{Absence, Generation, Rules};
use crate::formats::fill::{Fill, missing_or_null};
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// The members that the steps of a test lack.
pub(super) fn fill<'d>(test: JsonNode<'d>, rules: &Rules) -> Fill<'d> {
    let mut fill = Fill::default();
    let steps = member(test, "steps").map(|steps| steps.value);
    for step in steps.into_iter().flat_map(JsonNode::items).filter(|step| step.is_object()) {
        fill.ends.extend(missing(step, [("result", json!({"state": rules.states[0]}))]));
        if let Some(result) = member(step, "result") {
            fill_result(result.value, rules, &mut fill);
        }
    }
    fill
}

fn fill_result<'d>(result: JsonNode<'d>, rules: &Rules, fill: &mut Fill<'d>) {
    fill.ends.extend(missing(result, [("state", json!(rules.states[0]))]));
    let state = member(result, "state").and_then(|state| state.value.text());
    let is_fault = state.is_some_and(|state| state.eq_ignore_ascii_case(rules.fault));
    match rules.generation {
        // After a fault, only the message is compared.
        Generation::N3 if is_fault => fill.rest.extend(missing(result, [("exceptionMessage", json!(""))])),
        Generation::N3 => {
            fill.rest.extend(missing(result, [("resultStack", json!([])), ("refs", json!(0))]));
            fill_frames(result, rules, fill);
        }
        Generation::V2 => fill_frames(result, rules, fill),
    }
}

/// What is missing in frames and not compared.
fn fill_frames<'d>(result: JsonNode<'d>, rules: &Rules, fill: &mut Fill<'d>) {
    let own = match rules.generation {
        Generation::N3 => vec![("nextInstruction", json!("NOP"))],
        Generation::V2 => vec![
            ("nextInstruction", json!("NOP")),
            ("scriptHash", json!("0x0000000000000000000000000000000000000000")),
        ],
    };
    let lists = rules.frame_lists.iter().filter(|list| list.1 == Absence::NotCompared);
    let members: Vec<_> = own.into_iter().chain(lists.map(|list| (list.0, json!([])))).collect();
    let frames = member(result, "invocationStack").map(|frames| frames.value);
    for frame in frames.into_iter().flat_map(JsonNode::items) {
        fill.rest.extend(missing(frame, members.clone()));
    }
}

/// Demands the members that an object lacks or has as null, in any letter case.
fn missing<'d, 'n>(
    object: JsonNode<'d>,
    members: impl IntoIterator<Item = (&'n str, Json)>,
) -> impl Iterator<Item = TextChange<'d>> {
    missing_or_null(object, members, |object, name| Some(member(object, name)?.value))
}
