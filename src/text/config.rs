//! Parses `vmconf.toml` into settings, each with its position.
//!
//! ```toml
//! [profile.default]         # always applies
//! strict = true
//!
//! [profile.ci]              # applies with --profile ci, and wins over the default profile
//! report = ["json=result.jsonl"]
//!
//! [[override]]              # the first override whose path matches a file applies to it
//! path = "suites/old/**"
//! max-steps = 1_000_000
//!
//! [vm.py-evm]               # a machine in another process, for --vm py-evm
//! command = "python3 adapters/py-evm.py"
//!
//! [family]                  # declarations of machines that vmconf does not embed
//! toy = "families/toy.toml"
//! ```
//!
//! The caller passes the list of known settings. Values are returned as command-line flags.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::file_pattern::FilePattern;
use super::shell::split;
use super::source_text::SourceText;
use super::suggest::nearest;
use crate::model::{Diagnostic, Position};

/// The name of the file with the settings of a project.
pub const CONFIG_FILE: &str = "vmconf.toml";

/// The profile that always applies.
pub const DEFAULT: &str = "default";

/// A setting that the file may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the file, which is its flag without the dashes.
    pub name: String,
    /// The type of its value.
    pub kind: ConfigKind,
    /// Where it may appear.
    pub scope: SettingScope,
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigKind {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Number,
    /// A string.
    Text,
    /// A duration: a number of seconds, or a string with a unit.
    Duration,
    /// A string, or a list of strings.
    Texts,
    /// The path of a file, relative to the folder of the configuration.
    File,
    /// A path, or a list of paths, relative to the folder of the configuration.
    Files,
}

impl ConfigKind {
    /// The type in words, for errors.
    pub const fn doc(self) -> &'static str {
        match self {
            ConfigKind::Switch => "true or false",
            ConfigKind::Number => "a whole number",
            ConfigKind::Text => "a string",
            ConfigKind::Duration => "a number of seconds or a string like \"500ms\"",
            ConfigKind::Texts => "a list of strings",
            ConfigKind::File => "the path of a file",
            ConfigKind::Files => "a list of paths",
        }
    }
}

/// Where a setting may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingScope {
    /// In a profile: it applies to the whole run.
    Run,
    /// In a profile or in an override: it may apply to single files.
    File,
}

/// A setting with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// The name of the setting.
    pub name: String,
    /// The equivalent command-line flags; empty for a switch that is off.
    pub flags: Vec<String>,
    /// The value as written in the file.
    pub shown: String,
    /// The position of its name.
    pub position: Position,
}

/// Settings for some files.
#[derive(Debug)]
pub struct Override {
    /// Matches the paths of the files, relative to the folder of the configuration.
    pub path: FilePattern,
    /// The position of the path.
    pub position: Position,
    /// Their settings.
    pub entries: Vec<ConfigEntry>,
}

/// A machine in another process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfiguredVm {
    /// Its name.
    pub name: String,
    /// The words of the command that starts it; at least one.
    pub command: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// The folder of the configuration; the command is started there.
    pub folder: PathBuf,
    /// How long it may take per case, and how long its first answer may take: settings of its own.
    pub limits: Vec<ConfigEntry>,
    /// How much memory it may use, in bytes.
    pub memory: Option<u64>,
    /// The list of its known failures.
    pub known: Option<PathBuf>,
    /// The files and folders that its results depend on; `None` for those that its command executes.
    pub cache_key: Option<Vec<PathBuf>>,
}

impl ConfiguredVm {
    /// A limit of its own, as written in the file without quotes.
    pub fn limit(&self, name: &str) -> Option<&str> {
        let entry = self.limits.iter().find(|entry| entry.name == name)?;
        Some(entry.flags.first()?.split_once('=')?.1)
    }
}

/// A declaration of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredFamily {
    /// The name of its machine.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The position of its path.
    pub position: Position,
}

/// A parsed configuration.
#[derive(Debug, Default)]
pub struct FileConfig {
    profiles: Vec<(String, Vec<ConfigEntry>)>,
    /// The machines in other processes.
    pub vms: Vec<ConfiguredVm>,
    /// The declarations of families.
    pub families: Vec<ConfiguredFamily>,
    /// Settings for some files; the first override that matches a file applies.
    pub overrides: Vec<Override>,
}

impl FileConfig {
    /// What can be read of a configuration, without its settings; wrong entries are left out.
    pub fn parse_partly(text: &str, folder: &Path) -> FileConfig {
        let text = &SourceText::new(text);
        let mut reader = ConfigReader { text, folder, settings: &[], diagnostics: Vec::new() };
        DeTable::parse(text.as_str())
            .map_or_else(|_| FileConfig::default(), |root| reader.root(root.get_ref()))
    }

