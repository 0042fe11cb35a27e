//! Families: declarations, the types of their fields, and the published corpora of the built-in ones.

#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod compared;
#[cfg(unix)]
mod filled;
mod formats;
mod inferred;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value as Json};
use tempfile::TempDir;
use vmconf::formats::FormatOptions;
use vmconf::formats::family::{BUILT_IN, Declaration, Family, infer};
use vmconf::model::{FieldOptions, MemberShape, PathKey, Shape};
use vmconf::text::json::{Document, JsonNode};

use crate::support::skip::{has_python, suites};
use crate::support::validator::Validator;
use crate::support::{self, Ran, at_root, config, files, golden, vmconf};

/// Runs a command on the family toy, on the machine that reports what it is given.
fn toy(command: &str, file: &str, more: &[&str]) -> Ran {
    let echo = "echo=sh ./tests/testees/echo.sh";
    let path = format!("tests/families/{file}");
    vmconf(&[&[command, &path, "--family", "tests/families/toy.toml", "--vm", echo], more].concat())
}

/// Runs a command in a folder.
fn vmconf_in(folder: &Path, args: &[&str]) -> Ran {
    support::ran(support::command(args).current_dir(folder).output().unwrap())
}

#[test]
fn check_of_a_name_says_where_its_declaration_is() {
    let ran = vmconf(&["family", "check", "sm83"]);
    assert!(ran.stderr.contains("vmconf family show sm83 prints the built-in one"), "{}", ran.stderr);
}

