//! Leaves the digest of a file out of all but its first case, and puts it back.

use std::sync::Arc;

use crate::model::{CaseReport, ContentDigest};

/// The content of the cases of a run, in their order. A report says it where it is another one than that of the case
/// before in the same file.
#[derive(Debug, Default)]
pub(super) struct ContentOrder {
    last: Option<(Arc<str>, Option<ContentDigest>)>,
}

impl ContentOrder {
    /// Removes the digest of the next case if it is that of the case before.
    pub(super) fn leave_out(&mut self, report: &mut CaseReport) {
        let before = self.before(report);
        self.last = Some((report.id.file.clone(), report.content));
        if before == report.content {
            report.content = None;
        }
    }

    /// Adds the digest of the next case if it was left out.
    pub(super) fn fill_in(&mut self, report: &mut CaseReport) {
        report.content = report.content.or(self.before(report));
        self.last = Some((report.id.file.clone(), report.content));
    }

    fn before(&self, report: &CaseReport) -> Option<ContentDigest> {
        let (_, content) = self.last.as_ref().filter(|(file, _)| *file == report.id.file)?;
        *content
    }
}
