//! The runs from each working folder, recorded in the user's cache folder and never next to the vectors.
//!
//! ```text
//! runs-1f8e47c3a95b20d6/        the runs from one folder
//!   folder.txt                  which one, for people
//!   20261121-224140-123         a run: when it was recorded, in UTC to the millisecond
//!   outstanding                 the failures of all runs of cases that have not passed since
//! ```
//!
//! The folder is the one that case ids are relative to: two runs with the same folder use the same ids.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};
use vmconf::model::{Partition, UsedVm, counted};
use vmconf::report::json::{Invocation, RecordWriter};
use vmconf::report::spool::Spool;
use vmconf::run::anchor::Anchor;
use vmconf::run::open_file::{Links, open_regular};
use vmconf::text::file_name::typed;
use vmconf::text::shell::ShellWords;
use vmconf::wire::comparison::{self, MAX_REPORT_LINE, RecordedRun};
use vmconf::wire::gzip::decompressed;
use vmconf::wire::record::{self, RecordedCase};
use vmconf::wire::report::{ReportLine, ReportStart};

use super::errors::NothingToDo;
use super::result_file::{ResultFile, remove_abandoned};

/// Why there is no record to read, and how to get one.
pub(super) const NO_RUN: &str = "no run from this folder is recorded; vmconf run PATHS records one";

/// The last millisecond of the year 9999, since 1970.
const LATEST_TIME: Duration = Duration::from_millis(253_402_300_799_999);

/// The number of runs that are kept for each folder.
pub(super) const MAX_RUNS: usize = 20;

/// The most bytes of runs that are kept for each folder, but for the last two, which `compare` compares.
const MAX_RUN_BYTES: u64 = 64 << 20;

/// The file with the path of the folder that the runs are from. Locked while outstanding failures change.
pub(super) const FOLDER: &str = "folder.txt";

/// The cache folder: `VMCONF_CACHE`, or vmconf's part of the platform's. Fails when the platform has none.
pub(super) fn cache_folder() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("VMCONF_CACHE").filter(|folder| !folder.is_empty()) {
        // Programs in it are started in other folders.
        return Ok(std::path::absolute(folder)?);
    }
    let platform = etcetera::choose_base_strategy().ok();
    let platform = platform.context("there is no cache folder; VMCONF_CACHE names one")?;
    Ok(platform.cache_dir().join("vmconf"))
}

/// The folder of the runs from this folder. Fails when there is no cache folder.
pub(super) fn folder(anchor: &Anchor) -> anyhow::Result<PathBuf> {
    let hash = hex::encode(Sha256::digest(anchor.folder().as_os_str().as_encoded_bytes()));
    Ok(cache_folder()?.join(format!("runs-{}", &hash[..16])))
}

/// Starts the record of the run of this process: of the cases that these paths and filters select, in this number of
/// files. `vm` is `None` for embedded machines, and `part` for a whole run.
pub(super) fn begin(
    selected: Vec<String>,
    files: usize,
    vm: Option<UsedVm>,
    part: Option<Partition>,
) -> RecordWriter {
    let arguments = std::env::args_os().skip(1);
    let words: ShellWords = arguments.map(|word| typed(&word)).collect();
    let command = format!("vmconf{words}");
    RecordWriter::new(Invocation { when: &now(), command: &command, selected, files, vm, part })
}

/// The current time in RFC 3339 format, to the second.
pub(super) fn now() -> String {
    humantime::format_rfc3339_seconds(clock()).to_string()
}

/// The time of the clock, within the years that RFC 3339 has, whatever it is set to.
fn clock() -> SystemTime {
    SystemTime::now().clamp(UNIX_EPOCH, UNIX_EPOCH + LATEST_TIME)
}

/// Records a run as the newest from its folder, and deletes the oldest. Records nothing if the platform has no cache
/// folder.
pub(super) fn record(anchor: &Anchor, run: &mut Spool) -> io::Result<()> {
    let Ok(folder) = folder(anchor) else { return Ok(()) };
    fs::create_dir_all(&folder)?;
    let note = folder.join(FOLDER);
    if !note.exists() {
        let text = format!("{}\n", anchor.folder().display());
        let written = ResultFile::own(&note).and_then(|file| file.write_new(&mut text.as_bytes()));
        written.or_else(|error| ignore(error, ErrorKind::AlreadyExists))?;
    }
    remove_abandoned(&folder);
    put(&folder, run)?;
    delete_oldest(&folder)
}

