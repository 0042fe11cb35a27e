//! What machines did, in lines.

use vmconf::model::{brief, escaped};

/// The beginning of a line, without control characters.
pub(super) fn shown(line: &str) -> String {
    const MAX_LENGTH: usize = 100;
    brief(escaped(line), MAX_LENGTH)
}
