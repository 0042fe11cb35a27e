//! Every instruction of a case, written as it happens and in no more memory than one of them takes.

use std::io::{self, Write};

use crate::diff::Observe;
use crate::machine::Watch;

mod minic89;
mod plain;

/// A watch that writes what it sees.
pub trait Tracer: Watch {
    /// The machine as it is after the last instruction. Gives back the first error of writing.
    ///
    /// # Errors
    ///
    /// When something could not be written, now or before.
    fn end(&mut self, state: &dyn Observe) -> io::Result<()>;
}

/// A way to write traces.
#[derive(Debug)]
pub struct TraceKind {
    /// Its name, as `--as` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// The only machine that it is for, where it is not for all.
    pub machine: Option<&'static str>,
    /// Makes a tracer that writes there.
    pub new: fn(Box<dyn Write>) -> Box<dyn Tracer>,
}

/// Every way to write traces.
pub static TRACES: &[TraceKind] = &[minic89::KIND];

/// The way of this name.
pub fn by_name(name: &str) -> Option<&'static TraceKind> {
    TRACES.iter().find(|kind| kind.name == name)
}
