//! `vmconf diff`

use std::io::{self, Write};

use clap::Args;
use indexmap::IndexMap;
use indexmap::map::Entry;
use vmconf::explain::{self, ExplainableCase};
use vmconf::model::{Exit, RunSummary, VerdictKind, counted, escaped};
use vmconf::report::explanation::{self, ExplanationLength};
use vmconf::report::{Grouping, counts, json, of_cause};
use vmconf::run::anchor::Anchor;
use vmconf::run::{FileOpener, Worker};
use vmconf::text::shell::ShellWords;

use super::errors::NothingToDo;
use super::flags::FlagEffect;
use super::history::RecordedRuns;
use super::number::number;
use super::output;
use super::output_form::OutputForm;
use super::reports::GroupArgs;
use super::rerun::{FailuresOf, RerunCases};
use super::select::Select;
use super::settings::Settings;
use super::vm::{VmArgs, with_misconduct};
use super::worlds::WorldsArgs;

const PATHS: &str = "Vector files, folders, or case ids; - reads them from standard input [default: the \
                     outstanding failures]";

/// Explain why cases fail: what differs and which instruction caused it
///
/// Example: vmconf diff vectors/minic89/programs/add-overflows.json
///
/// Without PATHS, explains the outstanding failures that the filters select: the cases that failed in a run
/// from this folder and have not passed since. If none is outstanding, filters select among all vectors.
#[derive(Debug, Args)]
#[command(mut_arg("paths", |paths| paths.help(PATHS)))]
pub(super) struct Diff {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vm: VmArgs,

    #[command(flatten)]
    worlds: WorldsArgs,

    /// Print the last N instructions, and all differences in full, instead of what fits a screen
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    last: Option<usize>,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: OutputForm,

    /// Same as --output json
    #[arg(long, hide = true, conflicts_with = "output")]
    json: bool,

    #[command(flatten)]
    grouping: GroupArgs,
}

impl Diff {
    fn form(&self) -> OutputForm {
        if self.json { OutputForm::Json } else { self.output }
    }

    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        options.run.flaky = self.vm.flaky();
        options.run.worlds = self.worlds.open(settings)?;
        let failures = FailuresOf::testee(&options.run.testee);
        let mut rerun = self.outstanding(&settings.anchor, &failures)?;
        let sources = match &rerun {
            Some(rerun) => rerun.sources(),
            None => self.select.sources(settings, &options)?,
        };
        let mut output = DiffOutput {
            args: self,
            out: output::stdout(),
            summary: RunSummary::default(),
            groups: IndexMap::new(),
        };
        let (mut opener, mut worker) = (FileOpener::new(&options), Worker::new(&options.run));
        for source in &sources {
            let loaded = opener.open(source.clone());
            output.summary.errors += loaded.errors().len() as u64;
            output::note_errors(&source.shown, loaded.errors());
            // Cases that are named on the command line are explained one by one, without groups.
            let grouping =
                if source.only.is_some() && rerun.is_none() { Grouping::None } else { self.grouping() };
            for case in 0..loaded.cases() {
                let ran = ExplainableCase::new(&mut worker, &loaded, case);
                if let Some(rerun) = &mut rerun {
                    rerun.mark_done(&ran.report.id);
                }
                output.case(ran, grouping)?;
            }
        }
        if let Some(rerun) = &rerun {
            rerun.report_deleted(&options);
        }
        let paths: ShellWords = self.select.paths().iter().map(|path| path.to_string_lossy()).collect();
        let selection = paths.and(settings.repeated(FlagEffect::Selection));
        let exit = output.end(&selection, &settings.repeated(FlagEffect::Verdicts))?;
        Ok(with_misconduct(&options.run.testee, exit))
    }

    /// The outstanding failures, if no path is typed: the cases that failed or were broken in runs of a machine from
    /// this folder, and have not passed since. `None` if filters select cases and nothing is outstanding.
    fn outstanding(&self, anchor: &Anchor, of: &FailuresOf) -> anyhow::Result<Option<RerunCases>> {
        if !self.select.is_unnamed() {
            return Ok(None);
        }
        let has_filters = !self.select.is_all();
        if has_filters && RecordedRuns::of(anchor).is_ok_and(|runs| runs.names.is_empty()) {
            return Ok(None);
        }
        let failed = RerunCases::read(anchor, VerdictKind::is_failed_or_broken, of)?;
        match failed.is_empty() {
            false => Ok(Some(failed)),
            true if has_filters => Ok(None),
            true => Err(NothingToDo(failed.nothing().to_owned()).into()),
        }
    }

    fn last(&self) -> usize {
        self.last.unwrap_or(explain::LAST_ON_SCREEN)
    }

    fn grouping(&self) -> Grouping {
        if self.form() == OutputForm::Json { Grouping::None } else { self.grouping.grouping() }
    }
}

