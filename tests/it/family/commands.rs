//! Commands on machines of families: by name everywhere, step by step where a testee shows its instructions, and the
//! check of adapters.

use std::fs;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use scraper::{Html, Selector};
use tempfile::TempDir;
use vmconf::text::shell::split;

use super::{folder, vmconf_in};
use crate::support::skip::has_python;
use crate::support::{Ran, at_root, vmconf};

/// A folder with the machine of the book, its vectors, and a `vmconf.toml` that names both.
fn own_machine() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in ["acc8.py", "vectors.json"] {
        fs::copy(at_root(format!("docs/examples/own/{file}")), folder.path().join(file)).unwrap();
    }
    let vectors = folder.path().join("vectors.json");
    let made = vmconf(&["family", "init", vectors.to_str().unwrap(), "--name", "acc8"]);
    fs::write(folder.path().join("acc8.toml"), made.stdout).unwrap();
    let config = "[family]\nacc8 = \"acc8.toml\"\n\n[vm.mine]\ncommand = \"python3 acc8.py\"\n";
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    folder
}

/// The name of a family in `vmconf.toml` is known to the commands that name machines, and those that are about
/// instructions say why they do nothing.
#[test]
fn a_family_of_the_configuration_is_known_to_every_command() {
    let folder = own_machine();
    let run = |args: &[&str]| vmconf_in(folder.path(), args);
    for args in
        [&["isa", "acc8"][..], &["asm", "acc8", "-"], &["disasm", "acc8", "0x00"], &["exec", "acc8", "0x00"]]
    {
        let ran = run(args);
        let expected = "error: acc8: a family has no instructions, since vmconf does not embed its machine\n";
        assert_eq!((ran.exit, &*ran.stderr), (2, expected), "{args:?}");
        let ran = run(&[args, &["--no-config"]].concat());
        assert!(ran.exit == 2 && ran.stderr.contains("there is no machine \"acc8\""), "{args:?}: {ran:?}");
    }
    let near = run(&["isa", "acc9"]);
    assert_eq!((near.exit, &*near.stderr), (2, "error: there is no machine \"acc9\"; did you mean acc8?\n"));
    for how in ["--machine", "--family"] {
        let ran = run(&["vm", "init", "python", "new", how, "acc8", "--force"]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        let text = fs::read_to_string(folder.path().join("new.py")).unwrap();
        assert!(text.contains("for the family acc8"), "{text}");
    }
    if has_python() {
        let ran = run(&["fuzz", "acc8", "--vm", "mine", "--cases", "5"]);
        assert!(ran.stderr.contains("states of acc8 are compared on at least two machines"), "{ran:?}");
        let ran = run(&["vm", "check", "python3", "acc8.py"]);
        assert!(ran.exit == 0 && ran.stdout.ends_with(" points, 0 wrong\n"), "{ran:?}");
    }
}

/// The list of differences that `fuzz` knows is not the list of known failures of `vmconf.toml`.
#[test]
fn fuzz_ignores_the_known_failures_of_the_configuration() {
    let folder = own_machine();
    let known = folder.path().join("known.toml");
    fs::write(&known, "# none\n").unwrap();
    fs::write(folder.path().join("vmconf.toml"), "[profile.default]\nknown = \"known.toml\"\n").unwrap();
    let itself = format!("x='{}' serve tinyvm", env!("CARGO_BIN_EXE_vmconf"));
    let ran = vmconf_in(folder.path(), &["fuzz", "tinyvm", "--vm", &itself, "--cases", "3"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(fs::read_to_string(&known).unwrap(), "# none\n");
}

/// The points that an adapter fails.
fn wrong(folder: &Path, adapter: &str) -> Vec<String> {
    let ran = vmconf_in(folder, &["vm", "check", "--family", "acc8.toml", "python3", adapter]);
    let wrong = ran.stdout.lines().filter_map(|line| line.strip_prefix("WRONG  "));
    wrong.map(|line| line.split(':').next().unwrap().to_owned()).collect()
}

/// An adapter performs as many actions as it is asked for, and reports as many states.
#[test]
fn an_adapter_that_ignores_the_number_of_steps_is_found() {
    if !has_python() {
        return;
    }
    let folder = own_machine();
    let text = fs::read_to_string(at_root("docs/examples/own/acc8.py")).unwrap();
    let planted = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        fs::write(folder.path().join("planted.py"), text.replace(from, to)).unwrap();
        wrong(folder.path(), "planted.py")
    };
    assert_eq!(wrong(folder.path(), "acc8.py"), [""; 0]);
    let one_state = "[{\"fields\": step(request[\"program\"])}]";
    assert_eq!(
        planted("run(request[\"program\"], request[\"steps\"])", one_state),
        ["reports a state for each of two steps"]
    );
    let one_action_for_all = format!("{one_state} * len(request[\"steps\"])");
    assert_eq!(
        planted("run(request[\"program\"], request[\"steps\"])", &one_action_for_all),
        ["performs nothing without an action"]
    );
    let each = "for _ in asked[\"do\"]";
    let one_action_a_step = ["performs the actions of each step", "performs all actions of a step"];
    assert_eq!(planted(each, "for _ in [0]"), one_action_a_step);
    assert_eq!(planted(each, "for _ in asked[\"do\"][:1]"), ["performs all actions of a step"]);
}

/// Runs a command on the family adder, on machines of which each has a fault in the instruction with this number.
fn adder(command: &[&str], wrong: &[u32]) -> Ran {
    let testee = at_root("tests/testees/adder.py");
    let vms = wrong.iter().map(|wrong| format!("--vm=add{wrong}=python3 '{}' {wrong}", testee.display()));
    let vms: Vec<_> = vms.collect();
    let case = "tests/families/adder.json::four bytes";
    let family = [case, "--family", "tests/families/adder.toml"];
    let words = command[..1].iter().chain(&family).copied().chain(vms.iter().map(String::as_str));
    vmconf(&words.chain(command[1..].iter().copied()).collect::<Vec<_>>())
}

#[test]
fn the_first_difference_of_two_machines_of_a_family_is_found() {
    if !has_python() {
        return;
    }
    let ran = adder(&["bisect"], &[0, 3]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    let found = ran.stdout.split("look: ").next().unwrap();
    // 1 + 10 + 20 = 31; the third instruction adds 1, and the fault 1 more.
    assert_eq!(
        found,
        "0x01 in step 3 makes the difference\nbefore it, in both:\n  pc          2\n  op          1\n  height      1\n  \
         top         [\"31\"]\nafter it:\n  top         add0  [\"32\"]\n  top         add3  [\"33\"]\n  \
         sum         add0  0x20 (32)\n  sum         add3  0x21 (33)\n"
    );
    // The fifth instruction is beyond the end.
    let ran = adder(&["bisect"], &[0, 5]);
    assert_eq!((ran.exit, &*ran.stdout), (0, "no difference in 4 steps\n"), "{ran:?}");
    let ran = adder(&["bisect"], &[3]);
    let expected =
        "error: vmconf does not embed adder; name a second machine with --vm, or two files with --trace\n";
    assert_eq!((ran.exit, &*ran.stderr), (2, expected));
}

#[test]
fn a_case_of_a_family_is_traced_and_explored() {
    if !has_python() {
        return;
    }
    let ran = adder(&["trace"], &[3]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let words: Vec<Vec<_>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        words[1..],
        [
            vec!["1", "0000", "0x0a", "1"],
            vec!["2", "0001", "0x14", "11"],
            vec!["3", "0002", "0x01", "31"],
            vec!["4", "0003", "0x03", "33"],
            vec!["4", "steps"],
        ]
    );
    let ran = adder(&["trace", "--op", "ADD"], &[3]);
    assert!(ran.exit == 2 && ran.stderr.contains("--op ADD: a family has no instructions"), "{ran:?}");
    // 36 is what the machine with the fault has at the end; the vector demands 35.
    let alone = explored(&[3]);
    assert!(alone.contains("0x24 (36)") && !alone.contains("add0"), "{alone}");
    // The report has the command that opens it.
    let report = adder(&["run", "--report", "html"], &[3]).stdout;
    let look = Selector::parse(".look code").unwrap();
    let look = Html::parse_document(&report).select(&look).next().unwrap().text().collect::<String>();
    let words = split(&look).unwrap();
    let ran = vmconf(&words[1..].iter().map(String::as_str).chain(["--html", "-"]).collect::<Vec<_>>());
    assert!(ran.exit == 0 && ran.stdout.starts_with("<!DOCTYPE html>"), "{look}: {ran:?}");
    let beside = explored(&[0, 3]);
    assert!(["add0", "add3", "0x23 (35)", "0x24 (36)"].iter().all(|text| beside.contains(text)), "{beside}");
}

/// The data of the page of a run.
fn explored(wrong: &[u32]) -> String {
    let ran = adder(&["explore", "--html", "-"], wrong);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let data = ran.stdout.split("id=\"data\">").nth(1).unwrap().split('<').next().unwrap();
    let unpacked = data.split(',').map(|part| {
        let (packed, mut bytes) = (STANDARD.decode(part).unwrap(), Vec::new());
        GzDecoder::new(&*packed).read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    unpacked.collect()
}

/// A path that leads nowhere is said with its place in the declaration and with the path that was meant.
#[test]
fn paths_that_lead_nowhere_are_found() {
    let folder = own_machine();
    let right = fs::read_to_string(folder.path().join("acc8.toml")).unwrap();
    let check = |from: &str, to: &str| {
        assert!(right.contains(from), "{right}");
        fs::write(folder.path().join("acc8.toml"), right.replace(from, to)).unwrap();
        vmconf_in(folder.path(), &["family", "check", "acc8.toml", "vectors.json"])
    };
    let ran = check("machine", "machine");
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    let ran = check("has = [\"$.initial\"", "has = [\"$.inital\"");
    assert_eq!(ran.exit, 3, "{ran:?}");
    let note = "note: acc8.toml:14:8: no case of these files has $.inital; expected $.initial\n";
    assert!(ran.stderr.starts_with(note), "{ran:?}");
    assert!(ran.stderr.contains("vectors.json:2:3: not a file of acc8"), "{ran:?}");
    let ran = check("{ \"*\" = \"$.initial\" }", "{ \"*\" = \"$.initial\", a = \"$.initial.ramm\" }");
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(
        ran.stderr,
        "note: acc8.toml:16:36: no case of these files has $.initial.ramm; expected $.initial.ram\n"
    );
    let more = |line: &str| {
        fs::write(folder.path().join("acc8.toml"), format!("{right}{line}\n")).unwrap();
        vmconf_in(folder.path(), &["family", "check", "acc8.toml", "vectors.json"]).stderr
    };
    let said = more(
        "info = \"about\"\nignore = { \"$.initia.*\" = \"a\", \"$.*\" = \"b\", \"$.final.ram\" = \"c\" }",
    );
    let expected = "note: acc8.toml:LINE:8: no case of these files has $.about\n\
                    note: acc8.toml:NEXT:12: no case of these files has $.initia[*]; expected $.initial[*]\n\
                    note: acc8.toml:NEXT:45: $.final.ram is demanded, so that ignore has no effect on it; expected \
                    --ignore FIELD, or ignore in vmconf.toml, so that it is not compared\n";
    let line = right.lines().count() + 1;
    let expected = expected.replace("LINE", &line.to_string()).replace("NEXT", &(line + 1).to_string());
    assert_eq!(said, expected);
}

/// Paths of a step start there.
#[test]
fn paths_of_steps_that_lead_nowhere_are_found() {
    let declaration = "machine = \"m\"\n[state]\na = \"u8\"\n[format]\ncases = \"$[*]\"\n\
                       program = { a = \"$.a\" }\nsteps = \"$.steps[*]\"\n\
                       ignore = { \"$.steps[*].then\" = \"why\" }\n[format.step]\nexpect = { a = \"$.than\" }\n";
    let check = |expect: &str| {
        let folder = folder(&[
            ("m.toml", &declaration.replace("$.than", expect)),
            ("m.json", r#"[{"a": 1, "steps": [{"then": 2}]}]"#),
        ]);
        vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]).stderr
    };
    assert_eq!(check("$.than"), "note: m.toml:10:16: no step of these files has $.than; expected $.then\n");
    assert_eq!(
        check("$.then"),
        "note: m.toml:8:12: $.steps[*].then is demanded, so that ignore has no effect on it; expected --ignore FIELD, or \
         ignore in vmconf.toml, so that it is not compared\n"
    );
}

/// What stands between the two states is given, unless its name says that it is a result.
#[test]
fn what_stands_between_the_states_is_given() {
    let vectors =
        r#"[{"name": "a", "pre": {"x": 1}, "tx": {"to": 2}, "status": "ok", "post": {"x": 2}, "gas": 5}]"#;
    let folder = folder(&[("m.json", vectors)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json", "--name", "m"]).stdout;
    let (state, input) = made.split_once("[input]").expect("an input");
    assert!(state.contains("gas = ") && state.contains("status = ") && !state.contains("tx = "), "{made}");
    assert!(input.contains("tx = ") && input.contains("tx = \"$.tx\" } # uncertain: tx: given"), "{made}");
    // Nothing stands between states in another order.
    let sorted = r#"[{"name": "a", "post": {"x": 2}, "pre": {"x": 1}, "tx": {"to": 2}}]"#;
    fs::write(folder.path().join("m.json"), sorted).unwrap();
    let made = vmconf_in(folder.path(), &["family", "init", "m.json", "--name", "m"]).stdout;
    assert!(!made.contains("[input]"), "{made}");
}

/// What vectors do not say is told by names, and marked.
#[test]
fn declarations_from_vectors_guess_and_say_so() {
    let vectors = serde_json::json!({"meta": 1, "tests": {
        "t1": {"code": "0x60016002", "cycles": 3, "before": {"pc": "0x0010", "a": 1}, "after": {"pc": "0x0020", "a": 2}},
        "t2": {"code": "0x01", "cycles": 4, "before": {"pc": "0x0100", "a": 1}, "after": {"pc": "0x0101"}},
    }});
    let folder = folder(&[("m.json", &vectors.to_string())]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json", "--name", "m"]).stdout;
    for line in [
        "pc = \"u16\" # uncertain: always 4 hex digits: perhaps bytes",
        "cases = \"$.tests[*]\"",
        "program = { \"*\" = \"$.before\", code = \"$.code\" } # uncertain: code: given and not demanded, by the name, or since it stands between the states",
        "cycles = \"$.cycles\" } # uncertain: a: in some states after only; \"*\" = { at = \"$.after\", unlisted = \"unchanged\" } if",
        "[input]\ncode = \"bytes\"",
    ] {
        assert!(made.contains(line), "{line}: {made}");
    }
    fs::write(folder.path().join("m.toml"), &made).unwrap();
    let checked = vmconf_in(folder.path(), &["family", "check", "m.toml", "m.json"]);
    assert_eq!(checked.exit, 0, "{checked:?}");
}
