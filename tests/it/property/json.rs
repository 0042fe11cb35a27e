//! JSON is read as serde_json reads it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use crate::support::{WRONG, config, files, written_vectors};
use proptest::prelude::*;
use serde_json::Value as Json;
use vmconf::text::json::{DeviationKind, Document, JsonDatum, JsonNode};

/// The text, and whether serde_json must agree with us on it.
fn same_as_serde(text: &str) -> Result<(), TestCaseError> {
    let ours = Document::parse(text.to_owned(), 100);
    let theirs: Result<Json, _> = serde_json::from_str(text);
    match (ours, theirs) {
        (Ok(ours), theirs) => {
            places(&ours);
            // What we accept and JSON does not have, and a repeated key.
            if text.starts_with('\u{feff}') || !ours.deviations().is_empty() {
                let not_json = |kind: &DeviationKind| !matches!(kind, DeviationKind::DuplicateKey(_));
                if text.starts_with('\u{feff}')
                    || ours.deviations().iter().any(|deviation| not_json(&deviation.kind))
                {
                    prop_assert!(theirs.is_err(), "serde_json accepts {text:?}");
                }
                return Ok(());
            }
            match theirs {
                Ok(theirs) => prop_assert!(same(ours.root(), &theirs), "{text:?} has other values"),
                // A float cannot hold every number; ours are text.
                Err(error) => {
                    prop_assert!(error.to_string().starts_with("number out of range"), "{text:?}: {error}");
                }
            }
        }
        (Err((back, problem)), theirs) => {
            let at = problem.place.0 as usize;
            prop_assert_eq!(back.as_str(), text);
            prop_assert!(at <= text.len() && text.is_char_boundary(at));
            prop_assert!(theirs.is_err(), "serde_json accepts {:?}; we say {}", text, problem);
        }
    }
    Ok(())
}

