//! Text of a limited length.

use std::fmt::{self, Write as _};

use super::count::counted;
use super::hex::bytes_key;

/// The first `most` characters of the text, then `…` if there are more. The rest is not even formatted.
pub fn brief(text: impl fmt::Display, most: usize) -> String {
    let mut start = BriefStart { text: String::new(), room: most };
    let is_whole = write!(start, "{text}").is_ok();
    start.text + if is_whole { "" } else { "…" }
}

/// `most` characters of two texts where they first differ, with `…` where something is left out. Of texts that differ
/// soon enough, these are the first ones.
pub fn brief_pair(one: &str, other: &str, most: usize) -> [String; 2] {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let from = if same < most { 0 } else { same - most / 2 };
    let start = if from > 0 { "…" } else { "" };
    [one, other].map(|text| {
        let rest = text.char_indices().nth(from).map_or("", |(at, _)| &text[at..]);
        format!("{start}{}", brief(rest, most))
    })
}

/// The first `most` bytes in hex digits; if there are more, then `…` and how many there are.
pub fn brief_bytes(bytes: &[u8], most: usize) -> String {
    match bytes.get(..most) {
        Some(start) if start.len() < bytes.len() => {
            format!("{}… ({})", bytes_key(start), counted(bytes.len(), "byte"))
        }
        _ => bytes_key(bytes),
    }
}

/// Collects the start of a text; returns an error at the limit, which stops the formatting.
struct BriefStart {
    text: String,
    room: usize,
}

impl fmt::Write for BriefStart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room;
        let taken = text.chars().take(room);
        self.room -= taken.clone().count();
        self.text.extend(taken);
        if text.chars().nth(room).is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{brief, brief_pair};

    #[test]
    fn two_texts_are_shown_where_they_differ() {
        let numbers = ["e", "f"].map(|last| format!("0x{}{last}", "f".repeat(63)));
        let shown = brief_pair(&numbers[1], &numbers[0], 28);
        // 65 characters are equal; half of the room is before the first that differs.
        assert_eq!(shown, [format!("…{}f", "f".repeat(14)), format!("…{}e", "f".repeat(14))]);
        let short = brief_pair("0x1", "0x2", 28);
        assert_eq!(short, ["0x1", "0x2"]);
        let long = ["1", "2"].map(|first| format!("{first}{}", "0".repeat(40)));
        assert_eq!(brief_pair(&long[0], &long[1], 28), [brief(&long[0], 28), brief(&long[1], 28)]);
        let longer = brief_pair(&"é".repeat(40), &"é".repeat(41), 28);
        assert_eq!(longer, [14, 15].map(|count| format!("…{}", "é".repeat(count))));
    }
}
