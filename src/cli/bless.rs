//! `vmconf bless`

mod answer;
pub(super) mod change;

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;
use vmconf::model::{CaseReport, Exit, Verdict, counted, vector_step};
use vmconf::run::bless::{self, BlessOptions, BlessRefusal, Blessed, CaseChange, Missing, OutcomeChange};
use vmconf::run::sources::VectorSource;

use self::answer::{PromptAnswer, ask};
use self::change::{BlessedFile, OldAndNew, write};
use super::errors::UsageError;
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::{VmArgs, with_misconduct};

/// Update expectations to what the machine did
///
/// Example: vmconf bless vectors/ --filter add
///
/// Changes only the values that differ and keeps every other byte of a file. Shows the change of each case and
/// which instruction made the first value that differs, and on a terminal asks before it writes.
#[derive(Debug, Args)]
pub(super) struct Bless {
    #[command(flatten)]
    pub(super) select: Select,

    /// Write without asking; needs PATHS
    #[arg(short, long)]
    yes: bool,

    /// Also demand what the format can demand and the vector does not
    #[arg(long, conflicts_with = "leaf")]
    fill: bool,

    /// Only the value at this path, as `vmconf run` prints it, and what is inside it
    #[arg(long, value_name = "PATH")]
    leaf: Option<String>,

    /// Also accept a different outcome, such as a halt instead of a fault
    #[arg(long)]
    allow_outcome_change: bool,

    #[command(flatten)]
    vm: VmArgs,
}

impl Bless {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if self.yes && self.select.is_unnamed() {
            let searched: Vec<_> =
                self.select.searched().iter().map(|path| path.display().to_string()).collect();
            let searched = searched.join(" ");
            return Err(UsageError(format!(
                "error: --yes without PATHS would write all of {searched}\ntip: add to the command what to write, \
                 such as {searched}"
            ))
            .into());
        }
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        let wanted = BlessOptions {
            leaf: self.leaf.clone(),
            except: None,
            outcome_change: if self.allow_outcome_change {
                OutcomeChange::Allow
            } else {
                OutcomeChange::Refuse
            },
            missing: if self.fill { Missing::Fill } else { Missing::Keep },
        };
        let sources = self.select.sources(settings, &options)?;
        let mut input = io::stdin().lock();
        let mut session = BlessSession::new(self.consent(), &mut input);
        for source in &sources {
            let file = BlessedFile::new(&source, &options);
            session.file(&source, &file, &bless::bless(&source, &options, &wanted))?;
            if session.consent == Consent::Ended {
                break;
            }
        }
        Ok(with_misconduct(&options.run.testee, session.end()?))
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
    /// Ask the user about each case.
    Asked,
    /// There is no terminal on which to ask the user.
    Missing,
    /// The user ended the command.
    Ended,
}

/// The number of cases, and of refused data, by outcome.
#[derive(Debug, Default)]
struct BlessCounts {
    passed: usize,
    blessed: usize,
    not_written: usize,
    /// How many of those were accepted, but their file cannot be written.
    unwritable: usize,
    not_asked_for: usize,
    refused: usize,
    unsupported: usize,
    broken: usize,
}

struct AcceptedChanges<'b> {
    source: &'b VectorSource,
    blessed: &'b Blessed,
    accepted: Vec<&'b CaseChange>,
    /// How many of the accepted changes are written.
    written: usize,
    /// The text of the file with the changes that are written.
    text: String,
}

impl AcceptedChanges<'_> {
    /// Writes those that are not yet written. Returns whether the file has all of them.
    fn write(&mut self) -> bool {
        if self.written == self.accepted.len() {
            return true;
        }
        let new = self.blessed.with(self.accepted.iter().copied());
        let is_written = write(self.source, OldAndNew { old: &self.text, new: &new });
        if is_written {
            (self.written, self.text) = (self.accepted.len(), new);
        }
        is_written
    }
}

struct BlessSession<'i> {
    consent: Consent,
    /// Where the answers come from.
    input: &'i mut dyn BufRead,
    counts: BlessCounts,
}

