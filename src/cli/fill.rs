//! `vmconf fill`

mod corpus;
mod fill_lines;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use serde_json::json;
use vmconf::model::{Exit, counted, escaped};
use vmconf::run::fill::{self, ExistingDemands, FillOptions, FillOutcome, FilledCase, FilledFile};
use vmconf::run::{LoadOptions, NamedTestee};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::ProcessVm;
use vmconf::wire::line::write_line;

use self::corpus::{CorpusArgs, CorpusRequest};
use self::fill_lines::shown;
use super::bless::change::{OldAndNew, write};
use super::bless::note_broken;
use super::conduct::{Conduct, SteadyBreakdowns};
use super::errors::UsageError;
use super::number::number;
use super::output;
use super::output_form::OutputForm;
use super::select::Select;
use super::settings::Settings;
use super::vm::VmsArgs;

/// Write expectations on which several machines agree
///
/// Example: vmconf fill vectors/evm/gas --check --vm 'a=vmconf serve evm' --vm 'b=vmconf serve evm'
///
/// Runs each case on each machine. Where enough machines end in the same state, that state becomes the expectation:
/// everything that the format can demand and the case does not. A case that demands something else keeps its demands
/// unless --replace is given. What the machines disagree on is reported and not written. Where the format has a place
/// for it, the machines are recorded: "filledBy" in "_info" of VMTests.
///
/// With --cases, makes a whole corpus of a family instead: states from the types of its members, N for each value of a
/// number (--each), such as an opcode byte. The same seed makes the same corpus.
#[derive(Debug, Args)]
pub(super) struct FillCommand {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vms: VmsArgs,

    /// How many machines must agree, at least 2 [default: all]
    #[arg(long, value_name = "N", value_parser = number::<u16>)]
    agree: Option<u16>,

    /// Also replace what a case demands if the machines agree on something else
    #[arg(long)]
    replace: bool,

    /// Write nothing; the exit code is 1 if anything would be written
    #[arg(long)]
    check: bool,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: OutputForm,

    #[command(flatten)]
    corpus: CorpusArgs,
}

impl FillCommand {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        if self.corpus.cases.is_none() && !self.check && self.select.is_unnamed() {
            let why = "error: name what to write in PATHS, or add --check to write nothing".to_owned();
            return Err(UsageError(why).into());
        }
        let mut options = self.select.options(settings)?;
        options.run.flaky = self.vms.flaky();
        let vms = self.vms.start_until_interrupt(settings, &options.run.interrupt)?;
        let fill_options = self.fill_options(vms.len())?;
        let exit = self.fill(&vms, &options, &fill_options, settings)?;
        let conduct = Conduct { steady: SteadyBreakdowns::Unreported, flaky: self.vms.flaky() };
        Ok(conduct.end(&vms, exit))
    }

    fn fill(
        &self,
        vms: &[Arc<ProcessVm>],
        options: &LoadOptions,
        fill_options: &FillOptions,
        settings: &Settings,
    ) -> anyhow::Result<Exit> {
        if self.corpus.cases.is_some() {
            let request = CorpusRequest {
                args: &self.corpus,
                is_check: self.check,
                output: self.output,
                agree: fill_options.agree,
            };
            return corpus::make(&request, vms, options, settings);
        }
        let machines: Vec<_> = vms.iter().map(|vm| machine(vm, options)).collect();
        let mut session = FillSession { command: self, out: output::stdout(), counts: FillCounts::default() };
        for source in &self.select.sources(settings, options)? {
            let filled = fill::fill(&source, &machines, fill_options);
            let is_changed = filled.new != filled.old;
            let texts = OldAndNew { old: &filled.old, new: &filled.new };
            let end = if !is_changed {
                FileEnd::Same
            } else if self.check || write(&source, texts) {
                FileEnd::Changed
            } else {
                FileEnd::NotWritten
            };
            session.file(&filled, end)?;
            if let Some(format) = filled.format_without_fill {
                let name = &source.shown;
                note!(
                    "note: {name}: nothing is added to cases of {format}: only what they demand is compared"
                );
            }
        }
        session.end()
    }

    fn fill_options(&self, machines: usize) -> anyhow::Result<FillOptions> {
        if machines < 2 {
            bail!("name at least two machines with --vm NAME=COMMAND");
        }
        let agree = self.agree.map_or(machines, usize::from);
        if !(2..=machines).contains(&agree) {
            bail!("--agree {agree}: expected a number from 2 to {machines}, the number of machines");
        }
        let existing = if self.replace { ExistingDemands::Replace } else { ExistingDemands::Keep };
        Ok(FillOptions { agree, existing })
    }
}

