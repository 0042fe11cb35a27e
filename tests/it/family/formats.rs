//! Which format of which family reads what.

use std::fs;

#[cfg(unix)]
use super::answering;
use serde_json::Value as Json;

use super::{folder, vmconf_in};
#[cfg(unix)]
use crate::support::validator::Validator;
use crate::support::{at_root, files};

/// Cases of which some begin with a list.
const SHIFTED: &str = "machine = 'm'\n[state]\na = 'u8'\n[input]\nextra = '[u8]'\n\
    [[format]]\ncases = '$[*]'\nhas = ['$[0][0]', '$[2]']\n\
    program = { extra = '$[0]', a = '$[1]' }\nexpect = { a = '$[2]' }\n\
    [[format]]\ncases = '$[*]'\nhas = ['$[1]']\n\
    program = { extra = { value = [] }, a = '$[0]' }\nexpect = { a = '$[1]' }\n";

/// Each item of a file is a case of the first format that it fits.
#[test]
#[cfg(unix)]
fn formats_of_the_same_files_read_them_together() {
    let vectors = r#"[["comment"], [1, 2], [[7], 3, 4], [5, 6]]"#;
    let folder = folder(&[("m.toml", SHIFTED), ("m.json", vectors)]);
    let vm = answering(folder.path(), r#"{"a":4}"#);
    let vmconf =
        |args: &[&str]| vmconf_in(folder.path(), &[args, &["m.json", "--family", "./m.toml"]].concat());
    let with_vm = |args: &[&str]| vmconf(&[args, &["--vm", &vm]].concat());

    assert_eq!(vmconf(&["list"]).stdout, "m.json::1\nm.json::2\nm.json::3\n");
    let ran = with_vm(&["run", "--no-group"]);
    assert!(ran.exit == 1 && ran.stdout.contains("1 passed, 2 failed"), "{ran:?}");
    assert!(ran.stdout.contains("m.json:1:19: a") && ran.stdout.contains("m.json:1:40: a"), "{ran:?}");
    let checked = vmconf(&["check"]);
    assert!(checked.stdout.contains("1 item is not a case: without $[1]"), "{checked:?}");
    assert_eq!(vmconf(&["list", "-E", "has(extra/0=7)"]).stdout, "m.json::2\n");

    let schema = vmconf_in(folder.path(), &["schema", "./m.toml"]).stdout;
    let schema = Validator::new(&serde_json::from_str(&schema).unwrap());
    let accepts = |text: &str| schema.accepts(&serde_json::from_str(text).unwrap());
    assert!(accepts(vectors));
    for wrong in ["[[1, 256]]", "[[[7], 3, 256]]", r#"[[["x"], 3, 4]]"#, r#"[["x", 4]]"#] {
        assert!(!accepts(wrong), "{wrong}");
    }

    assert_eq!(with_vm(&["bless", "--yes"]).exit, 0);
    let blessed = fs::read_to_string(folder.path().join("m.json")).unwrap();
    assert_eq!(blessed, vectors.replace("1, 2", "1, 4").replace("5, 6", "5, 4"));
}

/// Folders around each other have the names of families: the innermost one decides, from wherever vmconf runs.
#[test]
fn the_nearest_folder_decides_the_family() {
    let of = |name: &str| {
        fs::read_to_string(at_root(format!("families/vectors/{name}/one-instruction.json"))).unwrap()
    };
    let folder = folder(&[
        ("6502/suite/wdc65c02/v1/00.json", &of("wdc65c02")),
        ("6502/suite/6502/v1/00.json", &of("6502")),
        ("MOS/v1/00.json", &of("6502")),
    ]);
    for (inside, named) in
        [(".", "6502"), ("6502", "suite"), ("6502/suite", "."), ("6502/suite/wdc65c02", "v1")]
    {
        let ran = vmconf_in(&folder.path().join(inside), &["list", "--formats", named]);
        let line = ran.stdout.lines().find(|line| line.contains("v1/00.json") && !line.contains("6502/v1"));
        assert!(line.is_some_and(|line| line.contains("wdc65c02, the first case")), "{inside}: {ran:?}");
        assert!(!ran.stdout.contains("several formats"), "{inside}: {ran:?}");
    }
    let ran = vmconf_in(folder.path(), &["run", "MOS/v1/00.json", "--family", "6502"]);
    assert!(ran.stdout.contains("expected a file with a path like **/6502/**/*.json"), "{ran:?}");
}

/// A family whose globs match a file reads it rather than one that reads files of any name.
#[test]
fn a_family_with_globs_wins_over_one_without() {
    let vectors = fs::read_to_string(at_root("families/vectors/8088/one-instruction.json")).unwrap();
    let shown = fs::read_to_string(at_root("families/8088.toml")).unwrap();
    let own = shown.replacen("\"8088\"", "\"v20\"", 1);
    let own = own.replacen("[format]", "[format]\nfiles = [\"**/v20/**/*.json\"]", 1);
    assert!(own.contains("\"v20\"") && own.contains("**/v20"), "{own}");
    let folder = folder(&[
        ("vmconf.toml", "[family]\nv20 = \"v20.toml\"\n"),
        ("v20.toml", &own),
        ("v20/a/90.json", &vectors),
    ]);
    for (inside, named) in [(".", "v20"), ("v20", "a"), ("v20/a", "90.json")] {
        let ran = vmconf_in(&folder.path().join(inside), &["list", "--formats", named]);
        assert!(ran.stdout.contains("v20, the first case"), "{inside}: {ran:?}");
    }
}

/// Cases of a corpus mostly share their names, which are instructions.
#[test]
fn equal_names_of_a_family_are_one_note() {
    let declaration = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nname = '$.n'\n\
        program = { '*' = '$.b' }\nexpect = { '*' = '$.e' }\n";
    let case = r#"{"n":"nop","b":{"a":1},"e":{"a":1}}"#;
    for (vectors, cases) in
        [(format!("[{case},{case}]"), "1 case"), (format!("[{case},{case},{case}]"), "2 cases")]
    {
        let folder = folder(&[("m.toml", declaration), ("m.json", &vectors)]);
        let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml", "--strict"]);
        assert!(ran.exit == 0 && ran.stdout.contains("0 errors, 0 warnings, 1 note"), "{ran:?}");
        let note = "with the name of an earlier one; the ends of the ids, such as #2, tell them apart";
        // The line is wrapped.
        let shown = ran.stdout.replace("\n  ", " ");
        assert!(shown.contains(&format!("{cases} {note}")), "{ran:?}");
    }
}

/// The first case of a file decides which family reads it; what the others have besides is an error with its place.
#[test]
fn the_first_case_decides_the_family() {
    let first = |family: &str| {
        let file = files(format!("families/vectors/{family}"), "json").remove(0);
        let cases: Vec<Json> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        cases[0].clone()
    };
    // Each has a register that the other one lacks.
    for (families, unknown) in [(["z80", "sm83"], "ime"), (["sm83", "z80"], "i")] {
        let text = Json::from(families.map(first).to_vec()).to_string();
        let folder = folder(&[("mixed.json", &text)]);
        let listed = vmconf_in(folder.path(), &["list", "mixed.json", "--formats"]);
        assert_eq!(listed.stdout, format!("mixed.json: {}, the first case in line 1\n", families[0]));
        let checked = vmconf_in(folder.path(), &["check", "mixed.json"]);
        let error = format!("the member \"{unknown}\" of $.initial is not declared");
        assert!(checked.exit != 0 && checked.stdout.contains(&error), "{families:?}: {checked:?}");
    }
}
