//! `vmconf suspects`

use std::collections::HashMap;

use clap::Args;
use indexmap::IndexSet;
use vmconf::model::{Event, Exit, RunSummary, SuspectAnalysis, VerdictKind, counted, escaped, split_id};
use vmconf::report::suspects::{SUSPECTS, SuspectsKind};
use vmconf::run::anchor::Anchor;
use vmconf::run::sources::{Sources, VectorSource};
use vmconf::run::{self, CaseVerdicts, FileOpener, LoadOptions};
use vmconf::wire::comparison::{RecordedOutcome, RecordedRun};

use super::errors::{NothingToDo, UsageError};
use super::flags::FlagEffect;
use super::history::RecordedRuns;
use super::number;
use super::output_form::forms;
use super::select::Select;
use super::settings::Settings;
use super::system::processors;
use super::vm::VmArgs;
use super::{output, spectra};

/// Show which instructions explain all failures
///
/// Example: vmconf suspects vectors/evm --vm 'mine=vmconf serve evm'
///
/// Runs the cases, and compares what failing and passing ones execute. Prints the smallest set of instructions such
/// that each failing case executes one of them, and the evidence for each. Cases whose vector is probably wrong are
/// listed separately.
#[derive(Debug, Args)]
pub(super) struct Suspects {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    vm: VmArgs,

    /// Take the verdicts of a recorded run: last, last~1, ... or a name that compare --list shows
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Number of threads [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs)]
    jobs: Option<u16>,

    /// Output form
    #[arg(short = 'o', long = "output", value_name = "FORM", default_value = SUSPECTS[0].name, value_parser = forms(SUSPECTS))]
    form: &'static SuspectsKind,
}

/// What a run said about its cases, and how it ended.
struct RunVerdicts {
    verdicts: CaseVerdicts,
    signatures: CaseSignatures,
    summary: RunSummary,
}

/// How cases fail. Many fail alike.
#[derive(Default)]
struct CaseSignatures {
    signatures: IndexSet<String>,
    of: HashMap<String, usize>,
}

impl CaseSignatures {
    fn add(&mut self, id: &str, signature: Option<String>) {
        let Some(signature) = signature else { return };
        let index = self.signatures.insert_full(signature).0;
        self.of.insert(id.to_owned(), index);
    }

    fn of(&self, id: &str) -> Option<&str> {
        self.of.get(id).map(|index| &*self.signatures[*index])
    }
}

impl RunVerdicts {
    /// What a recorded run says about the selected cases of these files, and about those files as a whole.
    fn recorded(run: &RecordedRun, sources: &Sources, options: &LoadOptions) -> RunVerdicts {
        let (mut of, mut summary) = (HashMap::new(), RunSummary::default());
        let (mut opener, mut signatures) = (FileOpener::new(options), CaseSignatures::default());
        for source in sources {
            let whole = source.only.is_none().then(|| escaped(&source.shown).into_owned());
            let file = opener.open(source);
            for id in file.ids().map(ToString::to_string).chain(whole) {
                let Some(outcome) = run.cases.get(&id) else { continue };
                signatures.add(&id, outcome.signature.clone());
                // As without a list of known failures.
                let kind = match outcome.kind {
                    VerdictKind::Known => outcome.unlisted.unwrap_or(VerdictKind::Fail),
                    VerdictKind::Fixed => VerdictKind::Pass,
                    kind => kind,
                };
                if of.insert(id, kind).is_none() {
                    summary.count_kind(kind);
                }
            }
        }
        RunVerdicts { verdicts: CaseVerdicts::new(of, None), signatures, summary }
    }
}

