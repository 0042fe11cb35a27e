//! Opens files that a folder, a vector or a report names: without waiting for anything, and not outside of
//! where they may be.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::model::{INTERRUPTED, Interrupt};

/// What happens if the last component of a path is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed.
    Follow,
    /// It is an error, on systems that can refuse it.
    Refuse,
}

/// An open file, and its length in bytes when it was opened, which is 0 for a pipe or a device.
pub struct OpenFile {
    file: File,
    length: u64,
    /// Whether it is a regular file, so that reading it does not wait.
    is_regular: bool,
}

impl OpenFile {
    /// Opens a file, pipe or device.
    pub fn any(path: &Path) -> io::Result<OpenFile> {
        open(path, Links::Follow)
    }

    /// Locks the file until this value is dropped. Waits at most this long while another process has it locked. Fails
    /// if it stays locked, or the file system has no locks.
    pub fn lock_within(&self, limit: Duration) -> io::Result<()> {
        const STEP: Duration = Duration::from_millis(10);
        let start = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if start.elapsed() < limit => std::thread::sleep(STEP),
                Err(TryLockError::WouldBlock) => {
                    let what = format!("locked by another process for {} seconds", limit.as_secs());
                    return Err(io::Error::new(ErrorKind::TimedOut, what));
                }
            }
        }
    }

    /// Reads all bytes; `None` if there are more than `limit`.
    pub fn read_at_most(self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.read_until(limit, &Interrupt::default(), Vec::new())
    }

    /// As [`OpenFile::read_at_most`]; waits for what is written to a pipe until the interrupt is requested, which is
    /// an error. `bytes` is an empty vector whose memory they may take.
    pub fn read_until(
        self,
        limit: u64,
        interrupt: &Interrupt,
        mut bytes: Vec<u8>,
    ) -> io::Result<Option<Vec<u8>>> {
        if self.length > limit {
            return Ok(None);
        }
        bytes.try_reserve_exact(self.length as usize + 1).map_err(|_| ErrorKind::OutOfMemory)?;
        let most = limit.saturating_add(1);
        if self.is_regular {
            self.file.take(most).read_to_end(&mut bytes)?;
        } else {
            ArrivingFile { file: self.file, interrupt }.take(most).read_to_end(&mut bytes)?;
        }
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limit))
    }
}

/// A file whose bytes may be written later, as those of a pipe.
struct ArrivingFile<'i> {
    file: File,
    interrupt: &'i Interrupt,
}

impl Read for ArrivingFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !is_readable(&self.file)? {
            if self.interrupt.is_requested() {
                return Err(io::Error::other(INTERRUPTED));
            }
        }
        self.file.read(buffer)
    }
}

/// Waits a moment until there is something to read, or the end. A regular file is always readable.
#[cfg(unix)]
fn is_readable(file: &File) -> io::Result<bool> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, poll};
    use std::os::fd::AsFd;
    const MILLISECONDS: u16 = 100;
    match poll(&mut [PollFd::new(file.as_fd(), PollFlags::POLLIN)], MILLISECONDS) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere, reading a pipe waits, and an interrupt does not end that.
#[cfg(not(unix))]
fn is_readable(_: &File) -> io::Result<bool> {
    Ok(true)
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Opens a file, pipe or device to read. Opening does not block: that of a pipe would wait until it has a writer.
fn open(path: &Path, links: Links) -> io::Result<OpenFile> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        match links {
            Links::Follow => libc::O_NONBLOCK,
            Links::Refuse => libc::O_NONBLOCK | libc::O_NOFOLLOW,
        },
    );
    #[cfg(not(unix))]
    let (Links::Follow | Links::Refuse) = links;
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok(OpenFile { file, length: metadata.len(), is_regular: metadata.is_file() })
}

/// Opens a regular file to read. Opening does not block, and anything else that is found at the path, such as a
/// named pipe, is an error.
pub fn open_regular(path: &Path, links: Links) -> io::Result<OpenFile> {
    let file = open(path, links)?;
    if file.is_regular { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Opens a regular file below a folder to read. `folder` and `path` are canonical; whether the open file is still the
/// one at `path` is checked after opening it. As [`open_regular`], anything else is an error.
pub fn open_below(folder: &Path, path: &Path) -> io::Result<OpenFile> {
    let outside = || io::Error::other("a symbolic link leads out of the folder");
    if !path.starts_with(folder) {
        return Err(outside());
    }
    let file = open_regular(path, Links::Refuse)?;
    if path.canonicalize()? == path && is_at(&file.file, path)? { Ok(file) } else { Err(outside()) }
}

/// Whether the open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, there) = (file.metadata()?, path.symlink_metadata()?);
    Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
}

/// Files have no identity that the standard library can compare here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Whether nothing is at a path. A path whose folder cannot be searched may lead to something.
pub fn is_absent(path: &Path) -> bool {
    let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    path.metadata().as_ref().is_err_and(absent)
}
