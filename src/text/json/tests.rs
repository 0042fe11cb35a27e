use super::{Document, JsonDatum, JsonNode, quoted};

fn parse(text: &str) -> Document {
    Document::parse(text.to_owned(), 8).unwrap_or_else(|(_, diagnostic)| panic!("{text}: {diagnostic}"))
}

#[test]
fn errors_have_a_position_and_a_reason() {
    fn check(text: &str, at: u32, what: &str) {
        let diagnostic = Document::parse(text.to_owned(), 8).expect_err(text).1;
        assert_eq!((diagnostic.place.0, &*diagnostic.what), (at, what), "{text}");
    }
    check("", 0, "the file ends here");
    check("\u{feff} ", 4, "the file ends here");
    check("[1,", 3, "the file ends here");
    check("[1 2]", 3, "unexpected '2'");
    check("[,1]", 1, "unexpected ','");
    check("[1,,]", 3, "unexpected ','");
    check("{\"a\" 1}", 5, "unexpected '1'");
    check("{1: 2}", 1, "unexpected '1'");
    check("[1}", 2, "unexpected '}'");
    check("[] []", 3, "unexpected '['");
    check("tru", 0, "unexpected 't'");
    check("/ 1", 0, "unexpected '/'");
    check("/* 1", 0, "this comment has no end");
    check("1 /*/", 2, "this comment has no end");
    check("[01]", 1, "a number starts with 0");
    check("-01", 1, "a number starts with 0");
    check("[-]", 2, "malformed number");
    check("1.", 2, "malformed number");
    check("1e+", 3, "malformed number");
    check("[\"ab", 1, "this string has no end");
    check("\"\\", 1, "wrong escape in a string");
    check("\"ab\\x\"", 3, "wrong escape in a string");
    check("\"\\u12\"", 1, "wrong escape in a string");
    check("\"\\ud800\"", 1, "half of a surrogate pair in a string");
    check("\"\\ud800\\u0041\"", 1, "half of a surrogate pair in a string");
    check("\"\\ud83e__dd80\"", 1, "half of a surrogate pair in a string");
    check("\"\\udc00\"", 1, "half of a surrogate pair in a string");
    check("\"a\tb\"", 2, "control character in a string");
    check("[[[[[[[[[", 8, "too many nested arrays and objects");
    check("[[[[[[[[{", 8, "too many nested arrays and objects");
}

#[test]
fn deviations_from_json_are_read_and_recorded() {
    fn check(text: &str, deviations: &[(u32, &str)]) {
        let document = parse(text);
        let diagnostics: Vec<_> =
            document.deviations().iter().map(|deviation| deviation.diagnostic(&document)).collect();
        let found: Vec<_> =
            diagnostics.iter().map(|diagnostic| (diagnostic.place.0, &*diagnostic.what)).collect();
        assert_eq!(found, deviations, "{text}");
    }
    check("\u{feff}{}", &[]);
    check("// one\n[1] /* two */ // three", &[(0, "comment"), (11, "comment"), (21, "comment")]);
    check("[1,]", &[(2, "comma before a closing bracket")]);
    check("{\"a\": [], }", &[(8, "comma before a closing bracket")]);
    check("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", &[(17, "key \"a\" is duplicated in this object")]);
    check("{\"a\": {\"a\": 1}}", &[]);
    check("{\"\": 1, \"\": 2, \"\\/\": 3}", &[(8, "key \"\" is duplicated in this object")]);
    let many: Vec<_> = (0..20).chain([13]).map(|key| format!("\"{key:02}\":1")).collect();
    check(&format!("{{{}}}", many.join(",")), &[(141, "key \"13\" is duplicated in this object")]);
}

/// Columns are in characters, from the quote on. Those of escapes are not those of the string.
#[test]
fn a_column_of_a_string_has_a_place_unless_it_has_escapes() {
    let document = parse("[\"éab\", \"\\u00e9ab\"]");
    let [plain, escaped] = document.root().items().collect::<Vec<_>>()[..] else { panic!("two strings") };
    assert_eq!([0, 1, 2, 3].map(|column| plain.at_column(column)), [1, 2, 4, 5]);
    assert_eq!([1, 3].map(|column| escaped.at_column(column)), [escaped.at(); 2]);
}

