//! A change of a case, as it is shown, and how a file is written.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use vmconf::explain;
use vmconf::model::{CaseId, Explanation, escaped};
use vmconf::report::explanation::{self, ExplanationLength};
use vmconf::report::truncate::truncate;
use vmconf::run::bless::{BlessExcerpt, Blessed, CaseChange};
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, LoadOptions, LoadedFile};
use vmconf::text::shell::quoted;

use crate::cli::output;
use crate::cli::result_file::ResultFile;
use crate::cli::text_diff::{self, AROUND};

const NAME: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The longest part of a line that is shown if all of it changes, in characters, and how much text around the case is.
const MAX_LENGTH: usize = 2_000;

/// The longest part of a line that is shown if little of it changes, in characters.
const MAX_UNCHANGED: usize = 160;

/// The text of a file before and after a change.
#[derive(Clone, Copy)]
pub(in crate::cli) struct OldAndNew<'t> {
    pub(in crate::cli) old: &'t str,
    pub(in crate::cli) new: &'t str,
}

/// A file whose cases are explained.
pub(super) struct BlessedFile<'o> {
    source: &'o VectorSource,
    options: &'o LoadOptions,
    loaded: OnceCell<(LoadedFile<'o>, CaseIndices)>,
}

/// The index of each case of a file.
type CaseIndices = HashMap<CaseId, usize>;

impl BlessedFile<'_> {
    pub(super) fn new<'o>(source: &'o VectorSource, options: &'o LoadOptions) -> BlessedFile<'o> {
        BlessedFile { source, options, loaded: OnceCell::new() }
    }

    /// Prints the id of the case, why it differs, and the change as a unified diff.
    pub(super) fn show(&self, change: &CaseChange, blessed: &Blessed) -> io::Result<()> {
        let case = &change.case;
        let mut out = output::stdout();
        let mut line = |style: Style, text: &str| writeln!(out, "{style}{}{style:#}", escaped(text));
        line(NAME, &case.to_string())?;
        if let Some(why) = self.explain(case).as_ref().and_then(explanation::in_a_line) {
            line(Style::new(), &format!("  {why}"))?;
        }
        line(NAME, &format!("--- {}", self.source.shown))?;
        line(NAME, &format!("+++ {}", self.source.shown))?;
        let diff = unified_diff(&blessed.excerpt(change, AROUND, MAX_LENGTH));
        let lines: Vec<_> = diff.lines().collect();
        for text in shortened(&lines) {
            line(text_diff::style(&text), &text)?;
        }
        if lines.iter().any(|line| line.len() > MAX_LENGTH) {
            let case = quoted(&case.to_string());
            line(DIM, &format!("  long lines are cut; all of it: vmconf diff --output json {case}"))?;
        }
        out.flush()
    }

    /// Prints what `vmconf diff` prints about the case.
    pub(super) fn show_explanation(&self, case: &CaseId) -> io::Result<()> {
        let Some(explained) = self.explain(case) else { return Ok(()) };
        let mut text = Vec::new();
        explanation::write(&mut text, &explained, ExplanationLength::Screen)?;
        let mut out = output::stdout();
        out.write_all(&text)?;
        out.flush()
    }

    /// Why the case fails; `None` if it passes.
    fn explain(&self, case: &CaseId) -> Option<Explanation> {
        let (loaded, indices) = self.loaded.get_or_init(|| {
            let loaded = run::open(self.source, self.options);
            let indices = loaded.ids().cloned().zip(0..).collect();
            (loaded, indices)
        });
        let explained = explain::explain_on_screen(loaded, *indices.get(case)?, &self.options.run);
        explained.report.verdict.failure().is_some().then_some(explained)
    }
}

/// The hunks of a unified diff, without the names of the files.
fn unified_diff(BlessExcerpt { line, old, new }: &BlessExcerpt) -> String {
    let hunks = text_diff::hunks(old, new);
    hunks.split_inclusive('\n').map(|text| moved(text, line - 1).unwrap_or_else(|| text.to_owned())).collect()
}

/// The lines of a diff, of which long ones are cut around what differs: a case or a whole file can be one line.
fn shortened(mut lines: &[&str]) -> Vec<String> {
    let mut short = Vec::new();
    while let [first, ..] = lines {
        let run = |lines: &[&str], sign: char| lines.iter().take_while(|line| line.starts_with(sign)).count();
        let (old, rest) = lines.split_at(run(lines, '-'));
        let (new, rest) = rest.split_at(run(rest, '+'));
        if old.is_empty() && new.is_empty() {
            short.push(truncate(first, 0, MAX_UNCHANGED));
            lines = &lines[1..];
            continue;
        }
        let cut = |line: &str, other: Option<&&str>| {
            let (sign, line) = line.split_at(1);
            format!("{sign}{}", around_difference(line, other.map_or("", |other| &other[1..])))
        };
        short.extend(old.iter().enumerate().map(|(at, line)| cut(line, new.get(at))));
        short.extend(new.iter().enumerate().map(|(at, line)| cut(line, old.get(at))));
        lines = rest;
    }
    short
}

