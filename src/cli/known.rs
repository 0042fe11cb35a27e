//! `vmconf known`, and the lists of known failures of `vmconf run`

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use vmconf::model::{CaseReport, Event, Exit, VerdictKind, counted, escaped};
use vmconf::run::anchor::real_path;
use vmconf::run::known_failures::other_cases::entries_of_other_cases;
use vmconf::run::known_failures::update::{self, ListUpdatePolicy, UnseenEntries, UpdatedList};
use vmconf::run::known_failures::{Date, KnownFailures};
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, LoadOptions};

use super::bless::note_broken;
use super::errors::NothingToDo;
use super::input::read_written;
use super::result_file::ResultFile;
use super::select::Select;
use super::settings::{FILE, Settings};
use super::unwritten::Unwritten;
use super::vm::VmArgs;
use super::{history, output};

/// The list of known failures.
#[derive(Debug, Default, Args)]
pub(super) struct KnownArgs {
    /// TOML file of known failures, which do not fail the run
    #[arg(long = "known", value_name = "FILE")]
    file: Option<PathBuf>,

    /// Date that decides which entries have expired [default: today]
    #[arg(long, value_name = "DATE", value_parser = parse_date, hide_short_help = true)]
    today: Option<Date>,
}

fn parse_date(text: &str) -> Result<Date, String> {
    let datetime: Option<toml_edit::Datetime> = text.parse().ok();
    let date = datetime.filter(|it| it.time.is_none()).and_then(|it| it.date);
    date.ok_or_else(|| "not a date; expected the form 2030-12-31".to_owned())
}

impl KnownArgs {
    /// The list for all files, which may not exist; `None` if none is named.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The list for all files, if there is one. Prints a note with the date used if the list has dates.
    pub(super) fn read(&self, settings: &Settings) -> anyhow::Result<Option<KnownFailures>> {
        let has_list = self.file.is_some() || settings.overridden("known").iter().any(Option::is_some);
        if self.today.is_some() && !has_list {
            bail!("--today is for lists of known failures; use --known FILE, or known in {FILE}");
        }
        let list = self.file.as_deref().map(|path| self.list(path)).transpose();
        match settings.place("known") {
            Some(place) => list.with_context(|| format!("{place}: known")),
            None => list,
        }
    }

    /// The list of each override of `vmconf.toml`, in order; `None` if the list for all files applies.
    pub(super) fn overridden(&self, settings: &Settings) -> anyhow::Result<Vec<Option<KnownFailures>>> {
        let files = settings.overridden("known").into_iter();
        let list = |(file, place): (&str, String)| {
            self.list(Path::new(file)).with_context(|| format!("{place}: known"))
        };
        files.map(|file| file.map(list).transpose()).collect()
    }

    /// A list that applies instead of the others.
    pub(super) fn list(&self, path: &Path) -> anyhow::Result<KnownFailures> {
        let today = self.today.map_or_else(current_day, Ok)?;
        let known = parse(path, &read_written(path)?, today)?;
        let path = path.display();
        if let Some((count, day)) = known.expire_soon(today) {
            let (entries, verb) = (counted(count, "entry"), if count == 1 { "expires" } else { "expire" });
            note!("note: {path}: today is {today}; {entries} {verb} soon, the first on {day}");
        } else if self.today.is_some() {
            note!("note: {path}: today is {today}");
        }
        Ok(known)
    }
}

/// Makes a list apply to all files, in place of those that `vmconf.toml` names for some.
pub(super) fn apply_to_all(list: Option<KnownFailures>, options: &mut LoadOptions) {
    let list = list.map(Arc::new);
    for file_override in &mut options.overrides {
        file_override.options.known_failures.clone_from(&list);
    }
    options.file.known_failures = list;
}

fn parse(path: &Path, text: &str, today: Date) -> anyhow::Result<KnownFailures> {
    let shown = path.display().to_string();
    let parsed = KnownFailures::parse(&shown, text, today);
    parsed.map_err(|diagnostic| anyhow::anyhow!(diagnostic.located(&shown)))
}

