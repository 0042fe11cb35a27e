//! `--rerun`: the cases of the last run from the working folder that run again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indexmap::IndexMap;
use vmconf::model::case::CaseId;
use vmconf::model::escape::escaped;
use vmconf::model::verdict::Kind;
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Source, case_in};
use vmconf::run::{self, Options, RunOptions};
use vmconf::text::file_name::path_of;
use vmconf::wire::comparison::Run;

use super::history::Recorded;
use super::output;

/// Which cases of the last run run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Rerun {
    /// Those that failed, were broken, or passed though they are known to fail
    Failed,
}

impl Rerun {
    /// The cases of the last run from this folder.
    ///
    /// # Errors
    ///
    /// When no run is recorded, or its record is damaged.
    pub(super) fn cases(self) -> anyhow::Result<RerunCases> {
        let kinds: &[Kind] = match self {
            Rerun::Failed => &[Kind::Fail, Kind::Error, Kind::UnexpectedPass],
        };
        RerunCases::of(&Recorded::last()?, kinds)
    }
}

/// Cases of the last run that run again.
#[derive(Debug, Default)]
pub(super) struct RerunCases {
    /// The cases of each file, in the order of the run.
    files: IndexMap<String, Cases>,
}

/// The cases of a file that run again.
#[derive(Debug, Default)]
struct Cases {
    /// The ids of the cases that have not run yet, without the file at their start.
    pending: BTreeSet<String>,
    /// Whether all cases run: the file itself was broken, so its cases are not known.
    all: bool,
}

impl RerunCases {
    /// The cases with these verdicts. Prints a note if the run was interrupted.
    ///
    /// # Errors
    ///
    /// When the record does not say in which file a case is.
    pub(super) fn of(run: &Run, kinds: &[Kind]) -> anyhow::Result<RerunCases> {
        if run.summary.interrupted {
            output::note("note: the last run was interrupted; the cases that it did not reach are left out");
        }
        let mut rerun = RerunCases::default();
        for (id, outcome) in run.cases.iter().filter(|(_, outcome)| kinds.contains(&outcome.kind)) {
            let file = outcome.file.as_deref();
            let file =
                file.ok_or_else(|| anyhow::anyhow!("the last run does not say in which file {id} is"))?;
            let cases = rerun.files.entry(file.to_owned()).or_default();
            match case_in(id, file) {
                Some(case) => drop(cases.pending.insert(case.to_owned())),
                None => cases.all = true,
            }
        }
        Ok(rerun)
    }

    /// Whether no case runs again.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Keeps the cases that one of these files, folders or case ids selects. Keeps all cases if there are no
    /// paths.
    ///
    /// # Errors
    ///
    /// When a path does not exist.
    pub(super) fn among(mut self, paths: &[PathBuf]) -> anyhow::Result<RerunCases> {
        if paths.is_empty() {
            return Ok(self);
        }
        let selected =
            paths.iter().map(|path| SelectedPath::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
        self.files.retain(|file, cases| {
            let file = real_path(&path_of(file));
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
    pub(super) fn sources(&self) -> Vec<Source> {
        let source = |(file, cases): (&String, &Cases)| Source {
            only: (!cases.all).then(|| cases.pending.clone()),
            ..Source::of_shown(file)
        };
        self.files.iter().filter(|(file, _)| exists(file)).map(source).collect()
    }

    /// Marks a case as run.
    pub(super) fn mark_done(&mut self, id: &CaseId) {
        if let Some(cases) = self.files.get_mut(&*id.file)
            && let Some(case) = case_in(&id.to_string(), &id.file)
        {
            cases.pending.remove(case);
        }
    }

    /// Reports the cases that did not run because they no longer exist.
    pub(super) fn report_deleted(&self, options: &Options) {
        for (file, cases) in &self.files {
            let shown = escaped(file);
            if !exists(file) {
                output::note(&format!("note: {shown} is gone; {} did not run again", in_words(cases)));
                continue;
            }
            if cases.all || cases.pending.is_empty() {
                continue;
            }
            // Without the filters, since a case that they exclude still exists.
            let all = Options { run: RunOptions::default(), ..options.clone() };
            let source = Source::of_shown(file);
            let loaded = run::open(&source, &all);
            if !loaded.errors().is_empty() && loaded.cases() == 0 {
                // The errors of the file have already been reported.
                continue;
            }
            let existing: BTreeSet<String> =
                loaded.ids().filter_map(|id| Some(case_in(&id.to_string(), file)?.to_owned())).collect();
            for case in cases.pending.difference(&existing) {
                output::note(&format!("note: {shown}::{case} is gone: the file has no such case any more"));
            }
        }
    }
}

fn exists(file: &str) -> bool {
    path_of(file).is_file()
}

fn in_words(cases: &Cases) -> String {
    match (cases.all, cases.pending.len()) {
        (_, 0) => "it".to_owned(),
        (_, 1) => "1 case in it".to_owned(),
        (_, count) => format!("{count} cases in it"),
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
    fn new(path: &Path) -> anyhow::Result<SelectedPath> {
        if path.exists() {
            return Ok(SelectedPath { path: real_path(path), only: None });
        }
        // A case id, or an error.
        let found = sources::find(&[path.to_owned()])?.sources.into_iter().next();
        let (path, only) = found.map_or((path.to_owned(), None), |source| (source.path, source.only));
        Ok(SelectedPath { path: real_path(&path), only })
    }
}

/// The canonical path. For a deleted file, the canonical path of its nearest existing folder, joined with the
/// rest.
fn real_path(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        Some((above.canonicalize().ok()?, above))
    });
    let Some((real, above)) = existing else { return path.to_owned() };
    path.strip_prefix(above).map_or_else(|_| real.join(path), |rest| real.join(rest))
}
