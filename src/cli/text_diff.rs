//! How two texts differ, line by line.

use anstyle::{AnsiColor, Style};
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};

/// The number of lines around a change that a unified diff shows.
pub(super) const AROUND: usize = 3;

/// The hunks of a unified diff, without the names of files.
pub(super) fn hunks(old: &str, new: &str) -> String {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let mut config = UnifiedDiffConfig::default();
    config.context_len(AROUND as u32);
    let printer = BasicLineDiffPrinter(&input.interner);
    diff.unified_diff(&printer, config, &input).to_string()
}

pub(super) fn style(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'@') => AnsiColor::Cyan.on_default(),
        Some(b'-') => AnsiColor::Red.on_default(),
        Some(b'+') => AnsiColor::Green.on_default(),
        _ => Style::new(),
    }
}
