//! Which settings apply to the command: the flags that were typed, and what `vmconf.toml` sets.
//!
//! The settings are the flags of `vmconf run` that have a scope in [`flags`]. Each setting of the file
//! becomes a flag before the typed arguments, unless that flag was typed. The command line therefore wins,
//! and a value is parsed and rejected in the same way in both places.

use std::any::TypeId;
use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use vmconf::run::anchor::Anchor;
use vmconf::text::config::{
    CONFIG_FILE, ConfigEntry, ConfigKind, DEFAULT, FileConfig, Override, Setting, SettingScope,
};
use vmconf::text::file_pattern::FilePattern;
use vmconf::text::shell::ShellWords;

use super::errors::UsageError;
use super::flags::{self, Flag, FlagEffect};
use super::input::read_written;
use super::output;

pub(super) const FILE: &str = CONFIG_FILE;
const VARIABLE: &str = "VMCONF_PROFILE";

/// The command whose flags are the settings.
const RUN: &str = "run";

/// Commands that work on a whole suite: `update` is `vmconf known update`. All settings apply to them. To other commands
/// apply [`PATHS`], and what determines how files are read and cases run, except for [`MACHINE`].
const SUITE_COMMANDS: &[&str] = &[RUN, "list", "check", "config", "update"];

/// The setting that names a machine in another process. Commands such as `bless` use one only if it is typed.
const MACHINE: &str = "vm";

/// The setting that says where the vectors of the project are.
const PATHS: &str = "paths";

/// Flags that have the name of a setting and another meaning: the differences that `vmconf fuzz` knows.
const NO_SETTINGS: &[(&str, &str)] = &[("fuzz", "known")];

/// The arguments that choose the configuration.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Profile of vmconf.toml that applies on top of the default one [default: $VMCONF_PROFILE]
    #[arg(long, value_name = "NAME", help_heading = "Configuration")]
    profile: Option<String>,

    /// Ignore vmconf.toml
    #[arg(long, conflicts_with = "profile", help_heading = "Configuration")]
    no_config: bool,
}

/// Which settings apply to the command.
pub(super) struct Settings {
    /// The folder that ids are relative to: that of the nearest `vmconf.toml`, else the working folder.
    pub(super) anchor: Anchor,
    /// `None` without a `vmconf.toml`, and with `--no-config`.
    pub(super) file: Option<ConfigFile>,
    /// The profile that applies; empty if no configuration is read.
    pub(super) profile: String,
    typed: Vec<TypedFlag>,
    /// The entries of the profile that apply to the command and whose flags were not typed.
    entries: Vec<ConfigEntry>,
}

/// A `vmconf.toml`.
pub(super) struct ConfigFile {
    /// Its path from the working folder.
    pub(super) shown: String,
    /// Its folder, with symbolic links resolved.
    folder: PathBuf,
    pub(super) config: FileConfig,
}

/// A flag that was typed, or named by the environment.
pub(super) struct TypedFlag {
    flag: Flag,
    /// Empty for a switch.
    pub(super) values: Vec<String>,
}

/// The files of an override, and the arguments that determine how they are read and run.
pub(super) struct OverrideArguments {
    /// The folder that matched paths are relative to, with symbolic links resolved.
    pub(super) folder: PathBuf,
    pub(super) path: FilePattern,
    pub(super) arguments: Vec<String>,
}

impl Settings {
    /// The settings for the command that was typed. `tree` is the command line that has parsed it, and `run` makes
    /// the command whose flags are the settings. Fails when `vmconf.toml` cannot be read or is wrong.
    pub(super) fn read(tree: &Command, typed: &ArgMatches, run: fn() -> Command) -> anyhow::Result<Settings> {
        let (command, typed) = innermost(tree, typed);
        let working = env::current_dir().context("the working folder")?;
        // Asked of the command, since release builds of clap find every name among the matches.
        let reads_vectors = command.get_arguments().any(|arg| arg.get_id() == "no_config");
        let is_off = reads_vectors && typed.get_flag("no_config");
        // Anything of this name counts: a link that leads nowhere is an error when it is read.
        let folder = working.ancestors().find(|it| !is_off && it.join(FILE).symlink_metadata().is_ok());
        let anchor = Anchor::at(folder.unwrap_or(&working)).context("the working folder")?;
        if !reads_vectors {
            let profile = DEFAULT.to_owned();
            return Ok(Settings { anchor, file: None, profile, typed: Vec::new(), entries: Vec::new() });
        }
        let file = folder.map(|folder| ConfigFile::read(folder, &working, &run())).transpose()?;
        let variable = env::var(VARIABLE).ok().filter(|name| !name.is_empty() && !is_off);
        let typed_flags = typed_flags(command, typed, variable.as_deref());
        let profile = typed.get_one::<String>("profile").cloned().or(variable);
        let profile = profile.unwrap_or_else(|| DEFAULT.to_owned());
        let mut settings = Settings { anchor, file, profile, typed: typed_flags, entries: Vec::new() };
        let entries = settings.profile_entries(command)?.into_iter();
        let applies =
            |entry: &ConfigEntry| !settings.is_typed(&entry.name) && takes(command, typed, &entry.name);
        settings.entries = entries.filter(applies).collect();
        Ok(settings)
    }

