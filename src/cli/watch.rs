//! `vmconf run --watch`: runs, waits for changes, and runs what they affect.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::Context;
use console::Term;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use vmconf::model::exit_code::Exit;
use vmconf::run::sources::{Source, Sources};
use vmconf::run::{self, Options, UnmatchedEntries};

use super::output;
use super::run::{Run, Runner};
use super::settings::Settings;

/// Changes are complete after this time without another change, since editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Changes that continue are treated as complete after this time.
const LONGEST: Duration = Duration::from_secs(2);

/// The number of files that a line names.
const NAMED: usize = 3;

/// Runs all files, then the affected files after each change, until Ctrl-C. The exit code is that of the last
/// run.
pub(super) fn run(run: &Run, settings: &Settings) -> anyhow::Result<Exit> {
    let (sender, receiver) = mpsc::channel();
    let (runner, is_waiting) = (Runner::new(run, settings), Arc::new(AtomicBool::new(false)));
    handle_interrupt(&runner, is_waiting.clone(), sender.clone())?;
    let watcher = notify::recommended_watcher(move |event| forward(event, &sender)).context("--watch")?;
    let mut session = Session { runner, watcher, files: HashMap::new() };
    let mut exit = session.first()?;
    let mut pending = Changes::default();
    while exit != Exit::Interrupted {
        is_waiting.store(true, Ordering::Relaxed);
        if !pending.wait(&receiver) {
            break;
        }
        is_waiting.store(false, Ordering::Relaxed);
        match session.rerun(&pending) {
            Ok(next) => {
                exit = next.unwrap_or(exit);
                pending = Changes::default();
            }
            // A file may have been read during a write, so its changes stay pending.
            Err(RunError::Input(error)) => output::note(&format!("error: {error:#}")),
            Err(RunError::Report(error)) => return Err(error),
        }
    }
    Ok(exit)
}

/// Ctrl-C ends a run as it does without `--watch`, and ends waiting immediately.
fn handle_interrupt(
    runner: &Runner<'_>,
    is_waiting: Arc<AtomicBool>,
    sender: Sender<Message>,
) -> anyhow::Result<()> {
    let (interrupt, end_run) = (runner.interrupt.clone(), runner.interrupt_handler());
    ctrlc::set_handler(move || {
        // Sending fails only if the process is about to end.
        let _ = sender.send(Message::Interrupted);
        if is_waiting.load(Ordering::Relaxed) {
            interrupt.request();
        } else {
            end_run();
        }
    })?;
    Ok(())
}

/// A message from another thread.
#[derive(Debug)]
enum Message {
    /// A file changed, or a folder with everything in it.
    Changed(PathBuf),
    /// Events were lost: anything may have changed.
    Lost,
    /// Ctrl-C.
    Interrupted,
}

