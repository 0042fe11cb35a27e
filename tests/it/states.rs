//! States of families: `vmconf fuzz` finds planted faults from nothing, and `vmconf fill --cases` makes corpora. The
//! machine is that of the page "Bring your own machine".

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::skip::has_python;
use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, ran};

const SEED: &str = "1";

/// What `SUB` of the page's machine does for the carry, and what it must do.
const NO_BORROW: &str = "- ram.get(n, 0) > 255";
const BORROW: &str = "- ram.get(n, 0) < 0";

/// The line of the machine after which a fault is planted.
const DECODES: &str = "    zero, carry = f >> 1, f & 1\n";

/// A folder with the declaration of the machine, and variants of it.
struct Lab {
    folder: TempDir,
}

impl Lab {
    /// `None`, and the test is skipped, where its machines cannot run.
    fn new() -> Option<Lab> {
        if !has_python() {
            return None;
        }
        let lab = Lab { folder: TempDir::new().unwrap() };
        let vectors = at_root("docs/examples/own/vectors.json");
        let init =
            command(&["family", "init", vectors.to_str().unwrap(), "--name", "acc8"]).output().unwrap();
        let declaration = String::from_utf8(init.stdout).unwrap();
        let flags = "f = { type = \"u8\", flags = \"------ZC\" } #";
        lab.write("acc8.toml", &declaration.replace("f = \"u8\" #", flags));
        let machine = fs::read_to_string(at_root("docs/examples/own/acc8.py")).unwrap();
        assert!(machine.contains(NO_BORROW) && machine.contains(DECODES));
        lab.write("borrow.py", &machine);
        lab.write("good.py", &machine.replace(NO_BORROW, BORROW));
        Some(lab)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// A machine without a fault but for these lines, which run before the instruction.
    fn plant(&self, name: &str, lines: &str) {
        let good = fs::read_to_string(self.path().join("good.py")).unwrap();
        self.write(name, &good.replace(DECODES, &format!("{DECODES}{lines}\n")));
    }

    /// Runs a command on the family, on these machines: scripts without their endings.
    fn run(&self, command_name: &str, machines: &[&str], args: &[&str]) -> Ran {
        let mut all: Vec<String> = vec![command_name.to_owned()];
        all.extend(args.iter().map(|arg| (*arg).to_owned()));
        all.extend(["--family".to_owned(), "acc8.toml".to_owned()]);
        all.extend(machines.iter().map(|name| format!("--vm={name}=python3 {name}.py")));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        ran(command(&all).current_dir(self.path()).output().unwrap())
    }

    fn fuzz(&self, machines: &[&str], cases: &str, more: &[&str]) -> Fuzzed {
        let args = ["acc8", "--seed", SEED, "--cases", cases, "--output", "json"];
        let ran = self.run("fuzz", machines, &[&args, more].concat());
        let lines: Vec<Json> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!lines.is_empty(), "{ran:?}");
        Validator::named("fuzz").assert_accepts_lines(&ran.stdout);
        Fuzzed { ran, lines }
    }

    /// The verdict of `vmconf run` on a vector or a folder.
    fn passes(&self, machine: &str, path: &str) -> bool {
        let ran = self.run("run", &[machine], &[path, "--quiet"]);
        assert!([0, 1, 3].contains(&ran.exit), "{ran:?}");
        ran.exit == 0
    }

    /// The names and texts of the files of a folder.
    fn files(&self, folder: &str) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.path().join(folder)).unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }
}

struct Fuzzed {
    ran: Ran,
    lines: Vec<Json>,
}

impl Fuzzed {
    /// The machine and cause of each finding.
    fn causes(&self) -> Vec<(&str, &str)> {
        let findings = self.lines.iter().filter(|line| line["type"] == "difference");
        findings.map(|line| (line["vm"].as_str().unwrap(), line["cause"].as_str().unwrap())).collect()
    }
}

/// SUB is 0x04, and its carry is the borrow.
const SUB: (&str, &str) = ("mine", "f with ram at pc 0x04");

#[test]
fn a_planted_fault_is_found_without_vectors() {
    let Some(lab) = Lab::new() else { return };
    fs::rename(lab.path().join("borrow.py"), lab.path().join("mine.py")).unwrap();
    let found = lab.fuzz(&["good", "mine"], "600", &["--out", "found"]);
    assert_eq!((found.ran.exit, found.causes()), (1, vec![SUB]), "{:?}", found.ran);
    let finding = &found.lines[0];
    assert_eq!(finding["machines"]["good"], "as the vector demands");
    assert_eq!(finding["machines"]["mine"], "f: 0 instead of 1");
    // The smallest state in which 0x04 borrows: 0 minus itself as a number, which lies at address 0.
    let vector: Json = serde_json::from_str(finding["vector"].as_str().unwrap()).unwrap();
    let initial = serde_json::json!({"pc": 0, "a": 0, "x": 0, "f": 0, "ram": [[0, 4]]});
    assert_eq!(vector[0]["initial"], initial, "{vector}");
    assert!(lab.passes("good", "found") && !lab.passes("mine", "found"));
    let check = lab.run("check", &[], &["found"]);
    assert_eq!(check.exit, 0, "{check:?}");
}

/// An arithmetic unit without memory: its operation is a member like any other.
const UNIT: &str = r#"
import json, sys
hello = {"type": "hello", "version": 1, "name": "unit", "release": "1", "machines": [
    {"machine": "unit", "actions": ["step-into"], "fields": ["op", "a", "b", "r"]}]}
