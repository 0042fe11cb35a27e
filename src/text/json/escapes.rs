//! Escapes in strings.

use memchr::memchr;

/// The characters of a string whose escapes are known to be valid.
pub(super) fn unescape(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(backslash) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..backslash]);
        let escape = &rest[backslash..];
        let (character, length) = match escape.as_bytes()[1] {
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => unescape_unicode(escape.as_bytes()),
            other => (char::from(other), 2),
        };
        text.push(character);
        rest = &escape[length..];
    }
    text.push_str(rest);
    text
}

fn unescape_unicode(escape: &[u8]) -> (char, usize) {
    let high = hex4(escape, 2).unwrap_or(0);
    if let Some(character) = char::from_u32(high) {
        return (character, 6);
    }
    let low = hex4(escape, 8).unwrap_or(0);
    let code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
}

/// The value of the four hex digits at `at`; `None` if other bytes are there.
pub(super) fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)?
        .iter()
        .try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}
