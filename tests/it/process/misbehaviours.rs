//! What a run reports of each misbehaviour of `tests/testees/hostile.sh`: the table `tests/testees/hostile.table`.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::thread;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::hostile::{SCRIPT, write};
use super::processes_with;
use crate::support::{at_root, command, wait_until};

/// When a process misbehaves.
#[derive(Clone, Copy)]
enum When {
    /// In its first answer, as this argument says.
    Start(&'static str),
    /// In a case with this input, between two cases that it answers as it should.
    Case(u8),
    /// When its input ends, as this argument says.
    End(&'static str),
}

use When::{Case, End, Start};

const ALL: &[(When, &str)] = &[
    (Start("silent"), "says nothing"),
    (Start("busy"), "is busy"),
    (Start("gone"), "exits with 0"),
    (Start("dead"), "exits with 1"),
    (Start("segv"), "violates memory"),
    (Start("banner"), "writes text first"),
    (Start("bytes"), "writes bytes that are no UTF-8"),
    (Start("null"), "writes null"),
    (Start("nested"), "nests a million lists"),
    (Start("endless"), "writes a line without an end"),
    (Start("half"), "writes half a hello and waits"),
    (Start("half-gone"), "writes half a hello and exits"),
    (Start("closed"), "closes its output"),
    (Start("done"), "answers another request"),
    (Start("newer"), "speaks another version"),
    (Start("worded"), "writes its version as a text"),
    (Start("bare-hello"), "lists no machines"),
    (Start("long"), "has a name of a megabyte"),
    (Start("twice"), "says hello twice"),
    (Start("other"), "implements another machine"),
    (Start("bare"), "reports no fields"),
    (Start("loud"), "writes a megabyte of errors, then hello"),
    (Start("alive"), "is slow, and says that it is alive"),
    (Start("always-alive"), "only says that it is alive"),
    (Case(0x04), "exits with 0"),
    (Case(0x05), "exits with 3"),
    (Case(0x06), "violates memory"),
    (Case(0x07), "is killed"),
    (Case(0x08), "sleeps"),
    (Case(0x09), "is busy"),
    (Case(0x0a), "sleeps and ignores signals"),
    (Case(0x0b), "writes text"),
    (Case(0x0c), "writes an empty line"),
    (Case(0x0d), "writes bytes that are no UTF-8"),
    (Case(0x0e), "writes half a line and exits"),
    (Case(0x0f), "writes half a line and sleeps"),
    (Case(0x10), "answers a later request"),
    (Case(0x11), "says hello"),
    (Case(0x13), "leaves out a step"),
    (Case(0x14), "adds a step"),
    (Case(0x15), "reports a list for a text"),
    (Case(0x16), "nests a million lists"),
    (Case(0x17), "writes a megabyte of errors and exits with 7"),
    (Case(0x18), "writes a megabyte of errors and answers"),
    (Case(0x19), "closes its output"),
    (Case(0x1b), "starts another process and exits with 4"),
    (Case(0x1f), "answers with an unknown type"),
    (Case(0x20), "writes null"),
    (Case(0x21), "leaves out a field"),
    (Case(0x22), "writes a line without an end"),
    (Case(0x23), "writes five million values"),
    (Case(0x24), "takes all memory"),
    (Case(0x37), "says that it got no memory, and exits with 1"),
    (Case(0x26), "answers request -1"),
    (Case(0x27), "closes everything"),
    (Case(0x28), "is terminated"),
    (Case(0x29), "reports half a number"),
    (Case(0x2b), "writes the id as a text"),
    (Case(0x2c), "writes unknown members"),
    (Case(0x2d), "writes the id twice"),
    (Case(0x2e), "nests a thousand lists in a field"),
    (Case(0x2f), "leaves out all steps"),
    (Case(0x30), "leaves out the message of an error"),
    (Case(0x31), "ends its line as on other systems"),
    (Case(0x32), "writes a byte order mark"),
    (Case(0x33), "writes its answer on several lines"),
    (Case(0x34), "says that it is alive, and answers"),
    (Case(0x35), "only says that it is alive"),
    (Case(0x38), "names a place by 400,000 keys in an error"),
    (Case(0x39), "gives a reason of a megabyte"),
    (Case(0x40), "violates memory, but not alone"),
    (Case(0x41), "sleeps, but not alone"),
    (Case(0x42), "writes text, but not alone"),
    (Case(0x43), "exits with 1, but not alone"),
    (Case(0x44), "differs, but not alone"),
    (Case(0x45), "violates memory, and lacks something alone"),
    (Case(0x46), "violates memory, and differs alone"),
    (Case(0x47), "violates memory, and sleeps alone"),
    (Case(0x12), "answers twice"),
    (Case(0x1a), "answers, closes its input and sleeps"),
    (Case(0x1c), "answers, with another process in the background"),
    (Case(0x1d), "answers and exits with 0"),
    (Case(0x1e), "answers, and aborts at the next request"),
    (Case(0x25), "answers and begins another line"),
    (Case(0x36), "answers, and writes text before the next answer"),
    (End("fails-last"), "exits with 3"),
    (End("segv-last"), "violates memory"),
    (End("speaks-last"), "writes text"),
    (End("answers-last"), "answers once more"),
    (End("hello-last"), "says hello"),
    (End("half-last"), "writes half a line"),
    (End("stays"), "sleeps"),
    (End("loud-last"), "writes a megabyte of errors"),
];

/// No process is left. Rewrites the table if `INSTA_UPDATE` says so.
#[test]
fn each_misbehaviour_is_reported() {
    let rows: Mutex<Vec<String>> = Mutex::new(vec![String::new(); ALL.len()]);
    let next = Mutex::new(0..ALL.len());
    // Most of them wait.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(index) = { next.lock().unwrap().next() } {
                    rows.lock().unwrap()[index] = row(ALL[index].0, ALL[index].1);
                }
            });
        }
    });
    // One that was killed may still be there for a moment.
    let variable = format!("{VARIABLE}={}", std::process::id());
    wait_until("no process is left", || processes_with(&variable).is_empty());
    let table = rows.into_inner().unwrap().concat();
    let path = at_root("tests/testees/hostile.table");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, &table).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    for (row, expected) in table.split_inclusive("\n\n").zip(expected.split_inclusive("\n\n")) {
        assert_eq!(row, expected);
    }
    assert_eq!(table.len(), expected.len());
}

