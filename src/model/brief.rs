//! Text of a limited length.

use std::fmt::{self, Write as _};

/// The text, with `…` in place of what follows the first `most` characters. What follows is not even formatted.
pub fn brief(text: impl fmt::Display, most: usize) -> String {
    let mut start = Start { text: String::new(), room: most };
    let is_whole = write!(start, "{text}").is_ok();
    start.text + if is_whole { "" } else { "…" }
}

/// Collects the start of a text; an error at the limit stops the formatting of the rest.
struct Start {
    text: String,
    room: usize,
}

impl fmt::Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room;
        let taken = text.chars().take(room);
        self.room -= taken.clone().count();
        self.text.extend(taken);
        if text.chars().nth(room).is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}