    /// The entries of the profile, and those of the default profile that it neither overrides nor excludes.
    fn profile_entries(&self, command: &Command) -> anyhow::Result<Vec<ConfigEntry>> {
        let Some(file) = &self.file else {
            if self.profile != DEFAULT {
                bail!("there is no {FILE} with a profile {:?}", self.profile);
            }
            return Ok(Vec::new());
        };
        let entries = file.config.profile(&self.profile);
        let [own, default] = entries.map_err(|why| anyhow::anyhow!("{}: {why}", file.shown))?;
        let applies = |entry: &&ConfigEntry| {
            !own.iter().any(|set| set.name == entry.name || are_exclusive(command, [set, entry]))
        };
        Ok(own.iter().chain(default.iter().filter(applies)).cloned().collect())
    }

    /// The arguments that `vmconf.toml` adds to the command.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &String> {
        self.entries.iter().flat_map(|entry| &entry.flags)
    }

    pub(super) fn typed(&self, name: &str) -> Option<&TypedFlag> {
        self.typed.iter().find(|typed| typed.flag.name == name)
    }

    /// Fails if a flag was typed that changes which cases run or how, for a command that `with` makes run none.
    pub(super) fn refuse_effects(&self, with: &str) -> anyhow::Result<()> {
        // What decides whether and how vmconf.toml is read is used all the same.
        let is_of_file = |name: &str| matches!(name, "profile" | "no-config");
        let has_effect =
            |typed: &&TypedFlag| typed.flag.changes != FlagEffect::Nothing && !is_of_file(typed.flag.name);
        match self.typed.iter().find(has_effect) {
            Some(typed) => bail!("--{} cannot be used with {with}, which runs nothing", typed.flag.name),
            None => Ok(()),
        }
    }

    fn is_typed(&self, name: &str) -> bool {
        self.typed(name).is_some()
    }

    /// The entry of `vmconf.toml` for a setting: that of the override, or else that for all files. `None` if
    /// the flag was typed or is not set.
    pub(super) fn entry<'s>(
        &'s self,
        name: &str,
        file_override: Option<&'s Override>,
    ) -> Option<&'s ConfigEntry> {
        let mut entries = file_override.into_iter().flat_map(|it| &it.entries).chain(&self.entries);
        entries.find(|entry| entry.name == name && !self.is_typed(name))
    }

    /// The override that applies to a file.
    pub(super) fn override_of(&self, path: &Path) -> Option<&Override> {
        let file = self.file.as_ref()?;
        let path = path.canonicalize().ok()?;
        let below = path.strip_prefix(&file.folder).ok()?;
        file.config.overrides.iter().find(|file_override| file_override.path.is_match(below))
    }

    /// Whether the value of a setting comes from `vmconf.toml`.
    pub(super) fn is_configured(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// The file that the profile names as list of known failures, for commands that do not use it; `None` if it names
    /// none.
    pub(super) fn known_of_profile(&self) -> Option<&str> {
        let profiles = self.file.as_ref()?.config.profile(&self.profile).ok()?;
        let entry = profiles.into_iter().flatten().find(|entry| entry.name == "known")?;
        Some(entry.flags.first()?.split_once('=')?.1)
    }

    /// Where `vmconf.toml` sets this flag, as file and line; `None` if it does not.
    pub(super) fn place(&self, name: &str) -> Option<String> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        Some(self.file.as_ref()?.line(entry))
    }

    /// The error with file and line if it is about a flag that `vmconf.toml` sets: it starts with the flag then.
    pub(super) fn located(&self, error: anyhow::Error) -> anyhow::Error {
        self.located_in(&self.entries, error)
    }

    /// Like [`Settings::located`], for the override with this index.
    pub(super) fn located_in_override(&self, index: usize, error: anyhow::Error) -> anyhow::Error {
        let file_override = self.file.as_ref().and_then(|file| file.config.overrides.get(index));
        self.located_in(file_override.map_or(&[][..], |it| &it.entries), error)
    }

    fn located_in(&self, entries: &[ConfigEntry], error: anyhow::Error) -> anyhow::Error {
        let text = error.to_string();
        let about = text.strip_prefix("error: ").unwrap_or(&text);
        let flag = about.split([':', ',', ' ']).next().unwrap_or_default();
        let is_flag =
            |entry: &&ConfigEntry| flags::by_name(&entry.name).is_some_and(|known| known.is_written(flag));
        let Some(entry) = entries.iter().find(is_flag) else { return error };
        let Some(place) = self.file.as_ref().map(|file| file.line(entry)) else { return error };
        match error.downcast::<UsageError>() {
            Ok(UsageError(lines)) => {
                UsageError(lines.replacen("error: ", &format!("error: {place}: "), 1)).into()
            }
            Err(other) => other.context(place),
        }
    }

    /// Which settings of `vmconf.toml` restrict the selection, to follow a note that nothing was selected; empty if
    /// none does.
    pub(super) fn restrictions(&self) -> String {
        let set =
            ["filter", "expr", "fork", "sample", "partition"].map(|name| Some((name, self.place(name)?)));
        let set = set.into_iter().flatten().map(|(name, place)| format!("; {place} sets {name}"));
        set.collect::<Vec<_>>().concat()
    }

    /// The path of the `vmconf.toml` that applies.
    pub(super) fn path(&self) -> Option<PathBuf> {
        Some(self.file.as_ref()?.folder.join(FILE))
    }

    /// The flags with this effect for a printed command: the typed ones, and of those that `vmconf.toml` sets the
    /// [`MACHINE`], which is not that of all commands. The others also apply to the printed command.
    pub(super) fn repeated(&self, changes: FlagEffect) -> ShellWords {
        let repeated = self.typed.iter().filter(|typed| typed.flag.changes == changes);
        let machine = self.entries.iter().filter(|entry| entry.name == MACHINE);
        let machine = machine.filter(|_| changes == FlagEffect::Verdicts);
        let machine = machine.flat_map(|entry| entry.flags.iter().filter_map(|flag| flag.split_once('=')));
        let machine = machine.flat_map(|(flag, name)| [flag.to_owned(), name.to_owned()]);
        repeated.flat_map(TypedFlag::words).chain(machine).collect()
    }

    /// All flags and settings that change verdicts, as text: two runs with the same text judge cases in the same way.
    pub(super) fn verdict_flags(&self) -> String {
        let changes_verdicts = |entry: &&ConfigEntry| {
            flags::by_name(&entry.name).is_some_and(|flag| flag.changes == FlagEffect::Verdicts)
        };
        let overrides = self.file.iter().flat_map(|file| &file.config.overrides);
        let overrides = overrides.map(|file_override| (file_override.path.text(), &file_override.entries));
        let mut text = self.repeated(FlagEffect::Verdicts).to_string();
        for (files, entries) in [("", &self.entries)].into_iter().chain(overrides) {
            for flag in entries.iter().filter(changes_verdicts).flat_map(|entry| &entry.flags) {
                text.extend(["\n", files, " ", flag]);
            }
        }
        text
    }

    /// The flags with which a case runs on one of the machines of `--vm`: the typed ones, except for other machines.
    pub(super) fn repeated_on(&self, vm: String) -> ShellWords {
        let is_repeated =
            |typed: &&TypedFlag| typed.flag.changes == FlagEffect::Verdicts && typed.flag.name != "vm";
        let others = self.typed.iter().filter(is_repeated).flat_map(TypedFlag::words);
        others.chain(["--vm".to_owned(), vm]).collect()
    }

    /// Where `vmconf.toml` has the override with this index, and its path as written.
    pub(super) fn place_of_override(&self, index: usize) -> Option<(String, &str)> {
        let file = self.file.as_ref()?;
        let Override { path, position, .. } = file.config.overrides.get(index)?;
        Some((format!("{}:{}:{}", file.shown, position.line, position.column), path.text()))
    }

    /// The overrides of `vmconf.toml`. For a flag that determines how files are read, the typed value takes
    /// precedence over the override, and the override over the profile.
    pub(super) fn overrides(&self) -> impl Iterator<Item = OverrideArguments> {
        let file_overrides = self.file.iter().flat_map(|file| {
            file.config.overrides.iter().map(|file_override| (file.folder.clone(), file_override))
        });
        file_overrides.map(|(folder, file_override)| OverrideArguments {
            folder,
            path: file_override.path.clone(),
            arguments: self.file_arguments(file_override),
        })
    }

    fn file_arguments(&self, file_override: &Override) -> Vec<String> {
        let is_for_files =
            |flag: Flag| flag.scope == Some(SettingScope::File) && flag.changes == FlagEffect::Verdicts;
        let typed = self.typed.iter().filter(|typed| is_for_files(typed.flag));
        let typed = typed.flat_map(TypedFlag::arguments);
        let own = file_override.entries.iter().filter(|entry| !self.is_typed(&entry.name));
        let is_overridden = |name: &str| file_override.entries.iter().any(|entry| entry.name == name);
        let others = self.entries.iter().filter(|entry| !is_overridden(&entry.name));
        let configured =
            own.chain(others).filter(|entry| flags::by_name(&entry.name).is_some_and(is_for_files));
        typed.chain(configured.flat_map(|entry| entry.flags.clone())).collect()
    }

    /// The value of a setting in each of [`Settings::overrides`], and its file and line; `None` if the override does
    /// not set it or the flag was typed.
    pub(super) fn overridden(&self, name: &str) -> Vec<Option<(&str, String)>> {
        let Some(file) = &self.file else { return Vec::new() };
        let values = file.config.overrides.iter().map(|file_override| {
            let mut entries = file_override.entries.iter().filter(|_| !self.is_typed(name));
            let entry = entries.find(|entry| entry.name == name)?;
            Some((entry.flags.first()?.split_once('=')?.1, file.line(entry)))
        });
        values.collect()
    }
}

