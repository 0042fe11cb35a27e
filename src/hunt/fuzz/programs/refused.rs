//! Instructions that machines refuse: programs with them compare nothing, and most are replaced by others.

use std::collections::{BTreeSet, HashMap};

/// How many programs with an instruction must have been tried.
const MIN_TRIED: u32 = 16;

/// From this number on, older programs count half: a machine may refuse an instruction with some operands only.
const MAX_TRIED: u32 = 32;

/// How many programs with an instruction were tried, and how many of them no machine ran.
#[derive(Debug, Clone, Copy, Default)]
struct TriedPrograms {
    tried: u32,
    refused: u32,
}

impl TriedPrograms {
    fn count(&mut self, is_refused: bool) {
        if self.tried == MAX_TRIED {
            self.tried /= 2;
            self.refused /= 2;
        }
        self.tried += 1;
        self.refused += u32::from(is_refused);
    }

    /// Whether at least half of them were refused. A machine may run a program that has the instruction and does not
    /// execute it.
    fn are_mostly_refused(self) -> bool {
        self.tried >= MIN_TRIED && 2 * self.refused >= self.tried
    }
}

/// What machines run, by the codes of instructions.
#[derive(Debug, Default)]
pub(super) struct RefusedInstructions {
    by_code: HashMap<u16, TriedPrograms>,
    /// The codes of the instructions that machines refuse.
    refused: BTreeSet<u16>,
}

impl RefusedInstructions {
    /// Learns from a program with these instructions, which all machines refused or some machine ran.
    pub(super) fn count(&mut self, codes: &BTreeSet<u16>, is_refused: bool) {
        for code in codes {
            let programs = self.by_code.entry(*code).or_default();
            programs.count(is_refused);
            if programs.are_mostly_refused() {
                self.refused.insert(*code);
            } else {
                self.refused.remove(code);
            }
        }
    }

    /// Whether machines run all instructions, as far as is known.
    pub(super) fn is_empty(&self) -> bool {
        self.refused.is_empty()
    }

    /// Whether machines refuse one of these instructions.
    pub(super) fn has_any(&self, codes: &BTreeSet<u16>) -> bool {
        !self.refused.is_disjoint(codes)
    }
}
