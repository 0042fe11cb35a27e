//! `vmconf trace`: the output of each trace format, which steps are selected, and that a long run takes
//! no more memory.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::process::Stdio;
use std::rc::Rc;

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, ended, golden, read, relative, replay, vmconf, written_vectors};
use serde_json::Value as Json;
use vmconf::explain::trace::{TRACES, TraceSelection, Tracer};
use vmconf::machines;
use vmconf::model::{Case, Renderer, is_harmful};

const DEMO: &str = "tests/samples/trace/demo.json::demo2018";
const GCD: &str = "vectors/minic89/source.json::gcd";
const PHASES: &str = "tests/samples/trace/phases.json::two phases";

/// What the command prints, which must not fail.
fn traced(args: &[&str]) -> String {
    let Ran { exit, stdout, stderr } = vmconf(&[&["trace"], args].concat());
    assert_eq!((exit, &*stderr), (0, ""), "{args:?}");
    stdout
}

/// The numbers of the steps that the arguments select, and the number of all.
fn selected(args: &[&str]) -> (Vec<u64>, u64) {
    let text = traced(&[args, &["--output", "json"]].concat());
    let mut lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    (lines.iter().map(|line| line["step"].as_u64().unwrap()).collect(), end["steps"].as_u64().unwrap())
}

// ---- How they look

#[test]
fn traces_of_each_machine() {
    let commands: [(&str, &[&str]); 10] = [
        ("evm", &[DEMO]),
        ("evm-jsonl", &[DEMO, "--output", "json"]),
        ("evm-eip3155", &[DEMO, "--output", "eip3155"]),
        ("evm-halt", &["vectors/evm/halts/underflow-arithmetic-to-flow.json::add", "--output", "eip3155"]),
        ("minic89", &[GCD]),
        ("minic89-jsonl", &[GCD, "--output", "json", "--op", "STORE_LOCAL"]),
        ("minic89-snapshots", &[GCD, "--output", "minic89", "--last", "2"]),
        ("minic89-trap", &["vectors/minic89/programs/add-overflows.json"]),
        ("tinyvm", &["vectors/tinyvm/driver/execute.json::a yield gives zero and the value"]),
        ("tinyvm-phases", &[PHASES]),
    ];
    golden::folder("traces", commands.map(|(name, args)| (name.to_owned(), traced(args))));
}

/// Section 11 of the reference of the EVM.
#[test]
fn eip_3155_lines_equal_the_worked_lines_of_the_reference() {
    let text = traced(&[DEMO, "--output", "eip3155"]);
    let lines: Vec<_> = text.lines().collect();
    let worked = [
        (
            11,
            r#"{"pc":57,"op":241,"gas":"0x18672","gasCost":"0x2738","stack":["0x0","0x0","0x0","0x0","0x1","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","0x3e8"],"depth":1,"returnData":"0x","refund":"0x0","memSize":0,"opName":"CALL"}"#,
        ),
        (
            13,
            r#"{"pc":60,"op":85,"gas":"0x16c1b","gasCost":"0x4e20","stack":["0x1","0x0"],"depth":1,"returnData":"0x","refund":"0x0","memSize":0,"opName":"SSTORE"}"#,
        ),
        (
            16,
            r#"{"pc":66,"op":82,"gas":"0x11df5","gasCost":"0x6","stack":["0xabcd","0x0"],"depth":1,"returnData":"0x","refund":"0x0","memSize":0,"opName":"MSTORE"}"#,
        ),
        (
            lines.len(),
            r#"{"stateRoot":"0x0000000000000000000000000000000000000000000000000000000000000000","output":"0xabcd","gasUsed":"0x6bbe","pass":true,"fork":"Homestead"}"#,
        ),
    ];
    for (step, line) in worked {
        assert_eq!(lines[step - 1], line);
    }
}

