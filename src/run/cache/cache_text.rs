//! The text of a cache file: a first line that names the format, the program and a checksum, and the lines after it.

use super::program_key::ProgramKey;

/// The most bytes of a cache file.
pub const MAX_BYTES: usize = 16 << 20;

/// What a cache file contains: results of a run, or what cases execute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheFormat {
    /// The start of the first line. Its number increases whenever the format changes.
    pub(crate) head: &'static str,
}

impl CacheFormat {
    /// The lines after the first one.
    ///
    /// # Errors
    ///
    /// When the text is damaged or was written by another program or in another format.
    pub(crate) fn open<'t>(self, program: &ProgramKey, text: &'t str) -> Result<&'t str, String> {
        let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
        let expected = self.first_line(program, lines);
        if first == expected {
            Ok(lines)
        } else {
            Err(format!("line 1 is not {expected:?}: the file is damaged or belongs to another program"))
        }
    }

    /// The whole text with as many of the lines, from the first one on, as [`MAX_BYTES`] has room for.
    pub(crate) fn write(self, program: &ProgramKey, lines: impl IntoIterator<Item = String>) -> String {
        let room = MAX_BYTES - self.first_line(program, "").len();
        let mut text = String::new();
        for line in lines {
            if text.len() + line.len() >= room {
                break;
            }
            text.extend([&*line, "\n"]);
        }
        format!("{}\n{text}", self.first_line(program, &text))
    }

    fn first_line(self, program: &ProgramKey, lines: &str) -> String {
        format!("{} {program} {}", self.head, blake3::hash(lines.as_bytes()))
    }
}
