//! A text that is compressed if it is long.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::spool::Spool;

/// The maximum length of a text that is not compressed, and the size of the pieces in which longer ones are,
/// since starting the compressor and each write to it is expensive.
const PIECE: usize = 1 << 16;

/// A text that is compressed with gzip unless it is short. Its memory does not depend on its length.
#[derive(Default)]
pub(super) struct CompressedText {
    /// The text that is not compressed yet.
    rest: Vec<u8>,
    encoder: Option<GzEncoder<Spool>>,
}

impl CompressedText {
    /// The text, compressed or not.
    pub(super) fn finish(mut self) -> io::Result<Spool> {
        let Some(mut encoder) = self.encoder.take() else {
            let mut spool = Spool::default();
            spool.write_all(&self.rest)?;
            return Ok(spool);
        };
        encoder.write_all(&self.rest)?;
        encoder.finish()
    }
}

impl Write for CompressedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > PIECE {
            let start = || GzEncoder::new(Spool::default(), Compression::fast());
            self.encoder.get_or_insert_with(start).write_all(&self.rest)?;
            self.rest.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
