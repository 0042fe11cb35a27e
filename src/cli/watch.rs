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
use vmconf::model::exit::Exit;
use vmconf::run::sources::Source;
use vmconf::run::{self, Interrupt, Options, UnmatchedEntries};

use super::run::{Run, interrupted};
use super::{config, output};

/// Changes are whole when nothing more has changed for so long: an editor writes in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// What never is quiet is held to be whole after so long.
const LONGEST: Duration = Duration::from_secs(2);

/// So many files are named in a line.
const NAMED: usize = 3;

/// Runs all files, and then after each change what it affects, until Ctrl-C. The exit code is that of the
/// last run.
pub(super) fn run(run: &Run) -> anyhow::Result<Exit> {
    let (sender, receiver) = mpsc::channel();
    let (interrupt, is_waiting) = (Interrupt::default(), Arc::new(AtomicBool::new(false)));
    handle_interrupt(interrupt.clone(), is_waiting.clone(), sender.clone())?;
    let watcher = notify::recommended_watcher(move |event| tell(event, &sender)).context("--watch")?;
    let mut session = Session { run, interrupt, watcher, files: HashMap::new() };
    let mut exit = session.first()?;
    let mut pending = Changes::default();
    while exit != Exit::Interrupted {
        is_waiting.store(true, Ordering::Relaxed);
        if !pending.wait(&receiver) {
            break;
        }
        is_waiting.store(false, Ordering::Relaxed);
        match session.again(&pending) {
            Ok(next) => {
                exit = next.unwrap_or(exit);
                pending = Changes::default();
            }
            // What was being changed when it was read is kept for the next time.
            Err(Broken::Found(error)) => output::note(&format!("error: {error:#}")),
            Err(Broken::Report(error)) => return Err(error),
        }
    }
    Ok(exit)
}

/// Ctrl-C ends a run as ever, and the waiting at once.
fn handle_interrupt(
    interrupt: Interrupt,
    is_waiting: Arc<AtomicBool>,
    sender: Sender<Happened>,
) -> anyhow::Result<()> {
    ctrlc::set_handler(move || {
        // Nobody hears it when the process is about to end.
        let _ = sender.send(Happened::Interrupted);
        if is_waiting.load(Ordering::Relaxed) {
            interrupt.request();
        } else {
            interrupted(&interrupt);
        }
    })?;
    Ok(())
}

/// What other threads tell.
#[derive(Debug)]
enum Happened {
    /// A file or a folder with all in it.
    Changed(PathBuf),
    /// What changed is not known.
    Lost,
    /// The user has enough.
    Interrupted,
}

/// Passes on what the system says. That a file was read is no change; vmconf does it all the time.
fn tell(event: notify::Result<notify::Event>, sender: &Sender<Happened>) {
    let happened: Vec<_> = match event {
        Ok(event) if event.need_rescan() => vec![Happened::Lost],
        Ok(notify::Event { kind: EventKind::Access(_), .. }) => Vec::new(),
        Ok(event) => event.paths.into_iter().map(Happened::Changed).collect(),
        Err(error) => {
            output::note(&format!("note: --watch: {error}"));
            vec![Happened::Lost]
        }
    };
    for happened in happened {
        // Nobody hears it when the process is about to end.
        let _ = sender.send(happened);
    }
}

/// What changed since the last run.
#[derive(Debug, Default)]
struct Changes {
    paths: BTreeSet<PathBuf>,
    is_lost: bool,
}

