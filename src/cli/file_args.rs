//! The arguments that say how files are read and their cases run, on the command line and in the overrides
//! of `vmconf.toml`.

use std::path::Path;

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, FromArgMatches, ValueEnum};
use vmconf::formats::family::Family;
use vmconf::formats::{self, FORMATS, Strictness, ValueDebit};
use vmconf::machines::MACHINES;
use vmconf::model::{MemberShape, Shape};
use vmconf::run::{Families, FileOptions, FileOverride, IgnoredField};
use vmconf::text::suggest::did_you_mean;

use super::families;
use super::limits::LimitArgs;
use super::settings::{OverrideArguments, Settings};

/// How to read files and run their cases. Each of these flags changes verdicts.
#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// Read every file as this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name)))]
    format: Option<String>,

    /// Read every file as this family: a NAME of vmconf family list or vmconf.toml, or a declaration FILE.toml
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "format")]
    family: Option<String>,

    /// Do not compare FIELD of the state; with MASK, ignore only the bits in MASK, such as f:0x28; repeatable
    #[arg(long, value_name = "FIELD[:MASK]", value_parser = IgnoredField::parse)]
    ignore: Vec<IgnoredField>,

    /// Treat unknown members and specification violations as errors
    #[arg(long)]
    strict: bool,

    /// Whether recorded calls subtract their value from the balance (vmtests); auto: if exec.gas is decimal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    value_debit: When,

    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    On,
    Off,
}

impl FileArgs {
    /// The options of a file to which these arguments apply, without a list of known failures. Fails when the
    /// family is not known, or its declaration is wrong.
    pub(super) fn options(&self, families: &Families) -> anyhow::Result<FileOptions> {
        let named = self.family.as_deref().map(|family| families::named(family, families)).transpose()?;
        let (family, families) =
            named.map_or_else(|| (None, families.clone()), |(family, all)| (Some(family), all));
        self.ignore.iter().try_for_each(|ignored| checked(ignored, family, &families))?;
        Ok(FileOptions {
            family,
            families,
            ignored: IgnoredField::distinct(&self.ignore),
            format: self.format.as_deref().and_then(formats::by_name),
            read: formats::FormatOptions {
                strictness: if self.strict { Strictness::Strict } else { Strictness::Tolerant },
                value_debit: match self.value_debit {
                    When::Auto => ValueDebit::Auto,
                    When::On => ValueDebit::On,
                    When::Off => ValueDebit::Off,
                },
            },
            limits: self.limits.0.clone(),
            known_failures: None,
        })
    }

    /// The declaration of a family that these arguments name.
    pub(super) fn declaration(&self) -> Option<&Path> {
        self.family.as_deref().filter(|family| families::is_path(family)).map(Path::new)
    }

    /// A command with only these arguments, which expects no program name.
    fn command() -> Command {
        FileArgs::augment_args(Command::new("vmconf").no_binary_name(true))
    }
}

/// Whether a machine has an ignored field, with all bits of the mask: a typing error would compare what is not to be
/// compared, or nothing.
fn checked(
    ignored: &IgnoredField,
    family: Option<&'static Family>,
    families: &Families,
) -> anyhow::Result<()> {
    let known = fields_named("--ignore", &ignored.field, family, families)?;
    check_mask(ignored, &known)
}

/// Checks that one of these fields has all bits of the mask.
fn check_mask(ignored: &IgnoredField, known: &[&MemberShape]) -> anyhow::Result<()> {
    let IgnoredField { field, mask } = ignored;
    let Some(mask) = mask else { return Ok(()) };
    let has_bits = |known: &MemberShape| match known.shape {
        Shape::Declared(declared) => declared.field_type.most_bits().is_some_and(|bits| mask.bits() <= bits),
        Shape::Int(_) => true,
        _ => false,
    };
    if !known.iter().any(|known| has_bits(known)) {
        bail!("--ignore: the mask {mask:#x} has bits that the field {field} does not have");
    }
    Ok(())
}