fn machine(vm: &Arc<ProcessVm>, options: &LoadOptions) -> NamedTestee {
    NamedTestee::new(vm.command().name.clone(), MakeTestee::in_processes(vm.clone()), options)
}

/// The result of writing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileEnd {
    /// There is nothing to write.
    Same,
    /// It was written, or would be without `--check`.
    Changed,
    /// It could not be written.
    NotWritten,
}

#[derive(Debug, Default)]
struct FillCounts {
    cases: BTreeMap<&'static str, usize>,
    /// Files whose text changes.
    changed: usize,
    broken: usize,
}

struct FillSession<'c, W: Write> {
    command: &'c FillCommand,
    out: W,
    counts: FillCounts,
}

impl<W: Write> FillSession<'_, W> {
    fn file(&mut self, filled: &FilledFile, end: FileEnd) -> anyhow::Result<()> {
        filled.broken.iter().for_each(note_broken);
        self.counts.broken += filled.broken.len();
        self.counts.changed += usize::from(end == FileEnd::Changed);
        for case in &filled.cases {
            let outcome = match case.outcome {
                FillOutcome::Filled if end == FileEnd::NotWritten => NOT_WRITTEN,
                outcome => outcome.into(),
            };
            *self.counts.cases.entry(outcome).or_default() += 1;
            match self.command.output {
                OutputForm::Json => self.line(case, outcome)?,
                OutputForm::Text => self.block(case, outcome)?,
            }
        }
        Ok(self.out.flush()?)
    }

    fn line(&mut self, case: &FilledCase, outcome: &str) -> anyhow::Result<()> {
        let FilledCase { case, outcome: _, groups, silent } = case;
        let groups: Vec<_> =
            groups.iter().map(|group| json!({"vms": group.machines, "line": group.line})).collect();
        let silent: Vec<_> = silent.iter().map(|(vm, why)| json!({"vm": vm, "why": why})).collect();
        let line = json!({
            "type": "case", "id": case.to_string(), "outcome": outcome, "groups": groups, "silent": silent,
        });
        Ok(write_line(&mut self.out, &line)?)
    }

    fn block(&mut self, case: &FilledCase, outcome: &str) -> anyhow::Result<()> {
        // A machine that could not run the case is shown with the reason.
        if case.outcome == FillOutcome::UpToDate && case.silent.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{}  {}", outcome.to_uppercase(), case.case)?;
        for group in &case.groups {
            let line =
                if group.line.is_empty() { String::new() } else { format!(": {}", shown(&group.line)) };
            writeln!(self.out, "  {}{line}", escaped(&group.machines.join(", ")))?;
        }
        for (vm, why) in &case.silent {
            writeln!(self.out, "  {}: {}", escaped(vm), shown(why))?;
        }
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<Exit> {
        let FillCounts { cases, changed, broken } = &self.counts;
        let count = |outcome: FillOutcome| cases.get(outcome.into()).copied().unwrap_or(0);
        let not_written = cases.get(NOT_WRITTEN).copied().unwrap_or(0);
        let (filled, up_to_date) = (count(FillOutcome::Filled), count(FillOutcome::UpToDate));
        let (too_few, not_filled) = (count(FillOutcome::TooFewMachines), count(FillOutcome::NotFilled));
        let otherwise = count(FillOutcome::DemandsOtherwise);
        let open = otherwise + count(FillOutcome::Disagreement) + too_few + not_filled;
        if self.command.output == OutputForm::Json {
            let line = json!({"type": "summary", "cases": cases, "files_changed": changed, "errors": broken});
            write_line(&mut self.out, &line)?;
        } else {
            let disagreements = counted(count(FillOutcome::Disagreement), "disagreement");
            let files = counted(*changed, "file");
            let unless_none =
                |count, what: &str| if count == 0 { String::new() } else { format!("{count} {what}, ") };
            let unwritten = unless_none(not_written, "not written");
            let not_filled = unless_none(not_filled, "not filled");
            let too_few = unless_none(too_few, "run by too few machines");
            let written = if self.command.check { "would change" } else { "changed" };
            writeln!(
                self.out,
                "{filled} filled, {unwritten}{not_filled}{up_to_date} up to date, {otherwise} with other demands, {disagreements}, {too_few}{}; {files} {written}",
                counted(*broken, "error")
            )?;
        }
        self.out.flush()?;
        let is_stale = self.command.check && *changed > 0;
        Ok(if *broken > 0 || not_written > 0 {
            Exit::Broken
        } else if open > 0 || is_stale {
            Exit::Failed
        } else if filled + up_to_date == 0 {
            Exit::NothingRan
        } else {
            Exit::Passed
        })
    }
}

/// The outcome of a case that would be filled if its file could be written.
const NOT_WRITTEN: &str = "not written";
