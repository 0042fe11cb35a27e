//! The configuration of this process: which settings there are, what `vmconf.toml` and the command
//! line say of them, and `vmconf config`.
//!
//! The settings are the flags of `vmconf run`. What a file sets is put in front of what was typed,
//! as the flags that it stands for, unless it was typed: so the command line wins, and a value is
//! read and refused in one way, wherever it stands.

use std::any::TypeId;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use vmconf::model::diagnostic::Diagnostic;
use vmconf::model::exit::Exit;
use vmconf::model::limits;
use vmconf::run::{FileOptions, FileOverride};
use vmconf::text::config::{Config as File, DEFAULT, Entry, Kind, Override, Scope, Setting};
use vmconf::text::shell::Words;

use super::output;
use super::run::Run;
use super::select::Select;

const FILE: &str = "vmconf.toml";
const VARIABLE: &str = "VMCONF_PROFILE";

/// Flags of `run` that are for one call alone.
const NOT_SETTINGS: &[&str] = &["profile", "no-config", "help", "verbose", "rerun", "seed", "today", "watch"];

/// Settings, besides the limits, that say how a file is read: they can be set for some files, and
/// apply to every command that reads vectors. The others apply where a whole suite is meant.
const OF_FILES: &[&str] = &["format", "strict", "value-debit", "known"];

/// Commands that a whole suite is meant for.
const OF_SUITES: &[&str] = &["run", "list", "config"];

/// Which configuration applies.
#[derive(Debug, Clone, Args)]
pub(super) struct Choice {
    /// Apply this profile of vmconf.toml besides the default one [default: $VMCONF_PROFILE]
    #[arg(long, value_name = "NAME", help_heading = "Configuration")]
    profile: Option<String>,

    /// Apply no vmconf.toml
    #[arg(long, conflicts_with = "profile", help_heading = "Configuration")]
    no_config: bool,
}

/// The flags of `run`, as it is typed without a configuration.
fn command() -> Command {
    let mut command = Run::augment_args(Command::new("vmconf").no_binary_name(true));
    command.build();
    command
}

/// Every setting, with the flag that it is.
fn settings(command: &Command) -> Vec<(Setting, &Arg)> {
    let setting = |arg| Some((setting(arg)?, arg));
    command.get_arguments().filter_map(setting).collect()
}

fn setting(arg: &Arg) -> Option<Setting> {
    let name = arg.get_long().filter(|name| !NOT_SETTINGS.contains(name))?;
    Some(Setting {
        name: name.to_owned(),
        kind: kind(arg),
        doc: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        scope: if is_of_files(name) { Scope::File } else { Scope::Run },
    })
}

fn is_of_files(name: &str) -> bool {
    OF_FILES.contains(&name) || limits::ROWS.iter().any(|row| row.flag == name)
}

fn kind(arg: &Arg) -> Kind {
    const NUMBERS: [TypeId; 4] =
        [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    let of = arg.get_value_parser().type_id();
    match arg.get_action() {
        ArgAction::SetTrue => Kind::Switch,
        _ if of == TypeId::of::<PathBuf>() => Kind::File,
        ArgAction::Append => Kind::Texts,
        _ if NUMBERS.iter().any(|number| of == *number) => Kind::Number,
        _ => Kind::Text,
    }
}

/// A configuration that was found.
struct Found {
    /// How it is named to the user.
    shown: String,
    folder: PathBuf,
    file: File,
}

impl Found {
    /// The one in the working folder, or in the nearest folder above that has one.
    fn search(settings: &[Setting]) -> anyhow::Result<Option<Found>> {
        let working = env::current_dir().context("the working folder")?;
        let Some((above, folder)) =
            working.ancestors().enumerate().find(|(_, folder)| folder.join(FILE).is_file())
        else {
            return Ok(None);
        };
        let up = "../".repeat(above);
        let shown = format!("{up}{FILE}");
        let text = fs::read_to_string(folder.join(FILE)).with_context(|| shown.clone())?;
        let file =
            File::parse(&text, Path::new(&up), settings).map_err(|diagnostics| all(&shown, &diagnostics))?;
        let folder = folder.canonicalize().with_context(|| shown.clone())?;
        Ok(Some(Found { shown, folder, file }))
    }

    /// What the chosen profile sets.
    fn profile(&self, choice: &str) -> anyhow::Result<Vec<&Entry>> {
        self.file.profile(choice).map_err(|why| anyhow::anyhow!("{}: {why}", self.shown))
    }

    /// Each value, tried as its flag.
    fn check<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> anyhow::Result<()> {
        for entry in entries {
            if let Err(error) = command().try_get_matches_from(&entry.flags) {
                bail!("{}:{}: {}", self.shown, entry.position, in_one_line(&error));
            }
        }
        Ok(())
    }
}

/// All that is wrong, as one error.
fn all(file: &str, diagnostics: &[Diagnostic]) -> anyhow::Error {
    let lines: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.located(file)).collect();
    for line in &lines[..lines.len() - 1] {
        output::note(&format!("error: {line}"));
    }
    anyhow::anyhow!("{}", lines[lines.len() - 1])
}

