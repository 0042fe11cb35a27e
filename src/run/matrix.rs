//! Collects the runs of several machines over the same cases.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

use crate::model::case::CaseId;
use crate::model::case_report::CaseReport;
use crate::model::signature;
use crate::model::verdict::{Kind, Verdict};
use crate::wire::matrix::{Agreement, Cell, Group, Matrix, Suite};

/// How many cases of a group are named.
const NAMED: usize = 5;

/// The results of several machines. Takes little memory for each case: outcomes are numbers of texts.
pub struct Collector {
    machines: Vec<String>,
    cases: IndexMap<CaseId, Vec<Option<Outcome>>>,
    texts: IndexSet<String>,
}

/// What a machine does in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Outcome {
    kind: Kind,
    /// The index of its text.
    text: usize,
}

impl Collector {
    /// A collector for these machines.
    pub fn new(machines: Vec<String>) -> Collector {
        Collector { machines, cases: IndexMap::new(), texts: IndexSet::new() }
    }

    /// Adds a case of the run of a machine, given by its index.
    pub fn add(&mut self, machine: usize, report: &CaseReport) {
        let kind = report.verdict.kind();
        let text = self.texts.insert_full(text(report)).0;
        let machines = self.machines.len();
        let outcomes = self.cases.entry(report.id.clone()).or_insert_with(|| vec![None; machines]);
        outcomes[machine] = Some(Outcome { kind, text });
    }

    /// The matrix of what was added.
    pub fn finish(self) -> Matrix {
        Matrix { suites: self.suites(), groups: self.groups(), machines: self.machines }
    }

    fn suites(&self) -> Vec<Suite> {
        let common = common_folder(self.cases.keys().map(|id| &*id.file));
        let mut suites: BTreeMap<&str, Vec<Cell>> = BTreeMap::new();
        for (id, outcomes) in &self.cases {
            let below = &id.file[common..];
            let name = below.split_once('/').map_or(id.file[..common].trim_end_matches('/'), |it| it.0);
            let cells = suites.entry(name).or_insert_with(|| vec![Cell::default(); self.machines.len()]);
            for (cell, outcome) in cells.iter_mut().zip(outcomes) {
                cell.count(outcome.map_or(Kind::Skip, |outcome| outcome.kind));
            }
        }
        suites.into_iter().map(|(name, cells)| Suite { name: name.to_owned(), cells }).collect()
    }

    fn groups(&self) -> Vec<Group> {
        let mut groups: IndexMap<&[Option<Outcome>], Vec<&CaseId>> = IndexMap::new();
        for (id, outcomes) in &self.cases {
            if outcomes.iter().flatten().any(|outcome| outcome.kind != Kind::Pass) {
                groups.entry(outcomes).or_default().push(id);
            }
        }
        let mut groups: Vec<_> =
            groups.into_iter().map(|(outcomes, ids)| self.group(outcomes, &ids)).collect();
        groups.sort_by_key(|group| (group.what, std::cmp::Reverse(group.count)));
        groups
    }

    fn group(&self, outcomes: &[Option<Outcome>], ids: &[&CaseId]) -> Group {
        let ran: Vec<_> = outcomes
            .iter()
            .flatten()
            .filter(|it| !matches!(it.kind, Kind::Unsupported | Kind::Skip))
            .collect();
        let text = |outcome: &Option<Outcome>| outcome.map_or("skip", |outcome| &*self.texts[outcome.text]);
        let what = if ran.windows(2).any(|pair| pair[0] != pair[1]) {
            Agreement::Disagree
        } else if ran.iter().any(|outcome| outcome.kind != Kind::Pass) {
            Agreement::NonePasses
        } else {
            Agreement::Unsupported
        };
        Group {
            what,
            outcomes: outcomes.iter().map(|outcome| text(outcome).to_owned()).collect(),
            count: ids.len(),
            cases: ids.iter().take(NAMED).map(ToString::to_string).collect(),
        }
    }
}

/// What a machine does in a case, without the names and numbers of the case.
fn text(report: &CaseReport) -> String {
    let name = report.verdict.name();
    match &report.verdict {
        Verdict::Unsupported(reason) => format!("{name}: {reason}"),
        verdict => signature::cause(report.machine.as_deref(), verdict).unwrap_or_else(|| name.to_owned()),
    }
}

/// The length of the folder, with the `/` at its end, that all files are in; 0 if there is none.
fn common_folder<'f>(mut files: impl Iterator<Item = &'f str>) -> usize {
    let Some(first) = files.next() else { return 0 };
    let mut length = first.rfind('/').map_or(0, |slash| slash + 1);
    for file in files {
        while !file.starts_with(&first[..length]) {
            length = first[..length - 1].rfind('/').map_or(0, |slash| slash + 1);
        }
    }
    length
}
