//! `vmconf fill`: what machines agree on becomes the expectation, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tempfile::TempDir;

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
fn too_few_machines_are_no_disagreement() {
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
    assert!(ran.stderr.contains("crashes of dead; the first one: "), "{ran:?}");
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
    let end: Json = serde_json::from_str(summary(&json)).unwrap();
    assert_eq!((&end["cases"], &end["files changed"]), (&serde_json::json!({"not written": 2}), &0.into()));
}

/// The command of a machine that greets and then ends.
fn crash(folder: &Path) -> String {
    let path = folder.join("dead.sh");
    fs::write(&path, format!("'{}' serve neo3 | head -n 1\n", env!("CARGO_BIN_EXE_vmconf"))).unwrap();
    format!("sh {}", path.display())
}
