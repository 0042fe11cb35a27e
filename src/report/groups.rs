//! Cases that fail or are broken, those of the same cause together.

use std::io;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::case_block::case;
use super::{Grouping, Options};
use crate::model::event::CaseReport;
use crate::model::signature::cause;
use crate::model::verdict::Verdict;
use crate::text::shell::quoted;

/// So many further cases a command names; what shows more is the same run without groups.
const NAMED: usize = 3;

/// The longest list of names in a command.
const LONGEST: usize = 200;

/// Groups in the order of their first cases.
pub(super) struct Groups {
    options: Options,
    groups: IndexMap<String, Group>,
}

/// Cases that do not pass for the same cause.
pub(super) struct Group {
    /// How many they are.
    pub(super) count: usize,
    /// All that is told, with colours, of the one of which that is shortest.
    pub(super) block: Vec<u8>,
    /// That one.
    shown: String,
    /// The first of them, with that one if it is among them.
    first: Vec<String>,
}

impl Groups {
    /// No case yet.
    pub(super) fn new(options: &Options) -> Groups {
        Groups { options: options.clone(), groups: IndexMap::new() }
    }

    /// Adds a case, unless it passed, failed as it is known to, or was not run.
    ///
    /// # Errors
    ///
    /// When it cannot be written, which in memory does not happen.
    pub(super) fn add(&mut self, report: &CaseReport) -> io::Result<()> {
        let id = report.id.to_string();
        let cause = match &report.verdict {
            Verdict::Pass | Verdict::ExpectedFail(..) | Verdict::Skip(_) => return Ok(()),
            // Each is to leave the list.
            Verdict::UnexpectedPass(_) => id.clone(),
            verdict => cause(report.machine.as_deref(), verdict).unwrap_or_default(),
        };
        let key = match self.options.grouping {
            Grouping::ByCause => cause,
            Grouping::None => id.clone(),
        };
        let mut block = Vec::new();
        case(&mut block, report, &self.options.flags)?;
        match self.groups.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().add(id, block),
            Entry::Vacant(place) => {
                place.insert(Group { count: 1, block, shown: id.clone(), first: vec![id] });
            }
        }
        Ok(())
    }

    /// The groups.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// The groups, each with what its cases have in common.
    pub(super) fn with_cause(&self) -> impl Iterator<Item = (&String, &Group)> {
        self.groups.iter()
    }
}

impl Group {
    fn add(&mut self, id: String, block: Vec<u8>) {
        self.count += 1;
        if self.first.len() <= NAMED {
            self.first.push(id.clone());
        }
        if block.len() < self.block.len() {
            (self.block, self.shown) = (block, id);
        }
    }

    /// The command that shows the cases that are not shown: by name where they are few.
    pub(super) fn command(&self, options: &Options) -> String {
        let others = self.first.iter().filter(|id| **id != self.shown);
        let names: Vec<_> = others.map(|id| quoted(id)).collect();
        let names = names.join(" ");
        if self.count <= NAMED + 1 && names.len() <= LONGEST {
            format!("vmconf diff {names}{}", options.flags)
        } else {
            format!("vmconf run{}{} --no-group", options.selection, options.flags)
        }
    }
}
