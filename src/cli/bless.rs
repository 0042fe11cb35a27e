//! `vmconf bless`

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::Args;
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
use vmconf::model::case_report::CaseReport;
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::model::exit_code::Exit;
use vmconf::model::verdict::{Verdict, vector_step};
use vmconf::run::bless::{self, Blessed, OutcomeChange, Refusal, Texts, Wishes};
use vmconf::run::sources::Source;

use super::output;
use super::result_file::ResultFile;
use super::select::Select;
use super::settings::Settings;

/// Update expectations to what the machine did
///
/// Example: vmconf bless vectors/ --filter add
///
/// Changes only the values that differ and keeps every other byte of a file. Shows each change, and on a
/// terminal asks before it writes.
#[derive(Debug, Args)]
pub(super) struct Bless {
    #[command(flatten)]
    pub(super) select: Select,

    /// Write without asking
    #[arg(short, long)]
    yes: bool,

    /// Only the value at this path, as `vmconf run` prints it, and what is inside it
    #[arg(long, value_name = "PATH")]
    leaf: Option<String>,

    /// Also accept a different outcome, such as a halt instead of a fault
    #[arg(long)]
    allow_outcome_change: bool,
}

impl Bless {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let options = self.select.options(settings)?;
        let wishes = Wishes {
            leaf: self.leaf.clone(),
            outcome_change: if self.allow_outcome_change {
                OutcomeChange::Allow
            } else {
                OutcomeChange::Refuse
            },
        };
        let mut session = Session { consent: self.consent(), counts: Counts::default() };
        for source in &self.select.sources(settings, &options)? {
            session.file(&source, bless::bless(&source, &options, &wishes))?;
            if session.consent == Consent::Ended {
                break;
            }
        }
        Ok(session.end()?)
    }

    fn consent(&self) -> Consent {
        match self.yes {
            true => Consent::Given,
            false if io::stdin().is_terminal() && io::stderr().is_terminal() => Consent::Asked,
            false => Consent::Missing,
        }
    }
}

/// Whether files may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    /// Write all files.
    Given,
    /// Ask the user about each file.
    Asked,
    /// There is no terminal on which to ask the user.
    Missing,
    /// The user ended the command.
    Ended,
}

/// The number of cases, and of refused data, by outcome.
#[derive(Debug, Default)]
struct Counts {
    passed: usize,
    blessed: usize,
    not_written: usize,
    not_asked_for: usize,
    refused: usize,
    broken: usize,
}

struct Session {
    consent: Consent,
    counts: Counts,
}

impl Session {
    fn file(&mut self, source: &Source, blessed: Blessed) -> io::Result<()> {
        let Blessed { texts, cases, refused, passed, not_asked_for, broken } = blessed;
        self.counts.passed += passed;
        self.counts.not_asked_for += not_asked_for;
        self.counts.refused += refused.len();
        self.counts.broken += broken.len();
        broken.iter().for_each(note_broken);
        refused.iter().for_each(note_refused);
        let Some(texts) = texts else { return Ok(()) };
        show(source, &texts)?;
        if self.may_write(source)? && write(source, &texts) {
            self.counts.blessed += cases.len();
        } else {
            self.counts.not_written += cases.len();
        }
        Ok(())
    }

    fn may_write(&mut self, source: &Source) -> io::Result<bool> {
        if self.consent != Consent::Asked {
            return Ok(self.consent == Consent::Given);
        }
        let answer = ask(source, &mut io::stdin().lock())?;
        self.consent = match answer {
            Answer::Yes | Answer::No => Consent::Asked,
            Answer::All => Consent::Given,
            Answer::Quit => Consent::Ended,
        };
        Ok(matches!(answer, Answer::Yes | Answer::All))
    }

    fn end(&self) -> io::Result<Exit> {
        let Counts { passed, blessed, not_written, not_asked_for, refused, broken } = self.counts;
        if not_written > 0 && self.consent == Consent::Missing {
            output::note(
                "note: nothing is written, since there is no terminal for the question; --yes writes the changes shown",
            );
        }
        if not_asked_for > 0 {
            let cases = counted(not_asked_for, "case");
            output::note(&format!("note: differences of {cases} are not in what --leaf names"));
        }
        let mut out = output::stdout();
        writeln!(
            out,
            "{passed} passed, {blessed} blessed, {not_written} not written, {refused} refused, {}",
            counted(broken, "error")
        )?;
        out.flush()?;
        Ok(match self.counts {
            Counts { broken: 1.., .. } => Exit::Broken,
            Counts { not_written: 1.., .. }
            | Counts { refused: 1.., .. }
            | Counts { not_asked_for: 1.., blessed: 0, .. } => Exit::Failed,
            Counts { passed: 0, blessed: 0, .. } => Exit::NothingRan,
            _ => Exit::Passed,
        })
    }
}

