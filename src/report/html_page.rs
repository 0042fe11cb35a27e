//! What small HTML pages share.

use crate::model::escape::escaped;

/// The beginning of a page, before its title.
pub(super) const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\">\
    <style>body{font-family:system-ui,sans-serif;margin:2em;color-scheme:light dark}\
    table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.3em .6em;text-align:left}\
    </style>\n";

/// Text for HTML and SVG.
pub(super) fn html_text(text: &str) -> String {
    let one = |it: char| match it {
        '&' | '<' | '>' | '"' | '\'' => format!("&#{};", it as u32),
        other => other.to_string(),
    };
    escaped(text).chars().map(one).collect()
}
