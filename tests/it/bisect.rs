//! `vmconf bisect`: the first difference of two traces, and of two machines.

use std::fs;

use tempfile::TempDir;
use vmconf::explain::bisect::{self, InstructionList};
use vmconf::machines::evm::EVM;
use vmconf::model::Value;
use vmconf::testees::Stopped;
use vmconf::wire::protocol::TracedInstruction;

use crate::support::{Ran, vmconf};

/// A line of a trace: step `n` of a loop, with this on the stack.
fn line(step: u64, top: &str) -> String {
    format!(r#"{{"pc":{},"op":3,"gas":"{:#x}","stack":["{top}"],"depth":1,"opName":"SUB"}}"#, step % 7, !step)
}

fn compare(one: &str, other: &str) -> Ran {
    let folder = TempDir::new().unwrap();
    let [one, other] = [("one", one), ("other", other)].map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let mut ran = vmconf(&["bisect", "--trace", &one, "--trace", &other]);
    ran.stdout = ran.stdout.replace(&*folder.path().to_string_lossy(), "");
    ran
}

#[test]
fn a_planted_difference_is_found() {
    const STEPS: u64 = 20_000;
    let trace = |wrong: u64| {
        let of = |step| line(step, if step >= wrong { "0x2" } else { "0x1" }) + "\n";
        (0..STEPS).map(of).collect::<String>()
    };
    let same = trace(STEPS);
    let Ran { exit, stdout, .. } = compare(&same, &same);
    assert_eq!((exit, &*stdout), (0, "no difference in 20000 steps\n"));
    let Ran { exit, stdout, .. } = compare(&same, &trace(12_345));
    assert_eq!(exit, 1);
    assert!(stdout.starts_with("SUB in step 12345 makes the difference\nbefore it, in both:\n"), "{stdout}");
    let (before, after) = stdout.split_once("after it:\n").unwrap();
    assert!(before.contains(&format!("{:#x}", !12_344_u64)), "{before}");
    let (after, look) = after.split_once("look: ").unwrap();
    assert_eq!(after, "  stack       /one    [1]\n  stack       /other  [2]\n");
    assert_eq!(look, "vmconf explore --trace /one --trace /other\n");
}

/// Some tools begin a file with a byte order mark, which is not part of its first step.
#[test]
fn a_byte_order_mark_hides_no_step() {
    let trace = format!("{}\n{}\n", line(0, "0x1"), line(1, "0x2"));
    assert_eq!(compare(&trace, &format!("\u{feff}{trace}")).stdout, "no difference in 2 steps\n");
}

/// Clients write the same step in different ways.
#[test]
fn values_in_other_notations_are_equal() {
    let one = r#"{"pc":0,"op":96,"gas":"0x64","gasCost":"0x3","stack":["0x3"],"returnData":"0x"}"#;
    let other = r#"{"pc":0,"op":"0x60","gas":100,"gasCost":9,"stack":["0x0003"],"opName":"PUSH1"}"#;
    let expected = "no difference in 1 step\nnot compared, since /other does not report it: returnData\n";
    assert_eq!(compare(one, &format!("geth\n\n{other}\n")).stdout, expected);
}

/// What only one of the traces has cannot be compared, which is said, also where it is lacking in one step alone.
#[test]
fn members_of_one_trace_alone_are_listed() {
    let [first, second] = [line(0, "0x1"), line(1, "0x1")];
    let without = second.replace(r#""stack":["0x1"],"#, "");
    let ran = compare(&format!("{first}\n{second}\n"), &format!("{first}\n{without}\n"));
    let expected = "no difference in 2 steps\nnot compared, since /other does not report it: stack\n";
    assert_eq!((ran.exit, &*ran.stdout), (0, expected));
}

/// A step that would be left out would make its neighbours differ.
#[test]
fn a_step_without_its_place_is_refused() {
    for member in ["pc", "op"] {
        let [first, second] = [line(0, "0x1"), line(1, "0x1")];
        let broken = second.replace(&format!("\"{member}\":"), "\"other\":");
        let ran = compare(&format!("{first}\n{second}\n"), &format!("{first}\n{broken}\n"));
        let expected = format!("other:2: {member}: expected a number");
        assert!(ran.exit == 3 && ran.stderr.contains(&expected), "{ran:?}");
    }
    // One that is cut, as well.
    let [first, second] = [line(0, "0x1"), line(1, "0x1")];
    let cut = format!("{first}\n{}\n", &second[..second.len() - 5]);
    let ran = compare(&format!("{first}\n{second}\n"), &cut);
    assert!(ran.exit == 3 && ran.stderr.contains("other:2: expected a whole JSON object"), "{ran:?}");
}

#[test]
fn a_run_that_ends_earlier_differs() {
    let [first, second] = [line(0, "0x1"), line(1, "0x1")];
    let Ran { exit, stdout, .. } = compare(&format!("{first}\n{second}\n"), &first);
    assert_eq!(exit, 1);
    let after = stdout.split_once("after it:\n").unwrap().1;
    let after = after.split_once("look: ").unwrap().0;
    assert_eq!(after, "  the end     /one    SUB follows\n  the end     /other  the run ends\n");
}

#[test]
fn the_end_is_compared() {
    let of = |output: &str| format!("{}\n{{\"output\":\"{output}\",\"gasUsed\":\"0x3\"}}\n", line(0, "0x1"));
    assert_eq!(compare(&of("0x"), &of("")).exit, 0);
    let Ran { exit, stdout, .. } = compare(&of("0x2a"), &of(""));
    assert_eq!(exit, 1);
    assert!(stdout.contains("  output      /one    0x2a\n  output      /other  0x\n"), "{stdout}");
}

#[test]
fn malformed_traces_are_refused() {
    let Ran { exit, stderr, .. } = compare("nothing\n", &line(0, "0x1"));
    assert_eq!(exit, 3);
    assert!(stderr.contains("one: no line of it is a step of a trace"), "{stderr}");
    assert_eq!(vmconf(&["bisect", "--trace", "README.md"]).exit, 2);
    let ignored = vmconf(&["bisect", "--trace", "nowhere", "--trace", "nowhere", "--ignore", "gas"]);
    let refused = "--ignore cannot be used with --trace, which runs nothing";
    assert!(ignored.exit == 2 && ignored.stderr.contains(refused), "{ignored:?}");
    assert_eq!(vmconf(&["bisect", "--trace", "nowhere", "--trace", "nowhere"]).exit, 2);
}

/// A member that is compared and has another type than EIP-3155 gives it is an error with its line, in a step and in
/// the summary. Null is what clients write for what they do not report.
#[test]
fn malformed_members_are_refused() {
    let step = line(0, "0x1");
    let with = |member: &str, value: &str| {
        let mut members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&step).unwrap();
        members.insert(member.to_owned(), serde_json::from_str(value).unwrap());
        format!("{step}\n\n{}\n", serde_json::Value::from(members))
    };
    for (member, values) in [
        ("gas", &["\"0x5g\"", "-1", "1.5", "\"5\"", "\"0x\"", "\"0x-5\"", "\"0x1_0\"", "true", "[1]"][..]),
        ("stack", &["[\"one\"]", "[1.5]", "[\"0xzz\"]", "[null]", "\"0x1\"", "{}"]),
        ("depth", &["\"zz\""]),
        ("pc", &["\"zz\""]),
        ("op", &["\"ADD\"", "-1", "null"]),
        ("memSize", &["1.5"]),
        ("memory", &["\"0xz\"", "1"]),
        ("returnData", &["\"0x1\""]),
        ("refund", &["\"-1\""]),
    ] {
        for value in values {
            let right = format!("{step}\n\n{step}\n");
            for ran in [compare(&with(member, value), &right), compare(&right, &with(member, value))] {
                assert_eq!((ran.exit, &*ran.stdout), (3, ""), "{member} {value}: {ran:?}");
                assert!(
                    ran.stderr.contains(&format!(":3: {member}: expected ")),
                    "{member} {value}: {ran:?}"
                );
            }
        }
    }
    for (member, value) in [("gasUsed", "\"zz\""), ("pass", "\"no\""), ("output", "1")] {
        let end = format!("{step}\n{{\"{member}\":{value}}}\n");
        let ran = compare(&end, &end);
        assert_eq!((ran.exit, &*ran.stdout), (3, ""), "{member}: {ran:?}");
        assert!(ran.stderr.contains(&format!("one:2: {member}: expected ")), "{member}: {ran:?}");
    }
    let without = with("stack", "null");
    assert_eq!(compare(&without, &without).stdout, "no difference in 2 steps\n");
}

/// A run of a million steps; `from` is the first one that differs from the other run.
struct Long {
    from: u64,
    requests: usize,
}

const STEPS: u64 = 1_000_000;

impl InstructionList for Long {
    fn digests(&mut self, after: &[u64]) -> Result<(Vec<String>, u64), Stopped> {
        self.requests += 1;
        let reached = after.iter().filter(|number| **number <= STEPS);
        let digest = |number: &u64| format!("{number}{}", if *number > self.from { "-" } else { "" });
        Ok((reached.map(digest).collect(), STEPS))
    }

    fn trace(&mut self, skip: u64, count: u64) -> Result<Vec<TracedInstruction>, Stopped> {
        self.requests += 1;
        let of = |number| TracedInstruction {
            pc: number,
            code: 3,
            gas: None,
            height: 1,
            top: vec![u64::from(number >= self.from).to_string()],
        };
        Ok((skip..STEPS.min(skip + count)).map(of).collect())
    }
}

/// The number of requests to both machines grows with the logarithm of the number of steps.
#[test]
fn a_difference_in_a_million_steps_takes_few_requests() {
    for from in [0, 1, 2, 63, 4_711, 524_288, 777_777, STEPS - 1] {
        let mut one = Long { from: u64::MAX, requests: 0 };
        let mut other = Long { from, requests: 0 };
        let found =
            bisect::compare_instructions([&mut one, &mut other], &EVM, u64::MAX).unwrap().unwrap_err();
        assert!(one.requests + other.requests <= 25, "{} and {}", one.requests, other.requests);
        assert_eq!((found.step, &*found.differs), (from, &["top"][..]));
        let pc = |number: u64| Value::int(number);
        let before = found.last.as_ref().map(|last| last.state[0].1.clone());
        assert_eq!(before, from.checked_sub(1).map(pc));
        assert!(found.next.iter().all(|next| next.get("pc") == Some(&pc(from))), "{found:?}");
    }
    let mut same = [0; 2].map(|_| Long { from: u64::MAX, requests: 0 });
    let [one, other] = &mut same;
    assert_eq!(bisect::compare_instructions([one, other], &EVM, u64::MAX), Ok(Ok(STEPS)));
}

/// Two processes, one of which gets another program.
#[test]
fn two_machines_are_compared_by_their_hashes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("loop.json");
    let file = path.to_str().unwrap();
    // Counts down from 256, then adds 4 and 3.
    let code = "0x620001005b60019003806004576003600401";
    assert_eq!(vmconf(&["exec", "evm", code, "--vector", file]).exit, 0);
    let serve = "vmconf serve evm";
    let plain = format!("one={serve}");
    let check = |other: &str| vmconf(&["bisect", file, "--vm", &plain, "--vm", other]);
    let same = check(&format!("other={serve}"));
    assert_eq!((same.exit, &*same.stdout), (0, "no difference in 1796 steps\n"), "{same:?}");
    let changed = check(&format!("other=sh -c 'sed -u s/6003600401/6003600501/ | {serve}'"));
    assert_eq!(changed.exit, 1, "{changed:?}");
    assert!(changed.stdout.starts_with("PUSH1 in step 1795 makes the difference\n"), "{changed:?}");
    assert!(changed.stdout.contains(r#"  top         one    ["4", "3", "0"]"#), "{changed:?}");
    // Hashes that are not those of the instructions show no difference.
    let script = folder.path().join("wrong.sh");
    for wrong in [r#"s/"digests":\["[^]]*/"digests":[/"#, r#"s/"digests":\["../"digests":["zz/"#] {
        fs::write(&script, format!("{serve} | sed -u -e '{wrong}'\n")).unwrap();
        let broken = check(&format!("other=sh {}", script.display()));
        assert_eq!((broken.exit, &*broken.stdout), (3, ""), "{broken:?}");
        assert!(broken.stderr.contains(" broke the protocol: "), "{broken:?}");
    }
    // Without these requests, the states after numbers of instructions are compared.
    let silent = format!("other=sh -c '{serve} | sed -u s/digests/none/'");
    let same = check(&silent);
    assert_eq!(
        (same.exit, &*same.stdout),
        (0, "no difference in the states that were compared\n"),
        "{same:?}"
    );
    let changed =
        check(&format!("other=sh -c 'sed -u s/6003600401/6003600501/ | {serve} | sed -u s/digests/none/'"));
    assert_eq!(changed.exit, 1, "{changed:?}");
    assert!(changed.stdout.starts_with("PUSH1 in step 1795 makes the difference\n"), "{changed:?}");
    assert!(
        changed.stdout.contains("  stack[2]    one    4\n  stack[2]    other  5\nlook: vmconf explore "),
        "{changed:?}"
    );
    // One machine is compared with the embedded one.
    let beside = |other: &str| vmconf(&["bisect", file, "--vm", other]);
    let changed = beside(&format!("other=sh -c 'sed -u s/6003600401/6003600501/ | {serve}'"));
    assert_eq!(changed.exit, 1, "{changed:?}");
    assert!(changed.stdout.contains(r#"  top         embedded  ["4", "3", "0"]"#), "{changed:?}");
    // A machine that only executes is compared at the end, and what it does not report is named.
    let only = "s/\"run\",//; s/\"step-into\",//; s/\"fields\":\\[[^]]*/\"fields\":[\"outcome\",\"gas\",\"post\"/; s/digests/none/";
    let ends = |change: &str| {
        let script = folder.path().join("only.sh");
        fs::write(&script, format!("sed -u '{change}' | {serve} | sed -u '{only}'\n")).unwrap();
        beside(&format!("other=sh {}", script.display()))
    };
    let same = ends("");
    assert_eq!(same.exit, 0, "{same:?}");
    let lacks = "not compared, since other does not report it: out, logs, logsHash, callcreates, pc, stack, memory, memorySize, refund\n";
    assert_eq!(same.stdout, format!("no difference in the states that were compared\n{lacks}"), "{same:?}");
    let changed = ends("s/6003600401/6003600402/");
    let differs = "they end differently:\n  gas         embedded";
    assert_eq!(changed.exit, 1, "{changed:?}");
    assert!(changed.stdout.starts_with(differs) && changed.stdout.contains(lacks), "{changed:?}");
    assert_eq!(vmconf(&["bisect", file]).exit, 2);
}

/// A machine cannot have executed more instructions than it was asked for, whatever it counts.
#[test]
fn more_instructions_than_requested_break_the_protocol() {
    let folder = TempDir::new().unwrap();
    let [vector, script] = ["sum.json", "counts.sh"].map(|name| folder.path().join(name));
    let file = vector.to_str().unwrap();
    assert_eq!(vmconf(&["exec", "evm", "0x6003600401", "--vector", file]).exit, 0);
    // One hash for each number of the request, and the greatest count.
    let hashes = vec!["\"00\""; 41].join(",");
    let answer = format!("s/\"digests\":\\[.*/\"digests\":[{hashes}],\"instructions\":{}}}/", u64::MAX);
    let serve = "vmconf serve evm";
    fs::write(&script, format!("{serve} | sed -u '{answer}'\n")).unwrap();
    let [one, other] = ["one", "other"].map(|name| format!("{name}=sh {}", script.display()));
    let ran = vmconf(&["bisect", file, "--vm", &one, "--vm", &other]);
    assert_eq!((ran.exit, &*ran.stdout), (3, ""), "{ran:?}");
    let broke = format!(
        "one broke the protocol: it executed {} instructions, but was asked for at most {}",
        u64::MAX,
        1_u64 << 40
    );
    assert!(ran.stderr.contains(&broke), "{ran:?}");
}

/// A failure in another process begins with the step at which it diverges from the embedded machine.
#[test]
fn an_explanation_begins_where_the_machines_diverge() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let file = path.to_str().unwrap();
    // Stores 3 + 4.
    assert_eq!(vmconf(&["exec", "evm", "0x60036004016000", "--vector", file]).exit, 0);
    let serve = "vmconf serve evm";
    let other = format!("other=sh -c 'sed -u s/6003600401/6003600402/ | {serve}'");
    let ran = vmconf(&["diff", file, "--vm", &other]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(
        ran.stdout.contains(
            "    diverges at step 3, 0x04 ADD\n      executes MUL there, the embedded machine ADD\n"
        ),
        "{ran:?}"
    );
    let only = |filter: &str| {
        let other = format!("other=sh -c 'sed -u s/6003600401/6003600402/ | {serve} | sed -u {filter}'");
        vmconf(&["diff", file, "--vm", &other])
    };
    // MUL takes 5 gas, and ADD 3.
    let ran = only("s/digests/none/");
    let by_state = "    diverges at step 3, 0x04 ADD\n      gas after it 0xf4235 (999989), on the embedded machine 0xf4237 (999991)\n";
    assert!(ran.exit == 1 && ran.stdout.contains(by_state), "{ran:?}");
    // The embedded machine tells what both executed before, if the other one cannot.
    let ran = only(r#"s/\"op\":/\"none\":/g"#);
    assert!(ran.exit == 1 && ran.stdout.contains("    diverges at step 3, 0x04 ADD\n"), "{ran:?}");
    let ran = only("-e s/digests/none/ -e s/.run.,.set.,.step-into.,//");
    assert!(ran.exit == 1 && !ran.stdout.contains("diverges"), "{ran:?}");
}

/// What instructions do not show, such as local variables, differs in the states alone.
#[test]
fn an_explanation_compares_states_of_a_machine_that_reports_instructions() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let file = path.to_str().unwrap();
    // 3 + 4 = 7, but 8 in the states of the other machine.
    assert_eq!(vmconf(&["exec", "neo3", "0x13149e", "--vector", file]).exit, 0);
    let serve = "vmconf serve neo3";
    let other = format!(r#"other=sh -c '{serve} | sed -u s/\"7\"/\"8\"/'"#);
    let ran = vmconf(&["diff", file, "--vm", &other]);
    assert!(ran.exit == 1 && ran.stdout.contains("    diverges at step 3, 0x02 ADD\n"), "{ran:?}");
}

/// What made the value on the embedded machine did not make another value, which appears when it is moved.
#[test]
fn a_value_that_is_moved_wrongly_is_made_by_what_moves_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("swapped.json");
    let file = path.to_str().unwrap();
    // PUSH3 PUSH4 SWAP leaves 3 on top; the other machine leaves 9.
    assert_eq!(vmconf(&["exec", "neo3", "0x131450", "--vector", file]).exit, 0);
    let serve = "vmconf serve neo3";
    let items = |top| {
        let item = |value| format!(r#"{{"type":"Integer","value":"{value}"}}"#);
        format!("{},{}", item(top), item(4))
    };
    let script = folder.path().join("fault.sed");
    fs::write(&script, format!("s/{}/{}/g", items(3), items(9))).unwrap();
    let other = format!("other=sh -c '{serve} | sed -u -f {}'", script.display());
    let ran = vmconf(&["diff", file, "--vm", &other]);
    assert!(ran.exit == 1 && ran.stdout.contains("    diverges at step 3, 0x02 SWAP\n"), "{ran:?}");
    assert!(ran.stdout.contains("    made by  step 3, 0x02 SWAP"), "{ran:?}");
    assert!(!ran.stdout.contains("by  step 1"), "{ran:?}");
}

/// The state before an instruction says which one it is; that does not make its predecessor wrong.
#[test]
fn what_only_says_which_instruction_is_next_is_not_a_difference_of_its_predecessor() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rest.json");
    let file = path.to_str().unwrap();
    // The remainder of 7 and 2; the other machine divides.
    assert_eq!(vmconf(&["exec", "neo3", "0x1712a2", "--vector", file]).exit, 0);
    let serve = "vmconf serve neo3";
    let divides = format!(r#"sed -u s/1712a2\"/1712a1\"/ | {serve}"#);
    for more in ["", "-e s/digests/none/ -e s/trace/none/"] {
        let other = format!("other=sh -c '{divides} | sed -u -e s/none/none/ {more}'");
        let ran = vmconf(&["diff", file, "--vm", &other]);
        assert!(ran.exit == 1 && ran.stdout.contains("    diverges at step 3, 0x02 MOD\n"), "{ran:?}");
        let ran = vmconf(&["bisect", file, "--vm", &other]);
        assert!(ran.exit == 1 && ran.stdout.contains("step 3"), "{ran:?}");
    }
    // If nothing else differs, it is a difference all the same.
    let other = format!(r#"other=sh -c '{serve} | sed -u s/\"MOD\"/\"DIV\"/'"#);
    let ran = vmconf(&["bisect", file, "--vm", &other]);
    assert!(ran.exit == 1 && ran.stdout.contains("PUSH2 in step 2 makes the difference\n"), "{ran:?}");
    assert!(ran.stdout.contains("nextInstruction"), "{ran:?}");
}

/// Another opcode in the same state is not made by the instruction before it.
#[test]
fn an_instruction_that_is_decoded_differently_is_named() {
    let step = |pc: u64, op: u64, top: &str| format!("{{\"pc\":{pc},\"op\":{op},\"stack\":[\"{top}\"]}}\n");
    let trace = |op, top| [step(0, 0x60, "0x1"), step(2, op, "0x2"), step(3, 0, top)].concat();
    let Ran { exit, stdout, .. } = compare(&trace(5, "0x3"), &trace(4, "0x4"));
    assert_eq!(exit, 1);
    let (first, rest) = stdout.split_once('\n').unwrap();
    assert_eq!(first, "in step 2 at 2, /one executes 0x05 and /other 0x04");
    let before = rest.split_once("look: ").unwrap().0;
    assert_eq!(before, "before it, in both:\n  pc          2\n  stack       [2]\n");
}

/// A NeoVM of N3 that only executes single instructions, and says 8 for 7.
fn only_steps() -> String {
    let only = r#"-e s/digests/none/ -e s/trace/none/ -e s/.run.,.set.,// -e s/\"7\"/\"8\"/"#;
    format!("other=sh -c 'vmconf serve neo3 | sed -u {only}'")
}

/// A machine that only executes single instructions is compared by its states after each of them.
#[test]
fn a_machine_that_only_steps_is_compared_by_its_states() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let file = path.to_str().unwrap();
    // 3 + 4, and the sum is dropped.
    assert_eq!(vmconf(&["exec", "neo3", "0x13149e4511", "--vector", file]).exit, 0);
    let ran = vmconf(&["bisect", file, "--vm", &only_steps()]);
    let found = "ADD in step 3 makes the difference\n";
    assert!(ran.exit == 1 && ran.stdout.starts_with(found), "{ran:?}");
    let top = "  invocationStack[0]/evaluationStack[0]";
    let differs = format!("after it:\n{top}  embedded  7\n{top}  other     8\n");
    assert!(ran.stdout.contains(&differs), "{ran:?}");
}

/// Beyond the instructions that are compared, the ends are.
#[test]
fn a_long_run_on_a_machine_that_only_steps_is_compared_at_its_end() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("loop.json");
    let file = path.to_str().unwrap();
    // PUSHINT16 5000, and DEC, DUP, JMPIF back to DEC.
    assert_eq!(vmconf(&["exec", "neo3", "0x0188139d4a24fe17", "--vector", file]).exit, 0);
    let ran = vmconf(&["bisect", file, "--vm", &only_steps()]);
    assert_eq!((ran.exit, &*ran.stderr), (1, ""), "{ran:?}");
    assert!(ran.stdout.starts_with("they end differently:\n  resultStack[0]"), "{ran:?}");
}

/// A machine that only executes whole programs may report nothing before the end. After an exceptional halt, no gas is
/// left.
#[test]
fn a_machine_that_only_executes_is_compared_at_its_end() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("halt.json");
    let file = path.to_str().unwrap();
    // PUSH1 1, ADD.
    assert_eq!(vmconf(&["exec", "evm", "0x600101", "--vector", file]).exit, 0);
    let script = folder.path().join("machine.sh");
    let bisect = |gas: &str| {
        let hello = r#"{"type":"hello","version":1,"name":"a","release":"1","machines":[{"machine":"evm","fields":["outcome","gas"],"actions":["execute"]}]}"#;
        let steps = format!(r#"[{{"fields":{{}}}},{{"fields":{{"outcome":"halt","gas":"{gas}"}}}}]"#);
        let answer = format!(r#"{{"type":"done","id":'${{id%%,*}}',"steps":{steps},"ended":"halted"}}"#);
        let read = r#"while read -r request; do id=${request#*'"id":'}"#;
        fs::write(&script, format!("read -r hello\necho '{hello}'\n{read}; echo '{answer}'; done\n"))
            .unwrap();
        vmconf(&["bisect", file, "--vm", &format!("other=sh {}", script.display())])
    };
    let same = bisect("0x0");
    assert!(same.exit == 0 && same.stdout.starts_with("no difference in "), "{same:?}");
    let other = bisect("0x1");
    let told =
        "they end differently:\n  gas         embedded  0\n  gas         other     1\nnot compared, since ";
    assert!(other.exit == 1 && other.stdout.starts_with(told), "{other:?}");
    // Its runs cannot be explored.
    assert!(!other.stdout.contains("vmconf explore"), "{other:?}");
    let matrix = vmconf(&["matrix", file, "--vm", &format!("other=sh {}", script.display())]);
    assert!(!matrix.stdout.contains("vmconf explore"), "{matrix:?}");
}

/// What a machine need not report is not compared, and that is said.
#[test]
fn messages_of_faults_need_not_be_reported() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("fault.json");
    let vector = r#"{"category": "faults", "name": "message", "tests": [{"name": "one", "script": ["ABORT"],
        "steps": [{"actions": ["Execute"], "result": {"state": "FAULT", "exceptionMessage": "ABORT is executed."}}]}]}"#;
    fs::write(&path, vector).unwrap();
    let file = path.to_str().unwrap();
    let serve = "vmconf serve neo3";
    let with =
        |filter: &str| vmconf(&["run", file, "--vm", &format!("other=sh -c '{serve} | sed -u {filter}'")]);
    let lacks = "s/exceptionMessage/other/g";
    let ran = with(lacks);
    let said = "not compared: exceptionMessage, 1 assertion; other does not report it\n1 passed, 0 failed";
    assert!(ran.exit == 0 && ran.stdout.contains(said), "{ran:?}");
    // The state is compared all the same, and the message of a machine that has one too.
    let ran = with(&format!("-e {lacks} -e s/FAULT/HALT/g"));
    assert!(ran.exit == 1 && ran.stdout.contains("1 failed"), "{ran:?}");
    let ran = with("s/is.executed/was.executed/");
    assert!(ran.exit == 1 && ran.stdout.contains(": exceptionMessage\n"), "{ran:?}");
}

/// If a machine ends too early and nothing differed before, an instruction that was executed before may have changed
/// what the state does not show. Here the machine allows 5 items instead of 6.
#[test]
fn an_explanation_of_an_early_end_names_what_was_executed_before() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("limit.json");
    let file = path.to_str().unwrap();
    let vector = r#"{"category": "limits", "name": "items", "tests": [{"name": "six", "limits": {"maxStackSize": 6},
        "script": ["PUSH1", "DUP", "PUSH1", "NEWMAP", "PUSH1", "PUSH2", "CLEAR"],
        "steps": [{"actions": ["Execute"], "result": {"state": "HALT", "resultStack": []}}]}]}"#;
    fs::write(&path, vector).unwrap();
    let serve = "vmconf serve neo3";
    let other = format!("other=sh -c 'sed -u s/StackSize.:6/StackSize\\\":5/ | {serve}'");
    let ran = vmconf(&["diff", file, "--vm", &other]);
    let expected = "    diverges at step 6, 0x05 PUSH2\n      after it the run ends, on the embedded machine CLEAR follows\n    earlier  step 4, 0x03 NEWMAP; step 2, 0x01 DUP; step 5, 0x04 PUSH1\n";
    assert!(ran.exit == 1 && ran.stdout.contains(expected), "{}", ran.stdout);
    assert!(ran.stdout.contains("  last 6 of 6 instructions up to the difference"), "{}", ran.stdout);
}

