//! `vmconf list`: the cases that `run` with the same flags runs.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::formats::FORMATS;

use crate::support::validator::Validator;
use crate::support::{A_FOLDER_OF_EACH_FORMAT, VECTORS, at_root, command, ran, vmconf};

const WRONG: &str = "tests/samples/vmtests/wrong";

#[test]
fn parts_are_disjoint_and_complete() {
    let all: Vec<_> = vmconf(&["list", VECTORS]).stdout.lines().map(str::to_owned).collect();
    for kind in ["hash", "slice"] {
        let part = |part: u32| vmconf(&["list", VECTORS, "--partition", &format!("{kind}:{part}/3")]).stdout;
        let parts: Vec<_> = (1..=3).map(part).collect();
        let listed: Vec<_> = parts.iter().flat_map(|part| part.lines()).collect();
        assert_eq!(listed.len(), all.len(), "{kind}");
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>().len(), all.len(), "{kind}");
        assert!(parts.iter().all(|part| !part.is_empty()), "{kind}");

        // What is listed is what runs.
        let args = ["run", VECTORS, "--partition", &format!("{kind}:1/3"), "--report", "json"];
        let run = vmconf(&args).stdout.replace("\"seconds\":TIME", "\"seconds\":0");
        let run = run.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let run: Vec<_> = run.filter_map(|line| Some(line.get("id")?.as_str()?.to_owned())).collect();
        assert_eq!(run, parts[0].lines().collect::<Vec<_>>(), "{kind}");
    }
}

#[test]
fn outstanding_failures_are_listed_until_they_pass() {
    let place = TempDir::new().unwrap();
    let vmconf = |args: &[&str]| {
        let mut command = command(args);
        ran(command.env("VMCONF_CACHE", place.path()).current_dir(place.path()).output().unwrap())
    };
    fs::create_dir(place.path().join("vectors")).unwrap();
    for name in ["nonce.json", "balance.json"] {
        fs::copy(at_root(WRONG).join(name), place.path().join("vectors").join(name)).unwrap();
    }
    let passing = at_root("vectors/evm/arithmetic/div.json");
    fs::copy(passing, place.path().join("vectors/div.json")).unwrap();
    assert_eq!(vmconf(&["list", "--rerun", "failed"]).exit, 4);
    let failed = vmconf(&["run", "-v"]);
    let failed = failed.stdout.lines().filter_map(|line| line.strip_prefix("fail  "));
    let failed: Vec<_> = failed.collect();
    assert!(!failed.is_empty());
    assert_eq!(vmconf(&["list", "--rerun", "failed"]).stdout.lines().collect::<Vec<_>>(), failed);
    assert_eq!(vmconf(&["list", "--rerun", "failed", "--filter", "nothing"]).exit, 4);
}

/// Each line is as the schema says, and names the line on which the case begins.
#[test]
fn the_json_list_has_its_schema() {
    let formats = vmconf(&[&["list", "--formats"], &A_FOLDER_OF_EACH_FORMAT[..]].concat()).stdout;
    assert!(FORMATS.iter().all(|format| formats.contains(&format!(": {}", format.name))), "{formats}");
    let validator = Validator::named("list");
    let lines = vmconf(&[&["list", "--output", "json"], &A_FOLDER_OF_EACH_FORMAT[..]].concat()).stdout;
    let mut ids = String::new();
    for line in lines.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        validator.assert_accepts(&case, "a line");
        ids += case["id"].as_str().unwrap();
        ids += "\n";
    }
    assert_eq!(ids, vmconf(&[&["list"], &A_FOLDER_OF_EACH_FORMAT[..]].concat()).stdout);

    let file = "docs/examples/formats/vmtests.json";
    let listed: Json = serde_json::from_str(&vmconf(&["list", "--output", "json", file]).stdout).unwrap();
    let text = fs::read_to_string(at_root(file)).unwrap();
    let name = listed["name"].as_str().unwrap();
    let at = text.lines().position(|line| line.contains(name)).unwrap();
    assert_eq!((listed["line"].as_u64(), &listed["machine"]), (Some(at as u64 + 1), &Json::from("evm")));
}

/// A format that `vmconf.toml` sets is not detected.
#[test]
fn formats_are_those_of_the_configuration() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("docs/examples/formats/vmtests.json"), folder.path().join("a.json")).unwrap();
    fs::write(folder.path().join("vmconf.toml"), "[[override]]\npath = \"a.json\"\nformat = \"tinyvm\"\n")
        .unwrap();
    let listed = ran(command(&["list", "--formats", "a.json"]).current_dir(folder.path()).output().unwrap());
    assert_eq!((listed.exit, &*listed.stdout), (0, "a.json: tinyvm, as vmconf.toml says\n"), "{listed:?}");
}
