//! The runs from each working folder, recorded in the user's cache folder and never next to the vectors.
//!
//! ```text
//! runs-1f8e47c3a95b20d6/        the runs from one folder
//!   folder.txt                  which one, for people
//!   20261121-224140-123         a run: when it was recorded, in UTC to the millisecond
//! ```

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use vmconf::model::partition::Part;
use vmconf::report::json::{Invocation, Record};
use vmconf::report::spool::Spool;
use vmconf::run::expression::Outcomes;
use vmconf::text::file_name::typed;
use vmconf::text::shell::Words;
use vmconf::wire::comparison::{self, Run};

use super::result_file::{ResultFile, remove_abandoned};

/// The number of runs that are kept for each folder.
pub(super) const KEPT: usize = 20;

/// The file with the path of the folder that the runs are from.
const FOLDER: &str = "folder.txt";

/// The cache folder: `VMCONF_CACHE`, or vmconf's part of the platform's.
pub(super) fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("VMCONF_CACHE").filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("vmconf"))
}

/// The folder of the runs from `working`.
fn folder(working: &Path) -> Option<PathBuf> {
    let hash = hex::encode(Sha256::digest(working.as_os_str().as_encoded_bytes()));
    Some(cache_folder()?.join(format!("runs-{}", &hash[..16])))
}

/// Starts the record of the run of this process.
pub(super) fn begin(files: usize, part: Option<&Part>) -> Record {
    let arguments = std::env::args_os().skip(1);
    let words: Words = arguments.map(|word| typed(&word)).collect();
    let command = format!("vmconf{words}");
    let when = Timestamp::now().strftime("%FT%TZ").to_string();
    Record::new(Invocation { when: &when, command: &command, files, part })
}

/// Records a run from the working folder as the newest, and deletes the oldest. Records nothing if the
/// platform has no cache folder.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn record(run: &mut Spool) -> io::Result<()> {
    let working = std::env::current_dir()?;
    let Some(folder) = folder(&working) else { return Ok(()) };
    fs::create_dir_all(&folder)?;
    let note = folder.join(FOLDER);
    if !note.exists() {
        ResultFile::with(&note, format!("{}\n", working.display()).as_bytes())?;
    }
    remove_abandoned(&folder);
    put(&folder, run)?;
    let names = names(&folder)?;
    for old in &names[..names.len().saturating_sub(KEPT)] {
        // Another process may have deleted it.
        fs::remove_file(folder.join(old)).or_else(|error| ignore(error, ErrorKind::NotFound))?;
    }
    Ok(())
}

/// Writes a run under the current time as its name; waits while another run has that name.
fn put(folder: &Path, run: &mut Spool) -> io::Result<()> {
    const ATTEMPTS: usize = 1000;
    for _ in 0..ATTEMPTS {
        let name = Timestamp::now().strftime("%Y%m%d-%H%M%S-%3f").to_string();
        match ResultFile::once(&folder.join(name), &mut run.reader()?) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                std::thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
    Err(io::Error::other(format!("{ATTEMPTS} names in turn are taken")))
}

fn ignore(error: io::Error, kind: ErrorKind) -> io::Result<()> {
    if error.kind() == kind { Ok(()) } else { Err(error) }
}

/// The names of the runs in a folder, the newest last.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().into_string().ok();
        names.extend(name.filter(|name| is_name(name) && entry.file_type().is_ok_and(|it| it.is_file())));
    }
    names.sort();
    Ok(names)
}

/// Whether a text has the form of a run's name: `20261121-224140-123`.
fn is_name(text: &str) -> bool {
    let lengths = [8, 6, 3];
    let parts: Vec<_> = text.split('-').collect();
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The runs that were recorded from the working folder.
pub(super) struct Recorded {
    folder: PathBuf,
    /// Their names, the newest last.
    pub(super) names: Vec<String>,
}

impl Recorded {
    /// Finds the runs that were recorded from the working folder.
    ///
    /// # Errors
    ///
    /// When there is no working folder or cache folder, or it cannot be read.
    pub(super) fn here() -> anyhow::Result<Recorded> {
        let working = std::env::current_dir().context("the working folder")?;
        let folder = folder(&working).context("there is no cache folder; VMCONF_CACHE names one")?;
        let names = names(&folder).with_context(|| folder.display().to_string())?;
        Ok(Recorded { folder, names })
    }

    /// The name of the run that `text` refers to: a name, `last`, or `last~1` for the run before, and so on.
    /// `None` for other text, and for the name of a run that is not recorded.
    ///
    /// # Errors
    ///
    /// When `last~N` refers to a run before the oldest one.
    pub(super) fn name(&self, text: &str) -> anyhow::Result<Option<&str>> {
        let back = match text.strip_prefix("last") {
            Some("") => 0,
            Some(rest) => match rest.strip_prefix('~').map(str::parse::<usize>) {
                Some(Ok(back)) => back,
                Some(Err(_)) | None => return Ok(None),
            },
            None => return Ok(self.names.iter().find(|name| *name == text).map(String::as_str)),
        };
        let Some(name) = self.names.iter().rev().nth(back) else {
            match self.names.len() {
                0 => bail!("there was no run from this folder; start with vmconf run"),
                count => bail!("there is no {text}: {count} runs from this folder are recorded"),
            }
        };
        Ok(Some(name))
    }

    /// Reads the run of this name.
    ///
    /// # Errors
    ///
    /// When it is deleted or damaged.
    pub(super) fn read(&self, name: &str) -> anyhow::Result<Run> {
        read(&self.folder.join(name))
    }

    /// The newest run.
    ///
    /// # Errors
    ///
    /// When no run is recorded, or the newest one is damaged.
    pub(super) fn last() -> anyhow::Result<Run> {
        let recorded = Recorded::here()?;
        let name = recorded.name("last")?.context("there was no run from this folder")?;
        recorded.read(name)
    }
}

/// Reads a JSON report, or a recorded run.
///
/// # Errors
///
/// When the file cannot be read or is neither; the error names the line.
pub(super) fn read(path: &Path) -> anyhow::Result<Run> {
    let shown = path.display().to_string();
    let file = File::open(path).with_context(|| shown.clone())?;
    Ok(comparison::read(&shown, &mut BufReader::with_capacity(1 << 16, file))?)
}

/// The outcome of each case in the last run from this folder.
///
/// # Errors
///
/// When no run is recorded, or its record is damaged.
pub(super) fn last_outcomes() -> anyhow::Result<Outcomes> {
    let cases = Recorded::last()?.cases.into_iter();
    Ok(cases.map(|(id, outcome)| (id, outcome.kind.name().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_of_runs() {
        assert!(is_name("20261121-224140-123"));
        for other in [
            "",
            "folder.txt",
            "20261121-224140-1234",
            "20261121-224140",
            "2026112a-224140-123",
            "-224140-123",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }
}