/// The part of an output that does not depend on the clock or on the folder of the tests.
fn stable(text: &str) -> String {
    let root = at_root("").display().to_string();
    let text = text.replace(root.trim_end_matches('/'), ".");
    let line = |line: &str| line.split(" in 0.").next().unwrap_or_default().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
#[cfg(unix)]
fn every_notation_of_a_type_is_read() {
    let ran = toy("run", "types.json", &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    golden::file("family-types", &stable(&ran.stdout));
}

#[test]
#[cfg(unix)]
fn every_difference_of_a_type_is_shown() {
    let ran = toy("run", "wrong.json", &["--no-group"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    golden::file("family-wrong", &stable(&ran.stdout));
}

/// What the failing cases have in common in the state before is said, and the passing ones do not have it.
#[test]
#[cfg(unix)]
fn failures_with_a_common_flag_are_one_group() {
    let ran = toy("run", "common.json", &[]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    golden::file("family-common", &stable(&ran.stdout));
    let report = toy("run", "wrong.json", &["--report", "json"]);
    let states = report.stdout.lines().filter_map(|line| {
        let line: Json = serde_json::from_str(&line.replace("TIME", "0")).unwrap();
        Some(format!("{}: {}", line["id"].as_str()?, line.get("state")?))
    });
    golden::file("family-states", &states.collect::<Vec<_>>().join("\n"));
}

/// Three faults in operations that are texts of the program: one fails always, one under a condition, and one in some of
/// its cases, which nothing but the operation separates.
#[test]
#[cfg(unix)]
fn failures_with_a_common_text_are_one_group() {
    if !has_python() {
        return;
    }
    let machine = "calculator=python3 ./tests/testees/calculator.py";
    let family = ["--family", "tests/families/calculator.toml", "--vm", machine];
    let ran = vmconf(&[&["suspects", "tests/families/calculator.json"], &family[..]].concat());
    assert_eq!(ran.exit, 1, "{ran:?}");
    // The cases that the faults of the machine concern, counted in the vectors.
    let vectors = std::fs::read_to_string(at_root("tests/families/calculator.json")).unwrap();
    let cases: Vec<Json> = serde_json::from_str(&vectors).unwrap();
    let count = |op: &str, is_wrong: fn(i64, i64) -> bool| {
        let programs = cases.iter().map(|case| &case["program"]).filter(|program| program["op"] == op);
        programs.filter(|it| is_wrong(it["a"].as_i64().unwrap(), it["b"].as_i64().unwrap())).count()
    };
    let sub = count("sub", |a, b| a != b);
    let shl = count("shl", |a, b| a != 0 && b > 3);
    let min = count("min", |a, b| a < 0 && b < 0 && a != b);
    let head = format!(
        "{} failures, 3 suspects: program/op sub ({sub}), program/op shl ({shl}), program/op min ({min})\n",
        sub + shl + min
    );
    assert!(ran.stdout.starts_with(&head), "{head}{}", ran.stdout);
    golden::file("family-common-texts", &stable(&ran.stdout));
}

#[test]
#[cfg(unix)]
fn what_is_malformed_is_located() {
    let ran = toy("run", "malformed.json", &["--no-group"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    golden::file("family-malformed", &stable(&ran.stdout));
}

/// What is ignored is not compared, and the report says so.
#[test]
#[cfg(unix)]
fn ignored_fields_are_not_compared() {
    let run = |ignore: &[&str]| {
        let args: Vec<_> = ignore.iter().flat_map(|field| ["--ignore", field]).collect();
        toy("run", "wrong.json", &[&["-f", "flags"], &args[..]].concat())
    };
    assert_eq!(run(&[]).exit, 1);
    // 65 and 130 differ in the bits 0, 1, 6 and 7.
    assert_eq!(run(&["byte:0x43"]).exit, 1);
    let ran = run(&["byte:0xc3"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("not compared: some bits of byte, 1 assertion; --ignore byte:0xc3"),
        "{ran:?}"
    );
    let folder = TempDir::new().unwrap();
    let sarif = folder.path().join("sarif");
    let report = format!("sarif={}", sarif.display());
    toy("run", "wrong.json", &["-f", "flags", "--ignore", "byte:0xc3", "--report", &report]);
    let sarif: Json = serde_json::from_str(&std::fs::read_to_string(sarif).unwrap()).unwrap();
    crate::check::sarif_validator().assert_accepts(&sarif, "what was not compared");
    let notifications = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let said: Vec<_> = notifications.iter().map(|it| it["message"]["text"].as_str().unwrap()).collect();
    let expected = ["on echo (echo 1)", "not compared: some bits of byte, 1 assertion; --ignore byte:0xc3"];
    assert_eq!(said, expected);
    let ran = run(&["byte"]);
    assert!(
        ran.exit == 4 && ran.stdout.contains("everything that the case demands is ignored: byte"),
        "{ran:?}"
    );
    assert_eq!(run(&["byte:1"]).exit, 2);
    // The testee does not report this field: one reason is enough.
    let ran = toy("run", "types.json", &["--ignore", "late"]);
    assert_eq!(ran.stdout.matches("not compared: late").count(), 1, "{ran:?}");
    assert!(ran.stdout.contains("not compared: late, 1 assertion; echo does not report it"), "{ran:?}");
}

/// A sample is the same in every run, another one with another seed, and never larger than the file.
#[test]
fn a_sample_is_the_same_everywhere() {
    let listed = |sample: &str| {
        let ran = vmconf(&["list", "families/vectors/z80", "families/vectors/spc700", "--sample", sample]);
        assert_eq!(ran.exit, if sample == "0" { 2 } else { 0 }, "{ran:?}");
        ran.stdout
    };
    assert_eq!(listed("5").lines().count(), 10);
    assert_eq!(listed("5"), listed("5:0"));
    assert_ne!(listed("5"), listed("5:1"));
    assert!(listed("6").lines().filter(|id| listed("5").contains(id)).count() == 10);
    assert_eq!(listed("99").lines().count(), 35 + 31);
    listed("0");
}

/// What cases give and demand selects them.
#[test]
fn cases_are_selected_by_what_they_give_and_demand() {
    let count = |expr: &str| {
        let ran = vmconf(&["list", "families/vectors/z80", "-E", expr]);
        ran.stdout.lines().count()
    };
    // OUT and IN are the only cases with ports, whose absence demands that there are none.
    assert_eq!(count("has(ports/0/1=0x42) or has(ports/0/2=r)"), 2);
    assert_eq!(count("field(ports)"), 35);
    assert_eq!(count("field(sp)"), 4);
    assert_eq!(count("uses(ADD)"), 0);
    assert_eq!(vmconf(&["list", "families/vectors/z80", "-E", "has(ports)"]).exit, 2);
    let unknown = vmconf(&["list", "families/vectors/z80", "-E", "field(prots)"]);
    assert!(unknown.stderr.contains("unknown field \"prots\"; did you mean ports?"), "{}", unknown.stderr);
    let unknown = vmconf(&["list", "families/vectors/z80", "-E", "has(prots/0/1=2)"]);
    assert_eq!(unknown.exit, 2);
    assert!(unknown.stderr.contains("unknown member \"prots\"; did you mean ports?"), "{}", unknown.stderr);
    assert_eq!(unknown.exit, 2);
}

/// Each fault of a declaration has a place, and says what was expected.
#[test]
fn declarations_have_located_faults() {
    const FORMAT: &str = "[format]\ncases = \"$[*]\"\nexpect = { \"*\" = \"$.after\" }\n";
    let fields = |count: u32, of: &str| {
        (0..count).map(|it| format!("f{it} = \"{of}\"")).collect::<Vec<_>>().join("\n") + "\n"
    };
    let cases = [
        ("nothing", String::new()),
        ("no TOML", "machine = ".to_owned()),
        ("machine", format!("machine = \"Toy 1\"\n[state]\na = \"u8\"\n{FORMAT}")),
        ("unknown key", format!("machine = \"toy\"\noptinal = []\n[state]\na = \"u8\"\n{FORMAT}")),
        ("unknown type", format!("machine = \"toy\"\n[state]\na = \"u8\"\nb = \"tekst\"\nc = \"mapp<u8, u8>\"\n{FORMAT}")),
        ("width", format!("machine = \"toy\"\n[state]\na = \"u257\"\n{FORMAT}")),
        ("type that ends early", format!("machine = \"toy\"\n[state]\na = \"[(u8, u16?)\"\n{FORMAT}")),
        ("memory of text", format!("machine = \"toy\"\n[state]\na = \"memory<u16, text>\"\n{FORMAT}")),
        ("key of a map", format!("machine = \"toy\"\n[state]\na = \"map<json, u8>\"\n{FORMAT}")),
        ("flags", format!("machine = \"toy\"\n[state]\na = {{ type = \"u8\", flags = \"SZ\" }}\nb = {{ type = \"u8\", flags = \"AA------\" }}\n{FORMAT}")),
        ("mask", format!("machine = \"toy\"\n[state]\na = {{ type = \"u8\", mask = \"0x100\" }}\nb = {{ type = \"text\", mask = 1 }}\n{FORMAT}")),
        ("mask with a sign", format!("machine = \"toy\"\n[state]\na = {{ type = \"u8\", mask = \"0x+d7\" }}\nb = {{ type = \"u8\", mask = \"0xd_7\" }}\n{FORMAT}")),
        ("options", format!("machine = \"toy\"\n[state]\na = {{ type = \"u8\", unlisted = \"any\" }}\nb = {{ type = \"[u8]\", order = \"some\", flag = 1 }}\n{FORMAT}")),
        ("twice", format!("machine = \"toy\"\n[state]\na = \"u8\"\n[input]\na = \"u8\"\n{FORMAT}")),
        ("optional", format!("machine = \"toy\"\noptional = [\"cycle\"]\n[state]\ncycles = \"u8\"\n{FORMAT}")),
        ("optional twice", format!("machine = \"toy\"\noptional = [\"a\", \"a\"]\n[state]\na = \"u8\"\n{FORMAT}")),
        ("empty lists", "machine = \"toy\"\n[state]\na = \"u8\"\n[format]\ncases = \"$\"\nfiles = []\ndo = []\nexpect = {}\n".to_owned()),
        ("an action", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}do = \"execute\"\n")),
        ("actions without steps", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}do = \"$.do\"\n")),
        ("no state", format!("machine = \"toy\"\n{FORMAT}")),
        ("no format", "machine = \"toy\"\n[state]\na = \"u8\"\n".to_owned()),
        ("paths", "machine = \"toy\"\n[state]\na = \"u8\"\n[format]\ncases = \"[*]\"\nname = \"$.a-b\"\nhas = [\"$..a\", \"$[x]\"]\nexpect = { a = \"$.x[*]\" }\n".to_owned()),
        ("names", "machine = \"toy\"\n[state]\nalpha = \"u8\"\n[format]\ncases = \"$\"\nprogram = { alpa = \"$.a\" }\nexpect = { alphas = \"$.a\" }\n".to_owned()),
        ("values", "machine = \"toy\"\n[state]\na = \"u8\"\n[format]\ncases = \"$\"\nprogram = { a = { value = 256 } }\nexpect = { a = { at = \"$.a\", absent = \"x\" } }\n".to_owned()),
        ("neither", "machine = \"toy\"\n[state]\na = \"u8\"\n[format]\ncases = \"$\"\nexpect = { a = { absent = 1 } }\n".to_owned()),
        ("actions", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}do = [\"step-in\"]\nignore = {{ \"$.x\" = \"\" }}\nfiles = [\"[\"]\n")),
        ("steps", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}steps = \"$.steps[*]\"\n")),
        ("no actions", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}do = []\n")),
        ("alike", "machine = \"toy\"\n[state]\na = \"u8\"\n[[format]]\ncases = \"$\"\nhas = [\"$.a\"]\nexpect = { a = \"$.a\" }\n[[format]]\ncases = \"$\"\nhas = [\"$.a\", \"$.b\"]\nexpect = { a = \"$.b\" }\n".to_owned()),
        ("options of items", format!("machine = \"toy\"\n[state]\na = [{{ type = \"u8\", flags = \"ABCDEFGH\" }}]\n{FORMAT}")),
        ("lists of lists", format!("machine = \"toy\"\n[state]\na = \"[[u8; 2048]; 1024]\"\n{FORMAT}")),
        ("long lists", format!("machine = \"toy\"\n[state]\n{}{FORMAT}", fields(5, "[u8; 1048576]"))),
        ("many fields", format!("machine = \"toy\"\n[state]\n{}{FORMAT}", fields(1_001, "u8"))),
        ("step", format!("machine = \"toy\"\n[state]\na = \"u8\"\n{FORMAT}[format.step]\ndo = [\"execute\"]\n")),
    ];
    let shown = |(name, text): &(&str, String)| {
        let faults = Declaration::parse(text).expect_err(name);
        let faults: Vec<_> = faults.iter().map(|fault| fault.located("toy.toml")).collect();
        format!("# {name}\n{}\n", faults.join("\n"))
    };
    golden::file("family-declarations", &cases.iter().map(shown).collect::<Vec<_>>().join("\n"));
}

#[test]
fn embedded_declarations_are_listed_by_their_names() {
    for built_in in BUILT_IN {
        let family =
            Family::install(built_in.text).unwrap_or_else(|faults| panic!("{}: {faults:?}", built_in.name));
        assert_eq!(family.machine, built_in.name);
    }
    let files: Vec<_> = files("families", "toml");
    assert_eq!(files.len(), BUILT_IN.len(), "every file in families/ is built in");
}

/// The cases of a corpus, and the fields that they demand: one for each step.
fn counted(family: &Family, folder: &Path) -> (usize, usize) {
    let (mut cases, mut demands) = (0, 0);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let document = Document::parse(std::fs::read_to_string(&path).unwrap(), 128).unwrap();
        let (format, _) = family.fitting(document.root(), path.to_str().unwrap()).unwrap();
        for entry in (format.outline)(document.root()).unwrap() {
            let reading =
                format.read_case(JsonNode::at_index(&document, entry.node), FormatOptions::default());
            assert_eq!(reading.diagnostics, [], "{}", path.display());
            cases += 1;
            for step in reading.case.unwrap().steps {
                let fields: BTreeSet<&PathKey> =
                    step.assertions.iter().map(|assertion| assertion.at.first()).collect();
                demands += fields.len();
            }
        }
    }
    (cases, demands)
}

/// Folders of published corpora, each with the name of its family, the number of its cases, and how many fields these
/// demand, as an independent program counts them.
const COUNTS: [(&str, &str, usize, usize); 7] = [
    ("z80", "z80", 10_050, 281_400),
    ("spc700", "spc700", 1_600, 12_800),
    ("sm83", "sm83", 3_150, 40_950),
    ("m68000", "m68000", 800, 18_400),
    ("pvm", "pvm", 214, 1_077),
    ("bch", "bch", 4_266, 4_266),
    ("bitcoin", "bitcoin-script", 930, 930),
];

