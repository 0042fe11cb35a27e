//! Truncation of long values so that the difference stays visible.

/// Both texts in at most `width` characters each, truncated around the first character in which they
/// differ. `…` stands for what is omitted; a truncated text ends with its whole length.
pub(super) fn truncate_pair(one: &str, other: &str, width: usize) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    (truncate(one, same, width), truncate(other, same, width))
}

/// The text in at most `width` characters, among them the one at `focus`.
pub(super) fn truncate(text: &str, focus: usize, width: usize) -> String {
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
