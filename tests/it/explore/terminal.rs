//! In a terminal: `script` of util-linux provides one.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::GCD;
use crate::support::at_root;

const ENTERS: &str = "\u{1b}[?1049h";
const LEAVES: &str = "\u{1b}[?1049l";
const LONGEST: Duration = Duration::from_secs(60);

/// Runs `vmconf explore` in a terminal with these keys, and then with what `then` does to the process of this id.
/// What it wrote to the terminal, and its exit code.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn in_terminal(keys: &str, until: &str, then: &str) -> Option<(String, i32)> {
    let has_script = Command::new("script").arg("--version").output().is_ok_and(|it| it.status.success());
    if !cfg!(target_os = "linux") || !has_script {
        eprintln!("skipped: no script command is installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let (log, pid) = (folder.path().join("log"), folder.path().join("pid"));
    let program = format!(
        "stty cols 80 rows 24; echo $$ > {}; exec {} explore {GCD}",
        pid.display(),
        env!("CARGO_BIN_EXE_vmconf")
    );
    let mut child = Command::new("script")
        .args(["-qefc", &program])
        .arg(&log)
        .current_dir(at_root(""))
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let written = || String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
    let wait = |what: &dyn Fn() -> bool| {
        while !what() {
            assert!(start.elapsed() < LONGEST, "{}", written());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(&|| written().contains(ENTERS));
    let mut terminal = child.stdin.take().unwrap();
    terminal.write_all(keys.as_bytes()).unwrap();
    terminal.flush().unwrap();
    wait(&|| written().contains(until));
    if then.is_empty() {
        terminal.write_all(b"qq").unwrap();
    } else {
        let pid = fs::read_to_string(&pid).unwrap();
        assert!(Command::new("kill").args([then, pid.trim()]).status().unwrap().success());
    }
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < LONGEST, "{}", written());
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(terminal);
    Some((written(), child.wait().unwrap().code().unwrap()))
}

#[test]
fn keys_are_read_and_the_terminal_is_left_as_it_was() {
    let Some((text, exit)) = in_terminal("sss?", "any key closes this", "") else { return };
    assert_eq!(exit, 0, "{text}");
    assert!(text.find(ENTERS).unwrap() < text.find(LEAVES).unwrap(), "{text:?}");
    assert!(text.rfind(LEAVES) > text.rfind("gcd"), "{text:?}");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let Some((text, _)) = in_terminal("", "of 73", "-TERM") else { return };
    assert!(text.contains(LEAVES), "{text:?}");
}
