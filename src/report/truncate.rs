//! Cutting long values so that what differs is seen.

/// Both texts in at most `width` characters each, cut around the first character in which they
/// differ. What was left out is `…`; a cut text ends with its whole length.
pub(super) fn cut_pair(one: &str, other: &str, width: usize) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    (cut(one, same, width), cut(other, same, width))
}

/// The text in at most `width` characters, among them the one at `focus`.
pub(super) fn cut(text: &str, focus: usize, width: usize) -> String {
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
