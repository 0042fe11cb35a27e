//! `vmconf audit`: each expectation is compared, and a comparison that leaves something out is noticed.

use std::path::Path;

use vmconf::formats::uncompared::{rule_of, rules};
use vmconf::machines::observe::Observe;
use vmconf::model::{Assertion, Expected, Mismatch};
use vmconf::prove::audit::{AuditOptions, CompareState, audit};
use vmconf::run::LoadOptions;
use vmconf::run::compare::{UnknownField, diff};
use vmconf::wire::audit::Audit;

use crate::support::skip::suites;
use crate::support::validator::Validator;
use crate::support::{VECTORS, at_root, is_table, sources_of, vmconf};

fn audited(path: impl AsRef<Path>, compare: CompareState, most_changes: usize) -> Audit {
    audit(&sources_of(path), &LoadOptions::default(), AuditOptions { compare, most_changes })
}

/// Some changes of each case, which ones depends on how many it has: over all cases, every kind at every place. The
/// cases of generated tables are alike, and are left to the command.
#[test]
fn each_expectation_of_the_own_vectors_is_compared() {
    let sources = sources_of(VECTORS).iter().filter(|source| !is_table(&source.path)).collect();
    let audit = audit(&sources, &LoadOptions::default(), AuditOptions { compare: diff, most_changes: 3 });
    let unexplained: Vec<_> = audit.unexplained().collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(audit.cases > 5_000 && audit.left_out == 0, "{} cases, {} left out", audit.cases, audit.left_out);
    // Most changes are to programs, or are rejected by the reader.
    assert!(audit.compared > 2_000, "{}", audit.compared);
}

#[test]
fn each_expectation_of_the_published_suites_is_compared() {
    let Some(folder) = suites() else { return };
    for machine in ["evm/vmtests-2018", "neo2", "neo3"] {
        let audit = audited(folder.join(machine), diff, 5);
        let unexplained: Vec<_> = audit.unexplained().collect();
        assert!(unexplained.is_empty(), "{machine}: {unexplained:#?}");
        let (cases, compared) = (audit.cases, audit.compared);
        assert!(cases > 150 && compared > 50, "{machine}: {compared} changes of {cases} cases compared");
    }
}

/// A comparison with a fault: it leaves out the assertions that `leaves_out` accepts.
fn without(
    assertions: &[Assertion],
    state: &dyn Observe,
    leaves_out: fn(&Expected) -> bool,
) -> Result<Vec<Mismatch>, UnknownField> {
    let compared: Vec<_> = assertions.iter().filter(|it| !leaves_out(&it.expected)).cloned().collect();
    diff(&compared, state)
}

#[test]
fn a_comparison_that_leaves_something_out_is_noticed() {
    const FAULTY: [(CompareState, &str); 2] = [
        (|all, state| without(all, state, |it| matches!(it, Expected::Is(_))), "value"),
        (|all, state| without(all, state, |it| matches!(it, Expected::Len(_))), "item removed"),
    ];
    for (compare, kind) in FAULTY {
        let audit = audited("vectors/neo3/compound", compare, 200);
        let found = audit.unexplained().any(|it| it.kind == kind && it.at.contains("resultStack"));
        assert!(found, "{kind}: {:#?}", audit.unnoticed);
    }
}

/// The inputs of a state test are not in its cases, and are changed all the same.
#[test]
fn the_inputs_of_state_tests_are_changed() {
    let audit = audited("vectors/ethereum/parameters.json", diff, 2000);
    let unexplained: Vec<_> = audit.unexplained().collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(audit.inputs > 20 && audit.inputs > audit.cases, "{} of {} cases", audit.inputs, audit.cases);
    let rule = |at| rule_of("statetest", "value", at, None).map(|rule| rule.text);
    assert!(rule("transaction/value/*").is_some() && rule("transaction/nonce").is_none());
    assert_eq!((rule("env/currentNumber"), rule("pre/*/balance")), (None, None));
}

