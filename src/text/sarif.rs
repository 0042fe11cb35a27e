//! What files in the form SARIF 2.1.0 share.

use std::iter::repeat_n;

/// How each file begins: its schema, its version and the start of its only run.
pub const OPENING: &str =
    r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"#;

/// A text as the text of a message: there, `{0}` would stand for an argument and `[text](target)` would be a link
/// (sections 3.11.5 and 3.11.6). Brackets mean nothing without a link, and are left as they are: few viewers remove the
/// backslashes.
pub fn message_text(text: &str) -> String {
    let has_link = text.contains("](") || text.contains("\\[") || text.contains("\\]");
    let mut escaped = String::with_capacity(text.len());
    let mut backslashes = 0;
    for character in text.chars() {
        match character {
            '{' | '}' => escaped.push(character),
            '[' | ']' if has_link => escaped.extend(repeat_n('\\', backslashes + 1)),
            _ => {}
        }
        escaped.push(character);
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::message_text;

    #[test]
    fn a_message_has_no_placeholders_and_no_links() {
        for (text, expected) in [
            ("logs[0]: missing", "logs[0]: missing"),
            ("{0} and \\u{202e}", "{{0}} and \\u{{202e}}"),
            ("[link](http://x)", r"\[link\](http://x)"),
            ("logs[0] of [a](1)", r"logs\[0\] of \[a\](1)"),
            (r"a\[b]", r"a\\\[b\]"),
            (r"a\\](b", r"a\\\\\](b"),
            ("", ""),
        ] {
            assert_eq!(message_text(text), expected, "{text}");
        }
    }
}
