//! The files in which results are kept for later runs of the same program.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use vmconf::run::cache::{MAX_CACHE_BYTES, ProgramKey};
use vmconf::run::open_file::{Links, open_regular};

use super::history;
use super::result_file::{ResultFile, remove_abandoned};

/// How many digits of the key of a program are in the name of its file.
pub(super) const KEY_DIGITS: usize = 16;

/// A file in a folder of the cache folder.
pub(super) struct CacheFile {
    pub(super) path: PathBuf,
    /// The number of files that are kept in its folder: the ones that were written most recently.
    most: usize,
}

impl CacheFile {
    /// The file of this name. Its folder keeps `most` files. Fails when there is no cache folder.
    pub(super) fn new(folder: &str, name: &str, most: usize) -> anyhow::Result<CacheFile> {
        Ok(CacheFile { path: history::cache_folder()?.join(folder).join(name), most })
    }

    /// What `parse` makes of the text; `None` if there is no such file, and with a note if it is damaged.
    pub(super) fn read<T>(&self, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        match read(&self.path).and_then(|text| text.as_deref().map(parse).transpose()) {
            Ok(parsed) => parsed,
            Err(why) => {
                let path = self.path.display();
                note!("note: {path}: {why}; it is ignored and will be replaced");
                None
            }
        }
    }

    /// Writes the file. A failure is a note, since the results of the run are not affected.
    pub(super) fn write(&self, text: &str) {
        if let Err(error) = self.replace(text) {
            note!("note: {}: cannot be written: {error}", self.path.display());
        }
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        remove_abandoned(folder);
        ResultFile::own(&self.path)?.write(text.as_bytes())?;
        remove_oldest(folder, self.most)
    }
}

/// The key of the running program. Fails when its executable cannot be read.
pub(super) fn program() -> anyhow::Result<ProgramKey> {
    executable().and_then(ProgramKey::of).context("the executable of this program cannot be read")
}

/// The running executable; on Linux also after its file was replaced.
fn executable() -> io::Result<File> {
    if cfg!(target_os = "linux") {
        return File::open("/proc/self/exe");
    }
    File::open(std::env::current_exe()?)
}

/// The text of a cache file; `None` if there is no such file. Fails when it is not a regular file, is too large, or
/// cannot be read.
fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match open_regular(path, Links::Follow) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| error.to_string())?,
    };
    let bytes = file.read_at_most(MAX_CACHE_BYTES as u64).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("is larger than {MAX_CACHE_BYTES} bytes"))?;
    String::from_utf8(bytes).map(Some).map_err(|error| error.to_string())
}

/// Deletes the cache files of a folder that were written least recently, but for `most` of them. What vmconf did not
/// write stays.
fn remove_oldest(folder: &Path, most: usize) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // The metadata of a link is its own.
        let file = entry.metadata().ok().filter(fs::Metadata::is_file);
        let file = file.filter(|_| entry.file_name().to_str().is_some_and(is_name));
        files.extend(file.and_then(|file| Some((file.modified().ok()?, entry.path()))));
    }
    files.sort();
    let too_many = files.len().saturating_sub(most);
    files.iter().take(too_many).try_for_each(|(_, path)| match fs::remove_file(path) {
        // Another process deleted it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    })
}

/// Whether a name is that of a cache file: hexadecimal digits of keys, with a dash between two keys.
fn is_name(name: &str) -> bool {
    name.len() >= KEY_DIGITS && name.bytes().all(|it| it == b'-' || matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}
