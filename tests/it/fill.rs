//! `vmconf fill`: what machines agree on becomes the expectation, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::validator::Validator;
use crate::support::{Ran, vmconf};

/// Two programs that demand nothing: a sum, and a shift by a negative number.
const EMPTY: &str = r#"{"category": "c", "name": "n", "tests": [
  {"name": "sum", "script": ["PUSH3", "PUSH4", "ADD"], "steps": [{"actions": ["Execute"]}]},
  {"name": "half", "script": ["PUSH1", "PUSHM1", "SHR"], "steps": [{"actions": ["Execute"]}]}
]}
"#;

/// A folder with a vector and machines.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(vector: &str) -> Place {
        let place = Place { folder: TempDir::new().unwrap() };
        fs::write(place.vector(), vector).unwrap();
        place
    }

    fn vector(&self) -> PathBuf {
        self.folder.path().join("v.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.vector()).unwrap()
    }

    /// `--vm` of a machine whose answers are edited by this script of sed.
    fn vm(&self, name: &str, machine: &str, script: &str) -> [String; 2] {
        let path = self.folder.path().join(format!("{name}.sh"));
        let serve = env!("CARGO_BIN_EXE_vmconf");
        fs::write(&path, format!("'{serve}' serve {machine} | sed -u -e '{script}'\n")).unwrap();
        ["--vm".to_owned(), format!("{name}=sh {}", path.display())]
    }

    fn fill(&self, vms: &[[String; 2]], flags: &[&str]) -> Ran {
        let path = self.vector();
        let mut args = vec!["fill", path.to_str().unwrap()];
        args.extend(vms.iter().flatten().map(String::as_str));
        args.extend(flags);
        vmconf(&args)
    }
}

fn summary(ran: &Ran) -> &str {
    ran.stdout.lines().last().unwrap_or_default()
}

/// What a step of a test demands.
fn demanded(text: &str, test: usize) -> Json {
    let text: Json = serde_json::from_str(text).unwrap();
    text["tests"][test]["steps"][0]["result"].clone()
}

