//! The system that cases run on, as reports name it.

use std::env::consts::{ARCH, OS};

/// The operating system and the processor that this program was built for: `linux x86_64`.
pub(super) fn this_system() -> String {
    format!("{OS} {ARCH}")
}