#[test]
fn the_last_of_equal_members_counts() {
    let document = parse("{\"a\": 1, \"a\": 2}");
    assert_eq!(document.root().member("a").map(JsonNode::raw), Some("2"));
    assert_eq!(document.root().members().count(), 2);
    assert!(document.root().member("b").is_none());
}

#[test]
fn scalars_have_no_items_and_no_members() {
    for text in ["1", "\"a\"", "null", "true"] {
        let document = parse(text);
        assert_eq!((document.root().items().count(), document.root().members().count()), (0, 0), "{text}");
    }
    let document = parse("[{\"a\": 1}, [2]]");
    assert_eq!((document.root().items().count(), document.root().members().count()), (2, 0));
    let object = document.root().items().next().expect("an item");
    assert_eq!((object.items().count(), object.members().count()), (0, 1));
}

#[test]
fn numbers_and_strings_keep_their_value() {
    let document = parse("[1e400, 123456789012345678901234567890, -0.0, \"\\ud83e\\udd80\\n\\/\"]");
    let data: Vec<_> = document.root().items().map(JsonNode::datum).collect();
    let [JsonDatum::Number(a), JsonDatum::Number(b), JsonDatum::Number(c), JsonDatum::Text(text)] = &data[..]
    else {
        panic!("{data:?}")
    };
    assert_eq!((*a, *b, *c, &**text), ("1e400", "123456789012345678901234567890", "-0.0", "\u{1f980}\n/"));
}

#[test]
fn quoted_text_is_harmless_and_short() {
    assert_eq!(quoted("a\"\u{1b}\u{202e}\n"), r#""a\"\u{1b}\u{202e}\n""#);
    assert_eq!(quoted(&"x".repeat(60)).chars().count(), 62);
    assert_eq!(quoted(&"\u{e4}".repeat(61)), format!("\"{}\"\u{2026} (122 bytes)", "\u{e4}".repeat(60)));
}

#[test]
fn the_data_around_a_byte() {
    // As found by a search from the root.
    fn searched(document: &Document, at: usize) -> Vec<JsonNode<'_>> {
        let mut found = Vec::new();
        let mut inner = Some(document.root()).filter(|node| node.range().contains(&at));
        while let Some(node) = inner {
            found.push(node);
            let inside = node.items().chain(node.members().map(|member| member.value));
            inner = inside.into_iter().find(|node| node.range().contains(&at));
        }
        found
    }
    for text in [
        " 1 ",
        "{}",
        "[]",
        "{\"a\": {\"b\": [1, \"two\", {}], \"c\": {\"d\": \"e\"}}, \"f\": \"g\"}",
        "[[], [[1], {\"a\": [], \"b\": \"c\"}], \"x\"] ",
    ] {
        let document = parse(text);
        for at in 0..=text.len() {
            assert_eq!(document.around(at as u32), searched(&document, at), "byte {at} of {text}");
        }
    }
}

/// Strings and indentation are read several bytes at a time.
#[test]
fn strings_and_indentation_of_any_length() {
    for length in 0..20 {
        let filler: String = "é!#\u{7f}€[]~😀 ".chars().cycle().take(length).collect();
        let spaces = " ".repeat(length);
        let text = format!("[\n{spaces}\"{filler}\",\n{spaces}\"{filler}\\n\"]");
        let document = parse(&text);
        let texts: Vec<_> = document.root().items().map(|item| item.text().expect("a string")).collect();
        assert_eq!(texts, [filler.clone(), format!("{filler}\n")]);
        for control in ['\0', '\n', '\u{1f}'] {
            let (_, diagnostic) =
                Document::parse(format!("\"{filler}{control}\""), 8).expect_err("a control character");
            assert_eq!(diagnostic.place.0, 1 + filler.len() as u32, "{diagnostic}");
            assert_eq!(diagnostic.what, "control character in a string");
        }
        let (_, diagnostic) = Document::parse(format!("\"{filler}\n"), 8).expect_err("no end");
        assert_eq!((diagnostic.place.0, &*diagnostic.what), (0, "this string has no end"));
    }
}
