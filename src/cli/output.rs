//! Where output goes, with colour where it is wanted: on a terminal unless `NO_COLOR` is set,
//! elsewhere when `CLICOLOR_FORCE` is.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use vmconf::model::escape::escaped;
use vmconf::model::exit::Exit;

/// Standard output. Once nobody reads it any more, what is written is dropped: that is not an
/// error, and the exit code stays what the run says.
pub(super) fn stdout() -> impl Write {
    buffered(WhenClosed::Drop)
}

/// Standard output for a long stream that is all that a command does: once nobody reads it any more,
/// the process ends with success.
pub(super) fn stdout_to_the_end() -> impl Write {
    buffered(WhenClosed::EndProcess)
}

fn buffered(when_closed: WhenClosed) -> impl Write {
    let inner = anstream::AutoStream::auto(io::stdout());
    BufWriter::with_capacity(1 << 16, UntilClosed { inner, when_closed, closed: false })
}

/// What becomes of output that nobody reads any more.
#[derive(Debug, Clone, Copy)]
enum WhenClosed {
    Drop,
    EndProcess,
}

/// A line on standard error: progress, notes, errors of the command line.
pub(super) fn note(line: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "{}", escaped(line));
}

/// Whether the error is that nobody reads standard output any more.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Adds to a file that others write to as well; colours do not reach it.
pub(super) fn appended(path: &Path) -> io::Result<impl Write + use<>> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    Ok(BufWriter::with_capacity(1 << 16, anstream::StripStream::new(file)))
}

/// Files that were begun; those that are finished are no longer there.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Ends the process at once, with no file left that is half written.
pub(super) fn exit_at_once(exit: Exit) -> ! {
    for path in BEGUN.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // One that was finished is not there.
        let _ = std::fs::remove_file(path);
    }
    std::process::exit(exit as i32)
}

/// A file of results: written beside its place and put there when it is whole, so that nobody
/// ever sees half of one.
pub(super) struct Replaced {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl Replaced {
    /// Starts writing the file at `path`.
    pub(super) fn new(path: &Path) -> io::Result<Replaced> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".vmconf-");
        // Temporary files are for their owner alone unless told otherwise; results are for whom the
        // file was before, or for all to read.
        #[cfg(unix)]
        builder.permissions(path.metadata().map_or_else(
            |_| std::os::unix::fs::PermissionsExt::from_mode(0o644),
            |before| before.permissions(),
        ));
        let file = builder.tempfile_in(folder)?;
        BEGUN.lock().unwrap_or_else(PoisonError::into_inner).push(file.path().to_owned());
        Ok(Replaced { file, path: path.to_owned() })
    }

    /// Another handle to write to; colours do not reach the file.
    pub(super) fn writer(&self) -> io::Result<impl Write + use<>> {
        let file = anstream::StripStream::new(self.file.as_file().try_clone()?);
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Writes the file at `path` with these bytes as they are.
    pub(super) fn with(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut replaced = Replaced::new(path)?;
        replaced.file.write_all(bytes)?;
        replaced.finish()
    }

    /// Writes the file at `path` with these bytes as they are, unless there is one.
    pub(super) fn once(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut replaced = Replaced::new(path)?;
        replaced.file.write_all(bytes)?;
        replaced.file.persist_noclobber(&replaced.path).map(drop).map_err(|error| error.error)
    }

    /// Writes these bytes over the file at `path`, which keeps its permissions.
    pub(super) fn over(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut replaced = Replaced::new(path)?;
        replaced.file.as_file().set_permissions(path.metadata()?.permissions())?;
        replaced.file.write_all(bytes)?;
        replaced.finish()
    }

    /// Puts the file in its place.
    pub(super) fn finish(self) -> io::Result<()> {
        self.file.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

struct UntilClosed<W> {
    inner: W,
    when_closed: WhenClosed,
    closed: bool,
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match self.inner.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                match self.when_closed {
                    WhenClosed::Drop => self.closed = true,
                    // A watch cannot stop a run, and nothing else is left to do.
                    WhenClosed::EndProcess => std::process::exit(Exit::Passed as i32),
                }
                Ok(bytes.len())
            }
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.inner.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}
