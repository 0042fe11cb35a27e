//! `vmconf config`

use std::io::Write;

use anyhow::bail;
use clap::{Arg, Args, Command};
use vmconf::model::Exit;
use vmconf::model::limits;
use vmconf::text::config::{ConfigKind, Override, Setting};

use super::output;
use super::run::RunArgs;
use super::settings::{self, FILE, Settings, TypedFlag};
use super::vm::VmArgs;

/// Print which settings apply and where each is set
///
/// Example: vmconf config
///
/// Takes the flags of `vmconf run`. Prints lines as in vmconf.toml, each with the place that sets it. With a
/// PATH, prints what applies to that file.
#[derive(Debug, Args)]
pub(super) struct ConfigSubcommand {
    #[command(flatten)]
    pub(super) run: RunArgs,
}

impl ConfigSubcommand {
    /// Prints all settings. `run` is the command whose flags they are.
    pub(super) fn run(&self, settings: &Settings, run: &Command) -> anyhow::Result<Exit> {
        let file = match self.run.select.paths() {
            [] => None,
            [file] if file.is_file() => Some(file),
            [other] => bail!("{}: there is no such file; its settings cannot be printed", other.display()),
            _ => bail!("vmconf config prints the settings of one file; name one"),
        };
        let mut out = output::stdout();
        let in_force = EffectiveSettings {
            settings,
            vm: &self.run.vm,
            file_override: file.and_then(|file| settings.override_of(file)),
        };
        writeln!(out, "{}", heading(settings))?;
        for (setting, arg) in settings::declared(run) {
            let (value, origin) = in_force.value_and_origin(&setting, arg);
            writeln!(out, "{}", line(&setting.name, &value, &origin))?;
        }
        if file.is_none() {
            write_overrides(&mut out, settings)?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

fn heading(settings: &Settings) -> String {
    match &settings.file {
        Some(file) => format!("# {}, profile {}", file.shown, settings.profile),
        None => format!("# no {FILE}"),
    }
}

fn line(name: &str, value: &str, origin: &str) -> String {
    let set = if value.is_empty() { format!("# {name}") } else { format!("{name} = {value}") };
    format!("{set:<32} # {origin}")
}

/// What decides which settings apply.
struct EffectiveSettings<'s> {
    settings: &'s Settings,
    vm: &'s VmArgs,
    /// The override that applies to the file of the command line, if one was named.
    file_override: Option<&'s Override>,
}

impl EffectiveSettings<'_> {
    fn value_and_origin(&self, setting: &Setting, arg: &Arg) -> (String, String) {
        let EffectiveSettings { settings, vm, file_override } = self;
        if let Some(typed) = settings.typed(&setting.name) {
            return (typed_value(setting.kind, typed), format!("--{}", setting.name));
        }
        if let Some((table, value)) = vm.of_table(settings, &setting.name) {
            return (value, table);
        }
        // The lists of a profile are for the machines of vmconf.
        let is_of_vmconf = setting.name == "known" && vm.is_some();
        let entry = settings.entry(&setting.name, *file_override).filter(|_| !is_of_vmconf);
        match (entry, &settings.file) {
            (Some(entry), Some(file)) => (entry.shown.clone(), file.line(entry)),
            _ => (default(setting, arg), "default".to_owned()),
        }
    }
}

fn write_overrides(out: &mut dyn Write, settings: &Settings) -> anyhow::Result<()> {
    let Some(file) = &settings.file else { return Ok(()) };
    for file_override in &file.config.overrides {
        writeln!(out, "\n[[override]]\npath = {:?}", file_override.path.text())?;
        for entry in &file_override.entries {
            let typed = settings.typed(&entry.name).map_or("", |_| ", but was typed");
            writeln!(out, "{}", line(&entry.name, &entry.shown, &format!("{}{typed}", file.line(entry))))?;
        }
    }
    Ok(())
}

/// The value of a typed flag, in the notation of `vmconf.toml`.
fn typed_value(kind: ConfigKind, typed: &TypedFlag) -> String {
    match kind {
        ConfigKind::Switch => true.to_string(),
        ConfigKind::Number => typed.values.concat(),
        ConfigKind::Text | ConfigKind::Duration | ConfigKind::File => format!("{:?}", typed.values.concat()),
        ConfigKind::Texts | ConfigKind::Files => format!("{:?}", typed.values),
    }
}

/// The default of a setting, in the notation of `vmconf.toml`; empty if it has no default value.
fn default(setting: &Setting, arg: &Arg) -> String {
    let value = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    let limit = limits::ROWS.iter().find(|row| row.flag == setting.name).map(|row| row.default.to_string());
    match setting.kind {
        ConfigKind::Switch => false.to_string(),
        ConfigKind::Texts | ConfigKind::Files => "[]".to_owned(),
        ConfigKind::Number => value.or(limit).unwrap_or_default(),
        ConfigKind::Text | ConfigKind::Duration | ConfigKind::File => {
            value.map_or(String::new(), |value| format!("{value:?}"))
        }
    }
}