    /// Parses a configuration. `folder` is the path of its folder, relative to the working folder. An error has all
    /// errors, in the order of the text.
    pub fn parse(text: &str, folder: &Path, settings: &[Setting]) -> Result<FileConfig, Vec<Diagnostic>> {
        let text = &SourceText::new(text);
        let root = DeTable::parse(text.as_str()).map_err(|error| vec![no_toml(text, &error)])?;
        let mut reader = ConfigReader { text, folder, settings, diagnostics: Vec::new() };
        let config = reader.root(root.get_ref());
        if reader.diagnostics.is_empty() {
            return Ok(config);
        }
        reader.diagnostics.sort_by_key(|diagnostic| diagnostic.place.as_ref().map(|place| place.at));
        Err(reader.diagnostics)
    }

    /// The settings of a profile, and those of the default profile, which apply unless it overrides them. An error is
    /// the message that there is no such profile.
    pub fn profile(&self, name: &str) -> Result<[&[ConfigEntry]; 2], String> {
        let find = |name: &str| self.profiles.iter().find(|profile| profile.0 == name);
        let own = match find(name) {
            Some((_, entries)) => entries.as_slice(),
            None if name == DEFAULT => &[],
            None => return Err(self.no_profile(name)),
        };
        let default = find(DEFAULT).filter(|_| name != DEFAULT).map_or(&[][..], |default| &default.1);
        Ok([own, default])
    }

    /// The settings of each profile, override and machine.
    pub fn tables(&self) -> impl Iterator<Item = &[ConfigEntry]> {
        let of_files = self.overrides.iter().map(|file_override| &*file_override.entries);
        let of_machines = self.vms.iter().map(|vm| &*vm.limits);
        self.profiles.iter().map(|profile| &*profile.1).chain(of_files).chain(of_machines)
    }

    fn no_profile(&self, name: &str) -> String {
        let names: Vec<_> = self.profiles.iter().map(|profile| profile.0.as_str()).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => format!("there is no profile {name:?}: did you mean {near:?}?"),
            None if names.is_empty() => format!("there is no profile {name:?}, and there are no others"),
            None => format!("there is no profile {name:?}; there are {}", names.join(", ")),
        }
    }
}

/// The type of a value, with an article: `an integer`.
pub fn type_of(value: &DeValue<'_>) -> String {
    if let DeValue::Integer(number) = value {
        return number.to_string();
    }
    let name = value.type_str();
    format!("{} {name}", if name.starts_with(['a', 'i']) { "an" } else { "a" })
}

fn no_toml(text: &SourceText, error: &toml::de::Error) -> Diagnostic {
    let at = error.span().map_or(0, |span| span.start as u32);
    text.locate(Diagnostic::at(at, error.message().replace('\n', ", ")))
}

/// Continues after an error, so that all errors are reported.
struct ConfigReader<'t> {
    text: &'t SourceText,
    folder: &'t Path,
    settings: &'t [Setting],
    diagnostics: Vec<Diagnostic>,
}

