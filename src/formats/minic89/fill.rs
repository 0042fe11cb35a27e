//! What the snapshots of a MiniC89 vector could demand and do not.

use serde_json::json;

use super::snapshot::VERSION;
use crate::formats::fill::{Fill, missing};
use crate::text::json::JsonNode;

/// The members that the snapshots of a test lack.
pub(super) fn fill(test: JsonNode<'_>) -> Fill<'_> {
    let mut fill = Fill::default();
    if test.member("trace").is_none() {
        fill.ends.extend(missing(test, [("expect", json!({"status": "RUNNING"}))]));
    }
    let trace = test.member("trace").into_iter().flat_map(JsonNode::items);
    for snapshot in trace.chain(test.member("expect")) {
        fill_snapshot(snapshot, &mut fill);
    }
    fill
}

fn fill_snapshot<'d>(snapshot: JsonNode<'d>, fill: &mut Fill<'d>) {
    fill.ends.extend(missing(snapshot, [("status", json!("RUNNING"))]));
    fill.rest.extend(missing(
        snapshot,
        [
            ("schema_version", json!(VERSION)),
            ("step", json!(0)),
            ("pc", json!(null)),
            ("operand_stack", json!([])),
            ("call_stack", json!([])),
        ],
    ));
    let trap = json!({"code": "TRAP_INTERNAL", "message": null, "details": null});
    let halt = json!({"result": 0});
    match snapshot.member("status").and_then(JsonNode::text).as_deref() {
        Some("TRAPPED") => fill.rest.extend(missing(snapshot, [("trap", trap)])),
        Some("HALTED") => fill.rest.extend(missing(snapshot, [("halt", halt)])),
        // Where nothing is known of the status, the one that the machine does not report is removed.
        None => fill.rest.extend(missing(snapshot, [("trap", trap), ("halt", halt)])),
        Some(_) => {}
    }
    let place = || [("fid", json!(1)), ("ip", json!(0))];
    fill.rest.extend(snapshot.member("pc").into_iter().flat_map(|pc| missing(pc, place())));
    for frame in snapshot.member("call_stack").into_iter().flat_map(JsonNode::items) {
        let members = [("fid", json!(1)), ("return_pc", json!(null)), ("locals", json!([]))];
        fill.rest.extend(missing(frame, members));
        fill.rest.extend(frame.member("return_pc").into_iter().flat_map(|pc| missing(pc, place())));
    }
}
