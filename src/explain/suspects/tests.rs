//! Small spectra, whose suspects follow from the definition.

use super::*;

/// A case with what it executes in words.
struct TestCase {
    id: String,
    outcome: SpectrumOutcome,
    executes: BTreeSet<(&'static str, String)>,
    evidence: FailureEvidence,
}

fn case(id: &str, outcome: SpectrumOutcome, executes: &[(&'static str, &str)]) -> TestCase {
    let words = |(op, what): &(&'static str, &str)| [(*op, "executed".to_owned()), (*op, (*what).to_owned())];
    let executes = executes.iter().flat_map(words).collect();
    TestCase { id: id.to_owned(), outcome, executes, evidence: FailureEvidence::default() }
}

fn located(cases: &[TestCase]) -> SuspectAnalysis {
    let mut points = SpectrumPoints::default();
    let case = |case: &TestCase| SpectrumCase {
        id: case.id.clone(),
        outcome: case.outcome,
        length: case.executes.iter().filter(|(_, what)| what == "executed").count() as u64,
        executes: points.numbers(case.executes.iter().cloned()),
        evidence: case.evidence.clone(),
    };
    let cases: Vec<_> = cases.iter().map(case).collect();
    locate("evm", &points, &cases, &CountedPasses::default())
}

const PUSH: (&str, &str) = ("PUSH", "executed");

/// Ten cases of each of eight instructions; those of `wrong` fail.
fn swapped(wrong: &[&str], fails: SpectrumOutcome) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for op in ["ADD", "SUB", "SDIV", "BYTE", "LT", "GT", "AND", "OR"] {
        for number in 0..10 {
            let outcome = if wrong.contains(&op) { fails } else { SpectrumOutcome::Passes };
            cases.push(case(&format!("{op} {number}"), outcome, &[PUSH, (op, "executed")]));
        }
    }
    cases
}

fn names(analysis: &SuspectAnalysis) -> Vec<&str> {
    analysis.suspects.iter().map(|suspect| &*suspect.name.op).collect()
}

#[test]
fn ochiai_follows_its_definition() {
    // 2 / sqrt(4 * (2 + 2))
    assert!((ochiai(2.0, 2, 4.0) - 0.5).abs() < 1e-9);
    assert!((ochiai(4.0, 0, 4.0) - 1.0).abs() < 1e-9);
}

#[test]
fn two_faults_do_not_hide_each_other() {
    for fails in [SpectrumOutcome::Fails, SpectrumOutcome::FailsOnlyElsewhere] {
        let mut cases = swapped(&["SDIV", "BYTE"], fails);
        let analysis = located(&cases);
        assert_eq!(names(&analysis), ["BYTE", "SDIV"], "{fails:?}");
        assert!(analysis.suspects.iter().all(|suspect| suspect.cases.len() == 10 && suspect.alone == 10));
        cases.reverse();
        assert_eq!(located(&cases), analysis, "the order of cases changes something");
    }
}

/// A case that executes two suspects may fail because of either of them.
#[test]
fn a_case_with_two_suspects_is_explained_by_neither_alone() {
    let fails = SpectrumOutcome::FailsOnlyElsewhere;
    let mut cases = swapped(&["SDIV", "BYTE"], fails);
    cases.push(case("both", fails, &[PUSH, ("SDIV", "executed"), ("BYTE", "executed")]));
    let analysis = located(&cases);
    let counts: Vec<_> = analysis.suspects.iter().map(|it| (it.cases.len(), it.alone)).collect();
    assert_eq!(counts, [(11, 10), (10, 10)]);
    assert!(analysis.suspects.iter().all(|it| it.example.as_deref() != Some("both")), "{analysis:?}");
}

#[test]
fn a_condition_separates_failing_from_passing_cases() {
    let negative = |number: usize| number < 4;
    let sdiv = |number: usize| {
        let (outcome, what) = if negative(number) {
            (SpectrumOutcome::FailsOnlyElsewhere, "any operand: negative")
        } else {
            (SpectrumOutcome::Passes, "a: 1")
        };
        case(&format!("sdiv {number}"), outcome, &[PUSH, ("SDIV", what)])
    };
    let cases: Vec<_> = (0..10).map(sdiv).chain(swapped(&[], SpectrumOutcome::Passes)).collect();
    let analysis = located(&cases);
    assert_eq!(names(&analysis), ["SDIV"]);
    let condition = analysis.suspects[0].condition.as_ref().expect("a condition");
    assert_eq!((&*condition.what, condition.failing, condition.passing), ("any operand: negative", 4, 0));
    assert_eq!((analysis.suspects[0].failing, analysis.suspects[0].passing), (4, 16));
}

#[test]
fn without_failures_there_are_no_suspects() {
    let analysis = located(&swapped(&[], SpectrumOutcome::Passes));
    assert_eq!(analysis, SuspectAnalysis { passing: 80, ..SuspectAnalysis::default() });
}

#[test]
fn without_a_passing_case_nothing_is_suspicious() {
    let all = ["ADD", "SUB", "SDIV", "BYTE", "LT", "GT", "AND", "OR"];
    let analysis = located(&swapped(&all, SpectrumOutcome::FailsOnlyElsewhere));
    assert!(analysis.suspects.is_empty() && analysis.unexplained.len() == 80);
    assert!(!analysis.is_comparable);
}

#[test]
fn a_case_that_alone_fails_is_doubtful() {
    let mut cases = swapped(&[], SpectrumOutcome::Passes);
    cases[3].outcome = SpectrumOutcome::Fails;
    let analysis = located(&cases);
    assert!(analysis.suspects.is_empty(), "{analysis:?}");
    assert_eq!(analysis.doubtful[0].id, "ADD 3");
    // What passes on the embedded machine is no wrong vector, and what fails there, too, is one.
    cases[3].outcome = SpectrumOutcome::FailsOnlyElsewhere;
    assert_eq!(names(&located(&cases)), ["ADD"]);
    cases[3].outcome = SpectrumOutcome::FailsEverywhere;
    let analysis = located(&cases);
    assert!(analysis.suspects.is_empty() && analysis.doubtful.len() == 1 && analysis.failures == 1);
}

/// A machine that has other data than the embedded one before the first instruction has loaded the case wrongly.
#[test]
fn no_instruction_explains_what_was_loaded_wrongly() {
    let mut cases = swapped(&["SDIV"], SpectrumOutcome::FailsOnlyElsewhere);
    let divisions: Vec<_> = (0..cases.len()).filter(|at| cases[*at].id.starts_with("SDIV")).collect();
    cases[divisions[0]].evidence.is_loaded_wrongly = true;
    let analysis = located(&cases);
    assert_eq!((names(&analysis), analysis.failures), (vec!["SDIV"], 10));
    assert_eq!(analysis.unexplained, [cases[divisions[0]].id.clone()]);
    for at in &divisions {
        cases[*at].evidence.is_loaded_wrongly = true;
    }
    let analysis = located(&cases);
    assert!(analysis.suspects.is_empty() && analysis.unexplained.len() == 10, "{analysis:?}");
    assert_eq!((analysis.failures, analysis.passing), (10, 70));
}

/// A few cases that fail besides, of instructions that mostly pass, are no evidence. Alone, they are all there is.
#[test]
fn a_stray_failure_beside_others_has_no_suspect() {
    let mut cases = swapped(&["SDIV"], SpectrumOutcome::FailsOnlyElsewhere);
    let stray = cases.iter().position(|case| case.id == "ADD 3").expect("a case");
    cases[stray].outcome = SpectrumOutcome::FailsOnlyElsewhere;
    let analysis = located(&cases);
    assert_eq!((names(&analysis), &*analysis.unexplained), (vec!["SDIV"], &["ADD 3".to_owned()][..]));
    assert_eq!(analysis.others.first().map(|it| &*it.op), Some("ADD"));
    // The same beside cases that were loaded wrongly.
    for case in cases.iter_mut().filter(|case| case.id.starts_with("SDIV")) {
        case.evidence.is_loaded_wrongly = true;
    }
    let analysis = located(&cases);
    assert!(analysis.suspects.is_empty() && analysis.unexplained.len() == 11, "{analysis:?}");
    // A condition separates it from the cases that pass.
    cases[stray] = case("ADD 3", SpectrumOutcome::FailsOnlyElsewhere, &[PUSH, ("ADD", "a: 2^64")]);
    assert_eq!(names(&located(&cases)), ["ADD"]);
}

/// A count that is wrong in each case that demands it is no fault of the instructions, whichever of them the cases execute.
/// One that is wrong where instructions are executed, and right without them, is the fault of these.
#[test]
fn no_instruction_explains_a_number_that_is_wrong_everywhere() {
    let shift = |by: i32| Some(NumberShift { field: "time".to_owned(), by: by.into() });
    let wrong = ["ADD", "SUB", "SDIV", "BYTE"];
    // Cases of four instructions fail, and `passing` of each pass; those of four others pass. `by` is the difference.
    let cases = |passing: usize, by: fn(usize) -> Option<i32>| {
        let mut cases = Vec::new();
        for op in wrong.into_iter().chain(["LT", "GT", "AND", "OR"]) {
            let executes: &[_] = &[(op, "executed")];
            for number in 0..10 {
                let fails = wrong.contains(&op);
                let outcome =
                    if fails { SpectrumOutcome::FailsOnlyElsewhere } else { SpectrumOutcome::Passes };
                let mut failing = case(&format!("{op} {number}"), outcome, executes);
                failing.evidence.shift = by(number).filter(|_| fails).and_then(shift);
                cases.push(failing);
            }
            for number in 0..passing {
                cases.push(case(&format!("{op} {number} untimed"), SpectrumOutcome::Passes, executes));
            }
        }
        cases
    };
    assert!(!names(&located(&cases(5, |_| None))).is_empty());
    let analysis = located(&cases(5, |_| Some(1)));
    assert!(analysis.suspects.is_empty() && analysis.others.is_empty(), "{analysis:?}");
    assert_eq!((analysis.failures, analysis.unexplained.len()), (40, 40));
    // Other amounts.
    assert!(!names(&located(&cases(5, |number| i32::try_from(number).ok()))).is_empty());
    // No case with one of them passes: they may all have the same price, which is wrong.
    assert_eq!(names(&located(&cases(0, |_| Some(1)))).len(), 4);
}

#[test]
fn instructions_that_no_passing_case_executes_are_named() {
    let mut cases = swapped(&[], SpectrumOutcome::Passes);
    cases.push(case("copy", SpectrumOutcome::Fails, &[PUSH, ("MCOPY", "executed")]));
    let analysis = located(&cases);
    assert_eq!(names(&analysis), ["MCOPY"]);
    assert_eq!(analysis.uncleared[0].op, "MCOPY");
    assert_eq!(analysis.suspects[0].example.as_deref(), Some("copy"));
}

#[test]
fn a_case_that_executes_nothing_is_not_explained() {
    let mut cases = swapped(&["ADD"], SpectrumOutcome::Fails);
    cases.push(case("crash", SpectrumOutcome::Fails, &[]));
    let analysis = located(&cases);
    assert_eq!(analysis.unexplained, ["crash"]);
    assert_eq!(analysis.failures, 11);
}

/// Ten instructions, of each a case in which it takes items from an empty stack, and nine in which it does not.
fn failing_alike(outcome: SpectrumOutcome) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for op in ["ADD", "SUB", "SDIV", "BYTE", "LT", "GT", "AND", "OR", "XOR", "NOT"] {
        cases.push(case(&format!("{op} of nothing"), outcome, &[PUSH, (op, "fails: too few items")]));
        for number in 0..9 {
            cases.push(case(&format!("{op} {number}"), SpectrumOutcome::Passes, &[PUSH, (op, "a: 1")]));
        }
    }
    cases
}

#[test]
fn a_reason_for_which_many_instructions_fail_is_one_suspect() {
    let analysis = located(&failing_alike(SpectrumOutcome::FailsOnlyElsewhere));
    assert_eq!(names(&analysis), ["fails: too few items"]);
    let suspect = &analysis.suspects[0];
    assert!(suspect.name.is_no_instruction());
    assert_eq!((suspect.cases.len(), suspect.alone, suspect.failing, suspect.passing), (10, 10, 10, 0));
    assert!(analysis.uncleared.is_empty(), "{:?}", analysis.uncleared);
}

#[test]
fn a_reason_of_one_instruction_does_not_replace_it_as_suspect() {
    let mut cases = failing_alike(SpectrumOutcome::Passes);
    let sdiv = cases.iter_mut().find(|case| case.id == "SDIV of nothing").expect("a case");
    sdiv.outcome = SpectrumOutcome::FailsOnlyElsewhere;
    let analysis = located(&cases);
    assert_eq!(names(&analysis), ["SDIV"]);
    let condition = analysis.suspects[0].condition.as_ref().expect("a condition");
    assert_eq!(condition.what, "fails: too few items");
}

/// What every case executes explains every failure, and says nothing.
#[test]
fn instructions_of_all_cases_are_not_suspects() {
    let mut cases = swapped(&["SDIV", "BYTE", "LT", "GT"], SpectrumOutcome::FailsOnlyElsewhere);
    // Half of the cases of the wrong instructions pass.
    for case in cases.iter_mut().filter(|case| case.id.ends_with(['0', '2', '4', '6', '8'])) {
        case.outcome = SpectrumOutcome::Passes;
    }
    assert_eq!(names(&located(&cases)), ["BYTE", "GT", "LT", "SDIV"]);
}

/// Every case that fails with GT executes SDIV, too, which is wrong as well: only the steps tell the two apart.
#[test]
fn steps_show_a_fault_that_another_one_hides() {
    let mut cases = swapped(&["SDIV"], SpectrumOutcome::FailsOnlyElsewhere);
    for number in 0..5 {
        let id = format!("both {number}");
        cases.push(case(&id, SpectrumOutcome::FailsOnlyElsewhere, &[PUSH, ("GT", "a: 1"), ("SDIV", "a: 1")]));
    }
    assert_eq!(names(&located(&cases)), ["SDIV"]);
    for case in cases.iter_mut().filter(|case| case.outcome != SpectrumOutcome::Passes) {
        case.evidence.diverges_at = Some(if case.id.starts_with("both") { "GT" } else { "SDIV" });
    }
    let analysis = located(&cases);
    assert_eq!(names(&analysis), ["SDIV", "GT"]);
    let diverging: Vec<_> = analysis.suspects.iter().map(|it| (it.cases.len(), it.diverging)).collect();
    assert_eq!(diverging, [(10, 10), (5, 5)]);
}

/// What differs first may follow from what no step shows.
#[test]
fn what_is_likely_without_steps_is_next() {
    let fails = SpectrumOutcome::FailsOnlyElsewhere;
    let mut cases = swapped(&[], SpectrumOutcome::Passes);
    for number in 0..5 {
        let mut failing =
            case(&format!("throw {number}"), fails, &[PUSH, ("THROW", "a: 1"), ("RET", "a: 1")]);
        failing.evidence.diverges_at = Some("RET");
        cases.push(failing);
        cases.push(case(&format!("ret {number}"), SpectrumOutcome::Passes, &[PUSH, ("RET", "a: 1")]));
    }
    let analysis = located(&cases);
    assert_eq!(names(&analysis), ["RET"]);
    assert_eq!(analysis.others.first().map(|it| &*it.op), Some("THROW"));
}

/// Each failing case executes both, and only blame tells which of them made what differs.
#[test]
fn what_made_the_differing_data_is_preferred() {
    let mut cases = swapped(&[], SpectrumOutcome::Passes);
    let both: &[_] = &[PUSH, ("MLOAD", "executed"), ("MULMOD", "executed")];
    cases.push(case("both", SpectrumOutcome::FailsOnlyElsewhere, both));
    assert_eq!(names(&located(&cases)), ["MLOAD"]);
    let failing = cases.last_mut().expect("a case");
    failing.evidence.made_by = Some(BTreeSet::from(["PUSH", "MULMOD"]));
    assert_eq!(names(&located(&cases)), ["MULMOD"]);
}
