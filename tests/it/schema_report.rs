//! Every line of a JSON report is what `schemas/report.schema.json` says, over vectors that pass,
//! files that are broken, and cases that are skipped.

use crate::support::validator::Validator;
use crate::support::{A_FOLDER_OF_EACH_FORMAT, command};

use serde_json::Value;

/// The lines of a report over these paths.
fn report(arguments: &[&str]) -> Vec<Value> {
    let run = command(&[&["run", "--report", "json"], arguments].concat()).output().unwrap();
    String::from_utf8(run.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check(arguments: &[&str], verdicts: &[&str]) {
    let validator = Validator::named("report");
    let lines = report(arguments);
    for line in &lines {
        validator.assert_accepts(line, "a line");
    }
    assert_eq!(lines.first().unwrap()["type"], "run");
    assert_eq!(lines.last().unwrap()["type"], "summary");
    for verdict in verdicts {
        assert!(lines.iter().any(|line| line["verdict"] == *verdict), "no case has the verdict {verdict}");
    }
}

#[test]
fn reports_of_passing_cases_have_their_schema() {
    check(&A_FOLDER_OF_EACH_FORMAT, &["pass"]);
}

#[test]
fn reports_of_failing_and_broken_cases_have_their_schema() {
    check(
        &["tests/samples/vmtests/wrong", "tests/samples/vmtests/broken", "vectors/evm/arithmetic"],
        &["pass", "fail", "error"],
    );
}

#[test]
fn reports_of_skipped_cases_have_their_schema() {
    let wrong_before = ["tests/samples/vmtests/wrong", "--fail-fast"];
    check(&[&wrong_before, &A_FOLDER_OF_EACH_FORMAT[..]].concat(), &["skip"]);
}
