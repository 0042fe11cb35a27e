//! Reads files that the user names, as a whole.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use vmconf::text::file_name::uncompressed_name;
use vmconf::wire::gzip;

use super::errors::BrokenInput;

/// The maximum number of bytes of a file. A pipe or a device may never end.
const MAX_BYTES: u64 = 1 << 28;

/// The bytes of a file, or of standard input if the path is `-`. Fails when it cannot be read, or is larger than
/// [`MAX_BYTES`].
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    read_at_most(MAX_BYTES, path)
}

/// As [`read`], with another limit.
pub(super) fn read_at_most(most: u64, path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        return at_most(most, stdin()).context("standard input");
    }
    let read = File::open(path).map_err(anyhow::Error::from).and_then(|file| at_most(most, file));
    read.with_context(|| path.display().to_string())
}

/// The text of a file, unpacked if it is compressed, or of standard input if the path is `-`. Fails as [`read`], and
/// when it cannot be unpacked or is not UTF-8.
pub(super) fn read_text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(read_unpacked(MAX_BYTES, path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        BrokenInput(format!("{}: not UTF-8, at byte {at}", path.display())).into()
    })
}

/// The bytes of a file, unpacked if it is compressed.
fn read_unpacked(most: u64, path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = read_at_most(most, path)?;
    let name = path.file_name().and_then(|name| name.to_str());
    if name.and_then(uncompressed_name).is_none() {
        return Ok(bytes);
    }
    let unpacked = gzip::unpacked(&bytes, most).and_then(|unpacked| {
        unpacked.ok_or_else(|| io::Error::other(format!("unpacked, larger than {most} bytes")))
    });
    unpacked.with_context(|| path.display().to_string())
}

/// The text of a file that the user wrote for vmconf. Fails as [`read_text`]; text that is not UTF-8 is a mistake of
/// the user, with its line.
pub(super) fn read_written(path: &Path) -> anyhow::Result<String> {
    written(path, read(path)?)
}

/// As [`read_written`], for a report, which may be compressed, and with another limit.
pub(super) fn read_report(most: u64, path: &Path) -> anyhow::Result<String> {
    written(path, read_unpacked(most, path)?)
}

fn written(path: &Path, bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        anyhow::anyhow!("{}:{line}: not UTF-8; expected text in UTF-8", path.display())
    })
}

fn at_most(most: u64, from: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut from = from.take(most + 1);
    let mut chunk = vec![0; 1 << 16];
    loop {
        let length = match from.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if (bytes.len() + length) as u64 > most {
            bail!("larger than {most} bytes");
        }
        // Where the system has less memory, reading is an error.
        bytes.try_reserve(length)?;
        bytes.extend_from_slice(&chunk[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_input_is_an_error() {
        let read = |most| at_most(most, io::repeat(0).take(1_000_000));
        assert!(read(999_999).is_err_and(|error| error.to_string() == "larger than 999999 bytes"));
        assert!(read(1_000_000).is_ok_and(|bytes| bytes.len() == 1_000_000));
        assert!(at_most(1 << 20, io::repeat(0)).is_err());
    }
}