impl Changes {
    /// Waits until something has changed and is whole; false when the user has enough.
    fn wait(&mut self, receiver: &Receiver<Happened>) -> bool {
        let Ok(mut happened) = receiver.recv() else { return false };
        let start = Instant::now();
        loop {
            match happened {
                Happened::Changed(path) => drop(self.paths.insert(path)),
                Happened::Lost => self.is_lost = true,
                Happened::Interrupted => return false,
            }
            if start.elapsed() >= LONGEST {
                return true;
            }
            match receiver.recv_timeout(QUIET) {
                Ok(next) => happened = next,
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Whether a file, or a folder that it is in, is among them.
    fn has(&self, file: &Path) -> bool {
        self.is_lost || self.paths.iter().any(|path| file.starts_with(path))
    }
}

/// Why there was no run.
enum Broken {
    /// What was found does not do.
    Found(anyhow::Error),
    /// A report cannot be written.
    Report(anyhow::Error),
}

/// What is watched.
struct Session<'r> {
    run: &'r Run,
    interrupt: Interrupt,
    watcher: RecommendedWatcher,
    /// The vector files that there were, by the names that they are shown under.
    files: HashMap<Arc<str>, File>,
}

/// A vector file.
#[derive(Debug, Clone, Default)]
struct File {
    /// Where it really is.
    path: PathBuf,
    /// The files that its cases name.
    named: BTreeSet<PathBuf>,
}

impl Session<'_> {
    fn first(&mut self) -> anyhow::Result<Exit> {
        let options = self.options()?;
        self.watch_folders()?;
        let sources = self.run.sources()?;
        self.keep(&sources, &options);
        self.watch_around(&options)?;
        self.once(&sources, &options)
    }

    /// Runs what these changes affect; none where that is nothing.
    fn again(&mut self, changes: &Changes) -> Result<Option<Exit>, Broken> {
        if config::file().is_some_and(|file| changes.paths.contains(&file)) {
            output::note("note: vmconf.toml has changed: that applies when vmconf is started again");
        }
        let (sources, mut options) = self.found().map_err(Broken::Found)?;
        let affected = self.affected(&sources, changes, &options);
        let deleted = self.forget_deleted(&sources);
        self.keep(&affected, &options);
        self.watch_around(&options).map_err(Broken::Found)?;
        if !affected.is_empty() {
            clear();
        }
        tell_files("deleted", &deleted);
        if affected.is_empty() {
            if !deleted.is_empty() {
                self.tell_waiting();
            }
            return Ok(None);
        }
        tell_files("running anew", &affected.iter().map(|source| source.shown.clone()).collect());
        // Entries may name cases of the other files.
        if affected.len() < sources.len() {
            options.run.unmatched_entries = UnmatchedEntries::Ignore;
        }
        self.once(&affected, &options).map(Some).map_err(Broken::Report)
    }

    fn once(&self, sources: &[Source], options: &Options) -> anyhow::Result<Exit> {
        let exit = self.run.once(sources, options, &mut |_| {})?.exit();
        if exit != Exit::Interrupted {
            self.tell_waiting();
        }
        Ok(exit)
    }

    fn options(&self) -> anyhow::Result<Options> {
        let mut options = self.run.options()?;
        options.run.interrupt = self.interrupt.clone();
        Ok(options)
    }

    /// The files that there are now, and how to run them: a list of known failures is read anew.
    fn found(&mut self) -> anyhow::Result<(Vec<Source>, Options)> {
        let options = self.options()?;
        self.watch_folders()?;
        Ok((self.run.sources()?, options))
    }

    /// The folders that are searched.
    fn folders(&self) -> Vec<PathBuf> {
        let paths = self.run.searched().into_iter().filter(|path| path.is_dir());
        paths.filter_map(|path| path.canonicalize().ok()).collect()
    }

    /// Watches the folders that are searched, also those that are watched already: one in them that is new
    /// may not be yet. What is looked for afterwards is either found or told.
    fn watch_folders(&mut self) -> anyhow::Result<()> {
        for folder in self.folders() {
            self.watcher.watch(&folder, RecursiveMode::Recursive).context("--watch")?;
        }
        Ok(())
    }

    /// Watches the folders of all other files that matter. A file itself is not watched, since an editor
    /// puts another one in its place.
    fn watch_around(&mut self, options: &Options) -> anyhow::Result<()> {
        let vectors = self.files.values().flat_map(|file| file.named.iter().chain([&file.path]).cloned());
        let files = vectors.chain(lists(options)).chain(config::file());
        let around: BTreeSet<_> = files.filter_map(|file| file.parent().map(Path::to_owned)).collect();
        let folders = self.folders();
        let is_searched = |it: &PathBuf| folders.iter().any(|folder| it.starts_with(folder));
        for folder in around.iter().filter(|it| it.is_dir() && !is_searched(it)) {
            self.watcher.watch(folder, RecursiveMode::NonRecursive).context("--watch")?;
        }
        Ok(())
    }

    /// The files that are new, have changed or name a file that has; all where a list of known failures has.
    fn affected(&self, sources: &[Source], changes: &Changes, options: &Options) -> Vec<Source> {
        let is_all = lists(options).any(|list| changes.has(&list));
        let reports: Vec<_> = self.run.report_files().filter_map(|file| file.canonicalize().ok()).collect();
        let is_affected = |source: &&Source| {
            // What each run writes would be run for ever.
            let is_report = reports.contains(&really(source));
            let has_changed = |file: &File| file.named.iter().chain([&file.path]).any(|it| changes.has(it));
            !is_report && (is_all || self.files.get(&source.shown).is_none_or(has_changed))
        };
        sources.iter().filter(is_affected).cloned().collect()
    }

    fn keep(&mut self, sources: &[Source], options: &Options) {
        for source in sources {
            let file = File { path: really(source), named: run::named_files(source, options) };
            self.files.insert(source.shown.clone(), file);
        }
    }

    /// The names of files that are no more.
    fn forget_deleted(&mut self, sources: &[Source]) -> BTreeSet<Arc<str>> {
        let found: BTreeSet<_> = sources.iter().map(|source| &source.shown).collect();
        let (kept, deleted) = self.files.drain().partition(|(shown, _)| found.contains(shown));
        self.files = kept;
        let deleted: HashMap<_, _> = deleted;
        deleted.into_keys().collect()
    }

    fn tell_waiting(&self) {
        let paths: Vec<_> = self.run.searched().iter().map(|path| path.display().to_string()).collect();
        output::note(&format!("waiting for changes of {}; Ctrl-C ends", in_short(&paths)));
    }
}

/// Where a vector file really is.
fn really(source: &Source) -> PathBuf {
    source.path.canonicalize().unwrap_or_else(|_| source.path.clone())
}

/// The lists of known failures.
fn lists(options: &Options) -> impl Iterator<Item = PathBuf> {
    options.expected_failure_lists().filter_map(|known| Path::new(&*known.file).canonicalize().ok())
}

fn tell_files(what: &str, files: &BTreeSet<Arc<str>>) {
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

/// What was printed before is of no use any more to somebody who looks at it.
fn clear() {
    let terminal = Term::stdout();
    if terminal.is_term() {
        // It is only to look better.
        let _ = terminal.clear_screen();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::mpsc;

    use super::{Changes, Happened};

    /// What a save by an editor tells, from a temporary file to the last attribute, is one change.
    #[test]
    fn several_writes_are_one_change() {
        let (sender, receiver) = mpsc::channel();
        for path in ["/a/4913", "/a/x.json~", "/a/x.json", "/a/x.json", "/a/.x.swp"] {
            sender.send(Happened::Changed(path.into())).unwrap();
        }
        let mut changes = Changes::default();
        assert!(changes.wait(&receiver));
        assert_eq!(changes.paths.len(), 4);
        assert!(changes.has("/a/x.json".as_ref()) && !changes.has("/a/y.json".as_ref()));
        assert!(receiver.try_recv().is_err());
        // A folder is all that is in it.
        sender.send(Happened::Changed("/b".into())).unwrap();
        assert!(changes.wait(&receiver));
        assert!(changes.has("/b/c/d.json".as_ref()) && !changes.has("/bc.json".as_ref()));
        sender.send(Happened::Lost).unwrap();
        assert!(changes.wait(&receiver) && changes.has("/elsewhere".as_ref()));
        sender.send(Happened::Interrupted).unwrap();
        assert!(!changes.wait(&receiver));
    }
}
