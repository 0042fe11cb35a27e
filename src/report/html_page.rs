//! What small HTML pages share.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::model::escape::escaped;

/// The beginning of a page, before its title.
pub(super) const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\">\
    <style>body{font-family:system-ui,sans-serif;margin:2em;color-scheme:light dark}\
    table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.3em .6em;text-align:left}\
    </style>\n";

/// The styles that all pages of reports share.
pub(super) const STYLE: &str = include_str!("html/page.css");

/// The styles of pages with tables.
const TABLES: &str = include_str!("html/site.css");

/// What a page with tables says of its origin.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"vmconf\">";

/// The beginning of a page with tables, up to its body. The page may not load anything, nor run scripts.
pub(super) fn secured_head(title: &str) -> String {
    let style = format!("{STYLE}{TABLES}");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n",
        content_hash(&style),
        html_text(title)
    )
}

/// The hash of a style or script for a content security policy.
pub(super) fn content_hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

/// Text for HTML and SVG.
pub(super) fn html_text(text: &str) -> String {
    let one = |it: char| match it {
        '&' | '<' | '>' | '"' | '\'' => format!("&#{};", it as u32),
        other => other.to_string(),
    };
    escaped(text).chars().map(one).collect()
}
