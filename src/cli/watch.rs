//! `vmconf run --watch`: runs, waits for changes, and runs what they affect.

mod changes;
mod failures;
mod names;

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use anyhow::Context;
use console::Term;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use vmconf::model::Exit;
use vmconf::run::anchor::real_path;
use vmconf::run::sources::{Sources, VectorSource};
use vmconf::run::{self, LoadOptions, UnmatchedEntries};
use vmconf::text::file_name::shown;

use self::changes::{FolderChanges, Message, forward};
use self::failures::Failures;
use self::names::in_short;
use super::errors::note_error;
use super::output;
use super::run::{RunArgs, RunControls, Runner};
use super::settings::{FILE, Settings};

/// Reads the command line and `vmconf.toml` again.
type RereadArgs = fn() -> anyhow::Result<(RunArgs, Settings)>;

/// Runs all files, then the affected files after each change, until Ctrl-C; all of them again when `vmconf.toml` or the
/// declaration of a family changes. The exit code is that of the last run, or of a failure that is outstanding.
pub(super) fn run(mut run: RunArgs, mut settings: Settings, reread: RereadArgs) -> anyhow::Result<Exit> {
    let (sender, receiver) = mpsc::channel();
    let (controls, is_waiting) = (RunControls::default(), Arc::new(AtomicBool::new(false)));
    handle_interrupt(&controls, is_waiting.clone(), sender.clone())?;
    let watcher = notify::recommended_watcher(move |event| forward(event, &sender)).context("--watch")?;
    let mut watch = WatchArgs { is_waiting, receiver, watcher, reread };
    let mut session = WatchSession::new(Runner::new(&run, &settings, controls.clone()), &mut watch)?;
    let mut exit = session.first()?;
    loop {
        let (changed, (mut new_run, new_settings)) = match session.watch(exit)? {
            WatchEnd::Interrupted(exit) => return Ok(exit),
            WatchEnd::NewSettings { changed, new } => (changed, *new),
        };
        new_run.select.keep_standard_input(&run.select);
        (run, settings) = (new_run, new_settings);
        session = WatchSession::new(Runner::new(&run, &settings, controls.clone()), &mut watch)?;
        clear();
        note!("{} changed: all cases run again", shown(&changed));
        exit = session.first().unwrap_or_else(|error| {
            let exit = note_error(&error);
            session.note_waiting();
            exit
        });
    }
}