def step(state):
    op, a, b = (int(state[name], 16) for name in ("op", "a", "b"))
    r = [a + b, a - b, a & b, a | b][op] & 0xffff
    #
    return {"op": hex(op), "a": hex(a), "b": hex(b), "r": hex(r)}
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        print(json.dumps(hello), flush=True)
        continue
    state, steps = request["program"], []
    for one in request["steps"]:
        for _ in one["do"]:
            state = step(state)
        steps.append({"fields": {name: state[name] for name in one["observe"]}})
    print(json.dumps({"type": "done", "id": request["id"], "steps": steps}), flush=True)
"#;

/// A fault of one operation on some operands does not hide those of others in the same field.
#[test]
fn faults_of_a_machine_without_memory_are_found_beside_each_other() {
    let Some(lab) = Lab::new() else { return };
    let declaration = "machine = \"unit\"\n[state]\nop = \"u2\"\na = \"u8\"\nb = \"u8\"\nr = \"u16\"\n[format]\n\
                       cases = \"$[*]\"\nname = \"$.name\"\nhas = [\"$.initial\", \"$.final\"]\ndo = [\"step-into\"]\n\
                       program = { \"*\" = \"$.initial\" }\nexpect = { \"*\" = \"$.final\" }\n";
    lab.write("acc8.toml", declaration);
    lab.write("good.py", UNIT);
    let faults = "if op == 1 and a > 200 and b % 2: r ^= 1\n    if op == 3 and a ^ b > 90: r ^= 4";
    lab.write("mine.py", &UNIT.replace("    #\n", &format!("    {faults}\n")));
    let args = ["unit", "--seed", SEED, "--cases", "2000", "--output", "json"];
    let ran = lab.run("fuzz", &["good", "mine"], &args);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fuzzed = Fuzzed { ran, lines };
    let causes = fuzzed.causes();
    let of = |op: &str| causes.iter().any(|(_, cause)| cause.starts_with("r with") && cause.contains(op));
    assert!(of("op 0x1") && of("op 0x3"), "{causes:?}");
}

#[test]
fn the_findings_are_the_same_for_any_number_of_processes() {
    let Some(lab) = Lab::new() else { return };
    lab.plant(
        "mine.py",
        "    if op == 0x03 and x > 0x7f: zero = 1\n    if ram.get((pc + 2) % 256) == 7: x ^= 1",
    );
    let with = |jobs: &str| lab.fuzz(&["good", "borrow", "mine"], "400", &["--jobs", jobs]).ran;
    let one = with("1");
    assert_eq!(one.exit, 1, "{one:?}");
    assert_eq!(one, with("3"));
}

/// Of three machines, two decide which one is wrong; each fault is reported once, with the field and its cause.
#[test]
fn most_machines_decide() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("edge.py", "    if pc == 0xff: x ^= 4");
    fs::copy(lab.path().join("good.py"), lab.path().join("other.py")).unwrap();
    let found = lab.fuzz(&["borrow", "good", "other"], "400", &[]);
    assert_eq!(found.causes(), [("borrow", SUB.1)], "{:?}", found.ran);
    let found = lab.fuzz(&["edge", "good", "other"], "400", &[]);
    assert_eq!(found.causes(), [("edge", "x with pc = 0xff")], "{:?}", found.ran);
}

#[test]
fn a_machine_that_crashes_is_a_finding_and_the_others_go_on() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("crash.py", "    if op == 0x06: raise SystemExit(3)");
    // It hangs often enough for so few cases: each time takes as long as --timeout says.
    lab.plant("hang.py", "    if op == 0x05:\n        import time\n        time.sleep(100)");
    let found =
        lab.fuzz(&["good", "crash", "borrow", "hang"], "120", &["--timeout", "500ms", "--out", "found"]);
    let mut causes = found.causes();
    causes.sort_unstable();
    let expected = [("borrow", SUB.1), ("crash", "crash with ram at pc 0x06"), ("hang", "timeout")];
    assert_eq!(causes, expected, "{:?}", found.ran);
    let of_crash = found.lines.iter().find(|line| line["vm"] == "crash").unwrap();
    assert_eq!(of_crash["machines"]["crash"], "crash: ended with exit code 3");
    let file = of_crash["file"].as_str().unwrap();
    assert!(lab.passes("good", file) && !lab.passes("crash", file));
    // A crash has precedence over a difference.
    assert_eq!(found.ran.exit, 3, "{:?}", found.ran);
}

