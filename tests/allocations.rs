//! How often a run calls the allocator for each case. A binary of its own, since the allocator that counts is that of
//! the whole process; it counts for each thread.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::hint::black_box;

use allocation_counter::measure;
use tempfile::TempDir;
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, LoadOptions, RunOptions, sources};

/// How many files a run has, each with the same text.
const FILES: usize = 50;

/// The allocations for each file of a run on one thread, its search included, when everything that is made once is
/// there.
fn allocations_a_file(text: &str, cases: u64) -> u64 {
    let folder = TempDir::new().unwrap();
    (0..FILES).for_each(|number| fs::write(folder.path().join(format!("{number}.json")), text).unwrap());
    let options =
        LoadOptions { run: RunOptions { jobs: 1, ..RunOptions::default() }, ..LoadOptions::default() };
    let run = || {
        let anchor = Anchor::at(folder.path()).unwrap();
        let sources = sources::find(&[folder.path().to_owned()], &anchor).unwrap().sources;
        let summary = run::run(&sources, &options, &mut |event| drop(black_box(event)));
        assert_eq!(summary.passed, FILES as u64 * cases);
    };
    run();
    measure(run).count_total / FILES as u64
}

/// One case a file, as the published suites have it: an account, and one word that it stores.
#[test]
fn a_file_of_vmtests_takes_few_allocations() {
    // One of them lets several selections of a file share its document.
    const MAX_COUNT: u64 = 67;
    let (address, zero) =
        ("0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6", "0x0000000000000000000000000000000000000000");
    let account = |storage: &str| {
        format!(
            r#"{{"{address}": {{"balance": "0x0de0b6b3a7640000", "code": "0x600160005500", "nonce": "0x00",
                "storage": {storage}}}}}"#
        )
    };
    let (pre, post) = (account("{}"), account(r#"{"0x00": "0x01"}"#));
    let no_logs = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
    let text = format!(
        r#"{{"store": {{
            "env": {{"currentCoinbase": "{address}", "currentDifficulty": "0x0100", "currentGasLimit": "0x0f4240",
                "currentNumber": "0x00", "currentTimestamp": "0x01"}},
            "exec": {{"address": "{address}", "caller": "{address}", "code": "0x600160005500", "data": "0x",
                "gas": "0x0186a0", "gasPrice": "0x5af3107a4000", "origin": "{zero}", "value": "0x0de0b6b3a7640000"}},
            "pre": {pre}, "gas": "0x01387a", "logs": "{no_logs}", "out": "0x", "callcreates": [], "post": {post}}}}}"#
    );
    let count = allocations_a_file(&text, 1);
    assert!(count <= MAX_COUNT, "{count} allocations");
}

/// Several cases a file, as the published suites have it: a script of mnemonics, and a stack before and after an
/// instruction.
#[test]
fn a_case_of_neovm() {
    const CASES: u64 = 10;
    const MAX_COUNT: u64 = 34;
    let frame = |pointer: u32, next: &str, items: &str| {
        format!(
            r#"{{"actions": ["StepInto", "StepInto"], "result": {{"state": "BREAK", "invocationStack": [{{
                "instructionPointer": {pointer}, "nextInstruction": "{next}", "evaluationStack": [{items}]}}]}}}}"#
        )
    };
    let item = |number: u32| format!(r#"{{"type": "Integer", "value": {number}}}"#);
    let before = frame(2, "ADD", &[item(2), item(1)].join(", "));
    let end =
        format!(r#"{{"actions": ["Execute"], "result": {{"state": "HALT", "resultStack": [{}]}}}}"#, item(3));
    let case = |number| {
        format!(
            r#"{{"name": "case {number}", "script": ["PUSH1", "PUSH2", "ADD"], "steps": [{before}, {end}]}}"#
        )
    };
    let cases: Vec<_> = (0..CASES).map(case).collect();
    let text = format!(r#"{{"category": "c", "name": "n", "tests": [{}]}}"#, cases.join(",\n"));
    let count = allocations_a_file(&text, CASES) / CASES;
    assert!(count <= MAX_COUNT, "{count} allocations");
}
