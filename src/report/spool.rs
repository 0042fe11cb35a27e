//! Text of a report that follows something known only at the end, such as totals.

use std::io::{self, BufWriter, Read, Seek, Write};

use tempfile::SpooledTempFile;

/// Longer text is kept in an unnamed temporary file.
const MAX_IN_MEMORY: usize = 1 << 20;

/// Text that is kept until the end of a run. Its memory does not depend on its length.
pub struct Spool {
    file: BufWriter<SpooledTempFile>,
    length: u64,
}

impl Spool {
    /// Its length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads the text from its start.
    pub fn reader(&mut self) -> io::Result<impl Read> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.rewind()?;
        Ok(file)
    }
}

impl Default for Spool {
    /// An empty text.
    fn default() -> Spool {
        Spool { file: BufWriter::new(SpooledTempFile::new(MAX_IN_MEMORY)), length: 0 }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
