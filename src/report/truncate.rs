//! Truncation of long values so that the difference stays visible.

/// Truncates both texts to at most `width` characters each, around the first character in which they differ.
/// `…` marks omitted text; a truncated text ends with its full length.
pub fn truncate_pair(one: &str, other: &str, width: usize) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    (truncate(one, same, width), truncate(other, same, width))
}

/// Truncates the text to at most `width` characters, including the one at `focus`.
pub fn truncate(text: &str, focus: usize, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let note = format!(" ({length} characters)");
    let room = width.saturating_sub(note.chars().count() + 2).max(8);
    let from = focus.saturating_sub(room / 2).min(length.saturating_sub(room));
    let shown: String = text.chars().skip(from).take(room).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + room < length { "…" } else { "" };
    format!("{before}{shown}{after}{note}")
}
