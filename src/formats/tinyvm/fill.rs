//! What a TinyVM vector could demand and does not.

use serde_json::json;

use crate::formats::fill::{Fill, missing};
use crate::text::json::JsonNode;

/// The members that the expectations of a test lack.
pub(super) fn fill(test: JsonNode<'_>) -> Fill<'_> {
    let mut fill = Fill::default();
    if test.member("driver").is_some() {
        fill.ends.extend(missing(test, [("expect", json!({"outcome": "completed"}))]));
        test.member("expect").into_iter().for_each(|expect| fill_driver(expect, &mut fill));
        return fill;
    }
    let phases = test.member("then").into_iter().flat_map(JsonNode::items);
    for phase in [test].into_iter().chain(phases) {
        fill.ends.extend(missing(phase, [("expect", json!({"stop": "yield"}))]));
        phase.member("expect").into_iter().for_each(|expect| fill_single(expect, &mut fill));
    }
    fill
}

/// `exact` stands for all registers and words of data.
fn fill_single<'d>(expect: JsonNode<'d>, fill: &mut Fill<'d>) {
    fill.ends.extend(missing(expect, [("stop", json!("yield"))]));
    fill.rest.extend(missing(
        expect,
        [
            ("value", json!(0)),
            ("pc", json!(0)),
            ("time", json!(0)),
            ("usedRnd", json!(false)),
            ("exact", json!(true)),
        ],
    ));
}

/// A run that is not completed has no results.
fn fill_driver<'d>(expect: JsonNode<'d>, fill: &mut Fill<'d>) {
    let outcome = expect.member("outcome").and_then(JsonNode::text);
    if outcome.is_none_or(|outcome| outcome == "completed") {
        // Without a rating, the run passes, and the results must not say something else.
        let has_rating = expect.member("rating").is_some();
        let results = if has_rating { json!([]) } else { json!(["pass"]) };
        fill.rest.extend(missing(expect, [("results", results)]));
    }
    let machine = || [("pc", json!(0)), ("time", json!(0))];
    fill.rest.extend(missing(
        expect,
        [
            ("value", json!(0)),
            ("driverInstructions", json!(0)),
            ("testeeInstructions", json!(0)),
            ("driver", json!({"pc": 0, "time": 0})),
            ("testee", json!({"pc": 0, "time": 0})),
        ],
    ));
    for name in ["driver", "testee"] {
        fill.rest.extend(expect.member(name).into_iter().flat_map(|node| missing(node, machine())));
    }
}