fn note_broken(report: &CaseReport) {
    let Verdict::Error(diagnostics) = &report.verdict else { return };
    for diagnostic in diagnostics {
        let place = diagnostic.place.as_ref();
        let place = place.map_or(String::new(), |place| format!(":{}", place.position));
        output::note(&format!("error: {}{place}: {}", report.id.file, diagnostic.what));
    }
}

fn note_refused(refusal: &Refusal) {
    let Refusal { case, step, at, place, why } = refusal;
    let step = vector_step(*step);
    output::note(&format!("refused: {}:{}: {step}{at}: {why}", case.file, place.position));
    output::note(&format!("  in {case}"));
}

/// Prints the change as a unified diff.
fn show(source: &Source, texts: &Texts) -> io::Result<()> {
    const NAME: Style = Style::new().bold();
    const HUNK: Style = AnsiColor::Cyan.on_default();
    const OLD: Style = AnsiColor::Red.on_default();
    const NEW: Style = AnsiColor::Green.on_default();
    let mut out = output::stdout();
    let mut line = |style: Style, text: &str| writeln!(out, "{style}{}{style:#}", escaped(text));
    line(NAME, &format!("--- {}", source.shown))?;
    line(NAME, &format!("+++ {}", source.shown))?;
    for text in unified_diff(texts).lines() {
        let style = match text.as_bytes().first() {
            Some(b'@') => HUNK,
            Some(b'-') => OLD,
            Some(b'+') => NEW,
            _ => Style::new(),
        };
        line(style, text)?;
    }
    out.flush()
}

/// The hunks of a unified diff, without the names of the files.
fn unified_diff(texts: &Texts) -> String {
    let input = InternedInput::new(&*texts.old, &*texts.new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    diff.unified_diff(&BasicLineDiffPrinter(&input.interner), UnifiedDiffConfig::default(), &input)
        .to_string()
}

/// The answer of the user for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    All,
    Quit,
}

/// Asks whether to write the file. The end of the input quits.
fn ask(source: &Source, input: &mut impl BufRead) -> io::Result<Answer> {
    loop {
        write!(io::stderr(), "Write {}? [y]es, [n]o, [a]ll, [q]uit: ", escaped(&source.shown))?;
        let mut line = String::new();
        let length = input.read_line(&mut line)?;
        match line.trim() {
            _ if length == 0 => return Ok(Answer::Quit),
            "y" | "yes" => return Ok(Answer::Yes),
            "n" | "no" => return Ok(Answer::No),
            "a" | "all" => return Ok(Answer::All),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

/// Replaces the text of the file. On failure, prints a note and returns false.
fn write(source: &Source, texts: &Texts) -> bool {
    match try_write(&source.path, texts) {
        Ok(()) => true,
        Err(error) => {
            output::note(&format!("not written: {}: {error}", source.shown));
            false
        }
    }
}

fn try_write(path: &Path, texts: &Texts) -> io::Result<()> {
    // Replace the target of a link, so that the link stays.
    let path = path.canonicalize()?;
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::other("the file is read-only"));
    }
    if fs::read(&path)? != texts.old.as_bytes() {
        return Err(io::Error::other("the file changed since it was read"));
    }
    ResultFile::over(&path, texts.new.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_until_there_is_an_answer() {
        let source = Source::new("a".into(), "a".into(), vmconf::run::sources::SourceOrigin::Named);
        let check = |input: &str, answer| assert_eq!(ask(&source, &mut input.as_bytes()).ok(), Some(answer));
        check("y\n", Answer::Yes);
        check("what?\n\nno\n", Answer::No);
        check("a", Answer::All);
        check(" quit \n", Answer::Quit);
        check("", Answer::Quit);
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_stays() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("vector.json");
        fs::write(&path, "old")?;
        let texts = |old: &str| Texts { old: old.to_owned(), new: "new".to_owned() };
        assert!(try_write(&path, &texts("older")).is_err_and(|error| error.to_string().contains("changed")));
        assert_eq!(fs::read_to_string(&path)?, "old");
        try_write(&path, &texts("old"))?;
        assert_eq!(fs::read_to_string(&path)?, "new");
        assert!(try_write(folder.path(), &texts("old")).is_err());
        Ok(())
    }
}