fn same(ours: JsonNode<'_>, theirs: &Json) -> bool {
    match (ours.datum(), theirs) {
        (JsonDatum::Null, Json::Null) => true,
        (JsonDatum::Bool(ours), Json::Bool(theirs)) => ours == *theirs,
        (JsonDatum::Number(ours), Json::Number(theirs)) => {
            serde_json::from_str::<serde_json::Number>(ours).unwrap() == *theirs
        }
        (JsonDatum::Text(ours), Json::String(theirs)) => ours == *theirs,
        (JsonDatum::Array, Json::Array(theirs)) => {
            ours.items().count() == theirs.len()
                && ours.items().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (JsonDatum::Object, Json::Object(theirs)) => {
            ours.members().count() == theirs.len()
                && ours.members().all(|it| theirs.get(&*it.key).is_some_and(|theirs| same(it.value, theirs)))
        }
        _ => false,
    }
}

/// Every datum and key starts where it says, with what it is; its line and column are those that
/// counting characters gives; a key that stands twice in an object is found, and there are no others.
fn places(document: &Document) {
    let text = document.text();
    let mut data = vec![document.root()];
    let mut twice = Vec::new();
    let mut starts = Vec::new();
    while let Some(node) = data.pop() {
        let first = text[node.at() as usize..].chars().next().unwrap();
        let right = match node.datum() {
            JsonDatum::Null => first == 'n',
            JsonDatum::Bool(value) => first == if value { 't' } else { 'f' },
            JsonDatum::Number(digits) => {
                digits.starts_with(first) && (first == '-' || first.is_ascii_digit())
            }
            JsonDatum::Text(_) => first == '"',
            JsonDatum::Array => first == '[',
            JsonDatum::Object => first == '{',
        };
        assert!(right, "{:?} at {} of {text:?}", node.datum(), node.at());
        assert!(text[node.at() as usize..].starts_with(node.raw()));
        starts.push(node.at());
        let mut seen = HashMap::new();
        for member in node.members() {
            match seen.entry(member.key.clone()) {
                Entry::Occupied(first) => {
                    twice.push((member.key_at, DeviationKind::DuplicateKey(*first.get())));
                }
                Entry::Vacant(new) => {
                    new.insert(member.key_at);
                }
            }
            assert!(text[member.key_at as usize..].starts_with('"'));
            starts.push(member.key_at);
            data.push(member.value);
        }
        data.extend(node.items());
    }
    twice.sort_by_key(|it| it.0);
    let deviations = document.deviations().iter().map(|deviation| (deviation.at, deviation.kind));
    let found: Vec<_> = deviations.filter(|it| matches!(it.1, DeviationKind::DuplicateKey(_))).collect();
    assert_eq!(found, twice, "{text:?}");
    starts.sort_unstable();
    positions(document, &starts);
}

/// The line and column of each of these bytes, which ascend, are those that counting characters gives.
fn positions(document: &Document, starts: &[u32]) {
    let text = document.text();
    let mut characters = text.char_indices().filter(|it| *it != (0, '\u{feff}')).peekable();
    let (mut line, mut column) = (1, 1);
    for at in starts {
        while let Some((_, character)) = characters.next_if(|it| it.0 < *at as usize) {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        let found = document.position(*at);
        assert_eq!((found.line, found.column), (line, column), "byte {at} of {text:?}");
    }
}

/// A JSON text with spaces anywhere, escapes, large numbers and members of the same name.
fn json_text() -> impl Strategy<Value = String> {
    let space = "[ \n\r\t]{0,2}";
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        json_string(),
    ];
    let padded = (space, scalar, space).prop_map(|(before, scalar, after)| before + &scalar + &after);
    padded.prop_recursive(5, 60, 6, move |inner| {
        let member = (space, json_string(), space, inner.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        let list = |items: Vec<String>, space: String| if items.is_empty() { space } else { items.join(",") };
        prop_oneof![
            (prop::collection::vec(inner, 0..6), space)
                .prop_map(move |(items, space)| format!("[{}]", list(items, space))),
            (prop::collection::vec(member, 0..14), space)
                .prop_map(move |(items, space)| format!("{{{}}}", list(items, space))),
        ]
    })
}

fn json_string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,6}",
        1 => "\\\\[\"\\\\/bfnrt]",
        1 => "\\\\u[0-9a-cA-C][0-9a-fA-F]{3}",
        1 => "\\\\u[dD][89abAB][0-9a-f]{2}\\\\u[dD][c-fC-F][0-9a-f]{2}",
        1 => "[äß漢🦀\u{7f}\u{85}\u{2028}\u{feff}]",
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

/// What is put into a text to break it.
fn splinter() -> impl Strategy<Value = String> {
    prop_oneof![
        "[\\[\\]{}:,\"\\\\/*\n\u{0}-]",
        Just("\\u".to_owned()),
        Just("\\ud800".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("//".to_owned()),
        Just("/* */".to_owned()),
        "[0-9.eE+-]",
        "nul|tru|true|ä|\u{1}",
    ]
}

/// The text with pieces put in or taken out.
fn broken(text: &str, changes: &[(prop::sample::Index, usize, String)]) -> String {
    let mut text = text.to_owned();
    for (index, removed, added) in changes {
        let mut places: Vec<usize> = text.char_indices().map(|it| it.0).collect();
        places.push(text.len());
        let from = index.index(places.len());
        let to = (from + removed).min(places.len() - 1);
        text.replace_range(places[from]..places[to], added);
    }
    text
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn json_is_read_as_serde_json_reads_it(text in json_text()) {
        prop_assert!(Document::parse(text.clone(), 100).is_ok(), "{text:?}");
        same_as_serde(&text)?;
    }

    #[test]
    fn broken_json_is_refused_as_serde_json_refuses_it(
        text in json_text(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, splinter()), 1..4),
    ) {
        same_as_serde(&broken(&text, &changes))?;
    }

    #[test]
    fn any_text_is_refused_or_read(text in "\\PC{0,40}") {
        same_as_serde(&text)?;
    }
}

/// On files as they are written, and on each beginning of one.
#[test]
fn vectors_are_read_as_serde_json_reads_them() {
    let paths: Vec<PathBuf> = written_vectors().into_iter().chain(files(WRONG, "json")).collect();
    assert!(paths.len() > 100);
    for path in paths {
        same_as_serde(&std::fs::read_to_string(path).unwrap()).unwrap();
    }
    let text = std::fs::read_to_string(crate::support::at_root("vectors/evm/layout-2015/demo.json")).unwrap();
    for end in 0..text.len() {
        same_as_serde(&text[..end]).unwrap();
    }
}