impl<'i> BlessSession<'i> {
    fn new(consent: Consent, input: &'i mut dyn BufRead) -> BlessSession<'i> {
        BlessSession { consent, input, counts: BlessCounts::default() }
    }

    fn file(&mut self, source: &VectorSource, file: &BlessedFile<'_>, blessed: &Blessed) -> io::Result<()> {
        self.counts.passed += blessed.passed;
        self.counts.not_asked_for += blessed.not_asked_for;
        self.counts.refused += blessed.refused.len();
        let is_unsupported = |report: &&CaseReport| matches!(report.verdict, Verdict::Unsupported(_));
        let unsupported = blessed.broken.iter().filter(is_unsupported).count();
        self.counts.unsupported += unsupported;
        self.counts.broken += blessed.broken.len() - unsupported;
        blessed.broken.iter().for_each(note_broken);
        blessed.refused.iter().for_each(note_refused);
        if blessed.changes.is_empty() {
            return Ok(());
        }
        let AcceptedChanges { accepted, written, .. } = self.review(source, file, blessed)?;
        self.counts.unwritable += accepted.len() - written;
        self.counts.blessed += written;
        self.counts.not_written += blessed.changes.len() - written;
        Ok(())
    }

    /// Shows the changes of a file, and writes those that are accepted.
    fn review<'b>(
        &mut self,
        source: &'b VectorSource,
        file: &BlessedFile<'_>,
        blessed: &'b Blessed,
    ) -> io::Result<AcceptedChanges<'b>> {
        let text = blessed.old.clone();
        let mut changes = AcceptedChanges { source, blessed, accepted: Vec::new(), written: 0, text };
        for change in &blessed.changes {
            file.show(change, blessed)?;
            match self.answer(file, change)? {
                PromptAnswer::Yes | PromptAnswer::All => changes.accepted.push(change),
                PromptAnswer::SkipFile | PromptAnswer::Quit => break,
                PromptAnswer::No | PromptAnswer::Explain => {}
            }
            // At the next prompt, Ctrl-C ends the process.
            if self.consent == Consent::Asked && !changes.write() {
                return Ok(changes);
            }
        }
        changes.write();
        Ok(changes)
    }

    /// What to do with a change that is shown.
    fn answer(&mut self, file: &BlessedFile<'_>, change: &CaseChange) -> io::Result<PromptAnswer> {
        match self.consent {
            Consent::Given => return Ok(PromptAnswer::Yes),
            Consent::Missing | Consent::Ended => return Ok(PromptAnswer::No),
            Consent::Asked => {}
        }
        let answer = loop {
            match ask(&change.case.to_string(), self.input)? {
                PromptAnswer::Explain => file.show_explanation(&change.case)?,
                answer => break answer,
            }
        };
        match answer {
            PromptAnswer::All => self.consent = Consent::Given,
            PromptAnswer::Quit => self.consent = Consent::Ended,
            PromptAnswer::Yes | PromptAnswer::No | PromptAnswer::SkipFile | PromptAnswer::Explain => {}
        }
        Ok(answer)
    }

    fn end(&self) -> io::Result<Exit> {
        let BlessCounts { passed, blessed, not_written, not_asked_for, refused, unsupported, broken, .. } =
            self.counts;
        if not_written > 0 && self.consent == Consent::Missing {
            output::note(
                "note: nothing is written without a terminal to ask on; --yes writes the changes shown",
            );
        }
        if not_asked_for > 0 {
            let cases = counted(not_asked_for, "case");
            note!("note: differences of {cases} are not in what --leaf names");
        }
        let mut out = output::stdout();
        writeln!(
            out,
            "{passed} passed, {blessed} blessed, {not_written} not written, {refused} refused, {}{}",
            if unsupported > 0 { format!("{unsupported} unsupported, ") } else { String::new() },
            counted(broken, "error")
        )?;
        out.flush()?;
        Ok(match self.counts {
            BlessCounts { broken: 1.., .. } | BlessCounts { unwritable: 1.., .. } => Exit::Broken,
            BlessCounts { not_written: 1.., .. }
            | BlessCounts { refused: 1.., .. }
            | BlessCounts { not_asked_for: 1.., .. } => Exit::Failed,
            BlessCounts { passed: 0, blessed: 0, .. } => Exit::NothingRan,
            _ => Exit::Passed,
        })
    }
}

pub(super) fn note_broken(report: &CaseReport) {
    let diagnostics = match &report.verdict {
        Verdict::Error(diagnostics) => diagnostics,
        Verdict::Unsupported(why) => return note!("unsupported: {}: {why}", report.id),
        verdict => {
            if let Some(breakdown) = verdict.breakdown() {
                note!("{}: {}: {}", verdict.name(), report.id, breakdown.what);
            }
            return;
        }
    };
    for diagnostic in diagnostics {
        let place = diagnostic.place.as_ref().map(|place| format!("{}:{}", report.id.file, place.position));
        let place = place.unwrap_or_else(|| report.id.to_string());
        note!("error: {place}: {}", diagnostic.what);
    }
}

