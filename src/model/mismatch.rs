//! Assertions that do not hold.

use super::assertion::Expected;
use super::path::Path;
use super::position::Origin;
use super::value::Value;

/// An assertion that does not hold. Unlike a [`CaseDifference`](super::verdict::CaseDifference), it has no step and no
/// line, since what compares states knows neither the case nor the text of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Which datum.
    pub at: Path,
    /// What the vector demands.
    pub expected: Expected,
    /// The actual value; `None` when the machine has no such datum.
    pub actual: Option<Value>,
    /// Where the vector demands it.
    pub origin: Origin,
}
