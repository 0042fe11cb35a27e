//! Vectors that try to take all time or memory: `tests/hostile`. Times are in units, which are deterministic.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, at_root, command, files, ran, vmconf};
use vmconf::formats::{self, FormatOptions};
use vmconf::machines;
use vmconf::machines::machine::{At, Machine, Watch, perform};
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Case, Interrupt};
use vmconf::text::json::{Document, JsonNode};

/// What ends a vector at a limit of 50 million units and 256 MB, and how many instructions it executes at most.
const ENDS: &[(&str, &str, u64)] = &[
    ("evm-balance-loop", "max-memory", 4_300_000),
    ("evm-exp-loop", "max-steps", 6_400_000),
    ("evm-large-return", "", 10),
    ("evm-log4-loop", "max-memory", 1_000_000),
    ("evm-mem-return", "max-memory", 10),
    ("evm-memory-price", "", 3),
    ("evm-sstore-loop", "max-memory", 3_300_000),
    ("neo3-bytestrings", "max-memory", 7_000),
    ("neo3-dup-pack-tree", "", 2_000),
    ("neo3-modpow-loop", "max-steps", 100_000),
    ("neo3-sqrt-loop", "max-steps", 3_300_000),
    ("neo3-struct-clone-loop", "max-steps", 100_000),
    ("neo3-struct-equal-loop", "max-steps", 400_000),
];

