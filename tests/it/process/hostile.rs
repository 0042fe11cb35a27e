//! `tests/testees/hostile.sh`, whose misbehaviour a case chooses by its input.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::model::{Breakdown, Event, Verdict};
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, LoadOptions, RunOptions, sources};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{ProcessVm, TesteeCommand};
use vmconf::wire::protocol::{Greeting, ProtocolAnswer, Request, VERSION};

use super::{command, processes_with, start};
use crate::support::at_root;
use crate::support::validator::Validator;

pub(super) const SCRIPT: &str = "tests/testees/hostile.sh";

/// What each misbehaviour is, and the verdict that it deserves with words of its details. Those that last until a
/// time-out are in `hostile.table` only, which has what each of them is in exact words.
const BEHAVIOURS: &[(u8, &str, &str)] = &[
    (0x00, "behaves", "pass"),
    (0x01, "differs", "fail"),
    (0x02, "skips", "unsupported no \u{1b}[31mcalls"),
    (0x03, "reports an error", "error no good"),
    (0x04, "exits", "crash ended with exit code 0"),
    (0x05, "fails", "crash ended with exit code 3\nTraceback"),
    (0x06, "violates memory", "crash killed by SIGSEGV"),
    (0x07, "is killed", "crash killed by SIGKILL"),
    (
        0x0b,
        "writes text",
        "crash wrote a line that is not an answer: it is not JSON: expected value in column 1: \"Segmentation fault\"",
    ),
    (0x0c, "writes an empty line", "crash wrote a line that is not an answer"),
    (0x0d, "writes bytes", "crash wrote a line that is not an answer"),
    (0x0e, "writes half a line and exits", "crash ended with exit code 0"),
    (0x10, "answers another request", "crash answered request"),
    (0x12, "answers twice", "pass"),
    (0x13, "leaves out a step", "crash answered 0 of 1 steps"),
    (0x14, "adds a step", "crash answered 2 of 1 steps"),
    (
        0x15,
        "reports a list for a text",
        "crash answered steps[0]/fields/outcome is an array; expected a string",
    ),
    (0x16, "nests", "crash wrote a line that is not an answer"),
    (0x17, "writes a megabyte of errors and fails", "crash ended with exit code 7\nxxx"),
    (0x18, "writes a megabyte of errors and answers", "pass"),
    (0x19, "closes its output", "crash closed its standard output"),
    (0x1a, "answers and closes its input", "pass"),
    (0x1b, "forks and exits", "crash ended with exit code 4"),
    (0x1c, "forks and answers", "pass"),
    (0x1d, "answers and exits", "pass"),
    (0x1e, "answers and is poisoned", "pass"),
    (0x1f, "answers in another version", "crash wrote a line that is not an answer"),
    (0x20, "answers null", "crash wrote a line that is not an answer"),
    (0x21, "leaves out the field", "fail"),
    (0x22, "writes no end of a line", "crash wrote a line of more than 67108864 bytes"),
    (0x23, "writes too many values", "crash wrote a line that is not an answer: it has more than"),
    (0x24, "takes all memory", "crash"),
    (0x25, "answers and begins another line", "pass"),
    (0x26, "answers no request", "crash wrote a line that is not an answer"),
    (0x27, "closes everything", "crash closed its standard output"),
    (0x28, "is terminated", "crash killed by SIGTERM"),
    (0x29, "reports half a number", "crash answered steps[0]/fields/outcome is a number"),
];

/// A vector file with a case that expects a halt for each of these inputs, by name.
pub(super) fn write(file: &Path, cases: &[(&str, u8)]) {
    let case = |(name, input): &(&str, u8)| {
        let address = "0x0f572e5295c57f15886f9b263e2f6d2d6c7b5ec6";
        let exec = format!(
            r#"{{"address": "{address}", "caller": "{address}", "origin": "{address}", "code": "0xfe",
                "data": "0x{input:02x}", "gas": "0x64", "gasPrice": "0x1", "value": "0x0"}}"#
        );
        let env = format!(
            r#"{{"currentCoinbase": "{address}", "currentDifficulty": "0x1", "currentGasLimit": "0x64",
                "currentNumber": "0x0", "currentTimestamp": "0x1"}}"#
        );
        let pre = format!(
            r#"{{"{address}": {{"balance": "0x0", "nonce": "0x0", "code": "0xfe", "storage": {{}}}}}}"#
        );
        format!(r#""{name}": {{"env": {env}, "exec": {exec}, "pre": {pre}}}"#)
    };
    let cases: Vec<_> = cases.iter().map(case).collect();
    fs::write(file, format!("{{{}}}", cases.join(",\n"))).unwrap();
}

