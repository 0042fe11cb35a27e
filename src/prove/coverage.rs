//! What cases do with each instruction.

use std::collections::BTreeMap;

use super::suite::VectorSuite;
use crate::isa::OpInfo;
use crate::machines::MachineInfo;
use crate::wire::coverage::{Aspect, CoverageReport, CoveredInstruction, MachineCoverage};

/// What the cases did with each instruction that they executed.
pub fn coverage(suite: &VectorSuite) -> CoverageReport {
    let machines = suite.machines().map(|machine| of_machine(suite, machine)).collect();
    CoverageReport { left_out: suite.left_out, machines, families: Vec::new() }
}

fn of_machine(suite: &VectorSuite, machine: &'static MachineInfo) -> MachineCoverage {
    let cases = || suite.cases.iter().filter(|case| case.machine.name == machine.name);
    let mut points: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (op, what) in cases().flat_map(|case| &case.points) {
        *points.entry((op, what)).or_default() += 1;
    }
    let instruction = |op: &OpInfo| {
        let of_op = points.range((op.name, "")..).take_while(|((name, _), _)| *name == op.name);
        let aspects = of_op.map(|((_, what), count)| Aspect { what: (*what).to_owned(), cases: *count });
        CoveredInstruction { name: op.name.to_owned(), doc: op.meaning(), aspects: aspects.collect() }
    };
    MachineCoverage {
        machine: machine.name.to_owned(),
        cases: cases().count() as u64,
        instructions: machine.isa.ops.iter().map(instruction).collect(),
    }
}
