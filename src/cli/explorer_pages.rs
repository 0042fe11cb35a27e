//! `vmconf run --explore`: a page to go through the run of each of the first explained cases, beside the HTML report.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use sha2::{Digest, Sha256};
use vmconf::explain::explore::{self, page};
use vmconf::model::explanation::MAX_EXPLAINED;
use vmconf::model::{CaseId, Exit, ExplorerPage};
use vmconf::run::{LoadedFile, RunOptions};
use vmconf::text::file_name::percent_encoded;
use vmconf::text::shell::ShellWords;

use super::reports::{ReportArgs, ReportWritten};
use super::result_file::{TemporaryFiles, is_regular};

/// The bytes of a digest in the name of a page.
const DIGEST_BYTES: usize = 12;

/// Whether pages are written.
#[derive(Debug, Args)]
pub(super) struct ExploreArgs {
    /// Write pages to go through the runs of the first N explained failures, linked from --report html=FILE
    ///
    /// The pages are those of `vmconf explore --html`, in a folder beside FILE: result-explore for result.html.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_EXPLAINED as i64))]
    explore: Option<u16>,
}

impl ExploreArgs {
    /// The pages; `None` if they are not asked for. `flags` are those with which the explorer opens a case of the
    /// run. Fails when there is no report to link them from.
    pub(super) fn pages(
        &self,
        reports: &ReportArgs,
        temporary_files: &TemporaryFiles,
        flags: ShellWords,
    ) -> anyhow::Result<Option<ExplorerPages>> {
        let Some(left) = self.explore else { return Ok(None) };
        let report = reports.only_file("html").filter(|path| is_regular(path));
        let Some((report, stem)) = report.and_then(|path| Some((path, path.file_stem()?))) else {
            bail!("--explore writes pages beside the file of one HTML report: add --report html=FILE");
        };
        let mut name = OsString::from(stem);
        name.push("-explore");
        Ok(Some(ExplorerPages {
            folder: report.with_file_name(&name),
            uri: percent_encoded(name.as_encoded_bytes()),
            flags,
            left,
            names: BTreeSet::new(),
            written: ReportWritten::Yes,
            temporary_files: temporary_files.clone(),
        }))
    }
}

/// The pages of a run.
pub(super) struct ExplorerPages {
    folder: PathBuf,
    /// The folder, relative to the report.
    uri: String,
    flags: ShellWords,
    /// How many more pages may be written.
    left: u16,
    /// The names of the pages that were written.
    names: BTreeSet<OsString>,
    /// Whether each page could be written.
    written: ReportWritten,
    temporary_files: TemporaryFiles,
}

impl ExplorerPages {
    /// Writes the page of a case; `None` if there are enough.
    pub(super) fn page(
        &mut self,
        loaded: &LoadedFile<'_>,
        case: usize,
        options: &RunOptions,
    ) -> Option<ExplorerPage> {
        self.left.checked_sub(1)?;
        Some(self.written(loaded, case, options).map_or_else(ExplorerPage::Missing, |name| {
            self.left -= 1;
            ExplorerPage::At(format!("{}/{name}", self.uri))
        }))
    }

    /// Writes the page of a case, and returns its name.
    fn written(
        &mut self,
        loaded: &LoadedFile<'_>,
        case: usize,
        options: &RunOptions,
    ) -> Result<String, String> {
        if let Some(vm) = options.testee.vm() {
            let vm = vm.about();
            return Err(format!(
                "it ran on {vm}, and pages of a report are of runs on the machines of this program"
            ));
        }
        let opened = explore::open(loaded, case, options)?;
        let name = file_name(&opened.id);
        let mut bytes = Vec::new();
        let command = ShellWords::from_iter([opened.id.to_string()]).and(self.flags.clone());
        let written = page::write(opened, &[], &command, &mut bytes).and_then(|_| self.write(&name, &bytes));
        written.map_err(|error| {
            self.written = ReportWritten::No;
            let path = self.folder.join(&name);
            note!("error: {}: the page cannot be written: {error}", path.display());
            "it could not be written".to_owned()
        })?;
        Ok(name)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        match fs::create_dir(&self.folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        self.temporary_files.own(&self.folder.join(name))?.write(bytes)?;
        self.names.insert(name.into());
        Ok(())
    }

    /// Removes the pages of earlier runs, so that they are not mistaken for those of this one. Returns the exit code of
    /// a run that otherwise ends with `exit`.
    pub(super) fn finish(self, exit: Exit) -> Exit {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if is_page(&name) && !self.names.contains(&name) {
                // One that stays is linked from nowhere.
                let _ = fs::remove_file(entry.path());
            }
        }
        if self.names.is_empty() {
            // It may not exist, or something else may be in it.
            let _ = fs::remove_dir(&self.folder);
        }
        self.written.exit(exit)
    }
}

/// The name of the page of a case: a digest of its id, so that it is the same in the next run, whatever is in the id.
fn file_name(id: &CaseId) -> String {
    format!("{}.html", hex::encode(&Sha256::digest(id.to_string())[..DIGEST_BYTES]))
}

/// Whether a file has a name of [`file_name`].
fn is_page(name: &OsStr) -> bool {
    let stem = name.to_str().and_then(|name| name.strip_suffix(".html"));
    stem.is_some_and(|stem| stem.len() == 2 * DIGEST_BYTES && stem.bytes().all(|it| it.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_have_the_names_of_pages() {
        let id = CaseId::of_file("../<script>".into());
        let name = file_name(&id);
        assert!(is_page(name.as_ref()), "{name}");
        for other in ["index.html", "0123456789abcdef01234567.htm", "0123456789abcdef0123456g.html"] {
            assert!(!is_page(other.as_ref()), "{other}");
        }
    }
}
