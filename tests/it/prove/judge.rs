//! `vmconf mutants --judge`: faults of the comparison, and vectors that must fail.

use vmconf::prove::judge::{FAULTS, Negatives};
use vmconf::run::LoadOptions;
use vmconf::wire::mutants::{FaultOutcome, Mutants};

use crate::support::{at_root, sources_of, vmconf};

fn judged(folder: &str) -> Mutants {
    let negatives = Negatives::read(&sources_of(folder), &LoadOptions::default());
    negatives.judge(&FAULTS.iter().collect::<Vec<_>>())
}

fn noticed(mutants: &Mutants) -> impl Iterator<Item = &str> {
    mutants.faults.iter().filter(|it| it.outcome == FaultOutcome::Killed).map(|it| &*it.kind)
}

/// The samples of vectors that must fail notice each fault of the comparison.
#[test]
fn the_wrong_samples_notice_every_fault() {
    let formats = ["minic89", "neovm-2x", "neovm-n3", "statetest", "tinyvm", "vmtests"];
    let judged = formats.map(|format| judged(&format!("tests/samples/{format}/wrong")));
    for (format, mutants) in formats.iter().zip(&judged) {
        // Each format has cases that must fail, and any of them notices that nothing is compared.
        assert!(noticed(mutants).any(|name| name == "nothing-compared"), "{format}: {mutants:?}");
    }
    let open: Vec<_> = FAULTS
        .iter()
        .map(|fault| fault.name)
        .filter(|name| !judged.iter().any(|mutants| noticed(mutants).any(|noticed| noticed == *name)))
        .collect();
    assert!(FAULTS.len() >= 36 && open.is_empty(), "{open:?}");
}

/// A wrong sample notices the fault that it is for, and not those that leave its difference in sight.
#[test]
fn a_planted_fault_of_the_runner_is_noticed_by_the_failure_it_hides() {
    for (sample, notices, sees) in [
        ("items-swapped", "items-unordered", "no-lengths"),
        ("number-of-65-bits", "modulo-64", "sign-ignored"),
        ("only-the-type", "no-types", "no-values"),
        ("nested-four-times", "depth-4", "no-text"),
        ("map-order", "no-order", "items-unordered"),
    ] {
        let mutants = judged(&format!("tests/samples/neovm-n3/wrong/{sample}.json"));
        let names: Vec<_> = noticed(&mutants).collect();
        assert!(names.contains(&notices) && !names.contains(&sees), "{sample}: {names:?}");
    }
}

/// Vectors that pass cannot notice a fault of the comparison: they are left out.
#[test]
fn passing_vectors_are_left_out() {
    let mutants = judged("vectors/evm/arithmetic");
    assert!(mutants.cases == 0 && mutants.left_out > 50, "{mutants:?}");
    assert_eq!(vmconf(&["mutants", "--judge", "vectors/evm/arithmetic/add.json"]).exit, 4);
}

#[test]
fn a_score_is_demanded() {
    let wrong = "tests/samples/vmtests/wrong";
    assert!(at_root(wrong).is_dir());
    let of =
        |score: &str| vmconf(&["mutants", "--judge", wrong, "--only", "judge/no-*", "--min-score", score]);
    let ran = of("1");
    assert_eq!((ran.exit, &*ran.stderr), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("judge"), "{}", ran.stdout);
    assert_eq!(of("99").exit, 1);
    assert_eq!(vmconf(&["mutants", "--judge", wrong, "--only", "judge/no-length"]).exit, 0);
    let ran = vmconf(&["mutants", "--judge", wrong, "--only", "judge/nolengths"]);
    assert!(ran.exit == 2 && ran.stderr.contains("did you mean"), "{ran:?}");
}