/// A line, cut around all that differs from the other one as far as that is not too long.
fn around_difference(line: &str, other: &str) -> String {
    let same = line.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let (of_line, of_other) = (line.chars().count(), other.chars().count());
    let after = line.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other).count();
    let differing = of_line - same - after.min(of_line.min(of_other) - same);
    let width = (differing + MAX_UNCHANGED / 2).clamp(MAX_UNCHANGED, MAX_LENGTH);
    let focus = if differing < width { same + differing / 2 } else { same };
    truncate(line, focus, width)
}

/// The head of a hunk, this many lines further down; `None` for any other line.
fn moved(line: &str, down: usize) -> Option<String> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, end) = new.split_once(" @@")?;
    let moved = |range: &str| {
        let (start, count) = range.split_once(',')?;
        Some(format!("{},{count}", start.parse::<usize>().ok()? + down))
    };
    Some(format!("@@ -{} +{} @@{end}", moved(old)?, moved(new)?))
}

/// Replaces the text of the file. On failure, prints a note and returns false.
pub(in crate::cli) fn write(source: &VectorSource, texts: OldAndNew<'_>) -> bool {
    match source.check_writable().and_then(|()| try_write(&source.path, texts)) {
        Ok(()) => true,
        Err(error) => {
            note!("not written: {}: {error}", source.shown);
            false
        }
    }
}

/// Replaces the text of the file, unless it changed since it was read.
pub(in crate::cli) fn try_write(path: &Path, texts: OldAndNew<'_>) -> io::Result<()> {
    // Replace the target of a link, so that the link stays.
    let path = path.canonicalize()?;
    if !path.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if fs::read(&path)? != texts.old.as_bytes() {
        return Err(io::Error::other("the file changed since it was read"));
    }
    ResultFile::write_over(&path, texts.new.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_hunks_move() {
        assert_eq!(moved("@@ -1,7 +1,8 @@\n", 10).as_deref(), Some("@@ -11,7 +11,8 @@\n"));
        assert_eq!(moved("-@@ -1,7 +1,8 @@\n", 10), None);
    }

    #[test]
    fn long_lines_are_cut_around_what_differs() {
        let (start, end) = ("a".repeat(9_000), "z".repeat(9_000));
        let [old, new] = ["one", "two"].map(|middle| format!("{start}{middle}{end}"));
        let lines = [format!(" {start}"), format!("-{old}"), format!("+{new}"), " b".to_owned()];
        let short = shortened(&lines.each_ref().map(|line| &**line));
        assert!(short.len() == 4 && short.iter().all(|line| line.chars().count() <= 2_001), "{short:?}");
        assert!(short[1].starts_with("-…a") && short[1].contains("aonez"), "{}", short[1]);
        assert!(short[2].starts_with("+…a") && short[2].contains("atwoz"), "{}", short[2]);
        assert_eq!(short[3], " b");
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_stays() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("vector.json");
        fs::write(&path, "old")?;
        let texts = |old| OldAndNew { old, new: "new" };
        assert!(try_write(&path, texts("older")).is_err_and(|error| error.to_string().contains("changed")));
        assert_eq!(fs::read_to_string(&path)?, "old");
        try_write(&path, texts("old"))?;
        assert_eq!(fs::read_to_string(&path)?, "new");
        assert!(try_write(folder.path(), texts("old")).is_err());
        Ok(())
    }

    #[test]
    fn all_that_differs_in_a_long_line_is_shown() {
        let line = |one: &str, other: &str| {
            let text = |letter: &str, count: usize| letter.repeat(count);
            format!("{}{one}{}{other}{}", text("a", 900), text("b", 300), text("c", 900))
        };
        let (old, new) = (line("1", "2"), line("11", "3"));
        let [old, new] = [around_difference(&old, &new), around_difference(&new, &old)];
        assert!(old.contains(&format!("a1{}2c", "b".repeat(300))), "{old}");
        assert!(new.contains(&format!("a11{}3c", "b".repeat(300))), "{new}");
        assert!([&old, &new].iter().all(|line| line.chars().count() <= 303 + MAX_UNCHANGED), "{old}\n{new}");
        let one = around_difference(&line("1", "2"), &line("1", "3"));
        assert!(one.contains("b2c") && one.chars().count() <= MAX_UNCHANGED, "{one}");
        assert_eq!(around_difference("same", "same"), "same");
        assert_eq!(around_difference("aa", "aaa"), "aa");
    }
}