fn delete_oldest(folder: &Path) -> io::Result<()> {
    let mut bytes = 0;
    for (newer, name) in names(folder)?.iter().rev().enumerate() {
        let path = folder.join(name);
        // Another process may have deleted it.
        bytes += path.metadata().map_or(0, |file| file.len());
        if newer >= MAX_RUNS || newer >= 2 && bytes > MAX_RUN_BYTES {
            fs::remove_file(path).or_else(|error| ignore(error, ErrorKind::NotFound))?;
        }
    }
    Ok(())
}

/// Writes a run under a name that is later than all others: that of the current time unless a clock went back.
fn put(folder: &Path, run: &mut Spool) -> io::Result<()> {
    const ATTEMPTS: usize = 1000;
    for _ in 0..ATTEMPTS {
        let newest = names(folder)?.last().and_then(|name| time_of(name));
        let after = newest.map_or(UNIX_EPOCH, |time| time + Duration::from_millis(1));
        let name = name_of(clock().max(after).min(UNIX_EPOCH + LATEST_TIME));
        match ResultFile::own(&folder.join(name))?.write_new(&mut run.reader()?) {
            // Another process was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result,
        }
    }
    Err(io::Error::other(format!("no free file name after {ATTEMPTS} attempts")))
}

/// The name of a run that was recorded at this time: 20261121-224140-123 for 2026-11-21T22:41:40.123Z.
fn name_of(time: SystemTime) -> String {
    let time = humantime::format_rfc3339_millis(time).to_string();
    time.replace(['-', ':', 'Z'], "").replace(['T', '.'], "-")
}

/// The time in the name of a run; `None` if the text is no such name.
fn time_of(name: &str) -> Option<SystemTime> {
    let mut parts = name.split('-');
    let (date, time, millis) = (parts.next()?, parts.next()?, parts.next()?);
    let part = |of: &str, range: Range<usize>| Some(of.get(range)?.to_owned());
    let date = format!("{}-{}-{}", part(date, 0..4)?, part(date, 4..6)?, part(date, 6..8)?);
    let time = format!("{}:{}:{}", part(time, 0..2)?, part(time, 2..4)?, part(time, 4..6)?);
    humantime::parse_rfc3339(&format!("{date}T{time}.{millis}Z")).ok()
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

/// The runs that were recorded from a folder.
pub(super) struct RecordedRuns {
    folder: PathBuf,
    /// Their names, the newest last.
    pub(super) names: Vec<String>,
}

impl RecordedRuns {
    /// Finds the runs that were recorded from a folder. Fails when there is no cache folder, or it cannot be read.
    pub(super) fn of(anchor: &Anchor) -> anyhow::Result<RecordedRuns> {
        let folder = folder(anchor)?;
        let names = names(&folder).with_context(|| folder.display().to_string())?;
        Ok(RecordedRuns { folder, names })
    }

    /// The name of the run that `text` refers to: a name, `last`, or `last~1` for the run before, and so on. `None`
    /// for other text, and for the name of a run that is not recorded. Fails when `last~N` refers to a run before the
    /// oldest one.
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
                0 => return Err(NothingToDo(NO_RUN.to_owned()).into()),
                count => bail!(
                    "there is no {text}: {} from this folder {} recorded",
                    counted(count, "run"),
                    if count == 1 { "is" } else { "are" }
                ),
            }
        };
        Ok(Some(name))
    }

    /// Reads the run of this name. Fails when it is deleted or damaged.
    pub(super) fn read(&self, name: &str) -> anyhow::Result<RecordedRun> {
        read_record(&self.folder.join(name))
    }

    /// The newest run. Fails when no run is recorded, or the newest one is damaged.
    pub(super) fn last(anchor: &Anchor) -> anyhow::Result<RecordedRun> {
        let recorded = RecordedRuns::of(anchor)?;
        let name = recorded.name("last")?.context(NO_RUN)?;
        recorded.read(name)
    }

    /// The newest run before the last one that selected the same cases. Fails when there is no such run, or a record
    /// is damaged.
    pub(super) fn before_last(&self) -> anyhow::Result<&str> {
        let Some((last, earlier)) = self.names.split_last() else {
            return Err(NothingToDo(NO_RUN.to_owned()).into());
        };
        let last = self.start(last)?;
        let selection = |start: &ReportStart| {
            (start.selected.clone(), start.partition.as_ref().map(|it| (it.part, it.of)))
        };
        for name in earlier.iter().rev() {
            if selection(&self.start(name)?) == selection(&last) {
                return Ok(name);
            }
        }
        let command = last.command.unwrap_or_default();
        let why = format!("before the last run ({command}), no run of the same selection is recorded");
        Err(NothingToDo(format!("{why}; vmconf compare A B compares any two, and --list shows all")).into())
    }

    /// The first line of the record of a run.
    fn start(&self, name: &str) -> anyhow::Result<ReportStart> {
        let path = self.folder.join(name);
        let shown = path.display().to_string();
        let mut line = Vec::new();
        let read = open_regular(&path, Links::Refuse).and_then(|file| {
            decompressed(&mut BufReader::new(file))?.take(MAX_REPORT_LINE).read_until(b'\n', &mut line)
        });
        read.with_context(|| shown.clone())?;
        match ReportLine::read(line.trim_ascii()).map_err(|error| anyhow::anyhow!("{shown}:1: {error}"))? {
            ReportLine::Run(start) => Ok(start),
            _ => bail!("{shown}:1: expected a line of type run"),
        }
    }
}

