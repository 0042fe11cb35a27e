//! How results are compared, and which programs a test may give: files whose names say the verdict, and the
//! members of N3 that are our own.

use super::{findings, with_test};
use crate::support::{sources_of, vmconf};
use vmconf::formats::{Strictness, neovm};
use vmconf::model::{Event, limits};
use vmconf::run::{self, LoadOptions};

/// The name of each case of a file, and its verdict.
fn verdicts(path: &str) -> Vec<(String, &'static str)> {
    let mut verdicts = Vec::new();
    run::run(&sources_of(crate::support::at_root(path)), &LoadOptions::default(), &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.push((report.id.name.clone().unwrap().to_string(), report.verdict.name()));
        }
    });
    verdicts
}

#[test]
fn names_of_samples_say_the_verdict() {
    for (path, count) in [("tests/samples/neovm-n3/comparing", 15), ("tests/samples/neovm-2x/comparing", 12)]
    {
        let verdicts = verdicts(path);
        assert_eq!(verdicts.len(), count, "{path}");
        for (name, verdict) in verdicts {
            let expected = name.split(' ').next().unwrap().to_lowercase();
            assert_eq!(verdict, expected, "{path}::{name}");
        }
    }
}

/// 40 hex digits are no base64 of 20 bytes. A script that is both hex and base64 is read as hex if a frame
/// has that hash, which is RIPEMD-160 of SHA-256 of the script 0x5152.
#[test]
fn hex_without_prefix_in_2x() {
    const HASH: &str = "13c890f9f2b1bd2a9c4fe2f84cd00d2ffb8f9663";
    const AMBIGUOUS: &str = "is both hex and base64; expected 0x and an even number of hex digits, in quotes";
    let with_hash = |hash: &str, members: &str| {
        with_test(&format!(
            r#"{members}, "steps": [{{"actions": ["StepInto"], "result": {{"state": "Break",
            "invocationStack": [{{"scriptHash": "{hash}", "instructionPointer": 1, "nextInstruction": "PUSH2"}}]}}}}]"#
        ))
    };
    let found = |file: &str| findings(&neovm::V2, file, Strictness::Tolerant);
    assert_eq!(found(&with_hash(HASH, r#""script": "0x51""#)), [""; 0]);
    for (file, error) in [
        (with_hash(HASH, r#""script": "5152""#), None),
        (with_hash(&HASH.to_uppercase(), r#""script": "5152""#), None),
        (with_hash(&HASH.replace("13", "14"), r#""script": "5152""#), Some("\"5152\"")),
        (with_test(r#""script": "5152", "steps": []"#), Some("\"5152\"")),
        (with_hash(HASH, r#""script": "5152", "message": "abcd""#), Some("\"abcd\"")),
        (with_hash(HASH, r#""script": "5152", "message": "0xabcd""#), None),
    ] {
        let found = found(&file);
        let expected = error.map(|text| format!("error: {text} {AMBIGUOUS}"));
        let without_place = found.iter().map(|line| line.split_once(' ').unwrap().1.to_owned());
        assert_eq!(without_place.collect::<Vec<_>>(), Vec::from_iter(expected), "{file}");
    }
}

/// The flag of each limit of the engine, on a script that needs one more.
#[test]
fn each_limit_of_the_engine_is_reached() {
    // Four bytes; two items; a call; a try statement in another one; a shift by four.
    let scripts = [
        ("max-item-size", "0x0c04aabbccdd", 3, "MaxItemSize exceed: 4/3"),
        ("max-stack-size", "0x1111", 1, "MaxStackSize exceed: 2/1"),
        ("max-invocation-stack-size", "0x340240", 1, "MaxInvocationStackSize exceed: 1"),
        ("max-try-nesting-depth", "0x3b0a003b07003d023d0240", 1, "MaxTryNestingDepth exceed."),
        ("max-shift", "0x1114a8", 3, "Invalid shift value: 4/3"),
    ];
    let flags: Vec<_> = limits::of_machine("neo3").map(|(_, row)| row.flag).collect();
    assert_eq!(flags, scripts.map(|it| it.0));
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("v.json");
    for (flag, script, too_few, fault) in scripts {
        let step = r#"{"actions": ["Execute"], "result": {"state": "HALT"}}"#;
        std::fs::write(&file, with_test(&format!(r#""script": "{script}", "steps": [{step}]"#))).unwrap();
        let run = |limit: u32| {
            vmconf(&["run", "--no-config", file.to_str().unwrap(), &format!("--{flag}={limit}")])
        };
        let (short, enough) = (run(too_few), run(too_few + 1));
        assert!(short.exit == 1 && short.stdout.contains(fault), "{flag}: {short:?}");
        assert_eq!(enough.exit, 0, "{flag}: {enough:?}");
    }
}

/// A flag replaces a limit of the engine; a test may only lower it.
#[test]
fn a_flag_replaces_a_limit_and_a_test_lowers_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("v.json");
    let run = |limits: &str, args: &[&str]| {
        let test = format!(
            r#"{limits}"script": ["PUSH1", "PUSH4", "SHL"], "steps": [{{"actions": ["Execute"],
            "result": {{"state": "HALT", "resultStack": [{{"type": "Integer", "value": 16}}]}}}}]"#
        );
        std::fs::write(&file, with_test(&test)).unwrap();
        vmconf(&[&["run", "--no-config", file.to_str().unwrap()], args].concat())
    };
    let check = |limits: &str, args: &[&str], exit: i32, output: &str| {
        let ran = run(limits, args);
        assert_eq!((ran.exit, ran.stdout.contains(output)), (exit, true), "{limits} {args:?}: {ran:?}");
    };
    check("", &[], 0, "1 passed");
    check(r#""limits": {}, "#, &[], 0, "1 passed");
    check(r#""limits": {"maxShift": 4}, "#, &[], 0, "1 passed");
    check(r#""limits": {"maxShift": 3}, "#, &[], 1, "Invalid shift value: 4/3");
    check("", &["--max-shift", "3"], 1, "Invalid shift value: 4/3");
    check("", &["--max-stack-size=1"], 1, "MaxStackSize exceed: 2/1");
    let above = r#""limits": {"maxShift": 257}, "#;
    check(above, &[], 3, "maxShift is 0x101 (257) and must be 0 to 256 (--max-shift raises it)");
    check(above, &["--max-shift", "300"], 0, "1 passed");
    check(
        r#""limits": {"maxShift": -1}, "#,
        &[],
        3,
        "maxShift is -1\n    expected an integer from 0 to 2147483647",
    );
    check(r#""limits": {"maxArraySize": 1}, "#, &[], 0, "1 passed");
    check(r#""limits": 7, "#, &[], 3, "limits is a number\n    expected an object");
}