/// An instruction of two bytes of which chance does not make the right ones, but a vector has them.
#[test]
fn vectors_reach_states_that_random_generation_misses() {
    let Some(lab) = Lab::new() else { return };
    let prefixed = "    if op == 0xe7 and n == 0x5b and ram.get((pc + 2) % 256) == 0xc9: x ^= ";
    lab.plant("good2.py", &format!("{prefixed}1"));
    lab.plant("mine.py", &format!("{prefixed}(3 if a & 0x10 else 1)"));
    assert_eq!(lab.fuzz(&["good2", "mine"], "800", &[]).causes(), []);
    fs::create_dir(lab.path().join("corpus")).unwrap();
    let vector = r#"[{"name": "e7 5b c9", "initial": {"pc": 9, "a": 0, "x": 0, "f": 0, "ram": [[9, 231], [10, 91], [11, 201]]},
        "final": {"pc": 11, "a": 0, "x": 1, "f": 0, "ram": [[9, 231], [10, 91], [11, 201]]}}]"#;
    lab.write("corpus/own.json", vector);
    let found = lab.fuzz(&["good2", "mine"], "800", &["--corpus", "corpus"]);
    let [("mine", cause)] = found.causes()[..] else { panic!("{:?}", found.ran) };
    for cell in ["x with ", "ram at pc 0xe7", "ram at pc+1 0x5b", "ram at pc+2 0xc9"] {
        assert!(cause.contains(cell), "{cause}");
    }
    assert_eq!(found.lines[0]["condition"], "bit 4 of a set");
    let corpus = &found.lines.last().unwrap()["corpus"];
    assert_eq!(corpus["read"], 1);
    assert_eq!(lab.files("corpus").len() as u64, 1 + corpus["added"].as_u64().unwrap());
    let ran = lab.run("run", &["good2"], &["corpus", "--quiet"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

/// The list keeps what people wrote in it, and has a difference as soon as that is found.
#[test]
fn known_differences_are_added_to_the_list() {
    let Some(lab) = Lab::new() else { return };
    let own = "# ticket 12\r\nother f\r\nmine x";
    lab.write("known.txt", own);
    let known = ["--known", "known.txt"];
    assert_eq!(lab.fuzz(&["good", "borrow"], "400", &known).causes().len(), 1);
    let list = fs::read_to_string(lab.path().join("known.txt")).unwrap();
    assert_eq!(list, format!("{own}\nborrow f with ram at pc 0x04\n"));
}

/// A folder that cannot be made is an error before the search, and a vector that cannot be written is shown.
#[test]
fn a_finding_without_a_writable_file_is_still_reported() {
    let Some(lab) = Lab::new() else { return };
    lab.write("file", "");
    let early = lab.run("fuzz", &["good", "borrow"], &["acc8", "--cases", "400", "--out", "file"]);
    assert_eq!((early.exit, &*early.stdout), (2, ""), "{early:?}");
    fs::create_dir(lab.path().join("found")).unwrap();
    let name = lab.fuzz(&["good", "borrow"], "400", &["--out", "found"]).lines[0]["file"].clone();
    let path = lab.path().join(name.as_str().unwrap());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let args = ["acc8", "--seed", SEED, "--cases", "400", "--out", "found", "--force"];
    let lost = lab.run("fuzz", &["good", "borrow"], &args);
    assert!(lost.exit == 3 && lost.stdout.contains("  not written: "), "{lost:?}");
    assert!(lost.stdout.contains("\"initial\"") && lost.stdout.contains("1 new cause"), "{lost:?}");
}

/// Vectors in files that the declaration does not read could not be run again.
#[test]
fn folders_that_the_declaration_does_not_read_are_refused() {
    let Some(lab) = Lab::new() else { return };
    let declaration = fs::read_to_string(lab.path().join("acc8.toml")).unwrap();
    let only = declaration.replace("[format]\n", "[format]\nfiles = [\"acc8/*.json\"]\n");
    assert_ne!(only, declaration);
    lab.write("acc8.toml", &only);
    let why = "error: other: vectors of acc8 are read only from files that match acc8/*.json\n";
    for flag in ["--out", "--corpus"] {
        let refused = lab.run("fuzz", &["good", "borrow"], &["acc8", "--cases", "5", flag, "other"]);
        assert_eq!((refused.exit, &*refused.stderr), (2, why), "{flag}");
    }
    let refused = lab.run("fill", &["good", "borrow"], &["--cases", "5", "--out", "other"]);
    assert_eq!((refused.exit, &*refused.stderr), (2, why));
    let made = lab.run("fill", &["good", "borrow"], &["--cases", "5", "--out", "acc8"]);
    assert_eq!(made.exit, 0, "{made:?}");
    assert!(lab.passes("good", "acc8"));
}

/// A value of which no two machines show an end has no file, and they have not disagreed.
#[test]
fn a_value_that_too_few_machines_run_has_no_file() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("crashing.py", "    if op == 4: sys.exit(7)");
    let args = ["--cases", "5", "--each", "ram[pc]=0x03-0x04", "--out", "corpus"];
    let made = lab.run("fill", &["good", "crashing"], &args);
    assert_eq!(made.exit, 3, "{made:?}");
    assert_eq!(lab.files("corpus").keys().collect::<Vec<_>>(), ["03.json"]);
    assert!(made.stdout.contains("TOO FEW MACHINES  04, state 0 of seed 1\n"), "{made:?}");
    assert!(!made.stdout.contains("DISAGREEMENT"), "{made:?}");
    assert!(made.stdout.contains("5 cases in 1 file, "), "{made:?}");
}

/// A state that became small from one with many cells demands nothing of those that are gone.
#[test]
fn a_small_state_has_no_cells_of_the_large_one() {
    let Some(lab) = Lab::new() else { return };
    // STA also stores into the cell after that.
    lab.plant("stray.py", "    if op == 5: ram[(n + 1) % 256] = 99");
    let cells: Vec<_> = (0..=255).map(|cell| format!("[{cell},{}]", if cell == 0 { 5 } else { 7 })).collect();
    let vector = |cells: &str| {
        format!(
            r#"[{{"name": "large", "initial": {{"pc":0,"a":17,"x":4,"f":0,"ram":[{cells}]}}, "final": {{"pc":2,"a":17,"x":4,"f":0,"ram":[{cells}]}}}}]"#
        )
    };
    fs::create_dir(lab.path().join("corpus")).unwrap();
    lab.write("corpus/large.json", &vector(&cells.join(",")));
    let found = lab.fuzz(&["good", "stray"], "400", &["--corpus", "corpus", "--out", "found"]);
    assert!(!found.causes().is_empty(), "{:?}", found.ran);
    for (name, text) in lab.files("found") {
        let cases: Json = serde_json::from_str(&text).unwrap();
        let listed = cases[0]["final"]["ram"].as_array().map_or(0, Vec::len);
        assert!(listed <= 3, "{name}: {text}");
    }
}

/// The cell where a chosen value points is given.
#[test]
fn a_chosen_pointer_points_to_cells_that_are_given() {
    let Some(lab) = Lab::new() else { return };
    let args = ["--cases", "40", "--each", "pc=0x40-0x42", "--out", "corpus"];
    fs::copy(lab.path().join("good.py"), lab.path().join("good2.py")).unwrap();
    let made = lab.run("fill", &["good", "good2"], &args);
    assert_eq!(made.exit, 0, "{made:?}");
    let files = lab.files("corpus");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["40.json", "41.json", "42.json"]);
    for (name, text) in files {
        let cases: Vec<Json> = serde_json::from_str(&text).unwrap();
        assert_eq!(cases.len(), 40, "{name}");
        let is_given = |case: &&Json| {
            let cells = case["initial"]["ram"].as_array().unwrap();
            cells.iter().any(|cell| cell[0] == case["initial"]["pc"])
        };
        // One place of eight is left to chance.
        assert!(cases.iter().filter(is_given).count() > 25, "{name}: {text}");
    }
}

