//! `--partition` and `--rerun`: the cases of a selection that a command works on.

use std::sync::Arc;

use clap::Args;
use vmconf::model::{PartitionPart, VerdictKind};
use vmconf::run::LoadOptions;
use vmconf::run::sources::Sources;

use super::rerun::{FailuresOf, Rerun, RerunCases};
use super::scheduler;
use super::select::Select;
use super::settings::Settings;

/// Which of the selected cases.
#[derive(Debug, Args)]
pub(super) struct SubsetArgs {
    /// Only one part of the cases: hash:2/8 by id, slice:2/8 in turn, or auto
    ///
    /// With auto, a scheduler gives the part (see `vmconf help schedulers`). vmconf merge joins the JSON
    /// reports of all parts.
    #[arg(long, value_name = "PART", value_parser = scheduler::parse)]
    partition: Option<scheduler::RequestedPart>,

    /// Only cases that failed in a run from this folder and have not passed since
    #[arg(long, value_name = "WHICH")]
    rerun: Option<Rerun>,
}

/// The cases that a command works on, besides those that the options exclude.
pub(super) struct Subset {
    /// The files.
    pub(super) sources: Sources,
    /// The cases that run again; `None` without `--rerun`.
    pub(super) rerun: Option<RerunCases>,
}

impl SubsetArgs {
    /// Whether `--rerun` leaves out cases. A part leaves out only those of other parts.
    pub(super) fn is_narrow(&self) -> bool {
        self.rerun.is_some()
    }

    /// `--rerun` as it selects cases, independent of how paths were typed.
    pub(super) fn selected(&self) -> Option<String> {
        self.rerun.map(|Rerun::Failed| "--rerun=failed".to_owned())
    }

    /// The files of these arguments among those of `select`; sets the part to run in the options. The failures that
    /// run again are those of a machine. Fails when a path or case does not exist, no run is recorded, or no
    /// scheduler gives a part.
    pub(super) fn of(
        &self,
        select: &Select,
        settings: &Settings,
        options: &mut LoadOptions,
        of: &FailuresOf,
    ) -> anyhow::Result<Subset> {
        let rerun = self.rerun.map(|Rerun::Failed| rerun_cases(select, settings, options, of)).transpose()?;
        let sources = match &rerun {
            Some(rerun) => rerun.sources(),
            None => select.sources(settings, options)?,
        };
        if let Some(requested) = &self.partition {
            let part = PartitionPart::new(requested.part()?, &judged_by(settings, options));
            options.run.part = Some(Arc::new(part));
        }
        Ok(Subset { sources, rerun })
    }
}

/// What decides verdicts besides the vectors: flags, settings and lists of known failures.
fn judged_by(settings: &Settings, options: &LoadOptions) -> String {
    let of_files = options.overrides.iter().map(|it| &it.options).chain([&options.file]);
    let lists = of_files.flat_map(|it| &it.known_failures);
    lists.fold(settings.verdict_flags(), |text, list| format!("{text}\n{}", list.content))
}

/// The outstanding failures of a machine, of all runs from this folder, that these arguments select. Fails when no run is
/// recorded, a record is damaged, or a path does not exist.
fn rerun_cases(
    select: &Select,
    settings: &Settings,
    options: &LoadOptions,
    of: &FailuresOf,
) -> anyhow::Result<RerunCases> {
    let all = RerunCases::read(&settings.anchor, VerdictKind::fails_run, of)?;
    if all.is_empty() {
        note!("note: {}", all.nothing());
    }
    Ok(all.among(select.paths())?.matching(&options.run.filter))
}
