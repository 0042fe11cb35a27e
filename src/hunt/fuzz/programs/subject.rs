//! A machine that is compared with the embedded one, and what its differences are about.

use std::collections::{BTreeSet, HashMap};

use crate::explain::explain;
use crate::hunt::fuzz::finding::{DifferenceOf, NoFinding};
use crate::hunt::fuzz::fuzz_cause::FuzzCause;
use crate::hunt::fuzz::repeats::{is_alike, repeats};
use crate::hunt::minimize::{diverging_instruction, named_instruction};
use crate::isa::OpInfo;
use crate::model::{Verdict, VerdictKind};
use crate::run::{LoadOptions, LoadedFile, Worker};

/// The minimum number of differing programs with a known cause: from then on, it can explain a further difference
/// before that is made small.
const MIN_DIFFERING: u32 = 8;

/// The factor for the suspicion of the instruction that made the first wrong value.
const BLAME_FACTOR: u64 = 4;

/// The share of the programs with an instruction, in thousandths, that is called most of them.
const MAJORITY: u32 = 500;

/// A machine that is compared.
pub(super) struct FuzzedMachine<'o> {
    pub(super) name: &'o str,
    pub(super) options: &'o LoadOptions,
    pub(super) worker: Worker<'o>,
    /// How many programs with an instruction, by its code, had no difference, and how many had one.
    counts: HashMap<u16, ProgramCounts>,
    /// Whether it ran a program.
    pub(super) has_run: bool,
    /// Why it does not run the first program.
    pub(super) not_run: Option<String>,
    /// How many differences were made small without a cause that is new, by the instruction that seemed to be wrong.
    pub(super) repeated: HashMap<String, u32>,
}

/// How many programs had no difference, and how many had one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProgramCounts {
    pub(super) passing: u32,
    pub(super) failing: u32,
}

impl ProgramCounts {
    /// How suspicious an instruction is: the square of its Ochiai coefficient, without the factor that all
    /// instructions have in common. Unlike the share of programs that differ, it is small if the only program with a
    /// rare instruction differs.
    pub(super) fn suspicion(self) -> u64 {
        let [passing, failing] = [self.passing, self.failing].map(u64::from);
        ((failing * failing) << 20) / (passing + failing).max(1)
    }

    /// The share of programs that differ, in thousandths.
    pub(super) fn share(self) -> u32 {
        1_000 * self.failing / (self.passing + self.failing).max(1)
    }
}

impl<'o> FuzzedMachine<'o> {
    pub(super) fn new(name: &'o str, options: &'o LoadOptions) -> FuzzedMachine<'o> {
        let (counts, repeated) = (HashMap::new(), HashMap::new());
        let worker = Worker::new(&options.run);
        FuzzedMachine { name, options, worker, counts, has_run: false, not_run: None, repeated }
    }

    /// Whether the case of a file fails again as before, however often it is asked.
    pub(super) fn repeats_alike(&mut self, file: &LoadedFile<'_>, before: &Verdict) -> bool {
        (0..repeats(before)).all(|_| is_alike(&self.worker.run_case(file, 0).verdict, before))
    }

    /// Why nothing is found out about a difference that is not made small. Whether it repeats is known after a few runs,
    /// but a breakdown may take long.
    pub(super) fn untried(&mut self, file: &LoadedFile<'_>, difference: DifferenceOf) -> NoFinding {
        if difference == DifferenceOf::Breakdown {
            return NoFinding::NotTried;
        }
        let again = self.worker.run_case(file, 0).verdict;
        let is_repeated = again.kind() == VerdictKind::Fail && self.repeats_alike(file, &again);
        if is_repeated { NoFinding::NotTried } else { NoFinding::NotRepeated }
    }

    pub(super) fn count(&mut self, codes: &BTreeSet<u16>, difference: Option<DifferenceOf>) {
        for code in codes {
            let counts = self.counts.entry(*code).or_default();
            *match difference {
                Some(_) => &mut counts.failing,
                None => &mut counts.passing,
            } += 1;
        }
    }

    fn counts_of(&self, op: &OpInfo) -> ProgramCounts {
        self.counts.get(&op.code).copied().unwrap_or_default()
    }

    /// Whether an instruction may be what is wrong. One that only pushes a value is in most programs, as the operand of
    /// another: unless most programs with it differ, that other one is.
    pub(super) fn may_be_wrong(&self, op: &OpInfo) -> bool {
        (op.pops, op.pushes) != (0, 1) || self.counts_of(op).share() >= MAJORITY
    }

    pub(super) fn knows(&self, known: &BTreeSet<FuzzCause>, what: &str) -> bool {
        known.contains(&FuzzCause { vm: self.name.to_owned(), what: what.to_owned() })
    }
}

