//! Paths as text that identifies exactly one file, for ids, reports and lists of known failures.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::model::escaped;
use crate::text::number::hex;

/// A path as shown in ids. Different paths have different texts, and each text works as an argument:
///
/// - Folders are separated by `/`. A leading `./` is omitted, unless the rest would look like a flag.
/// - A byte that is not UTF-8 is written as `\xE9`, a harmful character as `\u{1b}`, and a backslash as `\\`.
/// - A colon that another one follows, or nothing, is written as `\u{3a}`: in an id, the first `::` ends the path.
pub fn shown(path: &Path) -> String {
    let text = if MAIN_SEPARATOR == '/' {
        lossless(path.as_os_str(), r"\\")
    } else {
        lossless(path.as_os_str(), r"\").replace(MAIN_SEPARATOR, "/")
    };
    let is_path = |rest: &&str| !rest.is_empty() && !rest.starts_with('/');
    let rest = text.strip_prefix("./").filter(is_path).unwrap_or(&text);
    let like_a_flag = if rest.starts_with('-') { "./" } else { "" };
    format!("{like_a_flag}{}", without_double_colons(&escaped(rest)))
}

fn without_double_colons(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.ends_with(':') {
        return text.into();
    }
    let last = text.len() - 1;
    let is_written = |at: usize| at < last && text.as_bytes()[at + 1] != b':';
    let one = |(at, it): (usize, char)| {
        if it == ':' && !is_written(at) { "\\u{3a}".to_owned() } else { it.to_string() }
    };
    text.char_indices().map(one).collect()
}

/// A path for globs: with `/` between names on every system. What is not UTF-8 is lost.
pub fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(MAIN_SEPARATOR, "/") }
}

/// An argument as text for a printed command; a byte that is not UTF-8 is written as `\xE9`.
pub fn typed(argument: &OsStr) -> String {
    lossless(argument, r"\")
}

/// The path for which [`shown`] returns this text.
pub fn path_of(shown: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = if let Some((unescaped, rest)) = unescaped(escape) {
            bytes.extend_from_slice(&unescaped);
            rest
        } else {
            bytes.push(b'\\');
            escape
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    from_bytes(bytes)
}

/// The length of the folder, with the `/` at its end, that all files are in; 0 if there is none.
pub fn common_folder<'f>(mut files: impl Iterator<Item = &'f str>) -> usize {
    let Some(first) = files.next() else { return 0 };
    let mut length = first.rfind('/').map_or(0, |slash| slash + 1);
    for file in files {
        while !file.starts_with(&first[..length]) {
            length = first[..length - 1].rfind('/').map_or(0, |slash| slash + 1);
        }
    }
    length
}

/// The bytes of a path for use in a URI: harmful bytes and those with a meaning in URIs are written as `%20`.
pub fn percent_encoded(path: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded = path
        .iter()
        .map(|byte| if is_plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") });
    encoded.collect()
}

/// The bytes that an escape stands for, and the text after it. `text` starts after the backslash. `None` if
/// it is not an escape.
fn unescaped(text: &str) -> Option<(Vec<u8>, &str)> {
    let (kind, rest) = text.split_at_checked(1)?;
    Some(match kind {
        "\\" => (b"\\".into(), rest),
        "n" => (b"\n".into(), rest),
        "r" => (b"\r".into(), rest),
        "t" => (b"\t".into(), rest),
        "x" => {
            let (digits, rest) = rest.split_at_checked(2)?;
            (vec![u8::try_from(hex(digits)?).ok()?], rest)
        }
        "u" => {
            let (digits, rest) = rest.strip_prefix('{')?.split_once('}')?;
            let character = char::from_u32(u32::try_from(hex(digits)?).ok()?)?;
            (character.to_string().into_bytes(), rest)
        }
        _ => return None,
    })
}

fn lossless(text: &OsStr, backslash: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for chunk in text.as_encoded_bytes().utf8_chunks() {
        shown += &chunk.valid().replace('\\', backslash);
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02X}");
        }
    }
    shown
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    let text = String::from_utf8(bytes);
    text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()).into()
}

/// The end of the name of a compressed file.
pub const COMPRESSED: &str = ".gz";

/// The name of a file without the ending of compressed files; `None` if it does not have it.
pub fn uncompressed_name(name: &str) -> Option<&str> {
    let start = name.len().checked_sub(COMPRESSED.len())?;
    let is_ending = name.get(start..)?.eq_ignore_ascii_case(COMPRESSED);
    is_ending.then(|| &name[..start])
}

/// A path, as [`shown`] writes it, as a URI: a file URI if it is absolute, otherwise relative.
pub fn uri(path: &str) -> String {
    let is_drive = path.get(1..3) == Some(":/");
    let (start, rest) = match path {
        _ if is_drive => (format!("file:///{}", &path[..2]), &path[2..]),
        _ if path.starts_with('/') => ("file://".to_owned(), path),
        _ => (String::new(), path),
    };
    start + &percent_encoded(path_of(rest).as_os_str().as_encoded_bytes())
}

/// The name of a file relative to the root of the checkout, if the folder below it is given.
pub(crate) fn in_checkout(folder: &str, file: &str) -> String {
    if folder.is_empty() || file.starts_with('/') {
        return file.to_owned();
    }
    let mut path: Vec<_> = folder.split('/').collect();
    let mut rest = file;
    while let Some(above) = rest.strip_prefix("../").filter(|_| !path.is_empty()) {
        path.pop();
        rest = above;
    }
    path.push(rest);
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compressed_files_end_with_gz() {
        assert_eq!(uncompressed_name("a.json.gz"), Some("a.json"));
        assert_eq!(uncompressed_name("A.JSON.GZ"), Some("A.JSON"));
        assert_eq!(uncompressed_name("a.json"), None);
        assert_eq!(uncompressed_name("\u{e9}z"), None);
    }

    #[test]
    fn a_path_has_no_double_colon_and_ends_without_one() {
        for (path, expected) in
            [("a::b", r"a\u{3a}:b"), ("a:::b:", r"a\u{3a}\u{3a}:b\u{3a}"), ("a:b", "a:b"), (":", r"\u{3a}")]
        {
            assert_eq!(shown(Path::new(path)), expected);
            assert_eq!(path_of(expected), Path::new(path));
        }
    }

    #[test]
    fn escapes_have_hex_digits_and_nothing_else() {
        assert_eq!(path_of(r"\x41\u{42}"), Path::new("AB"));
        for text in [r"\x+5", r"\u{+41}", r"\u{}", r"\u{110000}", r"\x4"] {
            assert_eq!(path_of(text), Path::new(text));
        }
    }

    #[test]
    fn paths_become_uris() {
        fn check(path: &str, expected: &str) {
            assert_eq!(uri(path), expected);
        }
        check("vectors/evm/add.json", "vectors/evm/add.json");
        check("../a b/ä:1%.json", "../a%20b/%C3%A4%3A1%25.json");
        check("/tmp/a.json", "file:///tmp/a.json");
        check("C:/tmp/a.json", "file:///C:/tmp/a.json");
        check(r"a\\b/\u{1b}[31m.json", "a%5Cb/%1B%5B31m.json");
        #[cfg(unix)]
        check(r"\xE9.json", "%E9.json");
    }
}
