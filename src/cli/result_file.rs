//! Files of results.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;
use vmconf::model::{Exit, lock};
use vmconf::run::open_file::{Links, open_regular};

use super::unwritten::Unwritten;

/// The start of the name of a temporary file; [`RANDOM`] letters and digits follow.
const PREFIX: &str = ".vmconf-";

/// The number of random characters in the name of a temporary file.
const RANDOM: usize = 6;

/// The age from which a temporary file is locked if a process is writing it.
const LOCKED: Duration = Duration::from_secs(1);

/// The age at which a temporary file belongs to no run any more, where files cannot be locked.
const ABANDONED: Duration = Duration::from_hours(24);

/// The temporary files of reports, each with its place, for a process that ends before they are complete. Clones share
/// the files.
#[derive(Debug, Clone, Default)]
pub(super) struct TemporaryFiles(Arc<Mutex<Vec<(PathBuf, PathBuf)>>>);

impl TemporaryFiles {
    /// Starts writing the file at a path that the user typed, as [`ResultFile::typed`] does.
    pub(super) fn typed(&self, path: &Path) -> io::Result<ResultFile> {
        match destination(path)? {
            ResultDestination::Open(path) => ResultFile::open(&path),
            ResultDestination::Regular(path) => self.own(&path),
        }
    }

    /// Starts writing a file whose name vmconf chose, as [`ResultFile::own`] does.
    pub(super) fn own(&self, path: &Path) -> io::Result<ResultFile> {
        // Nothing ends the process between the creation of the file and the note of it.
        let mut files = lock(&self.0);
        let file = ResultFile::own(path)?;
        if let ResultFile::Replaced { new, path } = &file {
            files.push((new.path().to_owned(), path.clone()));
            drop(files);
            remove_abandoned(folder_of(path));
        }
        Ok(file)
    }

    /// Ends the process immediately, without leaving temporary files, nor results of an earlier run in their places.
    pub(super) fn exit(&self, exit: Exit) -> ! {
        let files = lock(&self.0);
        for (temporary, place) in files.iter() {
            // Fails for a complete file, which has been moved.
            if fs::remove_file(temporary).is_ok() {
                let _ = fs::remove_file(place);
            }
        }
        std::process::exit(exit as i32)
    }
}

pub(super) enum ResultFile {
    /// Something that is not a regular file, such as a named pipe or `/dev/stderr`, is written to directly.
    Open(File),
    /// A regular file is written to a temporary file in the same folder and moved into place when it is
    /// complete, so that readers never see a partial file.
    Replaced {
        new: NamedTempFile,
        /// Its place. A link that the user typed is followed before: the file that it leads to is replaced.
        path: PathBuf,
    },
}

impl ResultFile {
    /// Starts writing the file at a path that the user typed: a symbolic link is followed, and what is not a regular
    /// file is written to.
    pub(super) fn typed(path: &Path) -> io::Result<ResultFile> {
        match destination(path)? {
            ResultDestination::Open(path) => ResultFile::open(&path),
            ResultDestination::Regular(path) => ResultFile::own(&path),
        }
    }

    /// Starts writing a file whose name vmconf chose: a link or pipe of this name, which somebody else made, is
    /// replaced and not followed.
    pub(super) fn own(path: &Path) -> io::Result<ResultFile> {
        Ok(ResultFile::Replaced { new: temporary(path)?, path: path.to_owned() })
    }

    fn open(path: &Path) -> io::Result<ResultFile> {
        Ok(ResultFile::Open(OpenOptions::new().append(true).open(path)?))
    }

    fn file(&self) -> &File {
        match self {
            ResultFile::Open(file) => file,
            ResultFile::Replaced { new, .. } => new.as_file(),
        }
    }

