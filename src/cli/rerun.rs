//! `--rerun`: the outstanding failures, which run again.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use indexmap::IndexMap;
use vmconf::model::{CaseId, UsedVm, VerdictKind, counted, escaped};
use vmconf::run::anchor::Anchor;
use vmconf::run::filter::Filter;
use vmconf::run::open_file::is_absent;
use vmconf::run::sources::{self, Sources, VectorSource, case_in};
use vmconf::run::{self, LoadOptions};
use vmconf::testees::MakeTestee;
use vmconf::wire::comparison::RecordedOutcome;

use super::history::RecordedRuns;
use super::outstanding::MachineFailures;
use super::{output, outstanding};

/// The machine whose failures are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FailuresOf {
    /// Every machine.
    All,
    /// The embedded machines.
    Embedded,
    /// The machine in another process that the user gave this name.
    Vm(String),
}

impl FailuresOf {
    /// Those of the machine that a run uses.
    pub(super) fn testee(testee: &MakeTestee) -> FailuresOf {
        testee.vm().map_or(FailuresOf::Embedded, |vm| FailuresOf::Vm(vm.command().name.clone()))
    }

    fn has(&self, vm: Option<&UsedVm>) -> bool {
        match (self, vm) {
            (FailuresOf::All, _) | (FailuresOf::Embedded, None) => true,
            (FailuresOf::Vm(name), Some(vm)) => *name == vm.name,
            (FailuresOf::Embedded, Some(_)) | (FailuresOf::Vm(_), None) => false,
        }
    }
}

/// Which cases run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Rerun {
    /// Those that failed, were broken, or passed though they are known to fail, and have not passed since
    Failed,
}

/// Cases that run again.
#[derive(Debug)]
pub(super) struct RerunCases {
    anchor: Anchor,
    /// The cases of each file, those that failed first before the others.
    files: IndexMap<String, CasesToRerun>,
    /// How many failures are of other machines than the one that was asked for.
    elsewhere: usize,
}

/// The cases of a file that run again.
#[derive(Debug, Default)]
struct CasesToRerun {
    /// The ids of the cases that have not run yet, without the file at their start.
    pending: BTreeSet<String>,
    /// Whether all cases run: the file itself was broken, so its cases are not known.
    all: bool,
}

impl RerunCases {
    /// The outstanding failures of the kinds that `is_included` accepts. Prints a note if the last run was
    /// interrupted, and how the failures of other machines run. Fails when no run is recorded, or a record is damaged
    /// or does not say in which file a case is.
    pub(super) fn read(
        anchor: &Anchor,
        is_included: fn(VerdictKind) -> bool,
        of: &FailuresOf,
    ) -> anyhow::Result<RerunCases> {
        if RecordedRuns::last(anchor)?.summary.interrupted {
            output::note("note: the last run was interrupted; the cases that it did not reach are left out");
        }
        let mut rerun = RerunCases { anchor: anchor.clone(), files: IndexMap::new(), elsewhere: 0 };
        for MachineFailures { vm, mut failures } in outstanding::read(anchor)? {
            failures.retain(|_, outcome| is_included(outcome.kind));
            if of.has(vm.as_ref()) {
                failures.into_iter().try_for_each(|(id, outcome)| rerun.add(&id, outcome))?;
            } else if !failures.is_empty() {
                rerun.elsewhere += failures.len();
                note_elsewhere(vm.as_ref(), failures.len());
            }
        }
        Ok(rerun)
    }

    fn add(&mut self, id: &str, outcome: RecordedOutcome) -> anyhow::Result<()> {
        let file = outcome.file.with_context(|| format!("no record says in which file {id} is"))?;
        let case = case_in(id, &file).map(str::to_owned);
        let cases = self.files.entry(file).or_default();
        match case {
            Some(case) => drop(cases.pending.insert(case)),
            None => cases.all = true,
        }
        Ok(())
    }

