//! Escaping text from vectors for Markdown.

use super::truncate::{truncate, truncate_cause};
use crate::model::escaped;

/// The maximum length of text outside of blocks, in characters.
const MAX_LENGTH: usize = 200;

/// Formats short text as code: an HTML element with all punctuation written as character references.
pub(super) fn code_span(text: &str) -> String {
    format!("<code>{}</code>", referenced(&truncate(&escaped(text), 0, MAX_LENGTH)))
}

/// Like [`code_span`], for a cause, which has no length to be told.
pub(super) fn cause_span(cause: &str) -> String {
    format!("<code>{}</code>", referenced(&truncate_cause(&escaped(cause), MAX_LENGTH)))
}

/// Replaces characters that have a meaning in Markdown or HTML with character references.
fn referenced(text: &str) -> String {
    let one = |it: char| {
        if it.is_ascii_punctuation() { format!("&#{};", it as u32) } else { it.to_string() }
    };
    text.chars().map(one).collect()
}