    /// Another handle to write to; colours are stripped.
    pub(super) fn writer(&self) -> io::Result<impl Write + use<>> {
        let file = anstream::StripStream::new(self.file().try_clone()?);
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Writes these bytes as they are, and completes the file.
    pub(super) fn write(self, bytes: &[u8]) -> io::Result<()> {
        self.file().write_all(bytes)?;
        self.finish()
    }

    /// As [`ResultFile::write`]; an error if the file exists.
    pub(super) fn write_new(self, bytes: &mut dyn Read) -> io::Result<()> {
        io::copy(bytes, &mut self.file())?;
        match self {
            ResultFile::Open(_) => Err(ErrorKind::AlreadyExists.into()),
            ResultFile::Replaced { new, path } => {
                new.persist_noclobber(path).map(drop).map_err(|error| error.error)
            }
        }
    }

    /// Writes these bytes over the file at `path`, which keeps its permissions; an error if these forbid to write.
    pub(super) fn write_over(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let permissions = path.metadata()?.permissions();
        if permissions.readonly() {
            return Err(io::Error::other("the file is read-only"));
        }
        let file = ResultFile::typed(path)?;
        file.file().set_permissions(permissions)?;
        file.write(bytes)
    }

    /// Moves the file into place.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            ResultFile::Open(_) => Ok(()),
            ResultFile::Replaced { new, path } => new.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

/// Writes a file whose name vmconf chose with these bytes, as [`ResultFile::own`] does.
pub(super) fn write_own(path: &Path, bytes: &[u8]) -> Result<(), Unwritten> {
    let written = ResultFile::own(path).and_then(|file| file.write(bytes));
    written.map_err(|error| Unwritten::file(path, error))
}

/// Writes the file at a path that the user typed with these bytes, as [`ResultFile::typed`] does.
pub(super) fn write_typed(path: &Path, bytes: &[u8]) -> Result<(), Unwritten> {
    let written = ResultFile::typed(path).and_then(|file| file.write(bytes));
    written.map_err(|error| Unwritten::file(path, error))
}

/// A temporary file in the folder of `path`.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM);
    // Temporary files are private by default. A result has the permissions of the file that it replaces,
    // or is readable by everyone.
    #[cfg(unix)]
    builder.permissions(
        path.symlink_metadata().ok().filter(fs::Metadata::is_file).map_or_else(
            || std::os::unix::fs::PermissionsExt::from_mode(0o644),
            |before| before.permissions(),
        ),
    );
    let folder = folder_of(path);
    if !folder.exists() {
        let what = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(ErrorKind::NotFound, what));
    }
    // Its message names the temporary file, which the user does not know.
    let new = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    // The lock shows other processes that it is being written. Some file systems have no locks.
    let _ = new.as_file().try_lock();
    Ok(new)
}

/// Whether a regular file has exactly these bytes.
pub(super) fn has_bytes(path: &Path, links: Links, bytes: &[u8]) -> bool {
    let there = open_regular(path, links).and_then(|file| file.read_at_most(bytes.len() as u64));
    there.is_ok_and(|there| there.as_deref() == Some(bytes))
}

/// Removes the result of an earlier run at `path`, since this run has none to replace it with. What is not a
/// regular file stays.
pub(super) fn remove_earlier(path: &Path) {
    if let Ok(ResultDestination::Regular(path)) = destination(path) {
        // It may not exist.
        let _ = fs::remove_file(path);
    }
}

/// Whether a result at `path` becomes a regular file.
pub(super) fn is_regular(path: &Path) -> bool {
    matches!(destination(path), Ok(ResultDestination::Regular(_)))
}

/// Where a result at `path` becomes a regular file, however the path is written; `None` if it does not.
pub(super) fn regular_place(path: &Path) -> Option<PathBuf> {
    let Ok(ResultDestination::Regular(path)) = destination(path) else { return None };
    // A missing folder is an error when the file is written.
    let folder = folder_of(&path).canonicalize().unwrap_or_else(|_| folder_of(&path).to_owned());
    Some(folder.join(path.file_name()?))
}

/// What a path of a result leads to.
enum ResultDestination {
    /// A regular file, or nothing yet.
    Regular(PathBuf),
    /// Anything else.
    Open(PathBuf),
}

/// Follows symbolic links.
fn destination(path: &Path) -> io::Result<ResultDestination> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match path.symlink_metadata() {
            Ok(link) if link.is_symlink() && is_handle(&path) => return Ok(ResultDestination::Open(path)),
            Ok(link) if link.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            Ok(other) if !other.is_file() => return Ok(ResultDestination::Open(path)),
            Ok(_) => return Ok(ResultDestination::Regular(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ResultDestination::Regular(path)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a link stands for an open file of a process, as `/proc/self/fd/2` does on Linux. It leads to that
/// file, not to its name.
fn is_handle(link: &Path) -> bool {
    folder_of(link).canonicalize().is_ok_and(|folder| folder.starts_with("/proc"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes temporary files of processes that were killed from a folder. A file that cannot be removed is left.
pub(super) fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) && is_abandoned(&entry) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of a temporary file of this program.
fn is_temporary(name: &str) -> bool {
    let is_random = |rest: &str| rest.len() == RANDOM && rest.bytes().all(|it| it.is_ascii_alphanumeric());
    name.strip_prefix(PREFIX).is_some_and(is_random)
}

/// Whether no process is writing a temporary file.
fn is_abandoned(entry: &fs::DirEntry) -> bool {
    // The metadata of a link is its own.
    let Some(metadata) = entry.metadata().ok().filter(fs::Metadata::is_file) else { return false };
    let age = metadata.modified().ok().and_then(|written| SystemTime::now().duration_since(written).ok());
    let Some(age) = age.filter(|age| *age > LOCKED) else { return false };
    let locked = File::open(entry.path()).map(|file| file.try_lock());
    match locked {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock)) => false,
        Ok(Err(TryLockError::Error(_))) | Err(_) => age > ABANDONED,
    }
}