/// What clap says, without the hint at the help.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("For more information"));
    let words: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// What applies to the command of this process.
struct Active {
    /// None where there is none, or none is wanted.
    found: Option<Found>,
    is_off: bool,
    profile: String,
    /// What was typed, by setting: the flags.
    typed: Vec<(String, Vec<String>)>,
    /// What the file sets and was not typed.
    entries: Vec<Entry>,
}

/// The command line is one, and so is what it is read with.
static ACTIVE: OnceLock<Active> = OnceLock::new();

/// Whether a command is one that reads vectors, and so the configuration.
pub(super) fn is_read_by(typed: &ArgMatches) -> bool {
    // That a command has no such flag is an error only where clap is built with its own checks. A flag has
    // a value, typed or not.
    matches!(typed.try_contains_id("no_config"), Ok(true))
}

/// The flags that the configuration adds to a command that reads vectors.
///
/// # Errors
///
/// When the configuration cannot be read or is wrong.
pub(super) fn added(command: &Command, typed: &ArgMatches) -> anyhow::Result<Vec<String>> {
    let run = self::command();
    let settings = settings(&run);
    let is_off = typed.get_flag("no_config");
    let listed: Vec<_> = settings.iter().map(|(setting, _)| setting.clone()).collect();
    let found = if is_off { None } else { Found::search(&listed)? };
    let asked = typed.get_one::<String>("profile").cloned();
    let asked = asked.or_else(|| env::var(VARIABLE).ok().filter(|name| !name.is_empty() && !is_off));
    let profile = asked.unwrap_or_else(|| DEFAULT.to_owned());
    let typed_flags: Vec<_> =
        settings.iter().filter_map(|(setting, arg)| as_typed(setting, arg, typed)).collect();
    let was_typed = |name: &str| typed_flags.iter().any(|typed| typed.0 == name);
    let entries = from_file(found.as_ref(), &profile)?.into_iter();
    let entries = entries.filter(|entry| !was_typed(&entry.name) && takes(command, typed, &entry.name));
    let entries = entries.collect();
    let active = ACTIVE.get_or_init(|| Active { found, is_off, profile, typed: typed_flags, entries });
    Ok(active.entries.iter().flat_map(|entry| entry.flags.clone()).collect())
}

/// What the profile sets. All that the file sets besides is tried too.
fn from_file(found: Option<&Found>, profile: &str) -> anyhow::Result<Vec<Entry>> {
    let Some(found) = found else {
        if profile != DEFAULT {
            bail!("there is no {FILE} with a profile {profile:?}");
        }
        return Ok(Vec::new());
    };
    found.check(found.file.entries())?;
    Ok(found.profile(profile)?.into_iter().cloned().collect())
}

