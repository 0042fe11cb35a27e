//! Faults of Ethereum's instructions and of its other rules, by the own vectors.

use vmconf::explain::observed_run::RecordedDetail;
use vmconf::machines::by_name;
use vmconf::model::Interrupt;
use vmconf::prove::mutants::fault::{FaultKind, PlantedFault, RowFault, faults_of};
use vmconf::prove::mutants::{MutantsOptions, WORK, wrong_entries};
use vmconf::prove::suite::VectorSuite;
use vmconf::run::LoadOptions;
use vmconf::wire::mutants::{FaultOutcome, Mutants};

use crate::random::Random;
use crate::support::{sources_of, vmconf};

/// How many faults are planted.
const PLANTED: usize = 600;

/// The least share of the faults that a case can notice, in percent: the others are equivalent or not planted.
const NOTICEABLE: usize = 90;

fn suite(path: &str) -> VectorSuite {
    VectorSuite::read(&sources_of(path), &LoadOptions::default(), RecordedDetail::Codes, &|_| true)
}

fn judged(faults: &[PlantedFault], suite: &VectorSuite) -> Mutants {
    let how = MutantsOptions { jobs: 2, work: WORK, programs: 0, interrupt: Interrupt::default() };
    super::judged(faults, suite, &how)
}

fn all() -> Vec<PlantedFault> {
    faults_of(by_name("ethereum").unwrap())
}

/// A sample of all faults, which has each fault of a rule besides those of the rows.
#[test]
fn every_fault_that_a_case_can_notice_is_noticed() {
    let all = all();
    let mut random = Random::seeded_by("ETHEREUM_FAULTS_SEED");
    let (mut faults, mut of_rows): (Vec<_>, Vec<_>) =
        all.iter().copied().partition(|fault| matches!(fault, PlantedFault::OfRule(_)));
    assert!(faults.len() >= 65 && of_rows.len() >= 2_900, "{} and {}", faults.len(), of_rows.len());
    let rules = faults.len();
    while faults.len() < PLANTED {
        faults.push(of_rows.swap_remove(random.below(of_rows.len())));
    }
    let suite = suite("vectors/ethereum");
    assert_eq!(suite.left_out, 0);
    let mutants = judged(&faults, &suite);
    let wrong = wrong_entries(&mutants, &all);
    assert!(wrong.is_empty(), "known equivalents: {wrong:?}");
    let open = [FaultOutcome::Survived, FaultOutcome::NeverOn, FaultOutcome::NotExecuted];
    let unnoticed: Vec<_> = mutants.faults.iter().filter(|fault| open.contains(&fault.outcome)).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
    assert!(mutants.faults[..rules].iter().all(|fault| fault.outcome == FaultOutcome::Killed));
    let killed = mutants.count(FaultOutcome::Killed) as usize;
    assert!(100 * killed >= NOTICEABLE * PLANTED, "{killed} of {PLANTED}");
}

/// What plants faults changes nothing by itself: a fault that cannot be on is not noticed.
#[test]
fn an_instruction_without_a_fault_is_executed_as_on_the_machine() {
    let machine = by_name("ethereum").unwrap();
    let nothing = |op| {
        [FaultKind::Copied, FaultKind::OperandCopied]
            .map(|kind| PlantedFault::OfRow(RowFault { machine, op, kind }))
    };
    let faults: Vec<_> = machine.isa.ops.iter().flat_map(nothing).collect();
    let mutants = judged(&faults, &suite("vectors/ethereum"));
    let is_on = |outcome| matches!(outcome, FaultOutcome::Killed | FaultOutcome::Survived);
    let on: Vec<_> = mutants.faults.iter().filter(|fault| is_on(fault.outcome)).collect();
    assert!(on.is_empty() && mutants.count(FaultOutcome::NeverOn) > 250, "{on:#?}");
}

/// A fault is noticed by the case that is about it.
#[test]
fn faults_of_calls_refusals_and_fees_are_noticed_by_their_cases() {
    const FAULTS: [(&str, &str, FaultOutcome); 12] = [
        // The word on the stack of the caller is there only when the called frame has ended.
        ("ethereum/CALL/zero", "instructions-calls.json::call", FaultOutcome::Killed),
        ("ethereum/STATICCALL/neighbour", "instructions-calls.json::staticcall", FaultOutcome::Killed),
        ("ethereum/JUMP/not-taken", "instructions-jumps.json", FaultOutcome::Killed),
        ("ethereum/TSTORE/neighbour", "instructions-storage.json::transient storage", FaultOutcome::Killed),
        ("ethereum/EXTCODECOPY/b-low-limb", "instructions-huge.json", FaultOutcome::Killed),
        ("ethereum/REVERT/pop-omitted", "instructions-endings.json", FaultOutcome::NotPlanted),
        ("ethereum/nonce-too-low/accepted", "refusals-by-class.json::nonce too low", FaultOutcome::Killed),
        ("ethereum/nonce-too-low/accepted", "refusals-by-class.json::nonce too high", FaultOutcome::NeverOn),
        (
            "ethereum/base-fee-burned/dropped",
            "blob-fees.json::type 2 pays nothing for blobs",
            FaultOutcome::Killed,
        ),
        ("ethereum/blobs-of-Prague/more", "blob-parameters.json::ten blobs", FaultOutcome::Killed),
        (
            "ethereum/authorization-nonce/dropped",
            "authorizations.json::nonce 4 of an account with nonce 5",
            FaultOutcome::Killed,
        ),
        ("ethereum/net-storage-gas/dropped", "shifts.json", FaultOutcome::NeverOn),
    ];
    let all = all();
    for (name, path, expected) in FAULTS {
        let fault = all.iter().find(|fault| fault.to_string() == name).unwrap();
        let (file, test) = path.split_once("::").unwrap_or((path, ""));
        let mut suite = suite(&format!("vectors/ethereum/{file}"));
        suite.cases.retain(|case| case.id.contains(&format!("::{test}")));
        assert!(!suite.cases.is_empty(), "{path}");
        assert_eq!(judged(&[*fault], &suite).faults[0].outcome, expected, "{name} by {path}");
    }
}

#[test]
fn the_command_plants_them() {
    let args = [
        "mutants",
        "vectors/ethereum/chain-ids.json",
        "--machine",
        "ethereum",
        "--only",
        "ethereum/chain-id/",
    ];
    let ran = vmconf(&[&args[..], &["--output", "all"]].concat());
    let line = "killed        ethereum/chain-id/dropped by vectors/ethereum/chain-ids.json::";
    assert!(ran.exit == 0 && ran.stdout.starts_with(line), "{ran:?}");
}
