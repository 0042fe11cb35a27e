//! Tells a second Ctrl-C from a signal that is sent twice.

use std::time::{Duration, Instant};

/// GNU `timeout` sends a signal to its child and at once to the group of both; nobody types twice so fast.
const AT_ONCE: Duration = Duration::from_millis(200);

/// The last signal that counts.
#[derive(Default)]
pub(super) struct LastSignal(Option<Instant>);

impl LastSignal {
    /// Whether a signal that arrives now is the last one, sent twice; otherwise it is the last one from now on.
    pub(super) fn is_repeated(&mut self) -> bool {
        self.is_repeated_at(Instant::now())
    }

    fn is_repeated_at(&mut self, now: Instant) -> bool {
        let is_repeated = self.0.is_some_and(|last| now - last < AT_ONCE);
        if !is_repeated {
            self.0 = Some(now);
        }
        is_repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signals that go on arriving, as those of a key that is held, are not one signal.
    #[test]
    fn only_signals_at_once_are_one() {
        let (mut last, start) = (LastSignal::default(), Instant::now());
        let repeated =
            [0, 5, 199, 200, 250, 400].map(|ms| last.is_repeated_at(start + Duration::from_millis(ms)));
        assert_eq!(repeated, [false, true, true, false, true, false]);
    }
}