/// No leaf of a published corpus is left over.
#[test]
fn published_corpora_are_read_whole() {
    let Some(suites) = suites() else { return };
    for (folder, name, cases, demands) in COUNTS {
        let built_in = BUILT_IN.iter().find(|built_in| built_in.name == name).unwrap();
        let family = Family::install(built_in.text).unwrap();
        assert_eq!(counted(family, &suites.join("families").join(folder)), (cases, demands), "{folder}");
    }
}

/// A file of a corpus is recognised without a flag, whatever looks alike.
#[test]
fn published_corpora_are_recognised() {
    let Some(suites) = suites() else { return };
    for folder in ["z80", "spc700", "sm83", "m68000", "pvm"] {
        let path = suites.join("families").join(folder);
        let ran = vmconf(&["list", "--counts", path.to_str().unwrap()]);
        let first: Vec<_> = ran.stdout.lines().next().unwrap_or_default().split_whitespace().collect();
        assert_eq!(first[1..], [folder, folder], "{ran:?}");
    }
}

/// Each built-in family has vectors of its own, which are recognised without a flag.
#[test]
fn built_in_families_have_own_vectors() {
    for built_in in BUILT_IN {
        let family = Family::install(built_in.text).unwrap();
        let folder = format!("families/vectors/{}", built_in.name);
        assert!(counted(family, &at_root(&folder)).0 >= 20, "{folder}");
        let listed = vmconf(&["list", "--counts", &folder]);
        let first: Vec<_> = listed.stdout.lines().next().unwrap_or_default().split_whitespace().collect();
        assert_eq!(first[1..], [built_in.name, built_in.name], "{listed:?}");
    }
}

/// A family that is not built in is selected by its name.
#[test]
fn a_family_that_is_not_built_in_is_selected() {
    let list = |expr: &str| {
        vmconf(&["list", "tests/families/wrong.json", "--family", "tests/families/toy.toml", "-E", expr])
    };
    let all = list("machine(toy)");
    assert_eq!((all.exit, &all.stdout), (0, &list("format(to*)").stdout), "{all:?}");
    assert!(all.stdout.lines().count() > 10, "{all:?}");
    assert_eq!(list("machine(z80)").stdout, "");
    let wrong = list("machine(toyy)");
    assert!(wrong.exit == 2 && wrong.stderr.contains("did you mean toy?"), "{wrong:?}");
}

/// The states of a machine that is trusted become the expectations; every other byte stays.
#[test]
#[cfg(unix)]
fn expectations_of_a_family_are_those_of_a_trusted_machine() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("toy.json");
    let text = |byte: u8, cell: u8| {
        format!(
            "{{\"cases\": [\n{{\"name\":  \"one\", \"given\": {{\"byte\": 65, \"ram\": [[1, 2]]}}, \
             \"expected\": {{\"byte\": {byte}, \"ram\": [[1, {cell}]]}}}}]}}\n"
        )
    };
    std::fs::write(&file, text(130, 9)).unwrap();
    let declaration = at_root("tests/families/toy.toml");
    let echo = format!("echo=sh '{}'", at_root("tests/testees/echo.sh").display());
    let [file_name, declaration] = [&file, &declaration].map(|path| path.to_str().unwrap());
    let bless = |vm: &str| vmconf(&["bless", file_name, "--yes", "--family", declaration, "--vm", vm]);
    let ran = bless(&echo);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text(65, 2));
    // A machine that crashes changes nothing, and is reported.
    std::fs::write(&file, text(130, 9)).unwrap();
    let ran = bless(
        "broken=sh -c 'read line; echo \"{\\\"type\\\":\\\"hello\\\",\\\"version\\\":1,\\\"name\\\":\\\"x\\\",\\\"release\\\":\\\"1\\\",\\\"machines\\\":[{\\\"machine\\\":\\\"toy\\\",\\\"fields\\\":[\\\"byte\\\",\\\"ram\\\"]}]}\"; read line'",
    );
    assert!(ran.exit == 3 && ran.stderr.contains("crash: "), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text(130, 9));
}