/// The flags of a setting that were typed; none where it was not.
fn as_typed(setting: &Setting, arg: &Arg, typed: &ArgMatches) -> Option<(String, Vec<String>)> {
    let (name, id) = (&setting.name, arg.get_id().as_str());
    if typed.try_contains_id(id).is_err() || typed.value_source(id) != Some(ValueSource::CommandLine) {
        return None;
    }
    let flags = match setting.kind {
        Kind::Switch => vec![format!("--{name}")],
        Kind::Number | Kind::Text | Kind::Texts | Kind::File => {
            let raw = typed.get_raw(id).into_iter().flatten();
            raw.map(|value| format!("--{name}={}", value.to_string_lossy())).collect()
        }
    };
    Some((name.clone(), flags))
}

/// Whether a setting means something to a command beside what was typed.
fn takes(command: &Command, typed: &ArgMatches, name: &str) -> bool {
    let Some(flag) = command.get_arguments().find(|arg| arg.get_long() == Some(name)) else { return false };
    let was_typed = |arg: &&Arg| typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let conflicts = |arg: &Arg| {
        arg.is_exclusive_set()
            || command.get_arg_conflicts_with(arg).iter().any(|other| other.get_id() == flag.get_id())
    };
    (is_of_files(name) || OF_SUITES.contains(&command.get_name()))
        && !command.get_arguments().filter(was_typed).any(conflicts)
}

impl Active {
    fn is_typed(&self, name: &str) -> bool {
        self.typed.iter().any(|typed| typed.0 == name)
    }

    /// The flags of [`Select`] for the files of an override: what was typed, then what it sets, then
    /// what the profile sets.
    fn flags(&self, special: &Override) -> Vec<String> {
        let is_special = |name: &str| special.entries.iter().any(|entry| entry.name == name);
        let own = special.entries.iter().filter(|entry| !self.is_typed(&entry.name));
        let other = self.entries.iter().filter(|entry| !is_special(&entry.name));
        let typed = self.typed.iter().flat_map(|typed| &typed.1);
        let select = Select::augment_args(Command::new("vmconf"));
        let is_known = |flag: &&String| {
            let name = flag.trim_start_matches("--").split('=').next();
            select.get_arguments().any(|arg| arg.get_long() == name)
        };
        typed.chain(own.chain(other).flat_map(|entry| &entry.flags)).filter(is_known).cloned().collect()
    }
}

/// Whether a setting is what the configuration says.
pub(super) fn sets(name: &str) -> bool {
    ACTIVE.get().is_some_and(|active| active.entries.iter().any(|entry| entry.name == name))
}

/// The file that applies, if there is one.
pub(super) fn file() -> Option<PathBuf> {
    Some(ACTIVE.get()?.found.as_ref()?.folder.join(FILE))
}

/// What each override, in the order of [`exceptions`], sets a setting to, as on the command line; none
/// where it sets nothing, or where the setting was typed.
pub(super) fn overridden(name: &str) -> Vec<Option<String>> {
    let Some(active) = ACTIVE.get() else { return Vec::new() };
    let Some(found) = &active.found else { return Vec::new() };
    let value = |special: &Override| {
        let entry = special.entries.iter().find(|entry| entry.name == name && !active.is_typed(name))?;
        Some(entry.flags.first()?.split_once('=')?.1.to_owned())
    };
    found.file.overrides.iter().map(value).collect()
}

/// The flag that chooses the same configuration, where that needs one.
pub(super) fn chosen() -> Words {
    let Some(active) = ACTIVE.get() else { return Words::default() };
    match active.found {
        None if active.is_off => Words::from_iter(["--no-config"]),
        Some(_) if active.profile != DEFAULT => Words::from_iter(["--profile", &active.profile]),
        _ => Words::default(),
    }
}

/// The files for which the configuration has something special, and how they are read.
///
/// # Errors
///
/// When that is not possible, such as a filter that is none.
pub(super) fn overrides(options: impl Fn(&Select) -> FileOptions) -> anyhow::Result<Vec<FileOverride>> {
    let Some(active) = ACTIVE.get() else { return Ok(Vec::new()) };
    let Some(found) = &active.found else { return Ok(Vec::new()) };
    let file_override = |special: &Override| {
        let command = Select::augment_args(Command::new("vmconf").no_binary_name(true));
        let matches = command.try_get_matches_from(active.flags(special))?;
        let options = options(&Select::from_arg_matches(&matches)?);
        Ok(FileOverride { folder: found.folder.clone(), path: special.path.clone(), options })
    };
    found.file.overrides.iter().map(file_override).collect()
}