/// A machine whose faults come and go: what passes in the end is no difference.
#[test]
fn a_difference_that_goes_away_while_it_is_made_small_is_not_reported() {
    let Some(lab) = Lab::new() else { return };
    let good = fs::read_to_string(lab.path().join("good.py")).unwrap();
    let mut unrepeated = 0;
    for seed in 1..=2 {
        let moody = good.replace(DECODES, &format!("{DECODES}    if dice.random() < 0.5: x ^= 1\n"));
        lab.write("moody.py", &format!("import random\ndice = random.Random({seed})\n{moody}"));
        let found = lab.fuzz(&["good", "moody"], "150", &["--jobs", "1", "--tries", "20"]);
        for finding in found.lines.iter().filter(|line| line["type"] == "difference") {
            let [good, moody] = ["good", "moody"].map(|name| finding["machines"][name].as_str().unwrap());
            assert_ne!(good, moody, "{finding}");
        }
        unrepeated += found.lines.last().unwrap()["unrepeated"].as_u64().unwrap();
    }
    assert!(unrepeated > 0);
}

#[test]
fn a_known_difference_is_not_reported_again() {
    let Some(lab) = Lab::new() else { return };
    let known = ["--known", "known.txt"];
    assert_eq!(lab.fuzz(&["good", "borrow"], "400", &known).causes().len(), 1);
    let again = lab.fuzz(&["good", "borrow"], "400", &known);
    assert_eq!((again.ran.exit, again.causes().len()), (0, 0), "{:?}", again.ran);
    assert!(again.lines[0]["differing"].as_u64().unwrap() > 0);
}

/// A fault that shows in one of 32 states, whatever they have in common, hides no other one in the same field.
#[test]
fn a_difference_without_a_pattern_hides_no_other() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("mine.py", "    if (5 * a + 3 * x) % 32 == 9 or pc == 0xff: f ^= 1; carry ^= 1");
    let found = lab.fuzz(&["good", "mine"], "300", &[]);
    let causes = found.causes();
    assert!(causes.contains(&("mine", "f with pc = 0xff")), "{:?}", found.ran);
    assert!(!causes.contains(&("mine", "f")), "{:?}", found.ran);
}

/// A field that is wrong in every state is reported once, and hides no field after it.
#[test]
fn a_field_that_always_differs_hides_no_other() {
    let Some(lab) = Lab::new() else { return };
    let machine = fs::read_to_string(lab.path().join("borrow.py")).unwrap();
    lab.write("mine.py", &machine.replace(DECODES, &format!("{DECODES}    x ^= 1\n")));
    let found = lab.fuzz(&["good", "mine"], "400", &["--out", "found"]);
    assert_eq!(found.causes(), [("mine", "x"), SUB], "{:?}", found.ran);
    // The vector of SUB does not demand the other field.
    let vector: Json = serde_json::from_str(found.lines[1]["vector"].as_str().unwrap()).unwrap();
    assert_eq!(vector[0]["final"], serde_json::json!({"f": 1}), "{vector}");
    let differing = found.lines.last().unwrap()["differing"].as_u64().unwrap();
    assert!((350..400).contains(&differing), "all but those that load x: {differing}");
}

#[test]
fn ignored_fields_are_not_compared() {
    let Some(lab) = Lab::new() else { return };
    let found = lab.fuzz(&["good", "borrow"], "200", &["--ignore", "f"]);
    assert_eq!((found.ran.exit, found.causes()), (0, vec![]), "{:?}", found.ran);
    // What the user ignores is no lack of a machine.
    assert!(!found.ran.stderr.contains("not compared"), "{:?}", found.ran);
    let misspelt = lab.run("fuzz", &["good", "borrow"], &["acc8", "--ignore", "g"]);
    assert!(misspelt.exit == 2 && misspelt.stderr.contains("acc8 has no field \"g\""), "{misspelt:?}");
    let masked = lab.run("fuzz", &["good", "borrow"], &["acc8", "--ignore", "f:0x1"]);
    assert!(
        masked.exit == 2 && masked.stderr.contains("only whole fields can be ignored: --ignore f"),
        "{masked:?}"
    );
}

