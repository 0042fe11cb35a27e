//! Tests that need what this computer does not have.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with a file for each test that was skipped, which `.ci/run` prints at its end.
const SKIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped");

/// Reports that the running test, or a part of it, is skipped. The test harness hides what a passing test prints, so
/// this writes to standard error itself.
pub(crate) fn skip(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("skipped: {test}: {why}\n");
    let kept = keep(&Path::new(SKIPPED).join(test.replace(':', "-")), &line);
    kept.and_then(|()| io::stderr().write_all(line.as_bytes())).expect("the target folder can be written");
}

/// Adds the line to the file of a test, which may skip several parts, unless an earlier run did.
fn keep(file: &Path, line: &str) -> io::Result<()> {
    fs::create_dir_all(SKIPPED)?;
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(file)?;
    if io::read_to_string(&file)?.contains(line) { Ok(()) } else { file.write_all(line.as_bytes()) }
}

/// Whether machines in Python can run; the test is skipped if not.
pub(crate) fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok();
    if !has {
        skip("python3 is not installed, so that a machine in Python is not run");
    }
    has
}

/// The folder of the published suites; `None`, and the test is skipped, if `VMCONF_SUITES` does not name it.
pub(crate) fn suites() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("VMCONF_SUITES") else {
        skip("VMCONF_SUITES does not name a folder of published suites");
        return None;
    };
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir(), "VMCONF_SUITES: {} is no folder", folder.display());
    Some(folder)
}
