//! The outstanding failures: a case that fails, is broken, or passes though it is known to fail is outstanding
//! until a later run finds otherwise, or the case no longer exists.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
use super::result_file::{ResultFile, has_bytes};

/// The file, beside the records of the runs, with the failures of the embedded machines. Each other machine has a file
/// `outstanding-HASH`, with a hash of its name.
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
        Some(vm) => format!("{FILE}-{}", &blake3::hash(vm.name.as_bytes()).to_hex()[..HASH_DIGITS]),
        None => FILE.to_owned(),
    }
}

/// How many hex digits of a hash are in a name.
const HASH_DIGITS: usize = 16;

/// Whether a file of this name has failures; one that is being written has a longer name.
fn is_file(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(FILE) else { return false };
    let is_hash = |hash: &str| hash.len() == HASH_DIGITS && hash.bytes().all(|it| it.is_ascii_hexdigit());
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

/// Whether something is at the path. A dangling link is: it cannot be read, which is reported as damage.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The verdicts of each case that is recorded: that of the last run, and those of outstanding failures, which another
/// machine may have. The latter have the suspect of the newest run that has one for them: a run of only the cases of a
/// suspect has none itself. Fails when no run is recorded, or a record is damaged.
pub(super) fn outcomes(anchor: &Anchor) -> anyhow::Result<Outcomes> {
    let last = RecordedRuns::last(anchor)?;
    let outstanding = read(anchor)?;
    let mut verdicts: HashMap<_, BTreeSet<_>> = HashMap::new();
    let of_machines = outstanding.iter().flat_map(|it| &it.failures);
    for (id, outcome) in last.cases.iter().chain(of_machines) {
        verdicts.entry(id.clone()).or_default().insert(outcome.kind.name());
    }
    let suspects = suspects(anchor, &outstanding)?;
    Ok(Outcomes { verdicts, suspects })
}

/// The suspects of outstanding failures, by the id of the case and the machine. A run that is deleted or damaged has none.
fn suspects(
    anchor: &Anchor,
    outstanding: &[MachineFailures],
) -> anyhow::Result<HashMap<String, BTreeMap<Option<String>, String>>> {
    let runs = RecordedRuns::of(anchor)?;
    let mut found: HashMap<_, BTreeMap<_, _>> = HashMap::new();
    for name in runs.names.iter().rev() {
        let Ok(run) = runs.read(name) else { continue };
        let vm = run.vm.map(|vm| vm.name);
        for (id, suspect) in run.suspects {
            let is_outstanding = |of: &MachineFailures| {
                of.vm.as_ref().map(|vm| &vm.name) == vm.as_ref() && of.failures.contains_key(&id)
            };
            if outstanding.iter().any(is_outstanding) {
                found.entry(id).or_default().entry(vm.clone()).or_insert(suspect);
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
    /// The outstanding failures at the start, and the cases that fail in this run. A hash table would take twice the
    /// memory while it grows.
    cases: BTreeMap<IdHash, TrackedCase>,
    /// How many of these are [`TrackedCase::Before`].
    not_yet_run: usize,
    is_damaged: bool,
    /// The cases that fail in this run.
    failures: RecordWriter,
}

/// What is known of a case that is, or was, outstanding. Its size and that of [`IdHash`] decide how much memory a run
/// of a large suite takes.
#[derive(Clone, Copy)]
enum TrackedCase {
    /// Outstanding at the start; it did not run since.
    Before(FailureHash),
    /// Not outstanding any more; how it failed at the start.
    Settled(FailureHash),
    /// Fails as it did at the start.
    FailsAsBefore,
    /// Fails for the first time, or in another way than at the start.
    FailsOtherwise,
    /// [`TrackedCase::FailsAsBefore`], and keeps its place among the outstanding failures.
    Kept,
}

/// A hash of the id of a case. No two of ten million ids share one, but for a chance of one in 10^15.
type IdHash = [u8; 12];

/// A hash of how a case does not pass. It may be short: if two share one, the older record of the case is kept.
type FailureHash = [u8; 4];

fn hash_of_id(id: &str) -> IdHash {
    hash(id.as_bytes())
}

fn hash_of_failure(case: &RecordedCase) -> FailureHash {
    hash(one_line(case).as_bytes())
}

fn hash<const LENGTH: usize>(bytes: &[u8]) -> [u8; LENGTH] {
    let mut hash = [0; LENGTH];
    blake3::Hasher::new().update(bytes).finalize_xof().fill(&mut hash);
    hash
}

impl OutstandingRecording {
    /// Begins to track the failures of a run on this machine; `record` has its start.
    pub(super) fn begin(anchor: &Anchor, record: RecordWriter, vm: Option<UsedVm>) -> OutstandingRecording {
        let folder = history::folder(anchor).unwrap_or_default();
        let mut cases = BTreeMap::new();
        let read = read_each(&folder.join(file_name(vm.as_ref())), &mut |case| {
            cases.insert(hash_of_id(&case.id), TrackedCase::Before(hash_of_failure(&case)));
        });
        let is_damaged = read.is_err();
        if let Err(error) = read {
            note!("note: outstanding failures are lost: {error:#}");
            cases.clear();
        }
        OutstandingRecording {
            anchor: anchor.clone(),
            failures: RecordWriter::of_runs(vm.clone()),
            vm,
            record,
            not_yet_run: cases.len(),
            cases,
            is_damaged,
        }
    }

    /// Adds a case.
    pub(super) fn case(&mut self, report: &CaseReport) {
        let case = RecordWriter::recorded(report);
        match case.verdict {
            kind if kind.fails_run() => self.failed(&case),
            VerdictKind::Skip | VerdictKind::Unsupported => {}
            _ => self.found_otherwise(&case.id),
        }
        // A case of the file ran, so the file as a whole is no longer broken, or is reported again.
        if report.id.name.is_some() && case.verdict != VerdictKind::Skip && self.not_yet_run > 0 {
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

    fn failed(&mut self, case: &RecordedCase) {
        let id = hash_of_id(&case.id);
        let before = self.cases.get(&id).copied();
        let now = match before {
            Some(TrackedCase::Before(failure) | TrackedCase::Settled(failure))
                if failure == hash_of_failure(case) =>
            {
                TrackedCase::FailsAsBefore
            }
            None | Some(TrackedCase::Before(_) | TrackedCase::Settled(_)) => TrackedCase::FailsOtherwise,
            // A case that was named twice ran twice.
            Some(TrackedCase::FailsAsBefore | TrackedCase::FailsOtherwise | TrackedCase::Kept) => return,
        };
        self.not_yet_run -= usize::from(matches!(before, Some(TrackedCase::Before(_))));
        self.cases.insert(id, now);
        self.failures.case(case.clone());
    }

    /// The case, or the file, is not outstanding any more unless it fails in this run.
    fn found_otherwise(&mut self, id: &str) {
        if self.not_yet_run == 0 {
            return;
        }
        if let Some(case) = self.cases.get_mut(&hash_of_id(id))
            && let TrackedCase::Before(failure) = *case
        {
            *case = TrackedCase::Settled(failure);
            self.not_yet_run -= 1;
        }
    }

    /// Records the run.
    pub(super) fn end(mut self, summary: &RunSummary) -> io::Result<()> {
        history::record(&self.anchor, &mut self.record.end(summary)?)?;
        if self.not_yet_run == self.cases.len() && !self.is_damaged {
            return Ok(());
        }
        let mut failures = self.failures.end(&RunSummary::default())?;
        let stays = &mut |id: &str| match self.cases.get_mut(&hash_of_id(id)) {
            Some(case @ TrackedCase::FailsAsBefore) => {
                *case = TrackedCase::Kept;
                true
            }
            None | Some(TrackedCase::Before(_)) => true,
            Some(TrackedCase::Settled(_) | TrackedCase::FailsOtherwise | TrackedCase::Kept) => false,
        };
        let Some(mut after) = ChangedFailures::read(&self.anchor, self.vm, stays)? else { return Ok(()) };
        let mut lines = BufReader::new(failures.reader()?);
        let add = &mut |case: RecordedCase| {
            let is_kept = matches!(self.cases.get(&hash_of_id(&case.id)), Some(TrackedCase::Kept));
            if !is_kept || after.is_damaged {
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
        if has_bytes(&self.path, Links::Refuse, &text) {
            Ok(())
        } else {
            ResultFile::own(&self.path)?.write(&text)
        }
    }
}
