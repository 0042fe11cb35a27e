//! The failures of the runs so far whose cases have not passed since.

use indexmap::IndexMap;
use vmconf::model::{CaseId, CaseReport, Exit, VerdictKind};

use super::names::in_short;

/// How each of these cases failed last.
#[derive(Default)]
pub(super) struct Failures(IndexMap<CaseId, VerdictKind>);

impl Failures {
    /// Forgets the cases of these files.
    pub(super) fn forget(&mut self, is_of: impl Fn(&str) -> bool) {
        self.0.retain(|id, _| !is_of(&id.file));
    }

    pub(super) fn add(&mut self, report: &CaseReport) {
        let kind = report.verdict.kind();
        if kind.fails_run() {
            self.0.insert(report.id.clone(), kind);
        } else {
            self.0.shift_remove(&report.id);
        }
    }

    /// The line about those that a run of other files did not run again; `None` if there are none.
    pub(super) fn note_not_run(&self, ran: impl Fn(&str) -> bool) -> Option<String> {
        let others: Vec<_> = self.0.iter().filter(|(id, _)| !ran(&id.file)).collect();
        let broken = others.iter().filter(|(_, kind)| is_broken(**kind)).count();
        let fixed = others.iter().filter(|(_, kind)| **kind == VerdictKind::Fixed).count();
        let counts = [(others.len() - broken - fixed, "failed"), (fixed, "fixed"), (broken, "broken")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let ids: Vec<_> = others.iter().map(|(id, _)| id.to_string()).collect();
        (!ids.is_empty()).then(|| format!("{} before, not run again: {}", counts.join(", "), in_short(&ids)))
    }

    /// The exit code of all runs: that of the last one, or of a failure that is outstanding.
    pub(super) fn exit(&self, last: Exit) -> Exit {
        match last {
            Exit::Interrupted | Exit::Usage | Exit::Broken => last,
            Exit::Passed | Exit::NothingRan | Exit::Failed if self.0.is_empty() => last,
            _ if self.0.values().any(|kind| is_broken(*kind)) => Exit::Broken,
            _ => Exit::Failed,
        }
    }
}

fn is_broken(kind: VerdictKind) -> bool {
    matches!(kind, VerdictKind::Error | VerdictKind::Crash | VerdictKind::Timeout | VerdictKind::Flaky)
}
