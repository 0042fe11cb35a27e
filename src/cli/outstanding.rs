//! The outstanding failures: a case that fails, is broken, or passes though it is known to fail is outstanding
//! until a later run finds otherwise, or the case no longer exists.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use indexmap::IndexMap;
use vmconf::model::{CaseId, CaseReport, Diagnostic, RunSummary, SuspectAnalysis, UsedVm, VerdictKind};
use vmconf::report::json::RecordWriter;
use vmconf::run::anchor::Anchor;
use vmconf::run::expression::Outcomes;
use vmconf::run::open_file::{Links, OpenFile, open_regular};
use vmconf::wire::comparison::RecordedOutcome;
use vmconf::wire::line::one_line;
use vmconf::wire::record::{self, RecordedCase, RecordedRun};

use super::history::{self, RecordedRuns};
use super::output;
use super::result_file::ResultFile;

/// Beside the records of the runs: the failures of the embedded machines. Those of each other machine are in a file of
/// their own, whose name goes on with a hash of the name of the machine.
const FILE: &str = "outstanding";

/// How long a run waits while other processes change outstanding failures, which takes them milliseconds.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The outstanding failures of a machine, by id.
pub(super) type Outstanding = IndexMap<String, RecordedOutcome>;

/// A machine and its outstanding failures.
pub(super) struct MachineFailures {
    /// `None` for the embedded machines.
    pub(super) vm: Option<UsedVm>,
    pub(super) failures: Outstanding,
}

/// The outstanding failures of all runs from a folder, by machine, the embedded ones first. Fails when the platform
/// has no cache folder, or a file is damaged.
pub(super) fn read(anchor: &Anchor) -> anyhow::Result<Vec<MachineFailures>> {
    let folder = history::folder(anchor)?;
    let mut names = Vec::new();
    match folder.read_dir() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        entries => {
            for entry in entries.with_context(|| folder.display().to_string())? {
                names.extend(entry?.file_name().into_string().ok().filter(|name| is_file(name)));
            }
        }
    }
    names.sort();
    names.iter().map(|name| read_file(&folder.join(name))).collect()
}

/// The name of the file of a machine.
fn file_name(vm: Option<&UsedVm>) -> String {
    match vm {
        Some(vm) => format!("{FILE}-{}", &blake3::hash(vm.name.as_bytes()).to_hex()[..HASH]),
        None => FILE.to_owned(),
    }
}

/// How many hex digits of a hash are in a name.
const HASH: usize = 16;

/// Whether a file of this name has failures; one that is being written has a longer name.
fn is_file(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(FILE) else { return false };
    let is_hash = |hash: &str| hash.len() == HASH && hash.bytes().all(|it| it.is_ascii_hexdigit());
    rest.is_empty() || rest.strip_prefix('-').is_some_and(is_hash)
}

fn read_file(path: &Path) -> anyhow::Result<MachineFailures> {
    if !exists(path) {
        return Ok(MachineFailures { vm: None, failures: Outstanding::new() });
    }
    let RecordedRun { vm, cases, .. } = history::read_record(path)?;
    Ok(MachineFailures { vm, failures: cases })
}

/// Passes each failure of a file to `each`; none if there is no file.
fn read_each(path: &Path, each: &mut dyn FnMut(RecordedCase)) -> anyhow::Result<()> {
    if exists(path) { history::read_record_of_cases(path, each).map(drop) } else { Ok(()) }
}

/// A link that leads nowhere exists, and is damage.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The newest verdict of each case that is recorded: that of the last run, and of outstanding failures. These have
/// the suspect of the newest run that has one for them: a run of only the cases of a suspect has none itself. Fails
/// when no run is recorded, or a record is damaged.
pub(super) fn outcomes(anchor: &Anchor) -> anyhow::Result<Outcomes> {
    let last = RecordedRuns::last(anchor)?;
    let outstanding = read(anchor)?.into_iter().flat_map(|it| it.failures).collect();
    let suspects = suspects(anchor, &outstanding)?;
    let cases = outstanding.into_iter().chain(last.cases);
    let verdicts = cases.map(|(id, outcome)| (id, outcome.kind.name().to_owned())).collect();
    Ok(Outcomes { verdicts, suspects })
}

