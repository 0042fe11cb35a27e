//! `vmconf snapshot`

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use vmconf::model::{Exit, counted, escaped};
use vmconf::run::anchor::Anchor;
use vmconf::run::bless::SameCases;
use vmconf::run::open_file::{Links, is_absent, open_regular};
use vmconf::run::{self, LoadOptions, LoadedFile};
use vmconf::testees::Stopped;

use super::file_args::fields_named;
use super::final_state::{FinalState, write_fields, write_text};
use super::find_case::{NotSupported, read_case};
use super::output;
use super::result_file::write_own;
use super::select::Select;
use super::settings::Settings;
use super::text_diff;
use super::unwritten::Unwritten;
use super::vm::{VmArgs, stopped_early, with_misconduct};

/// The maximum size of a snapshot that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The most characters of a file name before its hash.
const MAX_NAME: usize = 120;

/// Snapshot the final state of each case, for review with cargo insta
///
/// Example: vmconf snapshot vectors/neo3/types --dir target/vmconf-snapshots --check
///
/// Writes how each case ends, with every field of the state, as a file of insta's format. What is new or differs is
/// written beside it as .snap.new, for `cargo insta review`; INSTA_UPDATE=always replaces it, INSTA_UPDATE=unseen
/// writes new ones in place, INSTA_UPDATE=no and CI write nothing. The expectations of the vectors are ignored.
#[derive(Debug, Args)]
pub(super) struct SnapshotCommand {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vm: VmArgs,

    /// The folder of the snapshots
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,

    /// Only these fields of the state, with commas between them, and not how the run ended in words
    #[arg(long, value_name = "FIELD,FIELD...", value_delimiter = ',')]
    fields: Vec<String>,

    /// Write nothing, and show what is new or differs
    #[arg(long)]
    check: bool,
}

/// What happens to a snapshot that is new or differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SnapshotUpdate {
    /// Nothing.
    Nothing,
    /// It is written beside the old one, for review.
    Beside,
    /// It is written if it is new, and beside the old one if it differs.
    New,
    /// It replaces the old one.
    Replace,
}

impl SnapshotUpdate {
    /// What insta would do: `INSTA_UPDATE`, or, without it, a review except in CI. Fails when `INSTA_UPDATE` has a
    /// value that insta does not know.
    fn of_environment() -> anyhow::Result<SnapshotUpdate> {
        let is_in_ci = std::env::var("CI").is_ok_and(|ci| !["", "0", "false"].contains(&&*ci))
            || std::env::var_os("TF_BUILD").is_some();
        Ok(match std::env::var("INSTA_UPDATE").as_deref() {
            Ok("always" | "force" | "1") => SnapshotUpdate::Replace,
            Ok("no") => SnapshotUpdate::Nothing,
            Ok("unseen") => SnapshotUpdate::New,
            Ok("auto" | "") | Err(std::env::VarError::NotPresent) if is_in_ci => SnapshotUpdate::Nothing,
            Ok("new" | "auto" | "") | Err(std::env::VarError::NotPresent) => SnapshotUpdate::Beside,
            Ok(other) => bail!("INSTA_UPDATE={other}: expected auto, always, unseen, new, no or force"),
            Err(error) => bail!("INSTA_UPDATE: {error}"),
        })
    }

    /// Where a snapshot is written; `None` if it is not.
    fn place<'p>(self, path: &'p Path, beside: &'p Path, age: SnapshotAge) -> Option<&'p Path> {
        match (self, age) {
            (SnapshotUpdate::Nothing, _) => None,
            (SnapshotUpdate::Replace, _) | (SnapshotUpdate::New, SnapshotAge::New) => Some(path),
            (SnapshotUpdate::Beside, _) | (SnapshotUpdate::New, SnapshotAge::Old) => Some(beside),
        }
    }
}

/// Whether there is a snapshot already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SnapshotAge {
    New,
    Old,
}

enum CaseEnd {
    /// With this state.
    Text(String),
    /// The machine lacks what it needs.
    Unsupported(String),
}

#[derive(Debug, Default)]
struct SnapshotCounts {
    same: usize,
    new: usize,
    different: usize,
    unsupported: usize,
    errors: usize,
    unreferenced: usize,
}

impl SnapshotCounts {
    /// Counts and prints an error of one case.
    fn broken(&mut self, error: &anyhow::Error) {
        self.errors += 1;
        note!("error: {error:#}");
    }
}

