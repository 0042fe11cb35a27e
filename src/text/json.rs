//! Reads JSON such that every datum knows its position.
//!
//! A [`Document`] is the text and one flat table of slots in document order, 12 bytes per datum; a [`JsonNode`]
//! is an index into it. Strings and numbers stay in the text until they are read, so a number of any size
//! keeps its value and parsing allocates once per file. This is our own reader, not `serde_json`, because a
//! conformance runner has to point at the byte that demands a value, detect duplicate keys, and read what
//! real suites contain: a byte order mark, comments, trailing commas. The last two are not JSON; they are
//! accepted and recorded as [`Deviation`]s, and the format decides how severe they are.
//!
//! The grammar is RFC 8259. The depth of nesting is limited, and nothing recurses.

mod deviation;
mod deviation_diagnostic;
mod document;
mod escapes;
mod node;
mod parser;
mod pointer;
mod slot;
mod spare;

pub use self::deviation::{Deviation, DeviationKind};
pub use self::document::Document;
pub(crate) use self::escapes::escaped;
pub use self::node::{JsonDatum, JsonMember, JsonNode, quoted};
pub use self::pointer::{name_in_pointer, pointer_key};
pub use self::spare::SpareMemory;

#[cfg(test)]
mod tests;
