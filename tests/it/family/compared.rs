//! What of a field is compared, and what a user ignores.

use super::{against, against_with, answering, declaration, folder, vmconf_in};
use crate::support::{at_root, vmconf};

/// A family whose cases have steps.
const STEPS: &str = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nprogram = { '*' = '$.b' }\n\
    steps = '$.steps[*]'\n[format.step]\nexpect = { '*' = '$.e' }\n";

/// `json` is compared as JSON values, in which members have no order, wherever an object is.
#[test]
fn members_of_objects_in_lists_have_no_order() {
    let expected = r#"[{"b":{"s":[]},"e":{"s":[{"a":1,"b":[{"c":1,"d":2}]}]}}]"#;
    for state in ["s = 'json'", "s = '[json]'"] {
        assert_eq!(against(state, expected, r#"{"s":[{"b":[{"d":2,"c":1}],"a":1}]}"#).exit, 0, "{state}");
        assert_eq!(against(state, expected, r#"{"s":[{"b":[{"d":1,"c":2}],"a":1}]}"#).exit, 1, "{state}");
    }
}

/// `order` is an option of the field: lists in its list keep their order.
#[test]
fn any_order_is_that_of_the_outer_list() {
    let state = "s = { type = '[[u8]]', order = 'any' }";
    let vectors = r#"[{"b":{"s":[]},"e":{"s":[[1],[2,3]]}}]"#;
    assert_eq!(against(state, vectors, r#"{"s":[[2,3],[1]]}"#).exit, 0);
    assert_eq!(against(state, vectors, r#"{"s":[[3,2],[1]]}"#).exit, 1);
}

/// Items in any order are compared by the bits that are.
#[test]
fn a_list_in_any_order_is_compared_under_its_mask() {
    let state = "s = { type = [{ a = { type = 'u8', mask = '0x0f' } }], order = 'any' }";
    let vectors = r#"[{"b":{"s":[]},"e":{"s":[{"a":1},{"a":2}]}}]"#;
    assert_eq!(against(state, vectors, r#"{"s":[{"a":18},{"a":17}]}"#).exit, 0);
    assert_eq!(against(state, vectors, r#"{"s":[{"a":18},{"a":19}]}"#).exit, 1);
}

/// `json` has numbers by their values, with their signs.
#[test]
fn fractions_are_compared_by_value() {
    for (reported, exit) in [("-1.5", 0), ("-15e-1", 0), ("-1.50", 0), ("1.5", 1), ("-1.25", 1), ("-15", 1)] {
        let ran = against("s = 'json'", r#"[{"b":{},"e":{"s":-1.5}}]"#, &format!(r#"{{"s":{reported}}}"#));
        assert_eq!(ran.exit, exit, "{reported}: {ran:?}");
    }
}

/// An address is one of its type in each notation of a memory.
#[test]
fn addresses_of_a_memory_are_of_their_type() {
    for (cells, exit) in [
        (r#"{"255":7}"#, 0),
        (r#"{"256":7}"#, 3),
        (r#"{"-1":7}"#, 3),
        ("[[255,7]]", 0),
        ("[[256,7]]", 3),
        (r#"[{"address":255,"contents":[7]}]"#, 0),
        (r#"[{"address":255,"contents":[7,0]}]"#, 3),
    ] {
        let vectors = format!(r#"[{{"b":{{}},"e":{{"s":{cells}}}}}]"#);
        let ran = against("s = 'memory<u8, u8>'", &vectors, r#"{"s":[[255,7]]}"#);
        assert_eq!(ran.exit, exit, "{cells}: {ran:?}");
    }
}

/// Even if no cell of it is demanded, a field must be reported.
#[test]
fn a_field_that_is_not_reported_fails() {
    for (state, none) in [
        ("s = 'memory<u16, u8>'", "[]"),
        ("s = 'map<u8, memory<u8, u8>>'", "{}"),
        ("s = 'map<u8, u8>'", "{}"),
        ("s = '[u8]'", "[]"),
    ] {
        let state = format!("{state}\na = 'u8'");
        let vectors = format!(r#"[{{"b":{{"s":{none},"a":1}},"e":{{"s":{none},"a":1}}}}]"#);
        let both = format!(r#"{{"s":{none},"a":1}}"#);
        assert_eq!(against(&state, &vectors, &both).exit, 0, "{state}");
        // The machine says that it reports the field.
        let folder = folder(&[("m.toml", &declaration(&state)), ("m.json", &vectors)]);
        let vm = answering(folder.path(), &both);
        let script = folder.path().join("machine.sh");
        let without = std::fs::read_to_string(&script).unwrap().replace(&both, r#"{"a":1}"#);
        std::fs::write(&script, without).unwrap();
        let ran = vmconf_in(folder.path(), &["run", "m.json", "--family", "./m.toml", "--vm", &vm]);
        assert_eq!(ran.exit, 1, "{state}: {ran:?}");
    }
}

/// The bits of all masks of a field are ignored, in each number of it.
#[test]
fn ignored_bits_are_those_of_all_masks() {
    let number = r#"[{"b":{"s":0},"e":{"s":0}}]"#;
    let both = ["--ignore", "s:0x20", "--ignore", "s:0x8"];
    assert_eq!(against_with(&both, "s = 'u8'", number, r#"{"s":40}"#).exit, 0);
    assert_eq!(against_with(&both, "s = 'u8'", number, r#"{"s":41}"#).exit, 1);
    let lowest = ["--ignore", "s:0x1"];
    for (state, vectors, same, other) in [
        ("s = 'memory<u8, u8>'", r#"[{"b":{"s":[]},"e":{"s":[[1,2]]}}]"#, "[[1,3],[2,1]]", "[[1,3],[2,2]]"),
        ("s = 'memory<u8, u8>'", r#"[{"b":{"s":[]},"e":{"s":[[1,1]]}}]"#, "[]", "[[1,2]]"),
        ("s = '[u8]'", r#"[{"b":{"s":[]},"e":{"s":[2,4]}}]"#, "[3,5]", "[2,7]"),
        ("s = '(u8, u8)'", r#"[{"b":{"s":[0,0]},"e":{"s":[2,4]}}]"#, "[3,5]", "[2,7]"),
        ("s = 'map<u8, u8>'", r#"[{"b":{"s":{}},"e":{"s":{"7":2}}}]"#, r#"{"7":3}"#, r#"{"7":2,"8":1}"#),
    ] {
        for (value, exit) in [(same, 0), (other, 1)] {
            let ran = against_with(&lowest, state, vectors, &format!(r#"{{"s":{value}}}"#));
            assert_eq!(ran.exit, exit, "{state}: {value}: {ran:?}");
        }
    }
}

/// A part of a field that is ignored, or some bits of it; all else is compared.
#[test]
fn parts_of_fields_are_ignored() {
    let table = "cpu = { a = 'u8', f = 'u8' }";
    let tables = "cpus = [{ f = 'u8' }]";
    for (state, ignored, demanded, same, other) in [
        (table, "cpu/f", r#"{"a":1,"f":2}"#, r#"{"a":1,"f":3}"#, r#"{"a":2,"f":2}"#),
        (table, "cpu/f:0x28", r#"{"a":1,"f":2}"#, r#"{"a":1,"f":42}"#, r#"{"a":1,"f":3}"#),
        (table, "cpu/f:0x28", r#"{"a":1,"f":2}"#, r#"{"a":1,"f":10}"#, r#"{"a":9,"f":2}"#),
        (tables, "cpus[1]/f", r#"[{"f":1},{"f":2}]"#, r#"[{"f":1},{"f":7}]"#, r#"[{"f":7},{"f":2}]"#),
        ("s = '(u8, u8)'", "s[1]", "[2,4]", "[2,5]", "[3,4]"),
        ("s = 'map<u8, u8>'", "s/0x7", r#"{"7":2,"8":1}"#, r#"{"7":3,"8":1}"#, r#"{"7":2,"8":3}"#),
        ("s = 'memory<u16, u8>'", "s/0x10", "[[16,1],[17,2]]", "[[16,9],[17,2]]", "[[16,1],[17,9]]"),
        ("s = 'memory<u16, u8>'", "s/0x10", "[[17,2]]", "[[16,9],[17,2]]", "[[17,2],[1,1]]"),
    ] {
        let name = state.split(' ').next().unwrap();
        let vectors = format!(r#"[{{"b":{{}},"e":{{"{name}":{demanded}}}}}]"#);
        for (value, exit) in [(demanded, 0), (same, 0), (other, 1)] {
            let answer = format!(r#"{{"{name}":{value}}}"#);
            let ran = against_with(&["--ignore", ignored], state, &vectors, &answer);
            assert_eq!(ran.exit, exit, "{state} without {ignored}: {value}: {ran:?}");
        }
        assert_eq!(against(state, &vectors, &format!(r#"{{"{name}":{same}}}"#)).exit, 1, "{state}: {same}");
    }
    let vectors = r#"[{"b":{},"e":{"cpu":{"a":1,"f":2}}}]"#;
    let ran = against_with(&["--ignore", "cpu/f"], table, vectors, r#"{"cpu":{"a":1,"f":3}}"#);
    assert!(ran.stdout.contains("not compared: cpu/f, 1 assertion; --ignore cpu/f"), "{ran:?}");
    // A tuple is demanded as a whole.
    let vectors = r#"[{"b":{},"e":{"s":[2,4]}}]"#;
    let ran = against_with(&["--ignore", "s[1]"], "s = '(u8, u8)'", vectors, r#"{"s":[2,5]}"#);
    assert!(ran.stdout.contains("not compared: s[1], 1 assertion; --ignore s[1]"), "{ran:?}");
}

/// A part that no case can have would be compared, or not, without a word.
#[test]
fn ignored_parts_must_exist() {
    let state = "cpu = { f = 'u8' }\nu = { type = [{ a = 'u8' }], order = 'any' }\np = '[u8; 4]'\n\
        ram = 'memory<u16, u8>'\nk = 'map<u8, u8>'";
    for (ignored, fault) in [
        ("cpu/g", "--ignore cpu/g: the field cpu has no such part"),
        ("cpu[0]", "--ignore cpu[0]: the field cpu has no such part"),
        ("cpu/f/f", "--ignore cpu/f/f: the field cpu has no such part"),
        ("cpu/f:0x100", "has bits that the field cpu/f does not have"),
        ("cpv/f", "m has no field \"cpv\""),
        ("u[0]/a", "--ignore u[0]/a: the order of this list is not compared"),
        ("p[4]", "--ignore p[4]: the list has 4 items, counted from 0"),
        ("ram/0x01", "--ignore ram/0x01: 0x01 is not a number as reports write it, such as 0x1234"),
        ("ram/0x10000", "--ignore ram/0x10000: 0x10000 is no u16"),
        ("k/7", "--ignore k/7: 7 is not a number as reports write it, such as 0x1234"),
        ("cpu/", "\"cpu/\" is not a path; expected names and indices: cpu/f, ports[0]"),
    ] {
        let ran = against_with(&["--ignore", ignored], state, r#"[{"b":{},"e":{"p":[1,2,3,4]}}]"#, "{}");
        assert!(ran.exit == 2 && ran.stderr.contains(fault), "{ignored}: {ran:?}");
    }
}

/// The bits of a negative number are those of its type: -1 and 127 differ in the highest of eight, and not in those
/// above, which are copies of it.
#[test]
fn the_sign_is_one_of_the_bits_that_can_be_ignored() {
    for (number_type, demanded, reported, mask, exit) in [
        ("i8", -1, 127, "0x80", 0),
        ("i8", -1, 126, "0x80", 1),
        ("i8", 127, -1, "0x80", 0),
        ("i8", -1, 0, "0xff", 0),
        ("i16", -1, 255, "0xff00", 0),
        ("i16", -1, 127, "0x80", 1),
        ("i5", -1, 15, "0x10", 0),
        ("i8?", -1, 127, "0x80", 0),
        ("i8", -1, -2, "0x1", 0),
    ] {
        for (declared, written) in [("T", "N"), ("[T]", "[N]"), ("memory<u8, T>", "[[3, N]]")] {
            if declared.starts_with('m') && number_type.ends_with('?') {
                continue;
            }
            let state = format!("s = '{}'", declared.replace('T', number_type));
            let value = |number: i32| written.replace('N', &number.to_string());
            let vectors = format!(r#"[{{"b":{{}},"e":{{"s":{}}}}}]"#, value(demanded));
            let answer = format!(r#"{{"s":{}}}"#, value(reported));
            let ran = against_with(&["--ignore", &format!("s:{mask}")], &state, &vectors, &answer);
            assert_eq!(ran.exit, exit, "{state}, {demanded} and {reported} without {mask}: {ran:?}");
        }
    }
}

/// What is not compared is counted once for each step that demands it, however many data it has.
#[test]
fn demands_on_a_field_that_is_ignored_are_counted_by_steps() {
    let vectors = r#"[{"b":{},"e":{"s":[1,2],"a":7}},{"b":{},"e":{"s":[3,4,5],"a":7}}]"#;
    let ran = against_with(&["--ignore", "s"], "s = '[u8]'\na = 'u8'", vectors, r#"{"s":[],"a":7}"#);
    assert!(ran.stdout.contains("not compared: s, 2 assertions; --ignore s"), "{ran:?}");
}

/// The table of a failure has the fields that the case changes and that are right, as far as they are compared.
#[test]
fn the_table_of_a_failure_ignores_bits_that_are_not_compared() {
    let state = "f = { type = 'u8', mask = '0x0f' }\ng = { type = 'u8', mask = '0x0f' }\na = 'u8'";
    let vectors = r#"[{"b":{"f":1,"g":17,"a":1},"e":{"f":2,"g":1,"a":7}}]"#;
    let ran = against(state, vectors, r#"{"f":50,"g":33,"a":1}"#);
    assert!(ran.stdout.contains("  f  0x01    0x02      0x32\n    * a  0x01"), "{ran:?}");
    assert!(!ran.stdout.contains("  g  "), "{ran:?}");
}

/// Of several steps that fail, the table is that of the first.
#[test]
fn the_table_of_a_failure_is_that_of_the_first_step_that_fails() {
    let vectors = r#"[{"b":{"a":1},"steps":[{"e":{"a":2}},{"e":{"a":3}}]}]"#;
    let folder = folder(&[("m.toml", STEPS), ("m.json", vectors)]);
    let vm = answering(folder.path(), r#"{"a":7}"#);
    let script = folder.path().join("machine.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace(r#"{"fields":%s}"#, r#"{"fields":%s},{"fields":{"a":8}}"#)).unwrap();
    let ran = vmconf_in(folder.path(), &["run", "m.json", "--family", "./m.toml", "--vm", &vm]);
    assert!(ran.stdout.contains("    * a  0x01    0x02      0x07    1:34\n"), "{ran:?}");
}

/// How a run ends decides whether the rest is compared, unless it is ignored. Of the first sample, nothing is left then.
#[test]
fn the_rest_is_compared_if_the_outcome_is_ignored() {
    for (sample, exit) in [("halt-expected", 4), ("gas", 1)] {
        let sample = format!("tests/samples/vmtests/wrong/{sample}.json");
        assert_eq!(vmconf(&["run", &sample]).exit, 1, "{sample}");
        assert_eq!(vmconf(&["run", &sample, "--ignore", "outcome"]).exit, exit, "{sample}");
    }
}

/// What is said of single bits is said of those that are compared.
#[test]
fn ignored_flags_are_not_blamed() {
    let state = "f = { type = 'u8', flags = 'SZYHXPNC' }";
    let ran = against_with(&["--ignore", "f:0x28"], state, r#"[{"b":{},"e":{"f":0}}]"#, r#"{"f":105}"#);
    assert!(ran.exit == 1 && ran.stdout.contains("Z, C set, must be clear"), "{ran:?}");
}

/// Of a number of which some bits are compared, reports say the number that is demanded and the one that is reported,
/// which bits are compared, and which of them differ.
#[test]
fn numbers_under_a_mask_are_reported_whole() {
    let named = "f = { type = 'u8', flags = 'SZYHXPNC', mask = '0xd7' }";
    let plain = "f = { type = 'u8', mask = '0x0f' }";
    let inside = "f = [{ a = { type = 'i8', mask = '0x8f' } }]";
    let ignored: &[&str] = &["--ignore", "f:0x28"];
    for (flags, state, demanded, reported, text, numbers, mask, note) in [
        (
            &[][..],
            named,
            "4",
            "105",
            ["0x04", "0x69"],
            ["4", "105"],
            "0xd7",
            "Z, C set, must be clear; P clear, must be set; only 0xd7 is compared",
        ),
        (&[], plain, "16", "33", ["0x10", "0x21"], ["16", "33"], "0xf", "0x1 differs; only 0xf is compared"),
        (
            ignored,
            "f = 'u8'",
            "16",
            "57",
            ["0x10", "0x39"],
            ["16", "57"],
            "0xd7",
            "0x1 differs; only 0xd7 is compared",
        ),
        (
            ignored,
            plain,
            "16",
            "57",
            ["0x10", "0x39"],
            ["16", "57"],
            "0x7",
            "0x1 differs; only 0x7 is compared",
        ),
        (
            &[],
            inside,
            r#"[{"a":16}]"#,
            r#"[{"a":-1}]"#,
            ["0x10", "-0x01"],
            ["16", "-1"],
            "0x8f",
            "0x8f differs; only 0x8f is compared",
        ),
    ] {
        let vectors = format!(r#"[{{"b":{{}},"e":{{"f":{demanded}}}}}]"#);
        let answer = format!(r#"{{"f":{reported}}}"#);
        let shown = against_with(flags, state, &vectors, &answer);
        assert!(shown.exit == 1 && shown.stdout.contains(note), "{state}: {shown:?}");
        assert!(text.iter().all(|number| shown.stdout.contains(number)), "{state}: {shown:?}");
        let json = against_with(&[flags, &["--report", "json"]].concat(), state, &vectors, &answer);
        let [demanded, reported] = numbers;
        let difference = format!(
            r#""expected":{{"int":"{demanded}"}},"actual":{{"int":"{reported}"}},"mask":"{mask}","note":"{note}""#
        );
        assert!(json.stdout.contains(&difference), "{difference}: {json:?}");
    }
}

/// What differs in a map is an entry of it, at its place; an entry too many is told with its key, at the place of the map.
#[test]
fn entries_of_maps_have_their_places() {
    let state = "m = 'map<u8, u8>'\nn = 'map<text, map<text, u8>>'";
    let vectors = "[{\"b\":{},\"e\":{\n\"m\":{\n\"1\":2,\n\"3\":4},\n\"n\":{\n\"a\":{\"x\":1},\n\"b\":{}}}}]";
    let right = r#"{"m":{"1":2,"3":4},"n":{"a":{"x":1},"b":{}}}"#;
    assert_eq!(against(state, vectors, right).exit, 0);
    for (from, to, differs) in [
        (
            r#""3":4"#,
            r#""3":5"#,
            r#""path":"m/0x3","expected":{"int":"4"},"actual":{"int":"5"},"line":4,"column":5"#,
        ),
        (
            r#","3":4"#,
            "",
            r#""path":"m/0x3","expected":{"int":"4"},"actual":{"absent":true},"line":4,"column":5"#,
        ),
        (
            r#""3":4"#,
            r#""3":4,"9":0"#,
            r#""path":"m/0x9","expected":{"absent":true},"actual":{"int":"0"},"line":2,"column":5"#,
        ),
        (
            r#""x":1"#,
            r#""x":7"#,
            r#""path":"n/a/x","expected":{"int":"1"},"actual":{"int":"7"},"line":6,"column":10"#,
        ),
        (
            r#","b":{}"#,
            "",
            r#""path":"n/b","expected":{"type":"object"},"actual":{"absent":true},"line":7,"column":5"#,
        ),
        (
            r#""b":{}"#,
            r#""b":{"y":2}"#,
            r#""path":"n/b/y","expected":{"absent":true},"actual":{"int":"2"},"line":7,"column":5"#,
        ),
    ] {
        let ran = against_with(&["--report", "json"], state, vectors, &right.replace(from, to));
        let only = format!(r#""differences":[{{{differs}}}],"#);
        assert!(ran.exit == 1 && ran.stdout.contains(&only), "{differs}: {ran:?}");
    }
}

/// A machine that reports nothing of what a case demands has not passed it.
#[test]
fn a_case_of_which_all_is_left_out_is_unsupported() {
    let declared = format!("optional = ['f', 'g']\n{}", declaration("a = 'u8'\nf = 'u8'\ng = 'u8'"));
    let vectors = r#"[{"b":{},"e":{"a":7,"f":2}},{"b":{},"e":{"f":3,"g":4}}]"#;
    let folder = folder(&[("m.toml", &declared), ("m.json", vectors)]);
    let vm = answering(folder.path(), r#"{"a":"0x7"}"#);
    let ran = vmconf_in(folder.path(), &["run", "m.json", "--family", "./m.toml", "--vm", &vm]);
    assert!(ran.exit == 0 && ran.stdout.contains("1 passed, "), "{ran:?}");
    assert!(ran.stdout.contains("1 unsupported"), "{ran:?}");
    assert!(ran.stdout.contains("nothing that the case demands: f, g"), "{ran:?}");
    let ignoring = ["--ignore", "a", "--ignore", "f", "--ignore", "g"];
    let ran = vmconf_in(
        folder.path(),
        &[&["run", "m.json", "--family", "./m.toml", "--vm", &vm], &ignoring[..]].concat(),
    );
    assert!(ran.exit == 4 && ran.stdout.contains("2 unsupported"), "{ran:?}");
    assert!(ran.stdout.contains("everything that the case demands is ignored: a, f"), "{ran:?}");
}

/// Also on an embedded machine, whatever it does with the rest.
#[test]
fn a_case_of_which_all_is_ignored_is_unsupported() {
    let run = |ignored: &[&str]| vmconf(&[&["run", "vectors/evm/arithmetic/add.json"], ignored].concat());
    assert_eq!(run(&["--ignore", "gas"]).exit, 0);
    let fields = ["outcome", "gas", "out", "logs", "logsHash", "callcreates", "post"];
    let ran = run(&fields.map(|field| ["--ignore", field]).concat());
    assert!(ran.exit == 4 && ran.stdout.contains("0 passed"), "{ran:?}");
    assert!(ran.stdout.contains("everything that the case demands is ignored: "), "{ran:?}");
}

/// Cells that are not listed may have any value, but there must be a memory.
#[test]
fn a_memory_of_any_cells_is_a_demand() {
    let state = "m = { type = 'memory<u8, u8>', unlisted = 'any' }\na = 'u8'";
    let vectors = r#"[{"b":{},"e":{"m":[],"a":1}}]"#;
    assert_eq!(against(state, vectors, r#"{"m":[[1,2]],"a":1}"#).exit, 0);
    let lacking = against(state, vectors, r#"{"a":1}"#);
    assert!(lacking.stdout.contains("1 unsupported") && lacking.stdout.contains("no field m"), "{lacking:?}");
}

/// Globs with a slash are matched from the folder of the declaration, wherever vmconf works.
#[test]
fn globs_of_files_are_relative_to_the_declaration() {
    let with = |glob: &str| {
        declaration("a = 'u8'").replace("[format]\n", &format!("[format]\nfiles = ['{glob}']\n"))
    };
    let vectors = r#"[{"b":{},"e":{"a":7}}]"#;
    let folder = folder(&[("v.json", vectors)]);
    let below = folder.path().join("fam/sub");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(below.join("q.json"), vectors).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, vectors.as_bytes()).unwrap();
    std::fs::write(below.join("z.json.gz"), gzip.finish().unwrap()).unwrap();
    let declared = folder.path().join("fam/m.toml");
    let fits = |file: &str, from: &str, family: &str| {
        let ran = vmconf_in(&folder.path().join(from), &["list", file, "--family", family]);
        assert_eq!(ran.exit == 0, ran.stdout.ends_with("::0\n"), "{ran:?}");
        ran.exit == 0
    };
    for (glob, of_q, of_z) in [
        ("sub/*.json", true, true),
        ("./sub/*.json", true, true),
        ("sub/*.json.gz", false, true),
        ("*.json.gz", false, true),
        ("*.json", true, true),
        ("other/*.json", false, false),
    ] {
        std::fs::write(&declared, with(glob)).unwrap();
        assert_eq!(fits("sub/q.json", "fam", "./m.toml"), of_q, "{glob}");
        assert_eq!(fits("fam/sub/q.json", ".", "fam/m.toml"), of_q, "{glob}");
        assert_eq!(fits("q.json", "fam/sub", "../m.toml"), of_q, "{glob}");
        assert_eq!(fits("fam/sub/z.json.gz", ".", "fam/m.toml"), of_z, "{glob}");
        let checked = vmconf_in(folder.path(), &["family", "check", "fam/m.toml", "fam/sub/q.json"]);
        assert_eq!(checked.exit == 0, of_q, "{glob}: {checked:?}");
    }
    std::fs::write(&declared, with("../v.json")).unwrap();
    let ran = vmconf_in(folder.path(), &["family", "check", "fam/m.toml"]);
    assert!(ran.exit != 0 && ran.stderr.contains("leads out of the folder of the declaration"), "{ran:?}");
}

/// What lies beside the cases is known if the declaration says why it is ignored.
#[test]
fn members_beside_the_cases_are_noted() {
    let declaration = declaration("s = 'u8'").replace("cases = '$[*]'", "cases = '$.tests[*]'");
    let vectors = r#"{"meta":1,"tests":[{"b":{"s":1},"e":{"s":1}}],"tests2":[{"b":{"s":1},"e":{"s":2}}]}"#;
    let folder = folder(&[("m.toml", &declaration), ("m.json", vectors)]);
    let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml", "--all"]);
    for note in ["\"meta\" is ignored\n --> m.json:1:2", "\"tests2\" is ignored\n --> m.json:1:47"] {
        assert!(ran.stdout.contains(note), "{note}: {ran:?}");
    }
    let vm = answering(folder.path(), r#"{"s":1}"#);
    let strict = ["run", "m.json", "--family", "./m.toml", "--strict", "--vm", &vm];
    let ran = vmconf_in(folder.path(), &strict);
    assert!(ran.exit == 3 && ran.stdout.contains("1 passed, 0 failed, 1 error"), "{ran:?}");

    let ignored = "[format]\nignore-in-file = { '$.meta' = 'a number', '$.tests2[*].b' = 'old', '$.tests2[*].e' = 'old' }";
    let known = declaration.replace("[format]", ignored);
    std::fs::write(folder.path().join("m.toml"), &known).unwrap();
    let ran = vmconf_in(folder.path(), &strict);
    assert!(ran.exit == 0 && !ran.stdout.contains("is ignored"), "{ran:?}");
    let check = ["family", "check", "m.toml", "m.json"];
    assert!(!vmconf_in(folder.path(), &check).stderr.contains("none of these files"));
    std::fs::write(folder.path().join("m.toml"), known.replace("$.meta", "$.mate")).unwrap();
    let checked = vmconf_in(folder.path(), &check);
    assert!(checked.stderr.contains("none of these files has $.mate"), "{checked:?}");
}

/// Cells and keys are selected in any notation of their numbers.
#[test]
fn keys_that_are_numbers_are_selected_in_each_notation() {
    let vectors = r#"[{"b":{"m":[[16,8]],"k":{"1":2}},"e":{}}]"#;
    let folder =
        folder(&[("m.toml", &declaration("m = 'memory<u16, u8>'\nk = 'map<u8, u8>'")), ("m.json", vectors)]);
    let count = |selected: &str| {
        let expression = format!("has({selected})");
        let args = ["list", "m.json", "--family", "./m.toml", "-E", &expression];
        vmconf_in(folder.path(), &args).stdout.lines().count()
    };
    for selected in ["m/16=8", "m/0x10=0x8", "k/1=2", "k/0x1=2"] {
        assert_eq!(count(selected), 1, "{selected}");
    }
    for other in ["m/16=9", "m/17=8", "m/x=8", "k/-1=2"] {
        assert_eq!(count(other), 0, "{other}");
    }
}

/// One warning says that a case demands nothing.
#[test]
fn a_case_without_expectations_has_one_warning() {
    let vectors = r#"[{"b":{"a":1},"e":{"a":7}},{"b":{"a":1},"e":{}}]"#;
    let folder = folder(&[("m.toml", &declaration("a = 'u8'")), ("m.json", vectors)]);
    let checked = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"]);
    assert!(checked.stdout.contains("nothing-compared"), "{checked:?}");
    assert!(checked.stdout.ends_with("0 errors, 1 warning, 0 notes; 0 fixable\n"), "{checked:?}");
}

/// Machines in a matrix look alike only if it says what was left out.
#[test]
fn a_matrix_lists_what_it_does_not_compare() {
    let declared = format!("optional = ['f']\n{}", declaration("a = 'u8'\nf = 'u8'"));
    let vectors = r#"[{"b":{},"e":{"a":7,"f":2}},{"b":{},"e":{"a":7,"f":3}}]"#;
    let folder = folder(&[("m.toml", &declared), ("m.json", vectors)]);
    let vm = answering(folder.path(), r#"{"a":"0x7"}"#);
    let matrix = |form: &str| {
        let args = ["matrix", "m.json", "--family", "./m.toml", "--vm", &vm, "--output", form];
        let ran = vmconf_in(folder.path(), &args);
        assert_eq!(ran.exit, 0, "{ran:?}");
        ran.stdout
    };
    let line = "c: not compared: f, 2 assertions; c does not report it";
    // Punctuation has no meaning in Markdown as a reference.
    let referenced =
        line.replace(':', "&#58;").replace(',', "&#44;").replace("assertions;", "assertions&#59;");
    for (form, line) in [("text", line), ("markdown", &referenced), ("html", line)] {
        assert!(matrix(form).contains(line), "{form}");
    }
    let json: serde_json::Value = serde_json::from_str(&matrix("json")).unwrap();
    let expected = serde_json::json!([{"machine": "c", "field": "f", "assertions": 2, "vm": "c"}]);
    assert_eq!(json["notCompared"], expected);
    let schema = std::fs::read_to_string(at_root("schemas/matrix.schema.json")).unwrap();
    let schema = crate::support::validator::Validator::new(&serde_json::from_str(&schema).unwrap());
    schema.assert_accepts(&json, "the matrix");
}

/// How many items of a file are no cases is counted.
#[test]
fn items_that_are_not_cases_are_counted() {
    let declaration = declaration("a = 'u8'").replace("[format]\n", "[format]\nhas = ['$.e']\n");
    let case = r#"{"b":{"a":1},"e":{"a":7}}"#;
    for (others, note) in [
        (r#"{"b":{}}"#, "1 item is not a case: without $.e\n --> m.json:1:29"),
        (r#"{"b":{}}, 1, []"#, "3 items are not cases: without $.e\n --> m.json:1:29"),
    ] {
        let folder = folder(&[("m.toml", &declaration), ("m.json", &format!("[{case}, {others}]"))]);
        let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml", "--all"]);
        assert!(ran.stdout.contains(note), "{note}: {ran:?}");
    }
}

/// The object of all demanded fields is one of each step, not of the case.
#[test]
fn a_format_with_steps_fits_by_what_a_case_has() {
    let vectors = r#"[{"b":{"a":1},"steps":[{"e":{"a":7}}]}]"#;
    let folder = folder(&[("m.toml", STEPS), ("m.json", vectors)]);
    let ran = vmconf_in(folder.path(), &["list", "m.json", "--family", "./m.toml"]);
    assert_eq!(ran.stdout, "m.json::0\n", "{ran:?}");
}

/// Vectors that leave out the registers which an instruction does not change.
#[test]
#[cfg(unix)]
fn given_fields_that_are_not_listed_must_be_unchanged() {
    const DECLARATION: &str = "machine = 'm'\n[state]\na = 'u8'\nb = 'u8'\nc = 'u8'\nram = 'memory<u8, u8>'\n[format]\n\
        cases = '$[*]'\nprogram = { '*' = '$.b.regs', ram = '$.b.ram' }\n\
        expect = { '*' = { at = '$.e.regs', unlisted = 'unchanged' }, ram = '$.e.ram', c = '$.c' }\n";
    const VECTORS: &str = r#"[{"b":{"regs":{"a":1,"b":2,"c":3},"ram":[]},"e":{"regs":{"a":5},"ram":[]}}]"#;
    let folder = folder(&[("m.toml", DECLARATION), ("m.json", VECTORS)]);
    let run = |command: &[&str], fields: &str| {
        let vm = answering(folder.path(), fields);
        vmconf_in(folder.path(), &[command, &["m.json", "--family", "./m.toml", "--vm", &vm]].concat())
    };
    // What has a place of its own is demanded only there.
    let unchanged = r#"{"a":5,"b":2,"c":9,"ram":{}}"#;
    assert_eq!(run(&["run"], unchanged).exit, 0);
    let changed = r#"{"a":5,"b":7,"c":9,"ram":{}}"#;
    let ran = run(&["run"], changed);
    let difference = "  m.json:1:57: b differs\n";
    assert!(ran.exit == 1 && ran.stdout.contains(difference), "{ran:?}");
    assert_eq!(run(&["bless", "--yes"], changed).exit, 0);
    let blessed = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    assert_eq!(blessed, VECTORS.replace(r#"{"a":5}"#, r#"{"a":5,"b":7}"#));
    let audit = vmconf_in(folder.path(), &["audit", "m.json", "--family", "./m.toml"]);
    assert!(audit.exit == 0 && !audit.stdout.contains("not noticed:"), "{audit:?}");
}

/// What was given is not the state before a later step.
#[test]
fn unlisted_fields_are_not_compared_in_steps() {
    let declaration = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nprogram = { '*' = '$.b' }\n\
        steps = '$.steps[*]'\n[format.step]\nexpect = { '*' = { at = '$.e', unlisted = 'unchanged' } }\n";
    let folder = folder(&[("m.toml", declaration)]);
    let ran = vmconf_in(folder.path(), &["family", "check", "m.toml"]);
    assert!(ran.exit == 2 && ran.stderr.contains("m.toml:8:1: unlisted = "), "{ran:?}");
}

/// Families whose vectors differ only by their folder, for a user who stands in it. A name of its own that a
/// declaration gives to its files still decides.
#[test]
fn the_folder_around_the_working_one_decides_the_family() {
    let folder = folder(&[(
        "m.toml",
        "machine = 'm'\n[state]\npc = 'u16'\ns = 'u8'\na = 'u8'\nx = 'u8'\ny = 'u8'\np = 'u8'\n\
        ram = 'memory<u16, u8>'\n[format]\nfiles = ['mine-*.json']\ncases = '$[*]'\nname = '$.name'\n\
        program = { '*' = '$.initial' }\nexpect = { '*' = '$.final' }\nignore = { '$.cycles' = 'of no interest' }\n",
    )]);
    let inside = folder.path().join("65x02/6502");
    std::fs::create_dir_all(inside.join("v1")).unwrap();
    let vectors = at_root("families/vectors/6502/one-instruction.json");
    std::fs::copy(vectors, inside.join("v1/a9.json")).unwrap();
    let listed = |args: &[&str]| vmconf_in(&inside, &[&["list", "v1"], args].concat());
    let all = listed(&[]);
    assert!(all.exit == 0 && all.stdout.starts_with("v1/a9.json::"), "{all:?}");
    assert_eq!(listed(&["--family", "6502"]).stdout, all.stdout);
    let named = listed(&["--family", "../../m.toml"]);
    let why = "v1/a9.json:1:1: not a file of m: no format of the declaration reads a file of this name";
    assert!(named.exit == 3 && named.stderr.contains(why), "{named:?}");
    std::fs::rename(inside.join("v1/a9.json"), inside.join("v1/mine-a9.json")).unwrap();
    assert_eq!(listed(&["--family", "../../m.toml"]).exit, 0);
}

/// If such a file were skipped, all its cases would be lost.
#[test]
fn a_file_in_a_folder_that_is_nearly_one_of_a_family_is_an_error() {
    let z80 = std::fs::read_to_string(at_root("families/vectors/z80/one-instruction.json")).unwrap();
    let mos = std::fs::read_to_string(at_root("families/vectors/6502/one-instruction.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&z80).unwrap();
    let each = |change: fn(&mut serde_json::Value)| {
        let mut changed = json.clone();
        changed.as_array_mut().unwrap().iter_mut().for_each(change);
        changed.to_string()
    };
    let undeclared = each(|case| case["final"]["zz"] = 1.into());
    let without_final = each(|case| drop(case.as_object_mut().unwrap().remove("final")));
    let unlike = r#"[{"initial": "idle", "final": "done"}, {"initial": {"door": 1}, "final": {"door": 2}}, [[1, 2, 3, 4, 5, 6]]]"#;
    let folder = folder(&[
        ("v/fits.json", &z80),
        ("v/undeclared.json", &undeclared),
        ("v/without-final.json", &without_final),
        ("v/elsewhere.json", &mos),
        ("v/unlike.json", unlike),
    ]);
    let ran = vmconf_in(folder.path(), &["list", "v"]);
    let errors = [
        "error: v/elsewhere.json:1:1: like a file of 6502, nes6502, rockwell65c02, synertek65c02, wdc65c02, except for \
            its path; expected a path like **/6502/**/*.json, or a path like **/nes6502/**/*.json",
        "nearly a file of z80: the member \"zz\" of $.final is not declared; expected cases of z80 at $[*] with \
            $.initial and $.final",
        "error: v/without-final.json:1:2: nearly a file of z80: a case without $.final",
    ];
    for error in errors {
        assert!(ran.stderr.contains(error), "{error}\n{}", ran.stderr);
    }
    assert!(ran.exit == 3 && ran.stdout.lines().all(|id| id.starts_with("v/fits.json::")), "{ran:?}");
    let alone = vmconf_in(folder.path(), &["list", "v/unlike.json", "v/fits.json"]);
    assert!(alone.exit == 3 && !alone.stderr.contains("like a file of"), "{alone:?}");
    for file in ["undeclared", "without-final", "elsewhere"] {
        std::fs::remove_file(folder.path().join(format!("v/{file}.json"))).unwrap();
    }
    let ran = vmconf_in(folder.path(), &["run", "v"]);
    assert!(ran.stderr.contains("note: v/unlike.json: skipped: not a vector file"), "{ran:?}");
}

/// What an audit says to be compared is that: names with a slash, texts longer than a mask, and items that are equal in
/// another spelling are none.
#[test]
fn audits_know_the_names_and_values_of_a_family() {
    let state = "'r/0' = { 'a/~b' = { type = 'u8', mask = '0x0f' } }\nl = '[(bytes, u8)]'\nt = '(u8, u8)'";
    let declared = format!(
        "machine = 'm'\n[state]\n{state}\n[format]\ncases = '$[*]'\nhas = ['$.e']\nprogram = {{ '*' = '$.b' }}\n\
         expect = {{ '*' = '$.e' }}\n"
    );
    let value = r#"{"r/0":{"a/~b":"0x10"},"l":[["0A","1"],["0x0a",1],["0b",1]],"t":["0x7",7]}"#;
    let vectors = format!(r#"[{{"b":{value},"e":{value}}}]"#);
    let folder = folder(&[("m.toml", &declared), ("m.json", &vectors)]);
    let audit = vmconf_in(folder.path(), &["audit", "m.json", "--family", "./m.toml"]);
    assert!(audit.exit == 0 && !audit.stdout.contains("not noticed:"), "{audit:?}");
    assert!(audit.stdout.contains("4 by rule: the items are one value in several spellings"), "{audit:?}");
}

/// A mask has no bits that no number of the field has, wherever the numbers are; what is ignored twice is counted once.
#[test]
#[cfg(unix)]
fn a_mask_fits_the_numbers_in_a_field() {
    let vectors = |value: &str| format!(r#"[{{"b":{{}},"e":{{"s":{value}}}}}]"#);
    for (state, value) in [
        ("s = '[u8]'", "[1]"),
        ("s = '(u8, text)'", r#"[1,"a"]"#),
        ("s = { x = 'u8', y = 'bool' }", r#"{"x":1,"y":true}"#),
        ("s = 'memory<u16, u8>'", "[[256,1]]"),
        ("s = '[memory<u16, u8>]?'", "[[[256,1]]]"),
    ] {
        let ran = |mask: &str| {
            against_with(
                &["--ignore", &format!("s:{mask}")],
                state,
                &vectors(value),
                &format!(r#"{{"s":{value}}}"#),
            )
        };
        let wide = ran("0x100");
        assert!(
            wide.exit == 2 && wide.stderr.contains("has bits that the field s does not have"),
            "{state}: {wide:?}"
        );
        assert_eq!(ran("0xff").exit, 0, "{state}");
    }
    let twice = ["--ignore", "s", "--ignore", "s:0x1", "--ignore", "s"];
    let ran =
        against_with(&twice, "s = 'u8'\nt = 'u8'", r#"[{"b":{},"e":{"s":1,"t":2}}]"#, r#"{"s":7,"t":2}"#);
    assert!(ran.exit == 0 && ran.stdout.contains("not compared: s, 1 assertion; --ignore s\n"), "{ran:?}");
    assert_eq!(ran.stdout.matches("not compared").count(), 1, "{ran:?}");
}

/// A field has one demand in each step: of two, nobody knows which one is meant.
#[test]
fn a_field_is_demanded_once() {
    const TWICE: &str = r#"[{"b":{},"e":{"a":1},"a":2}]"#;
    let declared = |expect: &str| {
        format!(
            "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nprogram = {{ '*' = '$.b' }}\nexpect = {expect}\n"
        )
    };
    let ran = |expect: &str, vectors: &str| {
        let folder = folder(&[("m.toml", &declared(expect)), ("m.json", vectors)]);
        vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"])
    };
    for (expect, place) in [
        ("{ '*' = '$.e', a = '$.a' }", "m.json:1:26"),
        ("{ '*' = '$.e', a = { at = '$.x', absent = 1 } }", "m.json:1:2"),
        ("{ '*' = '$.e', a = { value = 1 } }", "m.json:1:2"),
    ] {
        let ran = ran(expect, TWICE);
        let error = format!("a is demanded a second time\n --> {place}\n");
        assert!(ran.exit == 3 && ran.stdout.contains(&error), "{expect}: {ran:?}");
    }
    let once = ran("{ '*' = '$.e', a = '$.a' }", r#"[{"b":{},"e":{"a":1}},{"b":{},"e":{},"a":2}]"#);
    assert_eq!(once.exit, 0, "{once:?}");
    let steps = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nsteps = '$.s[*]'\nprogram = { '*' = '$.b' }\n\
                 [format.step]\ndo = ['execute']\nexpect = { '*' = '$' }\n";
    let folder = folder(&[("m.toml", steps), ("m.json", r#"[{"b":{},"s":[{"a":1},{"a":2}]}]"#)]);
    let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

/// A datum that is wrong is named by its field, however deep it lies.
#[test]
fn an_item_has_the_name_of_its_field() {
    for (state, value, what) in [
        ("v = '[u8]'", "[1.5]", "an item of v is 1.5"),
        ("v = '[[[u8]]]'", "[[[1.5]]]", "an item of v is 1.5"),
        ("v = '[[(u8, memory<u8, u8>)]]'", "[[[1,[[1,1.5]]]]]", "an item of v is 1.5"),
        ("v = [{ x = '[u8]' }]", r#"[{"x":[1.5]}]"#, "an item of v/x is 1.5"),
        ("v = 'map<u8, [u8]>'", r#"{"1":[1.5]}"#, "an item of v is 1.5"),
    ] {
        let vectors = format!(r#"[{{"b":{{"v":{value}}},"e":{{}}}}]"#);
        let folder = folder(&[("m.toml", &declaration(state)), ("m.json", &vectors)]);
        let ran = vmconf_in(folder.path(), &["check", "m.json", "--family", "./m.toml"]);
        assert!(ran.stdout.contains(&format!("]: {what}\n")), "{state}: {ran:?}");
    }
}

/// Numbers of any JSON are written as people write them.
#[test]
#[cfg(unix)]
fn fractions_are_written_out() {
    let vectors = r#"[{"b":{"v":[1.5,25e-1,1.0]},"e":{"v":0.1}}]"#;
    let ran = against("v = 'json'", vectors, r#"{"v":0.25}"#);
    assert!(ran.exit == 1 && ran.stdout.contains("expected 0.1") && ran.stdout.contains("0.25"), "{ran:?}");
    let folder = folder(&[("m.toml", &declaration("v = 'json'")), ("m.json", vectors)]);
    let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert!(checked.stdout.contains(r#""v":[1.5,2.5,1]"#), "{checked:?}");
}

/// Unlisted cells are compared with the program in every step, and a table shows what was there before the step.
#[test]
#[cfg(unix)]
fn the_cells_before_a_step_are_those_that_earlier_steps_demand() {
    const DECLARED: &str = "machine = 'm'\n[state]\nram = 'memory<u8, u8>'\n[format]\ncases = '$[*]'\nsteps = '$.s[*]'\n\
                            program = { '*' = '$.b' }\n[format.step]\ndo = ['step-into']\nexpect = { '*' = '$' }\n";
    let cells = |second: &str, answer: &str| {
        let vectors =
            format!(r#"[{{"b":{{"ram":[[1,10],[2,20]]}},"s":[{{"ram":[[1,11]]}},{{"ram":{second}}}]}}]"#);
        let script = format!(
            "while read -r request; do\ncase $request in\n*'\"type\":\"hello\"'*) printf '%s\\n' \
             '{{\"type\":\"hello\",\"version\":1,\"name\":\"c\",\"release\":\"1\",\"machines\":[{{\"machine\":\"m\",\"actions\":[\"step-into\"],\"fields\":[\"ram\"]}}]}}' ;;\n\
             *) id=${{request#*'\"id\":'}}\nprintf '{{\"type\":\"done\",\"id\":%s,\"steps\":[{{\"fields\":{{\"ram\":[[1,11],[2,20]]}}}},{{\"fields\":{{\"ram\":{answer}}}}}]}}\\n' \
             \"${{id%%,*}}\" ;;\nesac\ndone\n"
        );
        let folder = folder(&[("m.toml", DECLARED), ("m.json", &vectors), ("m.sh", &script)]);
        let args = ["run", "m.json", "--family", "./m.toml", "--vm", "c=sh m.sh", "--report", "json"];
        let ran = vmconf_in(folder.path(), &args);
        let report = ran.stdout.replace("TIME", "0");
        let case = report.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let case =
            case.into_iter().find(|line| line["id"] == "m.json::0").unwrap_or_else(|| panic!("{ran:?}"));
        let of = |cell: &serde_json::Value| {
            ["path", "before", "expected", "actual"].map(|key| cell[key].as_str().unwrap_or("-").to_owned())
        };
        let cells: Vec<_> =
            case["state"]["memories"][0]["cells"].as_array().unwrap().iter().map(of).collect();
        (case["verdict"].clone(), cells[1].clone(), cells[2].clone())
    };
    let (verdict, first, second) = cells("[[1,11],[2,21]]", "[[1,11],[2,99]]");
    assert_eq!(
        (verdict, &first[1..], &second[1..]),
        (
            "fail".into(),
            &["0b", "0b", "0b"].map(str::to_owned)[..],
            &["14", "15", "63"].map(str::to_owned)[..]
        )
    );
    let (verdict, first, second) = cells("[[2,21]]", "[[1,11],[2,21]]");
    assert_eq!(
        (verdict, &first[1..], &second[1..]),
        (
            "fail".into(),
            &["0b", "0a", "0b"].map(str::to_owned)[..],
            &["14", "15", "15"].map(str::to_owned)[..]
        )
    );
}

/// The state that a case demands is that of its type, however lists, tables, tuples and memories contain each other.
#[test]
fn every_type_of_state_is_audited() {
    let empty = r#"{"x":[]}"#;
    for (state, value) in [
        ("v = [{ x = 'u8', y = 'u8' }]", r#"[{"x":1,"y":2},{"x":3,"y":4}]"#),
        ("v = '[memory<u8, u8>]'", "[[[1,2],[3,4]],[]]"),
        ("v = { z = [{ x = 'u8' }] }", r#"{"z":[{"x":1}]}"#),
        ("v = [{ x = '[u8]' }]", r#"[{"x":[1,2]}]"#),
        ("v = '(u8, memory<u8, u8>)'", "[7,[[1,2]]]"),
        ("v = '[(u8, [memory<u8, u8>])]'", "[[7,[[[1,2]]]]]"),
        ("v = 'map<u8, [memory<u8, u8>]>'", r#"{"1":[[[1,2]]]}"#),
        ("v = { x = { type = 'memory<u8, u8>', unlisted = 'any' } }", empty),
        ("v = [{ x = { type = 'memory<u8, u8>', unlisted = 'any' } }]", r#"[{"x":[]}]"#),
    ] {
        let vectors = format!(r#"[{{"b":{{"v":{value}}},"e":{{"v":{value}}}}}]"#);
        let folder = folder(&[("m.toml", &declaration(state)), ("m.json", &vectors)]);
        let audit = vmconf_in(folder.path(), &["audit", "m.json", "--family", "./m.toml"]);
        assert!(audit.stdout.contains("1 case: changes:"), "{state}: {audit:?}");
        assert!(audit.stdout.contains(" 0 are not noticed; 0 left out"), "{state}: {audit:?}");
    }
}

/// A machine may write null for a list, map or memory without entries, and an empty text for no bytes, as the page of
/// the protocol says.
#[test]
fn what_is_empty_may_be_null() {
    for (state, vector, answer, exit) in [
        ("s = '[u8]'", "[]", "null", 0),
        ("s = '[u8]'", "[1]", "null", 1),
        ("s = 'map<u8, u8>'", "{}", "null", 0),
        ("s = 'memory<u8, u8>'", "[]", "null", 0),
        ("s = '[[u8]]'", "[[]]", "[null]", 0),
        ("s = '[u8]?'", "[]", "null", 1),
        ("s = 'base64'", r#""""#, r#""""#, 0),
        ("s = 'bytes'", r#""""#, r#""""#, 0),
    ] {
        let vectors = format!(r#"[{{"b":{{}},"e":{{"s":{vector}}}}}]"#);
        let ran = against(state, &vectors, &format!(r#"{{"s":{answer}}}"#));
        assert!(ran.exit == exit && !ran.stdout.contains("crash"), "{state}: {ran:?}");
    }
}

/// Why a file is none of a family is told of the item that comes nearest to a case.
#[test]
fn the_nearest_item_says_why_a_file_does_not_fit() {
    let declared = "machine = 'm'\n[state]\na = 'u8'\n[[format]]\ncases = '$[*]'\nhas = ['$.x', '$.y']\nexpect = { '*' = '$.y' }\n\
                    [[format]]\ncases = '$[*]'\nhas = ['$.b', '$.e']\nexpect = { '*' = '$.e' }\n";
    for (vectors, why) in [
        (
            r#"[{"n":1},{"b":{},"e":{"zz":1}}]"#,
            "m.json:1:23: not a file of m: the member \"zz\" of $.e is not declared",
        ),
        (r#"[{"n":1},{"b":{}},{"y":{}}]"#, "m.json:1:19: not a file of m: a case without $.x"),
        (r#"[{"n":1},{"e":{}}]"#, "m.json:1:10: not a file of m: a case without $.b"),
    ] {
        let folder = folder(&[("m.toml", declared), ("m.json", vectors)]);
        let ran = vmconf_in(folder.path(), &["list", "m.json", "--family", "./m.toml"]);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(why), "{why}: {ran:?}");
    }
}

/// A file in a folder that is almost one of the named family is an error; one that is something else is skipped.
#[test]
fn a_file_that_is_almost_of_the_named_family_is_an_error() {
    const DECLARED: &str = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nname = '$.name'\n\
                            has = ['$.name', '$.b', '$.e']\nprogram = { '*' = '$.b' }\nexpect = { '*' = '$.e' }\n";
    let ran = |name: &str, text: &str| {
        let folder = folder(&[("m.toml", DECLARED)]);
        std::fs::create_dir(folder.path().join("v")).unwrap();
        for (name, text) in [(name, text), ("fits.json", r#"[{"name":"n","b":{"a":1},"e":{"a":1}}]"#)] {
            std::fs::write(folder.path().join("v").join(name), text).unwrap();
        }
        vmconf_in(folder.path(), &["list", "v", "--family", "./m.toml"])
    };
    for (text, why) in [
        (r#"[{"name":"n","b":{"a":1}}]"#, "v/x.json:1:2: not a file of m: a case without $.e"),
        (
            r#"[{"name":"n","b":{"a":1},"e":{"zz":1}}]"#,
            "v/x.json:1:31: not a file of m: the member \"zz\" of $.e is not declared",
        ),
    ] {
        let ran = ran("x.json", text);
        let output = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.exit == 3 && output.contains(why), "{why}: {ran:?}");
    }
    for (name, text) in [
        ("package.json", r#"[{"name":"n","version":"1"}]"#),
        ("metadata.json", r#"{"opcodes":{"00":{"flags":1}},"b":3}"#),
        ("empty.json", "[]"),
    ] {
        let ran = ran(name, text);
        assert!(ran.exit == 0 && ran.stdout.contains("fits.json"), "{name}: {ran:?}");
    }
}

/// The items of lists in any order are paired without the bits that are ignored.
#[test]
fn ignored_bits_do_not_order_a_list() {
    let state = "s = { type = '[u8]', order = 'any' }";
    let vectors = r#"[{"b":{},"e":{"s":[16,33]}}]"#;
    for (answer, exit) in [("[32,17]", 0), ("[33,16]", 0), ("[32,16]", 1), ("[32,17,1]", 1)] {
        let ran = against_with(&["--ignore", "s:0x30"], state, vectors, &format!(r#"{{"s":{answer}}}"#));
        assert_eq!(ran.exit, exit, "{answer}: {ran:?}");
    }
}

/// Options that have no effect are errors of the declaration, and options of a table with a member `type` are options.
#[test]
fn options_have_an_effect() {
    let vectors = r#"[{"b":{},"e":{"s":{"type":1,"x":2}}}]"#;
    for (state, fault) in [
        ("s = { type = 'u8', mask = 0 }", "m.toml:3:27: mask compares no bit"),
        ("s = { type = 'text', display = 'decimal' }", "m.toml:3:22: display of a field of type text"),
    ] {
        let ran = against(state, vectors, "{}");
        assert!(ran.exit == 2 && ran.stderr.contains(fault), "{state}: {ran:?}");
    }
    let state = "s = { type = { type = { type = 'u8' }, x = 'u8' }, doc = 'a word or two' }";
    assert_eq!(against(state, vectors, r#"{"s":{"type":1,"x":2}}"#).exit, 0);
}

/// A case whose steps are no list is broken, and a broken case has no note that it compares nothing.
#[test]
fn what_is_wrong_with_a_case_is_said_once() {
    let declared = "machine = 'm'\n[state]\na = 'u8'\n[format]\ncases = '$[*]'\nhas = ['$.steps']\nsteps = '$.steps[*]'\n\
                    [format.step]\nexpect = { a = '$.a' }\n";
    for (vectors, fault) in [
        (r#"[{"steps":5}]"#, "m.json:1:11: the list of steps is a number"),
        (r#"[{"steps":[{"a":300}]}]"#, "m.json:1:17: a is 300, which is out of range"),
    ] {
        let folder = folder(&[("m.toml", declared), ("m.json", vectors)]);
        let vm = answering(folder.path(), r#"{"a":1}"#);
        let ran = vmconf_in(folder.path(), &["run", "m.json", "-vv", "--family", "./m.toml", "--vm", &vm]);
        assert!(ran.exit == 3 && ran.stdout.contains(fault), "{ran:?}");
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("nothing is compared"), "{ran:?}");
    }
}
