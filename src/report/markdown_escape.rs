//! Escaping text from vectors for Markdown.

use super::truncate::truncate;
use crate::model::escape::escaped;

/// The longest text outside of blocks.
const LONGEST: usize = 200;

/// Short text as code: in an HTML element, with every mark of Markdown written as a character reference.
pub(super) fn code_span(text: &str) -> String {
    format!("<code>{}</code>", referenced(&truncate(&escaped(text), 0, LONGEST)))
}

/// Text in which no character has a meaning to Markdown or HTML.
fn referenced(text: &str) -> String {
    let one = |it: char| {
        if it.is_ascii_punctuation() { format!("&#{};", it as u32) } else { it.to_string() }
    };
    text.chars().map(one).collect()
}