/// The first and the last steps of every own vector.
#[test]
fn lines_for_programs_are_as_the_schema_says() {
    let validator = Validator::named("trace");
    let mut count = 0;
    for path in written_vectors() {
        for case in read(&path).1 {
            let text = lines(&case.case, "json", TraceSelection { to: 25, ..TraceSelection::default() });
            for line in text.lines() {
                let line: Json = serde_json::from_str(line).unwrap();
                validator.assert_accepts(&line, &format!("{} {}", relative(&path), case.name));
                count += 1;
            }
        }
    }
    assert!(count > 15_000, "{count} lines");
}

#[test]
fn hostile_text_is_escaped() {
    let id = "tests/samples/trace/hostile.json::hostile";
    for kind in ["text", "json", "minic89"] {
        let text = traced(&[id, "--output", kind]);
        assert!(!text.replace('\n', "").contains(is_harmful), "{text:?}");
    }
    assert!(traced(&[id]).contains(r"A\u{1b}]0;title\u{7}B"));
}

/// What is set between two runs is not an effect of the instruction before.
#[test]
fn a_change_between_phases_has_no_instruction() {
    let text = traced(&[PHASES]);
    assert!(text.contains("register r1 = 5") && !text.contains("register r1 = 9"), "{text}");
}

// ---- Which steps

#[test]
fn steps_are_selected() {
    let check = |args: &[&str], steps: &[u64]| {
        let (found, all) = selected(&[&[DEMO], args].concat());
        assert_eq!((&*found, all), (steps, 23), "{args:?}");
    };
    check(&["--from", "22"], &[22, 23]);
    check(&["--from", "24"], &[]);
    check(&["--to", "2"], &[1, 2]);
    check(&["--from", "3", "--to", "4"], &[3, 4]);
    check(&["--last", "2"], &[22, 23]);
    check(&["--last", "0"], &[]);
    check(&["--last", "18446744073709551615", "--to", "2"], &[1, 2]);
    check(&["--to", "10", "--last", "1"], &[10]);
    check(&["--op", "sstore"], &[13]);
    check(&["--op", "CALL", "--op", "Mstore"], &[11, 16]);
    check(&["--op", "push1", "--from", "4", "--last", "2", "--to", "10"], &[7, 8]);
}

/// The frames of every machine are counted: of a program with one function that calls another, each has its steps.
#[test]
fn steps_are_selected_by_frame() {
    let of = |function: &str| -> Vec<u64> {
        let text = traced(&[GCD]);
        let lines = text.lines().filter(|line| line.contains(&format!(" {function}+")));
        lines.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
    };
    for (frame, function) in [("1", "main"), ("2", "gcd")] {
        assert_eq!(selected(&[GCD, "--frame", frame]).0, of(function), "{function}");
    }
    assert_eq!(selected(&[GCD, "--frame", "3"]).0, [0; 0]);
}

/// All ways to write have the same steps.
#[test]
fn every_way_to_write_is_filtered() {
    for (id, kind, rest) in [(DEMO, "text", 2), (DEMO, "json", 1), (DEMO, "eip3155", 1), (GCD, "minic89", 0)]
    {
        let text = traced(&[id, "--output", kind, "--from", "2", "--to", "20", "--last", "3"]);
        assert_eq!(text.lines().count(), 3 + rest, "{text}");
    }
}

