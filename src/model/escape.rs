//! Text from outside, made harmless for terminals and reports.

use std::borrow::Cow;

/// Whether a character could disturb a terminal, show text other than it is, or not be written in XML at all:
/// control characters, those that are invisible or reorder text, and two noncharacters.
pub fn is_harmful(character: char) -> bool {
    let invisible = ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}'];
    character.is_control()
        || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || invisible.iter().any(|range| range.contains(&character))
}

/// Text from outside with harmful characters escaped.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| {
        if is_harmful(character) { character.escape_default().to_string() } else { character.to_string() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}