/// Whether one of these instructions is a known cause that explains a difference: most programs with it differ, or
/// it is the most suspicious one and many programs with it differ.
pub(super) fn explains(
    subject: &FuzzedMachine<'_>,
    known: &BTreeSet<FuzzCause>,
    ops: impl Iterator<Item = &'static OpInfo>,
) -> bool {
    let mut most = 0;
    let mut is_explained = false;
    for op in ops {
        let counts = subject.counts_of(op);
        let is_known = subject.knows(known, op.name);
        if is_known && counts.share() >= MAJORITY {
            return true;
        }
        if counts.suspicion() > most {
            most = counts.suspicion();
            is_explained = is_known && counts.failing >= MIN_DIFFERING;
        }
    }
    is_explained
}

/// What the failure of a case is about.
pub(super) struct CauseInWords {
    /// The name of an instruction, or the signature of the failure.
    pub(super) what: String,
    pub(super) certainty: CauseCertainty,
}

/// How it is known what a failure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CauseCertainty {
    /// The machine reports its steps, or takes too long. A smaller program is about the same.
    Reported,
    /// It is concluded from the end of this program, or from those of many.
    Concluded,
}

/// What the failure of a case is about: the instruction after which the machines first differ, if the machine reports
/// its steps. If it does not, the most suspicious instruction of the small program; without a small program, the one
/// that made the first wrong value.
pub(super) fn cause(
    subject: &mut FuzzedMachine<'_>,
    file: &LoadedFile<'_>,
    ops: Option<&[&'static OpInfo]>,
) -> CauseInWords {
    let concluded = |what| CauseInWords { what, certainty: CauseCertainty::Concluded };
    let report = subject.worker.run_case(file, 0);
    let signature = || report.signature().unwrap_or_default();
    if report.verdict.kind() == VerdictKind::Timeout {
        // Telling them apart takes the time limit again for each try.
        return CauseInWords { what: signature(), certainty: CauseCertainty::Reported };
    }
    if report.verdict.kind() != VerdictKind::Fail {
        // Many breakdowns have one signature.
        let at = most_suspicious(subject, ops, None).map_or_else(String::new, |op| format!(", {op}"));
        return concluded(signature() + &at);
    }
    let explained = explain(&mut subject.worker, file, 0, 0);
    if let Some(name) = diverging_instruction(&explained) {
        return CauseInWords { what: name.to_owned(), certainty: CauseCertainty::Reported };
    }
    let named = named_instruction(&explained).map(|named| named.op);
    let suspicious = most_suspicious(subject, ops, named);
    concluded(suspicious.or(named).map_or_else(signature, str::to_owned))
}

/// The most suspicious of these instructions. `named` is the one that made the first wrong value.
fn most_suspicious(
    subject: &FuzzedMachine<'_>,
    ops: Option<&[&'static OpInfo]>,
    named: Option<&str>,
) -> Option<&'static str> {
    let suspicion = |op: &OpInfo| {
        let is_named = Some(op.name) == named;
        let suspicion = subject.counts_of(op).suspicion() * if is_named { BLAME_FACTOR } else { 1 };
        (subject.may_be_wrong(op), suspicion, is_named)
    };
    ops.into_iter().flatten().max_by_key(|op| suspicion(op)).map(|op| op.name)
}
