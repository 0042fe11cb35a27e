//! Standard output, standard error and result files. Output is coloured on a terminal unless `NO_COLOR` is
//! set, and elsewhere if `CLICOLOR_FORCE` is set.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use vmconf::model::escape::escaped;
use vmconf::model::exit::Exit;

/// Standard output. Output to a closed pipe is dropped: it is not an error and does not change the exit code.
pub(super) fn stdout() -> impl Write {
    buffered(WhenClosed::Drop)
}

/// Standard output for a command that only prints a long stream: when the pipe is closed, the process exits
/// successfully.
pub(super) fn stdout_to_the_end() -> impl Write {
    buffered(WhenClosed::EndProcess)
}

fn buffered(when_closed: WhenClosed) -> impl Write {
    let inner = anstream::AutoStream::auto(io::stdout());
    BufWriter::with_capacity(1 << 16, UntilClosed { inner, when_closed, closed: false })
}

/// What happens on output to a closed pipe.
#[derive(Debug, Clone, Copy)]
enum WhenClosed {
    Drop,
    EndProcess,
}

/// Prints a line to standard error: progress, notes, errors of the command line.
pub(super) fn note(line: &str) {
    // A closed standard error cannot be reported anywhere.
    let _ = writeln!(anstream::stderr(), "{}", escaped(line));
}

/// Whether the error is that standard output is a closed pipe.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Appends to a file that other programs also write to; colours are stripped.
pub(super) fn appended(path: &Path) -> io::Result<impl Write + use<>> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    Ok(BufWriter::with_capacity(1 << 16, anstream::StripStream::new(file)))
}

/// The temporary files of reports, for a process that ends before they are complete. Clones share the files.
#[derive(Debug, Clone, Default)]
pub(super) struct TemporaryFiles(Arc<Mutex<Vec<PathBuf>>>);

impl TemporaryFiles {
    /// Starts writing the file at `path`.
    pub(super) fn create(&self, path: &Path) -> io::Result<Replaced> {
        let replaced = Replaced::new(path)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(replaced.file.path().to_owned());
        Ok(replaced)
    }

    /// Ends the process immediately, without leaving temporary files.
    pub(super) fn exit(&self, exit: Exit) -> ! {
        for path in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // Fails for a complete file, which has been moved.
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(exit as i32)
    }
}

/// A file of results: written to a temporary file in the same folder and moved into place when it is
/// complete, so that readers never see a partial file.
pub(super) struct Replaced {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl Replaced {
    /// Starts writing the file at `path`.
    fn new(path: &Path) -> io::Result<Replaced> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let what = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(ErrorKind::NotFound, what));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".vmconf-");
        // Temporary files are private by default. A result has the permissions of the file that it replaces,
        // or is readable by everyone.
        #[cfg(unix)]
        builder.permissions(path.metadata().map_or_else(
            |_| std::os::unix::fs::PermissionsExt::from_mode(0o644),
            |before| before.permissions(),
        ));
        let file = builder.tempfile_in(folder)?;
        Ok(Replaced { file, path: path.to_owned() })
    }

    /// Another handle to write to; colours are stripped.
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

    /// Writes the file at `path` with these bytes as they are; an error if it exists.
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

    /// Moves the file into place.
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
                    // A trace cannot stop the run, and there is nothing else to do.
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