/// A state that a machine refuses is counted under its reason.
#[test]
fn refusals_are_counted_by_their_reason() {
    let Some(lab) = Lab::new() else { return };
    let good = fs::read_to_string(lab.path().join("good.py")).unwrap();
    let refuses = "    if number(request[\"program\"][\"x\"]) & 1:\n        return {\"type\": \"skip\", \"reason\": \"x is odd\", **answered}\n";
    let runs = "    return {\"type\": \"done\"";
    assert!(good.contains(runs));
    lab.write("even.py", &good.replace(runs, &format!("{refuses}{runs}")));
    let found = lab.fuzz(&["good", "even"], "100", &[]);
    let end = found.lines.last().unwrap();
    let skipped = end["skipped"].as_u64().unwrap();
    assert!((10..90).contains(&skipped), "{end}");
    let refusals = serde_json::json!([{"vm": "even", "why": "x is odd", "programs": skipped}]);
    assert_eq!(end["refusals"], refusals, "{end}");
    let text = lab.run("fuzz", &["good", "even"], &["acc8", "--seed", SEED, "--cases", "100"]);
    let line = format!("  even did not run {skipped} of them: x is odd\n");
    assert!(text.exit == 0 && text.stdout.ends_with(&line), "{text:?}");
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let Some(lab) = Lab::new() else { return };
    let one = lab.run("fuzz", &["good"], &["acc8"]);
    assert_eq!(one.exit, 2, "{one:?}");
    assert!(one.stderr.contains("at least two machines"), "{one:?}");
    let none = lab.run("fuzz", &["good", "borrow"], &["acc9"]);
    assert!(none.exit == 2 && none.stderr.contains("no machine \"acc9\"; did you mean acc8?"), "{none:?}");
    let other = lab.run("fuzz", &["good", "borrow"], &["z80"]);
    assert!(other.exit == 2 && other.stderr.contains("good does not run z80; it runs acc8"), "{other:?}");
    // Each vector demands this field, so no machine without it runs one.
    let declaration = fs::read_to_string(lab.path().join("acc8.toml")).unwrap();
    let declaration = declaration.replace("[state]\n", "[state]\nextra = \"u8\"\n");
    let demands = "expect = { extra = { at = \"$.extra\", absent = 0 }, ";
    lab.write("acc8.toml", &declaration.replace("expect = { ", demands));
    let lacking = lab.run("fuzz", &["good", "borrow"], &["acc8"]);
    let why = "good does not report extra, which each vector of acc8 demands";
    assert!(lacking.exit == 2 && lacking.stderr.contains(why), "{lacking:?}");
    let ignored = lab.run("fuzz", &["good", "borrow"], &["acc8", "--ignore", "extra"]);
    let why = "extra cannot be ignored: each vector of acc8 demands it";
    assert!(ignored.exit == 2 && ignored.stderr.contains(why), "{ignored:?}");
}

/// A machine that does something else each fiftieth time shows no difference that a vector can keep.
#[test]
fn differences_that_do_not_occur_again_are_counted() {
    let Some(lab) = Lab::new() else { return };
    let lines = "    step.runs = getattr(step, 'runs', 0) + 1\n    if step.runs % 50 == 0: x ^= 1";
    lab.plant("moody.py", lines);
    let found = lab.fuzz(&["good", "moody"], "100", &["--jobs", "1"]);
    let end = found.lines.last().unwrap();
    assert!(end["unrepeated"].as_u64().unwrap() > 0, "{end}");
    assert_eq!((found.ran.exit, found.causes()), (0, vec![]), "{:?}", found.ran);
}

/// If the machine that is named first, which decides in a tie, does something else each fifth time, neither is the
/// other one blamed for it, nor does a vector demand it.
#[test]
fn nondeterministic_results_are_not_demanded() {
    let Some(lab) = Lab::new() else { return };
    let lines = "    step.runs = getattr(step, 'runs', 0) + 1\n    if step.runs % 5 == 0: a ^= 1";
    lab.plant("moody.py", lines);
    let flags = ["--jobs", "1", "--out", "found", "--corpus", "corpus"];
    let found = lab.fuzz(&["moody", "good"], "100", &flags);
    let end = found.lines.last().unwrap();
    assert!(end["unrepeated"].as_u64().unwrap() >= 10, "{end}");
    assert_eq!((found.ran.exit, found.causes()), (0, vec![]), "{:?}", found.ran);
    assert_eq!(lab.files("found").len(), 0);
    assert!(lab.passes("good", "corpus"));
}

/// A machine whose processes end over the fifth request, but never over the first.
fn tired(lab: &Lab) {
    let lines = "    step.runs = getattr(step, 'runs', 0) + 1\n    if step.runs == 5: raise SystemExit(7)";
    lab.plant("tired.py", lines);
}

#[test]
fn crashes_that_do_not_repeat_are_reported() {
    let Some(lab) = Lab::new() else { return };
    tired(&lab);
    let args = ["--jobs", "1"];
    let found = lab.fuzz(&["tired", "good"], "20", &args);
    assert_eq!((found.ran.exit, found.causes()), (3, vec![]), "{:?}", found.ran);
    let told = "crashes of tired did not repeat; the first one: ended with exit code 7";
    assert!(found.ran.stderr.starts_with("error: ") && found.ran.stderr.contains(told), "{:?}", found.ran);
    let found = lab.fuzz(&["tired", "good"], "20", &[&args[..], &["--flaky", "pass"]].concat());
    assert!(found.ran.exit == 0 && found.ran.stderr.starts_with("note: "), "{:?}", found.ran);
}

