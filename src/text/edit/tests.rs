//! Text around a change stays unchanged, and new text follows its style.

use serde_json::json;

use super::*;

fn document(text: &str) -> Document {
    Document::parse(text.to_owned(), 20).unwrap_or_else(|(_, diagnostic)| panic!("{text}: {diagnostic}"))
}

/// The text with one more element at the end of the array or object `a`; in an object, the member `"k"`.
fn added(text: &str, value: Json) -> String {
    let document = document(text);
    let into = document.root().member("a").unwrap_or(document.root());
    let change = if into.is_object() {
        TextChange::add_member(into, "k", value)
    } else {
        TextChange::Insert { into, before: into.items().count(), key: None, value }
    };
    apply(&document, &[change])
}

/// The text without these elements of the array or object `a`.
fn removed(text: &str, indices: &[usize]) -> String {
    let document = document(text);
    let from = document.root().member("a").unwrap_or(document.root());
    let changes: Vec<_> = indices.iter().map(|index| TextChange::Remove { from, index: *index }).collect();
    apply(&document, &changes)
}

#[test]
fn a_new_element_is_set_like_those_beside_it() {
    let check = |text: &str, expected: &str| assert_eq!(added(text, json!(7)), expected, "{text}");
    check("[1, 2]", "[1, 2, 7]");
    check("[1,2]", "[1,2,7]");
    check("[ 1 ]", "[ 1, 7 ]");
    check("[1\n, 2]", "[1\n, 2\n, 7]");
    check("[\n\t1\n]", "[\n\t1,\n\t7\n]");
    check("[\r\n  1,\r\n  2\r\n]", "[\r\n  1,\r\n  2,\r\n  7\r\n]");
    check("{\"b\":1,\"a\":{\"c\":2}}", "{\"b\":1,\"a\":{\"c\":2,\"k\":7}}");
    check("{\"a\" : {\"c\" : 2}}", "{\"a\" : {\"c\" : 2, \"k\" : 7}}");
    check("{\n  \"a\": {\n    \"c\": 2\n  }\n}", "{\n  \"a\": {\n    \"c\": 2,\n    \"k\": 7\n  }\n}");
    check("\u{feff}[1, 2] ", "\u{feff}[1, 2, 7] ");
    // Comments and the comma after the last element stay.
    check("[1, // one\n 2 /* two */]", "[1, // one\n 2, 7 /* two */]");
    check("[1, 2,]", "[1, 2, 7,]");
}

#[test]
fn a_new_element_in_an_empty_list_is_set_like_the_file() {
    let check = |text: &str, expected: &str| {
        assert_eq!(added(text, json!({"x": [1], "y": {}})), expected, "{text}");
    };
    check("[]", "[{\"x\": [1], \"y\": {}}]");
    check("{\"a\":[ ]}", "{\"a\":[{\"x\":[1],\"y\":{}}]}");
    check("{\n \"b\": [1],\n \"a\": []\n}", "{\n \"b\": [1],\n \"a\": [{\"x\": [1], \"y\": {}}]\n}");
    let spread = "{\n  \"a\": [\n    {\n      \"x\": [\n        1\n      ],\n      \"y\": {}\n    }\n  ]\n}";
    check("{\n  \"a\": []\n}", spread);
}

#[test]
fn a_new_element_ends_lines_as_the_file_does() {
    let text = "{\r\n  \"a\": {\r\n    \"x\": 1\r\n  }\r\n}\r\n";
    let expected = "{\r\n  \"a\": {\r\n    \"x\": 1,\r\n    \"k\": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n";
    assert_eq!(added(text, json!([1])), expected);
    assert_eq!(added(&text.replace("\r\n", "\n"), json!([1])), expected.replace("\r\n", "\n"));
}

#[test]
fn removed_elements_leave_no_gap() {
    let check = |text: &str, indices: &[usize], expected: &str| {
        assert_eq!(removed(text, indices), expected, "{text}");
    };
    check("[1, 2, 3]", &[0], "[2, 3]");
    check("[1, 2, 3]", &[1], "[1, 3]");
    check("[1, 2, 3]", &[2], "[1, 2]");
    check("[1, 2, 3]", &[0, 2], "[2]");
    check("[1, 2, 3]", &[0, 1, 2], "[]");
    check("[\n  1,\n  2\n]", &[0], "[\n  2\n]");
    check("[\n  1,\n  2\n]", &[1], "[\n  1\n]");
    check("[\n  1\n]", &[0], "[]");
    check("{\"a\": {\"b\": 1, \"c\": {}}}", &[0], "{\"a\": {\"c\": {}}}");
}

#[test]
fn changes_beside_each_other_are_all_made() {
    let document = document("{\"a\": [1, 2, 3], \"b\": {}}");
    let (list, empty) = (document.root().member("a").expect("a"), document.root().member("b").expect("b"));
    let first = list.items().next().expect("1");
    let insert = |before, value| TextChange::Insert { into: list, before, key: None, value };
    let changes = [
        TextChange::Replace { node: first, value: json!("one") },
        insert(0, json!(0)),
        insert(3, json!(4)),
        insert(3, json!(5)),
        TextChange::Remove { from: list, index: 1 },
        TextChange::add_member(empty, "x", json!(1)),
        TextChange::add_member(empty, "y", json!(2)),
        TextChange::add_member(empty, "x", json!(3)),
    ];
    assert_eq!(apply(&document, &changes), "{\"a\": [0, \"one\", 3, 4, 5], \"b\": {\"x\": 1, \"y\": 2}}");
}

#[test]
fn of_nested_changes_the_outer_one_is_applied() {
    let document = document("{\"a\": [[1], 2]}");
    let list = document.root().member("a").expect("a");
    let inner = list.items().next().expect("[1]");
    let change = TextChange::Insert { into: inner, before: 1, key: None, value: json!(9) };
    assert_eq!(apply(&document, &[change, TextChange::Remove { from: list, index: 0 }]), "{\"a\": [2]}");
}

#[test]
fn members_change_places_with_their_keys() {
    let document = document("{\"a\" : 1,\n\"b\": 2, \"c\":3}");
    let change = TextChange::Reorder { object: document.root(), order: vec![2, 1, 0] };
    assert_eq!(apply(&document, &[change]), "{\"c\":3,\n\"b\": 2, \"a\" : 1}");
}

#[test]
fn other_escapes_are_kept() {
    let check = |old: &str, new: &str, expected: &str| {
        let document = document(old);
        let change = TextChange::Replace { node: document.root(), value: new.into() };
        assert_eq!(apply(&document, &[change]), expected, "{old}");
    };
    check(r#""\u0041\/b""#, "A/c", r#""\u0041\/c""#);
    check(r#""a\u0041""#, "bA", r#""b\u0041""#);
    check(r#""\ud83e\udd80!""#, "🦀?", r#""\ud83e\udd80?""#);
    check(r#""\n""#, "\n\"é🦀", r#""\n\"\u00e9\ud83e\udd80""#);
    check(r#""aa\\""#, "a\\", r#""a\\""#);
    check(r#""é""#, "è", r#""è""#);
}