impl TypedFlag {
    /// As words of a printed command.
    fn words(&self) -> Vec<String> {
        let word = self.flag.word();
        if self.values.is_empty() {
            return vec![word];
        }
        self.values.iter().flat_map(|value| [word.clone(), value.clone()]).collect()
    }

    /// As arguments: `--flag=value` for each value, or `--flag` for a switch.
    fn arguments(&self) -> Vec<String> {
        let name = self.flag.name;
        if self.values.is_empty() {
            return vec![format!("--{name}")];
        }
        self.values.iter().map(|value| format!("--{name}={value}")).collect()
    }
}

/// The command that was typed, below all commands that it is a part of, with its arguments.
pub(super) fn innermost<'t>(tree: &'t Command, typed: &'t ArgMatches) -> (&'t Command, &'t ArgMatches) {
    match typed.subcommand().and_then(|(name, typed)| Some((tree.find_subcommand(name)?, typed))) {
        Some((command, typed)) => innermost(command, typed),
        None => (tree, typed),
    }
}

/// The flags that were typed, in the order of the help. A profile from the environment counts as typed.
fn typed_flags(command: &Command, typed: &ArgMatches, profile: Option<&str>) -> Vec<TypedFlag> {
    let flag = |arg: &Arg| {
        let flag = flags::by_name(arg.get_long()?)?;
        let values = match profile {
            Some(profile) if flag.name == "profile" && !is_typed(typed, arg) => vec![profile.to_owned()],
            _ if !is_typed(typed, arg) => return None,
            _ if kind(arg) == ConfigKind::Switch => Vec::new(),
            _ => {
                let values = typed.get_raw(arg.get_id().as_str()).into_iter().flatten();
                values.map(|value| value.to_string_lossy().into_owned()).collect()
            }
        };
        Some(TypedFlag { flag, values })
    };
    command.get_arguments().filter_map(flag).collect()
}