/// The line, or the beginning of a long one with its length.
fn beginning(line: &str) -> String {
    const MAX_LENGTH: usize = 300;
    if line.len() <= MAX_LENGTH {
        line.to_owned()
    } else {
        format!("{}... of {} bytes", &line[..40], line.len())
    }
}

/// The variable in the environment of the processes.
const VARIABLE: &str = "VMCONF_TEST_MISBEHAVIOURS";

/// The block of a misbehaviour: what it is, the verdicts on the cases, what is reported, how long it can take, and the
/// exit code.
fn row(when: When, what: &str) -> String {
    let folder = TempDir::new().unwrap();
    let (phase, argument, cases) = match when {
        Start(word) => ("start", word, vec![("only", 0)]),
        Case(input) => ("case", "", vec![("before", 0), ("misbehaves", input), ("after", 0)]),
        End(word) => ("end", word, vec![("only", 0)]),
    };
    write(&folder.path().join("a.json"), &cases);
    let vm = format!("hostile=sh '{}' {argument}", at_root(SCRIPT).display());
    let limits = ["--timeout", "2s", "--start-timeout", "2s", "--vm-memory", "100000000"];
    let mut command = command(&["run", "a.json", "--report", "json", "--jobs", "1", "--vm", &vm]);
    command.args(limits).current_dir(&folder).env("VMCONF_CACHE", folder.path().join("cache"));
    command.env(VARIABLE, std::process::id().to_string());
    let ended = command.output().unwrap();
    let [stdout, stderr] = [ended.stdout, ended.stderr].map(|text| String::from_utf8(text).unwrap());
    let exit = ended.status.code().unwrap();
    let mut block = format!("{phase}: {what}\n");
    let (mut verdicts, mut reported) = (Vec::new(), Vec::new());
    for line in stdout.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        if line["type"] == "case" {
            verdicts.push(line["verdict"].as_str().unwrap().to_owned());
            // How a shell without memory ends is its own affair.
            let is_reported = what != "takes all memory";
            reported.extend(line["reason"].as_str().filter(|_| is_reported).map(str::to_owned));
            reported.extend(line["problems"][0]["message"].as_str().map(str::to_owned));
            reported.extend(line["ended"].as_str().map(|ended| format!("fails; ended: {ended}")));
        }
    }
    let said = stderr.lines();
    reported.extend(said.filter_map(|line| line.strip_prefix("error: ").map(str::to_owned)));
    if verdicts.is_empty() {
        verdicts.push("nothing runs".to_owned());
    }
    writeln!(block, "  verdicts: {}", verdicts.join(", ")).unwrap();
    for line in reported.iter().map(|line| beginning(line)) {
        writeln!(block, "  reported: {line}").unwrap();
    }
    let waits = reported.iter().any(|it| it.contains("no answer in") || it.contains("did not end within"));
    let time = if waits { "a time limit" } else { "no limit" };
    writeln!(block, "  waits for: {time}\n  exit code: {exit}\n").unwrap();
    block
}