    /// What to say if no case runs again.
    pub(super) fn nothing(&self) -> &'static str {
        if self.elsewhere == 0 { "no failure is outstanding" } else { "no other failure is outstanding" }
    }

    /// Whether no case runs again.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Keeps the cases that one of these files, folders or case ids selects. Keeps all cases if there are no paths.
    /// Fails when a path does not exist.
    pub(super) fn among(mut self, paths: &[PathBuf]) -> anyhow::Result<RerunCases> {
        if paths.is_empty() {
            return Ok(self);
        }
        let anchor = &self.anchor;
        let selected =
            paths.iter().map(|path| SelectedPath::new(path, anchor)).collect::<anyhow::Result<Vec<_>>>()?;
        self.files.retain(|file, cases| {
            let file = anchor.path(file);
            let selected: Vec<_> = selected.iter().filter(|it| file.starts_with(&it.path)).collect();
            if selected.iter().all(|it| it.only.is_some()) {
                let named: BTreeSet<String> =
                    selected.iter().filter_map(|it| it.only.clone()).flatten().collect();
                cases.pending = if cases.all { named } else { &cases.pending & &named };
                cases.all = false;
            }
            cases.all || !cases.pending.is_empty()
        });
        Ok(self)
    }

    /// Keeps the cases whose ids match.
    pub(super) fn matching(mut self, filter: &Filter) -> RerunCases {
        self.files.retain(|file, cases| {
            cases.pending.retain(|case| filter.matches_text(&format!("{}::{case}", escaped(file))));
            cases.all || !cases.pending.is_empty()
        });
        self
    }

    /// The files to read, without deleted files.
    pub(super) fn sources(&self) -> Sources {
        let source = |(file, cases): (&String, &CasesToRerun)| {
            VectorSource::named(file, &self.anchor, (!cases.all).then(|| cases.pending.clone()))
        };
        self.files.iter().filter(|(file, _)| self.exists(file)).map(source).collect()
    }

    pub(super) fn mark_done(&mut self, id: &CaseId) {
        if let Some(cases) = self.files.get_mut(&*id.file)
            && let Some(case) = case_in(&id.to_string(), &id.file)
        {
            cases.pending.remove(case);
        }
    }

    /// Reports the cases that did not run because they no longer exist, and returns their ids.
    pub(super) fn report_deleted(&self, options: &LoadOptions) -> HashSet<String> {
        let mut deleted = HashSet::new();
        for (file, cases) in &self.files {
            let shown = escaped(file);
            let id = |case: &String| format!("{shown}::{case}");
            if !self.exists(file) {
                note!("note: {shown} is deleted; {} did not run again", in_words(cases));
                deleted.extend(cases.pending.iter().map(id).chain([shown.to_string()]));
                continue;
            }
            for missing in self.missing_cases(file, &cases.pending, options) {
                let id = id(&missing);
                note!("note: {id} was deleted: the file no longer has such a case");
                deleted.insert(id);
            }
        }
        deleted
    }

    /// The names of cases that a file does not have, whether or not a typed format fits it.
    fn missing_cases(
        &self,
        file: &str,
        pending: &BTreeSet<String>,
        options: &LoadOptions,
    ) -> BTreeSet<String> {
        let source = VectorSource::named(file, &self.anchor, Some(pending.clone()));
        let missing = |options: &LoadOptions| run::missing_cases(&source, options);
        let in_format = if pending.is_empty() { BTreeSet::new() } else { missing(options) };
        if in_format.is_empty() {
            return in_format;
        }
        &in_format & &missing(&options.with_detected_formats())
    }

    fn exists(&self, file: &str) -> bool {
        let path = self.anchor.path(file);
        !is_absent(&path) && !path.is_dir()
    }
}

/// Notes how many failures another machine has, and the flag that runs it.
fn note_elsewhere(vm: Option<&UsedVm>, count: usize) {
    let failures = counted(count, "outstanding failure");
    let verb = if count == 1 { "is" } else { "are" };
    output::note(&match vm {
        Some(vm) => {
            let name = escaped(&vm.name);
            format!("note: {failures} {verb} of {name}: --vm {name}, or --vm {name}=COMMAND, runs on it")
        }
        None => format!("note: {failures} {verb} of the embedded machines, which run without --vm"),
    });
}

fn in_words(cases: &CasesToRerun) -> String {
    match (cases.all, cases.pending.len()) {
        (_, 0) => "it".to_owned(),
        (_, count) => format!("{} in it", counted(count, "case")),
    }
}

/// What a path of the command line selects.
struct SelectedPath {
    /// A file or a folder.
    path: PathBuf,
    /// The ids of the selected cases, without the file at their start; `None` for all cases.
    only: Option<BTreeSet<String>>,
}

impl SelectedPath {
    fn new(typed: &Path, anchor: &Anchor) -> anyhow::Result<SelectedPath> {
        if anchor.resolve(typed, Path::exists).exists() {
            return Ok(SelectedPath { path: anchor.path(&sources::name_of(typed, anchor)), only: None });
        }
        // A case id, or an error.
        let found = sources::find(&[typed.to_owned()], anchor)?.sources.into_iter().next();
        let source = found.context("a path that exists")?;
        Ok(SelectedPath { path: anchor.path(&source.shown), only: source.only })
    }
}
