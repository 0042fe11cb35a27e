//! Truncation of long values so that the difference stays visible.

use crate::model::MAX_SIGNATURE;

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

/// Truncates a cause to at most `width` characters, and marks with `…` that it goes on. One as long as a cause may be was
/// truncated when it was made, so that its length says nothing.
pub fn truncate_cause(cause: &str, width: usize) -> String {
    let length = cause.chars().count();
    if length <= width && length < MAX_SIGNATURE {
        return cause.to_owned();
    }
    let shown: String = cause.chars().take(width.saturating_sub(1)).collect();
    format!("{shown}…")
}

#[cfg(test)]
mod tests {
    use super::{MAX_SIGNATURE, truncate, truncate_cause, truncate_pair};

    #[test]
    fn short_texts_are_whole() {
        let text = "é".repeat(60);
        assert_eq!(truncate(&text, 59, 60), text);
        assert_eq!(truncate("", 0, 60), "");
    }

    #[test]
    fn a_cause_that_goes_on_ends_with_a_mark() {
        let cause = |length: usize| "é".repeat(length);
        let marked = |length: usize| cause(length - 1) + "…";
        for (length, width, expected) in [
            (200, 200, cause(200)),
            (201, 200, marked(200)),
            (MAX_SIGNATURE - 1, MAX_SIGNATURE, cause(MAX_SIGNATURE - 1)),
            (MAX_SIGNATURE, MAX_SIGNATURE, marked(MAX_SIGNATURE)),
            (MAX_SIGNATURE, 200, marked(200)),
        ] {
            assert_eq!(truncate_cause(&cause(length), width), expected, "{length} {width}");
        }
    }

    /// 41 characters fit beside the length and two marks, also at the ends, where one mark is not needed.
    #[test]
    fn the_focus_is_shown() {
        let [start, end] = ["START", "END"].map(str::to_owned);
        let text = start + &"é".repeat(292) + &end;
        let note = " (300 characters)";
        assert_eq!(truncate(&text, 0, 60), format!("START{}…{note}", "é".repeat(36)));
        assert_eq!(truncate(&text, 299, 60), format!("…{}END{note}", "é".repeat(38)));
        assert_eq!(truncate(&text, 150, 60), format!("…{}…{note}", "é".repeat(41)));
    }

    /// Where two long texts differ, both are shown, however far from their starts that is.
    #[test]
    fn the_difference_of_long_texts_is_shown() {
        let (same, rest) = ("0".repeat(400), "1".repeat(100));
        let texts = ["x", "y"].map(|differs| format!("{same}{differs}{rest}"));
        let (one, other) = truncate_pair(&texts[0], &texts[1], 60);
        assert_eq!(one, format!("…{}x{}… (501 characters)", "0".repeat(20), "1".repeat(20)));
        assert_eq!(other, one.replace('x', "y"));
    }
}