/// The arguments of a command that decide which cases run and how, as text.
pub(super) fn effect_of(command: &Command, typed: &ArgMatches) -> String {
    let paths = command.get_positionals().filter_map(|arg| typed.get_raw(arg.get_id().as_str()));
    let paths = paths.flatten().map(|path| path.to_string_lossy().into_owned());
    let flags = typed_flags(command, typed, None).into_iter();
    // Of the flags that select nothing, these two decide which cases are skipped.
    let has_effect = |typed: &TypedFlag| {
        matches!(typed.flag.name, "max-fail" | "fail-fast") || typed.flag.changes != FlagEffect::Nothing
    };
    let flags = flags.filter(has_effect).flat_map(|typed| typed.words());
    let words: ShellWords = flags.chain(paths).collect();
    words.to_string()
}

fn is_typed(typed: &ArgMatches, arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    typed.try_contains_id(id).is_ok() && typed.value_source(id) == Some(ValueSource::CommandLine)
}

/// Whether a setting applies to a command, given the typed arguments.
fn takes(command: &Command, typed: &ArgMatches, name: &str) -> bool {
    let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(name)) else { return false };
    let applies_to_all = flags::by_name(name).is_some_and(|flag| {
        flag.scope == Some(SettingScope::File) || flag.changes == FlagEffect::Verdicts && name != MACHINE
    });
    let conflicts = |typed: &Arg| typed.is_exclusive_set() || exclude(command, typed, arg);
    (applies_to_all || name == PATHS || SUITE_COMMANDS.contains(&command.get_name()))
        && !NO_SETTINGS.contains(&(command.get_name(), name))
        && !command.get_arguments().filter(|arg| is_typed(typed, arg)).any(conflicts)
}