/// A member that some published tests have besides `post`.
#[test]
fn an_export_is_explained_with_what_is_in_it() {
    for at in ["export", "export/*", "export/*/storage/*"] {
        assert!(
            rule_of("vmtests", "value", at, None).is_some_and(|rule| rule.text.contains("source")),
            "{at}"
        );
    }
}

/// The section that a rule names is in the book.
#[cfg(unix)]
#[test]
fn each_rule_names_a_section_of_the_book() {
    let page = at_root("docs/src/SUMMARY.md");
    let missing: Vec<_> =
        rules().filter_map(|rule| crate::docs::links::check(&page, rule.section).err()).collect();
    assert_eq!(missing, [""; 0]);
    assert!(rules().all(|rule| rule.section.contains('#')));
}

#[test]
fn data_after_a_fault_has_its_own_rule() {
    let at = "steps/*/result/resultStack";
    let rule = |state| rule_of("neovm-n3", "removed", at, Some(state)).map(|rule| rule.text);
    assert_ne!(rule("FAULT"), rule("HALT"));
    assert!(rule("FAULT").is_some_and(|rule| rule.contains("after a FAULT")));
    // All changes of a FAULT's data, and not only its removal.
    assert_eq!(rule_of("neovm-n3", "value", at, Some("HALT")), None);
    assert!(rule_of("neovm-n3", "value", at, Some("FAULT")).is_some());
}

/// What is expected at the end and after a continuation is the same place.
#[test]
fn expectations_of_all_phases_have_one_rule() {
    for at in ["expect", "expect/registers/r1", "then/*/expect", "then/*/expect/registers/r1"] {
        let rule = rule_of("tinyvm", "removed", at, None).map(|rule| rule.section);
        assert_eq!(rule, Some("formats/tinyvm.md#a-test-of-one-machine"), "{at}");
    }
    assert_eq!(rule_of("tinyvm", "removed", "expected/pc", None), None);
}

