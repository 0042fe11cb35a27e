//! Families: declarations, and vectors under three of them.

use std::sync::LazyLock;

use vmconf::formats::FormatOptions;
use vmconf::formats::family::{BUILT_IN, Declaration, Family};
use vmconf::text::json::{Document, JsonNode};

const DEPTH: usize = 64;

/// The families that read vectors: with memories of pairs, with chunks of bytes, and with every type.
static FAMILIES: LazyLock<Vec<&'static Family>> = LazyLock::new(|| {
    let built_in = BUILT_IN
        .iter()
        .filter(|built_in| ["z80", "pvm"].contains(&built_in.name))
        .map(|built_in| built_in.text);
    let all = built_in.chain([include_str!("../../tests/families/toy.toml")]);
    all.map(|text| Family::install(text).unwrap()).collect()
});

/// Parses a declaration: each fault has a place.
pub(super) fn declaration(data: &[u8]) {
    if let Err(faults) = Declaration::parse(&String::from_utf8_lossy(data)) {
        assert!(!faults.is_empty());
        assert!(faults.iter().all(|fault| fault.place.is_some()), "{faults:?}");
    }
}

/// Reads a text as a vector file of each family.
pub(super) fn vectors(data: &[u8]) {
    let Ok(document) = Document::parse(String::from_utf8_lossy(data).into_owned(), DEPTH) else { return };
    for family in FAMILIES.iter() {
        let _ = family.fitting(document.root(), "fuzz.json");
        for format in family.formats() {
            let Ok(entries) = (format.outline)(document.root()) else { continue };
            format.read_rest(&document, &entries, FormatOptions::default());
            for entry in entries {
                format.read_case(JsonNode::at_index(&document, entry.node), FormatOptions::default());
            }
        }
    }
}
