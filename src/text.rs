//! Text with positions: the JSON reader, edits that preserve all other bytes, excerpts, quoting, numbers, suggestions.

pub(crate) mod columns;
pub mod config;
pub mod edit;
pub mod excerpt;
pub mod file_name;
pub mod file_pattern;
pub mod glob;
pub mod html_head;
pub mod json;
mod line_index;
pub mod number;
pub mod plain_json;
pub mod sarif;
pub mod shell;
pub mod source_text;
pub mod suggest;
pub mod toml;
pub mod typed;