impl SnapshotCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        for field in &self.fields {
            fields_named("--fields", field, options.file.family, &options.file.families)?;
        }
        let sources = self.select.sources(settings, &options)?;
        let update = if self.check { SnapshotUpdate::Nothing } else { SnapshotUpdate::of_environment()? };
        let (mut counts, mut referenced, mut files) =
            (SnapshotCounts::default(), BTreeSet::new(), BTreeSet::new());
        let mut out = output::stdout();
        for source in &sources {
            let loaded = run::open(&source, &options);
            counts.errors += loaded.errors().len();
            output::note_errors(&source.shown, loaded.errors());
            let same = SameCases::of(&loaded, &source, &options);
            let filled = same.with_ends(&loaded);
            if !loaded.has_unknown_cases() {
                files.insert(source.shown.to_string());
            }
            for (index, id) in loaded.ids().enumerate() {
                let id = id.to_string();
                let path = self.dir.join(file_name(&id));
                match self.text((&loaded, filled.as_ref()), index, &options) {
                    Ok(CaseEnd::Text(text)) => {
                        let snapshot = Snapshot { path: &path, file: &source.shown, id: &id, text: &text };
                        snapshot.compare(update, &mut counts, &mut out)?;
                    }
                    Ok(CaseEnd::Unsupported(reason)) => {
                        counts.unsupported += 1;
                        note!("note: {id}: unsupported: {reason}");
                    }
                    Err(error) => counts.broken(&error.context(id.clone())),
                }
                referenced.insert(path);
            }
            // A signal ends the command at once.
            out.flush()?;
        }
        let is_unread = |source: &str| !files.contains(source) && !self.is_deleted(source, &settings.anchor);
        self.report_unreferenced(&is_unread, &referenced, &mut counts);
        let exit = end(&counts, update, &mut out)?;
        Ok(with_misconduct(&options.run.testee, exit))
    }

    /// How a case ends. It is read from `filled` if it lacks expectations. Fails when the case is broken, or did not
    /// run to its end.
    fn text(
        &self,
        (loaded, filled): (&LoadedFile<'_>, Option<&LoadedFile<'_>>),
        index: usize,
        options: &LoadOptions,
    ) -> anyhow::Result<CaseEnd> {
        // What is wrong with a case is said of the file as it is.
        let readable = filled.filter(|filled| is_readable(filled, index)).unwrap_or(loaded);
        let (machine, case) = match read_case(readable, index) {
            Err(error) => {
                let NotSupported(reason) = error.downcast()?;
                return Ok(CaseEnd::Unsupported(reason));
            }
            Ok(read) => read,
        };
        let limits = &loaded.options().limits;
        let mut left = match FinalState::of(machine, case, limits, &options.run) {
            Ok(left) => left,
            Err(Stopped::Unsupported(reason)) => return Ok(CaseEnd::Unsupported(reason)),
            Err(stopped) => return Err(stopped_early(stopped)),
        };
        let ignored = loaded.options().ignored_of(machine.name);
        let fields = left.fields.into_iter();
        left.fields =
            fields.filter_map(|(name, value)| Some((name, ignored.compared(name, value)?))).collect();
        let mut text = Vec::new();
        if self.fields.is_empty() {
            write_text(&mut text, &left, usize::MAX)?;
        } else {
            left.fields.retain(|(name, _)| self.fields.iter().any(|field| field == name));
            if left.fields.is_empty() {
                bail!("{} has none of the fields of --fields: {}", machine.name, self.fields.join(", "));
            }
            write_fields(&mut text, &left, usize::MAX)?;
        }
        Ok(CaseEnd::Text(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Whether a file that would have been read no longer exists.
    fn is_deleted(&self, source: &str, anchor: &Anchor) -> bool {
        let folders = self.select.searched();
        let names = folders.iter().map(|folder| anchor.name(&anchor.resolve(folder, Path::exists)));
        let is_below = |folder: std::sync::Arc<str>| {
            source.strip_prefix(&*folder).is_some_and(|rest| rest.starts_with('/')) || &*folder == "."
        };
        is_absent(&anchor.path(source)) && names.into_iter().any(is_below)
    }

    /// Notes the snapshots that no longer belong to a case of the files that were read, and those of deleted files, if
    /// no case was left out.
    fn report_unreferenced(
        &self,
        is_unread: &dyn Fn(&str) -> bool,
        referenced: &BTreeSet<PathBuf>,
        counts: &mut SnapshotCounts,
    ) {
        if self.select.is_narrow() {
            return;
        }
        let paths = match snapshots_in(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return counts.broken(&Unwritten::file(&self.dir, error).into()),
            Ok(paths) => paths,
        };
        for path in paths.into_iter().filter(|path| !referenced.contains(path)) {
            match read(&path) {
                Ok(Some(text)) if source_of(&text).is_some_and(|source| !is_unread(&source)) => {
                    counts.unreferenced += 1;
                    note!("note: {}: no case has this snapshot any more", path.display());
                }
                Ok(_) => {}
                Err(error) => note!("note: {error:#}; no case has this snapshot"),
            }
        }
    }
}

/// The paths of the snapshots in a folder, in order.
fn snapshots_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|it| it == "snap"));
    paths.sort();
    Ok(paths)
}

fn is_readable(loaded: &LoadedFile<'_>, index: usize) -> bool {
    loaded.case(index).is_some_and(|case| case.read().is_ok_and(|reading| reading.case.is_some()))
}

/// A snapshot of a case.
struct Snapshot<'s> {
    path: &'s Path,
    file: &'s str,
    id: &'s str,
    text: &'s str,
}

