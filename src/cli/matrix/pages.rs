//! `vmconf matrix --site` and `--statement`.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::bail;
use vmconf::model::escaped;
use vmconf::report::conformance::ConformanceMachine;
use vmconf::report::matrix::{badge, is_badge};
use vmconf::report::site::{is_site_page, site};
use vmconf::report::statement::{is_statement, statement};
use vmconf::wire::matrix::Matrix;

use crate::cli::result_file::{write_own, write_typed};
use crate::cli::unwritten::Unwritten;

/// Writes all pages to a folder, which is created if it is missing. Fails when there is a page that vmconf did not
/// write, or one cannot be written.
pub(super) fn write_site(
    folder: &Path,
    matrix: &Matrix,
    machines: &[ConformanceMachine],
    suite: &dyn Fn(&str) -> String,
) -> anyhow::Result<()> {
    let files = site(matrix, machines, suite);
    for file in &files {
        let path = folder.join(&file.name);
        let (is_own, kind) = kind_of(&path);
        if is_foreign(&path, is_own) {
            bail!("{}: this file exists and is no {kind} of vmconf: name another folder", path.display());
        }
    }
    std::fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
    for file in &files {
        write_own(&folder.join(&file.name), file.text.as_bytes())?;
    }
    note_earlier_files(folder, |name| files.iter().any(|file| name == &*file.name));
    Ok(())
}

/// What a file of a site is, by its name: how its text is recognised, and what it is called.
fn kind_of(path: &Path) -> (fn(&str) -> bool, &'static str) {
    match path.extension().and_then(OsStr::to_str) {
        Some("md") => (is_statement, "statement"),
        Some("svg") => (is_badge, "badge"),
        _ => (is_site_page, "page"),
    }
}

/// Notes the files of an earlier site, of machines that this one does not have.
fn note_earlier_files(folder: &Path, is_written: impl Fn(&OsStr) -> bool) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.retain(|name| !is_written(name));
    names.sort();
    for path in names.into_iter().map(|name| folder.join(name)) {
        let (is_own, kind) = kind_of(&path);
        if start_of(&path).is_some_and(|start| is_own(&start)) {
            let shown = escaped(&path.display().to_string()).into_owned();
            note!("note: {shown} is a {kind} of an earlier site, to which nothing links");
        }
    }
}

/// Writes the badge of each machine to a folder, which is created if it is missing. Fails when the name of a machine
/// is not that of a file, there is a badge of somebody else, or one cannot be written.
pub(super) fn write_badges(folder: &Path, matrix: &Matrix) -> anyhow::Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for (machine, name) in matrix.machines.iter().enumerate() {
        if !name.chars().all(|it| it.is_ascii_alphanumeric() || "-_.".contains(it)) {
            bail!("--badges: {name:?} is not a file name; use letters, digits, -, _ and .");
        }
        // Some file systems do not distinguish upper case from lower case.
        if let Some(other) = matrix.machines[..machine].iter().find(|it| it.eq_ignore_ascii_case(name)) {
            bail!("--badges: {other} and {name} would be one file on some systems; rename one of them");
        }
        let path = folder.join(format!("{name}.svg"));
        if is_foreign(&path, is_badge) {
            bail!("{}: this file exists, and vmconf did not write it; name another folder", path.display());
        }
        paths.push(path);
    }
    std::fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
    for (machine, path) in paths.into_iter().enumerate() {
        write_own(&path, badge(matrix, machine).unwrap_or_default().as_bytes())?;
    }
    Ok(())
}

/// Writes the statement on the one machine to a file. Fails when there are other machines or a file that vmconf did
/// not write, or it cannot be written.
pub(super) fn write_statement(
    path: &Path,
    machines: &[ConformanceMachine],
    suite: &dyn Fn(&str) -> String,
) -> anyhow::Result<()> {
    check_single(&machines.iter().map(|machine| machine.name.as_str()).collect::<Vec<_>>())?;
    let [machine] = machines else { return Ok(()) };
    if path.as_os_str() == "-" {
        bail!("--statement -: standard output has the table; name a file");
    }
    if is_foreign(path, is_statement) {
        bail!("{}: this file exists, and vmconf did not write it; name another file", path.display());
    }
    let mut text = Vec::new();
    statement(&mut text, machine, suite)?;
    Ok(write_typed(path, &text)?)
}

/// Checks that a statement can be written, which is on one machine.
pub(super) fn check_single(names: &[&str]) -> anyhow::Result<()> {
    match names {
        [_] => Ok(()),
        names => bail!("--statement takes one machine; there are {}", names.join(", ")),
    }
}

/// Whether a file begins differently from those that vmconf writes; false for an empty or missing file.
fn is_foreign(path: &Path, is_own: fn(&str) -> bool) -> bool {
    start_of(path).is_some_and(|start| !is_own(&start))
}

/// The start of a regular file; `None` if there is none, it cannot be read or is empty.
fn start_of(path: &Path) -> Option<String> {
    const START: u64 = 512;
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut start = Vec::new();
    std::fs::File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
    (!start.is_empty()).then(|| String::from_utf8_lossy(&start).into_owned())
}
