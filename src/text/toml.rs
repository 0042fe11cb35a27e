//! Strings of TOML.

use crate::model::escaped_with;

/// A text as a basic string of TOML. Harmful characters have an escape, since people and logs show what is written.
pub fn string(text: &str) -> String {
    // The escapes of JSON are some of those of TOML.
    let json = serde_json::Value::from(text).to_string();
    let toml = escaped_with(&json, |character| match u32::from(character) {
        short @ ..=0xffff => format!("\\u{short:04x}"),
        long => format!("\\U{long:08x}"),
    });
    toml.into_owned()
}