/// The suspects of outstanding failures, by the ids of these. A run that is deleted or damaged has none.
fn suspects(anchor: &Anchor, outstanding: &Outstanding) -> anyhow::Result<HashMap<String, String>> {
    let runs = RecordedRuns::of(anchor)?;
    let mut found = HashMap::new();
    for name in runs.names.iter().rev() {
        let Ok(run) = runs.read(name) else { continue };
        for (id, suspect) in run.suspects {
            if outstanding.contains_key(&id) {
                found.entry(id).or_insert(suspect);
            }
        }
    }
    Ok(found)
}

/// The record of a run in progress, and how it changes the outstanding failures. Of these, and of the cases that fail,
/// only hashes of the ids are kept, since there may be hundreds of thousands.
pub(super) struct OutstandingRecording {
    anchor: Anchor,
    /// The machine that runs, as in [`MachineFailures`].
    vm: Option<UsedVm>,
    record: RecordWriter,
    /// The outstanding failures at the start, each with a hash of how it failed.
    before: HashMap<u128, u128>,
    is_damaged: bool,
    /// Those that are not outstanding any more.
    fixed: HashSet<u128>,
    /// The cases of this run that are outstanding, and their record.
    failed: HashMap<u128, FailureNow>,
    failures: RecordWriter,
}

/// How a failure of this run compares with the one of the same case at the start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FailureNow {
    AsBefore,
    Otherwise,
}

/// A hash that no two ids, or other texts, share, whoever chooses them.
fn hash(text: &[u8]) -> u128 {
    let mut half = [0; 16];
    blake3::Hasher::new().update(text).finalize_xof().fill(&mut half);
    u128::from_le_bytes(half)
}

fn hash_of_id(id: &str) -> u128 {
    hash(id.as_bytes())
}

/// A hash of how a case does not pass.
fn hash_of_failure(case: &RecordedCase) -> u128 {
    hash(one_line(case).as_bytes())
}

impl OutstandingRecording {
    /// Goes on with the record of a run on this machine.
    pub(super) fn begin(anchor: &Anchor, record: RecordWriter, vm: Option<UsedVm>) -> OutstandingRecording {
        let folder = history::folder(anchor).unwrap_or_default();
        let mut before = HashMap::new();
        let read = read_each(&folder.join(file_name(vm.as_ref())), &mut |case| {
            before.insert(hash_of_id(&case.id), hash_of_failure(&case));
        });
        let is_damaged = read.is_err();
        if let Err(error) = read {
            output::note(&format!("note: outstanding failures are lost: {error:#}"));
            before.clear();
        }
        OutstandingRecording {
            anchor: anchor.clone(),
            failures: RecordWriter::of_runs(vm.clone()),
            vm,
            record,
            before,
            is_damaged,
            fixed: HashSet::new(),
            failed: HashMap::new(),
        }
    }

    /// Adds a case.
    pub(super) fn case(&mut self, report: &CaseReport) {
        let case = RecordWriter::recorded(report);
        match case.verdict {
            VerdictKind::Fail
            | VerdictKind::Error
            | VerdictKind::Crash
            | VerdictKind::Timeout
            | VerdictKind::Flaky
            | VerdictKind::UnexpectedPass => {
                let id = hash_of_id(&case.id);
                // A case that was named twice ran twice.
                if let Entry::Vacant(failed) = self.failed.entry(id) {
                    let is_as_before = self.before.get(&id).is_some_and(|it| *it == hash_of_failure(&case));
                    failed.insert(if is_as_before { FailureNow::AsBefore } else { FailureNow::Otherwise });
                    self.failures.case(case.clone());
                }
            }
            VerdictKind::Pass | VerdictKind::ExpectedFail => self.found_otherwise(&case.id),
            VerdictKind::Skip | VerdictKind::Unsupported => {}
        }
        // A case of the file ran, so the file as a whole is no longer broken, or is reported again.
        if report.id.name.is_some() && case.verdict != VerdictKind::Skip && !self.before.is_empty() {
            self.found_otherwise(&CaseId::of_file(report.id.file.clone()).to_string());
        }
        self.record.case(case);
    }

