//! What the reader accepts although it is not valid JSON.

use memchr::memchr;

/// A construct that the reader accepts although it is not JSON, or although JSON leaves its meaning undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// Byte offset into the text.
    pub at: u32,
    /// Which construct.
    pub kind: DeviationKind,
}

/// The kinds of [`Deviation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviationKind {
    /// The key at the deviation's offset occurs earlier in the same object, at this offset.
    DuplicateKey(u32),
    /// A `//` or `/* */` comment.
    Comment,
    /// A comma before a closing bracket.
    TrailingComma,
}

/// The length in bytes of the comment at the start of the text, without the end of its line; `None` if it is
/// not closed.
pub(super) fn comment_length(text: &[u8]) -> Option<usize> {
    if text.get(1) == Some(&b'*') {
        return memchr::memmem::find(&text[2..], b"*/").map(|end| end + 4);
    }
    let end = memchr(b'\n', text);
    let is_crlf = end.is_some_and(|end| text[..end].ends_with(b"\r"));
    Some(end.unwrap_or(text.len()) - usize::from(is_crlf))
}