/// Writes the request on which a machine broke down, to send it by hand.
fn write_request(out: &mut impl Write, request: &str) -> io::Result<()> {
    const MAX_BYTES: usize = 4_000;
    if request.len() <= MAX_BYTES {
        return writeln!(out, "  request: {}", escaped(request));
    }
    let start = &request[..request.floor_char_boundary(MAX_BYTES)];
    writeln!(out, "  request: {}… ({} bytes)", escaped(start), request.len())
}

/// The output, and what was counted for its end.
struct DiffOutput<'d, W> {
    args: &'d Diff,
    out: W,
    summary: RunSummary,
    /// The explanations of one case of each cause, and how many cases there are. A case that is not grouped has
    /// its id as cause.
    groups: IndexMap<String, (Vec<u8>, usize)>,
}

impl<W: Write> DiffOutput<'_, W> {
    /// Adds a case, and explains it if it is the first of its cause.
    fn case(&mut self, ran: ExplainableCase<'_, '_, '_>, grouping: Grouping) -> anyhow::Result<()> {
        let report = &ran.report;
        self.summary.count(report);
        if !report.verdict.is_failed_or_broken() {
            return Ok(());
        }
        let Some(cause) = report.cause() else { return Ok(()) };
        if self.args.form() == OutputForm::Json {
            json::explained(&mut self.out, &ran.explain(self.args.last()))?;
            return Ok(());
        }
        let cause = match grouping {
            Grouping::BySuspect | Grouping::ByCause => cause,
            Grouping::None => report.id.to_string(),
        };
        match self.groups.entry(cause) {
            Entry::Occupied(mut group) => group.get_mut().1 += 1,
            Entry::Vacant(place) => {
                let length = self.args.last.map_or(ExplanationLength::Screen, ExplanationLength::Full);
                let mut text = Vec::new();
                let request = ran.report.verdict.breakdown().and_then(|_| ran.request());
                explanation::write(&mut text, &ran.explain(self.args.last()), length)?;
                if let Some(request) = request {
                    write_request(&mut text, request.trim_end())?;
                }
                place.insert((text, 1));
            }
        }
        Ok(())
    }

    /// Writes the groups and the counts.
    fn end(mut self, selection: &ShellWords, flags: &ShellWords) -> anyhow::Result<Exit> {
        let exit = self.summary.exit();
        if self.args.form() == OutputForm::Text && matches!(exit, Exit::Passed | Exit::NothingRan) {
            let not_run = match self.summary.unsupported {
                0 => String::new(),
                count => format!(", {} unsupported: vmconf run -v says why", counted(count, "case")),
            };
            writeln!(self.out, "{} passed, nothing differs{not_run}", self.summary.passed)?;
        }
        let count: usize = self.groups.values().map(|group| group.1).sum();
        for (index, (cause, (text, count))) in self.groups.iter().enumerate() {
            if index > 0 {
                writeln!(self.out)?;
            }
            self.out.write_all(text)?;
            if *count > 1 {
                let words = selection.clone().narrowed(&of_cause(cause));
                let more = count - 1;
                writeln!(
                    self.out,
                    "  and {more} more like it: vmconf diff{}{} --no-group",
                    escaped(&words.to_string()),
                    escaped(&flags.to_string())
                )?;
            }
        }
        if count > 1 {
            writeln!(self.out, "\n{}", counts(&self.summary))?;
        }
        self.out.flush()?;
        Ok(exit)
    }
}
