//! `vmconf minimize`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use vmconf::explain;
use vmconf::hunt::minimize::{self, KeptFailure, MAX_TIMEOUTS, MinimizeOptions, MinimizedCase, SearchEnd};
use vmconf::model::{CaseOutcome, Exit, VerdictKind, counted};
use vmconf::report::explanation;
use vmconf::run::sources::VectorSource;
use vmconf::run::{self, LoadOptions, LoadedFile, Worker};
use vmconf::testees::MakeTestee;
use vmconf::wire::line::harmless;

use super::bless::note_broken;
use super::early_end::EarlyEnd;
use super::errors::NothingToDo;
use super::new_file::ForceArgs;
use super::number::number;
use super::output;
use super::select::Select;
use super::settings::Settings;
use super::vm::VmArgs;

/// Minimize a failing case
///
/// Example: vmconf minimize tests/samples/vmtests/wrong/storage-value.json
///
/// Takes the first selected case that fails. Removes parts of its file, instructions of its programs (with jumps
/// adjusted) and digits of its numbers as long as it fails for the same reason, and prints a valid file with what is
/// left. With --vm, the embedded machine determines what the smaller program must do.
#[derive(Debug, Args)]
pub(super) struct MinimizeCommand {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vm: VmArgs,

    /// What the smaller case keeps
    #[arg(long, value_name = "WHAT", default_value = "cause")]
    keep: KeepArg,

    /// Write the file here instead of to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    /// Maximum number of changes that are tried
    #[arg(long, value_name = "N", default_value = "20000", value_parser = number::<usize>)]
    tries: usize,
}

/// What the smaller case keeps.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum KeepArg {
    /// What differs, and the instruction that made the first wrong value
    Cause,
    /// That it fails, whatever differs
    Verdict,
}

impl MinimizeCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if let Some(path) = &self.out {
            self.force.check(path)?;
        }
        let mut options = self.select.options(settings)?;
        let end = EarlyEnd::on_interrupt()?;
        options.run.testee = self.vm.testee(settings, &end.groups, &end.interrupt)?;
        options.run.interrupt = end.interrupt.clone();
        options.run.flaky = self.vm.flaky();
        let sources = self.select.sources(settings, &options)?;
        let mut worker = Worker::new(&options.run);
        let mut broken = 0;
        for source in &sources {
            let loaded = run::open(&source, &options);
            if let Some(report) = loaded.broken() {
                broken += 1;
                note_broken(&report);
            }
            for case in 0..loaded.cases() {
                let report = worker.run_case(&loaded, case);
                if report.verdict.kind().outcome() == Some(CaseOutcome::Fails) {
                    drop(worker);
                    note!("note: {} fails", report.id);
                    end.begin();
                    return self.minimize((&loaded, case), &source, &options, &end);
                }
                if report.verdict.kind() == VerdictKind::Error {
                    broken += 1;
                    note_broken(&report);
                }
            }
        }
        if broken > 0 {
            return Ok(Exit::Broken);
        }
        Err(NothingToDo("no selected case fails".to_owned()).into())
    }

    fn minimize(
        &self,
        (loaded, case): (&LoadedFile<'_>, usize),
        source: &VectorSource,
        options: &LoadOptions,
        end: &EarlyEnd,
    ) -> anyhow::Result<Exit> {
        let subject = minimize::options_of(options, source, options.run.testee.clone());
        let has_reference = options.run.testee.vm().is_some() && !run::is_elsewhere(loaded);
        let reference = has_reference.then(|| minimize::options_of(options, source, MakeTestee::default()));
        let keep = match self.keep {
            KeepArg::Cause => KeptFailure::Cause,
            KeepArg::Verdict => KeptFailure::Verdict,
        };
        let how = MinimizeOptions {
            keep,
            max_tries: self.tries,
            max_bytes: usize::MAX,
            deadline: None,
            keeps: None,
        };
        let small = match minimize::minimize((loaded, case), source, &subject, reference.as_ref(), how) {
            // Nothing was tried yet.
            Err(_) if end.interrupt.is_requested() => return Ok(Exit::Interrupted),
            small => small?,
        };
        if let Some(path) = &self.out {
            self.force.write(path, small.text.as_bytes())?;
        } else {
            output::print(|out| out.write_all(harmless(&small.text).as_bytes()))?;
        }
        note_result(&small, source, &subject);
        if run::is_elsewhere(loaded) {
            output::note("note: no other machine says what is right, so demands were only kept or removed");
        }
        Ok(end.exit(Exit::Passed))
    }
}

/// Says how much smaller the case is, and why it fails.
fn note_result(small: &MinimizedCase, source: &VectorSource, subject: &LoadOptions) {
    let MinimizedCase { text, before, after, tries, end, .. } = small;
    let lines = |count| counted(count, "line");
    let ended = match end {
        SearchEnd::Minimal => String::new(),
        SearchEnd::Tries => "; --tries allows more".to_owned(),
        SearchEnd::Timeouts => format!("; stopped after {MAX_TIMEOUTS} time-outs"),
        SearchEnd::Interrupt => "; interrupted: more may be possible".to_owned(),
        // There is no flag for these.
        SearchEnd::Bytes | SearchEnd::Deadline => "; stopped early".to_owned(),
    };
    note!(
        "note: {} instead of {}, {} bytes instead of {}; {} tried{ended}",
        lines(after.lines),
        before.lines,
        after.bytes,
        before.bytes,
        counted(*tries, "change"),
    );
    if subject.run.interrupt.is_requested() {
        return;
    }
    let source = VectorSource { only: None, ..source.clone() };
    let loaded = run::open_text(&source, text.clone(), subject);
    if let Some(line) = explanation::in_a_line(&explain::explain_on_screen(&loaded, 0, &subject.run)) {
        note!("note: {line}");
    }
}
