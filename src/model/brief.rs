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