/// Whether two flags of a command exclude each other, whichever of them declares it.
fn exclude(command: &Command, one: &Arg, other: &Arg) -> bool {
    let declares = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    declares(one, other) || declares(other, one)
}

/// Whether the flags of two entries exclude each other. A switch that is off excludes nothing.
fn are_exclusive(command: &Command, entries: [&ConfigEntry; 2]) -> bool {
    let flag = |entry: &ConfigEntry| {
        let is_it = |arg: &&Arg| arg.get_long() == Some(&entry.name);
        command.get_arguments().find(is_it).filter(|_| !entry.flags.is_empty())
    };
    matches!(entries.map(flag), [Some(one), Some(other)] if exclude(command, one, other))
}

/// Every setting, with its flag. `run` is the command whose flags they are.
pub(super) fn declared(run: &Command) -> impl Iterator<Item = (Setting, &Arg)> {
    run.get_arguments().filter_map(|arg| {
        let flag = flags::by_name(arg.get_long()?)?;
        Some((Setting { name: flag.name.to_owned(), kind: kind(arg), scope: flag.scope? }, arg))
    })
}

fn kind(arg: &Arg) -> ConfigKind {
    const NUMBERS: [TypeId; 5] = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<NonZeroUsize>(),
    ];
    let of = arg.get_value_parser().type_id();
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::Count => ConfigKind::Switch,
        ArgAction::Set if of == TypeId::of::<Duration>() => ConfigKind::Duration,
        ArgAction::Append if of == TypeId::of::<PathBuf>() => ConfigKind::Files,
        _ if of == TypeId::of::<PathBuf>() => ConfigKind::File,
        ArgAction::Append => ConfigKind::Texts,
        _ if NUMBERS.iter().any(|number| of == *number) => ConfigKind::Number,
        _ => ConfigKind::Text,
    }
}

impl ConfigFile {
    /// The file and line of an entry.
    pub(super) fn line(&self, entry: &ConfigEntry) -> String {
        format!("{}:{}", self.shown, entry.position.line)
    }

    /// Reads the one in this folder, which is the working folder or above it. Every value in it has been parsed
    /// as its flag.
    fn read(folder: &Path, working: &Path, run: &Command) -> anyhow::Result<ConfigFile> {
        let up: String = working.ancestors().take_while(|it| *it != folder).map(|_| "../").collect();
        let shown = format!("{up}{FILE}");
        if !Path::new(&shown).metadata().with_context(|| shown.clone())?.is_file() {
            bail!("{shown}: not a regular file");
        }
        let text = read_written(Path::new(&shown))?;
        let settings: Vec<_> = declared(run).map(|(setting, _)| setting).collect();
        let config = FileConfig::parse(&text, Path::new(&up), &settings)
            .map_err(|diagnostics| output::one_error(&shown, &diagnostics))?;
        let folder = folder.canonicalize().with_context(|| shown.clone())?;
        let file = ConfigFile { shown, folder, config };
        file.check_values(run)?;
        Ok(file)
    }

    fn check_values(&self, run: &Command) -> anyhow::Result<()> {
        let mut run = run.clone().no_binary_name(true);
        for entries in self.config.tables() {
            for (number, entry) in entries.iter().enumerate() {
                if let Err(error) = run.try_get_matches_from_mut(&entry.flags) {
                    bail!("{}:{}: {}", self.shown, entry.position, in_one_line(&error));
                }
                if let Some(other) = entries[..number].iter().find(|it| are_exclusive(&run, [it, entry])) {
                    let (name, other) = (&entry.name, &other.name);
                    bail!("{}:{}: {name} cannot be set beside {other}", self.shown, entry.position);
                }
            }
        }
        Ok(())
    }
}

/// The message of clap in one line, without its hint to see the help.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("For more information"));
    let words: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}
