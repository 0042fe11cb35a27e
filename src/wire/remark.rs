//! Texts for people in answers of the process protocol: `reason`, `message` and `ended`. Reports repeat them, so only
//! the beginning of a long one is kept.

use serde::{Deserialize, Deserializer};

/// The longest text that is kept as a whole, in bytes.
const MAX_LENGTH: usize = 8 << 10;

/// Reads a text.
pub(super) fn text<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    String::deserialize(text).map(shortened)
}

/// Reads a text that may be `null`.
pub(super) fn optional<'de, D: Deserializer<'de>>(text: D) -> Result<Option<String>, D::Error> {
    Ok(Option::deserialize(text)?.map(shortened))
}

fn shortened(text: String) -> String {
    if text.len() <= MAX_LENGTH {
        return text;
    }
    format!("{}... ({} bytes)", &text[..text.floor_char_boundary(MAX_LENGTH)], text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("a{}", "é".repeat(MAX_LENGTH));
        let cut = shortened(text.clone());
        assert_eq!(cut, format!("{}... ({} bytes)", &text[..MAX_LENGTH - 1], text.len()));
        let longest = "a".repeat(MAX_LENGTH);
        assert_eq!(shortened(longest.clone()), longest);
    }
}