/// Reads a JSON report that the user typed, which may be a pipe. Fails when the file cannot be read or is no report;
/// the error names the line.
pub(super) fn read(path: &Path) -> anyhow::Result<RecordedRun> {
    read_from(path, File::open(path))
}

/// Reads a file of the cache folder: a recorded run, or outstanding failures. Fails when it is not a regular file,
/// cannot be read or is damaged; the error names the line.
pub(super) fn read_record(path: &Path) -> anyhow::Result<RecordedRun> {
    read_from(path, open_regular(path, Links::Refuse))
}

/// As [`read_record`], but passes the cases to `each` instead of keeping them.
pub(super) fn read_record_of_cases(
    path: &Path,
    each: &mut dyn FnMut(RecordedCase),
) -> anyhow::Result<RecordedRun> {
    let shown = path.display().to_string();
    let file = open_regular(path, Links::Refuse).with_context(|| shown.clone())?;
    Ok(record::read_each(&shown, &mut BufReader::with_capacity(1 << 16, file), each)?)
}

fn read_from(path: &Path, file: io::Result<impl Read>) -> anyhow::Result<RecordedRun> {
    let shown = path.display().to_string();
    let file = file.with_context(|| shown.clone())?;
    Ok(comparison::read(&shown, &mut BufReader::with_capacity(1 << 16, file))?)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use vmconf::model::RunSummary;
    use vmconf::report::json::RecordWriter;

    use super::{delete_oldest, is_name, name_of, names, put, time_of};

    #[test]
    fn a_name_says_its_time() {
        let time = UNIX_EPOCH + Duration::from_millis(1_795_300_900_123);
        assert_eq!(name_of(time), "20261121-224140-123");
        assert_eq!(time_of("20261121-224140-123"), Some(time));
        assert_eq!(time_of("20269921-224140-123"), None);
    }

    /// A clock that was ahead makes no later run an older one.
    #[test]
    fn the_last_record_is_the_newest_whatever_the_clock_says() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..super::MAX_RUNS {
            let name = format!("99981231-235959-{number:03}");
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let mut run = RecordWriter::of_runs(None).end(&RunSummary::default()).expect("a record");
        put(folder.path(), &mut run).expect("a name");
        delete_oldest(folder.path()).expect("old records are deleted");
        let names = names(folder.path()).expect("names");
        assert_eq!(names.len(), super::MAX_RUNS);
        assert_eq!(names.last().map(String::as_str), Some("99981231-235959-020"));
        std::fs::write(folder.path().join(name_of(UNIX_EPOCH + super::LATEST_TIME)), "").expect("a file");
        put(folder.path(), &mut run).expect_err("there is no later name");
    }

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