fn note_refused(refusal: &BlessRefusal) {
    let BlessRefusal { case, step, at, place, why, is_outcome_change } = refusal;
    let step = vector_step(*step);
    let at = at.as_ref().map_or(String::new(), |at| format!("{step}{at}: "));
    let advice = if *is_outcome_change { "; --allow-outcome-change accepts that" } else { "" };
    note!("refused: {}:{}: {at}{why}{advice}", case.file, place.position);
    note!("  in {case}");
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::fs;
    use std::path::Path;

    use vmconf::run::LoadOptions;
    use vmconf::run::sources::SourceOrigin;

    use super::*;

    /// Ten programs that leave 7, of which each case demands another number.
    fn vector() -> String {
        let case = |number: u8| {
            let result =
                format!(r#"{{"state": "HALT", "resultStack": [{{"type": "Integer", "value": {number}}}]}}"#);
            format!(
                r#"{{"name": "{number}", "script": ["PUSH7"], "steps": [{{"actions": ["Execute"], "result": {result}}}]}}"#
            )
        };
        format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, [10, 11, 12, 13].map(case).join(",\n"))
    }

    /// The numbers that the vector demands after these answers, and the counts.
    fn reviewed(answers: &str) -> (Vec<u8>, BlessCounts) {
        let folder = tempfile::tempdir().unwrap();
        let (options, mut input) = (LoadOptions::default(), answers.as_bytes());
        let mut session = BlessSession::new(Consent::Asked, &mut input);
        let mut numbers = Vec::new();
        for name in ["a.json", "b.json"] {
            let path = folder.path().join(name);
            fs::write(&path, vector()).unwrap();
            let source = VectorSource::new(path.clone(), name.into(), SourceOrigin::Named);
            if session.consent != Consent::Ended {
                let blessed = bless::bless(&source, &options, &BlessOptions::default());
                session.file(&source, &BlessedFile::new(&source, &options), &blessed).unwrap();
            }
            let text = fs::read_to_string(&path).unwrap();
            let number = |part: &str| part.split('}').next().unwrap().parse::<u8>().unwrap();
            numbers.extend(text.split("\"value\": ").skip(1).map(number));
        }
        (numbers, session.counts)
    }

    /// Answers `y`, and looks at the file before each answer.
    struct WatchingUser<'p> {
        path: &'p Path,
        answer: &'static [u8],
        seen: Vec<usize>,
    }

    impl io::Read for WatchingUser<'_> {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("lines are read"))
        }
    }

    impl BufRead for WatchingUser<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            if self.answer.is_empty() {
                self.seen.push(fs::read_to_string(self.path)?.matches("\"value\": 7}").count());
                self.answer = b"y\n";
            }
            Ok(self.answer)
        }

        fn consume(&mut self, count: usize) {
            self.answer = &self.answer[count..];
        }
    }

    /// Ctrl-C at the next question loses no accepted case.
    #[test]
    fn an_accepted_case_is_written_before_the_next_question() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, vector()).unwrap();
        let source = VectorSource::new(path.clone(), "a.json".into(), SourceOrigin::Named);
        let options = LoadOptions::default();
        let mut user = WatchingUser { path: &path, answer: b"", seen: Vec::new() };
        let mut session = BlessSession::new(Consent::Asked, &mut user);
        let blessed = bless::bless(&source, &options, &BlessOptions::default());
        session.file(&source, &BlessedFile::new(&source, &options), &blessed).unwrap();
        assert_eq!(session.counts.blessed, 4);
        assert_eq!(user.seen, [0, 1, 2, 3]);
    }

    #[test]
    fn each_answer_is_for_one_case() {
        let check = |answers: &str, expected: [u8; 8], blessed: usize, not_written: usize| {
            let (numbers, counts) = reviewed(answers);
            assert_eq!(
                (numbers, counts.blessed, counts.not_written),
                (expected.to_vec(), blessed, not_written),
                "{answers:?}"
            );
        };
        check("y\nn\ny\nn\nn\nn\nn\ny\n", [7, 11, 7, 13, 10, 11, 12, 7], 3, 5);
        check("n\na\n", [10, 7, 7, 7, 7, 7, 7, 7], 7, 1);
        check("y\ns\nn\ny\nq\n", [7, 11, 12, 13, 10, 7, 12, 13], 2, 6);
        check("?\nd\ny\nq\n", [7, 11, 12, 13, 10, 11, 12, 13], 1, 3);
        check("", [10, 11, 12, 13, 10, 11, 12, 13], 0, 4);
    }
}