/// Today's date in UTC.
fn current_day() -> anyhow::Result<Date> {
    parse_date(&history::now()[..10]).map_err(anyhow::Error::msg).context("the clock")
}

/// Manage known failures
///
/// Example: vmconf known update tests/samples/known.toml tests/samples/vmtests/wrong
#[derive(Debug, Args)]
pub(super) struct KnownCommand {
    #[command(subcommand)]
    command: KnownAction,
}

#[derive(Debug, Subcommand)]
enum KnownAction {
    Update(KnownUpdate),
}

/// Update a list of known failures: remove cases that no longer fail, and update the signatures of those
/// that fail differently
///
/// Example: vmconf known update known.toml vectors/
///
/// Runs the cases of PATHS, with --vm on a machine in another process. Entries of cases that do not run stay, and
/// everything else in the file, including comments, keeps its bytes.
#[derive(Debug, Args)]
struct KnownUpdate {
    /// The list; created if it does not exist
    file: PathBuf,

    #[command(flatten)]
    select: Select,

    /// Add failures, crashes and time-outs that are not listed, with this reason
    #[arg(long, value_name = "REASON", value_parser = NonEmptyStringValueParser::new())]
    accept: Option<String>,

    #[command(flatten)]
    vm: VmArgs,

    /// Remove the entries that match no case of the files that have this list
    #[arg(long)]
    prune: bool,
}

/// The lists that a `vmconf.toml` names for files, if the updated one is among them. It does not get failures of files
/// that have another list.
struct NamedLists<'s> {
    updated: &'s Path,
    /// The list of each override, in order; `None` if that of the profile applies.
    overridden: Vec<Option<&'s Path>>,
    of_profile: Option<&'s Path>,
}

impl<'s> NamedLists<'s> {
    /// `None` if `vmconf.toml` does not name the updated list for files: it is for all of them then.
    fn of(updated: &'s Path, settings: &'s Settings) -> Option<NamedLists<'s>> {
        let overridden = settings.overridden("known").into_iter();
        let overridden = overridden.map(|list| list.map(|(file, _)| Path::new(file))).collect();
        let of_profile = settings.known_of_profile().map(Path::new);
        let lists = NamedLists { updated, overridden, of_profile };
        let mut named = lists.overridden.iter().flatten().chain(&lists.of_profile);
        let is_named = named.any(|list| lists.is_updated(list));
        is_named.then_some(lists)
    }

    /// Whether the updated list is for this file.
    fn are_for(&self, source: &VectorSource, options: &LoadOptions) -> bool {
        let overridden = options.matching_overrides(source).next().and_then(|index| self.overridden[index]);
        overridden.or(self.of_profile).is_some_and(|list| self.is_updated(list))
    }

    fn is_updated(&self, list: &Path) -> bool {
        real_path(list) == real_path(self.updated)
    }
}

impl KnownCommand {
    /// The arguments that select vectors.
    pub(super) fn select(&mut self) -> &mut Select {
        match &mut self.command {
            KnownAction::Update(update) => &mut update.select,
        }
    }

    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        match &self.command {
            KnownAction::Update(update) => update.run(settings),
        }
    }
}

impl KnownUpdate {
    /// The text of the list, `None` if it does not exist, and the list.
    fn list(&self) -> anyhow::Result<(Option<String>, KnownFailures)> {
        let text = self.file.exists().then(|| read_written(&self.file)).transpose()?;
        let known = parse(&self.file, text.as_deref().unwrap_or_default(), current_day()?)?;
        Ok((text, known))
    }

