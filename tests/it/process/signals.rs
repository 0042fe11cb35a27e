//! Signals to vmconf end the machines in other processes.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::processes_with;
use crate::support::{Killed, PATIENCE, at_root, command, full_pipe};

/// Waits until something holds. To look at all processes takes a while.
fn wait_for(mut holds: impl FnMut() -> bool, what: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "not after {PATIENCE:?}: {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Waits until no process has this variable in its environment.
fn wait_for_end(variable: &str) {
    wait_for(|| processes_with(variable).is_empty(), &format!("an end of the processes with {variable}"));
}

/// A run on a machine that does this with each case.
fn run_on(script: &str, folder: &TempDir, variable: &str, stdout: Stdio) -> Killed {
    started(&["run", "--jobs", "2"], script, folder, variable, stdout)
}

/// A command on a machine that does this with each case, once a case runs.
fn started(words: &[&str], script: &str, folder: &TempDir, variable: &str, stdout: Stdio) -> Killed {
    let adapter = folder.path().join("adapter.sh");
    let hello = r#"{"type":"hello","version":1,"name":"a","release":"1","machines":[{"machine":"evm","fields":["outcome","gas","out","logs","logsHash","post","callcreates"]}]}"#;
    let text = format!(
        "read -r hello\necho '{hello}'\nread -r request\ntouch {}/asked\n{script}\n",
        folder.path().display()
    );
    std::fs::write(&adapter, text).unwrap();
    let vectors = at_root("vectors/evm");
    let vm = format!("a=sh {}", adapter.display());
    let machine = [vectors.to_str().unwrap(), "--timeout", "1000s", "--vm", &vm];
    let mut run = command(&[words, &machine].concat());
    run.env("VMCONF_TEST", variable).stdout(stdout).stderr(Stdio::null());
    let child = Killed::new(run.spawn().unwrap());
    wait_for(|| folder.path().join("asked").exists(), "a case that runs");
    child
}

fn send(child: &Child, signal: &str) {
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
}

/// A machine that ignores signals and the end of its input ends with vmconf; after SIGKILL, which vmconf does not
/// notice, one that reads its input.
#[test]
fn every_signal_that_ends_vmconf_ends_its_processes() {
    let stubborn = "trap '' INT TERM HUP PIPE\nsleep 1000 & while :; do sleep 1000; done";
    let polite = "read -r more";
    for (signal, script) in [("-INT", stubborn), ("-TERM", stubborn), ("-KILL", polite)] {
        let folder = TempDir::new().unwrap();
        let variable = format!("signals-{}{signal}", std::process::id());
        let mut child = run_on(script, &folder, &variable, Stdio::null());
        let variable = format!("VMCONF_TEST={variable}");
        assert!(processes_with(&variable).len() > 1, "vmconf and the machine");
        send(&child, signal);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), if signal == "-KILL" { None } else { Some(130) }, "{signal}");
        wait_for_end(&variable);
    }
}

/// Commands that write no reports end at once, with the machine.
#[test]
fn a_signal_ends_the_processes_of_every_command() {
    let stubborn = "trap '' INT TERM HUP PIPE\nwhile :; do sleep 1000; done";
    for words in [&["diff"][..], &["bless"], &["suspects"]] {
        let folder = TempDir::new().unwrap();
        let variable = format!("signals-{}-{}", std::process::id(), words[0]);
        let mut child = started(words, stubborn, &folder, &variable, Stdio::null());
        let variable = format!("VMCONF_TEST={variable}");
        send(&child, "-TERM");
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words:?}");
        wait_for_end(&variable);
    }
}

/// The first signal ends the machines of a run whose output nobody reads, and the second one the run.
#[test]
fn two_signals_end_a_run_that_cannot_write() {
    let folder = TempDir::new().unwrap();
    let variable = format!("signals-{}-twice", std::process::id());
    let (_unread, full) = full_pipe();
    let stubborn = "trap '' INT TERM HUP PIPE\nwhile :; do sleep 1000; done";
    let mut child = run_on(stubborn, &folder, &variable, full.into());
    let variable = format!("VMCONF_TEST={variable}");
    send(&child, "-INT");
    wait_for(|| processes_with(&variable).len() == 1, "an end of the machines");
    assert_eq!(child.try_wait().unwrap(), None, "it waits for a reader");
    // One that arrives at once after the first one is no second one.
    let is_ended = || {
        send(&child, "-INT");
        child.try_wait().unwrap().is_some()
    };
    wait_for(is_ended, "the end of the run");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_for_end(&variable);
}