/// A run of the cases of a folder: the verdict of each, in order.
fn run_on(vm: Arc<ProcessVm>, folder: &Path, jobs: usize) -> Vec<(String, Verdict)> {
    let found = sources::find(&[folder.to_owned()], &Anchor::at(folder).unwrap()).unwrap();
    let run = RunOptions { testee: MakeTestee::in_processes(vm), jobs, ..RunOptions::default() };
    let mut verdicts = Vec::new();
    run::run(&found.sources, &LoadOptions { run, ..LoadOptions::default() }, &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.push((report.id.name.unwrap_or_default().to_string(), report.verdict));
        }
    });
    verdicts
}

/// A verdict with its details: how the machine ended for a failure, standard error for a breakdown.
fn shown(verdict: &Verdict) -> String {
    let name = verdict.name();
    match verdict {
        Verdict::Unsupported(reason) => format!("{name} {reason}"),
        Verdict::Crash(Breakdown { what, stderr }) | Verdict::Timeout(Breakdown { what, stderr }) => {
            assert!(stderr.len() <= 65 << 10, "{}", stderr.len());
            format!("{name} {what}\n{stderr}")
        }
        Verdict::Error(diagnostics) => format!("{name} {}", diagnostics[0].what),
        _ => name.to_owned(),
    }
}

fn hostile(variable: &str) -> TesteeCommand {
    let script = at_root(SCRIPT);
    TesteeCommand {
        timeout: Duration::from_secs(2),
        memory: Some(100 << 20),
        env: vec![("VMCONF_TEST".to_owned(), variable.to_owned())],
        ..command(["sh", script.to_str().unwrap()])
    }
}

/// Those that answer and leave a process that does not answer again, so that the next case passes in another one.
const LEAVE_IT_BROKEN: [u8; 4] = [0x1a, 0x1d, 0x1e, 0x25];

/// Between the cases that misbehave there is always one that does not. It passes at once, or alone if the one before it
/// left the process broken.
#[test]
fn each_misbehaviour_gets_its_verdict() {
    let folder = TempDir::new().unwrap();
    for (input, name, _) in BEHAVIOURS {
        let file = folder.path().join(format!("{input:02x}.json"));
        write(&file, &[(name, *input), ("is next", 0)]);
    }
    let variable = format!("hostile-{}", std::process::id());
    let verdicts = run_on(start(hostile(&variable)).unwrap(), folder.path(), 8);
    assert_eq!(verdicts.len(), 2 * BEHAVIOURS.len());
    for (pair, (input, name, expected)) in verdicts.chunks(2).zip(BEHAVIOURS) {
        assert_eq!((&*pair[0].0, &*pair[1].0), (*name, "is next"));
        let (actual, next) = (shown(&pair[0].1), &pair[1].1);
        assert!(actual.starts_with(expected), "{name}: {expected:?}, not {actual:?}");
        let passes_alone = LEAVE_IT_BROKEN.contains(input) && matches!(next, Verdict::Flaky(_));
        assert!(*next == Verdict::Pass || passes_alone, "after one that {name}: {next:?}");
    }
    assert_eq!(processes_with(&format!("VMCONF_TEST={variable}")), [""; 0]);
}

/// A process that its parent put into a group of its own cannot be ended with it. It keeps the pipes open, which
/// must not hold up the run.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_leaves_its_group_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("leaves a process behind", 0x2a), ("is next", 0)]);
    let variable = format!("escaped-{}", std::process::id());
    let verdicts = run_on(start(hostile(&variable)).unwrap(), folder.path(), 1);
    let escaped = processes_with(&format!("VMCONF_TEST={variable}"));
    assert!(shown(&verdicts[0].1).starts_with("crash ended with exit code 4"), "{:?}", verdicts[0]);
    assert_eq!(verdicts[1].1, Verdict::Pass);
    // They sleep: the run ended before them.
    assert!(!escaped.is_empty() && escaped.iter().all(|command| command == "sleep 20 "), "{escaped:?}");
}