#[test]
fn a_corpus_reports_which_machines_crashed() {
    let Some(lab) = Lab::new() else { return };
    tired(&lab);
    lab.plant("crash.py", "    raise SystemExit(3)");
    fs::copy(lab.path().join("good.py"), lab.path().join("other.py")).unwrap();
    let fill = |third: &str, more: &[&str]| {
        let args = ["--cases", "20", "--agree", "2", "--jobs", "1", "--out", third];
        lab.run("fill", &["good", "other", third], &[&args, more].concat())
    };
    let made = fill("tired", &[]);
    assert_eq!(made.exit, 3, "{made:?}");
    assert!(
        made.stderr.contains("crashes of tired did not repeat; the first one: ended with exit code 7"),
        "{made:?}"
    );
    let made = fill("tired", &["--flaky", "pass", "--check"]);
    assert_eq!(made.exit, 0, "{made:?}");
    // All cases are there, since two of three machines agree.
    let made = fill("crash", &[]);
    assert!(made.exit == 3 && made.stdout.starts_with("20 cases in 1 file, 0 left out"), "{made:?}");
    assert!(
        made.stderr.contains("error: 20 crashes of crash; the first one: ended with exit code 3"),
        "{made:?}"
    );
}

#[test]
fn a_corpus_is_made_and_finds_a_fault_in_a_third_machine() {
    let Some(lab) = Lab::new() else { return };
    fs::copy(lab.path().join("good.py"), lab.path().join("other.py")).unwrap();
    let fill = |folder: &str, more: &[&str]| {
        let args = ["--cases", "20", "--each", "ram[pc]=0x00-0x06,0xff", "--out", folder];
        lab.run("fill", &["good", "other"], &[&args, more].concat())
    };
    let made = fill("corpus", &[]);
    assert_eq!(made.exit, 0, "{made:?}");
    assert_eq!(made.stdout, "160 cases in 8 files, 0 left out without agreement; 8 files written\n");
    let files = lab.files("corpus");
    let expected = ["00", "01", "02", "03", "04", "05", "06", "ff"].map(|name| format!("{name}.json"));
    assert!(files.keys().eq(&expected), "{:?}", files.keys());
    for (name, text) in &files {
        let cases: Json = serde_json::from_str(text).unwrap();
        assert_eq!(cases.as_array().unwrap().len(), 20);
        for case in cases.as_array().unwrap() {
            let initial = &case["initial"];
            let cells = initial["ram"].as_array().unwrap();
            let op = cells.iter().find(|cell| cell[0] == initial["pc"]).unwrap();
            assert_eq!(format!("{:02x}.json", op[1].as_u64().unwrap()), *name);
        }
    }
    // The same again, whatever the number of processes and the other values.
    assert_eq!(fill("corpus", &["--check", "--jobs", "1"]).exit, 0);
    let one = ["--cases", "20", "--each", "ram[pc]=4", "--out", "one"];
    assert_eq!(lab.run("fill", &["good", "other"], &one).exit, 0);
    assert_eq!(lab.files("one")["04.json"], files["04.json"]);

    let check = lab.run("check", &[], &["corpus"]);
    assert_eq!(check.exit, 0, "{check:?}");
    assert!(lab.passes("good", "corpus") && lab.passes("other", "corpus"));
    let third = lab.run("run", &["borrow"], &["corpus"]);
    assert!(third.exit == 1 && third.stdout.contains("1 suspect: "), "{third:?}");
    assert!(third.stdout.contains("corpus/04.json::04 "), "{third:?}");
}