impl Snapshot<'_> {
    /// Compares the snapshot with its file, shows what differs, and updates the file. The other cases do not depend
    /// on a file that cannot be read or written. Fails when standard output cannot be written.
    fn compare(
        &self,
        update: SnapshotUpdate,
        counts: &mut SnapshotCounts,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let old = match read(self.path) {
            Ok(old) => old,
            Err(error) => {
                counts.broken(&error);
                return Ok(());
            }
        };
        let old_text = old.as_deref().map(contents);
        let age = if old.is_some() { SnapshotAge::Old } else { SnapshotAge::New };
        let updated = if old_text.is_some_and(|old| old.trim_end() == self.text.trim_end()) {
            counts.same += 1;
            // What was to be reviewed is no longer different.
            if update == SnapshotUpdate::Nothing { Ok(()) } else { remove(&beside(self.path)) }
        } else {
            match age {
                SnapshotAge::Old => counts.different += 1,
                SnapshotAge::New => counts.new += 1,
            }
            self.show(old_text, out)?;
            self.write(update, age)
        };
        updated.unwrap_or_else(|error| counts.broken(&error));
        Ok(())
    }

    /// Shows how it differs from the old text.
    fn show(&self, old: Option<&str>, out: &mut impl Write) -> io::Result<()> {
        let word = if old.is_some() { "DIFFERS" } else { "NEW" };
        writeln!(out, "{word}  {}", escaped(self.id))?;
        for line in old.map(|old| text_diff::hunks(old, self.text)).unwrap_or_default().lines() {
            let style = text_diff::style(line);
            writeln!(out, "  {style}{}{style:#}", escaped(line))?;
        }
        Ok(())
    }

    /// Writes the file that the update demands.
    fn write(&self, update: SnapshotUpdate, age: SnapshotAge) -> anyhow::Result<()> {
        let beside = beside(self.path);
        let Some(path) = update.place(self.path, &beside, age) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
        }
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let text = format!(
            "---\nsource: {}\nexpression: {}\n---\n{}",
            quoted(self.file),
            quoted(self.id),
            self.text
        );
        write_own(path, text.as_bytes())?;
        // What was to be reviewed is replaced.
        if path == self.path { remove(&beside) } else { Ok(()) }
    }
}

fn end(counts: &SnapshotCounts, update: SnapshotUpdate, out: &mut impl Write) -> anyhow::Result<Exit> {
    let SnapshotCounts { same, new, different, unsupported, errors, unreferenced } = counts;
    let unsupported = if *unsupported > 0 { format!("{unsupported} unsupported, ") } else { String::new() };
    writeln!(
        out,
        "{same} as before, {different} different, {new} new, {unreferenced} unreferenced, {unsupported}{}",
        counted(*errors, "error")
    )?;
    out.flush()?;
    let is_reviewed = match update {
        SnapshotUpdate::Beside => new + different > 0,
        SnapshotUpdate::New => *different > 0,
        SnapshotUpdate::Nothing | SnapshotUpdate::Replace => false,
    };
    if is_reviewed {
        output::note("note: cargo insta review shows what is new or different");
    }
    Ok(match (errors, new + different, same) {
        (1.., ..) => Exit::Broken,
        (0, 1.., _) if update == SnapshotUpdate::New && *different == 0 => Exit::Passed,
        (0, 1.., _) if update != SnapshotUpdate::Replace => Exit::Failed,
        (0, 0, 0) => Exit::NothingRan,
        _ => Exit::Passed,
    })
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Unwritten::file(path, error).into()),
        _ => Ok(()),
    }
}

/// The text of a snapshot file, with the ends of lines that insta compares; `None` if it does not exist. Fails when
/// it is not a regular file, is too large, or is not UTF-8.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    let text = || {
        if path.is_symlink() {
            bail!("a symbolic link; expected a regular file");
        }
        let bytes = open_regular(path, Links::Refuse)?.read_at_most(MAX_BYTES)?;
        let bytes = bytes.with_context(|| format!("larger than {MAX_BYTES} bytes"))?;
        let at = |error: FromUtf8Error| error.utf8_error().valid_up_to();
        String::from_utf8(bytes).map_err(|error| anyhow!("not UTF-8, at byte {}", at(error)))
    };
    match text() {
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error.context(path.display().to_string())),
        Ok(text) => Ok(Some(if text.contains('\r') { text.replace("\r\n", "\n") } else { text })),
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The text of a snapshot after its metadata.
fn contents(snapshot: &str) -> &str {
    let rest = snapshot.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(snapshot, |(_, contents)| contents)
}

/// The file of the vector, according to the metadata. insta writes it without quotes, unless YAML requires them.
fn source_of(snapshot: &str) -> Option<String> {
    let line = snapshot.lines().nth(1)?.strip_prefix("source: ")?;
    if line.starts_with('"') { serde_json::from_str(line).ok() } else { Some(line.to_owned()) }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// The name of a snapshot: the id of its case, in which what is no letter or digit is a dash, and a hash of the id,
/// since several ids can have one such name.
fn file_name(id: &str) -> String {
    let words = id.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(MAX_NAME).collect();
    let hash = blake3::hash(id.as_bytes()).to_hex();
    format!("{name}-{}.snap", &hash[..16])
}
