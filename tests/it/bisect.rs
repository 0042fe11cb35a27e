//! `vmconf bisect`: the first difference of two traces.

use std::fs;

use tempfile::TempDir;

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
    assert_eq!(after, "  stack       /one    [1]\n  stack       /other  [2]\n");
}

/// Clients write the same step in different ways.
#[test]
fn the_notation_is_no_difference() {
    let one = r#"{"pc":0,"op":96,"gas":"0x64","gasCost":"0x3","stack":["0x3"],"returnData":"0x"}"#;
    let other = r#"{"pc":0,"op":"0x60","gas":100,"gasCost":9,"stack":["0x0003"],"opName":"PUSH1"}"#;
    assert_eq!(compare(one, &format!("geth\n\n{other}\n")).stdout, "no difference in 1 step\n");
}

#[test]
fn a_run_that_ends_earlier_differs() {
    let [first, second] = [line(0, "0x1"), line(1, "0x1")];
    let Ran { exit, stdout, .. } = compare(&format!("{first}\n{second}\n"), &first);
    assert_eq!(exit, 1);
    let after = stdout.split_once("after it:\n").unwrap().1;
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
fn what_is_no_trace_is_refused() {
    let Ran { exit, stderr, .. } = compare("nothing\n", &line(0, "0x1"));
    assert_eq!(exit, 3);
    assert!(stderr.contains("one: no line of it is a step of a trace"), "{stderr}");
    assert_eq!(vmconf(&["bisect", "--trace", "README.md"]).exit, 2);
    assert_eq!(vmconf(&["bisect", "--trace", "nowhere", "--trace", "nowhere"]).exit, 2);
}
