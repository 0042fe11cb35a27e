//! Broken files and cases: commands that do not run vectors for their verdicts report them, and exit
//! with 3.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, at_root, shown, vmconf};

/// Vectors of the EVM that pass, but for one whose code is a number.
fn one_is_broken() -> String {
    let text = fs::read_to_string(at_root("vectors/evm/arithmetic/div.json")).unwrap();
    let mut vectors: Json = serde_json::from_str(&text).unwrap();
    vectors[PASSING]["exec"]["gas"].as_str().expect("the passing case");
    let broken = vectors.as_object_mut().unwrap().iter_mut().find(|it| it.0 != PASSING).unwrap().1;
    broken["exec"]["code"] = 7.into();
    vectors.to_string()
}

const PASSING: &str = "operand-order";

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn commands_say_that_files_are_broken() {
    let folder = TempDir::new().unwrap();
    let empty = file(&folder, "empty.json", "");
    let half = file(&folder, "half.json", &one_is_broken());
    let list = folder.path().join("known.toml");
    let list = list.to_str().unwrap();
    for broken in [&empty, &half] {
        for command in ["audit", "coverage", "minset", "mutants", "minimize"] {
            let Ran { exit, stderr, .. } = vmconf(&[command, broken]);
            assert_eq!(exit, 3, "{command} {broken}: {stderr}");
            let is_reported = stderr.contains("error: 1 file or case is broken")
                || stderr.contains(&format!("{}:", shown(broken)));
            assert!(is_reported, "{command} {broken}: {stderr}");
        }
        let Ran { exit, stderr, .. } = vmconf(&["known", "update", list, broken]);
        assert!(exit == 3 && stderr.contains("error: "), "{stderr}");
    }
}

/// A case that is named besides its file is one case; one that the file does not have is still an error.
#[test]
fn a_case_of_a_selected_file_is_listed_once() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "half.json", &one_is_broken());
    let (good, nowhere) = (format!("{path}::operand-order"), format!("{path}::nowhere"));
    let once = vmconf(&["list", &path]);
    for arguments in [[&path, &good], [&good, &path]] {
        let Ran { exit, stdout, .. } = vmconf(&["list", arguments[0], arguments[1]]);
        assert_eq!((exit, &*stdout), (0, &*once.stdout));
    }
    let in_folder = vmconf(&["list", folder.path().to_str().unwrap(), &good]);
    assert_eq!(in_folder.stdout, once.stdout);
    let missing = vmconf(&["run", &path, &nowhere]);
    assert!(missing.stderr.contains("nowhere"), "{missing:?}");
}

#[test]
fn each_error_of_a_source_is_a_line() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "two.easm", "PUSHH\nADDD\n");
    let Ran { exit, stderr, .. } = vmconf(&["exec", "evm", &path]);
    let starts: Vec<_> = stderr.lines().map(|line| line.split(": no ").next().unwrap().to_owned()).collect();
    assert_eq!(
        (exit, starts),
        (3, vec![format!("error: {path}:1:1"), format!("error: {path}:2:1")]),
        "{stderr}"
    );
}

/// A report is no vector file. The text says what it is, however it begins today.
#[test]
fn a_report_among_vectors_is_named() {
    let folder = TempDir::new().unwrap();
    let report = folder.path().join("report.json");
    let report = report.to_str().unwrap();
    assert_eq!(vmconf(&["run", "vectors/evm/gas", "--report", &format!("json={report}")]).exit, 0);
    let ran = vmconf(&["run", folder.path().to_str().unwrap()]);
    assert_eq!(ran.exit, 3);
    assert!(ran.stdout.contains("expected a vector file; this is a JSON report of vmconf"), "{}", ran.stdout);
}

/// What a user wrote for vmconf is a mistake of the user if it is no text, wherever it is named.
#[test]
fn written_files_that_are_not_utf_8_are_usage_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, b"\xff\xfe").unwrap();
    let path = path.to_str().unwrap();
    for args in [&["family", "check", path][..], &["run", "--known", path], &["merge", path]] {
        let Ran { exit, stderr, .. } = vmconf(args);
        assert!(exit == 2 && stderr.contains("a.toml:1: not UTF-8"), "{args:?}: {exit}: {stderr}");
    }
}