/// `vmconf diff` is what a failure names to run next, so it ends soon after a long run as well.
#[test]
fn an_explanation_of_a_long_run_leaves_the_search_to_bisect() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("count.json");
    let file = path.to_str().unwrap();
    // Counts to 0x022000 in eight instructions each, and stores the number at 0.
    let count = "0x60005b600101806202200011600257600055";
    assert_eq!(vmconf(&["exec", "evm", count, "--gas", "100000000", "--vector", file]).exit, 0);
    let other = "other=sh -c 'sed -u s/57600055/57600155/ | vmconf serve evm'";
    let ran = vmconf(&["diff", file, "--vm", other]);
    let expected = "    diverges at a step that vmconf bisect finds; this run is long\n";
    assert!(ran.exit == 1 && ran.stdout.contains(expected), "{ran:?}");
    let json = vmconf(&["diff", file, "--vm", other, "--output", "json"]);
    assert!(json.stdout.contains("\"unsearched\":true"), "{json:?}");
}

/// A count that is wrong in every state, and one instruction: ADD does what SUB does.
#[cfg(unix)]
#[test]
fn what_is_ignored_is_not_a_difference() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let step = r#"{"actions": ["Execute"], "result": {"state": "HALT"}}"#;
    let test = format!(r#"{{"name": "sum", "script": ["PUSH1", "PUSH2", "ADD"], "steps": [{step}]}}"#);
    fs::write(&path, format!(r#"{{"category": "c", "name": "n", "tests": [{test}]}}"#)).unwrap();
    let vm = format!(
        "m=sh -c \"sed -u s/0x11129e/0x11129f/ | '{}' serve neo3 | sed -u -E '{}'\"",
        env!("CARGO_BIN_EXE_vmconf"),
        r"s/.digests.,.trace.//; s/refs\x22:\x22?[0-9a-fx]+\x22?/refs\x22:\x2299\x22/g"
    );
    let bisect = |more: &[&str]| vmconf(&[&["bisect", path.to_str().unwrap(), "--vm", &vm], more].concat());
    let at_start = bisect(&[]);
    assert!(at_start.stdout.starts_with("the runs differ from the start:"), "{at_start:?}");
    let found = bisect(&["--ignore", "refs"]);
    assert!(found.stdout.starts_with("ADD in step 3 makes the difference"), "{found:?}");
    assert!(found.stdout.contains("\nnot compared, by --ignore: refs\n"), "{found:?}");
    // The states that differ from the start are earlier than the instructions, which show no such count.
    let traced = vm.replace("s/.digests.,.trace.//; ", "");
    let at_start = vmconf(&["bisect", path.to_str().unwrap(), "--vm", &traced]);
    assert!(at_start.stdout.starts_with("the runs differ from the start:"), "{at_start:?}");
    // What is wrong in every state does not hide the instruction.
    let text = fs::read_to_string(&path).unwrap();
    let stack = r#""state": "HALT", "resultStack": [{"type": "Integer", "value": 3}]"#;
    fs::write(&path, text.replace(r#""state": "HALT""#, stack)).unwrap();
    for vm in [&vm, &traced] {
        let diff = vmconf(&["diff", path.to_str().unwrap(), "--vm", vm]);
        assert!(diff.stdout.contains("    diverges at step 3, 0x02 "), "{diff:?}");
    }
}

/// The hashes of instructions have what is ignored, too.
#[cfg(unix)]
#[test]
fn instructions_that_show_what_is_ignored_are_not_compared() {
    let change = r"s/gas\x22:\x220x[0-9a-f]+/gas\x22:\x220x77/g; s/digests\x22:\[\x22./digests\x22:[\x22z/";
    let vm = format!("m=sh -c \"'{}' serve evm | sed -u -E '{change}'\"", env!("CARGO_BIN_EXE_vmconf"));
    let bisect = |more: &[&str]| {
        vmconf(&[&["bisect", "vectors/evm/arithmetic/add.json::small", "--vm", &vm], more].concat())
    };
    assert_ne!(bisect(&[]).exit, 0);
    let Ran { exit, stdout, .. } = bisect(&["--ignore", "gas"]);
    let expected = "no difference in the states that were compared\nnot compared, by --ignore: gas\n";
    assert_eq!((exit, &*stdout), (0, expected));
    // Nor are they if the machine cannot stop, so that only the ends are left.
    let only_ends = vm.replace(change, &format!("{change}; s/.run.,.set.,.step-into.,//"));
    let compared =
        vmconf(&["bisect", "vectors/evm/arithmetic/add.json::small", "--vm", &only_ends, "--ignore", "gas"]);
    assert_eq!((compared.exit, &*compared.stdout), (0, expected));
    // Nothing is left to compare.
    let all = ["outcome", "gas", "out", "logs", "logsHash", "callcreates", "post", "pc", "stack", "memory"];
    let ignored: Vec<_> =
        all.iter().chain(&["memorySize", "refund"]).flat_map(|name| ["--ignore", name]).collect();
    let only_states = vm.replace(change, "s/.digests.,.trace.//");
    let none = vmconf(
        &[&["bisect", "vectors/evm/arithmetic/add.json::small", "--vm", &only_states], &ignored[..]].concat(),
    );
    assert_eq!(none.exit, 2, "{none:?}");
}

/// The state of Ethereum shows only when a transaction has ended: its last instruction is not what makes a difference.
#[test]
fn what_shows_only_at_the_end_is_not_blamed_on_the_last_instruction() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("stores.json");
    let file = path.to_str().unwrap();
    // Stores 3 + 4 in slot 0, which holds 8 on the other machine.
    assert_eq!(vmconf(&["exec", "ethereum", "0x6003600401600055", "--vector", file]).exit, 0);
    let serve = "vmconf serve ethereum";
    let other = format!(r#"other=sh -c '{serve} | sed -u s/:\"0x7\"/:\"0x8\"/'"#);
    let ran = vmconf(&["bisect", file, "--vm", &other]);
    let told = "the same 6 steps, but they end differently:\n  state/0xaaaa";
    assert!(ran.exit == 1 && ran.stdout.starts_with(told), "{ran:?}");
    let ran = vmconf(&["diff", file, "--vm", &other]);
    assert!(ran.exit == 1 && !ran.stdout.contains("diverges"), "{ran:?}");
    assert!(ran.stdout.contains("    made by  step 5, 0x07 SSTORE of 0, 7\n"), "{ran:?}");
}

/// At the end, a field that a machine reports otherwise but lacks there differs, as it does in a run.
#[test]
fn a_field_that_is_missing_at_the_end_differs() {
    let serve = "vmconf serve evm";
    let drops = r#"/hello/!s/\"logsHash\":\"0x[0-9a-f]*\",//"#;
    let vm = format!("other=sh -c '{serve} | sed -u {drops}'");
    let ran = vmconf(&["bisect", "vectors/evm/arithmetic/add.json::small", "--vm", &vm]);
    assert!(ran.exit == 1 && ran.stdout.contains("\n  logsHash  "), "{ran:?}");
}

/// A field that instructions do not show hides none of them, if a machine cannot stop after one.
#[test]
fn instructions_that_do_not_show_what_is_ignored_are_compared() {
    let only_ends = "s/.run.,.set.,.step-into.,//";
    let vm = format!(
        "m=sh -c \"sed -u s/600160020/600160030/ | '{}' serve evm | sed -u {only_ends}\"",
        env!("CARGO_BIN_EXE_vmconf")
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let file = path.to_str().unwrap();
    // 1 + 2; the other machine computes 1 + 3.
    assert_eq!(vmconf(&["exec", "evm", "0x6001600201600055", "--vector", file]).exit, 0);
    let bisect = |ignored: &str| vmconf(&["bisect", file, "--vm", &vm, "--ignore", ignored]);
    let found = bisect("logs");
    assert!(found.exit == 1 && found.stdout.contains("in step 2 makes the difference\n"), "{found:?}");
    let hidden = bisect("gas");
    assert!(hidden.exit == 1 && hidden.stdout.starts_with("they end differently:\n"), "{hidden:?}");
}
