//! Text from outside, made harmless for terminals, logs of CI systems and reports.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};

/// The characters outside ASCII that could disturb a terminal, show text other than it is, or not be written
/// in XML at all: control characters, those that are invisible, reorder text or begin a line, and two
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

/// A part of a line from outside, with harmful characters and starts of commands escaped as in Rust:
/// `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    escaped_with(text, |character| match character {
        ' '..='~' => character.escape_unicode().to_string(),
        _ => character.escape_default().to_string(),
    })
}

/// A part of a line from outside. `escape` writes each harmful character, and one character of each start of a
/// command: CI systems execute commands that they find in the log of a job.
///
/// - GitHub Actions, Azure Pipelines and TeamCity: `##[`, `##vso[` and `##teamcity[` anywhere in a line.
/// - GitHub Actions: `::` at the start of a line, after any spaces.
///
/// What follows the text in its line is unknown, so `##` and `:` that could become such a start are escaped,
/// too.
pub fn escaped_with(text: &str, escape: fn(char) -> String) -> Cow<'_, str> {
    let is_escaped =
        |(at, character): (usize, char)| is_harmful(character) || starts_command(text, at, character);
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

/// Whether the character at `at` is the second `#` of `##name[`, or the first `:` of `::` at the start.
fn starts_command(text: &str, at: usize, character: char) -> bool {
    let (before, after) = text.split_at(at);
    match character {
        '#' if before.ends_with('#') => {
            let rest = after[1..].trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
            rest.is_empty() || rest.starts_with('[')
        }
        ':' => matches!(after.as_bytes().get(1), None | Some(b':')) && before.trim_start().is_empty(),
        _ => false,
    }
}
