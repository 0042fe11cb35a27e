//! `vmconf schema`

use std::io::Write;

use anyhow::bail;
use clap::Args;
use vmconf::model::exit::Exit;
use vmconf::wire::schema::{self, SCHEMAS};

use super::output;

/// Print a JSON Schema of what vmconf reads or writes
///
/// Example: vmconf schema tinyvm
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// Which one; --list names them
    #[arg(value_parser = schema_argument, required_unless_present = "list")]
    name: Option<&'static schema::Schema>,

    /// List the schemas, each with a command that reads or writes such data
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

fn schema_argument(name: &str) -> Result<&'static schema::Schema, String> {
    let names: Vec<_> = SCHEMAS.iter().map(|schema| schema.name).collect();
    schema::by_name(name).ok_or_else(|| format!("no such schema; there are {}", names.join(", ")))
}

impl Schema {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        match self.name {
            Some(schema) => out.write_all(schema.text.as_bytes())?,
            None if self.list => {
                let width = |part: fn(&schema::Schema) -> &str| {
                    SCHEMAS.iter().map(|schema| part(schema).len()).max().unwrap_or(0)
                };
                let (name, command) = (width(|schema| schema.name), width(|schema| schema.command));
                for schema in SCHEMAS {
                    writeln!(out, "{:name$}  {:command$}  {}", schema.name, schema.command, schema.doc)?;
                }
            }
            None => bail!("which schema?"),
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}