#[test]
fn limits_end_hostile_programs() {
    let limits = Limits { steps: 50_000_000, memory: 256 << 20, ..Limits::default() };
    for (name, flag, most) in ENDS {
        let mut machine = loaded(&case(name), &limits);
        let mut count = Count(0);
        let watched = perform(&mut *machine, &Action::Execute, Some(&mut count));
        let reached = match &watched {
            Status::Limit(reached) => reached.flag,
            Status::Ended => "",
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(reached, *flag, "{name}");
        assert!(count.0 <= *most, "{name}: {} instructions", count.0);
        assert!(machine.account().used() <= limits.memory + (64 << 10) || reached == "max-memory", "{name}");

        // At full speed it ends at the same instruction.
        let (units, described) = (machine.account().units(), machine.describe());
        let mut unwatched = loaded(&case(name), &limits);
        assert_eq!(perform(&mut *unwatched, &Action::Execute, None), watched, "{name}");
        assert_eq!((unwatched.account().units(), unwatched.describe()), (units, described), "{name}");
    }
    let names = files("tests/hostile", "json").into_iter();
    let names = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    assert!(names.eq(ENDS.iter().map(|end| end.0)));
}

/// The whole price of an instruction is compared with the gas before memory grows or a limit is looked at.
#[test]
fn the_price_decides_before_memory_grows() {
    let ran = vmconf(&["run", "tests/hostile/evm-memory-price.json"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

/// Also before the first instruction, and when watched.
#[test]
fn an_interrupt_ends_a_case() {
    let endless = ["evm-exp-loop", "neo3-modpow-loop", "neo3-struct-equal-loop"];
    for name in endless {
        let mut machine = loaded(&case(name), &Limits { steps: u64::MAX, ..Limits::default() });
        let interrupt = Interrupt::default();
        machine.account().heed(interrupt.clone());
        interrupt.request();
        assert_eq!(perform(&mut *machine, &Action::Execute, None), Status::Interrupted, "{name}");
        let mut watch = Count(0);
        assert_eq!(perform(&mut *machine, &Action::Execute, Some(&mut watch)), Status::Interrupted, "{name}");
        assert_eq!(watch.0, 0, "{name}");
    }
}

/// Counts the instructions that it sees.
struct Count(u64);

impl Watch for Count {
    fn before(&mut self, _: &At<'_>) {
        self.0 += 1;
    }
}

fn case(name: &str) -> Case {
    let text =
        fs::read_to_string(at_root(Path::new("tests/hostile").join(name).with_extension("json"))).unwrap();
    let document = Document::parse(text, 128).unwrap_or_else(|_| panic!("{name}"));
    let (format, _) =
        formats::detection::detect(&document, "").unwrap_or_else(|unknown| panic!("{name}: {unknown}"));
    let entries = (format.outline)(document.root()).unwrap_or_else(|_| panic!("{name}"));
    let reading = format.read_case(JsonNode::at_index(&document, entries[0].node), FormatOptions::default());
    reading.case.unwrap_or_else(|| panic!("{name}"))
}

fn loaded(case: &Case, limits: &Limits) -> Box<dyn Machine> {
    let mut machine = (machines::by_name(case.machine).unwrap().new)(limits);
    machine.load(&case.program).unwrap();
    machine
}

/// Where the system has less memory than `--max-memory` allows, the case ends, and the next one runs.
#[test]
#[cfg(unix)]
fn an_allocation_that_fails_ends_the_case() {
    const LARGE: &str = "100000000000";
    // Far more than the runner itself takes, whatever the build.
    let script = "ulimit -v 600000 && exec \"$0\" \"$@\"";
    for name in ["evm-sstore-loop", "evm-mem-return", "evm-log4-loop", "evm-balance-loop", "neo3-bytestrings"]
    {
        let hungry = format!("tests/hostile/{name}.json");
        let small = "vectors/neo3/notation/items.json";
        let args = ["run", "--jobs", "1", &hungry, small, "--max-memory", LARGE, "--max-steps", LARGE];
        let run = command(&args);
        let mut limited = Command::new("sh");
        limited.args(["-c", script]).arg(run.get_program()).args(run.get_args());
        limited.current_dir(at_root(""));
        let ran = ran(limited.output().unwrap());
        assert_eq!(ran.exit, 3, "{name}: {ran:?}");
        assert!(ran.stdout.contains("out of memory: the system refuses"), "{name}: {ran:?}");
        assert!(ran.stdout.contains(" passed, 0 failed, 1 error, 0 skipped"), "{name}: {ran:?}");
        assert!(!ran.stdout.contains("\n0 passed"), "{name}: {ran:?}");
    }
}

/// A vector of N3 with this script, of which each step demands an empty stack.
fn steps_that_differ(folder: &Path, script: &[&str], steps: usize) -> std::path::PathBuf {
    let frame = r#"{"instructionPointer": 0, "evaluationStack": []}"#;
    let step = format!(
        r#"{{"actions": ["StepInto"], "result": {{"state": "BREAK", "invocationStack": [{frame}]}}}}"#
    );
    let start = vec![r#"{"actions": ["StepInto"], "result": {"state": "BREAK"}}"#; script.len()].join(", ");
    let script: Vec<_> = script.iter().map(|op| format!("{op:?}")).collect();
    let text = format!(
        r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{{"name": "a",
            "script": [{}{}], "steps": [{start}{}]}}]}}"#,
        script.join(", "),
        ", \"NOP\"".repeat(steps),
        format!(", {step}").repeat(steps),
    );
    let path = folder.join(format!("steps-{steps}.json"));
    fs::write(&path, text).unwrap();
    path
}

/// 16 pairs, each of the one before it, are 65,536 leaves after each of 1,000 steps. What is observed is kept as what
/// is in the machine: once.
#[cfg(target_os = "linux")]
#[test]
fn observed_states_share_what_the_machine_shares() {
    let folder = tempfile::tempdir().unwrap();
    let pairs: Vec<_> = ["NEWARRAY0"].into_iter().chain(["DUP", "PUSH2", "PACK"].repeat(16)).collect();
    let path = steps_that_differ(folder.path(), &pairs, 1_000);
    let path = path.to_str().unwrap();
    // The case fails, so there is nothing to cover.
    let commands: [(&[&str], i32); 5] = [
        (&["run", "-q"], 1),
        (&["diff"], 1),
        (&["coverage"], 4),
        (&["minset"], 4),
        (&["trace", "--last", "3"], 0),
    ];
    for (command, exit) in commands {
        let script = "ulimit -v 600000 && exec \"$0\" \"$@\"";
        let mut limited = Command::new("sh");
        limited.args(["-c", script, env!("CARGO_BIN_EXE_vmconf"), command[0], path]).args(&command[1..]);
        let ended = ran(limited.env("VMCONF_CACHE", folder.path().join("cache")).output().unwrap());
        assert_eq!(ended.exit, exit, "{command:?}: {ended:?}");
    }
}

/// Values that differ are kept until the end of the case, and their sum has the limit of the case.
#[test]
fn the_values_that_differ_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    // A Buffer of 100,000 bytes.
    let path = steps_that_differ(folder.path(), &["PUSHINT32", "0xa0860100", "NEWBUFFER"], 40);
    let path = path.to_str().unwrap();
    // The first word is not an instruction of its own.
    let run = |memory: &str| vmconf(&["run", path, "--max-memory", memory]);
    let within = run("8000000");
    assert_eq!(within.exit, 1, "{within:?}");
    let over = run("2000000");
    let expected =
        "limit of the runner reached: --max-memory 2000000, by the values that differ after the steps";
    assert!(over.exit == 3 && over.stdout.contains(expected), "{over:?}");
}

/// Runs the command with a limit of the system.
#[cfg(target_os = "linux")]
fn under_ulimit(limit: &str, args: &[&str]) -> Ran {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let run = command(args);
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).arg(run.get_program()).args(run.get_args());
    ran(limited.current_dir(at_root("")).output().unwrap())
}

