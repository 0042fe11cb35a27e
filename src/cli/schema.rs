//! `vmconf schema`

use std::io::Write;

use anyhow::bail;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use vmconf::machines::MACHINES;
use vmconf::model::Exit;
use vmconf::text::suggest::did_you_mean;
use vmconf::wire::schema::{self, JsonSchema, RequestedMachine, SCHEMAS};

use super::errors::UsageError;
use super::offered_names::OfferedNames;
use super::settings::{ConfigArgs, Settings};
use super::{candidates, families, output};

/// Print the JSON Schema of a file that vmconf reads or writes
///
/// The name of a family, or the path of a declaration, prints the schema of its vectors. The output includes all
/// schemas that it refers to.
///
/// Example: vmconf schema tinyvm
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The schema; --list names them all
    #[arg(value_parser = OfferedNames(|| SCHEMAS.iter().map(|schema| schema.name).collect()), required_unless_present = "list",
          add = ArgValueCompleter::new(candidates::schemas))]
    name: Option<String>,

    /// List the schemas, each with a command that reads or writes such a file
    #[arg(long, conflicts_with = "name")]
    list: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

impl SchemaArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        match &self.name {
            Some(name) => match schema::by_name(name) {
                Some(JsonSchema { name: schema::PROTOCOL, .. }) => out.write_all(of_protocol().as_bytes())?,
                Some(schema) => out.write_all(schema.whole().as_bytes())?,
                None => out.write_all(of_family(name, settings)?.as_bytes())?,
            },
            None if self.list => {
                let width = |part: fn(&JsonSchema) -> &str| {
                    SCHEMAS.iter().map(|schema| part(schema).len()).max().unwrap_or(0)
                };
                let (name, command) = (width(|schema| schema.name), width(|schema| schema.command));
                for schema in SCHEMAS {
                    writeln!(out, "{:name$}  {:command$}  {}", schema.name, schema.command, schema.doc)?;
                }
                for known in families::configured(settings)?.iter() {
                    let (machine, read) = (known.family.machine, "vmconf run");
                    writeln!(out, "{machine:name$}  {read:command$}  vectors of the family {machine}")?;
                }
            }
            None => bail!("no schema given; --list names them all"),
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// The schema of the protocol, with what each embedded machine is asked for.
fn of_protocol() -> String {
    schema::protocol(MACHINES.iter().map(|machine| RequestedMachine {
        name: machine.name,
        program: machine.program,
        changes: machine.changes,
    }))
}

/// The schema of the vectors of a family.
fn of_family(name: &str, settings: &Settings) -> anyhow::Result<String> {
    let configured = families::configured(settings)?;
    if !families::is_path(name) && configured.by_name(name).is_none() {
        let machines: Vec<_> = configured.iter().map(|known| known.family.machine).collect();
        let names = SCHEMAS.iter().map(|schema| schema.name).chain(machines);
        let near = did_you_mean(name, names);
        let what =
            format!("error: there is no schema {name}{near}\ntip: vmconf schema --list names them all");
        return Err(UsageError(what).into());
    }
    let (family, _) = families::named(name, &configured)?;
    Ok(format!("{:#}\n", family.json_schema()))
}
