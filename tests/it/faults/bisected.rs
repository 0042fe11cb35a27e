//! `vmconf bisect` finds planted faults, and the instruction that they are in.

use std::sync::Arc;

use super::{caught, faulty, only_states, visible_faults};
use vmconf::explain::bisect::{self, OnVm};
use vmconf::machines::of_this_crate;
use vmconf::model::limits::Limits;
use vmconf::prove::mutants::evenly;
use vmconf::prove::mutants::fault::RowFault;
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::testees::server::Server;

/// The number of faults of each machine.
const PLANTED: usize = 30;

/// The limit on the instructions of a run, of which some count as many.
const MAX_STEPS: u64 = 100_000;

/// What the machine with the fault reports.
type Reports = fn(&mut Server);

/// Where a fault was found.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// In its instruction.
    There,
    /// In an instruction or action that is another one.
    Elsewhere(String),
    Nowhere,
}

/// Compares the machine of this crate with one that has the fault, on a case that notices it; `None` if there is
/// none.
fn search(fault: RowFault, reports: Reports) -> Option<Found> {
    let case = caught(fault, &faulty(fault))?;
    let limits = Limits { steps: MAX_STEPS, ..case.file.options().limits.clone() };
    let case = case.file.case(case.index)?.read().ok()?.case?;
    let make = move |limits: &Limits| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    let mut server = Server::with(fault.machine, make);
    reports(&mut server);
    let mut other = OnVm::served(server, fault.machine, &case).unwrap().limited(&limits);
    let mut one = OnVm::embedded(fault.machine, &case).unwrap().limited(&limits);
    let found = bisect::compare_runs(&mut one, &mut other, fault.machine.isa).unwrap();
    Some(match found.difference {
        None => Found::Nowhere,
        Some(it) if it.last.as_ref().is_some_and(|last| last.op == fault.op.name) => Found::There,
        Some(it) => Found::Elsewhere(format!("{:?} {:?}", it.at, it.last.map(|last| last.op))),
    })
}

#[test]
fn thirty_faults_of_each_machine_are_found() {
    for machine in of_this_crate() {
        let (mut planted, mut missed) = (0, Vec::new());
        for fault in evenly(&visible_faults(machine), 2 * PLANTED) {
            let ways: [(_, Reports); 2] = [("reports all", |_| {}), ("reports states", only_states)];
            let found = ways.map(|(way, reports)| (way, search(fault, reports)));
            if planted == PLANTED || found[0].1.is_none() {
                continue;
            }
            planted += 1;
            let others = found.into_iter().filter(|(_, found)| *found != Some(Found::There));
            missed.extend(others.map(|(way, found)| format!("{fault}, {way}: {found:?}")));
        }
        assert_eq!(planted, PLANTED, "{}", machine.name);
        assert!(missed.is_empty(), "{}", missed.join("\n"));
    }
}
