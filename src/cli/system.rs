//! This computer.

use std::env::consts::{ARCH, OS};
use std::num::NonZero;
use std::thread;

/// The number of processors, as far as it is known: the default number of threads and of processes.
pub(super) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// The operating system and the processor that this program was built for, as reports name them: `linux x86_64`.
pub(super) fn this_system() -> String {
    format!("{OS} {ARCH}")
}