impl ConfigReader<'_> {
    fn diagnostic(&mut self, span: Range<usize>, what: String) {
        self.diagnostics.push(self.text.locate(Diagnostic::at(span.start as u32, what)));
    }

    fn wrong(&mut self, value: &Spanned<DeValue<'_>>, what: &str, expected: &str) {
        let found = type_of(value.get_ref());
        self.diagnostic(value.span(), format!("{what} must be {expected}, not {found}"));
    }

    fn unknown<'k>(
        &mut self,
        key: &Spanned<impl AsRef<str>>,
        what: &str,
        known: impl Iterator<Item = &'k str>,
    ) {
        let known: Vec<_> = known.collect();
        let name = key.get_ref().as_ref();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("there are {}", known.join(", ")),
        };
        self.diagnostic(key.span(), format!("unknown {what} {name:?}: {hint}"));
    }

    /// The value as a table; `what` must be one, as `expected` says.
    fn table<'v, 'd>(
        &mut self,
        value: &'v Spanned<DeValue<'d>>,
        what: &str,
        expected: &str,
    ) -> Option<&'v DeTable<'d>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong(value, what, expected);
        }
        table
    }

    fn root(&mut self, root: &DeTable<'_>) -> FileConfig {
        let mut config = FileConfig::default();
        for (key, value) in root {
            match key.get_ref().as_ref() {
                "profile" => config.profiles = self.profiles(value),
                "override" => config.overrides = self.overrides(value),
                "vm" => config.vms = self.vms(value),
                "family" => config.families = self.families(value),
                _ => self.unknown(key, "table", ["profile", "override", "vm", "family"].into_iter()),
            }
        }
        config
    }

    fn profiles(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<(String, Vec<ConfigEntry>)> {
        let profiles = self.table(value, "profile", "a table of profiles, as [profile.ci]");
        let mut read = Vec::new();
        for (name, value) in profiles.into_iter().flatten() {
            if let Some(table) = self.table(value, "a profile", "a table, as [profile.ci]") {
                self.check_profile_name(name);
                read.push((name.get_ref().to_string(), self.entries(table, SettingScope::Run)));
            }
        }
        read
    }

    /// Reports a profile that is probably meant to be the default one, which would never apply.
    fn check_profile_name(&mut self, name: &Spanned<Cow<'_, str>>) {
        let text = name.get_ref().as_ref();
        if text != DEFAULT && nearest(text, [DEFAULT]).is_some() {
            self.diagnostic(name.span(), format!("unknown profile {text:?}; did you mean {DEFAULT:?}?"));
        }
    }

    fn vms(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<ConfiguredVm> {
        let vms = self.table(value, "vm", "a table of machines, as [vm.mine]");
        let read = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let table = self.table(value, "a machine", "a table, as [vm.mine]")?;
            self.vm(name.get_ref(), value.span(), table)
        };
        vms.into_iter().flatten().filter_map(read).collect()
    }

    fn families(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<ConfiguredFamily> {
        let families = self.table(value, "family", "a table of names and files");
        let mut read = Vec::new();
        for (name, value) in families.into_iter().flatten() {
            let file = value.get_ref().as_str().map(|file| self.folder.join(file));
            if file.is_none() {
                self.wrong(value, name.get_ref(), "the path of a declaration");
            }
            let name = name.get_ref().to_string();
            let position = self.text.position(value.span().start as u32);
            read.extend(file.map(|file| ConfiguredFamily { name, file, position }));
        }
        read
    }

    fn vm(&mut self, name: &str, span: Range<usize>, table: &DeTable<'_>) -> Option<ConfiguredVm> {
        const KEYS: [&str; 7] =
            ["command", "env", "timeout", "start-timeout", "memory", "known", "cache-key"];
        let mut vm =
            ConfiguredVm { name: name.to_owned(), folder: self.folder.to_owned(), ..ConfiguredVm::default() };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let text = || value.get_ref().as_str().map(str::to_owned);
            let expected = match name {
                "command" => match words(value.get_ref()).filter(|words| !words.is_empty()) {
                    Some(words) => {
                        vm.command = words;
                        Ok(())
                    }
                    None if value.get_ref().is_str() => {
                        let what = "the command is empty, or a quote in it is not closed";
                        self.diagnostic(value.span(), what.to_owned());
                        Ok(())
                    }
                    None => Err("a text with the command, or a list of its words"),
                },
                "env" => pairs(value.get_ref())
                    .map(|env| vm.env = env)
                    .ok_or("a table with only texts, such as { NAME = \"value\" }"),
                "timeout" | "start-timeout" => {
                    let setting = self.settings.iter().find(|setting| setting.name == name);
                    vm.limits.extend(setting.and_then(|it| self.entry(key.span(), it, value)));
                    Ok(())
                }
                "memory" => bytes(value.get_ref())
                    .filter(|memory| *memory > 0)
                    .map(|memory| vm.memory = Some(memory))
                    .ok_or("a number of bytes, at least 1"),
                "known" => {
                    text().map(|path| vm.known = Some(self.folder.join(path))).ok_or("the path of a file")
                }
                "cache-key" => texts(value.get_ref())
                    .filter(|files| !files.is_empty())
                    .map(|files| {
                        vm.cache_key = Some(files.iter().map(|file| self.folder.join(file)).collect());
                    })
                    .ok_or("a list of files and folders, at least one"),
                _ => {
                    self.unknown(key, "key", KEYS.into_iter());
                    Ok(())
                }
            };
            if let Err(expected) = expected {
                self.wrong(value, name, expected);
            }
        }
        if !table.contains_key("command") {
            self.diagnostic(span, format!("this machine has no command: [vm.{name}] must have one"));
        }
        Some(vm).filter(|vm| !vm.command.is_empty())
    }

    fn overrides(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Override> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(value, "override", "a list of tables, as [[override]]");
            return Vec::new();
        };
        let read = |value: &Spanned<DeValue<'_>>| {
            let table = self.table(value, "an override", "a table")?;
            self.one_override(value.span(), table)
        };
        list.iter().filter_map(read).collect()
    }

    fn one_override(&mut self, span: Range<usize>, table: &DeTable<'_>) -> Option<Override> {
        let entries = self.entries(table, SettingScope::File);
        let Some((_, path)) = table.iter().find(|(key, _)| key.get_ref() == PATH) else {
            self.diagnostic(span, "this override has no path".to_owned());
            return None;
        };
        let Some(glob) = path.get_ref().as_str() else {
            self.wrong(path, PATH, "a text");
            return None;
        };
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        if glob.is_empty() {
            self.diagnostic(path.span(), "an empty path matches no file".to_owned());
            return None;
        }
        match FilePattern::new(glob) {
            Ok(pattern) => {
                let position = self.text.position(path.span().start as u32);
                Some(Override { path: pattern, position, entries })
            }
            Err(error) => {
                self.diagnostic(path.span(), error.to_string());
                None
            }
        }
    }

    fn entries(&mut self, table: &DeTable<'_>, scope: SettingScope) -> Vec<ConfigEntry> {
        let settings = self.settings;
        let fits =
            move |setting: &&Setting| scope == SettingScope::Run || setting.scope == SettingScope::File;
        let path = (scope == SettingScope::File).then_some(PATH);
        let mut entries = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if path == Some(name) {
                continue;
            }
            match settings.iter().find(|setting| setting.name == name) {
                Some(setting) if fits(&setting) => entries.extend(self.entry(key.span(), setting, value)),
                Some(_) => {
                    self.diagnostic(
                        key.span(),
                        format!("{name:?} applies to a whole run: set it in a profile"),
                    );
                }
                None => {
                    let known = settings.iter().filter(fits).map(|setting| setting.name.as_str());
                    self.unknown(key, "setting", path.into_iter().chain(known));
                }
            }
        }
        entries.sort_by_key(|entry| (entry.position.line, entry.position.column));
        entries
    }

    /// The flags for the value; `None` if it has the wrong type.
    fn flags(&self, setting: &Setting, value: &DeValue<'_>) -> Option<Vec<String>> {
        let name = &setting.name;
        let text = |value: &DeValue<'_>| value.as_str().map(|text| format!("--{name}={text}"));
        let path =
            |value: &DeValue<'_>| Some(format!("--{name}={}", self.folder.join(value.as_str()?).display()));
        match (setting.kind, value) {
            (ConfigKind::Switch, DeValue::Boolean(true)) => Some(vec![format!("--{name}")]),
            (ConfigKind::Switch, DeValue::Boolean(false)) => Some(Vec::new()),
            (ConfigKind::Number | ConfigKind::Duration, DeValue::Integer(number)) => {
                Some(vec![format!("--{name}={}", decimal(number)?)])
            }
            (ConfigKind::Duration, DeValue::Float(number)) => {
                Some(vec![format!("--{name}={}", number.as_str())])
            }
            (ConfigKind::Text | ConfigKind::Texts | ConfigKind::Duration, DeValue::String(_)) => {
                Some(vec![text(value)?])
            }
            (ConfigKind::Texts, DeValue::Array(list)) => {
                list.iter().map(|value| text(value.get_ref())).collect()
            }
            (ConfigKind::File | ConfigKind::Files, DeValue::String(_)) => Some(vec![path(value)?]),
            (ConfigKind::Files, DeValue::Array(list)) => {
                list.iter().map(|value| path(value.get_ref())).collect()
            }
            _ => None,
        }
    }

    fn entry(
        &mut self,
        at: Range<usize>,
        setting: &Setting,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<ConfigEntry> {
        let Some(flags) = self.flags(setting, value.get_ref()) else {
            self.wrong(value, &setting.name, setting.kind.doc());
            return None;
        };
        Some(ConfigEntry {
            name: setting.name.clone(),
            flags,
            shown: self.text.as_str()[value.span()].to_owned(),
            position: self.text.position(at.start as u32),
        })
    }
}

/// The key in an override for the paths of its files.
const PATH: &str = "path";

fn decimal(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

/// The words of a command: a string, split as in a shell, or a list of strings.
fn words(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::String(text) => split(text),
        _ => texts(value),
    }
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let text = |text: &Spanned<DeValue<'_>>| Some(text.get_ref().as_str()?.to_owned());
    value.as_array()?.iter().map(text).collect()
}

fn pairs(value: &DeValue<'_>) -> Option<Vec<(String, String)>> {
    let pairs = value.as_table()?.iter();
    pairs
        .map(|(name, value)| Some((name.get_ref().to_string(), value.get_ref().as_str()?.to_owned())))
        .collect()
}

fn bytes(value: &DeValue<'_>) -> Option<u64> {
    match value {
        DeValue::Integer(number) => u64::try_from(decimal(number)?).ok(),
        _ => None,
    }
}