/// If the system allows less than the command needs, an error says so in a sentence.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_system_are_reported() {
    let vectors = "vectors/evm/arithmetic";
    for (limit, told) in [("-s 64", "ulimit -s 1024"), ("-v 40000", "ulimit -v 65536")] {
        let ended = under_ulimit(limit, &["run", vectors]);
        assert!(ended.exit == 3 && ended.stderr.contains(told), "{limit}: {ended:?}");
    }
    // Threads wait for descriptors of each other.
    let folder = tempfile::tempdir().unwrap();
    let report = |kind: &str| format!("--report={kind}={}", folder.path().join(kind).display());
    let reports = ["json", "junit", "html", "tap"].map(report);
    let mut args = vec!["run", "vectors/neo3", "--jobs", "16"];
    args.extend(reports.iter().map(String::as_str));
    let ended = under_ulimit("-n 16", &args);
    assert!(ended.exit == 0 && ended.stdout.contains(" 0 errors"), "{ended:?}");
}

/// Where there is memory for the case but not for its explanation, the verdict is reported.
#[cfg(target_os = "linux")]
#[test]
fn an_explanation_needs_memory() {
    let ended = under_ulimit("-v 700000", &["diff", "tests/hostile/evm-mem-return.json"]);
    assert!(
        ended.exit == 3 && ended.stdout.contains("limit of the runner reached: --max-memory"),
        "{ended:?}"
    );
    assert!(ended.stdout.contains("not explained: the system refuses the memory"), "{ended:?}");
}

/// Text that nests or repeats something very often is read or refused, and never takes more stack than there is.
#[test]
fn deep_and_long_text_is_read_or_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let labels = (0..50_000).map(|number| format!("a{number}:")).collect::<Vec<_>>().join(" ");
    let source = write("labels.easm", &(labels + " STOP\n"));
    assert_eq!(vmconf(&["asm", "evm", &source]).stdout, "0x00\n");

    let path = vec!["a"; 60_000].join("/");
    let refused = vmconf(&["list", "vectors/evm/arithmetic", "--ignore", &path]);
    assert_eq!(refused.exit, 2, "{:.200}", refused.stderr);

    let family = "machine = \"deep\"\ntitle = \"deep\"\n[state]\nj = \"json\"\n[[format]]\ncases = \"$[*]\"\n\
        program = { j = \"$.j\" }\nexpect = { j = \"$.j\" }\n";
    let family = write("deep.toml", family);
    for (levels, most, exit) in [(900, "1000", 0), (100_000, "1000", 3), (900, "1001", 2)] {
        let nested = format!("[{{\"j\": {}{}}}]", "[".repeat(levels), "]".repeat(levels));
        let vectors = write("deep.json", &nested);
        let ran = vmconf(&["check", &vectors, "--family", &family, "--max-depth", most]);
        assert_eq!(ran.exit, exit, "{levels}: {:.300}", ran.stdout);
    }
}

/// Limits are refused where they are typed, and hold for a program on the command line.
#[test]
fn limits_are_checked_where_they_are_typed() {
    let folder = tempfile::TempDir::new().unwrap();
    let program = folder.path().join("long.hex");
    fs::write(&program, format!("0x{}", "00".repeat(100))).unwrap();
    let program = program.to_str().unwrap();
    for (args, what) in [
        (&["run", "vectors/tinyvm", "--jobs", "1025"][..], "must be at most 1024"),
        (&["exec", "evm", program, "--max-file-size", "10"], "larger than 10 bytes"),
    ] {
        let refused = vmconf(args);
        assert!(refused.exit == 2 && refused.stderr.contains(what), "{args:?}: {}", refused.stderr);
    }
}
