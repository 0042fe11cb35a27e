//! Where output goes: pipes, colours, report files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{Killed, Ran, WRONG, command, ran, vmconf, wait_until};

use super::{GAS, STOPPED, folder, stdout};

/// Nobody reads to the end: no panic, and the exit code is that of the run.
#[test]
fn a_closed_pipe_is_not_an_error() {
    for (args, exit) in [
        (vec!["list"], 0),
        (vec!["isa", "evm"], 0),
        (vec!["disasm", "evm", "0x00"], 0),
        (vec!["--help"], 0),
        (vec!["run", WRONG], 1),
        (vec!["run", WRONG, "--report", "json"], 1),
        (vec!["run", WRONG, STOPPED, "--report", "json"], 3),
    ] {
        for lines in [0, 1] {
            let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut pipe = BufReader::with_capacity(16, child.stdout.take().unwrap());
            for _ in 0..lines {
                assert_ne!(pipe.read_line(&mut String::new()).unwrap(), 0);
            }
            drop(pipe);
            let ran = ran(child.wait_with_output().unwrap());
            assert_eq!(ran, Ran { exit, stdout: String::new(), stderr: String::new() }, "{args:?}");
        }
    }
}

#[test]
fn output_is_coloured_on_request() {
    let check = |args: &[&str], environment: &[(&str, &str)], coloured: bool| {
        let output = ran(command(args).envs(environment.iter().copied()).output().unwrap());
        assert_eq!(output.stdout.contains('\u{1b}'), coloured, "{args:?} with {environment:?}");
    };
    let (text, json) = (["run", GAS], ["run", "--report", "json", GAS]);
    check(&text, &[], false);
    check(&text, &[("NO_COLOR", "1")], false);
    check(&text, &[("CLICOLOR_FORCE", "1")], true);
    check(&text, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false);
    check(&json, &[("CLICOLOR_FORCE", "1")], false);
    // Without its colours, the text is the same.
    let forced = command(&text).env("CLICOLOR_FORCE", "1").output().unwrap();
    let plain = anstream::adapter::strip_str(std::str::from_utf8(&forced.stdout).unwrap()).to_string();
    assert_eq!(crate::support::timeless(&plain), stdout(&text));
}

/// An earlier report.
const EARLIER: &str = "{\"type\":\"run\",\"version\":1}\n";

#[test]
fn a_report_file_is_the_report() {
    let folder = folder(&[("report.json", EARLIER)]);
    let path = folder.path().join("report.json");
    let option = format!("json={}", path.display());
    let to_file = vmconf(&["run", "--report", &option, WRONG]);
    assert_eq!(to_file, vmconf(&["run", WRONG]), "the text stays on standard output");
    let file = crate::support::timeless(&fs::read_to_string(&path).unwrap());
    assert_eq!(file, stdout(&["run", "--report", "json", WRONG]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
    // Each requested report is written.
    let text = format!("text={}", folder.path().join("report.txt").display());
    let both = vmconf(&["run", "--report", "json", "--report", &text, WRONG]);
    assert_eq!(both.stdout, file);
    let text = fs::read_to_string(folder.path().join("report.txt")).unwrap();
    assert_eq!(crate::support::timeless(&text), to_file.stdout);
}

/// A run that is killed leaves what was there before.
#[test]
fn a_report_file_is_complete_or_absent() {
    let folder = folder(&[("report.json", EARLIER)]);
    let path = folder.path().join("report.json");
    let option = format!("json={}", path.display());
    let endless = "tests/samples/vmtests/limits/endless.json";
    let args = ["run", "--report", &option, WRONG, endless, "--max-steps", "1000000000000000"];
    let child = Killed::new(command(&args).stdout(Stdio::null()).spawn().unwrap());
    wait_until("the report is being written", || fs::read_dir(folder.path()).unwrap().count() == 2);
    drop(child);
    assert_eq!(fs::read_to_string(path).unwrap(), EARLIER);
}

#[test]
fn quiet_is_the_summary_alone() {
    let quiet = vmconf(&["run", "-q", WRONG, STOPPED, "tests/samples/vmtests/notes"]);
    assert_eq!(quiet.exit, 3);
    assert_eq!(quiet.stdout.lines().count(), 1, "{}", quiet.stdout);
    assert_eq!(quiet.stderr, "");
    let loud = vmconf(&["run", WRONG, STOPPED, "tests/samples/vmtests/notes"]);
    assert!(loud.stdout.ends_with(&quiet.stdout));
    assert_ne!(loud.stderr, "");
}