/// One numbering: step n leads to snapshot n, and the initial one is 0.
#[test]
fn snapshots_have_the_numbers_of_steps() {
    let steps = |args: &[&str]| -> Vec<u64> {
        let text = traced(&[&[GCD, "--output", "minic89"], args].concat());
        text.lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap()["step"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(steps(&[]), (0..=73).collect::<Vec<_>>());
    assert_eq!(steps(&["--from", "0", "--to", "0"]), [0]);
    assert_eq!(steps(&["--from", "5", "--to", "6"]), [5, 6]);
    assert_eq!(steps(&["--last", "1"]), [73]);
    assert_eq!(selected(&[GCD, "--from", "5", "--to", "6"]).0, [5, 6]);
}

/// The summary is that of the whole run.
#[test]
fn a_selection_changes_no_summary() {
    let last = |args: &[&str]| {
        traced(&[&[DEMO, "--output", "eip3155"], args].concat()).lines().last().unwrap().to_owned()
    };
    let whole: Json = serde_json::from_str(&last(&[])).unwrap();
    // Section 11 of the reference of the EVM.
    assert_eq!(whole["gasUsed"], "0x6bbe");
    for selection in [["--from", "20"], ["--to", "0"], ["--op", "SSTORE"]] {
        assert_eq!(last(&selection), whole.to_string(), "{selection:?}");
    }
}

#[test]
fn wrong_flags_of_trace_are_refused() {
    let check = |args: &[&str], told: &str| {
        let Ran { exit, stdout, stderr } = vmconf(&[&["trace"], args].concat());
        assert_eq!((exit, &*stdout), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    };
    check(&[DEMO, "--op", "SSTOR"], "evm has no such instruction; did you mean SSTORE?");
    check(&[DEMO, "--op", "frobnicate"], "evm has no such instruction\n");
    check(&[DEMO, "--output", "minic89"], "--output minic89 is for minic89, and the case is for evm");
    check(
        &[GCD, "--output", "eip3155"],
        "--output eip3155 is for evm and ethereum, and the case is for minic89",
    );
    check(&[DEMO, "--output", "xml"], "invalid value 'xml'");
    check(&[DEMO, "--from", "5", "--to", "4"], "--to is less than --from");
    check(&["tests/samples/trace"], "several cases match");
}

/// Another name of an instruction is that instruction.
#[test]
fn an_alias_is_known() {
    let id = "vectors/minic89/programs/call-of-null.json";
    assert_eq!(selected(&[id, "--op", "push_null"]), selected(&[id, "--op", "PUSH_NULLFUN"]));
    assert_eq!(selected(&[id, "--op", "push_null"]).0.len(), 1);
}

/// The name of the form before it was the one of `run` and `diff`.
#[test]
fn jsonl_is_json() {
    assert_eq!(traced(&[DEMO, "--output", "jsonl"]), traced(&[DEMO, "--output", "json"]));
}

// ---- Ends

#[test]
fn a_limit_of_the_runner_follows_the_steps() {
    let ran = vmconf(&["trace", "tests/samples/trace/loop.json", "--max-steps", "2"]);
    assert_eq!(ran.exit, 3);
    assert!(ran.stdout.contains("\n2 steps: limit of the runner reached: --max-steps 2; "), "{}", ran.stdout);
}

/// The program goes on for a day; the command does not.
#[test]
fn a_closed_pipe_ends_the_command() {
    let args = ["trace", "tests/samples/trace/loop.json", "--max-steps", "100000000000"];
    let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    assert_ne!(pipe.read_line(&mut String::new()).unwrap(), 0);
    drop(pipe);
    let ran = ended(child);
    assert_eq!(ran, Ran { exit: 0, stdout: String::new(), stderr: String::new() });
}

/// Each step is written before the next one, so that nothing grows with their number.
#[test]
fn a_long_run_streams() {
    #[derive(Clone, Default)]
    struct Counted(Rc<RefCell<(u64, usize)>>);

    impl Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut counted = self.0.borrow_mut();
            counted.0 += bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
            counted.1 = counted.1.max(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let (_, cases) = read(&at_root("tests/samples/trace/long.json"));
    for kind in ["text", "json", "eip3155"] {
        let counted = Counted::default();
        run(&cases[0].case, kind, TraceSelection::default(), Box::new(counted.clone()));
        let (lines, longest) = *counted.0.borrow();
        assert!((300_000..300_010).contains(&lines) && longest < 500, "{kind}: {lines}, {longest}");
    }
}

/// What a tracer writes of a case.
fn lines(case: &Case, kind: &str, selection: TraceSelection) -> String {
    #[derive(Clone, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let written = Shared::default();
    run(case, kind, selection, Box::new(written.clone()));
    String::from_utf8(written.0.take()).unwrap()
}

fn run(case: &Case, kind: &str, selection: TraceSelection, out: Box<dyn Write>) {
    let writer = (Renderer::by_name(TRACES, kind).unwrap().new)(machines::by_name(case.machine).unwrap().isa);
    let mut tracer = Tracer::new(writer, selection, out, u64::MAX);
    let machine = replay(case, Some(&mut tracer), &mut |_, _| {});
    tracer.end(&*machine, &machine.describe()).unwrap();
}

/// The steps before the selected ones run unseen; what is written is what the whole trace has there.
#[test]
fn skipped_steps_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (evm, neo3) = (path("evm.json"), path("neo3.json"));
    // Counts to 0x1000 in eight instructions each, and stores the number; counts down from 5,000.
    let count = "0x60005b6001018061100011600257600055";
    assert_eq!(vmconf(&["exec", "evm", count, "--vector", &evm]).exit, 0, "{count}");
    let down = "PUSHINT16 5000\nDEC\nDUP\nJMPIF -2\nRET\n";
    fs::write(folder.path().join("down.asm"), down).unwrap();
    let assembled = vmconf(&["asm", "neo3", &path("down.asm")]).stdout;
    assert_eq!(vmconf(&["exec", "neo3", assembled.trim(), "--vector", &neo3]).exit, 0);
    for file in [&evm, &neo3] {
        for kind in ["text", "json"] {
            // Without what is written before and after the steps.
            let is_step = |line: &str| {
                let mut words = line.split_whitespace();
                let is_number = words.next().is_some_and(|number| number.parse::<u64>().is_ok());
                let is_pc = words.next().is_some_and(|pc| u64::from_str_radix(pc, 16).is_ok());
                is_number && is_pc || line.contains("\"op\":")
            };
            let steps = |args: &[&str]| -> Vec<String> {
                let trace = vmconf(&[&["trace", file, "--output", kind], args].concat()).stdout;
                trace.lines().filter(|line| is_step(line)).map(str::to_owned).collect()
            };
            let whole = steps(&[]);
            assert!(whole.len() > 14_000, "{file}: {}", whole.len());
            for args in [
                &["--last", "20"][..],
                &["--last", "11000"],
                &["--from", "12345", "--to", "12350"],
                &["--from", "11000", "--last", "7"],
                &["--to", "12000", "--last", "5"],
            ] {
                let part = steps(args);
                let number = |flag: &str| {
                    let at = args.iter().position(|arg| *arg == flag)?;
                    args[at + 1].parse::<usize>().ok()
                };
                let to = number("--to").unwrap_or(whole.len()).min(whole.len());
                let from = number("--from").map_or(0, |from| from - 1);
                let from = number("--last").map_or(from, |last| from.max(to - last));
                assert_eq!(part, whole[from..to], "{file} {kind} {args:?}");
            }
        }
    }
}

/// The trace of another machine counts the steps of the whole run, as that of the embedded one does.
#[test]
fn all_steps_of_another_machine_are_counted() {
    let case = "vectors/minic89/source.json::gcd";
    let vm = format!("m=\"{}\" serve minic89", env!("CARGO_BIN_EXE_vmconf"));
    let last = |args: &[&str]| {
        let traced = vmconf(&[&["trace", case, "--to", "2"], args].concat());
        assert_eq!(traced.exit, 0, "{traced:?}");
        traced.stdout.lines().last().unwrap().to_owned()
    };
    let embedded = last(&[]);
    let counted = last(&["--vm", &vm]);
    assert!(embedded.starts_with(&format!("{counted}: ")) && counted != "2 steps", "{embedded}");
}