/// The schema of a family accepts its vectors, and not a number that is too large.
#[test]
fn the_schema_of_a_family_accepts_its_vectors() {
    for built_in in BUILT_IN {
        let ran = vmconf(&["schema", built_in.name]);
        let schema = Validator::new(&serde_json::from_str(&ran.stdout).unwrap());
        for path in files(format!("families/vectors/{}", built_in.name), "json") {
            let vectors: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            schema.assert_accepts(&vectors, &path.display().to_string());
        }
    }
    let ran = vmconf(&["schema", "z80"]);
    let toy = vmconf(&["schema", "tests/families/toy.toml"]).stdout;
    let every_type = std::fs::read_to_string(at_root("tests/families/types.json")).unwrap();
    let toy = Validator::new(&serde_json::from_str(&toy).unwrap());
    toy.assert_accepts(&serde_json::from_str(&every_type).unwrap(), "types.json");
    let schema = Validator::new(&serde_json::from_str(&ran.stdout).unwrap());
    let case = |a: &str| -> Json {
        let text = format!(r#"[{{"name": "x", "initial": {{"a": {a}, "ram": [[1, 2]]}}, "final": {{}}}}]"#);
        serde_json::from_str(&text).unwrap()
    };
    assert!(schema.accepts(&case("255")) && schema.accepts(&case("\"0xff\"")));
    assert!(!schema.accepts(&case("256")) && !schema.accepts(&case("null")));
    let ran = vmconf(&["schema", "spc70"]);
    assert!(ran.exit == 2 && ran.stderr.contains("did you mean spc700?"), "{ran:?}");
}

/// A template of an adapter follows the protocol, and so do adapters of families.
#[test]
#[cfg(unix)]
fn adapters_of_families_are_checked() {
    let declaration = at_root("tests/families/toy.toml");
    let declaration = declaration.to_str().unwrap();
    let echo = at_root("tests/testees/echo.sh");
    let ran = vmconf(&["vm", "check", "--family", declaration, "sh", echo.to_str().unwrap()]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    golden::file("family-vm-check", &ran.stdout);
    // A field that the machine does not offer.
    let more = format!(r#"sh '{}' | sed -u 's/"steps":\[{{"fields":{{/&"late":0,/'"#, echo.display());
    let ran = vmconf(&["vm", "check", "--family", declaration, "sh", "-c", &more]);
    let wrong = "WRONG  reports only what was requested: late was not requested\n";
    assert!(ran.exit == 1 && ran.stdout.contains(wrong), "{ran:?}");
}

/// What `vmconf family init` writes is a declaration, and marks what it cannot know.
#[test]
fn a_declaration_is_made_from_vectors() {
    let made = |name: &str| {
        let ran = vmconf(&["family", "init", &format!("families/vectors/{name}")]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        let family = Family::install(&ran.stdout).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let built_in = BUILT_IN.iter().find(|built_in| built_in.name == name).unwrap();
        let folder = at_root(format!("families/vectors/{name}"));
        assert_eq!(counted(family, &folder), counted(Family::install(built_in.text).unwrap(), &folder));
        ran.stdout
    };
    golden::file("family-init", &["z80", "m68000", "pvm"].map(made).join("\n"));
}

#[test]
fn vectors_without_a_state_before_and_after_make_no_declaration() {
    let ran = vmconf(&["family", "init", "vectors/minic89/source.json"]);
    assert_eq!(ran.exit, 2, "{ran:?}");
    assert!(ran.stderr.contains("no case has a state before and a state after"), "{ran:?}");
    let ran = vmconf(&["family", "init", "families/vectors/pvm", "--name", "My Machine"]);
    assert_eq!(ran.exit, 2, "{ran:?}");
    assert!(ran.stderr.contains("is not the name of a machine"), "{ran:?}");
}

/// The type of each member, in the notation of declarations with its options, but for the names of flags.
fn types(members: &[MemberShape]) -> BTreeMap<&str, String> {
    let notation = |member: &MemberShape| match &member.shape {
        Shape::Declared(field) => {
            let options = FieldOptions { flags: Vec::new(), ..field.options.clone() };
            let plain = field.field_type.notation();
            if options == FieldOptions::default() { plain } else { format!("{plain} {options:?}") }
        }
        other => panic!("{} is {other:?}", member.name),
    };
    members.iter().map(|member| (member.name, notation(member))).collect()
}

/// Declarations that are made from published corpora read as much as the built-in ones, and are the same but for the
/// names of flags and for what no vector says.
#[test]
fn declarations_inferred_from_published_corpora_equal_the_built_in_ones() {
    /// A machine, a member, what is made of it, and what vectors do not say.
    const UNKNOWABLE: &[(&str, &str, &str, &str)] = &[
        ("z80", "cycles", "[(u16, u8?, text)]", "no vector of this part has null there"),
        ("z80", "iff1", "u8", "the vectors have the numbers 0 and 1"),
        ("z80", "iff2", "u8", "the vectors have the numbers 0 and 1"),
        ("sm83", "cycles", "[(u16, u8, text)]", "no vector of this part has null there"),
        ("m68000", "length", "u32", "that people count clock cycles in decimal"),
        ("pvm", "gas", "u64", "no vector has gas below 0, and people count it in decimal"),
        ("pvm", "page-fault-address", "u64", "the width of these numbers"),
        ("pvm", "page-map", "[{address: u64, length: u64, is-writable: bool}]", "the width of these numbers"),
        ("pvm", "pc", "u64", "the width of these numbers"),
    ];
    /// Which fields machines lack in practice, vectors do not say: the built-in ones, and what is made.
    const OPTIONAL: &[(&str, &[&str], &[&str])] = &[
        ("z80", &["cycles", "wz", "q", "p", "ei"], &["cycles", "ports"]),
        ("spc700", &["cycles"], &["cycles"]),
        ("sm83", &["cycles", "ei"], &["cycles"]),
        ("m68000", &["length", "transactions", "prefetch"], &["length", "transactions"]),
        ("pvm", &["page-fault-address"], &["page-fault-address"]),
    ];
    let Some(suites) = suites() else { return };
    let mut others = Vec::new();
    for ((folder, name, cases, demands), (of, known_optional, made_optional)) in
        COUNTS[..5].iter().zip(OPTIONAL)
    {
        let folder = suites.join("families").join(folder);
        let ran = vmconf(&["family", "init", folder.to_str().unwrap()]);
        let family = Family::install(&ran.stdout).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert_eq!(counted(family, &folder), (*cases, *demands), "{name}");
        let built_in = BUILT_IN.iter().find(|built_in| built_in.name == *name).unwrap();
        let built_in = Family::install(built_in.text).unwrap();
        assert_eq!((name, built_in.optional, family.optional), (of, *known_optional, *made_optional));
        assert_eq!(built_in.actions(), family.actions(), "{name}");
        let (made, known) = (types(family.program), types(built_in.program));
        // These parts have no case with the register that delays EI.
        let unseen: Vec<_> = known.keys().filter(|member| !made.contains_key(*member)).collect();
        assert_eq!(unseen, if *name == "sm83" { vec![&"ei"] } else { vec![] });
        for (member, notation) in made {
            if known.get(member) != Some(&notation) {
                others.push((*name, member.to_owned(), notation));
            }
        }
    }
    let expected: Vec<_> =
        UNKNOWABLE.iter().map(|(name, it, made, _)| (*name, (*it).to_owned(), (*made).to_owned())).collect();
    assert_eq!(others, expected);
}

/// Cells that are given and missing after are 0 then, if cells that did not change are listed and none is listed as 0.
#[test]
fn what_is_not_listed_of_a_memory_is_inferred() {
    let made = |after: &str| {
        let case = |number: u32| {
            format!(r#"{{"initial": {{"ram": [[4660, 201], [{number}, 2]]}}, "final": {{"ram": {after}}}}}"#)
        };
        let text = format!("[{}]", [33_000, 33_001].map(case).join(","));
        let document = Document::parse(text, 20).unwrap_or_else(|_| panic!("{after}"));
        let text = infer("x", &[document]).unwrap().text;
        text.lines().find(|line| line.starts_with("ram = ")).unwrap().to_owned()
    };
    let missing = "# uncertain: 2 cells given before and missing after";
    assert_eq!(
        made("[[4660, 201]]"),
        format!(
            "ram = {{ type = \"memory<u16, u8>\", unlisted = \"zero\" }} {missing}, and no cell is listed as 0"
        )
    );
    let unknown = format!(
        "ram = \"memory<u16, u8>\" {missing}: unlisted = \"zero\" if they are 0 then, \"any\" if they may have any value"
    );
    assert_eq!(made("[[4660, 201], [7, 0]]"), unknown);
    assert_eq!(made("[[4660, 203]]"), unknown);
    assert_eq!(made("[[4660, 201], [33000, 2], [33001, 2]]"), "ram = \"memory<u16, u8>\"");
}

/// Every datum of a family's vectors is given or demanded, or a rule of its declaration says why not.
#[test]
fn every_datum_of_a_family_is_compared_or_has_a_reason() {
    let audit = |path: &str, more: &[&str]| {
        let ran = vmconf(&[&["audit", path], more].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(ran.stdout.contains(" 0 are not noticed; 0 left out"), "{ran:?}");
    };
    audit("families/vectors", &[]);
    let Some(suites) = suites() else { return };
    audit(suites.join("families").to_str().unwrap(), &["--sample", "1", "--changes", "20"]);
}

/// A wrong declaration is noticed: a datum that nothing compares has no reason.
#[test]
fn a_datum_of_a_family_that_is_not_compared_is_found() {
    let folder = TempDir::new().unwrap();
    let declaration = folder.path().join("toy.toml");
    let text = "machine = \"toy\"\n[state]\na = \"u8\"\nb = \"u8\"\n[format]\ncases = \"$[*]\"\nprogram = { a = \"$.a\", b = \"$.b\" }\nexpect = { a = \"$.c\" }\n";
    std::fs::write(&declaration, text).unwrap();
    let vectors = folder.path().join("toy.json");
    std::fs::write(&vectors, r#"[{"a": 1, "b": 2, "c": 1, "d": 2}]"#).unwrap();
    let [vectors, declaration] = [&vectors, &declaration].map(|path| path.to_str().unwrap());
    let ran = vmconf(&["audit", vectors, "--family", declaration]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.stdout.contains("not noticed: 1 x value of d (toy)"), "{ran:?}");
}

/// The coverage of a family is by file and by the values of fields.
#[test]
fn the_coverage_of_a_family_is_that_of_its_fields() {
    let ran = vmconf(&["coverage", "families/vectors/z80", "families/vectors/pvm"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    golden::file("family-coverage", &ran.stdout);
    let ran = vmconf(&["coverage", "families/vectors/z80", "--output", "json"]);
    let report: Json = serde_json::from_str(&ran.stdout).unwrap();
    Validator::named("coverage").assert_accepts(&report, "coverage");
    let fields = report["families"][0]["fields"].as_array().unwrap();
    let flags = fields.iter().find(|field| field["name"] == "f").unwrap();
    let each = flags["flags"].as_array().unwrap().iter();
    assert!(
        each.clone().count() == 8
            && each.clone().all(|flag| flag["set"].as_u64().unwrap() + flag["clear"].as_u64().unwrap() == 35)
    );
    assert_eq!(report["left_out"], 0);
    let html = vmconf(&["coverage", "families/vectors/z80", "--output", "html"]).stdout;
    assert!(html.contains("<th scope=\"row\">iff1</th><td>bool</td>"), "{html}");
}

/// A case that crashes a process with other requests is to blame, and the others are not.
#[test]
#[cfg(unix)]
fn a_crash_is_that_of_one_case() {
    let folder = TempDir::new().unwrap();
    let echo = std::fs::read_to_string(at_root("tests/testees/echo.sh")).unwrap();
    let echo = echo.replace("\"version\":1,", "\"version\":1,\"inFlight\":16,");
    let crashing = echo.replace("    *)\n", "    *'\"byte\":\"0xff\"'*) exit 3 ;;\n    *)\n");
    assert_ne!(echo, crashing);
    let testee = folder.path().join("crashing.sh");
    std::fs::write(&testee, crashing).unwrap();
    let case = |number: u32| {
        let byte = if number % 20 == 10 { 255 } else { number };
        format!(
            "{{\"name\": \"{number}\", \"given\": {{\"byte\": {byte}}}, \"expected\": {{\"byte\": {byte}}}}}"
        )
    };
    let cases: Vec<_> = (0..60).map(case).collect();
    let vectors = folder.path().join("toy.json");
    std::fs::write(&vectors, format!("{{\"cases\": [{}]}}", cases.join(",\n"))).unwrap();
    let vm = format!("crashing=sh {}", testee.display());
    let declaration = at_root("tests/families/toy.toml");
    let [vectors, declaration] = [&vectors, &declaration].map(|path| path.to_str().unwrap());
    let ran = vmconf(&["run", vectors, "--family", declaration, "--vm", &vm, "-j", "8"]);
    assert!(ran.stdout.contains("57 passed, 0 failed, 3 crashed, 0 errors"), "{ran:?}");
}

/// What is about instructions says that a family has none.
#[test]
fn a_family_has_no_instructions() {
    let reason = "a family has no instructions, since vmconf does not embed its machine";
    for command in ["minset", "mutants"] {
        let ran = vmconf(&[command, "families/vectors/z80"]);
        let expected = format!("note: cases of z80 are left out: {reason}\n");
        assert!(ran.exit == 4 && ran.stderr.contains(&expected), "{command}: {ran:?}");
        assert!(!ran.stderr.contains("only passing cases count"), "{command}: {ran:?}");
        let table = "killed";
        assert!(!ran.stdout.contains(table), "{command}: {ran:?}");
    }
    let trace = vmconf(&["trace", "families/vectors/z80/one-instruction.json::NOP"]);
    assert!(trace.exit == 2 && trace.stderr.contains("vmconf does not embed this machine"), "{trace:?}");
    for command in [&["isa", "z80"][..], &["asm", "z80", "-"], &["mutants", "--machine", "z80"]] {
        let ran = vmconf(command);
        assert!(ran.exit == 2 && ran.stderr.contains(&format!("error: z80: {reason}")), "{ran:?}");
    }
}

/// Any value of JSON.
fn any_json() -> impl Strategy<Value = Json> + Clone {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (0..300_u64).prop_map(Json::from),
        "(0x)?[0-9a-f]{0,6}|[ \"\\\\a-z\u{7f}é]{0,4}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            any_object(inner).prop_map(Json::from),
        ]
    })
}

/// An object with a member `a`, so that most states before and after have one in common.
fn any_object(value: impl Strategy<Value = Json> + Clone) -> impl Strategy<Value = Map<String, Json>> {
    let key = "[a-c]|[-_. '\"\\\\]{1,2}|address|\u{7f}";
    (prop::collection::btree_map(key, value.clone(), 0..4), value).prop_map(|(mut members, a)| {
        members.insert("a".to_owned(), a);
        members.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(config(200))]

    /// Whatever vectors have, what is made from them is a declaration, and it reads all of them.
    #[test]
    fn a_declaration_reads_what_it_was_made_from(
        cases in prop::collection::vec((any_object(any_json()), any_object(any_json()), any_json()), 1..4),
        prefix in any::<bool>(),
    ) {
        let flat = |half: &str, members: &Map<String, Json>| -> Vec<(String, Json)> {
            members.iter().map(|(name, value)| (format!("{half}-{name}"), value.clone())).collect()
        };
        let case = |(before, after, other): &(Map<String, Json>, Map<String, Json>, Json)| {
            let mut case: Map<String, Json> = if prefix {
                [flat("initial", before), flat("final", after)].concat().into_iter().collect()
            } else {
                [("initial".to_owned(), before.clone().into()), ("final".to_owned(), after.clone().into())].into_iter().collect()
            };
            case.insert("other".to_owned(), other.clone());
            Json::from(case)
        };
        let text = Json::from(cases.iter().map(case).collect::<Vec<_>>()).to_string();
        let document = Document::parse(text.clone(), 128).unwrap();
        let declaration = infer("made", std::slice::from_ref(&document)).map_err(TestCaseError::fail)?.text;
        let family = Family::install(&declaration).unwrap();
        let (format, _) = family.fitting(document.root(), "made.json").map_err(|why| {
            TestCaseError::fail(format!("{why:?}\n{text}\n{declaration}"))
        })?;
        let entries = (format.outline)(document.root()).unwrap();
        prop_assert_eq!(entries.len(), cases.len(), "{}\n{}", text, declaration);
        for entry in entries {
            let reading = format.read_case(JsonNode::at_index(&document, entry.node), FormatOptions::default());
            prop_assert_eq!(&reading.diagnostics, &[], "{}\n{}", text, declaration);
        }
    }
}

/// A folder with files, for the machine `m`.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// A declaration of the machine `m` with this state, which gives `b` and demands `e` for each field.
fn declaration(state: &str) -> String {
    let names: Vec<_> =
        state.lines().filter_map(|line| line.split_once(" =")).map(|(name, _)| name).collect();
    let paths = |member: &str| {
        names.iter().map(|name| format!("{name} = '$.{member}.{name}'")).collect::<Vec<_>>().join(", ")
    };
    format!(
        "machine = 'm'\n[state]\n{state}\n[format]\ncases = '$[*]'\nprogram = {{ {} }}\nexpect = {{ {} }}\n",
        paths("b"),
        paths("e")
    )
}

/// The argument of `--vm` for a machine `m` that answers every request with these fields.
fn answering(folder: &Path, fields: &str) -> String {
    let state: Map<String, Json> = serde_json::from_str(fields).unwrap();
    let names = serde_json::to_string(&state.keys().collect::<Vec<_>>()).unwrap();
    let hello = format!(
        r#"{{"type":"hello","version":1,"name":"c","release":"1","machines":[{{"machine":"m","actions":["execute"],"fields":{names}}}]}}"#
    );
    let script = format!(
        "while read -r request; do\ncase $request in\n*'\"type\":\"hello\"'*) printf '%s\\n' '{hello}' ;;\n\
         *) id=${{request#*'\"id\":'}}\nprintf '{{\"type\":\"done\",\"id\":%s,\"steps\":[{{\"fields\":%s}}]}}\\n' \
         \"${{id%%,*}}\" '{fields}' ;;\nesac\ndone\n"
    );
    let path = folder.join("machine.sh");
    std::fs::write(&path, script).unwrap();
    format!("c=sh {}", path.display())
}

/// Runs vectors of one declared state against a machine that always answers the same.
fn against(state: &str, vectors: &str, answer: &str) -> Ran {
    against_with(&[], state, vectors, answer)
}

/// The same with further arguments.
fn against_with(args: &[&str], state: &str, vectors: &str, answer: &str) -> Ran {
    let folder = folder(&[("m.toml", &declaration(state)), ("m.json", vectors)]);
    let vm = answering(folder.path(), answer);
    let run = ["run", "m.json", "--family", "./m.toml", "--vm", &vm];
    vmconf_in(folder.path(), &[&run, args].concat())
}

/// `unlisted` and its default hold for a memory wherever it is: inside a record, optional, in a list or map.
#[test]
#[cfg(unix)]
fn cells_of_any_memory_are_compared_by_its_rule() {
    const RECORD: &str = r#"[{"b":{"s":{"a":1,"ram":[[1,5],[2,6]]}},"e":{"s":{"a":1,"ram":[[1,5]]}}}]"#;
    const PLAIN: &str = r#"[{"b":{"s":[[1,5],[2,6]]},"e":{"s":[[1,5]]}}]"#;
    const LIST: &str = r#"[{"b":{"s":[[[1,5],[2,6]]]},"e":{"s":[[[1,5]]]}}]"#;
    const MAP: &str = r#"[{"b":{"s":{"x":[[1,5],[2,6]]}},"e":{"s":{"x":[[1,5],[3,0]]}}}]"#;
    const ROWS: &str = r#"[{"b":{"s":[{"ram":[[2,6]]}]},"e":{"s":[{"ram":[[1,5],[2,6]]}]}}]"#;
    const TUPLE: &str = r#"[{"b":{"s":[1,[[1,5],[2,6]]]},"e":{"s":[1,[[1,5]]]}}]"#;
    const EMPTY: &str = r#"[{"b":{},"e":{"s":{"x":[]}}}]"#;
    let table = |unlisted: &str| format!("s = {{ a = 'u8', ram = {{ type = 'memory<u8, u8>'{unlisted} }} }}");
    let rows = |unlisted: &str| format!("s = [{{ ram = {{ type = 'memory<u8, u8>'{unlisted} }} }}]");
    let (any, zero) = (", unlisted = 'any'", ", unlisted = 'zero'");
    let cases = [
        (table(""), RECORD, r#"{"s":{"a":1,"ram":[[1,5],[2,6]]}}"#, 0),
        (table(""), RECORD, r#"{"s":{"a":1,"ram":[[1,5]]}}"#, 1),
        (table(""), RECORD, r#"{"s":{"a":1,"ram":[[1,5],[2,6],[3,1]]}}"#, 1),
        (table(any), RECORD, r#"{"s":{"a":1,"ram":[[1,5],[3,9]]}}"#, 0),
        (table(any), RECORD, r#"{"s":{"a":1,"ram":[[1,6]]}}"#, 1),
        (table(zero), RECORD, r#"{"s":{"a":1,"ram":[[1,5]]}}"#, 0),
        (table(zero), RECORD, r#"{"s":{"a":1,"ram":[[1,5],[2,6]]}}"#, 1),
        ("s = 'memory<u8, u8>?'".to_owned(), PLAIN, r#"{"s":[[1,5],[2,6]]}"#, 0),
        ("s = 'memory<u8, u8>?'".to_owned(), PLAIN, r#"{"s":[[1,5]]}"#, 1),
        ("s = 'memory<u8, u8>?'".to_owned(), PLAIN, r#"{"s":null}"#, 1),
        (format!("s = {{ type = 'memory<u8, u8>?'{any} }}"), PLAIN, r#"{"s":[[1,5],[9,9]]}"#, 0),
        ("s = '[memory<u8, u8>]'".to_owned(), LIST, r#"{"s":[[[1,5],[2,6]]]}"#, 0),
        ("s = '[memory<u8, u8>]'".to_owned(), LIST, r#"{"s":[[[1,5]]]}"#, 1),
        (rows(any), ROWS, r#"{"s":[{"ram":[[1,5],[2,6],[4,4]]}]}"#, 0),
        (rows(""), ROWS, r#"{"s":[{"ram":[[1,5],[2,6],[4,4]]}]}"#, 1),
        // A cell of 0 need not be reported.
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), MAP, r#"{"s":{"x":[[1,5],[2,6]]}}"#, 0),
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), MAP, r#"{"s":{"x":[[1,5]]}}"#, 1),
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), MAP, r#"{"s":{"x":[[1,5],[2,6]],"y":[]}}"#, 1),
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), MAP, r#"{"s":{}}"#, 1),
        ("s = '(u8, memory<u8, u8>)'".to_owned(), TUPLE, r#"{"s":[1,[[1,5],[2,6]]]}"#, 0),
        ("s = '(u8, memory<u8, u8>)'".to_owned(), TUPLE, r#"{"s":[1,[[1,5]]]}"#, 1),
        // A memory without cells is one.
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), EMPTY, r#"{"s":{"x":[]}}"#, 0),
        ("s = 'map<text, memory<u8, u8>>'".to_owned(), EMPTY, r#"{"s":{}}"#, 1),
    ];
    for (state, vectors, answer, exit) in cases {
        let ran = against(&state, vectors, answer);
        assert_eq!(ran.exit, exit, "{state}: {answer}: {ran:?}");
    }
    let both = declaration(&format!(
        "s = {{ type = [{{ ram = {{ type = 'memory<u8, u8>'{any} }} }}], order = 'any' }}"
    ));
    let faults = Declaration::parse(&both).expect_err("both");
    assert!(faults[0].to_string().contains("order = \"any\" of a list with a memory"), "{faults:?}");
}

/// Vectors have base64, and messages `0x` and hex digits: `0x0A` is the bytes d3 1d 00 in the one and 0a in the other.
#[test]
#[cfg(unix)]
fn base64_is_the_notation_of_vectors_only() {
    const VECTORS: &str = r#"[{"b":{"s":"0x0A","a":1},"e":{"s":"0x0A","a":1}}]"#;
    const STATE: &str = "s = 'base64'\na = 'u8'";
    assert_eq!(against(STATE, VECTORS, r#"{"s":"0xd31d00","a":1}"#).exit, 0);
    assert_eq!(against(STATE, VECTORS, r#"{"s":"0x0A","a":1}"#).exit, 1);
    let refused = against(STATE, VECTORS, r#"{"s":"0x0","a":1}"#);
    assert!(
        refused.stdout.contains("expected 0x and an even number of hex digits in quotes, and no base64"),
        "{refused:?}"
    );
    let folder = folder(&[("m.toml", &declaration(STATE)), ("m.json", VECTORS)]);
    let vm = answering(folder.path(), r#"{"s":"0x0002","a":7}"#);
    let args = ["bless", "m.json", "--family", "./m.toml", "--vm", &vm, "--yes"];
    let ran = vmconf_in(folder.path(), &args);
    let text = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    assert_eq!(text, r#"[{"b":{"s":"0x0A","a":1},"e":{"s":"AAI=","a":7}}]"#, "{ran:?}");
    let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert!(checked.stdout.contains(r#""s":"0xd31d00""#), "{checked:?}");
}

#[test]
fn coverage_counts_negative_and_wide_numbers() {
    let state = "i = 'i8'\nw = 'u256'";
    let vectors = r#"[{"b":{"i":-1,"w":0},"e":{}},{"b":{"i":-5,"w":"0x10000000000000000"},"e":{}},{"b":{"i":3,"w":0},"e":{}}]"#;
    let folder = folder(&[("m.toml", &declaration(state)), ("m.json", vectors)]);
    let args = ["coverage", "m.json", "--family", "./m.toml", "--output", "json"];
    let ran = vmconf_in(folder.path(), &args);
    let report: Json = serde_json::from_str(&ran.stdout).unwrap();
    let fields = &report["families"][0]["fields"];
    let numbers = |field: &Json| ["values", "least", "most"].map(|name| field[name].clone());
    assert_eq!(numbers(&fields[0]), [serde_json::json!(3), serde_json::json!(-5), serde_json::json!(3)]);
    let wide = serde_json::json!("0x10000000000000000");
    assert_eq!(numbers(&fields[1]), [serde_json::json!(2), serde_json::json!(0), wide]);
    assert_eq!(fields[0]["possible"], 256);
    let ran = vmconf_in(folder.path(), &args[..4]);
    assert!(ran.stdout.contains("3 of 256 values, -0x5 to 0x3"), "{ran:?}");
}

/// Everything that some path knows is known, though another path leads to the same item.
#[test]
fn paths_to_the_same_item_add_up() {
    let declared = "machine = 'm'\n[state]\ny = 'u8'\nz = 'u8'\n[format]\ncases = '$[*]'\n\
                    expect = { y = '$.l[0].y', z = '$.l[-1].z' }\nignore = { '$.l[*].c' = 'a comment', '$.*[1].d' = 'none' }\n";
    let vectors = r#"[{"l":[{"y":1,"c":"x"},{"c":"x","d":1},{"z":2,"c":"x"}]},{"l":[{"y":1,"z":2,"u":3}]}]"#;
    let folder = folder(&[("m.toml", declared), ("m.json", vectors)]);
    let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"]);
    let unknown: Vec<_> = ran.stdout.lines().filter(|line| line.contains("unknown member")).collect();
    assert!(matches!(unknown[..], [line] if line.contains("\"u\"")), "{ran:?}");
}

#[test]
fn family_check_finds_errors_once_and_escapes_names() {
    let files = [
        (
            "m.toml",
            "machine = 'm'\n[state]\ni = 'i8'\n[format]\ncases = '$[*]'\nprogram = { i = '$.i' }\nexpect = { i = '$.i' }\n",
        ),
        ("m.json", "[{\"i\":300}]"),
        (
            "n.toml",
            "machine = 'm'\ntitle = \"\\u001b[31mred\"\n[state]\n\"a\\u001b[31m\" = 'text'\n[format]\ncases = '$[*]'\nname = '$.n'\nprogram = { '*' = '$.e' }\nexpect = { '*' = '$.e' }\n",
        ),
        ("n.json", "[{\"n\":\"\\u001b[31m\",\"e\":{\"a\\u001b[31m\":\"\u{202e}x\"}}]"),
        ("vmconf.toml", "[family]\nm = 'n.toml'\n"),
    ];
    let folder = folder(&files);
    let ran = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert_eq!(ran.stdout.matches("out of range").count(), 1, "{ran:?}");
    for args in [&["family", "check", "n.toml", "n.json"][..], &["family", "list"], &["schema", "--list"]] {
        let ran = vmconf_in(folder.path(), args);
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    }
    // What `run` refuses is refused.
    let text = std::fs::read_to_string(folder.path().join("m.toml")).unwrap();
    std::fs::write(folder.path().join("evm.toml"), text.replace("'m'", "'evm'")).unwrap();
    for args in [&["family", "check", "evm.toml", "m.json"][..], &["run", "--family", "evm.toml", "m.json"]] {
        let ran = vmconf_in(folder.path(), args);
        assert!(
            ran.exit == 2 && ran.stderr.contains("error: evm.toml:1:11: vmconf embeds a machine evm"),
            "{ran:?}"
        );
    }
    let ran = vmconf_in(folder.path(), &["family", "init", "m.json", "--name", "evm"]);
    assert!(ran.exit == 2 && ran.stderr.contains("vmconf embeds a machine evm"), "{ran:?}");
    // The families of vmconf.toml have schemas, too.
    let ran = vmconf_in(folder.path(), &["schema", "--list"]);
    assert!(ran.stdout.contains("vectors of the family m\n"), "{ran:?}");
    let ran = vmconf_in(folder.path(), &["schema", "m"]);
    assert!(ran.stdout.contains("urn:vmconf:schema:family:m"), "{ran:?}");
}

/// A declaration that was made from vectors reads them.
#[test]
fn wide_numbers_and_members_named_type_are_inferred() {
    let wide = num_bigint::BigUint::from(2_u32).pow(300);
    let vectors = format!(
        r#"[{{"initial":{{"n":{wide},"o":{{"type":1,"x":2}},"l":[{{"type":{{"x":1}}}}]}},"final":{{"n":1,"o":{{"type":1,"x":2}},"l":[]}}}}]"#
    );
    let folder = folder(&[("m.json", &vectors)]);
    let ran = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(ran.stdout.contains("\nn = \"int\"\n"), "{ran:?}");
    std::fs::write(folder.path().join("m.toml"), &ran.stdout).unwrap();
    let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert_eq!(checked.exit, 0, "{}: {checked:?}", ran.stdout);
    assert!(!checked.stdout.contains("error:"), "{checked:?}");
}

/// Items without a state after are no cases; with another datum in its place, they are errors.
#[test]
fn items_without_two_states_are_counted() {
    let vectors =
        r#"[{"initial":{"x":1},"final":{"x":2}},{"initial":{"x":1},"final":null},{"initial":{"x":1}}]"#;
    let folder = folder(&[("m.json", vectors)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]).stdout;
    for said in [
        "# uncertain: 1 of 3 items have no $.final and are not read\n",
        "# uncertain: $.final is no object in 1 of 3 items, which are errors\n",
    ] {
        assert!(made.contains(said), "{made}");
    }
}

/// What `vmconf family init` writes for these vectors, which the declaration has to read.
fn made_of(vectors: &str) -> String {
    let folder = folder(&[("m.json", vectors)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert_eq!(made.exit, 0, "{vectors}: {made:?}");
    std::fs::write(folder.path().join("m.toml"), &made.stdout).unwrap();
    let checked = vmconf_in(folder.path(), &["check", "--family", "m.toml", "m.json"]);
    assert_eq!(checked.exit, 0, "{}: {checked:?}", made.stdout);
    made.stdout
}

/// What vectors do not say has a comment, and what they demand is demanded.
#[test]
fn what_is_inferred_with_a_doubt_says_so() {
    let cases = |members: &str| {
        format!(
            r#"[{{"name":"a","initial":{{"x":1}},"final":{{"x":2}}{members}}},{{"name":"b","initial":{{"x":1}},"final":{{"x":2}}}}]"#
        )
    };
    let prefixed = |members: &str| format!(r#"[{{"name":"a","pre_x":1,"post_x":2{members}}}]"#);
    let chunk = format!(r#"{{"m":[{{"address":0,"contents":[{}]}}]}}"#, vec!["1"; 300].join(","));
    let long = "k".repeat(101);
    for (vectors, lines) in [
        // Members without a partner: given with a doubt, but demanded if they have the word for a result.
        (
            prefixed(r#","status":"halt","out_y":3"#),
            &[
                "status = \"$.status\" # uncertain: neither pre_… nor post_…\n\n[format.expect]",
                "[format.expect]\nx = \"$.post_x\"\nout_y = \"$.out_y\"",
            ][..],
        ),
        (prefixed(r#","x":3"#), &["# uncertain: not read: $.x,", "x = \"$.pre_x\"", "x = \"$.post_x\""]),
        // What some cases demand
        (
            r#"[{"initial":{"x":1},"final":{"x":2,"trap":"div"}},{"initial":{"x":1},"final":{"x":2}}]"#
                .into(),
            &["trap = \"text\" # uncertain: 1 of 2 cases demands it, the others accept any value"],
        ),
        // A list that some cases lack
        (cases(r#","w":[1,2]"#), &["w = \"bytes\"", "w: perhaps only results", "w = \"$.w\" }"]),
        (
            cases(r#","w":[[300,7,1],[200,9,2]]"#),
            &["absent = [] } } # uncertain: w: a case without it demands an empty list"],
        ),
        (
            cases(r#","w":[[300,7],[200,9]]"#),
            &["w = \"memory<u16, u8>\" # uncertain: perhaps a list of pairs"],
        ),
        // The last address of a chunk, and a memory inside something
        (format!(r#"[{{"initial":{chunk},"final":{chunk}}}]"#), &["m = \"memory<u16, u8>\""]),
        (
            r#"[{"initial":{"b":{"m":[[300,7],[200,9]]}},"final":{"b":{"m":[[300,7]]}}}]"#.to_owned(),
            &["b = { m = \"memory<u16, u8>\" } # uncertain: m: cells that are not listed"],
        ),
        // Lists of one length, and widths of numbers below zero
        (
            r#"[{"initial":{"l":[1,2],"r":[[1,2,3],[4,5,6]]},"final":{"l":[3,300],"r":[[1,2,3],[4,5,6]]}}]"#
                .to_owned(),
            &["l = \"[u64; 2]\" # uncertain: ", "r = \"[(u8, u8, u8)]\""],
        ),
        (format!(r#"[{{"initial":{{"n":{}}},"final":{{"n":{}}}}}]"#, i64::MIN, i64::MAX), &["n = \"i64\""]),
        // What no field can be named by, other places of cases, and items that are no cases
        (
            format!(r#"[{{"initial":{{"o":{{"{long}":1}}}},"final":{{"o":{{"{long}":1}}}}}}]"#),
            &["o = \"json\" # uncertain: a member whose name no field can have"],
        ),
        (
            r#"{"a":[{"initial":{"x":1},"final":{"x":1}}],"b":[{"initial":{"x":1},"final":{"x":1}}]}"#
                .to_owned(),
            &["cases = \"$.a[*]\" # uncertain: not read: $.b[*]"],
        ),
        (
            r#"[{"comment":"these"},{"name":"a","initial":{"x":1},"final":{"x":1}}]"#.to_owned(),
            &["name = \"$.name\""],
        ),
        (
            r#"[{"initial":{"x":1},"final":{"x":1}},{"name":"a","initial":{"x":1},"final":{"x":1}}]"#
                .to_owned(),
            &["name = \"$.name\""],
        ),
    ] {
        let made = made_of(&vectors);
        for line in lines {
            assert!(made.contains(line), "{line}\n{vectors}\n{made}");
        }
    }
    let folder = folder(&[("m.json", r#"[{"initial":{"x":1},"final":{}}]"#)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(made.exit == 2 && made.stderr.contains("no case demands anything"), "{made:?}");
    std::fs::write(folder.path().join("m.json"), b"[\xff]").unwrap();
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(made.exit == 3 && made.stderr.contains("not UTF-8, at byte 1"), "{made:?}");
}

/// A declaration is made from any vectors: what lies deep, or is always empty, becomes `json`.
#[test]
fn deep_and_empty_data_are_declared() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let objects = format!("{}1{}", "{\"o\":".repeat(100), "}".repeat(100));
    for (value, declared) in [
        (deep.as_str(), "is nested too deeply to be examined"),
        (&objects, "is nested too deeply to be examined"),
        ("{}", "only empty objects were seen"),
        (r#"[{"n":"a","v":1},{"n":"b","v":1}]"#, "d = [{ n = \"text\", v = \"u8\" }]"),
    ] {
        let case = format!(r#"{{"name":"c","initial":{{"d":{value}}},"final":{{"d":{value}}}}}"#);
        let folder = folder(&[("m.json", &format!("[{case},{case}]"))]);
        let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
        assert!(made.exit == 0 && made.stdout.contains(declared), "{made:?}");
        std::fs::write(folder.path().join("m.toml"), &made.stdout).unwrap();
        let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
        assert_eq!(checked.exit, 0, "{}: {checked:?}", made.stdout);
    }
}

/// A name may have characters that reorder the text of a terminal, or tag it invisibly: a declaration has escapes of
/// them.
#[test]
fn declarations_from_vectors_escape_harmful_names() {
    let [name, initial] = ["n\u{202e}b\u{7f}", "before\u{e0041}"];
    let case = serde_json::json!([{"name": "c", "initial": {name: 300}, "final": {name: 301}, initial: 1}]);
    let folder = folder(&[("m.json", &case.to_string())]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(made.exit == 0 && !made.stdout.contains(is_harmful_in_lines), "{made:?}");
    assert!(made.stdout.contains(r#""n\u202eb\u007f" = "u"#), "{}", made.stdout);
    std::fs::write(folder.path().join("m.toml"), &made.stdout).unwrap();
    let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert_eq!(checked.exit, 0, "{}: {checked:?}", made.stdout);
}

fn is_harmful_in_lines(character: char) -> bool {
    character != '\n' && vmconf::model::escape::is_harmful(character)
}

#[test]
fn a_case_without_steps_compares_nothing() {
    let declared = "machine = 'm'\n[state]\npc = 'u8'\n[format]\ncases = '$[*]'\nprogram = { pc = '$.pc' }\n\
                    steps = '$.steps[*]'\n[format.step]\nexpect = { pc = '$.pc' }\n";
    let folder = folder(&[("m.toml", declared), ("m.json", "[{\"pc\":1,\"steps\":[]}]")]);
    let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"]);
    assert!(ran.stdout.contains("there are no steps, so nothing is compared"), "{ran:?}");
}

#[test]
fn ignored_fields_must_exist() {
    for (ignored, fault) in [
        ("nosuch", "toy has no field \"nosuch\""),
        ("byte,flag", "toy has no field \"byte,flag\""),
        ("byte:0x100", "has bits that the field byte does not have"),
        ("word:0x1", "has bits that the field word does not have"),
    ] {
        let args =
            ["run", "tests/families/types.json", "--family", "tests/families/toy.toml", "--ignore", ignored];
        let ran = vmconf(&args);
        assert_eq!(ran.exit, 2, "{ran:?}");
        assert!(ran.stderr.contains(fault), "{ran:?}");
    }
    let ran = vmconf(&["list", "families/vectors/z80", "--ignore", "nosuch"]);
    assert_eq!(ran.exit, 2, "{ran:?}");
}

/// An answer with a member twice is refused for that.
#[test]
#[cfg(unix)]
fn a_member_twice_in_an_answer_is_named() {
    let folder =
        folder(&[("m.toml", &declaration("a = 'u8'")), ("m.json", r#"[{"b":{"a":1},"e":{"a":1}}]"#)]);
    let vm = answering(folder.path(), r#"{"a":1}"#);
    let script = folder.path().join("machine.sh");
    let text = std::fs::read_to_string(&script).unwrap().replace(r#"'{"a":1}'"#, r#"'{"a":2,"a":1}'"#);
    std::fs::write(&script, text).unwrap();
    let ran = vmconf_in(folder.path(), &["run", "m.json", "--family", "./m.toml", "--vm", &vm]);
    assert!(ran.stdout.contains("it has the field a twice"), "{ran:?}");
    assert!(!ran.stdout.contains("something else than"), "{ran:?}");
}

/// An answer to another request, or with another number of states, is none, as for machines that are embedded.
#[test]
#[cfg(unix)]
fn answers_of_a_family_are_to_their_requests() {
    for (from, to, said) in [
        (r#""id":%s"#, r#""id":7%s"#, "answered request 71 instead of request 1"),
        (r#""steps":[{"fields":%s}]"#, r#""steps":[],"x":%s"#, "answered 0 of 1 steps"),
        (r#"{"fields":%s}"#, r#"{"fields":%s},{"fields":{}}"#, "answered 2 of 1 steps"),
    ] {
        let folder =
            folder(&[("m.toml", &declaration("a = 'u8'")), ("m.json", r#"[{"b":{"a":1},"e":{"a":1}}]"#)]);
        let vm = answering(folder.path(), r#"{"a":1}"#);
        let script = folder.path().join("machine.sh");
        let text = std::fs::read_to_string(&script).unwrap().replace(from, to);
        std::fs::write(&script, text).unwrap();
        let ran = vmconf_in(folder.path(), &["run", "m.json", "--family", "./m.toml", "--vm", &vm]);
        assert!(ran.exit == 3 && ran.stdout.contains(said), "{said}: {ran:?}");
    }
}

/// Names in quotes have the escapes of RFC 9535, and constants all values of their types.
#[test]
fn names_and_constants_are_read_whole() {
    let declared = |path: &str, value: &str| {
        format!(
            "machine = 'm'\n[state]\ny = 'u8'\nz = 'u64'\n[format]\ncases = '$[*]'\nexpect = {{ y = '''{path}''', z = {{ value = {value} }} }}\n"
        )
    };
    for path in ["$[\"a\\u0062\"]", "$[\"\\u0061b\"]", "$['ab']"] {
        let folder =
            folder(&[("m.toml", &declared(path, "18446744073709551615")), ("m.json", "[{\"ab\":1}]")]);
        let ran = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
        assert!(ran.stdout.contains("demanded: y, z"), "{path}: {ran:?}");
    }
    let fault = |path: &str| Declaration::parse(&declared(path, "1")).expect_err(path)[0].to_string();
    assert!(fault("$['\\x41']").contains("an unknown escape sequence"), "{}", fault("$['\\x41']"));
    assert!(fault("$['\\ud800']").contains("an unknown escape sequence"), "{}", fault("$['\\ud800']"));
    assert!(Declaration::parse(&declared("$['\\ud83d\\ude00']", "1")).is_ok());
    let wide = Declaration::parse(&declared("$.y", "18446744073709551616")).expect_err("wide");
    assert!(wide[0].to_string().contains("more than 64 bits in quotes"), "{wide:?}");
}

/// A step without the list of its actions names the datum that is missing or wrong.
#[test]
fn actions_of_a_step_are_a_list() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let declaration = "machine = \"toy\"\ntitle = \"toy\"\n[state]\na = \"u8\"\n[format]\ncases = \"$[*]\"\n\
        steps = \"$.steps[*]\"\n[format.step]\ndo = \"$.do\"\nexpect = { a = \"$.a\" }\n";
    std::fs::write(path("toy.toml"), declaration).unwrap();
    for (step, expected) in [
        ("{\"a\": 1}", "there is no $.do"),
        ("{\"do\": \"execute\", \"a\": 1}", "$.do is a string"),
        ("{\"do\": [\"execute\"], \"a\": 1}", ""),
    ] {
        std::fs::write(path("v.json"), format!("[{{\"steps\": [{step}]}}]")).unwrap();
        let found = vmconf(&["check", &path("v.json"), "--family", &path("toy.toml")]).stdout;
        assert!(found.contains(expected), "{step}: {found}");
        assert_eq!(found.contains("a list of actions, such as"), !expected.is_empty(), "{step}: {found}");
    }
}
