//! What machines did, in lines.

use vmconf::model::escape::escaped;

/// The beginning of a line, without control characters.
pub(super) fn shown(line: &str) -> String {
    const SHOWN: usize = 100;
    let line = escaped(line);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}