/// The start says what began to go wrong, the end how it ended.
#[test]
fn the_start_and_the_end_of_standard_error_are_kept() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("a", 0x18), ("b", 0x17)]);
    let verdicts = run_on(start(hostile("stderr")).unwrap(), folder.path(), 1);
    let stderr = &verdicts[1].1.breakdown().unwrap().stderr;
    let kept = 8192 + 57_344;
    assert!(stderr.starts_with("xxx") && stderr.ends_with("xxx the end\n"), "{}", &stderr[..80]);
    let note = format!("x\n… {} bytes left out …\nx", 1_000_000 + " the end\n".len() - kept);
    assert!(stderr.contains(&note), "{}", &stderr[8180..8280]);
}

/// The lines in bytes that were not kept are not counted.
#[test]
fn lines_that_are_left_out_are_counted_where_they_are_known() {
    let left_out = |stderr: String| {
        let breakdown = Breakdown { what: String::new(), stderr };
        let lines = breakdown.stderr_lines();
        assert_eq!((lines.len(), &*lines[0], &*lines[15]), (16, "a line", "a line"));
        lines[5].clone()
    };
    let lines = "a line\n".repeat(20);
    assert_eq!(left_out(lines.repeat(2)), "… 25 lines left out …");
    let note = Breakdown::bytes_left_out(1_000);
    assert_eq!(left_out(format!("{lines}{note}\n{lines}")), "… at least 26 lines left out …");
}

#[test]
fn a_process_that_does_not_say_hello_is_not_used() {
    let begins = [
        (
            "banner",
            "mine: wrote a line that is not an answer: it is not JSON: expected value in column 1: \"Welcome!\"",
        ),
        ("dead", "mine: ended with exit code 1; standard error: no such module"),
        ("newer", "mine: speaks version 2 of the protocol, and vmconf speaks version 1"),
    ];
    for (word, expected) in begins {
        let script = at_root(SCRIPT);
        let error = start(command(["sh", script.to_str().unwrap(), word])).unwrap_err();
        assert_eq!(error, expected);
    }
    let error = start(command(["no-such-program"])).unwrap_err();
    assert!(error.starts_with("mine: no-such-program cannot be started: "), "{error}");
}

/// What a process does not offer is not sent to it.
#[test]
fn capabilities_that_hello_does_not_list_are_unsupported() {
    let script = at_root(SCRIPT);
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("a.json"), &[("a", 0)]);
    let bare = start(command(["sh", script.to_str().unwrap(), "bare"])).unwrap();
    assert_eq!(run_on(bare, folder.path(), 1)[0].1, Verdict::Unsupported("no field outcome".to_owned()));
    let vm = start(command(["sh", script.to_str().unwrap()])).unwrap();
    let verdicts = run_on(vm, &at_root("vectors/minic89/entry.json"), 1);
    assert!(verdicts.len() > 1);
    for (name, verdict) in verdicts {
        assert_eq!(verdict, Verdict::Unsupported("no machine minic89".to_owned()), "{name}");
    }
}

/// The schema accepts what vmconf reads as an answer, and nothing else, among all that the process writes.
#[test]
fn the_schema_accepts_the_messages_that_are_read() {
    let schema = Validator::named("protocol");
    let (mut accepted, mut refused) = (0, 0);
    for (input, ..) in BEHAVIOURS {
        // What hangs is not waited for, and lines of many megabytes are none of the schema's business.
        if [0x16, 0x19, 0x1a, 0x1b, 0x1c, 0x22, 0x23, 0x24, 0x27].contains(input) {
            continue;
        }
        let hello = Request::Hello(Greeting { version: VERSION, vmconf: "1".to_owned() });
        let run = format!(
            r#"{{"type":"run","id":1,"machine":"evm","program":{{"data":"0x{input:02x}"}},"steps":[]}}"#
        );
        let mut child = std::process::Command::new("sh")
            .arg(at_root(SCRIPT))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // It may have ended.
        let _ = stdin.write_all(format!("{}{run}\n", hello.line()).as_bytes());
        drop(stdin);
        let written = child.wait_with_output().unwrap().stdout;
        for line in written.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let is_valid = serde_json::from_slice(line).is_ok_and(|json: Json| schema.accepts(&json));
            let is_read = ProtocolAnswer::read(line).is_ok();
            assert_eq!(is_valid, is_read, "{input:02x}: {}", String::from_utf8_lossy(line));
            *(if is_read { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(accepted > 30 && refused >= 5, "{accepted} accepted, {refused} refused");
}
