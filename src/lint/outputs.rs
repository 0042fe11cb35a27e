//! The formats in which diagnostics are written.

use super::output::OutputKind;
use super::{sarif, text};

/// All formats; the first is the default.
pub static OUTPUTS: &[OutputKind] = &[
    OutputKind {
        name: "text",
        doc: "for people, as compilers write it",
        new: |out, extent| Box::new(text::LintText::new(out, extent)),
    },
    OutputKind {
        name: "sarif",
        doc: "SARIF 2.1.0, for code scanning and editors; all findings",
        new: |out, _| Box::new(sarif::LintSarif::new(out)),
    },
];
