//! The text of a cache file: a first line that names the format, the program and a checksum, and the lines after it.

use std::fmt::Display;

use serde::de::DeserializeOwned;

/// The most bytes of a cache file.
pub const MAX_CACHE_BYTES: usize = 16 << 20;

/// What a cache file contains: results of a run, what cases execute, or results about faults.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheFormat {
    /// The start of the first line. Its number increases whenever the format changes.
    pub(crate) head: &'static str,
    /// What the key in the first line identifies, for errors: `program`.
    pub(crate) of: &'static str,
}

impl CacheFormat {
    /// The lines after the first one. Fails when the text is damaged or was written with another key or in another
    /// format.
    pub(crate) fn open<'t>(self, key: &dyn Display, text: &'t str) -> Result<&'t str, String> {
        let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
        let expected = self.first_line(key, lines);
        if first == expected {
            Ok(lines)
        } else {
            let of = self.of;
            Err(format!("line 1 is not {expected:?}: the file is damaged or belongs to another {of}"))
        }
    }

    /// What `check` makes of each of these lines, of which the first one has this number. The error is that of the
    /// first line that cannot be read or that `check` rejects.
    pub(crate) fn read_lines<L: DeserializeOwned, T, C: FromIterator<T>>(
        lines: &str,
        first: usize,
        check: impl Fn(L) -> Result<T, &'static str>,
    ) -> Result<C, String> {
        let parse = |(number, line): (usize, &str)| {
            let parsed = serde_json::from_str(line).map_err(|error| error.to_string());
            let checked = parsed.and_then(|parsed| check(parsed).map_err(str::to_owned));
            checked.map_err(|what| format!("line {number}: {what}"))
        };
        (first..).zip(lines.lines()).map(parse).collect()
    }

    /// The whole text with as many of the lines, from the first one on, as [`MAX_CACHE_BYTES`] has room for.
    pub(crate) fn write(self, key: &dyn Display, lines: impl IntoIterator<Item = String>) -> String {
        let room = MAX_CACHE_BYTES - self.first_line(key, "").len();
        let mut text = String::new();
        for line in lines {
            if text.len() + line.len() >= room {
                break;
            }
            text.extend([&*line, "\n"]);
        }
        format!("{}\n{text}", self.first_line(key, &text))
    }

    fn first_line(self, key: &dyn Display, lines: &str) -> String {
        format!("{} {key} {}", self.head, blake3::hash(lines.as_bytes()))
    }
}