/// Forwards the events of the file system. Read events are ignored, since vmconf itself reads the files.
fn forward(event: notify::Result<notify::Event>, sender: &Sender<Message>) {
    let messages: Vec<_> = match event {
        Ok(event) if event.need_rescan() => vec![Message::Lost],
        Ok(notify::Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(event) => event.paths.into_iter().map(Message::Changed).collect(),
        Err(error) => {
            output::note(&format!("note: --watch: {error}"));
            vec![Message::Lost]
        }
    };
    for message in messages {
        // Sending fails only if the process is about to end.
        let _ = sender.send(message);
    }
}

/// The changes since the last run.
#[derive(Debug, Default)]
struct Changes {
    paths: BTreeSet<PathBuf>,
    is_lost: bool,
}

impl Changes {
    /// Waits for changes until they are complete. Returns false after Ctrl-C.
    fn wait(&mut self, receiver: &Receiver<Message>) -> bool {
        let Ok(mut message) = receiver.recv() else { return false };
        let start = Instant::now();
        loop {
            match message {
                Message::Changed(path) => drop(self.paths.insert(path)),
                Message::Lost => self.is_lost = true,
                Message::Interrupted => return false,
            }
            if start.elapsed() >= LONGEST {
                return true;
            }
            match receiver.recv_timeout(QUIET) {
                Ok(next) => message = next,
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Whether the file, or a folder that contains it, may have changed.
    fn has(&self, file: &Path) -> bool {
        self.is_lost || self.paths.iter().any(|path| file.starts_with(path))
    }
}

/// Why a run failed.
enum RunError {
    /// An error in the files, which the user may still fix.
    Input(anyhow::Error),
    /// A report cannot be written.
    Report(anyhow::Error),
}

/// The state between runs.
struct Session<'r> {
    runner: Runner<'r>,
    watcher: RecommendedWatcher,
    /// The vector files of the last search, by their shown names.
    files: HashMap<Arc<str>, File>,
}

/// A vector file.
#[derive(Debug, Clone, Default)]
struct File {
    /// Its path with symbolic links resolved.
    path: PathBuf,
    /// The files that its cases name.
    named: BTreeSet<PathBuf>,
}

impl Session<'_> {
    fn first(&mut self) -> anyhow::Result<Exit> {
        let options = self.runner.options()?;
        self.watch_folders()?;
        let sources = self.runner.sources(&options)?;
        self.keep(&sources, &options);
        self.watch_around(&options)?;
        self.once(&sources, &options)
    }

    /// Runs the files that these changes affect; `None` if no file is affected.
    fn rerun(&mut self, changes: &Changes) -> Result<Option<Exit>, RunError> {
        if self.runner.settings.path().is_some_and(|file| changes.paths.contains(&file)) {
            output::note("note: vmconf.toml changed; restart vmconf to apply it");
        }
        let (sources, mut options) = self.found().map_err(RunError::Input)?;
        let affected = self.affected(&sources, changes, &options);
        let deleted = self.forget_deleted(&sources);
        self.keep(&affected, &options);
        self.watch_around(&options).map_err(RunError::Input)?;
        if !affected.is_empty() {
            clear();
        }
        note_files("deleted", &deleted);
        if affected.is_empty() {
            if !deleted.is_empty() {
                self.note_waiting();
            }
            return Ok(None);
        }
        note_files("running again", &affected.iter().map(|source| source.shown.clone()).collect());
        // Entries may name cases of the other files.
        if affected.len() < sources.len() {
            options.run.unmatched_entries = UnmatchedEntries::Ignore;
        }
        self.once(&affected, &options).map(Some).map_err(RunError::Report)
    }

    fn once(&self, sources: &Sources, options: &Options) -> anyhow::Result<Exit> {
        let exit = self.runner.run(sources, options, &mut |_| {})?;
        if exit != Exit::Interrupted {
            self.note_waiting();
        }
        Ok(exit)
    }

    /// Searches the files again, and reads the lists of expected failures again.
    fn found(&mut self) -> anyhow::Result<(Sources, Options)> {
        let options = self.runner.options()?;
        self.watch_folders()?;
        Ok((self.runner.sources(&options)?, options))
    }

    /// The folders that are searched.
    fn folders(&self) -> Vec<PathBuf> {
        let paths = self.runner.searched().into_iter().filter(|path| path.is_dir());
        paths.filter_map(|path| path.canonicalize().ok()).collect()
    }

    /// Watches the folders that are searched, including those already watched, since a new folder in one of
    /// them may not be watched yet. A file that appears later is found by the search or by the watch.
    fn watch_folders(&mut self) -> anyhow::Result<()> {
        for folder in self.folders() {
            self.watcher.watch(&folder, RecursiveMode::Recursive).context("--watch")?;
        }
        Ok(())
    }

    /// Watches the folders of all other files that affect the run. The files themselves are not watched,
    /// since an editor replaces them.
    fn watch_around(&mut self, options: &Options) -> anyhow::Result<()> {
        let vectors = self.files.values().flat_map(|file| file.named.iter().chain([&file.path]).cloned());
        let files = vectors.chain(lists(options)).chain(self.runner.settings.path());
        let around: BTreeSet<_> = files.filter_map(|file| file.parent().map(Path::to_owned)).collect();
        let folders = self.folders();
        let is_searched = |it: &PathBuf| folders.iter().any(|folder| it.starts_with(folder));
        for folder in around.iter().filter(|it| it.is_dir() && !is_searched(it)) {
            self.watcher.watch(folder, RecursiveMode::NonRecursive).context("--watch")?;
        }
        Ok(())
    }

    /// The files that are new, have changed or name a file that has; all files if a list of expected failures
    /// has changed.
    fn affected(&self, sources: &Sources, changes: &Changes, options: &Options) -> Sources {
        let is_all = lists(options).any(|list| changes.has(&list));
        let reports: Vec<_> =
            self.runner.report_files().filter_map(|file| file.canonicalize().ok()).collect();
        let is_affected = |source: &Source| {
            // A run writes its reports: each run would trigger the next one, endlessly.
            let is_report = reports.contains(&real_path(source));
            let has_changed = |file: &File| file.named.iter().chain([&file.path]).any(|it| changes.has(it));
            !is_report && (is_all || self.files.get(&source.shown).is_none_or(has_changed))
        };
        sources.iter().filter(is_affected).collect()
    }

    fn keep(&mut self, sources: &Sources, options: &Options) {
        for source in sources {
            let file = File { path: real_path(&source), named: run::named_files(&source, options) };
            self.files.insert(source.shown, file);
        }
    }

    /// Forgets the files that were deleted, and returns their names.
    fn forget_deleted(&mut self, sources: &Sources) -> BTreeSet<Arc<str>> {
        let found: BTreeSet<_> = sources.iter().map(|source| source.shown).collect();
        let (kept, deleted) = self.files.drain().partition(|(shown, _)| found.contains(shown));
        self.files = kept;
        let deleted: HashMap<_, _> = deleted;
        deleted.into_keys().collect()
    }

    fn note_waiting(&self) {
        let paths: Vec<_> = self.runner.searched().iter().map(|path| path.display().to_string()).collect();
        output::note(&format!("waiting for changes of {}; Ctrl-C ends", in_short(&paths)));
    }
}

/// The path of a vector file with symbolic links resolved.
fn real_path(source: &Source) -> PathBuf {
    source.path.canonicalize().unwrap_or_else(|_| source.path.clone())
}

/// The files of the lists of expected failures.
fn lists(options: &Options) -> impl Iterator<Item = PathBuf> {
    options.expected_failure_lists().filter_map(|known| Path::new(&*known.file).canonicalize().ok())
}

fn note_files(what: &str, files: &BTreeSet<Arc<str>>) {
    if !files.is_empty() {
        output::note(&format!("{what}: {}", in_short(&files.iter().collect::<Vec<_>>())));
    }
}

/// The first of these and how many more there are.
fn in_short(names: &[impl AsRef<str>]) -> String {
    let first: Vec<_> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Clears the output of the last run from a terminal.
fn clear() {
    let terminal = Term::stdout();
    if terminal.is_term() {
        // A terminal that cannot be cleared still shows everything.
        let _ = terminal.clear_screen();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::mpsc;

    use super::{Changes, Message};

    /// All events of one save by an editor, from a temporary file to the last attribute, are one change.
    #[test]
    fn several_writes_are_one_change() {
        let (sender, receiver) = mpsc::channel();
        for path in ["/a/4913", "/a/x.json~", "/a/x.json", "/a/x.json", "/a/.x.swp"] {
            sender.send(Message::Changed(path.into())).unwrap();
        }
        let mut changes = Changes::default();
        assert!(changes.wait(&receiver));
        assert_eq!(changes.paths.len(), 4);
        assert!(changes.has("/a/x.json".as_ref()) && !changes.has("/a/y.json".as_ref()));
        assert!(receiver.try_recv().is_err());
        // A changed folder covers everything in it.
        sender.send(Message::Changed("/b".into())).unwrap();
        assert!(changes.wait(&receiver));
        assert!(changes.has("/b/c/d.json".as_ref()) && !changes.has("/bc.json".as_ref()));
        sender.send(Message::Lost).unwrap();
        assert!(changes.wait(&receiver) && changes.has("/elsewhere".as_ref()));
        sender.send(Message::Interrupted).unwrap();
        assert!(!changes.wait(&receiver));
    }
}