/// Ctrl-C ends a run as it does without `--watch`, and ends waiting immediately.
fn handle_interrupt(
    controls: &RunControls,
    is_waiting: Arc<AtomicBool>,
    sender: Sender<Message>,
) -> anyhow::Result<()> {
    let (interrupt, mut end_run) = (controls.interrupt.clone(), controls.interrupt_handler());
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

/// What outlives a change of the settings.
struct WatchArgs {
    /// Whether Ctrl-C ends at once.
    is_waiting: Arc<AtomicBool>,
    receiver: Receiver<Message>,
    watcher: RecommendedWatcher,
    reread: RereadArgs,
}

/// Why a session ended.
enum WatchEnd {
    /// By Ctrl-C, with the exit code of all runs.
    Interrupted(Exit),
    /// `vmconf.toml`, or the declaration of a family, appeared, changed or disappeared. `changed` is its name.
    NewSettings { changed: PathBuf, new: Box<(RunArgs, Settings)> },
}

/// Why a run failed.
enum RunError {
    /// An error in the files, which the user may still fix.
    Input(anyhow::Error),
    /// A report cannot be written.
    Report(anyhow::Error),
}

/// The runs with the same settings.
struct WatchSession<'r, 'w> {
    runner: Runner<'r>,
    watch: &'w mut WatchArgs,
    /// Where `vmconf.toml` and the declarations of families are, or could appear.
    config_files: Vec<PathBuf>,
    /// The vector files of the last search, by their shown names.
    files: HashMap<Arc<str>, WatchedFile>,
    /// The lists of known failures of the last run.
    lists: Vec<PathBuf>,
    failures: Failures,
}

/// A vector file.
#[derive(Debug, Clone, Default)]
struct WatchedFile {
    /// Its path with symbolic links resolved.
    path: PathBuf,
    /// The files that its cases name.
    named: BTreeSet<PathBuf>,
}

impl<'r, 'w> WatchSession<'r, 'w> {
    fn new(runner: Runner<'r>, watch: &'w mut WatchArgs) -> anyhow::Result<WatchSession<'r, 'w>> {
        let mut config_files = config_files(runner.settings)?;
        config_files.extend(runner.declarations().iter().map(|file| real_path(file)));
        for folder in config_files.iter().filter_map(|file| file.parent()) {
            // A folder that cannot be watched, such as one that cannot be read, cannot be changed by its user.
            let _ = watch.watcher.watch(folder, RecursiveMode::NonRecursive);
        }
        let (files, lists, failures) = (HashMap::new(), Vec::new(), Failures::default());
        Ok(WatchSession { runner, watch, config_files, files, lists, failures })
    }

    fn first(&mut self) -> anyhow::Result<Exit> {
        let options = self.search()?;
        let sources = self.runner.args.select.sources(self.runner.settings, &options)?;
        self.keep(&sources, &options);
        self.watch_around(&options)?;
        self.once(&sources, &options)
    }

    /// Runs what changes affect, until Ctrl-C or new settings. `exit` is the exit code of the first run.
    fn watch(&mut self, mut exit: Exit) -> anyhow::Result<WatchEnd> {
        let mut pending = FolderChanges::default();
        while exit != Exit::Interrupted {
            self.watch.is_waiting.store(true, Ordering::Relaxed);
            if !pending.wait(&self.watch.receiver, |path| self.is_relevant(path)) {
                break;
            }
            self.watch.is_waiting.store(false, Ordering::Relaxed);
            if let Some(changed) = self.config_files.iter().find(|file| pending.take(file)) {
                let changed = changed.file_name().map_or_else(|| changed.clone(), PathBuf::from);
                match (self.watch.reread)() {
                    Ok(new) => return Ok(WatchEnd::NewSettings { changed, new: Box::new(new) }),
                    Err(error) => drop(note_error(&error)),
                }
            }
            match self.rerun(&pending) {
                Ok(next) => {
                    exit = next.unwrap_or(exit);
                    pending = FolderChanges::default();
                }
                // A file may have been read during a write, so its changes stay pending.
                Err(RunError::Input(error)) => drop(note_error(&error)),
                Err(RunError::Report(error)) => return Err(error),
            }
        }
        Ok(WatchEnd::Interrupted(self.failures.exit(exit)))
    }

    /// Runs the files that these changes affect; `None` if no file is affected.
    fn rerun(&mut self, changes: &FolderChanges) -> Result<Option<Exit>, RunError> {
        let mut options = self.search().map_err(RunError::Input)?;
        // A named file may be about to be written again.
        let sources = self
            .runner
            .args
            .select
            .usable_sources(self.runner.settings, &options)
            .map_err(RunError::Input)?;
        let affected = self.affected(&sources, changes, &options);
        let deleted = self.forget_deleted(&sources);
        self.failures.forget(|file| deleted.contains(file));
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
        } else {
            self.failures = Failures::default();
        }
        self.once(&affected, &options).map(Some).map_err(RunError::Report)
    }

    fn once(&mut self, sources: &Sources, options: &LoadOptions) -> anyhow::Result<Exit> {
        let shown: BTreeSet<Arc<str>> = sources.iter().map(|source| source.shown).collect();
        self.failures.forget(|file| shown.contains(file));
        let exit = self.runner.run(sources, options, &mut |report| self.failures.add(report))?;
        if exit != Exit::Interrupted {
            self.failures
                .note_not_run(|file| shown.contains(file))
                .iter()
                .for_each(|line| output::note(line));
            self.note_waiting();
        }
        Ok(exit)
    }

    /// Watches what is searched now, and reads the lists of known failures again.
    fn search(&mut self) -> anyhow::Result<LoadOptions> {
        self.watch_folders()?;
        // A list that is missing now may appear.
        self.lists = self.runner.named_lists().iter().map(|list| real_path(list)).collect();
        self.watch_folders_of(&self.lists.clone())?;
        let options = self.runner.options()?;
        self.lists = lists(&options).collect();
        Ok(options)
    }

    /// Whether a change of this file or folder can change the result of a run.
    fn is_relevant(&self, path: &Path) -> bool {
        let searched = self.runner.searched();
        let mut searched = searched.iter().map(|searched| real_path(searched));
        let files = self.files.values().flat_map(|file| file.named.iter().chain([&file.path]));
        searched.any(|searched| path.starts_with(&searched) || searched.starts_with(path))
            || self.config_files.iter().any(|file| file == path)
            || files.chain(&self.lists).any(|file| file.starts_with(path))
    }

    /// The folders that are searched.
    fn folders(&self) -> Vec<PathBuf> {
        let paths = self.runner.searched().into_iter().filter(|path| path.is_dir());
        paths.filter_map(|path| path.canonicalize().ok()).collect()
    }

    /// Watches the folders that are searched, including those already watched, since a new folder in one of
    /// them may not be watched yet. A file that appears later is found by the search or by the watch. Watches
    /// what contains the folders too, so that one that was deleted is seen when it appears again.
    fn watch_folders(&mut self) -> anyhow::Result<()> {
        let folders = self.folders();
        for folder in &folders {
            self.watch.watcher.watch(folder, RecursiveMode::Recursive).context("--watch")?;
        }
        let searched = self.runner.searched();
        let outside = searched.iter().filter_map(|path| {
            let path = real_path(path);
            path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned)
        });
        for folder in outside.filter(|outside| !folders.iter().any(|folder| outside.starts_with(folder))) {
            self.watch.watcher.watch(&folder, RecursiveMode::NonRecursive).context("--watch")?;
        }
        Ok(())
    }

    /// Watches the folders of all other files that affect the run. The files themselves are not watched,
    /// since an editor replaces them.
    fn watch_around(&mut self, options: &LoadOptions) -> anyhow::Result<()> {
        let vectors = self.files.values().flat_map(|file| file.named.iter().chain([&file.path]).cloned());
        let files: Vec<_> = vectors.chain(lists(options)).collect();
        self.watch_folders_of(&files)
    }

    /// Watches the folders of these files, except for those that are searched.
    fn watch_folders_of(&mut self, files: &[PathBuf]) -> anyhow::Result<()> {
        let around: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
        let folders = self.folders();
        let is_searched = |it: &Path| folders.iter().any(|folder| it.starts_with(folder));
        for folder in around.iter().filter(|it| it.is_dir() && !is_searched(it)) {
            self.watch.watcher.watch(folder, RecursiveMode::NonRecursive).context("--watch")?;
        }
        Ok(())
    }

    /// The files that are new, have changed or name a file that has; all files if a list of known failures
    /// has changed.
    fn affected(&self, sources: &Sources, changes: &FolderChanges, options: &LoadOptions) -> Sources {
        let is_all = lists(options).any(|list| changes.has(&list));
        let reports: Vec<_> =
            self.runner.args.reports.files().filter_map(|file| file.canonicalize().ok()).collect();
        let is_affected = |source: &VectorSource| {
            // A run writes its reports: each run would trigger the next one, endlessly.
            let is_report = reports.contains(&real_path_of(source));
            let has_changed =
                |file: &WatchedFile| file.named.iter().chain([&file.path]).any(|it| changes.has(it));
            !is_report && (is_all || self.files.get(&source.shown).is_none_or(has_changed))
        };
        sources.iter().filter(is_affected).collect()
    }

    fn keep(&mut self, sources: &Sources, options: &LoadOptions) {
        for source in sources {
            let file = WatchedFile { path: real_path_of(&source), named: run::named_files(&source, options) };
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
        let changes = if paths.is_empty() { String::new() } else { format!(" of {}", in_short(&paths)) };
        note!("waiting for changes{changes}; Ctrl-C ends");
    }
}

/// The path of a vector file with symbolic links resolved.
fn real_path_of(source: &VectorSource) -> PathBuf {
    source.path.canonicalize().unwrap_or_else(|_| source.path.clone())
}

/// Where `vmconf.toml` is read from, or would be if it appeared.
fn config_files(settings: &Settings) -> anyhow::Result<Vec<PathBuf>> {
    if settings.typed("no-config").is_some() {
        return Ok(Vec::new());
    }
    let working =
        env::current_dir().and_then(|folder| folder.canonicalize()).context("the working folder")?;
    let current = settings.path();
    let mut files = Vec::new();
    for folder in working.ancestors() {
        files.push(folder.join(FILE));
        if files.last() == current.as_ref() {
            break;
        }
    }
    Ok(files)
}

/// The files of the lists of known failures.
fn lists(options: &LoadOptions) -> impl Iterator<Item = PathBuf> {
    options.known_failure_lists().filter_map(|known| Path::new(&*known.file).canonicalize().ok())
}

fn note_files(what: &str, files: &BTreeSet<Arc<str>>) {
    if !files.is_empty() {
        note!("{what}: {}", in_short(&files.iter().collect::<Vec<_>>()));
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