    /// Adds what is broken besides cases and vector files. It is no outstanding failure: no case can run again.
    pub(super) fn broken(&mut self, source: &CaseId, errors: &[Diagnostic]) {
        self.record.broken(source, errors);
    }

    /// Adds the instructions that explain the failures.
    pub(super) fn suspects(&mut self, analysis: &SuspectAnalysis) {
        self.record.suspects(analysis);
    }

    fn found_otherwise(&mut self, id: &str) {
        if !self.before.is_empty() {
            let id = hash_of_id(id);
            self.fixed.extend(Some(id).filter(|id| self.before.contains_key(id)));
        }
    }

    /// Records the run.
    pub(super) fn end(self, summary: &RunSummary) -> io::Result<()> {
        history::record(&self.anchor, &mut self.record.end(summary)?)?;
        if self.failed.is_empty() && self.fixed.is_empty() && !self.is_damaged {
            return Ok(());
        }
        let mut failures = self.failures.end(&RunSummary::default())?;
        let mut kept = HashSet::new();
        let stays = &mut |id: &str| {
            let id = hash_of_id(id);
            match self.failed.get(&id) {
                // It keeps its place.
                Some(FailureNow::AsBefore) => kept.insert(id),
                Some(FailureNow::Otherwise) => false,
                None => !self.fixed.contains(&id),
            }
        };
        let Some(mut after) = ChangedFailures::read(&self.anchor, self.vm, stays)? else { return Ok(()) };
        if after.is_damaged {
            kept.clear();
        }
        let mut lines = BufReader::new(failures.reader()?);
        let add = &mut |case: RecordedCase| {
            if !kept.contains(&hash_of_id(&case.id)) {
                after.text.case(case);
            }
        };
        record::read_each("the failures of this run", &mut lines, add).map_err(io::Error::other)?;
        after.write()
    }
}

/// Forgets the failures of cases that no longer exist, of all machines. Fails when a file cannot be read or written.
pub(super) fn forget(anchor: &Anchor, deleted: &HashSet<String>) -> anyhow::Result<()> {
    for MachineFailures { vm, .. } in read(anchor)? {
        let changed = ChangedFailures::read(anchor, vm, &mut |id| !deleted.contains(id))?;
        changed.map_or(Ok(()), ChangedFailures::write)?;
    }
    Ok(())
}

/// The file of a machine that is changed. Other processes wait until it is written.
struct ChangedFailures {
    path: PathBuf,
    _lock: OpenFile,
    /// Whether it could not be read, so that nothing of it is kept.
    is_damaged: bool,
    text: RecordWriter,
}

impl ChangedFailures {
    /// Reads the file, and leaves out the failures that `stays` does not hold for; of a damaged file, all. `None` if
    /// no run was recorded.
    fn read(
        anchor: &Anchor,
        vm: Option<UsedVm>,
        stays: &mut dyn FnMut(&str) -> bool,
    ) -> io::Result<Option<ChangedFailures>> {
        let Ok(folder) = history::folder(anchor) else { return Ok(None) };
        let path = folder.join(file_name(vm.as_ref()));
        let lock = match open_regular(&folder.join(history::FOLDER), Links::Refuse) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        lock.lock_within(MAX_WAIT)?;
        let mut text = RecordWriter::of_runs(vm.clone());
        let read = read_each(&path, &mut |case| {
            if stays(&case.id) {
                text.case(case);
            }
        });
        if read.is_err() {
            text = RecordWriter::of_runs(vm);
        }
        Ok(Some(ChangedFailures { path, _lock: lock, is_damaged: read.is_err(), text }))
    }

    /// Writes the file unless its text stays the same.
    fn write(self) -> io::Result<()> {
        let mut text = Vec::new();
        self.text.end(&RunSummary::default())?.reader()?.read_to_end(&mut text)?;
        if is_text_of(&self.path, &text) { Ok(()) } else { ResultFile::own(&self.path)?.write(&text) }
    }
}

/// Whether a file exists and has this text.
fn is_text_of(path: &Path, text: &[u8]) -> bool {
    let Ok(file) = open_regular(path, Links::Refuse) else { return false };
    let mut old = Vec::with_capacity(text.len() + 1);
    file.take(text.len() as u64 + 1).read_to_end(&mut old).is_ok_and(|_| old == text)
}
