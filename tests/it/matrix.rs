//! `vmconf matrix`: several machines over the same cases.

use std::fs;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::wire::matrix::{Agreement, Matrix};

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, ran, vmconf};

const SERVE: &str = concat!(env!("CARGO_BIN_EXE_vmconf"), " serve evm");

/// The matrix of three machines: one of ours, one that computes something else, one that lacks a field.
fn three(form: &str, more: &[&str]) -> Ran {
    let ours = format!("ours={SERVE}");
    let wrong = format!("wrong=sh -c '{SERVE} | sed -u s/0x13872/0x13873/'");
    let lacking = format!("lacking=sh -c '{SERVE} | sed -u s/callcreates/nothing/'");
    let args = [
        "matrix",
        "vectors/evm/arithmetic",
        "vectors/evm/gas",
        "--vm",
        &ours,
        "--vm",
        &wrong,
        "--vm",
        &lacking,
    ];
    vmconf(&[&args[..], &["--output", form], more].concat())
}

#[test]
fn disagreements_come_first() {
    let Ran { exit, stdout, stderr } = three("json", &[]);
    assert_eq!((exit, &*stderr), (1, ""));
    Validator::named("matrix").assert_accepts(&serde_json::from_str::<Json>(&stdout).unwrap(), "the matrix");
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    assert_eq!(matrix.machines, ["ours", "wrong", "lacking"]);
    let names: Vec<_> = matrix.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["arithmetic", "gas"]);
    for suite in &matrix.suites {
        let [ours, wrong, lacking] = suite.cells[..] else { panic!("{suite:?}") };
        assert_eq!(ours.passed, ours.cases());
        assert_eq!(wrong.passed + wrong.failed, ours.passed);
        assert!(lacking.unsupported > 0 && lacking.passed + lacking.unsupported == ours.passed, "{suite:?}");
    }
    let first = &matrix.groups[0];
    assert_eq!(first.what, Agreement::Disagree);
    assert_eq!(first.outcomes, ["pass", "evm gas: other value", "unsupported: no field callcreates"]);
    assert_eq!(matrix.groups.last().unwrap().what, Agreement::Unsupported);
}

#[test]
fn every_form_names_machines_and_causes() {
    let folder = TempDir::new().unwrap();
    let badges = folder.path().to_str().unwrap();
    for form in ["text", "markdown", "html"] {
        let Ran { exit, stdout, .. } = three(form, &["--badges", badges]);
        assert_eq!(exit, 1);
        for part in ["ours", "wrong", "lacking", "the machines disagree", "unsupported"] {
            assert!(stdout.contains(part), "{form}: no {part}: {stdout}");
        }
    }
    let badge = fs::read_to_string(folder.path().join("ours.svg")).unwrap();
    let badge = roxmltree::Document::parse(&badge).unwrap();
    assert!(badge.root_element().attribute("aria-label").unwrap().starts_with("ours: "));
}

#[test]
fn machines_have_different_names() {
    let ours = format!("ours={SERVE}");
    assert_eq!(vmconf(&["matrix", "--vm", &ours, "--vm", &ours]).exit, 2);
    assert_eq!(vmconf(&["matrix", "vectors/evm/gas"]).exit, 2);
}

/// A machine that does not start has a column, and the others run. Without `--vm`, the machines are those of the
/// configuration.
#[test]
fn a_machine_that_does_not_start_does_not_end_the_others() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("vectors/evm/arithmetic/add.json"), folder.path().join("add.json")).unwrap();
    let lacking = format!("sh -c '{SERVE} | sed -u s/callcreates/nothing/'");
    let config = format!(
        "[vm.dead]\ncommand = \"no-such-program\"\n[vm.ours]\ncommand = \"{SERVE}\"\n\
         [vm.lacking]\ncommand = \"{lacking}\"\n"
    );
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    let run = |args: &[&str]| {
        let mut command = command(&[&["matrix", "add.json"], args].concat());
        ran(command.current_dir(&folder).env("VMCONF_CACHE", folder.path()).output().unwrap())
    };
    let Ran { exit, stdout, .. } = run(&["--badges", "."]);
    assert_eq!(exit, 3, "{stdout}");
    assert!(stdout.starts_with("error: dead: no-such-program cannot be started: "), "{stdout}");
    assert!(
        stdout.contains("  dead     5 errors\n  lacking  5 unsupported\n  ours     5 passed\n"),
        "{stdout}"
    );
    let badge = fs::read_to_string(folder.path().join("lacking.svg")).unwrap();
    assert!(badge.contains(">0 of 5, 5 unsupported<"), "{badge}");
    // Nothing fails where nothing is supported.
    let Ran { exit, stdout, .. } = run(&["--vm", "lacking"]);
    assert_eq!(exit, 4, "{stdout}");
    assert!(stdout.starts_with("5 cases: supported by no machine\n"), "{stdout}");
}

/// The values that differ, and the command that explains them, which works as it is printed.
#[test]
fn the_difference_and_the_next_command_are_shown() {
    let Ran { stdout, .. } = three("json", &[]);
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    let first = &matrix.groups[0];
    let [None, Some(difference), None] = &first.differences[..] else { panic!("{first:?}") };
    assert_eq!(difference, "gas: expected 0x13872 (79986), actual 0x13873 (79987)");
    let next = first.next.as_ref().unwrap().replacen("vmconf", env!("CARGO_BIN_EXE_vmconf"), 1);
    let explained = Command::new("sh").args(["-c", &next]).current_dir(at_root("")).output().unwrap();
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.status.code() == Some(1) && text.contains("actual   0x13873 (79987)"), "{text}");
    let Ran { stdout, .. } = three("text", &[]);
    assert!(stdout.contains(difference) && stdout.contains("  why: vmconf diff "), "{stdout}");
}
