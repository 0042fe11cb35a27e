//! Collects the runs of several machines over the same cases.

use std::collections::{BTreeMap, HashMap};

use indexmap::{IndexMap, IndexSet};

use crate::model::{CaseId, CaseReport, Failure, FieldNotCompared, Verdict, VerdictKind, counted};
use crate::text::file_name::common_folder;
use crate::text::shell::ShellWords;
use crate::wire::matrix::{
    Agreement, BrokenMachine, Matrix, MatrixCell, MatrixGroup, MatrixNotCompared, MatrixSuite,
};

/// How many cases of a group are named.
const MAX_NAMED_CASES: usize = 5;

/// The most differences that are kept, and the longest of them, in characters.
const MAX_DIFFERENCES: usize = 10_000;
const MAX_LENGTH: usize = 300;

/// The results of several machines. Takes little memory for each case: outcomes are numbers of texts.
pub struct MatrixCollector {
    machines: Vec<MatrixMachine>,
    cases: IndexMap<CaseId, Vec<Option<MatrixOutcome>>>,
    texts: IndexSet<String>,
    /// How machines differ, by the index of the case and of the machine.
    differences: HashMap<(usize, usize), String>,
    broken: Vec<BrokenMachine>,
    not_compared: Vec<MatrixNotCompared>,
    /// The suite of files whose names say no folder.
    folder: String,
    /// Whether each machine ran a case.
    has_run: Vec<bool>,
}

/// A machine of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixMachine {
    /// Its name.
    pub name: String,
    /// The flags of a command that runs a case on it: `--vm NAME=COMMAND`, and those with which files are read; `None`
    /// if they are unknown.
    pub flags: Option<ShellWords>,
    /// Whether it reports no steps, so that `vmconf explore` cannot show its runs.
    pub hides_steps: bool,
}

/// What a machine does in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct MatrixOutcome {
    kind: VerdictKind,
    /// The index of its text.
    text: usize,
    /// The index of the text as if it were on no list of known failures.
    cause: usize,
    /// Whether `vmconf explore` can show how it fails.
    is_explorable: bool,
}

impl MatrixOutcome {
    /// Whether another machine does the same. A list of known failures says nothing about what a machine does.
    fn is_like(&self, other: &MatrixOutcome) -> bool {
        self.cause == other.cause
    }
}

impl MatrixCollector {
    /// A collector for these machines. `folder` is the name of the folder that the names of files begin in.
    pub fn new(machines: Vec<MatrixMachine>, folder: String) -> MatrixCollector {
        let (cases, texts, differences) = (IndexMap::new(), IndexSet::new(), HashMap::new());
        let has_run = vec![false; machines.len()];
        let (broken, not_compared) = (Vec::new(), Vec::new());
        MatrixCollector { machines, cases, texts, differences, broken, not_compared, folder, has_run }
    }

    /// Adds what is wrong with a machine, given by its index, or with its list of known failures, apart from cases.
    ///
    /// # Panics
    ///
    /// If there is no machine with this index. This holds for all functions here that take one.
    pub fn add_broken(&mut self, machine: usize, error: String) {
        self.broken.push(BrokenMachine { machine: self.machines[machine].name.clone(), error });
    }

    /// Adds what was left out of the comparison on a machine, given by its index.
    pub fn add_not_compared(&mut self, machine: usize, fields: &[FieldNotCompared]) {
        let machine = &self.machines[machine].name;
        let field =
            |field: &FieldNotCompared| MatrixNotCompared { machine: machine.clone(), field: field.clone() };
        self.not_compared.extend(fields.iter().map(field));
    }

    /// Adds a case of the run of a machine, given by its index.
    pub fn add(&mut self, machine: usize, report: &CaseReport) {
        self.has_run[machine] = true;
        // A listed case that passes is a pass, here as in the counts.
        let kind = match report.verdict.kind() {
            VerdictKind::Fixed => VerdictKind::Pass,
            kind => kind,
        };
        let is_explorable = !self.machines[machine].hides_steps
            && report.verdict.failure().is_some_and(|failure| !failure.is_of_family());
        let cause = self.texts.insert_full(unlisted_text(report)).0;
        let text = self.texts.insert_full(text(report)).0;
        let machines = self.machines.len();
        let entry = self.cases.entry(report.id.clone());
        let case = entry.index();
        entry.or_insert_with(|| vec![None; machines])[machine] =
            Some(MatrixOutcome { kind, text, cause, is_explorable });
        if let Some(failure) = report.verdict.failure().filter(|_| self.differences.len() < MAX_DIFFERENCES) {
            self.differences.insert((case, machine), difference(failure));
        }
    }

    /// The matrix of what was added.
    pub fn finish(self) -> Matrix {
        let (suites, groups) = (self.suites(), self.groups());
        let machines = self.machines.into_iter().map(|machine| machine.name).collect();
        Matrix { machines, broken: self.broken, suites, groups, not_compared: self.not_compared }
    }

