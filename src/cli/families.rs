//! The families that files are read by: the built-in ones, those of `[family]` in `vmconf.toml`, and `--family`.

use std::path::Path;

use anyhow::bail;
use vmconf::formats::family::Family;
use vmconf::machines::{self, MACHINES, MachineInfo};
use vmconf::model::Diagnostic;
use vmconf::prove::suite::VectorSuite;
use vmconf::run::anchor::Anchor;
use vmconf::run::families::not_embedded;
use vmconf::run::{Families, FamilyMachine};
use vmconf::text::file_name::with_slashes;
use vmconf::text::source_text::SourceText;
use vmconf::text::suggest::nearest;

use super::input::read_written;
use super::output;
use super::settings::{FILE, Settings};

/// The built-in families and those of `vmconf.toml`. Fails when a declaration cannot be read or is wrong.
pub(super) fn configured(settings: &Settings) -> anyhow::Result<Families> {
    let configured =
        settings.file.iter().flat_map(|file| file.config.families.iter().map(move |it| (file, it)));
    let mut families = Families::default();
    for (config, declared) in configured {
        if let Err(error) = declared.file.metadata() {
            bail!("{}:{}: {}: {error}", config.shown, declared.position, declared.file.display());
        }
        let family = install(&declared.file)?;
        if family.machine != declared.name {
            let file = declared.file.display();
            bail!(
                "[family] in {FILE}: {file} declares the machine {}, not {}",
                family.machine,
                declared.name
            );
        }
        families = families.with(family).map_err(anyhow::Error::msg)?;
    }
    Ok(families)
}

/// The declarations that `vmconf.toml` names.
pub(super) fn declarations(settings: &Settings) -> impl Iterator<Item = &Path> {
    settings.file.iter().flat_map(|file| &file.config.families).map(|declared| &*declared.file)
}

/// The family that `--family` names, and all families with it. An argument with a slash or with the ending `.toml` is
/// a file, any other a name. Fails when there is none of this name, or its declaration cannot be read or is wrong.
pub(super) fn named(argument: &str, families: &Families) -> anyhow::Result<(&'static Family, Families)> {
    if is_path(argument) {
        let family = install(Path::new(argument))?;
        return Ok((family, families.with(family).map_err(anyhow::Error::msg)?));
    }
    if let Some(known) = families.by_name(argument) {
        return Ok((known.family, families.clone()));
    }
    let names: Vec<_> = families.iter().map(|known| known.family.machine).collect();
    match nearest(argument, names.iter().copied()) {
        Some(near) => bail!("--family: there is no family {argument}; did you mean {near}?"),
        None => bail!(
            "--family: there is no family {argument}; there are {}, or the path of a file",
            names.join(", ")
        ),
    }
}

/// What the name of a machine stands for.
pub(super) enum NamedMachine {
    /// A machine that vmconf embeds.
    Embedded(&'static MachineInfo),
    /// The machine of a family.
    Family(FamilyMachine),
}

/// The machine of this name, embedded or of one of these families. Fails when there is none.
pub(super) fn machine(name: &str, families: &Families) -> anyhow::Result<NamedMachine> {
    if let Some(machine) = machines::by_name(name) {
        return Ok(NamedMachine::Embedded(machine));
    }
    if let Some(family) = families.by_name(name) {
        return Ok(NamedMachine::Family(family));
    }
    let all: Vec<_> = embedded_names().chain(families.iter().map(|known| known.family.machine)).collect();
    Err(no_machine(name, families, &all))
}

/// The error for a machine that does not exist. It suggests the machine with the nearest name, or lists the
/// `accepted` ones.
fn no_machine(name: &str, families: &Families, accepted: &[&str]) -> anyhow::Error {
    let all = embedded_names().chain(families.iter().map(|known| known.family.machine));
    let expected = match nearest(name, all) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", accepted.join(", ")),
    };
    anyhow::anyhow!("there is no machine {name:?}; {expected}")
}

fn embedded_names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|machine| machine.name)
}

/// The machine of this name, whose instructions a command needs. Fails when there is none, or a family describes it.
pub(super) fn embedded(name: &str, settings: &Settings) -> anyhow::Result<&'static MachineInfo> {
    // For an embedded machine, no declarations are needed.
    if let Some(machine) = machines::by_name(name) {
        return Ok(machine);
    }
    let families = configured(settings)?;
    if families.by_name(name).is_some() {
        bail!("{name}: {NO_INSTRUCTIONS}");
    }
    Err(no_machine(name, &families, &embedded_names().collect::<Vec<_>>()))
}

/// Whether an argument is the path of a declaration, and not the name of a family.
pub(super) fn is_path(argument: &str) -> bool {
    argument.contains('/') || Path::new(argument).extension().is_some_and(|ending| ending == "toml")
}

/// Reports the families whose cases are left out, since they have no instructions.
pub(super) fn note_left_out(suite: &VectorSuite) {
    for name in &suite.families {
        note!("note: cases of {name} are left out: {NO_INSTRUCTIONS}");
    }
}

/// The note about fields of generated states that some machine does not report.
pub(super) fn not_compared(fields: &[&str]) -> String {
    format!("note: {}: not compared, since some machine does not report it", fields.join(", "))
}

/// Why a command that is about instructions does nothing for a family.
pub(super) const NO_INSTRUCTIONS: &str =
    "a family has no instructions, since vmconf does not embed its machine";

/// Reads a declaration. Fails when it cannot be read or is wrong, or vmconf embeds its machine; all faults but the
/// last one are printed.
pub(super) fn install(file: &Path) -> anyhow::Result<&'static Family> {
    let text = read_written(file)?;
    let wrong = |diagnostics: Vec<Diagnostic>| output::one_error(&file.display().to_string(), &diagnostics);
    let folder = file.canonicalize().ok().and_then(|file| Some(with_slashes(file.parent()?)));
    let family = Family::install_from(&text, folder).map_err(wrong)?;
    not_embedded(family.machine).map_err(|why| {
        let fault = Diagnostic::at(family.machine_at, why);
        wrong(vec![SourceText::new(&text).locate(fault)])
    })?;
    Ok(family)
}

/// Checks that the files which a command writes to a folder are read by the declaration.
pub(super) fn check_folder(family: &Family, folder: &Path, anchor: &Anchor) -> anyhow::Result<()> {
    let file = format!("{}/0.json", anchor.name(folder));
    family.reads_written(&file).map_err(|globs| {
        let (folder, machine) = (folder.display(), family.machine);
        anyhow::anyhow!("{folder}: vectors of {machine} are read only from files that match {globs}")
    })
}
