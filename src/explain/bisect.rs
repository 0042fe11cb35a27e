//! Finds the first step at which two runs of one program differ.

mod divergence;
mod machines;
mod runs;
mod states;

use std::collections::BTreeMap;
use std::io::{self, BufRead, ErrorKind, Read};

use crate::wire::eip3155::{self, TraceLine, TraceMembers};
use crate::wire::line::quoted_bytes;

pub use self::divergence::{Compared, Divergence, NextInstruction};
pub use self::machines::{InstructionList, OnVm, compare_instructions};
pub(in crate::explain) use self::machines::{RunPoint, step_of};
pub(in crate::explain) use self::runs::differences_at_start;
pub use self::runs::{Bisected, DifferencePlace, RunDifference, compare_runs};
pub use self::states::StateDifference;
pub(in crate::explain) use self::states::differences;

/// The steps of a run, one by one.
pub(super) trait StepSource {
    /// The next step, or the end.
    fn next(&mut self) -> io::Result<NextInstruction>;
}

/// Reads the steps of a trace one by one.
struct BisectTrace<R> {
    from: R,
    line: Vec<u8>,
    /// The number of the line.
    number: u64,
}

impl<R> BisectTrace<R> {
    fn new(from: R) -> BisectTrace<R> {
        BisectTrace { from, line: Vec::new(), number: 0 }
    }

    fn wrong(&self, what: impl Into<String>) -> io::Error {
        invalid(TraceFault { line: Some(self.number), what: what.into() })
    }
}

/// What is wrong with a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.located("trace"))]
pub struct TraceFault {
    /// The number of the line, from 1; `None` for the trace as a whole.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl TraceFault {
    /// The fault of a trace of this name.
    pub fn located(&self, name: &str) -> String {
        let line = self.line.map_or(String::new(), |line| format!("{line}:"));
        format!("{name}:{line} {}", self.what)
    }
}

/// The maximum length of a line of a trace, in bytes.
const MAX_LINE: u64 = 16 << 20;

/// The maximum number of items of the lists in a line: a short item takes forty times its length in memory.
const MAX_ITEMS: usize = 200_000;

impl<R: BufRead> StepSource for BisectTrace<R> {
    fn next(&mut self) -> io::Result<NextInstruction> {
        let mut summary = TraceMembers::new();
        loop {
            self.line.clear();
            let length = (&mut self.from).take(MAX_LINE).read_until(b'\n', &mut self.line)?;
            if length == 0 {
                return Ok(NextInstruction::End(summary));
            }
            self.number += 1;
            check_size(&self.line).map_err(|what| self.wrong(what))?;
            let read = eip3155::read(&self.line);
            match read.map_err(|wrong| self.wrong(format!("{wrong}, in {}", quoted_bytes(&self.line))))? {
                TraceLine::Step(step) => return Ok(NextInstruction::Step(step)),
                TraceLine::Summary(members) => summary = members,
                TraceLine::Other => {}
            }
        }
    }
}

/// Checks that a line of a trace is short enough to be read. Fails with a description of a line that is too large.
pub(super) fn check_size(line: &[u8]) -> Result<(), String> {
    if line.len() as u64 >= MAX_LINE {
        return Err(format!("a line of more than {MAX_LINE} bytes"));
    }
    if memchr::memchr_iter(b',', line).count() > MAX_ITEMS {
        return Err(format!("a line with more than {MAX_ITEMS} items"));
    }
    Ok(())
}

fn invalid(fault: TraceFault) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, fault)
}

/// What a comparison of two runs step by step found.
pub(super) struct TraceComparison {
    /// Whether they differ, and where.
    pub(super) compared: Compared,
    /// The members that were not compared in some step, with which of the traces lack them.
    pub(super) lacking: Vec<(&'static str, [bool; 2])>,
}

/// Compares two EIP-3155 traces, with two steps of each in memory. An error has the index of its trace; a wrong trace
/// is a [`TraceFault`] ([`ErrorKind::InvalidData`]).
pub fn compare_traces(one: impl BufRead, other: impl BufRead) -> Result<Bisected, (usize, io::Error)> {
    let (mut one, mut other) = (BisectTrace::new(one), BisectTrace::new(other));
    let TraceComparison { compared, lacking } = step_by_step([&mut one, &mut other])?;
    let (steps, difference) = match compared {
        Ok(steps) => (Some(steps), None),
        Err(divergence) => (None, Some(Box::new(runs::of_instructions(*divergence)))),
    };
    let lacking = lacking.into_iter().map(|(name, lack)| (name.to_owned(), lack)).collect();
    Ok(Bisected { steps, difference, lacking, broke: None })
}

/// Compares two runs, with two steps of each in memory. For errors, see [`compare_traces`].
pub(super) fn step_by_step(sources: [&mut dyn StepSource; 2]) -> Result<TraceComparison, (usize, io::Error)> {
    let [one, other] = sources;
    let (mut step, mut last, mut lacking) = (0, None, BTreeMap::new());
    loop {
        let next = [one.next().map_err(|error| (0, error))?, other.next().map_err(|error| (1, error))?];
        if step == 0
            && let Some(empty) = next.iter().position(|next| matches!(next, NextInstruction::End(_)))
        {
            let what = "no line of it is a step of a trace".to_owned();
            return Err((empty, invalid(TraceFault { line: None, what })));
        }
        let differs = next[0].differences(&next[1]);
        if !differs.is_empty() {
            let compared = Err(Box::new(Divergence::after(step, last, differs, next)));
            return Ok(TraceComparison { compared, lacking: lacking.into_iter().collect() });
        }
        for (name, lack) in next[0].lacking(&next[1]) {
            lacking.entry(name).or_insert([false; 2])[lack] = true;
        }
        match next {
            [NextInstruction::Step(common), _] => (step, last) = (step + 1, Some(common)),
            [NextInstruction::End(_), _] => {
                return Ok(TraceComparison { compared: Ok(step), lacking: lacking.into_iter().collect() });
            }
        }
    }
}
