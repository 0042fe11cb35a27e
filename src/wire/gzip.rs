//! Text that may be compressed.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::bufread::GzDecoder;

/// The first byte of a gzip file (RFC 1952). No line of JSON begins with it.
const FIRST: u8 = 0x1f;

/// Reads text, decompressing it if it is compressed with gzip.
///
/// # Errors
///
/// If the first byte cannot be read.
pub fn decompressed<'i>(input: &'i mut dyn BufRead) -> io::Result<Box<dyn BufRead + 'i>> {
    if input.fill_buf()?.first() == Some(&FIRST) {
        Ok(Box::new(BufReader::new(Decompressed(GzDecoder::new(input)))))
    } else {
        Ok(Box::new(input))
    }
}

/// A compressed text. Reading fails if its end is missing or anything follows it.
struct Decompressed<'i>(GzDecoder<&'i mut dyn BufRead>);

impl Read for Decompressed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let damaged = |what: String| io::Error::new(ErrorKind::InvalidData, format!("{what}: it is damaged"));
        let count = self.0.read(buffer).map_err(|error| damaged(error.to_string()))?;
        if count == 0 && !buffer.is_empty() && !self.0.get_mut().fill_buf()?.is_empty() {
            return Err(damaged("bytes follow the end of the compressed text".to_owned()));
        }
        Ok(count)
    }
}
