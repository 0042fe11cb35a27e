//! Broken files and cases: commands that do not run vectors for their verdicts say that they are there, and exit with 3.

use std::fs;

use tempfile::TempDir;

use crate::support::{Ran, vmconf};

/// A passing case of the EVM, and one without the gas that its format demands.
const ONE_IS_BROKEN: &str = r#"{
    "good": {"exec": {"code": "0x00", "gas": "0x0a"}, "gas": "0x0a"},
    "bad": {"exec": {"code": 7, "gas": "0x0a"}, "gas": "0x0a"}
}"#;

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn commands_say_that_files_are_broken() {
    let folder = TempDir::new().unwrap();
    let empty = file(&folder, "empty.json", "");
    let half = file(&folder, "half.json", ONE_IS_BROKEN);
    let list = folder.path().join("known.toml");
    let list = list.to_str().unwrap();
    for broken in [&empty, &half] {
        for command in ["coverage", "audit", "minset", "mutants", "minimize"] {
            if command == "audit" && broken == &half {
                continue;
            }
            let Ran { exit, stderr, .. } = vmconf(&[command, broken]);
            assert_eq!(exit, 3, "{command} {broken}: {stderr}");
            let is_told =
                stderr.contains("error: 1 file or case is broken") || stderr.contains(&format!("{broken}:"));
            assert!(is_told, "{command} {broken}: {stderr}");
        }
        let Ran { exit, stderr, .. } = vmconf(&["known", "update", list, broken]);
        assert!(exit == 3 && stderr.contains("error: "), "{stderr}");
    }
}

/// A case that is named besides its file is one case; one that the file does not have is still an error.
#[test]
fn a_case_of_a_selected_file_is_listed_once() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "half.json", ONE_IS_BROKEN);
    let (good, nowhere) = (format!("{path}::good"), format!("{path}::nowhere"));
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
    let starts: Vec<_> = stderr.lines().map(|line| line.split(": ").next().unwrap().to_owned()).collect();
    assert_eq!((exit, starts), (3, vec![format!("{path}:1:1"), format!("{path}:2:1")]), "{stderr}");
}