#[test]
fn agreed_results_are_filled_in() {
    let place = Place::new(EMPTY);
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", "")];
    let ran = place.fill(&vms, &["--check"]);
    assert_eq!((ran.exit, place.text().as_str()), (1, EMPTY), "{ran:?}");
    let ran = place.fill(&vms, &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    // 3 + 4 is 7, one item is one reference; a shift by less than 0 is an error.
    let sum =
        serde_json::json!({"state": "HALT", "resultStack": [{"type": "Integer", "value": 7}], "refs": 1});
    assert_eq!(demanded(&place.text(), 0), sum);
    assert_eq!(demanded(&place.text(), 1)["state"], "FAULT");
    let filled = place.text();
    let ran = place.fill(&vms, &["--check"]);
    assert_eq!((ran.exit, place.text()), (0, filled), "{ran:?}");
    assert!(summary(&ran).starts_with("0 filled, 2 up to date"), "{ran:?}");
}

#[test]
fn fields_that_a_machine_does_not_report_are_not_filled() {
    let place = Place::new(EMPTY);
    let lacks = r#"s/,"refs","exceptionMessage"//;s/,"refs":[0-9]*//;s/,"exceptionMessage":"[^"]*"//"#;
    let ran = place.fill(&[place.vm("one", "neo3", ""), place.vm("two", "neo3", lacks)], &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(
        demanded(&place.text(), 0).as_object().unwrap().keys().collect::<Vec<_>>(),
        ["state", "resultStack"]
    );
    assert_eq!(demanded(&place.text(), 1), serde_json::json!({"state": "FAULT"}));
}

/// A value that was not compared is not known to be right.
#[test]
fn ignored_fields_are_not_filled() {
    let place = Place::new(EMPTY);
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", "")];
    let ran = place.fill(&vms, &["--ignore", "resultStack"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(demanded(&place.text(), 0), serde_json::json!({"state": "HALT", "refs": 1}));
    let place = Place::new(EMPTY);
    let path = place.vector();
    let ran = vmconf(&["bless", "--fill", "--yes", "--ignore", "refs:0xff", path.to_str().unwrap()]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let sum = serde_json::json!({"state": "HALT", "resultStack": [{"type": "Integer", "value": 7}]});
    assert_eq!(demanded(&place.text(), 0), sum);
}

/// A VMTests case of 1 + 2, stored at 0, or of a jump to nowhere, with these results.
fn vmtests(code: &str, results: &str) -> String {
    format!(
        r#"{{"a": {{
  "env": {{"currentCoinbase": "0x00000000000000000000000000000000000000c0", "currentDifficulty": "0x02", "currentGasLimit": "0x0f4240", "currentNumber": "0x012c", "currentTimestamp": "0x01"}},
  "pre": {{"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": {{"balance": "0x03e8", "nonce": "0x07", "code": "0x", "storage": {{}}}}}},
  "exec": {{"address": "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "caller": "0xcacacacacacacacacacacacacacacacacacacaca", "origin": "0xcacacacacacacacacacacacacacacacacacacaca", "value": "0x00", "gasPrice": "0x01", "gas": "0x0186a0", "data": "0x", "code": "{code}"}}{results}
}}}}"#
    )
}

const STORE: &str = "0x600160020160005500";
const STORED: &str = r#", "post": {"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": {"balance": "0x03e8", "nonce": "0x07", "code": "0x", "storage": {"0x00": "0x03"}}}"#;

/// "Where the format cannot leave one out, the case is reported as `NOT FILLED` and stays as it is."
#[test]
fn a_case_that_needs_a_field_that_is_not_compared_is_not_filled() {
    let check = |text: &str, machine: &str, lacks: &str, flags: &[&str], cases: usize| {
        let place = Place::new(text);
        let ran = place.fill(&[place.vm("one", machine, ""), place.vm("two", machine, lacks)], flags);
        assert_eq!((ran.exit, &*place.text()), (1, text), "{ran:?}");
        assert!(ran.stdout.starts_with("NOT FILLED  "), "{ran:?}");
        assert!(ran.stdout.contains(": the format cannot leave out "), "{ran:?}");
        let expected = format!("0 filled, {cases} not filled, 0 up to date, 0 with other demands, ");
        assert!(summary(&ran).starts_with(&expected), "{ran:?}");
    };
    // A test that ends normally demands its gas, its logs and the accounts.
    let new = vmtests(STORE, "");
    check(&new, "evm", "", &["--replace", "--ignore", "gas"], 1);
    check(&new, "evm", r#"s/"logsHash",//"#, &["--replace"], 1);
    check(&vmtests(STORE, STORED), "evm", r#"s/"gas",//"#, &[], 1);
    // A result without a state demands NONE, and one without frames that there are none.
    check(EMPTY, "neo3", r#"s/"state",//"#, &[], 2);
    let halting = EMPTY.replace("PUSHM1", "PUSH1");
    check(&halting, "neo3", "", &["--ignore", "invocationStack"], 2);
    // In 2.x, one without a stack demands an empty one.
    let old = EMPTY.replace("\"name\": \"n\"", "\"name\": \"n\", \"machine\": \"neo2\"");
    check(&old.replace("PUSHM1", "PUSH1"), "neo2", "", &["--ignore", "resultStack"], 2);
}

/// What the author demands of an incomplete case is no less a demand.
#[test]
fn demands_of_an_incomplete_case_are_kept() {
    let filled = |text: &str, flags: &[&str]| {
        let place = Place::new(text);
        let ran = place.fill(&[place.vm("one", "evm", ""), place.vm("two", "evm", "")], flags);
        (ran.exit, ran.stdout.split("  ").next().unwrap().to_owned(), place.text())
    };
    let other = |text: String| {
        assert_eq!(filled(&text, &[]), (1, "HAS OTHER DEMANDS".to_owned(), text.clone()));
        let (exit, outcome, _) = filled(&text, &["--replace"]);
        assert_eq!((exit, &*outcome), (0, "FILLED"), "{text}");
    };
    // Three pushes and an addition take 3 gas each, and a new word 20,000: 79,988 of 100,000 are left.
    other(vmtests(STORE, &format!(r#", "gas": "0x013875"{STORED}"#)));
    other(vmtests(STORE, &STORED.replace("0x03\"}", "0x04\"}")));
    // A jump to nowhere halts.
    other(vmtests("0x600056", &format!(r#", "gas": "0x013874"{STORED}"#)));
    let right = vmtests(STORE, &format!(r#", "gas": "0x013874"{STORED}"#));
    let (exit, outcome, text) = filled(&right, &[]);
    assert_eq!((exit, &*outcome), (0, "FILLED"), "{text}");
    let demands = |text: &str| serde_json::from_str::<Json>(text).unwrap()["a"].clone();
    let [before, after] = [demands(&right), demands(&text)];
    assert_eq!([&before["gas"], &before["post"]], [&after["gas"], &after["post"]]);
    assert_eq!([&after["out"], &after["callcreates"]], [&serde_json::json!("0x"), &serde_json::json!([])]);
}

/// A transaction that the author wants to be refused is executed.
#[cfg(feature = "ethereum")]
#[test]
fn a_demanded_refusal_is_kept() {
    let text = fs::read_to_string(crate::support::at_root("docs/examples/formats/statetest.json")).unwrap();
    let mut tests: Json = serde_json::from_str(&text).unwrap();
    let entry = &mut tests["transfer"]["post"]["London"][0];
    entry.as_object_mut().unwrap().retain(|name, _| name == "indexes");
    entry["expectException"] = "TransactionException.INTRINSIC_GAS_TOO_LOW".into();
    let refused = tests.to_string();
    let place = Place::new(&refused);
    let vms = [place.vm("one", "ethereum", ""), place.vm("two", "ethereum", "")];
    let ran = place.fill(&vms, &[]);
    assert_eq!((ran.exit, place.text()), (1, refused), "{ran:?}");
    assert!(ran.stdout.starts_with("HAS OTHER DEMANDS  "), "{ran:?}");
}

/// Where the status of a run is not known, there is no place for it, and for the rest there is.
#[test]
fn the_rest_of_a_case_without_expectations_is_filled() {
    let tests = |first: &str, rest: &str| {
        format!(
            r#"{{"machine": "tinyvm", "tests": [
 {{"name": "a", "instructions": ["lw r0, 7", "yield"]{first}}},
 {{"name": "b", "instructions": ["lw r0, 7", "yield"]{rest}}}
]}}"#
        )
    };
    let place = Place::new(&tests(r#", "expect": {}"#, ""));
    let lacks = r#"s/"stop",//"#;
    let ran = place.fill(&[place.vm("one", "tinyvm", ""), place.vm("two", "tinyvm", lacks)], &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let filled: Json = serde_json::from_str(&place.text()).unwrap();
    let [first, rest] = [0, 1].map(|test| &filled["tests"][test]["expect"]);
    assert_eq!((&first["value"], &first["registers"]), (&7.into(), &serde_json::json!({"r0": 7})), "{ran:?}");
    assert_eq!((first, first.get("stop")), (rest, None), "{ran:?}");
    // Nothing is left to demand.
    let all = ["stop", "value", "pc", "time", "usedRnd", "changedRegisters", "changedData"];
    let ignored: Vec<_> = all.iter().flat_map(|field| ["--ignore", field]).collect();
    let text = tests("", "");
    let place = Place::new(&text);
    let ran = place.fill(&[place.vm("one", "tinyvm", ""), place.vm("two", "tinyvm", "")], &ignored);
    assert_eq!((ran.exit, place.text()), (0, text), "{ran:?}");
    assert!(summary(&ran).starts_with("0 filled, 2 up to date"), "{ran:?}");
}

/// A driver of TinyVM without `expect` demands a run that passes, which says nothing about its results.
#[test]
fn results_of_a_driver_are_filled() {
    let driver = "3002 3101 3200 2021 330D 4365 3201 2023 3385 4345 3202 2023 102A";
    let test = |name: &str, expect: &str| {
        format!(r#"{{"name": "{name}", "driver": "{driver}", "testee": "6010 102A"{expect}}}"#)
    };
    let all = [
        test("a", ""),
        test("b", r#", "expect": {"outcome": "completed"}"#),
        test("c", r#", "expect": {"rating": "pass"}"#),
    ];
    let place = Place::new(&format!(r#"{{"machine": "tinyvm", "tests": [{}]}}"#, all.join(",\n")));
    let vms = [place.vm("one", "tinyvm", ""), place.vm("two", "tinyvm", "")];
    let ran = place.fill(&vms, &[]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let filled: Json = serde_json::from_str(&place.text()).unwrap();
    for test in filled["tests"].as_array().unwrap() {
        assert_eq!(test["expect"]["results"], serde_json::json!(["pass"]), "{test}");
    }
    let again = place.fill(&vms, &["--check"]);
    assert!(again.exit == 0 && summary(&again).starts_with("0 filled, 3 up to date"), "{again:?}");
}

/// Only a run that halted has a result, whatever is known of its status.
#[test]
fn the_result_of_a_run_of_unknown_status_is_filled() {
    let text = fs::read_to_string(crate::support::at_root("docs/examples/formats/minic89.json")).unwrap();
    let at = text.find("\"tests\": [").unwrap() + "\"tests\": [".len();
    let place =
        Place::new(&format!("{}{{\"name\": \"x\", \"args\": [5], \"expect\": {{}}}}]}}", &text[..at]));
    let vms = [place.vm("one", "minic89", ""), place.vm("two", "minic89", "")];
    let ran = place.fill(&vms, &["--ignore", "status"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let filled: Json = serde_json::from_str(&place.text()).unwrap();
    let expect = &filled["tests"][0]["expect"];
    assert_eq!(expect["halt"], serde_json::json!({"result": 10}));
    assert_eq!((expect.get("status"), expect.get("trap")), (None, None), "{expect}");
}

#[test]
fn disagreements_are_shown_and_not_written() {
    let place = Place::new(EMPTY);
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", r#"s/"value":"7"/"value":"8"/"#)];
    let ran = place.fill(&vms, &[]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert_eq!(demanded(&place.text(), 0), Json::Null);
    assert_eq!(demanded(&place.text(), 1)["state"], "FAULT");
    let block: Vec<_> = ran.stdout.lines().take(3).collect();
    assert!(block[0].starts_with("DISAGREEMENT") && block[0].ends_with("::sum"), "{ran:?}");
    assert!(block[1].starts_with("  one: …") && block[1].contains("\"value\": 7"), "{ran:?}");
    assert!(block[2].starts_with("  two: …") && block[2].contains("\"value\": 8"), "{ran:?}");
}

/// A machine that does not support a case has said nothing that others could disagree with.
#[test]
fn too_few_machines_do_not_disagree() {
    let place = Place::new(EMPTY);
    let refusing = |name: &str| {
        place.vm(
            name,
            "neo3",
            r#"s/"type":"done","id":\([0-9]*\).*/"type":"skip","id":\1,"reason":"no SHR"}/"#,
        )
    };
    let ran = place.fill(&[place.vm("one", "neo3", ""), refusing("two")], &[]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert_eq!(place.text(), EMPTY);
    let block: Vec<_> = ran.stdout.lines().take(3).collect();
    assert!(block[0].starts_with("TOO FEW MACHINES  ") && block[0].ends_with("::sum"), "{ran:?}");
    assert!(block[1].starts_with("  one: …") && block[2].ends_with("unsupported: no SHR"), "{ran:?}");
    assert!(summary(&ran).contains(", 0 disagreements, 2 run by too few machines, 0 errors; "), "{ran:?}");
    // Two that differ do disagree, whatever the third one lacks.
    let vms = [
        place.vm("one", "neo3", ""),
        place.vm("two", "neo3", r#"s/"value":"7"/"value":"8"/"#),
        refusing("three"),
    ];
    assert!(place.fill(&vms, &[]).stdout.starts_with("DISAGREEMENT  "));
}

#[test]
fn a_majority_is_enough_when_asked_for() {
    let place = Place::new(EMPTY);
    let wrong = r#"s/"value":"7"/"value":"8"/"#;
    let vms = [place.vm("one", "neo3", wrong), place.vm("two", "neo3", ""), place.vm("three", "neo3", "")];
    assert_eq!(place.fill(&vms, &[]).exit, 1);
    assert_eq!(demanded(&place.text(), 0), Json::Null);
    assert_eq!(place.fill(&vms, &["--agree", "2"]).exit, 0);
    assert_eq!(demanded(&place.text(), 0)["resultStack"][0]["value"], 7);
    for (agree, count) in [("1", 3), ("4", 3)] {
        let ran = place.fill(&vms, &["--agree", agree]);
        assert_eq!(ran.exit, 2, "{ran:?}");
        assert!(
            ran.stderr.contains(&format!("a number from 2 to {count}, the number of machines")),
            "{ran:?}"
        );
    }
}

#[test]
fn what_a_case_demands_is_replaced_only_when_asked_for() {
    let wrong = EMPTY.replacen(
        r#""Execute"]"#,
        r#""Execute"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 9}]}"#,
        1,
    );
    let place = Place::new(&wrong);
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", "")];
    let ran = place.fill(&vms, &[]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.stdout.contains("HAS OTHER DEMANDS"), "{ran:?}");
    assert_eq!(demanded(&place.text(), 0)["resultStack"][0]["value"], 9);
    assert_eq!(place.fill(&vms, &["--replace"]).exit, 0);
    assert_eq!(demanded(&place.text(), 0)["resultStack"][0]["value"], 7);
}

#[test]
fn machines_are_recorded_where_the_format_has_a_place_for_them() {
    let text = fs::read_to_string(crate::support::at_root("vectors/evm/arithmetic/add.json")).unwrap();
    let place = Place::new(&text.replace("0x013874", "0x013875"));
    let vms = [place.vm("one", "evm", ""), place.vm("two", "evm", "")];
    assert_eq!(place.fill(&vms, &["--replace"]).exit, 0);
    let filled: Json = serde_json::from_str(&place.text()).unwrap();
    let by = |test: &Json| test["_info"]["filledBy"].clone();
    let tests: Vec<_> = filled.as_object().unwrap().values().collect();
    // Those that the price is wrong of; all others demand what they did.
    assert!(tests.iter().any(|test| by(test) == "one, two"));
    for test in &tests {
        assert_eq!(by(test) == "one, two", test["gas"] == "0x013874", "{test}");
    }
    let path = place.vector();
    assert_eq!(vmconf(&["run", "--strict", path.to_str().unwrap()]).exit, 0);
    assert_eq!(place.fill(&vms, &["--check"]).exit, 0);
}

#[test]
fn a_crashing_machine_does_not_count() {
    let place = Place::new(EMPTY);
    let dead = ["--vm".to_owned(), format!("dead={}", crash(place.folder.path()))];
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", ""), dead];
    let ran = place.fill(&vms, &["--agree", "2"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stdout.contains("  dead: crash"), "{ran:?}");
    // Each case is tried once.
    assert!(ran.stderr.contains("2 crashes of dead; the first one: "), "{ran:?}");
    assert_eq!(demanded(&place.text(), 0)["resultStack"][0]["value"], 7);
    // That is said of cases with nothing to fill in as well.
    let ran = place.fill(&vms, &["--agree", "2", "--check"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stdout.starts_with("UP TO DATE  ") && ran.stdout.contains("  dead: crash"), "{ran:?}");
}

/// A line that answers nothing is no case's.
#[test]
fn a_breach_of_the_protocol_outside_of_cases_is_reported() {
    let place = Place::new(EMPTY);
    let vms = [place.vm("one", "neo3", "/\"type\":\"done\"/p"), place.vm("two", "neo3", "")];
    let ran = place.fill(&vms, &[]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stderr.starts_with("error: --vm one: the machine wrote "), "{ran:?}");
    assert!(ran.stdout.starts_with("FILLED  "), "{ran:?}");
    let path = place.vector();
    let twice = format!("{}::sum", path.display());
    let ran = vmconf(&["bisect", &twice, "--vm", &vms[0][1]]);
    assert!(ran.exit == 3 && ran.stderr.starts_with("error: --vm one: the machine wrote "), "{ran:?}");
    assert!(ran.stdout.starts_with("no difference in "), "{ran:?}");
    let ran = vmconf(&["fuzz", "neo3", "--cases", "20", "--vm", &vms[0][1]]);
    assert!(ran.exit == 3 && ran.stderr.starts_with("error: --vm one: the machine wrote "), "{ran:?}");
    assert!(ran.stdout.contains(": 0 new causes\n"), "{ran:?}");
}

/// What could not be written is not counted as filled.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_not_filled() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(EMPTY);
    let vms = [place.vm("one", "neo3", ""), place.vm("two", "neo3", "")];
    fs::set_permissions(place.vector(), fs::Permissions::from_mode(0o400)).unwrap();
    let ran = place.fill(&vms, &[]);
    assert_eq!((ran.exit, place.text().as_str()), (3, EMPTY), "{ran:?}");
    assert!(ran.stderr.ends_with("v.json: the file is read-only\n"), "{ran:?}");
    let expected = "0 filled, 2 not written, 0 up to date, 0 with other demands, 0 disagreements, 0 errors; 0 files changed";
    assert_eq!(summary(&ran), expected);
    assert!(ran.stdout.starts_with("NOT WRITTEN  "), "{ran:?}");
    let json = place.fill(&vms, &["--output", "json"]);
    Validator::named("fill").assert_accepts_lines(&json.stdout);
    let end: Json = serde_json::from_str(summary(&json)).unwrap();
    assert_eq!((&end["cases"], &end["files_changed"]), (&serde_json::json!({"not written": 2}), &0.into()));
}

/// The command of a machine that greets and then ends.
fn crash(folder: &Path) -> String {
    let path = folder.join("dead.sh");
    fs::write(&path, format!("'{}' serve neo3 | head -n 1\n", env!("CARGO_BIN_EXE_vmconf"))).unwrap();
    format!("sh {}", path.display())
}
