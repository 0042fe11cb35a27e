//! Text that may be compressed.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

use crate::text::file_name::COMPRESSED;

/// The first byte of a gzip file (RFC 1952). No line of JSON begins with it.
const FIRST: u8 = 0x1f;

/// Reads text, decompressing it if it is compressed with gzip.
pub fn decompressed<'i>(input: &'i mut dyn BufRead) -> io::Result<Box<dyn BufRead + 'i>> {
    if input.fill_buf()?.first() == Some(&FIRST) {
        Ok(Box::new(BufReader::new(Decompressed(MultiGzDecoder::new(input)))))
    } else {
        Ok(Box::new(input))
    }
}

/// The bytes of a compressed file; `None` if there are more than `limit`, of which no more are unpacked. Fails if the
/// bytes are not compressed with gzip, or are damaged.
pub fn unpacked(bytes: &[u8], limit: u64) -> io::Result<Option<Vec<u8>>> {
    if bytes.first() != Some(&FIRST) {
        let what = format!("named {COMPRESSED}, but not compressed with gzip");
        return Err(io::Error::new(ErrorKind::InvalidData, what));
    }
    let mut unpacked = Vec::new();
    let mut input = bytes;
    decompressed(&mut input)?.take(limit.saturating_add(1)).read_to_end(&mut unpacked)?;
    Ok(Some(unpacked).filter(|bytes| bytes.len() as u64 <= limit))
}

/// A compressed text, in one member or several (RFC 1952, section 2.2). Reading fails if the end of one is missing,
/// or if anything else follows.
struct Decompressed<'i>(MultiGzDecoder<&'i mut dyn BufRead>);

impl Read for Decompressed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let damaged = |what: String| io::Error::new(ErrorKind::InvalidData, format!("{what}: it is damaged"));
        self.0.read(buffer).map_err(|error| damaged(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("gzip");
        encoder.finish().expect("gzip")
    }

    #[test]
    fn files_are_decompressed_up_to_a_limit() {
        let zeros = vec![0; 1 << 20];
        let packed = packed(&zeros);
        assert_eq!(unpacked(&packed, 1 << 20).expect("gzip"), Some(zeros));
        assert_eq!(unpacked(&packed, (1 << 20) - 1).expect("gzip"), None);
    }

    #[test]
    fn damaged_files_are_errors() {
        let packed = packed(b"some text that is long enough");
        let error = |bytes: &[u8]| unpacked(bytes, 100).expect_err("damaged").to_string();
        assert_eq!(error(b"{}"), "named .gz, but not compressed with gzip");
        assert_eq!(error(b""), "named .gz, but not compressed with gzip");
        assert!(error(&packed[..packed.len() - 1]).ends_with(": it is damaged"));
        assert!(error(&packed[..5]).ends_with(": it is damaged"));
        assert!(error(&[&packed[..], b"x"].concat()).ends_with(": it is damaged"));
        assert!(error(&[&packed[..], b"no other member"].concat()).ends_with(": it is damaged"));
    }

    #[test]
    fn members_are_one_text() {
        let both = [packed(b"{\"a\":"), packed(b"1}")].concat();
        assert_eq!(unpacked(&both, 100).expect("gzip"), Some(b"{\"a\":1}".to_vec()));
        assert_eq!(unpacked(&both, 6).expect("gzip"), None);
    }
}
