//! Expectations that machines of a family fill in, and demands that only the declaration makes.

use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{answering, declaration, folder, vmconf_in};
use crate::support::Ran;

/// Runs a command on `m.json` with the declaration `m.toml` and one machine twice, as two of different names.
fn with_two(folder: &Path, command: &str, vm: &str, args: &[&str]) -> Ran {
    let (_, program) = vm.split_once('=').unwrap();
    let other = format!("other={program}");
    let all = [command, "m.json", "--family", "./m.toml", "--vm", vm, "--vm", &other];
    vmconf_in(folder, &[&all, args].concat())
}

fn text(folder: &TempDir) -> String {
    std::fs::read_to_string(folder.path().join("m.json")).unwrap()
}

fn vectors(folder: &TempDir) -> Json {
    serde_json::from_str(&text(folder)).unwrap()
}

/// The values are what the machine answers, in the notation of what the case gives, where it gives something.
#[test]
fn machines_that_agree_fill_each_type() {
    const STATE: &str = "n = 'u8'\nwide = 'u256'\nlow = 'i8'\nflag = 'bool'\nword = 'text'\ncode = 'bytes'\n\
                         packed = 'base64'\nmaybe = 'u8?'\nnone = 'u8?'\nlist = '[u8]'\nthree = '[u8; 3]'\n\
                         pair = '(u8, text)'\ntable = { a = 'u8', b = { c = 'bool' } }\nnames = 'map<text, u8>'\n\
                         ram = 'memory<u16, u8>'\nfresh = 'memory<u16, u8>'\nany = 'json'";
    let given = r#"{"n": "0x01", "ram": [[1, 2], [3, 4]]}"#;
    let old = format!(r#"[{{"b": {given}, "e": {{}}}}]"#);
    let folder = folder(&[("m.toml", &declaration(STATE)), ("m.json", &old)]);
    let vm = answering(
        folder.path(),
        r#"{"n":"0x2a","wide":"0x10000000000000000","low":"-0x2","flag":true,"word":"w","code":"0x0a","packed":"0x0002","maybe":"0x7","none":null,"list":["0x1","0x2"],"three":["0x1","0x0","0x3"],"pair":["0x5","p"],"table":{"a":"0x6","b":{"c":true}},"names":{"k":"0x8"},"ram":[["0x1","0x9"],["0x3","0x4"]],"fresh":[["0x10","0x1"]],"any":{"x":[1.5]}}"#,
    );
    let check = with_two(folder.path(), "fill", &vm, &["--check"]);
    assert_eq!((check.exit, text(&folder)), (1, old), "{check:?}");
    let ran = with_two(folder.path(), "fill", &vm, &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let expected = json!({
        "n": "0x2a", "wide": "0x10000000000000000", "low": -2, "flag": true, "word": "w", "code": "0x0a",
        "packed": "AAI=", "maybe": 7, "none": null, "list": [1, 2], "three": [1, 0, 3], "pair": [5, "p"],
        "table": {"a": 6, "b": {"c": true}}, "names": {"k": 8}, "ram": [[1, 9], [3, 4]], "fresh": [[16, 1]],
        "any": {"x": [1.5]},
    });
    assert_eq!(vectors(&folder)[0]["e"], expected, "{ran:?}");
    let filled = text(&folder);
    let again = with_two(folder.path(), "fill", &vm, &[]);
    assert_eq!((again.exit, text(&folder)), (0, filled), "{again:?}");
    assert!(again.stdout.starts_with("0 filled, 1 up to date"), "{again:?}");
}

/// Paths lead through objects that the case does not have, and several fields lie in one of them.
#[test]
fn objects_on_the_way_to_a_field_are_added() {
    const DECLARATION: &str = "machine = 'm'\n[state]\nx = 'u8'\ny = 'u8'\nz = 'u8'\n[format]\ncases = '$[*]'\n\
                               expect = { x = '$.e.deep.x', y = '$.e.deep.y', z = '$.list[0].z' }\n";
    let folder = folder(&[("m.toml", DECLARATION), ("m.json", r#"[{"name": 1, "e": {"deep": 2}}, {}]"#)]);
    let vm = answering(folder.path(), r#"{"x":"0x1","y":"0x2","z":"0x3"}"#);
    let ran = with_two(folder.path(), "fill", &vm, &[]);
    // A number has no place for a member.
    let list = json!([{"z": 3}]);
    assert_eq!(
        vectors(&folder),
        json!([{"name": 1, "e": {"deep": 2}, "list": list}, {"e": {"deep": {"x": 1, "y": 2}}, "list": list}]),
        "{ran:?}"
    );
}

/// Of two fields in an object that is added, one is not reported: it is not made up.
#[test]
fn fields_that_are_not_compared_are_not_filled_beside_others() {
    const DECLARATION: &str = "machine = 'm'\noptional = ['y', 'z']\n[state]\nx = 'u8'\ny = 'u8'\nz = 'u8'\n\
                               [format]\ncases = '$[*]'\nexpect = { x = '$.e.deep.x', y = '$.e.deep.y', \
                               z = '$.e.other.z' }\n";
    let folder = folder(&[("m.toml", DECLARATION), ("m.json", "[{}]")]);
    let vm = answering(folder.path(), r#"{"x":"0x1"}"#);
    let bless = ["bless", "m.json", "--fill", "--yes", "--family", "./m.toml", "--vm", &vm];
    let ran = vmconf_in(folder.path(), &bless);
    assert_eq!((ran.exit, vectors(&folder)), (0, json!([{"e": {"deep": {"x": 1}}}])), "{ran:?}");
}

#[test]
fn each_step_of_a_case_is_filled() {
    const DECLARATION: &str = "machine = 'm'\n[state]\nx = 'u8'\n[format]\ncases = '$[*]'\nsteps = '$.steps[*]'\n\
                               [format.step]\nexpect = { x = '$.x' }\n";
    let folder =
        folder(&[("m.toml", DECLARATION), ("m.json", r#"[{"steps": [{}]}, {"steps": [{"x": 3}]}]"#)]);
    let vm = answering(folder.path(), r#"{"x":"0x3"}"#);
    let ran = with_two(folder.path(), "fill", &vm, &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(vectors(&folder), json!([{"steps": [{"x": 3}]}, {"steps": [{"x": 3}]}]));
}

/// A value that was not compared is not known to be right.
#[test]
fn fields_that_are_not_compared_are_not_filled() {
    let optional = format!("optional = ['b']\n{}", declaration("a = 'u8'\nb = 'u8'\nc = 'u8'\nd = 'u8'"));
    let vectors_before = r#"[{"b": {"a": 1, "b": 2, "c": 3, "d": 4}, "e": {}}]"#;
    let folder = folder(&[("m.toml", &optional), ("m.json", vectors_before)]);
    // b may be missing, c must not be.
    let vm = answering(folder.path(), r#"{"a":"0x9","d":"0x6"}"#);
    let ran = with_two(folder.path(), "fill", &vm, &["--ignore", "d:0x0f"]);
    assert_eq!((ran.exit, &vectors(&folder)[0]["e"]), (0, &json!({"a": 9})), "{ran:?}");
    std::fs::write(folder.path().join("m.json"), vectors_before).unwrap();
    let bless = ["bless", "m.json", "--fill", "--yes", "--family", "./m.toml", "--vm", &vm, "--ignore", "a"];
    let ran = vmconf_in(folder.path(), &bless);
    assert_eq!((ran.exit, &vectors(&folder)[0]["e"]), (0, &json!({"d": 6})), "{ran:?}");
}

/// A constant is no part of a case; a value for cases that say nothing can be written there.
#[test]
fn demands_of_the_declaration_are_not_written_over_a_case() {
    const DECLARATION: &str = "machine = 'm'\n[state]\nok = 'bool'\nx = 'u8'\nports = '[u8]'\n[format]\n\
                               cases = '$[*]'\nhas = ['$.e']\nexpect = { ok = { value = true }, x = '$.e.x', \
                               ports = { at = '$.io.ports', absent = [] } }\n";
    let folder = folder(&[("m.toml", DECLARATION), ("m.json", r#"[{"e": {"x": 1}}]"#)]);
    let vm = answering(folder.path(), r#"{"ok":false,"x":"0x2","ports":["0x5"]}"#);
    let bless = ["bless", "m.json", "--yes", "--family", "./m.toml", "--vm", &vm];
    let ran = vmconf_in(folder.path(), &bless);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.stderr.contains("ok: each case demands it, as the declaration says"), "{ran:?}");
    assert_eq!(vectors(&folder), json!([{"e": {"x": 2}, "io": {"ports": [5]}}]), "{ran:?}");
}

/// Blesses one case of a machine `m` with this state, and returns what it demands then.
fn blessed(state: &str, case: &str, answer: &str) -> Json {
    let folder = folder(&[("m.toml", &declaration(state)), ("m.json", &format!("[{case}]"))]);
    let vm = answering(folder.path(), answer);
    let ran = vmconf_in(folder.path(), &["bless", "m.json", "--yes", "--family", "./m.toml", "--vm", &vm]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    vectors(&folder)[0]["e"]["s"].clone()
}

/// A cell that was given and is not listed must stay as it was; the one that changed is listed then, in each notation.
#[test]
fn cells_that_are_not_listed_are_added() {
    let state = "s = 'memory<u16, u8>'";
    let answer = r#"{"s":[["0x1","0x2"],["0x10","0x8"]]}"#;
    let blessed = |memory: &str| {
        let case = format!(r#"{{"b": {{"s": [[1, 2], [16, 9]]}}, "e": {{"s": {memory}}}}}"#);
        blessed(state, &case, answer)
    };
    assert_eq!(blessed("[[1, 2]]"), json!([[1, 2], [16, 8]]));
    assert_eq!(blessed("[]"), json!([[16, 8]]));
    assert_eq!(blessed(r#"{"0x1": 2}"#), json!({"0x1": 2, "0x10": 8}));
    assert_eq!(blessed(r#"{"1": 2}"#), json!({"1": 2, "16": 8}));
    let chunk = |address: u8, byte: u8| json!({"address": address, "contents": [byte]});
    assert_eq!(blessed(&json!([chunk(1, 2)]).to_string()), json!([chunk(1, 2), chunk(16, 8)]));
    assert_eq!(blessed("[[1, 2], [16, 9]]"), json!([[1, 2], [16, 8]]));
}

/// A cell that a machine does not report is 0.
#[test]
fn a_cell_that_is_cleared_is_written_as_zero() {
    let case = r#"{"b": {"s": [[1, 2]]}, "e": {"s": [[1, 2]]}}"#;
    assert_eq!(blessed("s = 'memory<u16, u8>'", case, r#"{"s":[]}"#), json!([[1, 0]]));
}

/// Bits that are not compared stay, and so do keys in their notation; JSON is written as it is.
#[test]
fn only_what_is_wrong_is_written() {
    let masked = "s = { type = 'u8', mask = '0xd7' }";
    // 41 is 0x29, and 169 is 0xa9: bits 3 and 5 are not compared.
    assert_eq!(blessed(masked, r#"{"b": {"s": 0}, "e": {"s": 41}}"#, r#"{"s":"0xa9"}"#), json!(169));
    assert_eq!(blessed(masked, r#"{"b": {"s": 0}, "e": {"s": 41}}"#, r#"{"s":"0x81"}"#), json!(169));
    let map = blessed(
        "s = 'map<u8, u8>'",
        r#"{"b": {}, "e": {"s": {"1": 1, "3": 3}}}"#,
        r#"{"s":{"0x1":"0x1","0x2":"0x0"}}"#,
    );
    assert_eq!(map, json!({"1": 1, "2": 0}));
    assert_eq!(blessed("s = 'json'", r#"{"b": {}, "e": {"s": "1"}}"#, r#"{"s":1}"#), json!(1));
    assert_eq!(blessed("s = 'json'", r#"{"b": {}, "e": {"s": 1}}"#, r#"{"s":1.5}"#), json!(1.5));
    assert_eq!(
        blessed("s = 'json'", r#"{"b": {}, "e": {"s": [1]}}"#, r#"{"s":{"a":["x"]}}"#),
        json!({"a": ["x"]})
    );
    let memories =
        blessed("s = '[memory<u8, u8>]'", r#"{"b": {}, "e": {"s": []}}"#, r#"{"s":[[["0x1","0x2"]],[]]}"#);
    assert_eq!(memories, json!([[[1, 2]], []]));
}

/// What is written has the notation of what is there, in lists of another length and in tuples, too.
#[test]
fn what_is_written_has_the_notation_of_what_is_there() {
    let demanded = |state: &str, old: &str, answer: &str| {
        blessed(state, &format!(r#"{{"b": {{}}, "e": {{"s": {old}}}}}"#), &format!(r#"{{"s":{answer}}}"#))
    };
    let answer = r#"["0x7","0x8","0x9"]"#;
    assert_eq!(demanded("s = '[u8]'", r#"["0x01", 2]"#, answer), json!(["0x07", 8, 9]));
    assert_eq!(demanded("s = '[u8]'", r#"["0x01"]"#, answer), json!(["0x07", "0x08", "0x09"]));
    assert_eq!(demanded("s = '(u8, u8, u8)'", r#"["0x01", 2, "3"]"#, answer), json!(["0x07", 8, "9"]));
    assert_eq!(
        demanded("s = '[(u8, text)]'", r#"[["0x01", "a"]]"#, r#"[["0x7","b"],["0x8","c"]]"#),
        json!([["0x07", "b"], ["0x08", "c"]])
    );
    assert_eq!(
        demanded("s = [{ x = 'u8' }]", r#"[{"x": "0x01"}]"#, r#"[{"x":"0x7"},{"x":"0x8"}]"#),
        json!([{"x": "0x07"}, {"x": "0x08"}])
    );
    assert_eq!(
        demanded("s = 'memory<u16, u8>'", r#"[["0x0001", "0x02"]]"#, "[[1,2],[16,8]]"),
        json!([["0x0001", "0x02"], ["0x0010", "0x08"]])
    );
}

/// Bytes that lie in a text are not written one by one, and the reason says so.
#[test]
fn contents_of_hex_digits_are_not_written() {
    let state = "s = 'memory<u16, u8>'";
    for (answer, why) in [
        ("[[1,2],[2,9]]", "a byte of contents that are hex digits"),
        ("[[1,2],[2,3],[16,8]]", "a cell that is not listed, beside contents that are hex digits"),
    ] {
        let vectors = r#"[{"b": {}, "e": {"s": [{"address": 1, "contents": "0x0203"}]}}]"#;
        let folder = folder(&[("m.toml", &declaration(state)), ("m.json", vectors)]);
        let vm = answering(folder.path(), &format!(r#"{{"s":{answer}}}"#));
        let ran =
            vmconf_in(folder.path(), &["bless", "m.json", "--yes", "--family", "./m.toml", "--vm", &vm]);
        assert!(ran.exit == 1 && ran.stderr.contains(why), "{answer}: {ran:?}");
        assert_eq!(text(&folder), vectors);
    }
}

/// Of a field that some machine does not report, the others have no say, and what the case demands of it stays.
#[test]
fn machines_agree_on_what_all_report() {
    let folder = folder(&[
        ("m.toml", &format!("optional = ['f']\n{}", declaration("a = 'u8'\nf = 'u8'"))),
        ("m.json", r#"[{"b": {}, "e": {"a": 1, "f": 2}}, {"b": {}, "e": {}}]"#),
        ("other.json", ""),
    ]);
    let all = answering(folder.path(), r#"{"a":"0x7","f":"0x9"}"#);
    let all = all.replace("c=", "all=").replace("machine.sh", "all.sh");
    std::fs::rename(folder.path().join("machine.sh"), folder.path().join("all.sh")).unwrap();
    let some = answering(folder.path(), r#"{"a":"0x7"}"#);
    let args = ["fill", "m.json", "--family", "./m.toml", "--vm", &all, "--vm", &some, "--replace"];
    let ran = vmconf_in(folder.path(), &args);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(vectors(&folder), json!([{"b": {}, "e": {"a": 7, "f": 2}}, {"b": {}, "e": {"a": 7}}]));
}

/// A field that a case does not list, and of which a part changed, is listed as it was given, but for that part.
#[test]
fn fields_that_are_not_listed_are_added() {
    let state = "s = '[u8]'\nt = { a = 'u8', b = 'u8' }\nm = 'map<u8, u8>'\nr = 'memory<u8, u8>'\np = 'u8'";
    let declared = format!(
        "machine = 'm'\n[state]\n{state}\n[format]\ncases = '$[*]'\nprogram = {{ '*' = '$.b' }}\n\
         expect = {{ '*' = {{ at = '$.e', unlisted = 'unchanged' }} }}\n"
    );
    let answer = r#"{"s":[1,3],"t":{"a":1,"b":3},"m":{"1":1,"2":3,"4":5},"r":[[1,5],[2,2]],"p":1}"#;
    for (field, given, demanded) in [
        ("s", json!([1, 2]), json!([1, 3])),
        ("t", json!({"a": 1, "b": 2}), json!({"a": 1, "b": 3})),
        ("m", json!({"1": 1, "2": 2, "3": 4}), json!({"1": 1, "2": 3, "4": 5})),
        ("r", json!([[1, 1], [2, 2]]), json!([[1, 5], [2, 2]])),
    ] {
        let case = json!([{"b": {field: given}, "e": {"p": 1}}]).to_string();
        let folder = folder(&[("m.toml", &declared), ("m.json", &case)]);
        let vm = answering(folder.path(), answer);
        let ran =
            vmconf_in(folder.path(), &["bless", "m.json", "--yes", "--family", "./m.toml", "--vm", &vm]);
        assert_eq!(ran.exit, 0, "{field}: {ran:?}");
        assert_eq!(vectors(&folder)[0]["e"], json!({"p": 1, field: demanded}), "{ran:?}");
    }
}