/// Print which settings apply, and where each is set
///
/// Example: vmconf config
///
/// Takes the flags of `vmconf run`. Each line is one of vmconf.toml, and behind it stands where it is
/// set. With a PATH, what applies to that file.
#[derive(Debug, Args)]
pub(super) struct Config {
    #[command(flatten)]
    run: Run,
}

impl Config {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let Some(active) = ACTIVE.get() else { return Ok(Exit::Usage) };
        let mut out = output::stdout();
        let of_file = self.run.paths().first().and_then(|path| active.override_of(path));
        writeln!(out, "{}", active.heading())?;
        for (setting, arg) in settings(&command()) {
            let (value, from) = active.origin(&setting, arg, of_file);
            writeln!(out, "{}", line(&setting.name, &value, &from))?;
        }
        if self.run.paths().is_empty() {
            active.overrides(&mut out)?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

fn line(name: &str, value: &str, from: &str) -> String {
    let set = if value.is_empty() { format!("# {name}") } else { format!("{name} = {value}") };
    format!("{set:<32} # {from}")
}

impl Active {
    fn heading(&self) -> String {
        match &self.found {
            Some(found) => format!("# {}, profile {}", found.shown, self.profile),
            None => format!("# no {FILE}"),
        }
    }

    /// What a setting is and where it is set.
    fn origin(&self, setting: &Setting, arg: &Arg, special: Option<&Override>) -> (String, String) {
        if let Some((_, flags)) = self.typed.iter().find(|typed| typed.0 == setting.name) {
            return (shown(setting.kind, flags), format!("--{}", setting.name));
        }
        let mut entries = special.iter().flat_map(|it| &it.entries).chain(&self.entries);
        match (entries.find(|entry| entry.name == setting.name), &self.found) {
            (Some(entry), Some(found)) => (entry.shown.clone(), found.line(entry)),
            _ => (default(setting, arg), "default".to_owned()),
        }
    }

    fn override_of(&self, path: &Path) -> Option<&Override> {
        let found = self.found.as_ref()?;
        let path = path.canonicalize().ok()?;
        let below = path.strip_prefix(&found.folder).ok()?;
        found.file.overrides.iter().find(|special| special.path.is_match(below))
    }

    fn overrides(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(found) = &self.found else { return Ok(()) };
        for special in &found.file.overrides {
            writeln!(out, "\n[[override]]\npath = {:?}", special.path.glob().glob())?;
            for entry in &special.entries {
                let over = if self.is_typed(&entry.name) { ", but was typed" } else { "" };
                let from = format!("{}{over}", found.line(entry));
                writeln!(out, "{}", line(&entry.name, &entry.shown, &from))?;
            }
        }
        Ok(())
    }
}

impl Found {
    fn line(&self, entry: &Entry) -> String {
        format!("{}:{}", self.shown, entry.position.line)
    }
}

/// What was typed, as the file would have it.
fn shown(kind: Kind, flags: &[String]) -> String {
    let values: Vec<_> = flags.iter().map(|flag| flag.split_once('=').map_or("true", |it| it.1)).collect();
    match kind {
        Kind::Switch | Kind::Number => values.concat(),
        Kind::Text | Kind::File => format!("{:?}", values.concat()),
        Kind::Texts => format!("{values:?}"),
    }
}

/// What a setting is when nobody sets it; empty if there is no value that says so.
fn default(setting: &Setting, arg: &Arg) -> String {
    let values = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    let limit = limits::ROWS.iter().find(|row| row.flag == setting.name).map(|row| row.default.to_string());
    match setting.kind {
        Kind::Switch => false.to_string(),
        Kind::Texts => "[]".to_owned(),
        Kind::Number => values.or(limit).unwrap_or_default(),
        Kind::Text | Kind::File => values.map_or(String::new(), |value| format!("{value:?}")),
    }
}