impl Suspects {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut options = self.select.options(settings)?;
        options.run.testee = self.vm.testee_until_interrupt(settings)?;
        options.run.flaky = self.vm.flaky();
        options.run.jobs = self.jobs.map_or_else(processors, usize::from);
        let (sources, RunVerdicts { verdicts, signatures, summary }) = if let Some(name) = &self.run {
            self.recorded(name, settings, &options)?
        } else {
            let sources = self.select.sources(settings, &options)?;
            let verdicts = ran(&sources, &options);
            (sources, verdicts)
        };
        let unsupported = verdicts.count(VerdictKind::Unsupported);
        if unsupported > 0 {
            let cases = counted(unsupported, "case");
            note!("note: unsupported: {cases}; vmconf run -v says why");
        }
        let mut analysis = if verdicts.failing().next().is_some() {
            spectra::analyse(&sources, &options, &verdicts)
        } else {
            SuspectAnalysis { passing: summary.of(VerdictKind::Pass), ..SuspectAnalysis::default() }
        };
        analysis.add_differing(|id| signatures.of(id));
        output::print(|out| (self.form.new)(out, &analysis, &settings.repeated(FlagEffect::Verdicts)))?;
        Ok(summary.exit())
    }

    /// The verdicts of a recorded run about the selected cases, and their files. Without paths, all of its cases are
    /// selected that still exist.
    fn recorded(
        &self,
        name: &str,
        settings: &Settings,
        options: &LoadOptions,
    ) -> anyhow::Result<(Sources, RunVerdicts)> {
        let runs = RecordedRuns::of(&settings.anchor)?;
        let unknown =
            || UsageError(format!("error: --run {name}: no run of this name; compare --list shows all"));
        let run = runs.read(runs.name(name)?.ok_or_else(unknown)?)?;
        if let Some(vm) = run.vm.as_ref().filter(|_| options.run.testee.vm().is_none()) {
            return Err(UsageError(format!(
                "error: --run {name}: this run was on the machine {}, and what its cases do is compared with the \
                 embedded one; add --vm for it, as in {}",
                escaped(&vm.name),
                escaped(run.command.as_deref().unwrap_or_default())
            ))
            .into());
        }
        let sources = if self.select.is_unnamed() {
            files_of(&run, &settings.anchor)
        } else {
            self.select.sources(settings, options)?
        };
        let known = RunVerdicts::recorded(&run, &sources, options);
        if known.verdicts.is_empty() {
            return Err(NothingToDo(format!("--run {name}: no selected case is in this run")).into());
        }
        if self.select.is_all() {
            let missing = run.cases.len() - known.verdicts.len();
            if missing > 0 {
                let cases = counted(missing, "case");
                note!("note: {cases} of this run left out: no file has them any more");
            }
        }
        Ok((sources, known))
    }
}

/// Runs the cases.
fn ran(sources: &Sources, options: &LoadOptions) -> RunVerdicts {
    let (mut not_passed, mut signatures) = (HashMap::new(), CaseSignatures::default());
    let summary = run::run(sources, options, &mut |event| match event {
        Event::Finished(report) => {
            let kind = report.verdict.kind();
            // What neither passes nor fails is no part of the analysis, and decides how the command ends.
            if matches!(kind, VerdictKind::Error | VerdictKind::Flaky) {
                note!("note: {}: {}; vmconf run says why", report.id, report.verdict.name());
            }
            if kind != VerdictKind::Pass {
                let id = report.id.to_string();
                signatures.add(&id, report.signature());
                not_passed.insert(id, kind);
            }
        }
        Event::Broken { source, errors } => output::note_errors(&source.file, &errors),
        _ => {}
    });
    let verdicts = CaseVerdicts::new(not_passed, Some(VerdictKind::Pass));
    RunVerdicts { verdicts, signatures, summary }
}

/// The files with the cases of a recorded run that still exist.
fn files_of(run: &RecordedRun, anchor: &Anchor) -> Sources {
    // The record of a case that passed does not name its file.
    let file_in = |(id, outcome): (&String, &RecordedOutcome)| {
        let (in_id, name) = split_id(id);
        outcome.file.clone().or_else(|| name.map(|_| in_id.to_owned()))
    };
    let files: IndexSet<String> = run.cases.iter().filter_map(file_in).collect();
    let source = |file: &String| VectorSource::named(file, anchor, None);
    files.iter().map(source).filter(|source| source.path.is_file()).collect()
}
