//! What machines did, in lines.

use vmconf::model::{brief, escaped};

/// The beginning of a line, without control characters.
pub(super) fn shown(line: &str) -> String {
    const SHOWN: usize = 100;
    brief(escaped(line), SHOWN)
}
