//! Large inputs: outputs of shared values stay small, long lists and long numbers take no longer than short ones.
//! Nothing here measures time. What reports take of memory is in `tests/memory.rs`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{command, shown, vmconf};
use tempfile::TempDir;
use vmconf::explain::explain_on_screen;
use vmconf::model::{Event, Explanation, Value, VerdictKind};
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, Explainers, LoadOptions, LoadedFile, RunOptions, sources};

/// Arrays of two references to the same Array, and so on: 2^90 items, and one expected.
fn shared_tree(folder: &TempDir) -> String {
    let script = format!("\"NEWARRAY0\"{}", ", \"DUP\", \"PUSH2\", \"PACK\"".repeat(90));
    let path = folder.path().join("tree.json");
    let result = r#"{"state": "HALT", "resultStack": [{"type": "Integer", "value": 2}]}"#;
    let text = format!(
        r#"{{"category": "c", "name": "n", "tests": [{{"name": "tree", "script": [{script}],
             "steps": [{{"actions": ["Execute"], "result": {result}}}]}}]}}"#
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What is shared is written about 65,536 times at most, and then how much is left out.
#[test]
fn shared_items_do_not_make_a_large_output() {
    const MAX_COUNT: usize = 12_000_000;
    let folder = TempDir::new().unwrap();
    let tree = shared_tree(&folder);
    for args in
        [&["run", "--report", "json"][..], &["diff", "--output", "json"], &["trace", "--output", "json"]]
    {
        let out = command(&[args, &[&tree]].concat()).output().unwrap().stdout;
        assert!((1_000..MAX_COUNT).contains(&out.len()), "{args:?}: {} bytes", out.len());
    }
    let diff = vmconf(&["diff", "--output", "json", &tree]).stdout;
    assert!(diff.contains(r#"{"type":"Array","value":{"text":"2 items left out"}}"#));
    let blessed = vmconf(&["bless", "--yes", &tree]);
    assert_eq!(blessed.exit, 1);
    assert!(blessed.stderr.starts_with("refused: "), "{}", blessed.stderr);
}

/// Each case is compared with the entries that start like its id: the last of many applies, and nothing else.
#[test]
fn a_long_list_of_known_failures_applies_to_each_case() {
    const ENTRIES: usize = 20_000;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("fails.json");
    let case = |number| {
        let result = r#"{"state": "HALT", "resultStack": []}"#;
        format!(
            r#"{{"name": "c{number}", "script": ["PUSH1"], "steps": [{{"actions": ["Execute"], "result": {result}}}]}}"#
        )
    };
    let cases: Vec<_> = (0..ENTRIES).map(case).collect();
    fs::write(&file, format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, cases.join(",\n")))
        .unwrap();
    let mut list = String::new();
    for number in 0..ENTRIES {
        let glob = if number % 2 == 0 { "" } else { "*" };
        let id = format!("{}::c{number}{glob}", shown(&file));
        write!(list, "[[known]]\nid = \"{id}\"\nreason = \"r\"\n").unwrap();
    }
    let known = folder.path().join("known.toml");
    fs::write(&known, list).unwrap();
    let ran = vmconf(&["run", "--known", path(&known), path(&file)]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!("{ENTRIES} known")), "{}", ran.stdout);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Reading digits takes time in the square of their number.
#[test]
fn long_numbers_of_a_report_are_refused() {
    let int =
        |digits: usize| serde_json::from_str::<Value>(&format!("{{\"int\":\"-{}\"}}", "9".repeat(digits)));
    assert!(int(1_000).is_ok());
    assert!(int(1_001).unwrap_err().to_string().contains("more than 1001 characters"));
}

/// A file with this number of cases that fail.
fn failing(folder: &TempDir, count: usize) -> String {
    let steps = r#"[{"actions": ["Execute"], "result": {"state": "FAULT"}}]"#;
    let case = |number| format!(r#"{{"name": "{number}", "script": "0x11", "steps": {steps}}}"#);
    let cases: Vec<_> = (0..count).map(case).collect();
    let path = folder.path().join("failing.json");
    fs::write(&path, format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, cases.join(",\n")))
        .unwrap();
    path.to_str().unwrap().to_owned()
}

/// Explains a case, and deletes its file.
fn explain_and_delete(file: &LoadedFile<'_>, index: usize, options: &RunOptions) -> Explanation {
    let id = file.ids().next().unwrap().to_string();
    let _ = fs::remove_file(Path::new("/").join(id.split("::").next().unwrap()));
    explain_on_screen(file, index, options)
}

/// Cases that are named one after another run in the order in which they are named, and their file is read once.
#[test]
fn named_cases_of_a_file_open_it_once() {
    let folder = TempDir::new().unwrap();
    let path = failing(&folder, 4);
    let typed = ["2", "0", "3", "1", "2"].map(|case| format!("{path}::{case}").into());
    let found = sources::find(&typed, &Anchor::at(Path::new("/")).unwrap()).unwrap();
    let (options, mut names) = (LoadOptions::default(), Vec::new());
    run::run(&found.sources, &options, &mut |event| {
        if let Event::Finished(report) = event {
            assert_eq!(report.verdict.kind(), VerdictKind::Fail, "{:?}", report.verdict);
            let _ = fs::remove_file(&path);
            names.extend(report.id.name);
        }
    });
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["2", "0", "3", "1"]);
}

/// Explanations of cases of one file read it once: opening a large file for each takes long.
#[test]
fn explanations_open_a_file_once() {
    let folder = TempDir::new().unwrap();
    let path = failing(&folder, 20);
    let found = sources::find(&[path.into()], &Anchor::at(Path::new("/")).unwrap()).unwrap();
    let (mut explained, mut failed) = (0, 0);
    let options = LoadOptions::default();
    let explainers = Explainers { explain: Some(&mut explain_and_delete), analyse: None };
    run::run_with(&found.sources, &options, explainers, &mut |event| match event {
        Event::Explained(_) => explained += 1,
        Event::Ended(summary) => failed = summary.failed,
        _ => {}
    });
    assert_eq!((explained, failed), (20, 20));
}
