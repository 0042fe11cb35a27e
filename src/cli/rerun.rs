//! Running again what did not pass in the last run from the working folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indexmap::IndexMap;
use vmconf::model::case::CaseId;
use vmconf::model::escape::escaped;
use vmconf::model::verdict::Kind;
use vmconf::run::filter::Filter;
use vmconf::run::sources::{self, Source, SourceOrigin, case_in};
use vmconf::run::{self, Options, RunOptions};
use vmconf::text::shell::Words;
use vmconf::wire::comparison::Run;

use super::output;
use super::run_record::Recorded;

/// Which cases of the last run are run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Rerun {
    /// Those that failed, were broken, or passed though they are known to fail
    Failed,
}

impl Rerun {
    /// As it is typed.
    pub(super) fn flag(self) -> Words {
        match self {
            Rerun::Failed => Words::from_iter(["--rerun", "failed"]),
        }
    }

    /// The cases of the last run from this folder.
    ///
    /// # Errors
    ///
    /// When there was no run, or what was recorded of it is damaged.
    pub(super) fn cases(self) -> anyhow::Result<Again> {
        let kinds: &[Kind] = match self {
            Rerun::Failed => &[Kind::Fail, Kind::Error, Kind::UnexpectedPass],
        };
        Again::of(&Recorded::last()?, kinds)
    }
}

/// Cases of the last run that are wanted again.
#[derive(Debug, Default)]
pub(super) struct Again {
    /// What is wanted of each file, in the order of the run.
    files: IndexMap<String, Cases>,
}

/// What is wanted of a file.
#[derive(Debug, Default)]
struct Cases {
    /// What stands behind the file in the ids, of those that did not come yet.
    missing: BTreeSet<String>,
    /// All of it: it was broken as a whole, so that nobody knows its cases.
    whole: bool,
}

impl Again {
    /// The cases of which this came. Whether the run was interrupted is told.
    ///
    /// # Errors
    ///
    /// When the record does not say in which file a case is.
    pub(super) fn of(run: &Run, kinds: &[Kind]) -> anyhow::Result<Again> {
        if run.summary.interrupted {
            output::note("note: the last run was interrupted; the cases that it did not reach are left out");
        }
        let mut again = Again::default();
        for (id, outcome) in run.cases.iter().filter(|(_, outcome)| kinds.contains(&outcome.kind)) {
            let file = outcome.file.as_deref();
            let file =
                file.ok_or_else(|| anyhow::anyhow!("the last run does not say in which file {id} is"))?;
            let cases = again.files.entry(file.to_owned()).or_default();
            match case_in(id, file) {
                Some(case) => drop(cases.missing.insert(case.to_owned())),
                None => cases.whole = true,
            }
        }
        Ok(again)
    }

    /// Whether nothing is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Only what one of these paths means, if there are any: files, folders and case ids.
    ///
    /// # Errors
    ///
    /// A path that leads nowhere.
    pub(super) fn among(mut self, paths: &[PathBuf]) -> anyhow::Result<Again> {
        if paths.is_empty() {
            return Ok(self);
        }
        let meant = paths.iter().map(|path| Meant::new(path)).collect::<anyhow::Result<Vec<_>>>()?;
        self.files.retain(|file, cases| {
            let file = real(Path::new(file));
            let meant: Vec<_> = meant.iter().filter(|it| file.starts_with(&it.path)).collect();
            if meant.iter().all(|it| it.only.is_some()) {
                let named: BTreeSet<String> =
                    meant.iter().filter_map(|it| it.only.clone()).flatten().collect();
                cases.missing = if cases.whole { named } else { &cases.missing & &named };
                cases.whole = false;
            }
            cases.whole || !cases.missing.is_empty()
        });
        Ok(self)
    }

    /// Only those whose ids match.
    pub(super) fn matching(mut self, filter: &Filter) -> Again {
        self.files.retain(|file, cases| {
            cases.missing.retain(|case| filter.matches_text(&format!("{}::{case}", escaped(file))));
            cases.whole || !cases.missing.is_empty()
        });
        self
    }

    /// The files to read, those that are still there.
    pub(super) fn sources(&self) -> Vec<Source> {
        let source = |(file, cases): (&String, &Cases)| Source {
            path: file.into(),
            shown: file.as_str().into(),
            origin: SourceOrigin::Named,
            only: (!cases.whole).then(|| cases.missing.clone()),
        };
        self.files.iter().filter(|(file, _)| is_there(file)).map(source).collect()
    }

    /// Takes note that a case came.
    pub(super) fn came(&mut self, id: &CaseId) {
        if let Some(cases) = self.files.get_mut(&*id.file)
            && let Some(case) = case_in(&id.to_string(), &id.file)
        {
            cases.missing.remove(case);
        }
    }

    /// Tells which cases did not come because they are not there any more.
    pub(super) fn tell_gone(&self, options: &Options) {
        for (file, cases) in &self.files {
            let shown = escaped(file);
            if !is_there(file) {
                output::note(&format!("note: {shown} is gone; {} did not run again", in_words(cases)));
                continue;
            }
            if cases.whole || cases.missing.is_empty() {
                continue;
            }
            // Those that something else left out are still there.
            let all = Options { run: RunOptions::default(), ..options.clone() };
            let source = Source {
                path: file.into(),
                shown: file.as_str().into(),
                origin: SourceOrigin::Named,
                only: None,
            };
            let loaded = run::open(&source, &all);
            if !loaded.errors().is_empty() && loaded.cases() == 0 {
                // What is wrong with the file was told.
                continue;
            }
            let there: BTreeSet<String> =
                loaded.ids().filter_map(|id| Some(case_in(&id.to_string(), file)?.to_owned())).collect();
            for case in cases.missing.difference(&there) {
                output::note(&format!("note: {shown}::{case} is gone: the file has no such case any more"));
            }
        }
    }
}

fn is_there(file: &str) -> bool {
    Path::new(file).is_file()
}

fn in_words(cases: &Cases) -> String {
    match (cases.whole, cases.missing.len()) {
        (_, 0) => "it".to_owned(),
        (_, 1) => "1 case in it".to_owned(),
        (_, count) => format!("{count} cases in it"),
    }
}

/// What a path of the command line means.
struct Meant {
    /// A file or a folder.
    path: PathBuf,
    /// What stands behind the file in the ids of its cases that are meant; none for all.
    only: Option<BTreeSet<String>>,
}

impl Meant {
    fn new(path: &Path) -> anyhow::Result<Meant> {
        if path.exists() {
            return Ok(Meant { path: real(path), only: None });
        }
        // A case id, or nothing.
        let found = sources::find(&[path.to_owned()])?.sources.into_iter().next();
        let (path, only) = found.map_or((path.to_owned(), None), |source| (source.path, source.only));
        Ok(Meant { path: real(&path), only })
    }
}

/// The one path that all spellings of it are. Of a file that is gone, that of the nearest folder that is not.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        Some((above.canonicalize().ok()?, above))
    });
    let Some((real, above)) = there else { return path.to_owned() };
    path.strip_prefix(above).map_or_else(|_| real.join(path), |rest| real.join(rest))
}
