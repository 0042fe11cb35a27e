//! Which states of a long run a page contains: those that a user looks at first.

use std::ops::RangeInclusive;

use super::steps::PageSteps;
use crate::explain::recording::{Datum, Moment};

/// How many states before and after a place are shown.
const AROUND: u64 = 8;

/// One in so many of the states is before the first failing assertion.
const BEFORE: u64 = 2;

/// One in so many of the states is in each of the other places: after the first failing assertion, at the beginning, at
/// the end, at other failing assertions, and at the last writes of what they are about.
const ELSEWHERE: u64 = 10;

/// The maximum number of failing assertions whose last writes are sought.
const MAX_ASKED: usize = 20;

/// Where an assertion fails, and the datum of its row there.
pub(super) struct PageFailure {
    pub(super) end: Moment,
    pub(super) datum: Option<Datum>,
}

/// The spans of states that a page has in full, up to about this number of states, in order.
pub(super) fn spans(steps: &PageSteps, failures: &[PageFailure], most: u64) -> Vec<RangeInclusive<u64>> {
    let (first, last) = (steps.first(), steps.last());
    if steps.count() <= most {
        return vec![first..=last];
    }
    let (before, part) = (most / BEFORE, most / ELSEWHERE);
    let centre = failures.first().map_or(last, |failure| failure.end.step());
    let mut wanted =
        vec![centre.saturating_sub(before)..=centre + part, first..=first + part, last - part..=last];
    let places = usize::try_from(part / (2 * AROUND + 1)).unwrap_or(usize::MAX);
    let around = |step: u64| step.saturating_sub(AROUND)..=step + AROUND;
    wanted.extend(failures.iter().skip(1).take(places).map(|failure| around(failure.end.step())));
    let asked: Vec<_> = failures.iter().filter_map(|it| Some((it.datum.as_ref()?, it.end.step()))).collect();
    let asked = &asked[..asked.len().min(MAX_ASKED)];
    for (datum, end) in asked {
        wanted.extend(steps.last_writes(datum, *end).take(places / asked.len()).map(around));
    }
    joined(wanted, first..=last)
}

/// The same within these states, in order, so that no two follow each other at once.
fn joined(mut spans: Vec<RangeInclusive<u64>>, within: RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
    spans.sort_unstable_by_key(|span| *span.start());
    let mut joined: Vec<RangeInclusive<u64>> = Vec::new();
    for span in spans {
        let (start, end) = (*span.start().max(within.start()), *span.end().min(within.end()));
        match joined.last_mut() {
            _ if start > end => {}
            Some(last) if start <= last.end() + 1 => *last = *last.start()..=end.max(*last.end()),
            _ => joined.push(start..=end),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_become_one() {
        assert_eq!(
            joined(vec![8..=9, 0..=3, 2..=5, 6..=6, 40..=60, 11..=12], 1..=50),
            [1..=6, 8..=9, 11..=12, 40..=50]
        );
    }
}
