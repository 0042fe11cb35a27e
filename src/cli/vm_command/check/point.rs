//! The points that are tried.

/// A point that was tried: what is right, or what is wrong and how to mend it.
pub(super) struct Point {
    pub(super) what: &'static str,
    pub(super) wrong: Option<String>,
}

/// The points that were tried, in order.
#[derive(Default)]
pub(super) struct Points(pub(super) Vec<Point>);

impl Points {
    /// Adds a point, which is kept if there is nothing wrong.
    pub(super) fn add(&mut self, what: &'static str, outcome: Result<(), String>) {
        self.0.push(Point { what, wrong: outcome.err() });
    }

    /// Adds a point that is kept if the condition holds. `mend` says what is wrong and how to mend it.
    pub(super) fn hold(&mut self, what: &'static str, condition: bool, mend: &str) {
        self.add(what, if condition { Ok(()) } else { Err(mend.to_owned()) });
    }
}
