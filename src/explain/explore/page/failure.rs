//! The failing assertions of a page.

use crate::explain::recording::{Datum, Moment};

/// Where an assertion fails, and the datum of its row there.
pub(super) struct PageFailure {
    pub(super) end: Moment,
    pub(super) datum: Option<Datum>,
}
