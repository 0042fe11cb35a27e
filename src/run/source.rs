//! A file to read.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use super::anchor::Anchor;
use super::open_file::{Links, OpenFile, open_regular};
use crate::model::{CaseId, Interrupt, escaped};
use crate::text::file_name::uncompressed_name;
use crate::wire::gzip;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSource {
    /// The path to open.
    pub path: PathBuf,
    /// The name of the file in ids and messages: [`Anchor::name`].
    pub shown: Arc<str>,
    /// Why it is read.
    pub origin: SourceOrigin,
    /// The selected cases, by the part of the id after the file; `None` for all.
    pub only: Option<BTreeSet<String>>,
    /// Why it cannot be read, if it is a folder that could not be searched; `None` for a file.
    pub unreadable: Option<Arc<str>>,
}

/// Why a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrigin {
    /// The user named the file, or a case in it: it must be a vector file.
    Named,
    /// The user named something else, such as a pipe or a device: its content, which is waited for, must be
    /// that of a vector file.
    Stream,
    /// It was found in a folder: it may be another JSON file.
    Folder,
}

impl VectorSource {
    /// All cases of the file at `path`, whose name is [`Anchor::name`].
    pub fn new(path: PathBuf, name: Arc<str>, origin: SourceOrigin) -> VectorSource {
        VectorSource { path, shown: name, origin, only: None, unreadable: None }
    }

    /// The file with this name. `only` selects some of its cases by the part of their ids after the file; `None`
    /// selects all.
    pub fn named(name: &str, anchor: &Anchor, only: Option<BTreeSet<String>>) -> VectorSource {
        VectorSource { only, ..VectorSource::new(anchor.path(name), name.into(), SourceOrigin::Named) }
    }

    /// Whether this case of the file is selected.
    pub fn selects(&self, id: &CaseId) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| case_in(&id.to_string(), &self.shown).is_some_and(|case| only.contains(case)))
    }

    /// Reads the bytes of the file, unpacked if it is compressed. `room` is an empty vector whose memory they may take.
    /// Fails if the file is or becomes larger than `limit` bytes, or is a pipe and the interrupt is requested.
    pub fn read(&self, limit: u64, interrupt: &Interrupt, room: Vec<u8>) -> io::Result<Vec<u8>> {
        if let Some(reason) = &self.unreadable {
            return Err(io::Error::other(&**reason));
        }
        let file = when_there_is_a_descriptor(interrupt, || self.open())?;
        let bytes = file.read_until(limit, interrupt, room)?;
        let larger =
            |what: &str| io::Error::other(format!("{what}larger than {limit} bytes (--max-file-size)"));
        let bytes = bytes.ok_or_else(|| larger(""))?;
        if self.is_compressed() {
            return gzip::unpacked(&bytes, limit)?.ok_or_else(|| larger("unpacked, "));
        }
        Ok(bytes)
    }

    /// Whether its name says that it is compressed with gzip.
    pub fn is_compressed(&self) -> bool {
        self.origin != SourceOrigin::Stream && uncompressed_name(&self.shown).is_some()
    }

    /// Whether a command may write the text of the file back; the error says why not.
    pub fn check_writable(&self) -> io::Result<()> {
        if self.is_compressed() {
            return Err(io::Error::other("files that are compressed are only read"));
        }
        Ok(())
    }

    /// Opens the file and closes it again. A pipe or a device is left alone: its content may be read once only. Fails
    /// when it cannot be opened.
    pub(super) fn try_open(&self) -> io::Result<()> {
        match self.origin {
            SourceOrigin::Stream => Ok(()),
            SourceOrigin::Named | SourceOrigin::Folder => self.open().map(drop),
        }
    }

    fn open(&self) -> io::Result<OpenFile> {
        match self.origin {
            SourceOrigin::Stream => OpenFile::any(&self.path),
            SourceOrigin::Named => open_regular(&self.path, Links::Follow),
            // A link that replaced the file after the search is not followed.
            SourceOrigin::Folder => open_regular(&self.path, Links::Refuse),
        }
    }
}

/// Opens a file. If other threads have as many open as the system allows, waits until one is closed.
fn when_there_is_a_descriptor<T>(interrupt: &Interrupt, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    const WAIT: Duration = Duration::from_millis(2);
    const MAX_WAITS: usize = 5_000;
    for _ in 0..MAX_WAITS {
        match open() {
            Err(error) if is_out_of_descriptors(&error) && !interrupt.is_requested() => sleep(WAIT),
            opened => return opened,
        }
    }
    open()
}

#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_: &io::Error) -> bool {
    false
}

/// The part of a case id after the file; `None` if the id is that of the file as a whole.
pub fn case_in<'i>(id: &'i str, file: &str) -> Option<&'i str> {
    id.strip_prefix(&*escaped(file))?.strip_prefix("::")
}
