//! What was found, for people: as compilers write it, in at most 100 columns where the names of
//! files allow it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::cursor::Cursor;
use super::output::{Extent, Output, Summary};
use super::{Checked, LintFinding};
use crate::formats::Severity;
use crate::model::diagnostic::Place;
use crate::model::escape::escaped;
use crate::model::rule::Rule;
use crate::text::excerpt::Excerpt;
use crate::text::json::quoted;

const WIDTH: usize = 100;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The text for people. It writes colours; where they are not wanted, the writer takes them out.
pub(super) struct Text {
    out: Box<dyn Write>,
    extent: Extent,
    told: BTreeMap<(Severity, Rule), Told>,
}

/// How often findings of one kind were told, and in how many files how many were not.
#[derive(Default)]
struct Told {
    shown: usize,
    left_out: usize,
    files: usize,
}

impl Text {
    pub(super) fn new(out: Box<dyn Write>, extent: Extent) -> Text {
        Text { out, extent, told: BTreeMap::new() }
    }

    /// Whether findings like this have not been told often enough.
    fn is_shown(&self, diagnostic: &LintFinding) -> bool {
        // Each error is to be mended; a few of the others show what is meant.
        let most = match (self.extent, diagnostic.severity) {
            (Extent::All, _) => return true,
            (Extent::First, Severity::Error) => 100,
            (Extent::First, Severity::Warning | Severity::Note) => 3,
        };
        self.told.get(&kind(diagnostic)).is_none_or(|told| told.shown < most)
    }
}

fn kind(diagnostic: &LintFinding) -> (Severity, Rule) {
    (diagnostic.severity, diagnostic.problem.rule)
}

impl Output for Text {
    fn file(&mut self, checked: &Checked) -> io::Result<()> {
        let mut cursor = checked.text.as_deref().map(Cursor::new);
        let mut left_out = BTreeMap::<_, usize>::new();
        for diagnostic in &checked.diagnostics {
            if self.is_shown(diagnostic) {
                self.told.entry(kind(diagnostic)).or_default().shown += 1;
                let place = checked.text.as_deref().zip(cursor.as_mut());
                let place = place.map(|(text, cursor)| place_of(diagnostic, text, cursor));
                block(&mut self.out, &checked.file, diagnostic, place.as_ref())?;
            } else {
                *left_out.entry(kind(diagnostic)).or_default() += 1;
            }
        }
        for (kind, count) in left_out {
            let told = self.told.entry(kind).or_default();
            told.left_out += count;
            told.files += 1;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for ((severity, rule), Told { left_out, files, .. }) in self.told.iter().rev() {
            if *left_out > 0 {
                let style = style(*severity);
                let files = counted(*files, "file");
                let head = format!("{}[{}]", severity.name(), rule.name());
                writeln!(
                    self.out,
                    "{style}{head}{style:#}: and {left_out} more like this in {files}; --all tells them all"
                )?;
            }
        }
        if self.told.values().any(|told| told.left_out > 0) {
            writeln!(self.out)?;
        }
        counts(&mut self.out, summary)?;
        self.out.flush()
    }
}

fn place_of(diagnostic: &LintFinding, text: &str, cursor: &mut Cursor<'_>) -> Place {
    cursor.go_to(diagnostic.problem.at as usize);
    Place::at(text, diagnostic.problem.at, cursor.position())
}

/// One finding, complete in itself.
fn block(out: &mut dyn Write, file: &str, diagnostic: &LintFinding, place: Option<&Place>) -> io::Result<()> {
    let LintFinding { severity, problem, edit } = diagnostic;
    let style = style(*severity);
    let head = format!("{}[{}]", severity.name(), problem.rule.name());
    let what = wrapped(&problem.what, head.len() + 2, "  ");
    writeln!(out, "{style}{head}{style:#}{BOLD}: {what}{BOLD:#}")?;
    let file = escaped(file);
    match place {
        None => writeln!(out, " {DIM}-->{DIM:#} {file}")?,
        Some(place) => {
            writeln!(out, " {DIM}-->{DIM:#} {file}:{}", place.position)?;
            write!(out, "{}", Excerpt { place, indent: 1, caret: style })?;
        }
    }
    let mut say = |label: &str, text: &str| {
        let text = wrapped(text, label.len() + 5, "     ");
        writeln!(out, " {DIM}={DIM:#} {BOLD}{label}{BOLD:#}: {text}")
    };
    if let Some(expected) = &problem.expected {
        say("expected", expected)?;
    }
    if let Some(meant) = problem.suggestion() {
        say("help", &format!("did you mean {}?", quoted(meant)))?;
    }
    if edit.is_some() {
        say("help", "--fix mends it")?;
    }
    writeln!(out)
}

fn counts(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let Summary { files, cases, errors, warnings, notes, fixable, .. } = summary;
    let severities = [(Severity::Error, errors), (Severity::Warning, warnings), (Severity::Note, notes)];
    let each = severities.map(|(severity, count)| {
        let style = if *count > 0 { style(severity) } else { Style::new() };
        format!("{style}{}{style:#}", counted(*count, severity.name()))
    });
    let (files, cases) = (counted(*files, "file"), counted(*cases, "case"));
    writeln!(out, "{files}, {cases}: {}; {fixable} fixable", each.join(", "))
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// The text, escaped, in lines that end within the width; the first starts at column `column`, the
/// others behind `indent`.
fn wrapped(text: &str, mut column: usize, indent: &str) -> String {
    let mut lines = String::new();
    for (index, word) in escaped(text).split(' ').enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(indent);
            column = indent.len();
        } else if index > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}