/// The fields with this name: of the machine of a family if there is one, else of any machine. Fails when there is
/// none; `flag` is the one that names it.
pub(super) fn fields_named(
    flag: &str,
    field: &str,
    family: Option<&'static Family>,
    families: &Families,
) -> anyhow::Result<Vec<&'static MemberShape>> {
    let embedded = MACHINES.iter().flat_map(|machine| machine.fields).filter(|_| family.is_none());
    let declared = families.iter().map(|known| known.family);
    let declared = declared.filter(|it| family.is_none_or(|family| family.machine == it.machine));
    let fields: Vec<_> = embedded.chain(declared.flat_map(|family| family.fields)).collect();
    named(flag, field, family.map(|family| family.machine), &fields)
}

/// Checks that a machine has an ignored field, with all bits of the mask.
pub(super) fn check_ignored(
    ignored: &IgnoredField,
    machine: &str,
    fields: &'static [MemberShape],
) -> anyhow::Result<()> {
    let fields: Vec<_> = fields.iter().collect();
    check_mask(ignored, &named("--ignore", &ignored.field, Some(machine), &fields)?)
}

/// Those of the fields of a machine, or of all machines, that have this name.
fn named(
    flag: &str,
    field: &str,
    machine: Option<&str>,
    fields: &[&'static MemberShape],
) -> anyhow::Result<Vec<&'static MemberShape>> {
    let known: Vec<_> = fields.iter().copied().filter(|known| known.name == field).collect();
    if known.is_empty() {
        let names = || fields.iter().map(|known| known.name);
        let near = did_you_mean(field, names());
        match machine {
            Some(machine) => {
                let names = names().collect::<Vec<_>>().join(", ");
                bail!("{flag}: {machine} has no field {field:?}{near}; it has {names}")
            }
            None => bail!("{flag}: no machine has a field {field:?}{near}; --family names the machine"),
        }
    }
    Ok(known)
}

/// The overrides of `vmconf.toml`. Fails when a flag rejects its value, or a family is not known or wrong.
pub(super) fn overrides(settings: &Settings, families: &Families) -> anyhow::Result<Vec<FileOverride>> {
    let file_override = |OverrideArguments { folder, path, arguments }| {
        let matches = FileArgs::command().try_get_matches_from(arguments)?;
        Ok(FileOverride { folder, path, options: FileArgs::from_arg_matches(&matches)?.options(families)? })
    };
    let all = settings.overrides().enumerate();
    let located = |index, error| settings.located_in_override(index, error);
    all.map(|(index, it)| file_override(it).map_err(|error| located(index, error))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::collections::BTreeSet;

    use clap::{ArgAction, Args, FromArgMatches};
    use vmconf::formats::FORMATS;
    use vmconf::run::cache::FileKey;
    use vmconf::run::{Families, RunOptions};
    use vmconf::text::config::SettingScope;

    use super::FileArgs;
    use crate::cli::flags::{self, FlagEffect};

    /// The cache key of a file read with this argument.
    fn key(argument: Option<String>) -> FileKey {
        let matches = FileArgs::command().try_get_matches_from(argument).unwrap();
        let options = FileArgs::from_arg_matches(&matches).unwrap().options(&Families::default()).unwrap();
        let of_family = options.family.and_then(|family| family.formats().next());
        let format = options.format.or(of_family).unwrap_or(&FORMATS[0]);
        RunOptions::default().file_key("", format, &options)
    }

    #[test]
    fn every_flag_is_part_of_the_cache_key() {
        for arg in FileArgs::augment_args(clap::Command::new("")).get_arguments() {
            let name = arg.get_long().unwrap();
            let argument = match (arg.get_action(), arg.get_possible_values().last()) {
                (ArgAction::SetTrue, _) => format!("--{name}"),
                (_, Some(value)) => format!("--{name}={}", value.get_name()),
                (_, None) if name == "family" => "--family=z80".to_owned(),
                (_, None) if name == "ignore" => "--ignore=pc".to_owned(),
                (_, None) => format!("--{name}=7"),
            };
            assert_ne!(key(Some(argument)), key(None), "--{name}");
        }
    }

    #[test]
    fn the_flags_are_those_that_change_verdicts_of_files() {
        let command = FileArgs::command();
        let declared: BTreeSet<_> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        let rows = flags::all()
            .filter(|flag| (flag.scope, flag.changes) == (Some(SettingScope::File), FlagEffect::Verdicts));
        assert_eq!(declared, rows.map(|flag| flag.name).collect());
    }
}
