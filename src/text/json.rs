//! Reading JSON so that every datum knows where it is.
//!
//! A [`Document`] is the text and one flat table of slots in document order, 16 bytes a datum; a [`Node`] is
//! an index into it. Strings and numbers stay in the text until they are read, so a number of any size keeps
//! its value and parsing allocates once per file. This is our own reader, not `serde_json`, because a
//! conformance runner has to point at the byte that demanded a value, has to detect duplicate keys, and has
//! to read what real suites contain: a byte order mark, comments, trailing commas. The last two are not JSON;
//! they are accepted and recorded as [`Deviation`], and the format decides how bad they are.
//!
//! The grammar is RFC 8259. Nesting has a limit, and nothing recurses.

mod deviation;
mod deviation_diagnostic;
mod document;
mod escapes;
mod node;
mod parser;
mod slot;

pub use self::deviation::{Deviation, DeviationKind};
pub use self::document::Document;
pub use self::node::{Datum, Member, Node, quoted};

#[cfg(test)]
mod tests;
