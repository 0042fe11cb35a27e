//! Escapes in strings.

use memchr::memchr;

/// Why a backslash begins no escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrongEscape {
    /// There is no such escape.
    Unknown,
    /// It is one half of a character of UTF-16, and the other half does not follow.
    LoneSurrogate,
}

/// The character of an escape in a string with these quotes, and the length of the escape. The text is what follows the
/// backslash.
pub(crate) fn escaped(text: &[u8], quote: u8) -> Result<(char, usize), WrongEscape> {
    let character = match text.first() {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text),
        Some(&itself) if [b'\\', b'/', quote].contains(&itself) => char::from(itself),
        _ => return Err(WrongEscape::Unknown),
    };
    Ok((character, 1))
}

fn unicode(text: &[u8]) -> Result<(char, usize), WrongEscape> {
    let first = hex4(text, 1).ok_or(WrongEscape::Unknown)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Ok((character, 5));
    }
    let second = if text[5..].starts_with(b"\\u") { hex4(text, 7) } else { None };
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    pair.map(|character| (character, 11)).ok_or(WrongEscape::LoneSurrogate)
}

/// The value of the four hex digits at `at`; `None` if other bytes are there.
fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 4)?.iter();
    digits
        .map(|&digit| char::from(digit).to_digit(16))
        .try_fold(0, |value, digit| Some(value * 16 + digit? as u16))
}

/// The characters of a string whose escapes are known to be valid.
pub(super) fn unescape(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(backslash) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..backslash]);
        rest = &rest[backslash + 1..];
        if let Ok((character, length)) = escaped(rest.as_bytes(), b'"') {
            text.push(character);
            rest = &rest[length..];
        }
    }
    text.push_str(rest);
    text
}
