//! Golden files: what is compared with files under `tests/it/snapshots`, and that each of those files
//! is read by a test.
//!
//! A golden file is either a file of its own, or one of a folder that a single test reads and owns. So
//! each test can say by itself which files of its folder are dead, in whatever order tests run.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{at_root, files};

const FOLDER: &str = "tests/it/snapshots";

/// Compares a text with the golden file of this name, which no other test reads.
pub(crate) fn file(name: &str, text: &str) {
    compare("", name, text);
}

/// Compares texts, each under its name, with the golden files of a folder, which no other test reads.
///
/// All are compared before the test fails, so that one run shows all that changed.
pub(crate) fn folder(folder: &str, texts: impl IntoIterator<Item = (String, String)>) {
    let mut names = BTreeSet::new();
    let mut differ = Vec::new();
    for (name, text) in texts {
        let name = name.replace('/', "__");
        if catch_unwind(AssertUnwindSafe(|| compare(folder, &name, &text))).is_err() {
            differ.push(name.clone());
        }
        assert!(names.insert(name.clone()), "two texts for {folder}/{name}");
    }
    assert!(differ.is_empty(), "{} golden files of {folder} differ: {}", differ.len(), differ.join(", "));
    let there = files(format!("{FOLDER}/{folder}"), "snap").into_iter();
    let dead: Vec<_> = there
        .filter(|path| !names.contains(path.file_stem().unwrap().to_str().unwrap()))
        .map(|path| path.display().to_string())
        .collect();
    assert!(dead.is_empty(), "no test reads these golden files; delete them: {dead:#?}");
}

/// Snapshots hold only the text, so that moving a test changes no snapshot.
fn compare(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(at_root(FOLDER).join(folder));
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The folders and files of [`FOLDER`] are those that calls of [`file`] and [`folder`] name.
#[test]
fn every_golden_file_is_read() {
    // Assembled, so that these lines are no calls.
    let calls = ["file", "folder"].map(|function| ["golden::", function, "("].concat());
    let mut named = BTreeSet::new();
    for source in files("tests/it", "rs").iter().map(|path| std::fs::read_to_string(path).unwrap()) {
        let arguments = calls.iter().flat_map(|call| source.split(call).skip(1));
        let names = arguments.filter_map(|it| it.trim_start().strip_prefix('"')?.split('"').next());
        named.extend(names.map(str::to_owned));
    }
    let entries = std::fs::read_dir(at_root(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    let is_pending = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "new");
    let there: BTreeSet<_> = entries
        .filter(|path| !is_pending(path))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(there, named, "golden files, and those that tests read");
}
