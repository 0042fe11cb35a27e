//! The head of every HTML page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// The head of a page. The content security policy blocks all loading, and all styles and scripts except the page's
/// own: even if text from a vector became an element, it could do nothing.
pub struct HtmlHead<'p> {
    /// The title, as HTML.
    pub title: &'p str,
    /// What follows the character set, as HTML; may be empty.
    pub meta: &'p str,
    /// The style.
    pub style: &'p str,
    /// The script, which the body has to hold as it is; `None` for a page without one.
    pub script: Option<&'p str>,
}

impl HtmlHead<'_> {
    /// The beginning of the page, up to its body.
    pub fn html(&self) -> String {
        let HtmlHead { title, meta, style, script } = self;
        let scripts = script.map_or_else(String::new, |script| format!("; script-src {}", source_of(script)));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{meta}\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}{scripts}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>{style}</style>\n</head>\n",
            source_of(style)
        )
    }
}

/// A style or script as a content security policy names it.
fn source_of(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}
