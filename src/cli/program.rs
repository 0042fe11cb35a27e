//! Arguments that `asm`, `disasm` and `isa` share: the name of a machine, the file of a program.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use vmconf::machines::{MACHINES, MachineInfo};
use vmconf::model::limits::Limits;

/// A parser of the names of rows.
pub(super) fn names<T: Sync>(
    rows: &'static [T],
    name: fn(&T) -> &'static str,
) -> impl TypedValueParser<Value = &'static T> {
    let find = move |text: String| rows.iter().find(|row| name(row) == text).ok_or("no such name");
    PossibleValuesParser::new(rows.iter().map(name)).try_map(find)
}

/// The machine of an argument.
pub(super) fn machine_argument() -> impl TypedValueParser<Value = &'static MachineInfo> {
    names(MACHINES, |machine| machine.name)
}

/// The error for a machine whose programs are not text.
pub(super) fn is_document(machine: &str, schema: &str) -> anyhow::Error {
    anyhow::anyhow!("programs of {machine} are JSON documents, not text; see schemas/{schema}.schema.json")
}

/// The bytes of a program's file, or of standard input where the argument is `-`.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let limit = Limits::default().file_size;
    if path != Path::new("-") {
        let file = File::open(path).and_then(|file| read_at_most(limit, file));
        return file.with_context(|| path.display().to_string());
    }
    read_at_most(limit, stdin()).context("standard input")
}

/// Reads all bytes; an error if there are more than `limit`.
fn read_at_most(limit: u64, from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}