/// Where the declaration names a place for it, vectors say what each machine did.
#[test]
fn vectors_record_the_result_of_each_machine() {
    let Some(lab) = Lab::new() else { return };
    let declaration = fs::read_to_string(lab.path().join("acc8.toml")).unwrap();
    lab.write("acc8.toml", &format!("{declaration}info = \"known\"\n"));
    fs::copy(lab.path().join("good.py"), lab.path().join("other.py")).unwrap();
    let found = lab.fuzz(&["good", "borrow"], "200", &["--out", "found"]);
    let text = found.lines[0]["vector"].as_str().unwrap();
    let vector: Json = serde_json::from_str(text).unwrap();
    assert_eq!(vector[0]["known"]["machines"], found.lines[0]["machines"], "{text}");
    let args = ["--cases", "2", "--out", "corpus"];
    assert_eq!(lab.run("fill", &["good", "other"], &args).exit, 0);
    let args = ["--cases", "1000", "--out", "disagreeing", "--output", "json"];
    let parts = lab.run("fill", &["good", "borrow"], &args).stdout;
    Validator::named("fill").assert_accepts_lines(&parts);
    assert!(parts.contains(r#""outcome":"disagreement""#), "{parts}");
    let corpus: Json = serde_json::from_str(&lab.files("corpus")["acc8.json"]).unwrap();
    assert_eq!(corpus[1]["known"], serde_json::json!({"filledBy": "good, other"}));
    let check = lab.run("check", &[], &["found", "corpus", "--strict"]);
    assert_eq!(check.exit, 0, "{check:?}");
    let audit = lab.run("audit", &[], &["corpus"]);
    assert_eq!(audit.exit, 0, "{audit:?}");
}

#[test]
fn states_without_agreement_are_left_out() {
    let Some(lab) = Lab::new() else { return };
    let args = ["--cases", "30", "--each", "ram[pc]=4", "--out", "corpus"];
    let made = lab.run("fill", &["good", "borrow"], &args);
    assert_eq!(made.exit, 1, "{made:?}");
    assert!(made.stdout.starts_with("DISAGREEMENT  04, state "), "{made:?}");
    assert!(made.stdout.contains("\n  good: f: 0x1\n  borrow: f: 0x0\n"), "{made:?}");
    assert!(lab.passes("good", "corpus") && lab.passes("borrow", "corpus"));
    // Two of three are enough if that is asked for.
    fs::copy(lab.path().join("good.py"), lab.path().join("other.py")).unwrap();
    let args = [&args[..5], &["most", "--agree", "2"]].concat();
    let made = lab.run("fill", &["good", "borrow", "other"], &args);
    assert_eq!(made.exit, 0, "{made:?}");
    assert!(lab.passes("good", "most") && !lab.passes("borrow", "most"));
}

#[test]
fn unknown_numbers_are_errors() {
    let Some(lab) = Lab::new() else { return };
    let each = |each: &str| {
        let args = ["--cases", "1", "--each", each, "--out", "corpus"];
        let ran = lab.run("fill", &["good", "borrow"], &args);
        assert_eq!(ran.exit, 2, "{ran:?}");
        ran.stderr
    };
    for (number, expected) in [
        ("ram[pcc]", "no member \"pcc\"; did you mean pc?"),
        ("ram", "MEMORY[FIELD] names a cell"),
        ("pc[a]", "pc is u8, not a memory"),
        ("a=0x100", "0x100 does not fit 8 bits"),
        ("a=5-3", "expected FIELD, MEMORY[FIELD]"),
        ("ram[pc++1]", "expected FIELD, MEMORY[FIELD]"),
    ] {
        let said = each(number);
        assert!(said.contains(expected), "{number}: {said}");
    }
}

/// A state at which two searches end is reported once, whatever the states around each have in common.
#[test]
fn a_small_state_is_one_finding() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("mine.py", "    if a & 0x11 == 0x11 and x & 0x11 == 0x11: x ^= 8");
    let fuzzed = lab.fuzz(&["good", "mine"], "700", &[]);
    let findings = fuzzed.lines.iter().filter(|line| line["type"] == "difference");
    let small: Vec<String> = findings
        .map(|line| {
            serde_json::from_str::<Json>(line["vector"].as_str().unwrap()).unwrap()[0]["initial"].to_string()
        })
        .collect();
    let different: BTreeSet<_> = small.iter().collect();
    assert!(!small.is_empty() && different.len() == small.len(), "{small:?}");
}

/// Without another machine, it is unknown what a smaller case must demand, so a machine without the fault still passes
/// it.
#[test]
fn a_case_made_small_on_one_machine_demands_nothing_new() {
    let Some(lab) = Lab::new() else { return };
    let vectors = at_root("docs/examples/own/vectors.json");
    fs::copy(vectors, lab.path().join("v.json")).unwrap();
    assert!(lab.passes("good", "v.json") && !lab.passes("borrow", "v.json"));
    let failing = ["v.json", "--rerun", "failed"];
    assert_eq!(lab.run("run", &["borrow"], &["v.json", "-q"]).exit, 1);
    let id = lab.run("list", &[], &failing).stdout.lines().next().unwrap_or_default().to_owned();
    let small = lab.run("minimize", &["borrow"], &[&id, "--out", "small.json"]);
    assert_eq!(small.exit, 0, "{id}: {small:?}");
    assert!(lab.passes("good", "small.json") && !lab.passes("borrow", "small.json"), "{small:?}");
}

/// A field that is ignored is not filled in, and machines need not agree on it.
#[test]
fn a_corpus_leaves_out_ignored_fields() {
    let Some(lab) = Lab::new() else { return };
    let args = ["--cases", "40", "--ignore", "f", "--out", "corpus"];
    let ran = lab.run("fill", &["good", "borrow"], &args);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let files = lab.files("corpus");
    let cases: Vec<Json> =
        files.values().flat_map(|text| serde_json::from_str::<Vec<Json>>(text).unwrap()).collect();
    assert_eq!(cases.len(), 40);
    for case in cases {
        assert!(case["initial"]["f"] != Json::Null && case["final"]["f"] == Json::Null, "{case}");
    }
}

/// Machines fill the expectations of a case in the way in which its state before is written.
#[test]
fn an_expectation_of_a_family_is_filled() {
    let Some(lab) = Lab::new() else { return };
    let case = r#"[{"name": "a", "initial": {"pc": 32, "a": "0x01", "x": 0, "f": 0, "ram": [[32, 6], [33, 7]]}, "final": {}}]"#;
    lab.write("v.json", case);
    let ran = lab.run("fill", &["good", "borrow"], &["v.json"]);
    // 0x06 is INX.
    let after = r#"{"pc": 33, "a": "0x01", "x": 1, "f": 0, "ram": [[32, 6], [33, 7]]}}"#;
    let filled = case.replace("{}}", after);
    let text = fs::read_to_string(lab.path().join("v.json")).unwrap();
    assert_eq!((ran.exit, &*text), (0, &*filled), "{ran:?}");
}

/// The page's vectors, of which two of SUB fail on its machine, whose process ends before the answer to request `last`.
fn ending(lab: &Lab, last: usize) -> String {
    let machine = fs::read_to_string(lab.path().join("borrow.py")).unwrap();
    let (head, body) = machine.split_once("for line in sys.stdin:\n").unwrap();
    let ends = format!("    count += 1\n    if count == {last}: sys.exit('out of handles')\n");
    lab.write("ending.py", &format!("{head}count = 0\nfor line in sys.stdin:\n{ends}{body}"));
    fs::copy(at_root("docs/examples/own/vectors.json"), lab.path().join("vectors.json")).unwrap();
    "vectors.json".to_owned()
}

/// A failure hides no crash: neither one that is the second of its group, nor one that a list expects.
#[test]
fn a_crash_before_a_failure_is_reported() {
    let Some(lab) = Lab::new() else { return };
    lab.write(
        "list.toml",
        "[[known]]\nid = \"*\"\nreason = \"the borrow\"\nsignature = \"f: other value\"\n",
    );
    let mut crashed = 0;
    for last in [21, 22, 23] {
        let vectors = ending(&lab, last);
        let run =
            |more: &[&str]| lab.run("run", &["ending"], &[&[vectors.as_str(), "--jobs", "1"], more].concat());
        let (plain, forgiven) = (run(&[]), run(&["--flaky", "pass", "-v"]));
        assert_eq!((plain.exit, forgiven.exit), (3, 1), "{last}: {plain:?}");
        assert!(plain.stdout.contains("out of handles"), "{last}: {plain:?}");
        assert!(forgiven.stdout.contains("34 passed, 2 failed, 0 errors, "), "{last}: {forgiven:?}");
        assert_eq!(run(&["--known", "list.toml"]).exit, 3, "{last}");
        if plain.stdout.contains("CRASH") {
            crashed += 1;
            assert!(
                plain.stdout.contains("alone in a new process, it failed: f differs"),
                "{last}: {plain:?}"
            );
            let note = "the first time, and failed alone in a new process";
            assert!((forgiven.stdout + &forgiven.stderr).contains(note), "{last}");
        }
    }
    assert!(crashed > 0, "SUB was never the request over which the process ended");
}

/// What a machine does not report stays uncompared in a run that finds its results in the cache.
#[test]
fn what_is_not_compared_is_reported_with_a_cache_too() {
    let Some(lab) = Lab::new() else { return };
    fs::copy(at_root("docs/examples/own/vectors.json"), lab.path().join("vectors.json")).unwrap();
    let run = || {
        let cache = lab.path().join("cache");
        let mut run = command(&["run", "vectors.json", "--family", "acc8.toml", "--ignore", "x", "--cached"]);
        run.args(["--vm", "good=python3 good.py"]).env("VMCONF_CACHE", cache).current_dir(lab.path());
        let ran = ran(run.output().unwrap());
        assert_eq!(ran.exit, 0, "{ran:?}");
        ran.stdout
    };
    let (first, second) = (run(), run());
    assert!(second.contains("(36 of them from the cache)"), "{second}");
    let line = |text: &str| text.lines().find(|line| line.starts_with("not compared: x")).map(str::to_owned);
    assert!(line(&first).is_some(), "{first}");
    assert_eq!(line(&first), line(&second));
}

/// A search that finds a file of an earlier one goes on, and loses no finding.
#[test]
fn findings_with_existing_files_are_reported() {
    let Some(lab) = Lab::new() else { return };
    lab.plant("edge.py", "    if pc == 0xff: x ^= 4");
    let find = || {
        let args = ["acc8", "--seed", SEED, "--cases", "400", "--out", "found"];
        lab.run("fuzz", &["good", "borrow", "edge"], &args)
    };
    let (first, second) = (find(), find());
    assert_eq!((first.exit, second.exit), (1, 1), "{second:?}");
    assert_eq!(lab.files("found").len(), 2);
    let again = |text: &str| {
        let lines = text.lines().map(|line| match line.strip_prefix("  written to ") {
            Some(path) => format!("  in {path}, as before"),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(again(&first.stdout), again(&second.stdout));
    assert_eq!(second.stdout.matches(", as before").count(), 2, "{second:?}");
    for name in lab.files("found").into_keys() {
        lab.write(&format!("found/{name}"), "other");
    }
    let third = find();
    let kept = "has different content; --force replaces it";
    assert!(third.exit == 1 && third.stdout.matches(kept).count() == 2, "{third:?}");
    assert_eq!(third.stdout.matches("\"initial\"").count(), 2, "the vectors are printed: {third:?}");
    assert!(lab.files("found").values().all(|text| text == "other"));
}

/// A case over which the machine breaks down, or which it does not support, still has its snapshot.
#[test]
fn snapshots_of_broken_cases_stay() {
    let Some(lab) = Lab::new() else { return };
    fs::copy(at_root("docs/examples/own/vectors.json"), lab.path().join("vectors.json")).unwrap();
    lab.plant("crash.py", "    if op == 0x06: raise SystemExit(3)");
    let snapshot = |machine: &str, update: &str| {
        let machine = format!("--vm=m=python3 {machine}.py");
        let mut made = command(&["snapshot", "vectors.json", "--dir", "golden", "--family", "acc8.toml"]);
        made.arg(machine).env("INSTA_UPDATE", update).current_dir(lab.path());
        ran(made.output().unwrap())
    };
    assert_eq!(snapshot("good", "always").exit, 0);
    let broken = snapshot("crash", "no");
    let end = "30 as before, 0 different, 0 new, 0 unreferenced, 6 errors\n";
    assert!(broken.exit == 3 && broken.stdout.ends_with(end), "{broken:?}");
}

/// A search adds nothing to a folder that belongs to another machine.
#[test]
fn a_corpus_of_another_machine_is_refused() {
    let Some(lab) = Lab::new() else { return };
    fs::create_dir(lab.path().join("corpus")).unwrap();
    fs::copy(at_root("vectors/minic89/source.json"), lab.path().join("corpus/source.json")).unwrap();
    let refused = lab.run("fuzz", &["good", "borrow"], &["acc8", "--cases", "5", "--corpus", "corpus"]);
    assert!(refused.exit == 2 && refused.stderr.contains("corpus: no vector for acc8 ("), "{refused:?}");
    assert_eq!(lab.files("corpus").len(), 1);
}
