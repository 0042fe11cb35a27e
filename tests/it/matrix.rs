//! `vmconf matrix`: several machines over the same cases.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::wire::matrix::{Agreement, Matrix};

use crate::support::validator::Validator;
use crate::support::{Ran, vmconf};

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
