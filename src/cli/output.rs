//! Standard output, standard error and result files. Output is coloured on a terminal unless `NO_COLOR` is
//! set, and elsewhere if `CLICOLOR_FORCE` is set.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use vmconf::model::{Diagnostic, Exit, counted, escaped};

use super::unwritten::Unwritten;

/// Standard output. Output to a closed pipe is dropped: it is not an error and does not change the exit code.
pub(super) fn stdout() -> impl Write {
    buffered(WhenClosed::Drop)
}

pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = stdout();
    write(&mut out)?;
    out.flush()
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
            result => result.map_err(Unwritten::standard_output),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.inner.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(Unwritten::standard_output),
        }
    }
}

/// Prints errors that belong to a file or a machine.
pub(super) fn note_errors(file: &str, errors: &[Diagnostic]) {
    for error in errors {
        note!("error: {}", error.located(file));
    }
}

/// Returns the last diagnostic as an error, and prints the others.
pub(super) fn one_error(file: &str, diagnostics: &[Diagnostic]) -> anyhow::Error {
    let (last, others) = diagnostics.split_last().expect("an error");
    note_errors(file, others);
    anyhow::anyhow!("{}", last.located(file))
}

/// Says how many files and cases a command leaves out because they are broken.
pub(super) fn note_broken(count: u64) {
    if count > 0 {
        let what = if count == 1 { "file or case is" } else { "files or cases are" };
        note!("error: {count} {what} broken; vmconf run shows why");
    }
}

/// Says how many cases a command leaves out because they do not pass.
pub(super) fn note_not_passing(left_out: u64) {
    if left_out > 0 {
        let cases = counted(left_out, "case");
        note!("note: {cases} left out: only passing cases count; vmconf run shows why");
    }
}
