//! Instructions that no machine runs: programs with them are of no use, and mostly made again.

use std::collections::{BTreeSet, HashMap};

/// How many programs with an instruction all machines must refuse until that instruction is the reason.
const MIN_REFUSED: u32 = 8;

/// How often programs with an instruction were refused by all machines; `None` once a machine ran one.
type RefusedPrograms = Option<u32>;

/// What machines run, by the codes of instructions.
#[derive(Debug, Default)]
pub(super) struct RefusedInstructions {
    by_code: HashMap<u16, RefusedPrograms>,
    /// The codes of the instructions that no machine runs.
    refused: BTreeSet<u16>,
}

impl RefusedInstructions {
    /// Learns from a program with these instructions.
    pub(super) fn count(&mut self, codes: &BTreeSet<u16>, is_refused: bool) {
        for code in codes {
            let programs = self.by_code.entry(*code).or_insert(Some(0));
            *programs = programs.filter(|_| is_refused).map(|programs| programs + 1);
            match programs {
                Some(MIN_REFUSED..) => self.refused.insert(*code),
                _ => self.refused.remove(code),
            };
        }
    }

    /// Whether machines run all instructions, as far as is known.
    pub(super) fn is_empty(&self) -> bool {
        self.refused.is_empty()
    }

    /// Whether no machine runs one of these instructions.
    pub(super) fn has_any(&self, codes: &BTreeSet<u16>) -> bool {
        !self.refused.is_disjoint(codes)
    }
}
