//! Suspects in reports of runs, and in what selects cases.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{Ran, command, ran};

/// The vectors of the page on suspects, and how many of them fail with each instruction.
const PATHS: [&str; 2] = ["vectors/evm/arithmetic", "vectors/evm/bitwise"];
const EXPLAINED: [(&str, usize); 2] = [("BYTE", 6), ("SDIV", 5)];

/// A machine that executes SDIV as DIV and BYTE as AND, as on that page.
fn swapped() -> String {
    let vmconf = env!("CARGO_BIN_EXE_vmconf");
    format!(r#"mine=sh -c 'sed -u -e s/05600055/04600055/ -e s/1a600055/16600055/ | "{vmconf}" serve evm'"#)
}

/// Runs the vectors on that machine, with these arguments.
fn run(folder: &TempDir, args: &[&str]) -> Ran {
    let mut command = command(&[&["run"], &PATHS[..], &["--vm", &swapped()], args].concat());
    ran(command.env("VMCONF_CACHE", folder.path()).output().unwrap())
}

#[test]
fn reports_name_the_suspects() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, junit) = (file("json"), file("junit"));
    let all = run(&folder, &["--report", &format!("json={json}"), "--report", &format!("junit={junit}")]);
    assert!(all.stdout.contains("11 failures, 2 suspects: BYTE (6), SDIV (5)"), "{}", all.stdout);
    let junit = fs::read_to_string(junit).unwrap();
    let xml = roxmltree::Document::parse(&junit).unwrap();
    let json = fs::read_to_string(json).unwrap();
    let mut lines = json.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let line = lines.find(|line| line["type"] == "suspects").expect("a line with suspects");
    for (number, (op, count)) in EXPLAINED.into_iter().enumerate() {
        let suspect = &line["analysis"]["suspects"][number];
        assert_eq!((&suspect["op"], suspect["cases"].as_array().unwrap().len()), (&Json::from(op), count));
        let is_suspect = |node: &roxmltree::Node<'_, '_>| {
            node.attribute("name") == Some("suspect") && node.attribute("value") == Some(op)
        };
        assert_eq!(xml.descendants().filter(is_suspect).count(), count, "{op}");
    }
}

/// The last run tells which cases a suspect explains. `--group symptom` and `--no-group` name none.
#[test]
fn a_suspect_selects_its_cases() {
    let folder = TempDir::new().unwrap();
    run(&folder, &[]);
    let listed = |expression: &str| {
        let mut command = command(&[&["list"], &PATHS[..], &["-E", expression]].concat());
        ran(command.env("VMCONF_CACHE", folder.path()).output().unwrap()).stdout
    };
    for (op, count) in EXPLAINED {
        let cases = listed(&format!("cause({op})"));
        assert_eq!(cases.lines().filter(|line| line.contains("::")).count(), count, "{cases}");
    }
    for args in [&["--group", "symptom"][..], &["--no-group"]] {
        let text = run(&folder, args).stdout;
        assert!(!text.contains("suspects"), "{text}");
    }
}
