//! Makes untrusted text harmless for terminals, logs of CI systems and reports. `text/file_name.rs` escapes a `::` in the
//! path of an id.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};

/// Characters outside ASCII that could disturb a terminal, misrepresent text, or that XML does not allow:
/// control characters, characters that are invisible, reorder text or begin a new line, and two
/// noncharacters.
const HARMFUL: &str =
    r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x{FFFE}\x{FFFF}]";

/// The ranges of [`HARMFUL`], in ascending order.
static HARMFUL_RANGES: LazyLock<Vec<ClassUnicodeRange>> =
    LazyLock::new(|| match regex_syntax::parse(HARMFUL).expect("a class of characters").kind() {
        HirKind::Class(Class::Unicode(class)) => class.ranges().to_vec(),
        other => unreachable!("{other:?} is not a class of characters"),
    });

/// Whether a character could disturb a terminal or a reader: a control character, one that is invisible or
/// reorders text by its Unicode properties, or a noncharacter that XML forbids.
pub fn is_harmful(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let order = |range: &ClassUnicodeRange| match range {
        _ if range.end() < character => Ordering::Less,
        _ if range.start() > character => Ordering::Greater,
        _ => Ordering::Equal,
    };
    HARMFUL_RANGES.binary_search_by(order).is_ok()
}

/// A part of an untrusted line, with harmful characters and starts of commands escaped as in Rust: `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    escaped_with(text, |character| match character {
        ' '..='~' => character.escape_unicode().to_string(),
        _ => character.escape_default().to_string(),
    })
}

/// A part of an untrusted line. `escape` writes each harmful character, and one character of each start of a
/// command, since CI systems execute commands that they find in the log of a job.
///
/// - GitHub Actions, Azure Pipelines and TeamCity: `##[`, `##vso[` and `##teamcity[` anywhere in a line.
/// - GitHub Actions: `::` at the start of a line, after any spaces.
///
/// The text that follows in the line is unknown, so `##` and `:` are also escaped if they could become such a
/// start.
pub fn escaped_with(text: &str, escape: fn(char) -> String) -> Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with(':') && is_plain(text) {
        return Cow::Borrowed(text);
    }
    let is_escaped = |(at, character): (usize, char)| match character {
        '#' => ends_command_prefix(&text[..at], &text[at + 1..]),
        ':' => at == start && matches!(text.as_bytes().get(at + 1), None | Some(b':')),
        _ => is_harmful(character),
    };
    if !text.char_indices().any(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        if is_escaped((at, character)) {
            safe += &escape(character);
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Whether the text consists of printable ASCII characters other than `#`, as most do. Looks at all bytes,
/// many at a time.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |is_plain, it| is_plain & matches!(it, b' '..=b'"' | b'$'..=b'~'))
}

/// Whether a `#` between these texts is the second one in `##name[`.
fn ends_command_prefix(before: &str, after: &str) -> bool {
    // Letters are never `#`, so each one is scanned only once.
    let rest = after.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    before.ends_with('#') && (rest.is_empty() || rest.starts_with('['))
}
