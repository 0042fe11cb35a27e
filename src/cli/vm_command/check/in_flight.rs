//! How an adapter answers requests that wait for their answers at the same time.

use serde_json::Value as Json;
use vmconf::wire::protocol::{Hello, ProtocolAnswer};

use super::adapter::{CheckPoints, CheckedAdapter};
use super::small_program::SmallProgram;

/// The numbers of two requests that are sent alone, and the first of those that are sent together. They are new: an
/// answer to a number that was answered before would be taken for a second one.
const ALONE: [u64; 2] = [10, 11];
const TOGETHER: u64 = 12;

/// Tries as many requests together as the adapter offers to take; nothing if it takes one at a time.
pub(super) fn try_in_flight(
    adapter: &mut CheckedAdapter,
    in_flight: usize,
    small: &SmallProgram,
    points: &mut CheckPoints,
) {
    if in_flight < 2 {
        return;
    }
    // Some have no steps, so that two in a row have different answers.
    let request = |id| small.request(id, if id % 2 == 0 { &small.steps } else { &[] });
    let requests: Vec<_> = (TOGETHER..).take(in_flight.min(Hello::MAX_IN_FLIGHT)).map(request).collect();
    let alone = ALONE.map(|id| adapter.ask(&request(id)).map(|answer| without_id(&answer)));
    let outcome = adapter.ask_together(&requests).map_err(|why| {
        format!("{} were sent together, and {why}; answer each, in the order of the requests", requests.len())
    });
    let outcome = outcome.and_then(|together| {
        let [even, odd] = alone;
        let alone = [even?, odd?].into_iter().cycle();
        match alone.zip(&together).find(|(alone, answer)| *alone != without_id(answer)) {
            Some((_, answer)) => Err(format!(
                "the answer to request {} is not that to the same request alone; keep requests apart",
                answer.id().unwrap_or_default()
            )),
            None => Ok(()),
        }
    });
    points.add("answers requests that are in flight together", outcome);
}

/// What an answer says, but for the number of its request.
pub(super) fn without_id(answer: &ProtocolAnswer) -> Option<Json> {
    let mut answer = serde_json::to_value(answer).ok()?;
    answer.as_object_mut()?.remove("id");
    Some(answer)
}
