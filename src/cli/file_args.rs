//! The arguments that say how files are read and their cases run, on the command line and in the overrides
//! of `vmconf.toml`.

use std::path::Path;

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, FromArgMatches};
use clap_complete::engine::ArgValueCompleter;
use vmconf::formats::family::Family;
use vmconf::formats::{self, FORMATS, Strictness, ValueDebit};
use vmconf::machines::MACHINES;
use vmconf::model::{
    DeclaredField, FieldType, ListOrder, MemberShape, MemoryType, Path as DatumPath, PathKey, Shape, counted,
};
use vmconf::run::{Families, FileOptions, FileOverride, IgnoredField};
use vmconf::text::number::integer;
use vmconf::text::suggest::did_you_mean;

use super::enumeration::by_name;
use super::limits::LimitArgs;
use super::settings::{OverrideArguments, Settings};
use super::{candidates, families};

/// How to read files and run their cases. Each of these flags changes verdicts.
#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// Read every file as this format instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name)))]
    format: Option<String>,

    /// Read every file as this family: a NAME of vmconf family list or vmconf.toml, or a declaration FILE.toml
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "format", add = ArgValueCompleter::new(candidates::families))]
    family: Option<String>,

    /// Do not compare FIELD of the state, or a part of it such as cpu/f or ram/0x10; with MASK, ignore only the bits in MASK, such as f:0x28; repeatable
    #[arg(long, value_name = "FIELD[:MASK]", value_parser = IgnoredField::parse)]
    ignore: Vec<IgnoredField>,

    /// Treat unknown members and specification violations as errors
    #[arg(long)]
    strict: bool,

    /// Whether recorded calls subtract their value from the balance (vmtests); auto: if exec.gas is decimal
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = by_name::<ValueDebit>())]
    value_debit: ValueDebit,

    #[command(flatten)]
    limits: LimitArgs,
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
                value_debit: self.value_debit,
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

/// Whether a machine has an ignored field, and the datum in it with all bits of the mask: a typing error would compare
/// what is not to be compared, or nothing.
fn checked(
    ignored: &IgnoredField,
    family: Option<&'static Family>,
    families: &Families,
) -> anyhow::Result<()> {
    check_any(ignored, &fields_named("--ignore", ignored.field(), family, families)?)
}

/// Checks that one of these fields, which have its name, has what is ignored.
fn check_any(ignored: &IgnoredField, known: &[&MemberShape]) -> anyhow::Result<()> {
    let mut fit = known.iter().map(|known| check_datum(ignored, known));
    let first = fit.next().unwrap_or(Ok(()));
    if first.is_ok() || fit.any(|it| it.is_ok()) { Ok(()) } else { first }
}

/// Checks that a field has the ignored datum, with all bits of the mask.
fn check_datum(IgnoredField { at, mask }: &IgnoredField, known: &MemberShape) -> anyhow::Result<()> {
    let bits = match known.shape {
        Shape::Declared(field) => datum_type(field, at)?.most_bits().unwrap_or(0),
        // Which parts such a value has depends on the case.
        Shape::List(_) | Shape::Record(_) | Shape::Map(..) | Shape::Typed(_) | Shape::Plain => 0,
        _ if at.parent().is_some() => bail!("--ignore {at}: the field {} has no parts", known.name),
        Shape::Int(_) => u64::MAX,
        _ => 0,
    };
    match mask {
        Some(mask) if mask.bits() > bits => {
            bail!("--ignore: the mask {mask:#x} has bits that the field {at} does not have")
        }
        _ => Ok(()),
    }
}

/// The type of the datum at a path in a field of a family. Fails if there is no such datum.
fn datum_type(field: &'static DeclaredField, at: &DatumPath) -> anyhow::Result<&'static FieldType> {
    let keys = &at.keys()[1..];
    for (depth, key) in keys.iter().enumerate() {
        let is_in_any_order = |it: &DeclaredField| it.options.order == ListOrder::Any;
        if field.declared_at(&keys[..depth]).is_some_and(is_in_any_order) {
            bail!("--ignore {at}: the order of this list is not compared, so its items have no index");
        }
        match (field.field_type.at(&keys[..depth]).map(FieldType::present), key) {
            (Some(FieldType::Array(_, length)), PathKey::Index(index)) if index >= length => {
                bail!("--ignore {at}: the list has {}, counted from 0", counted(*length, "item"))
            }
            (
                Some(FieldType::Memory(MemoryType { address: of, .. }) | FieldType::Map(of, _)),
                PathKey::Name(key),
            ) if of.is_number() => match integer(key).filter(|number| format!("{number:#x}") == **key) {
                None => bail!("--ignore {at}: {key} is not a number as reports write it, such as 0x1234"),
                Some(number) if !of.has(&number) => {
                    bail!("--ignore {at}: {key} is no {}", of.notation())
                }
                Some(_) => {}
            },
            _ => {}
        }
    }
    field
        .field_type
        .at(keys)
        .with_context(|| format!("--ignore {at}: the field {} has no such part", field.name))
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
    check_any(ignored, &named("--ignore", ignored.field(), Some(machine), &fields)?)
}

/// Checks that a whole field of a machine is ignored: states are compared field by field.
pub(super) fn check_whole(ignored: &IgnoredField) -> anyhow::Result<()> {
    let field = ignored.field();
    if *ignored == IgnoredField::whole(field.to_owned()) {
        return Ok(());
    }
    bail!("--ignore {}: for states, only whole fields can be ignored: --ignore {field}", ignored.text())
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