    /// Waits until no other update of a list in the same folder reads or writes it. `None` where folders have no locks,
    /// as on Windows.
    fn lock(&self) -> Option<File> {
        let file = self.file.canonicalize().unwrap_or_else(|_| self.file.clone());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new("."))).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        // A list that cannot be read is an error before the cases run.
        self.list()?;
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        // The list of a machine is for all files that it runs.
        let lists = NamedLists::of(&self.file, settings).filter(|_| !self.vm.is_some());
        let is_for =
            |source: &VectorSource| lists.as_ref().is_none_or(|lists| lists.are_for(source, &options));
        let (all, mut exit) = self.execute(settings, &options)?;
        let mut last: Option<(Arc<str>, bool)> = None;
        let is_of_list = |report: &&CaseReport| {
            let file = &report.id.file;
            let known = last.take().filter(|(last, _)| last == file).map(|(_, is_for)| is_for);
            let is_it = known.unwrap_or_else(|| is_for(&VectorSource::named(file, &settings.anchor, None)));
            last = Some((file.clone(), is_it));
            is_it
        };
        let reports: Vec<_> = all.iter().filter(is_of_list).cloned().collect();
        // Another program may have changed the list during the run: its changes stay.
        let lock = self.lock();
        let (text, known) = self.list()?;
        let of_other_cases = entries_of_other_cases(&known, &reports, &settings.anchor, &options, &is_for);
        let before = text.as_deref().unwrap_or_default();
        let updated = update::update(&known, before, &reports, &of_other_cases, &self.policy())
            .map_err(anyhow::Error::msg)?;
        let is_new = text.is_none();
        self.write(text, &updated.text)?;
        drop(lock);
        self.print(&updated, is_new)?;
        if reports.is_empty() && updated.changes.is_empty() {
            let why = match all.len() {
                0 => format!("no case ran{}", settings.restrictions()),
                _ => format!("{FILE} names other lists for all files that ran"),
            };
            return Err(NothingToDo(why).into());
        }
        let is_wrong =
            |report: &&CaseReport| matches!(report.verdict.kind(), VerdictKind::Error | VerdictKind::Flaky);
        for report in all.iter().filter(is_wrong) {
            note_broken(report);
            exit = Exit::Broken;
        }
        Ok(exit)
    }

    /// Runs the cases; the exit code says whether the machine broke down.
    fn execute(&self, settings: &Settings, options: &LoadOptions) -> anyhow::Result<(Vec<CaseReport>, Exit)> {
        let (mut reports, mut exit) = (Vec::new(), Exit::Passed);
        run::run(&self.select.sources(settings, options)?, options, &mut |event| match event {
            Event::Finished(report) => reports.push(report),
            Event::Broken { source, errors } if source.is_machine() => {
                exit = Exit::Broken;
                output::note_errors(&source.file, &errors);
            }
            _ => {}
        });
        Ok((reports, exit))
    }

    fn policy(&self) -> ListUpdatePolicy {
        ListUpdatePolicy {
            accepted: self.accept.clone(),
            unseen: if self.prune { UnseenEntries::Prune } else { UnseenEntries::Keep },
        }
    }

    /// Writes the list if it changed; `before` is `None` if it does not exist.
    fn write(&self, before: Option<String>, after: &str) -> anyhow::Result<()> {
        let written = match before {
            None => ResultFile::typed(&self.file).and_then(|file| file.write_new(&mut after.as_bytes())),
            Some(before) if before != after => ResultFile::write_over(&self.file, after.as_bytes()),
            Some(_) => Ok(()),
        };
        Ok(written.map_err(|error| Unwritten::file(&self.file, error))?)
    }

    /// Prints what changed in the list, and what stayed.
    fn print(&self, updated: &UpdatedList, is_new: bool) -> anyhow::Result<()> {
        let mut out = output::stdout();
        for change in &updated.changes {
            writeln!(out, "{}", escaped(change))?;
        }
        if updated.changes.is_empty() {
            writeln!(out, "{}", if is_new { "created an empty list" } else { "nothing to change" })?;
        }
        for unfit in &updated.unfit {
            note!("note: {unfit}");
        }
        if updated.unlisted > 0 {
            let cases = counted(updated.unlisted, "failing case");
            note!("note: without an entry: {cases}; --accept REASON adds entries");
        }
        if updated.unseen > 0 {
            let entries = counted(updated.unseen, "entry");
            let hint = if self.prune { "" } else { "; --prune removes those that match no case of the list" };
            note!("note: {entries} of cases that did not run: kept{hint}");
        }
        Ok(out.flush()?)
    }
}