#[test]
fn the_command_makes_a_page() {
    let ran = vmconf(&["audit", "vectors/evm/arithmetic/add.json", "--output", "html"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    assert!(ran.stdout.contains("<td>member order</td>"), "{}", ran.stdout);
    assert!(ran.stdout.contains("(formats/vmtests.md#members)"), "{}", ran.stdout);
}

#[test]
fn the_command_lists_rules_and_exits_with_0() {
    let ran = vmconf(&["audit", "vectors/evm/arithmetic/add.json"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    assert!(ran.stdout.contains("by rule: the members of an object have no order"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("not noticed:"), "{}", ran.stdout);
    let signed = vmconf(&["audit", "tests/samples/statetest/well-formed/signed-bytes.json"]).stdout;
    assert!(signed.contains("by rule: the signed transaction is not compared"), "{signed}");
    assert!(!signed.contains("not noticed:"), "{signed}");
    let json = vmconf(&["audit", "vectors/evm/arithmetic/add.json", "--output", "json"]).stdout;
    let json = serde_json::from_str(&json).unwrap();
    Validator::named("audit").assert_accepts(&json, "the audit");
}

#[test]
fn no_change_at_all_is_refused() {
    let ran = vmconf(&["audit", "vectors/evm/arithmetic/add.json", "--changes", "0"]);
    assert!(ran.exit == 2 && ran.stderr.contains("must be at least 1"), "{ran:?}");
}

/// A case whose gas is wrong passes without it, and is audited as one that passes: what it demands of gas is left out.
#[test]
fn ignored_fields_are_left_out() {
    let wrong = "tests/samples/vmtests/wrong/gas.json";
    let ran = vmconf(&["audit", wrong]);
    assert!(ran.exit == 4 && ran.stdout.contains("1 left out"), "{ran:?}");
    let ran = vmconf(&["audit", wrong, "--ignore", "gas"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""), "{}", ran.stdout);
    let by_rule = "by rule: `--ignore` leaves it out (families.md#fields-that-a-machine-lacks)";
    assert!(ran.stdout.contains(by_rule), "{}", ran.stdout);
}

/// Vectors that the pages of their formats allow, and each change of which is noticed or explained by a rule.
#[test]
fn what_a_format_does_not_compare_is_explained() {
    let neo = |machine: &str, script: &str, steps: &str| {
        format!(
            "{{\"category\": \"c\", \"name\": \"n\", \"machine\": \"{machine}\", \"tests\": [\
             {{\"name\": \"t\", \"script\": {script}, \"steps\": {steps}}}]}}"
        )
    };
    let break_at_start = |state: &str| {
        let frame = r#"{"instructionPointer": 0, "nextInstruction": "PUSH3"}"#;
        format!(r#"[{{"actions": [], "result": {{"state": "{state}", "invocationStack": [{frame}]}}}}]"#)
    };
    let three = r#""resultStack": [{"type": "Integer", "value": 3}]"#;
    let halt = |members: &str| {
        format!(r#"[{{"actions": ["Execute"], "result": {{{members}, "state": "HALT", {three}}}}}]"#)
    };
    let capitals = neo("neo3", "[\"PUSH3\", \"ABORT\"]", &halt("\"Refs\": 7").replace("HALT", "FAULT"));
    let capitals =
        ["steps", "result", "resultStack", "type", "value", "state"].iter().fold(capitals, |text, name| {
            text.replace(&format!("\"{name}\""), &format!("\"{}\"", name.to_uppercase()))
        });
    let vmtest = std::fs::read_to_string(at_root("vectors/evm/arithmetic/add.json")).unwrap();
    let note = |name: &str| {
        vmtest.replacen("\"exec\":", &format!("\"{name}\": {{\"a\": [1, {{\"b\": \"c\"}}]}}, \"exec\":"), 1)
    };
    let main = r#"{"fid": 1, "name": "main", "param_count": 0, "local_count": 0, "source_map": [], "locals": [],
                   "code": [{"op": "PUSH_I16", "args": [7]}, {"op": "RET", "args": []}]}"#;
    let seven = format!(
        r#"{{"machine": "minic89", "program": {{"schema_version": "MiniC89.VM.Metadata.v0.2",
             "isa_version": "MiniC89.ISA.v0.1", "functions": [{main}]}},
             "tests": [{{"name": "t", "expect": {{"halt": {{"result": 7.0}}}}}}]}}"#
    );
    let vectors = [
        neo("neo2", "\"0x53\"", &break_at_start("Break")),
        neo("neo3", "[\"PUSH3\"]", &break_at_start("BREAK")),
        neo("neo3", "[\"PUSH3\"]", &halt("\"exceptionMessage\": \"none\"")),
        neo("neo3", "[\"PUSH3\"]", &halt("\"state\": \"FAULT\"")),
        neo("neo3", "[\"PUSH3\"]", &halt("\"State\": \"FAULT\", \"RESULTSTACK\": [{\"type\": 1}]")),
        capitals,
        note("//"),
        note("expectOut"),
        seven,
    ];
    for text in vectors {
        let folder = tempfile::TempDir::new().unwrap();
        std::fs::write(folder.path().join("one.json"), &text).unwrap();
        let audit = audited(folder.path(), diff, usize::MAX);
        assert!(audit.cases > 0 && audit.left_out == 0, "{text}");
        let unexplained: Vec<_> = audit.unexplained().collect();
        assert!(unexplained.is_empty(), "{text}: {unexplained:#?}");
        assert!(!audit.unnoticed.is_empty(), "{text}: everything is compared");
    }
}

/// An unsupported case is left out; only broken files and cases are errors.
#[test]
fn unsupported_cases_are_not_broken() {
    let ran = vmconf(&["audit", "tests/samples/statetest/unsupported"]);
    assert_eq!(ran.exit, 4, "{ran:?}");
    assert!(ran.stderr.contains("5 cases left out") && !ran.stderr.contains("broken"), "{ran:?}");
}
