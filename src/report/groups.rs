//! Cases that fail or are broken, grouped by cause.

use std::io;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::case_block::case;
use super::kind::{Grouping, ReportOptions};
use crate::model::case_report::CaseReport;
use crate::model::signature::cause;
use crate::model::verdict::Verdict;
use crate::text::shell::quoted;

/// The expression for the cases of a cause.
pub fn of_cause(cause: &str) -> String {
    let escaped = cause.replace('\\', "\\\\").replace('"', "\\\"");
    format!("cause(\"{escaped}\")")
}

/// The maximum number of other cases that a command names. To show more, it selects the cause.
const NAMED: usize = 3;

/// The maximum length of the list of names in a command, in bytes.
const LONGEST: usize = 200;

/// Groups in the order of their first cases.
pub(super) struct FailureGroups {
    options: ReportOptions,
    groups: IndexMap<String, FailureGroup>,
}

/// Cases that do not pass, with the same cause.
pub(super) struct FailureGroup {
    /// The number of cases.
    pub(super) count: usize,
    /// The text of the simplest of the cases, with colours: the one that executes the fewest instructions or, failing
    /// that, has the shortest text.
    pub(super) block: Vec<u8>,
    /// How many instructions that case executes.
    instructions: u64,
    /// The id of the case with that text.
    shown: String,
    /// The ids of the first cases, which may include `shown`.
    first: Vec<String>,
}

impl FailureGroups {
    /// Creates an empty collection.
    pub(super) fn new(options: &ReportOptions) -> FailureGroups {
        FailureGroups { options: options.clone(), groups: IndexMap::new() }
    }

    /// Adds a case, unless it passed, failed as expected, or did not run.
    ///
    /// # Errors
    ///
    /// When writing fails, which does not happen in memory.
    pub(super) fn add(&mut self, report: &CaseReport) -> io::Result<()> {
        let cause = match &report.verdict {
            Verdict::Pass | Verdict::ExpectedFail(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => {
                return Ok(());
            }
            // Each is reported, since each has to be removed from the list.
            Verdict::UnexpectedPass(_) => report.id.to_string(),
            verdict => cause(report.machine.as_deref(), verdict).unwrap_or_default(),
        };
        let id = report.id.to_string();
        let key = match self.options.grouping {
            Grouping::ByCause => cause,
            Grouping::None => id.clone(),
        };
        let failure = report.verdict.failure();
        let instructions = failure.and_then(|failure| failure.instructions).unwrap_or(u64::MAX);
        let mut block = Vec::new();
        case(&mut block, report, &self.options.flags)?;
        match self.groups.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().add(id, block, instructions),
            Entry::Vacant(place) => {
                place.insert(FailureGroup {
                    count: 1,
                    block,
                    instructions,
                    shown: id.clone(),
                    first: vec![id],
                });
            }
        }
        Ok(())
    }

    /// The groups, each with its cause, or with the id of a case that is not grouped.
    pub(super) fn with_cause(&self) -> impl Iterator<Item = (&String, &FailureGroup)> {
        self.groups.iter()
    }
}

impl FailureGroup {
    fn add(&mut self, id: String, block: Vec<u8>, instructions: u64) {
        self.count += 1;
        if self.first.len() <= NAMED {
            self.first.push(id.clone());
        }
        if (instructions, block.len()) < (self.instructions, self.block.len()) {
            (self.instructions, self.block, self.shown) = (instructions, block, id);
        }
    }

    /// The command that shows the other cases: by name if they are few, otherwise all with this cause.
    pub(super) fn command(&self, cause: &str, options: &ReportOptions) -> String {
        let others = self.first.iter().filter(|id| **id != self.shown);
        let names: Vec<_> = others.map(|id| quoted(id)).collect();
        let names = names.join(" ");
        if self.count <= NAMED + 1 && names.len() <= LONGEST {
            format!("vmconf diff {names}{}", options.flags)
        } else {
            let selection = options.selection.clone().narrowed(&of_cause(cause));
            format!("vmconf run{selection}{} --no-group", options.flags)
        }
    }
}
