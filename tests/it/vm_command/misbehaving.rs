//! What `vmconf vm check` says of adapters that answer in the wrong order, too often, or not at all.

use std::fs;

use tempfile::TempDir;

use super::SERVE;
use crate::support::skip::has_python;
use crate::support::{Ran, vmconf};

/// An adapter that offers to take 4 requests at a time. Those with the numbers from 12 on, which `vm check` sends
/// together, are held back until there are 4, and then answered in one of several ways.
const TOGETHER: &str = r#"
import json, os, subprocess, sys

served = subprocess.Popen([sys.argv[1], "serve", "evm"], stdin=-1, stdout=-1, text=True)
held = []


def swap_ids():
    held[0]["id"], held[1]["id"] = held[1]["id"], held[0]["id"]


def swap_answers():
    held[0], held[1] = held[1], held[0]
    swap_ids()


def end():
    print(json.dumps(held[0]), flush=True)
    os._exit(3)


how = {"well": lambda: None, "reverse": held.reverse, "swap-ids": swap_ids, "swap-answers": swap_answers,
       "drop": lambda: held.pop(1), "end": end}[sys.argv[2]]
for line in sys.stdin:
    served.stdin.write(line)
    served.stdin.flush()
    answer = json.loads(served.stdout.readline())
    if answer["type"] == "hello":
        answer["inFlight"] = 4
    number = answer.get("id", 0)
    if not 12 <= number < 100:
        print(json.dumps(answer), flush=True)
        continue
    held.append(answer)
    if len(held) == 4:
        how()
        for answer in held:
            print(json.dumps(answer), flush=True)
        held.clear()
"#;

/// The points that are wrong, with what is wrong.
fn wrong(args: &[&str]) -> (i32, Vec<String>) {
    let Ran { exit, stdout, .. } = vmconf(&[&["vm", "check"], args].concat());
    (exit, stdout.lines().filter_map(|line| line.strip_prefix("WRONG  ")).map(str::to_owned).collect())
}

#[test]
fn answers_in_the_wrong_order_are_found() {
    if !has_python() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("together.py");
    fs::write(&path, TOGETHER).unwrap();
    let check = |how: &str| wrong(&["python3", path.to_str().unwrap(), SERVE, how]);
    assert_eq!(check("well"), (0, Vec::new()));
    for (how, why) in [
        ("reverse", "4 were sent together, and it answered request 15 instead of 12; answer each, in"),
        ("swap-ids", "4 were sent together, and it answered request 13 instead of 12; answer each, in"),
        ("swap-answers", "the answer to request 12 is not that to the same request alone; keep"),
        ("drop", "4 were sent together, and it answered request 14 instead of 13; answer each, in"),
        ("end", "4 were sent together, and it ended with exit code 3; answer each, in"),
    ] {
        let (exit, wrong) = check(how);
        let [only] = &wrong[..] else { panic!("{how}: {wrong:?}") };
        let expected = format!("answers requests that are in flight together: {why}");
        assert!(exit == 1 && only.starts_with(&expected), "{how}: {only}");
    }
}

/// `run` reports lines that answer nothing, and so does `vm check`.
#[test]
#[cfg(unix)]
fn lines_that_answer_nothing_are_found() {
    for (script, what) in [
        ("SERVE | sed -u '/done/p'", "it wrote a second answer to request "),
        (
            r#"SERVE | sed -u '/done/i {"type":"hello","version":1,"name":"x","release":"1","machines":[]}'"#,
            "it wrote a second hello: ",
        ),
        ("SERVE; echo bye", r#"it wrote an unexpected line: "bye"; write nothing else to standard output"#),
    ] {
        let script = script.replace("SERVE", &format!("'{SERVE}' serve evm"));
        let (exit, wrong) = wrong(&["sh", "-c", &script]);
        let expected = format!("writes one line for each request: {what}");
        assert!(exit == 1 && wrong.iter().any(|line| line.starts_with(&expected)), "{script}: {wrong:?}");
    }
}

/// Of a process that ends, no answer is wrong: every point says that it ended, and how.
#[test]
#[cfg(unix)]
fn an_adapter_that_ends_early_is_reported() {
    for (end, what) in
        [("exit 7", "it ended with exit code 7"), ("kill -SEGV $$", "it was killed by SIGSEGV")]
    {
        let hello = format!("read -r hello; printf '%s\\n' \"$hello\" | '{SERVE}' serve evm");
        let (exit, wrong) = wrong(&["sh", "-c", &format!("{hello}; read -r request; {end}")]);
        let names = ["runs a small program", "gives the same answer twice", "repeats a large id"];
        for name in names {
            assert!(
                wrong.iter().any(|line| line.starts_with(&format!("{name}: {what}"))),
                "{name}: {wrong:?}"
            );
        }
        assert!(exit == 1 && wrong.iter().all(|line| line.contains(what)), "{wrong:?}");
        for advice in ["make a fresh machine", "keep the number", "do not reject", "with a reason"] {
            assert!(wrong.iter().all(|line| !line.contains(advice)), "{wrong:?}");
        }
    }
}