    /// Whether a machine ran no case since it is broken.
    fn is_unusable(&self, machine: usize) -> bool {
        !self.has_run[machine]
            && self.broken.iter().any(|broken| broken.machine == self.machines[machine].name)
    }

    /// The suite of each file: the folder below the one that all files are in.
    pub fn suite_of(&self) -> impl Fn(&str) -> String + use<> {
        let names = SuiteNames::of(self.cases.keys().map(|id| &*id.file), &self.folder);
        move |file| names.suite(file)
    }

    fn suites(&self) -> Vec<MatrixSuite> {
        let names = SuiteNames::of(self.cases.keys().map(|id| &*id.file), &self.folder);
        let mut suites: BTreeMap<String, Vec<MatrixCell>> = BTreeMap::new();
        for (id, outcomes) in &self.cases {
            let cells = suites
                .entry(names.suite(&id.file))
                .or_insert_with(|| vec![MatrixCell::default(); self.machines.len()]);
            for (machine, (cell, outcome)) in cells.iter_mut().zip(outcomes).enumerate() {
                match outcome {
                    Some(outcome) => cell.count(outcome.kind),
                    None if self.is_unusable(machine) => cell.count(VerdictKind::Error),
                    // Reports of different machines need not be of the same cases.
                    None => {}
                }
            }
        }
        suites.into_iter().map(|(name, cells)| MatrixSuite { name, cells }).collect()
    }

    fn groups(&self) -> Vec<MatrixGroup> {
        let mut groups: IndexMap<&[Option<MatrixOutcome>], Vec<&CaseId>> = IndexMap::new();
        for (id, outcomes) in &self.cases {
            if outcomes.iter().flatten().any(|outcome| outcome.kind != VerdictKind::Pass) {
                groups.entry(outcomes).or_default().push(id);
            }
        }
        let mut groups: Vec<_> =
            groups.into_iter().map(|(outcomes, ids)| self.group(outcomes, &ids)).collect();
        groups.sort_by_key(|group| (group.what, std::cmp::Reverse(group.count)));
        groups
    }

    fn group(&self, outcomes: &[Option<MatrixOutcome>], ids: &[&CaseId]) -> MatrixGroup {
        let ran: Vec<_> = outcomes
            .iter()
            .flatten()
            .filter(|it| !matches!(it.kind, VerdictKind::Unsupported | VerdictKind::Skip))
            .collect();
        let text = |(machine, outcome): (usize, &Option<MatrixOutcome>)| match outcome {
            Some(outcome) => self.texts[outcome.text].clone(),
            None if self.is_unusable(machine) => "error: the machine does not start".to_owned(),
            None => "not run".to_owned(),
        };
        let what = if ran.windows(2).any(|pair| !pair[0].is_like(pair[1])) {
            Agreement::Disagree
        } else if ran.iter().any(|outcome| outcome.kind != VerdictKind::Pass) {
            Agreement::NonePasses
        } else if outcomes.iter().flatten().any(|outcome| outcome.kind == VerdictKind::Skip) {
            Agreement::Skipped
        } else if ran.is_empty() {
            Agreement::NoneSupports
        } else {
            Agreement::Unsupported
        };
        let first = ids.first().and_then(|id| self.cases.get_index_of(*id));
        let difference = |machine| self.differences.get(&(first?, machine)).cloned();
        let is_wrong = |it: &Option<MatrixOutcome>| {
            it.is_some_and(|it| {
                !matches!(it.kind, VerdictKind::Pass | VerdictKind::Unsupported | VerdictKind::Skip)
            })
        };
        let is_explorable = |it: &Option<MatrixOutcome>| it.is_some_and(|it| it.is_explorable);
        MatrixGroup {
            what,
            outcomes: outcomes.iter().enumerate().map(text).collect(),
            count: ids.len(),
            cases: ids.iter().take(MAX_NAMED_CASES).map(ToString::to_string).collect(),
            differences: (0..outcomes.len()).map(difference).collect(),
            next: self.command("diff", outcomes.iter().position(is_wrong), ids),
            explore: self.command("explore", outcomes.iter().position(is_explorable), ids),
        }
    }

    /// A command that is about the first case on a machine; `None` without one, or if its flags are unknown.
    fn command(&self, name: &str, machine: Option<usize>, ids: &[&CaseId]) -> Option<String> {
        let flags = self.machines[machine?].flags.as_ref()?;
        let id: ShellWords = std::iter::once(ids.first()?.to_string()).collect();
        Some(format!("vmconf {name}{id}{flags}"))
    }
}

/// The first datum that differs, and how many others do.
fn difference(failure: &Failure) -> String {
    let Some(first) = failure.differences.first() else { return String::new() };
    let (expected, actual) = failure.texts(first);
    let more = failure.differences.len() - 1;
    let more = if more > 0 { format!(", and {}", counted(more, "more difference")) } else { String::new() };
    let cut = |text: String| text.chars().take(MAX_LENGTH / 2).collect::<String>();
    format!("{}: expected {}, actual {}{more}", first.at, cut(expected), cut(actual))
}

