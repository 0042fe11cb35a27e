//! Diagnostics as text, in the style of compilers. Lines have at most 100 columns, unless the name of a file
//! is longer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::Checked;
use super::output::{LintExtent, LintOutput, LintSummary};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Severity, counted, escaped};
use crate::text::columns::columns;
use crate::text::excerpt::Excerpt;
use crate::text::json::quoted;

const WIDTH: usize = 100;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The text output. It writes colours; the writer removes them if the output is not a terminal.
pub(super) struct LintText {
    out: Box<dyn Write>,
    extent: LintExtent,
    counts: BTreeMap<(Severity, LintRule), ProblemCount>,
}

/// How many diagnostics of one severity and rule were shown, and how many omitted in how many files.
#[derive(Default)]
struct ProblemCount {
    shown: usize,
    omitted: usize,
    files: usize,
}

impl LintText {
    pub(super) fn new(out: Box<dyn Write>, extent: LintExtent) -> LintText {
        LintText { out, extent, counts: BTreeMap::new() }
    }

    /// Whether a diagnostic is still shown, as one of the first of its rule.
    fn is_shown(&self, diagnostic: &Diagnostic) -> bool {
        // Every error has to be fixed, so more are shown; of other diagnostics, a few examples suffice.
        let most = match (self.extent, diagnostic.severity) {
            (LintExtent::All, _) => return true,
            (LintExtent::First, Severity::Error) => 100,
            (LintExtent::First, Severity::Warning | Severity::Note) => 3,
        };
        self.counts.get(&kind(diagnostic)).is_none_or(|count| count.shown < most)
    }
}

fn kind(diagnostic: &Diagnostic) -> (Severity, LintRule) {
    (diagnostic.severity, diagnostic.rule)
}

impl LintOutput for LintText {
    fn file(&mut self, checked: &Checked) -> io::Result<()> {
        let mut omitted = BTreeMap::<_, usize>::new();
        for diagnostic in &checked.diagnostics {
            if self.is_shown(diagnostic) {
                self.counts.entry(kind(diagnostic)).or_default().shown += 1;
                block(&mut self.out, &checked.file, diagnostic)?;
            } else {
                *omitted.entry(kind(diagnostic)).or_default() += 1;
            }
        }
        for (kind, in_file) in omitted {
            let count = self.counts.entry(kind).or_default();
            count.omitted += in_file;
            count.files += 1;
        }
        Ok(())
    }

    fn end(&mut self, summary: &LintSummary) -> io::Result<()> {
        for ((severity, rule), ProblemCount { omitted, files, .. }) in self.counts.iter().rev() {
            if *omitted > 0 {
                let style = style(*severity);
                let files = counted(*files, "file");
                let head = format!("{}[{}]", severity.name(), rule.name());
                writeln!(
                    self.out,
                    "{style}{head}{style:#}: and {omitted} more like this in {files}; --all prints them all"
                )?;
            }
        }
        if self.counts.values().any(|count| count.omitted > 0) {
            writeln!(self.out)?;
        }
        totals(&mut self.out, summary)?;
        self.out.flush()
    }
}

fn block(out: &mut dyn Write, file: &str, diagnostic: &Diagnostic) -> io::Result<()> {
    let style = style(diagnostic.severity);
    let head = format!("{}[{}]", diagnostic.severity.name(), diagnostic.rule.name());
    let what = wrapped(&diagnostic.what, head.len() + 2, "  ");
    writeln!(out, "{style}{head}{style:#}{BOLD}: {what}{BOLD:#}")?;
    let file = escaped(file);
    match &diagnostic.place {
        None => writeln!(out, " {DIM}-->{DIM:#} {file}")?,
        Some(place) => {
            writeln!(out, " {DIM}-->{DIM:#} {file}:{}", place.position)?;
            write!(out, "{}", Excerpt { place, indent: 1, caret: style })?;
        }
    }
    let mut line = |label: &str, text: &str| {
        let text = wrapped(text, label.len() + 5, "     ");
        writeln!(out, " {DIM}={DIM:#} {BOLD}{label}{BOLD:#}: {text}")
    };
    if let Some(expected) = &diagnostic.expected {
        line("expected", expected)?;
    }
    if let Some(name) = diagnostic.suggestion() {
        line("help", &format!("did you mean {}?", quoted(name)))?;
    }
    if diagnostic.edit().is_some() {
        line("help", "--fix repairs it")?;
    }
    writeln!(out)
}

fn totals(out: &mut dyn Write, summary: &LintSummary) -> io::Result<()> {
    let LintSummary { files, cases, errors, warnings, notes, fixable, .. } = summary;
    let severities = [(Severity::Error, errors), (Severity::Warning, warnings), (Severity::Note, notes)];
    let each = severities.map(|(severity, count)| {
        let style = if *count > 0 { style(severity) } else { Style::new() };
        format!("{style}{}{style:#}", counted(*count, severity.name()))
    });
    let (files, cases) = (counted(*files, "file"), counted(*cases, "case"));
    writeln!(out, "{files}, {cases}: {}; {fixable} fixable", each.join(", "))
}

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// Escapes a text and wraps it to the width; the first line starts at column `column`, the others after
/// `indent`.
fn wrapped(text: &str, mut column: usize, indent: &str) -> String {
    let mut lines = String::new();
    // Each word may begin a line.
    for (index, word) in text.split(' ').map(escaped).enumerate() {
        let length = columns(&word);
        if index > 0 && column + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(indent);
            column = indent.len();
        } else if index > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(&word);
        column += length;
    }
    lines
}
