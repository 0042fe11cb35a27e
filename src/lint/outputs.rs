//! The formats in which diagnostics are written.

use super::output::OutputKind;
use super::{sarif, text};

/// All formats; the first is the default.
pub static OUTPUTS: &[OutputKind] = &[
    OutputKind {
        name: "text",
        doc: "For people, as compilers write it",
        new: |out, options| Box::new(text::LintText::new(out, options.extent)),
    },
    OutputKind {
        name: "sarif",
        doc: "SARIF 2.1.0, for code scanning and editors; all findings",
        new: |out, options| Box::new(sarif::LintSarif::new(out, options.below_checkout)),
    },
];
