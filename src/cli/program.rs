//! What `asm` and `disasm` share: naming a machine, reading a program.

use std::io::{Read, stdin};
use std::path::Path;

use anyhow::Context;
use vmconf::machines::{self, MACHINES, MachineInfo};

/// The machine of an argument.
pub(super) fn machine_argument(name: &str) -> Result<&'static MachineInfo, String> {
    let names: Vec<_> = MACHINES.iter().map(|machine| machine.name).collect();
    machines::by_name(name).ok_or_else(|| format!("no such machine; there are {}", names.join(", ")))
}

/// The bytes of a file, or of standard input where the argument is `-`.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path).with_context(|| path.display().to_string());
    }
    let mut bytes = Vec::new();
    stdin().read_to_end(&mut bytes).context("standard input")?;
    Ok(bytes)
}