/// What a machine does in a case, without the names and numbers of the case.
fn text(report: &CaseReport) -> String {
    match &report.verdict {
        Verdict::Known(..) => format!("{}: {}", report.verdict.name(), unlisted_text(report)),
        _ => unlisted_text(report),
    }
}

/// The same as if the case were on no list of known failures.
fn unlisted_text(report: &CaseReport) -> String {
    let name = report.verdict.name();
    match &report.verdict {
        Verdict::Unsupported(reason) => format!("{name}: {reason}"),
        Verdict::Known(..) => report.unlisted_cause().unwrap_or_default(),
        Verdict::Fixed(_) => VerdictKind::Pass.name().to_owned(),
        _ => report.unlisted_cause().unwrap_or_else(|| name.to_owned()),
    }
}

/// The names of suites, by the [`prefix`] of the names of their files: files below the working folder, above it and
/// elsewhere have suites of their own.
struct SuiteNames(BTreeMap<String, SuiteFolders>);

/// The suites of the files with one prefix.
struct SuiteFolders {
    /// The length of the folder that all files are in.
    common: usize,
    /// The suite of the files directly in that folder; `None` if there are none.
    direct: Option<String>,
}

impl SuiteNames {
    /// Those of these files. `folder` is the name of the one in which their names begin.
    fn of<'f>(files: impl Iterator<Item = &'f str>, folder: &str) -> SuiteNames {
        let mut parts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let files = files.map(without_dot);
        files.for_each(|file| parts.entry(prefix(file).to_owned()).or_default().push(file));
        let folders = |(prefix, files): (String, Vec<_>)| (prefix, SuiteFolders::of(&files, folder));
        SuiteNames(parts.into_iter().map(folders).collect())
    }

    /// The suite of a file, which need not be one of those. It is a path if another prefix could have a suite of this
    /// name.
    fn suite(&self, file: &str) -> String {
        let file = without_dot(file);
        let prefix = prefix(file);
        match self.0.get(prefix) {
            Some(folders) if self.0.len() > 1 && !prefix.is_empty() => folders.path(file),
            Some(folders) => folders.suite(file),
            None => file.to_owned(),
        }
    }
}

/// The name of a file without the `./` of names that would begin with a dash.
fn without_dot(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}

/// The part of a file's name that leads out of the working folder: `../` for each folder above it, or the root of an
/// absolute path. It is empty for files below the working folder.
fn prefix(file: &str) -> &str {
    let below = file.trim_start_matches("../");
    let root = below.split_inclusive('/').next().filter(|first| *first == "/" || first.ends_with(":/"));
    &file[..file.len() - below.len() + root.map_or(0, str::len)]
}

impl SuiteFolders {
    fn of(files: &[&str], folder: &str) -> SuiteFolders {
        let common = common_folder(files.iter().copied());
        let direct = files.iter().find(|file| !file[common..].contains('/'));
        let name = |file: &&str| match file[..common].trim_end_matches('/') {
            "" => folder.to_owned(),
            common => common.to_owned(),
        };
        SuiteFolders { common, direct: direct.map(name) }
    }

    fn suite(&self, file: &str) -> String {
        let below = file.get(self.common..).unwrap_or(file);
        match (below.split_once('/'), &self.direct) {
            // A folder may have the name of the one that it is in.
            (Some((suite, _)), Some(direct)) if suite == direct => format!("{direct}/{suite}"),
            (Some((suite, _)), _) => suite.to_owned(),
            (None, Some(direct)) => direct.clone(),
            (None, None) => file[..file.len() - below.len()].trim_end_matches('/').to_owned(),
        }
    }

    /// The folder of a suite.
    fn path(&self, file: &str) -> String {
        let (common, below) = file.split_at_checked(self.common).unwrap_or(("", file));
        let suite = below.split_once('/').map_or("", |(suite, _)| suite);
        format!("{common}{suite}").trim_end_matches('/').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_inside_and_outside_of_the_folder_have_names() {
        let suites = |files: &[&str]| {
            let names = SuiteNames::of(files.iter().copied(), "here");
            files.iter().map(|file| names.suite(file)).collect::<Vec<_>>()
        };
        assert_eq!(suites(&["a.json", "gas/b.json"]), ["here", "gas"]);
        assert_eq!(suites(&["/v/x/gas/a.json", "/v/x/types/b.json"]), ["gas", "types"]);
        let files = ["gas/a.json", "../gas/a.json", "../../v/gas/a.json", "/v/x/gas/a.json", "/v/y/b.json"];
        assert_eq!(suites(&files), ["gas", "../gas", "../../v/gas", "/v/x", "/v/y"]);
        assert_eq!(suites(&["gas/a.json", "C:/v/gas/a.json", "C:/v/b.json"]), ["gas", "C:/v/gas", "C:/v"]);
        assert_eq!(suites(&["./-x/a.json", "./-z/a.json", "y/a.json"]), ["-x", "-z", "y"]);
        assert_eq!(suites(&["./-a.json", "b.json"]), ["here", "here"]);
    }
}
