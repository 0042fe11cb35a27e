//! What a suite is worth: which expectations are compared, which planted faults are noticed, what is executed.

mod audit;
mod coverage;
mod ethereum;
mod judge;
mod known;
mod mutants;
mod only;

use vmconf::prove::mutants::fault::PlantedFault;
use vmconf::prove::mutants::{MutantsOptions, judge};
use vmconf::prove::suite::VectorSuite;
use vmconf::wire::mutants::Mutants;

/// What a suite says of these faults. No fault may make a machine panic: that would hide what the fault does.
fn judged(faults: &[PlantedFault], suite: &VectorSuite, how: &MutantsOptions) -> Mutants {
    let faults = judge(faults, suite, how);
    let panicked = |reason: &String| reason.contains("panicked");
    let broken: Vec<_> = faults.iter().filter(|fault| fault.reason.as_ref().is_some_and(panicked)).collect();
    assert!(broken.is_empty(), "{} of {}: {:?}", broken.len(), faults.len(), broken);
    Mutants { cases: suite.cases.len() as u64, left_out: suite.left_out, faults }
}
