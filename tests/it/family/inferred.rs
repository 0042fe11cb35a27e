//! What `vmconf family init` makes of vectors.

use super::{folder, made_of, vmconf_in};

/// A member beside the states with the name of a datum in them is no second value of the same field.
#[test]
fn a_member_beside_the_states_with_the_name_of_a_field_is_not_read() {
    for (name, case) in [
        ("cycles", r#""initial":{"pc":1,"cycles":0},"final":{"pc":2,"cycles":5},"cycles":[[1,2,"read"]]"#),
        ("opcode", r#""initial":{"pc":1,"opcode":7},"final":{"pc":2},"opcode":1"#),
        ("ports", r#""initial":{"pc":1},"final":{"pc":2,"ports":[]},"ports":[[1,2]]"#),
    ] {
        let made = made_of(&format!(r#"[{{"name":"a","initial":{{}},"final":{{}}}},{{"name":"b",{case}}}]"#));
        let comment =
            format!("# uncertain: not read: $.{name}, which has the name of a datum before or after");
        assert!(made.contains(&comment) && !made.contains(&format!("\"$.{name}\"")), "{made}");
    }
}

/// Vectors with cases that have no state after are told: a machine may have to refuse these.
#[test]
fn items_with_one_of_the_two_states_are_counted() {
    let vectors = r#"[{"name":"a","initial":{"x":1},"error":"trap"},{"name":"b","initial":{"x":1},"final":{"x":2}},
                      {"name":"c","final":{"x":2}},{"name":"d","initial":{"x":1}},{"comment":"no case"}]"#;
    let folder = folder(&[("m.json", vectors)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    for line in
        ["2 of 5 items have no $.final and are not read", "1 of 5 items have no $.initial and are not read"]
    {
        assert!(made.stdout.contains(&format!("\n# uncertain: {line}\n")), "{made:?}");
        assert!(made.stderr.contains(&format!("note: {line}\n")), "{made:?}");
    }
    assert!(!made_of(r#"[{"initial":{"x":1},"final":{"x":2}}]"#).contains("not read"));
}

/// What was not looked at is said.
#[test]
fn only_the_first_cases_are_looked_at() {
    let case = r#"{"initial":{"x":1},"final":{"x":2}}"#;
    let folder = folder(&[("m.json", &format!("[{case}{}]", format!(",{case}").repeat(100_000)))]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(made.stderr.contains("note: only the first 100000 of 100001 cases are looked at"), "{made:?}");
}

/// A machine is named like its file, compressed or not.
#[test]
fn a_compressed_file_names_the_machine() {
    let folder = folder(&[("acc.json", r#"[{"initial":{"x":1},"final":{"x":2}}]"#)]);
    let path = folder.path().join("acc.json");
    let compressed = std::process::Command::new("gzip").arg(&path).status();
    if !compressed.is_ok_and(|status| status.success()) {
        return;
    }
    let made = vmconf_in(folder.path(), &["family", "init", "acc.json.gz"]);
    assert!(made.exit == 0 && made.stdout.contains("machine  = \"acc\"\n"), "{made:?}");
}

/// The line of the field `v` in what is made of cases with these values of it, before and after alike.
fn line_of(values: &[&str]) -> String {
    let case = |value: &&str| format!(r#"{{"initial":{{"v":{value}}},"final":{{"v":{value}}}}}"#);
    let made = made_of(&format!("[{}]", values.iter().map(case).collect::<Vec<_>>().join(",")));
    made.lines().find(|line| line.starts_with("v = ")).unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// Each notation that `memory` reads is one of a memory, and what the values do not say about its widths is said.
#[test]
fn memories_are_recognised_in_each_notation() {
    const SURE: &str = "v = \"memory<u16, u8>\"";
    const SMALL: &str = "v = \"memory<u8, u8>\" # uncertain: the largest address is 1; the largest cell is 2";
    let wide = "v = \"memory<u16, u16>\" # uncertain: perhaps a list of pairs";
    for (values, line) in [
        (&["[[60000,200],[512,3]]", "[]"][..], SURE),
        (&[r#"[["0xea60","0xc8"],["0x0200","0x03"]]"#], SURE),
        (&[r#"[["60000","200"]]"#], SURE),
        (&["[[60000,50000],[512,3]]"], wide),
        (&[r#"{"60000":200,"512":3}"#, r#"{"7":1}"#], SURE),
        (&[r#"{"0xea60":"0xc8"}"#, r#"{"0x7":1}"#], SURE),
        (&[r#"{"60000":200}"#], "v = \"memory<u16, u8>\" # uncertain: perhaps a table"),
        (&[r#"[{"address":60000,"contents":[1,200]}]"#], SURE),
        (&[r#"[{"address":60000,"contents":"0x01c8"}]"#, r#"[{"address":7,"contents":"01C8"}]"#], SURE),
        // The last address
        (
            &[r#"[{"address":255,"data":"0xc8c8"}]"#],
            "v = \"memory<u16, u8>\" # uncertain: the largest address is 256",
        ),
        (&["[[1,2]]"], SMALL),
        // No memory: an address twice, and keys that are no numbers
        (&["[[1,2],[1,3]]"], "v = \"[(u8, u8)]\" # uncertain"),
        (&[r#"{"a":1,"7":1}"#], "v = { a = "),
    ] {
        let found = line_of(values);
        let is_it = if line == SURE { found == line } else { found.starts_with(line) };
        assert!(is_it, "{values:?}: {found}");
    }
}

/// A pair of numbers beside the states is rather what happened than a cell.
#[test]
fn pairs_beside_the_states_are_not_memory() {
    let made = made_of(r#"[{"initial":{"x":1},"final":{"x":2},"log":[[60000,50000],[512,3]]}]"#);
    assert!(made.contains("log = \"[(u16, u16)]\" # uncertain: perhaps memory<u16, u16>"), "{made}");
}

/// A number may be written in each notation of its type.
#[test]
fn numbers_are_recognised_in_each_notation() {
    for (values, line) in [
        (&["200", r#""7""#, r#""0x08""#][..], "v = \"u8\""),
        (&[r#""12""#, r#""7""#], "v = \"text\" # uncertain: decimal digits: perhaps a number"),
        (&[r#""-5""#, r#""7""#], "v = \"text\" # uncertain: decimal digits: perhaps a number"),
        (&[r#""a5""#, r#""12""#], "v = \"text\" # uncertain: hex digits without 0x: perhaps bytes"),
        (&[r#""a5""#, r#""ff""#], "v = \"text\" # uncertain: hex digits without 0x: perhaps bytes"),
        (&[r#""add""#, r#""12""#], "v = \"text\""),
        (&["7", r#""halt""#], "v = \"json\" # uncertain: values of several kinds"),
        (&["1.5", "2"], "v = \"json\" # uncertain: numbers with fractions"),
    ] {
        assert_eq!(line_of(values), line, "{values:?}");
    }
}

/// What is about a case is no result of the machine, which a comment says.
#[test]
fn members_about_the_case_have_a_comment() {
    let more = r#""hash":"ab","idx":7,"_info":{"a":1},"description":"d","cycles":3"#;
    let made = made_of(&format!(r#"[{{"name":"a","initial":{{"x":1}},"final":{{"x":2}},{more}}}]"#));
    let comment = "_info, description, hash, idx: perhaps only about the case";
    assert!(made.contains(comment) && !made.contains("cycles, "), "{made}");
}

/// Of several pairs, the objects with most in common are the states: an input is given, an output demanded.
#[test]
fn the_states_have_most_in_common() {
    let made = made_of(
        r#"[{"input":{"slot":1},"pre_state":{"tau":0,"eta":2},"output":{"ok":5},"post_state":{"tau":1,"eta":2}}]"#,
    );
    for line in [
        "has = [\"$.pre_state\", \"$.post_state\"]",
        "program = { \"*\" = \"$.pre_state\", input = \"$.input\" }",
        "expect = { \"*\" = \"$.post_state\", output = \"$.output\" }",
    ] {
        assert!(made.contains(line), "{line}: {made}");
    }
    assert!(!made.contains("optional"), "{made}");
}

/// What is neither a result nor about the case by its name may be an input, which a comment says.
#[test]
fn a_member_with_an_unclear_name_has_a_comment() {
    let more = r#""base_addr":4,"opcode":1,"wait":7,"cycles":3"#;
    let made = made_of(&format!(r#"[{{"initial":{{"x":1}},"final":{{"x":2}},{more}}}]"#));
    assert!(made.contains("base_addr = \"$.base_addr\", opcode = \"$.opcode\" }"), "{made}");
    assert!(made.contains("# uncertain: wait: perhaps given to the machine"), "{made}");
}
