//! The memory of a machine of words as text.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, bail};
use vmconf::machines::tinyvm::SEGMENT_BYTES;
use vmconf::model::hex_bytes;

use crate::cli::errors::BrokenInput;
use crate::cli::input::read;

/// The words of the memory, starting at address 0.
pub(super) struct Segment {
    words: Vec<u16>,
}

impl Segment {
    /// The words of an argument: `0x` and hex digits, or a file or standard input with the whole memory. Trailing
    /// zeros are dropped. Fails when the digits are not whole words, or the file does not have the size of the
    /// memory.
    pub(super) fn read(program: &str) -> anyhow::Result<Segment> {
        if let Some(digits) = program.strip_prefix("0x") {
            let bytes = hex_bytes(digits).context("the program is not an even number of hex digits")?;
            if bytes.len() % 2 == 1 || bytes.len() > SEGMENT_BYTES {
                bail!("the program must be 1 to {} words of 4 hex digits", SEGMENT_BYTES / 2);
            }
            return Ok(Segment { words: words(&bytes) });
        }
        let path = Path::new(program);
        let bytes = read(path)?;
        if bytes.len() != SEGMENT_BYTES {
            let what = format!("{} bytes, where a segment file has {SEGMENT_BYTES}", bytes.len());
            return Err(BrokenInput(format!("{}: {what}", path.display())).into());
        }
        let mut words = words(&bytes);
        words.truncate(words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
        Ok(Segment { words })
    }

    /// Prints one line per word, with its address, and one line for consecutive zeros.
    pub(super) fn print(&self, out: &mut impl Write, disassemble: fn(u16) -> String) -> io::Result<()> {
        for (address, run) in self.runs() {
            match run {
                [word] => writeln!(out, "0x{address:04X}  {}", disassemble(*word))?,
                _ => writeln!(out, "0x{address:04X}  # {} words 0x0000", run.len())?,
            }
        }
        Ok(())
    }

    /// Prints a source that assembles to the same memory. Zeros are left out.
    pub(super) fn print_source(
        &self,
        out: &mut impl Write,
        disassemble: fn(u16) -> String,
    ) -> io::Result<()> {
        let mut next = 0;
        for (address, run) in self.runs() {
            let [word @ (1..=u16::MAX)] = run else { continue };
            if address != next {
                writeln!(out, ".offset 0x{address:04X}")?;
            }
            writeln!(out, "{}", disassemble(*word))?;
            next = address + 1;
        }
        Ok(())
    }

    /// Each word with its address; consecutive zeros in one slice.
    fn runs(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut address = 0;
        self.words.chunk_by(|a, b| *a == 0 && *b == 0).map(move |run| {
            let start = address;
            address += run.len();
            (start, run)
        })
    }
}

/// The words of an even number of bytes.
fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}
