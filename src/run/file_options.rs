//! Options for one file: how it is read, its limits, its known failures.

use std::sync::Arc;

use super::families::Families;
use super::ignored_field::{IgnoredField, IgnoredFields};
use super::known_failures::KnownFailures;
use crate::formats::family::Family;
use crate::formats::{self, Format};
use crate::model::limits::Limits;

/// Options for one file.
#[derive(Clone, Default)]
pub struct FileOptions {
    /// The format; `None` to detect it.
    pub format: Option<&'static Format>,
    /// The family that reads it; `None` to detect that.
    pub family: Option<&'static Family>,
    /// The families that may read it.
    pub families: Families,
    /// Fields that are not compared.
    pub ignored: Vec<IgnoredField>,
    /// How its vectors are read.
    pub read: formats::FormatOptions,
    /// Limits on the file, its cases and the machines that run them.
    pub limits: Limits,
    /// Which of its cases are expected to fail; `None` without a list.
    pub known_failures: Option<Arc<KnownFailures>>,
}

impl FileOptions {
    /// What the user ignores of a machine.
    pub fn ignored_of(&self, machine: &str) -> IgnoredFields<'_> {
        // Most runs ignore nothing, and need not find the machine.
        let info = if self.ignored.is_empty() { None } else { self.families.machine(machine) };
        IgnoredFields::new(&self.ignored, info.map_or(&[], |info| info.fields))
    }
}
