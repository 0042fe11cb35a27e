//! Colours, the width of lines, and places, as all text for people has them.

use anstyle::{AnsiColor, Style};

use crate::model::{CaseId, DiagnosticPlace, escaped};

/// The width of lines in columns, if the vector's own names allow it.
pub(super) const WIDTH: usize = 100;

pub(super) const FAIL: Style = AnsiColor::Red.on_default().bold();
pub(super) const ERROR: Style = AnsiColor::Magenta.on_default().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const EXPECTED: Style = AnsiColor::Green.on_default();
pub(super) const ACTUAL: Style = AnsiColor::Red.on_default();

/// `file:line:column`, which terminals and editors turn into a link.
pub(super) fn location(id: &CaseId, place: &DiagnosticPlace) -> String {
    format!("{}:{}", escaped(&id.file), place.position)
}
