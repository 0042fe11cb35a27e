//! `vmconf matrix --site` and `--statement`.

use std::io::Read;
use std::path::Path;

use anyhow::bail;
use vmconf::report::conformance::ConformanceMachine;
use vmconf::report::site::{is_site_page, site};
use vmconf::report::statement::{is_statement, statement};
use vmconf::wire::matrix::Matrix;

use crate::cli::result_file::ResultFile;
use crate::cli::unwritten::Unwritten;

/// Writes all pages to a folder, which is created if it is missing.
///
/// # Errors
///
/// When there is a page that vmconf did not write, or one cannot be written.
pub(super) fn write_site(
    folder: &Path,
    matrix: &Matrix,
    machines: &[ConformanceMachine],
    suite: &dyn Fn(&str) -> String,
) -> anyhow::Result<()> {
    let files = site(matrix, machines, suite);
    let is_page = |name: &str| Path::new(name).extension().is_some_and(|ending| ending == "html");
    let pages = files.iter().filter(|file| is_page(&file.name));
    if let Some(page) = pages.map(|file| folder.join(&file.name)).find(|page| is_foreign(page, is_site_page))
    {
        bail!("{}: this file exists and is no page of vmconf: name another folder", page.display());
    }
    std::fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
    for file in files {
        let path = folder.join(file.name);
        ResultFile::with(&path, file.text.as_bytes()).map_err(|error| Unwritten::file(&path, error))?;
    }
    Ok(())
}

/// Writes the statement on the one machine to a file.
///
/// # Errors
///
/// When there are other machines or a file that vmconf did not write, or it cannot be written.
pub(super) fn write_statement(
    path: &Path,
    machines: &[ConformanceMachine],
    suite: &dyn Fn(&str) -> String,
) -> anyhow::Result<()> {
    let [machine] = machines else {
        let names: Vec<_> = machines.iter().map(|machine| machine.name.as_str()).collect();
        bail!("--statement is on one machine, and there are {}", names.join(", "));
    };
    if is_foreign(path, is_statement) {
        bail!("{}: this file exists and is no statement of vmconf: name another one", path.display());
    }
    let mut text = Vec::new();
    statement(&mut text, machine, suite)?;
    Ok(ResultFile::with(path, &text).map_err(|error| Unwritten::file(path, error))?)
}

/// Whether a file begins otherwise than those of vmconf. An empty one, or none, does not.
fn is_foreign(path: &Path, is_own: fn(&str) -> bool) -> bool {
    const START: u64 = 512;
    let is_regular = path.metadata().is_ok_and(|file| file.is_file());
    let Some(file) = is_regular.then(|| std::fs::File::open(path).ok()).flatten() else { return false };
    let mut start = Vec::new();
    let read = file.take(START).read_to_end(&mut start);
    read.is_ok() && !start.is_empty() && !is_own(&String::from_utf8_lossy(&start))
}
