//! `vmconf schema`

use std::io::Write;

use anyhow::bail;
use clap::Args;
use vmconf::model::exit_code::Exit;
use vmconf::wire::schema::{self, SCHEMAS};

use super::output;
use super::program::names;

/// Print the JSON Schema of a file that vmconf reads or writes
///
/// Example: vmconf schema tinyvm
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The schema; --list names them all
    #[arg(value_parser = names(SCHEMAS, |schema| schema.name), required_unless_present = "list")]
    name: Option<&'static schema::JsonSchema>,

    /// List the schemas, each with a command that reads or writes such a file
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

impl SchemaArgs {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        match self.name {
            Some(schema) => out.write_all(schema.text.as_bytes())?,
            None if self.list => {
                let width = |part: fn(&schema::JsonSchema) -> &str| {
                    SCHEMAS.iter().map(|schema| part(schema).len()).max().unwrap_or(0)
                };
                let (name, command) = (width(|schema| schema.name), width(|schema| schema.command));
                for schema in SCHEMAS {
                    writeln!(out, "{:name$}  {:command$}  {}", schema.name, schema.command, schema.doc)?;
                }
            }
            None => bail!("no schema given; --list names them all"),
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}
