//! What a case executes, as far as its spectrum needs it: of a long run, the beginning, and each instruction that is
//! new after it.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::explain::circumstances;
use crate::explain::observer::{CoveragePoints, Observer};
use crate::isa::{Isa, OpSet};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};

/// The number of instructions at the beginning that are all seen.
const MAX_FIRST: u64 = 5_000;

/// How often an instruction at one address is observed; then only each [`STRIDE`]th time.
const MAX_AT_ADDRESS: u32 = 16;
const STRIDE: u32 = 16;

/// How far a case is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FollowedExtent {
    /// The beginning: what a passing case does later says little more.
    Beginning,
    /// To its end: what fails may be executed late.
    Whole,
}

/// Watches a case, to know what it executes.
pub struct SpectrumRun {
    isa: &'static Isa,
    extent: FollowedExtent,
    observer: Observer<'static>,
    steps: u64,
    /// The codes of the instructions that were seen.
    codes: BTreeSet<u16>,
    /// The codes that were executed and are no instructions.
    undefined: BTreeSet<u16>,
    /// How often the instruction at each address was executed.
    visits: HashMap<(usize, u16), u32, RandomState>,
}

impl SpectrumRun {
    /// Follows a case to its end.
    pub fn whole(isa: &'static Isa) -> SpectrumRun {
        SpectrumRun::new(isa, FollowedExtent::Whole)
    }

    pub(super) fn new(isa: &'static Isa, extent: FollowedExtent) -> SpectrumRun {
        let (codes, undefined, visits) = (BTreeSet::new(), BTreeSet::new(), HashMap::default());
        SpectrumRun { isa, extent, observer: Observer::default(), steps: 0, codes, undefined, visits }
    }

    /// The conditions under which each instruction was executed, and what was executed and is none.
    pub fn conditions(&self) -> CoveragePoints {
        let mut conditions = self.observer.conditions();
        conditions.extend(circumstances::of_undefined(&self.undefined));
        conditions
    }

    /// How many instructions were seen.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the case ends within the beginning, so that both extents are the same.
    pub(super) fn is_short(&self) -> bool {
        self.steps <= MAX_FIRST
    }

    /// Whether an instruction is observed: the first times at its address, and now and then in a long loop.
    fn is_observed(&mut self, at: &At<'_>) -> bool {
        let visits = self.visits.entry((at.pc, at.code)).or_default();
        *visits += 1;
        *visits <= MAX_AT_ADDRESS || visits.is_multiple_of(STRIDE)
    }

    fn unseen(&self) -> OpSet {
        let unseen = self.isa.ops.iter().filter(|op| !self.codes.contains(&op.code));
        OpSet::new(self.isa, unseen.collect())
    }
}

impl Watch for SpectrumRun {
    fn before(&mut self, at: &At<'_>) {
        self.steps += 1;
        if self.is_done() {
            return;
        }
        match at.op {
            Some(op) => self.codes.insert(op.code),
            None => self.undefined.insert(at.code),
        };
        if self.steps > MAX_FIRST {
            // What was executed in between was not seen.
            self.observer.interrupt();
            self.observer.before(at);
        } else if self.is_observed(at) {
            self.observer.before(at);
        } else {
            self.observer.after(at.state, Some(at.pc));
        }
    }

    fn only(&self) -> Option<OpSet> {
        (self.extent == FollowedExtent::Whole && self.steps >= MAX_FIRST).then(|| self.unseen())
    }

    fn narrowed(&self) -> Option<OpSet> {
        Some(self.unseen())
    }

    fn sees(&self) -> u64 {
        match self.extent {
            FollowedExtent::Whole if self.steps < MAX_FIRST => MAX_FIRST - self.steps,
            FollowedExtent::Whole | FollowedExtent::Beginning => u64::MAX,
        }
    }

    fn is_done(&self) -> bool {
        self.extent == FollowedExtent::Beginning && self.steps > MAX_FIRST
    }

    fn pause(&mut self, state: &dyn Inspect) {
        if self.steps > MAX_FIRST {
            self.observer.interrupt();
        } else {
            self.observer.after(state, None);
        }
    }
}
