//! Arguments that `asm`, `disasm` and `isa` share: the name of a machine, the file of a program.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;

use anyhow::Context;
use vmconf::machines::{self, MACHINES, MachineInfo};
use vmconf::model::limits::Limits;

/// The machine of an argument.
pub(super) fn machine_argument(name: &str) -> Result<&'static MachineInfo, String> {
    let names: Vec<_> = MACHINES.iter().map(|machine| machine.name).collect();
    machines::by_name(name).ok_or_else(|| format!("no such machine; there are {}", names.join(", ")))
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
