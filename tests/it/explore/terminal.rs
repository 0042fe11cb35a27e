//! In a terminal: `script` of util-linux provides one.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::GCD;
use crate::support::skip::skip;
use crate::support::{PATIENCE, at_root, path_with_vmconf};

const ENTERS: &str = "\u{1b}[?1049h";
const LEAVES: &str = "\u{1b}[?1049l";

/// Whether there is a terminal to be had; the test is skipped if not.
fn has_script() -> bool {
    let has = Command::new("script").arg("--version").output().is_ok_and(|it| it.status.success());
    let has = cfg!(target_os = "linux") && has;
    if !has {
        skip("no script command is installed");
    }
    has
}

/// `vmconf explore` in a terminal.
struct Session {
    folder: TempDir,
    script: Child,
    start: Instant,
}

impl Session {
    /// Starts it, presses `keys` and waits until it shows `until`. `None` where there is no terminal to be had.
    fn start(keys: &str, until: &str) -> Option<Session> {
        Session::of(GCD, keys, until)
    }

    /// The same with other arguments.
    fn of(arguments: &str, keys: &str, until: &str) -> Option<Session> {
        if !has_script() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = format!(
            "stty cols 80 rows 24; echo $$ > {0}; tty > {0}.tty; exec vmconf explore {arguments}",
            folder.path().join("pid").display(),
        );
        let script = Command::new("script")
            .args(["-qefc", &program])
            .arg(folder.path().join("log"))
            .current_dir(at_root(""))
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .env("PATH", path_with_vmconf())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut session = Session { folder, script, start: Instant::now() };
        session.wait(|it| it.written().contains(ENTERS));
        session.press(keys);
        session.wait(|it| it.written().contains(until));
        Some(session)
    }

    /// What it wrote to the terminal.
    fn written(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.path().join("log")).unwrap_or_default()).into_owned()
    }

    fn wait(&mut self, until: impl Fn(&mut Session) -> bool) {
        while !until(self) {
            assert!(self.start.elapsed() < PATIENCE, "{}", self.written());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        let terminal = self.script.stdin.as_mut().unwrap();
        terminal.write_all(keys.as_bytes()).unwrap();
        terminal.flush().unwrap();
    }

    /// Sends the explorer a signal. Whether it was there: one that has ended may stay in the list of processes, where
    /// nothing asks for the exit codes of orphans.
    fn kill(&self, signal: &str) -> bool {
        let pid = fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        if state.contains(") Z ") {
            return false;
        }
        let kill = Command::new("kill").args([signal, pid.trim()]).stderr(Stdio::null()).status();
        kill.unwrap().success()
    }

    /// What it wrote until it ended, and its exit code.
    fn end(mut self) -> (String, i32) {
        self.wait(|it| it.script.try_wait().unwrap().is_some());
        (self.written(), self.script.wait().unwrap().code().unwrap())
    }
}

/// Ends and reaps what a failed test leaves.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

#[test]
fn keys_are_read_and_the_terminal_is_left_as_it_was() {
    let Some(mut session) = Session::start("sss?", "any key closes this") else { return };
    session.press("qq");
    let (text, exit) = session.end();
    assert_eq!(exit, 0, "{text}");
    assert!(text.find(ENTERS).unwrap() < text.find(LEAVES).unwrap(), "{text:?}");
    assert!(text.rfind(LEAVES) > text.rfind("gcd"), "{text:?}");
}

/// Of several cases one is picked, and the place in the command is where it opens. The text that is copied goes to the
/// terminal in base64.
#[test]
fn a_case_is_picked_and_what_is_copied_reaches_the_terminal() {
    let arguments = "vectors/minic89/source.json --max-steps 100000 --at 3";
    let Some(mut session) = Session::of(arguments, "", "cases;") else { return };
    session.press("\r");
    session.wait(|it| it.written().contains("step 3 of"));
    session.press("yi");
    // vectors/minic89/source.json::gcd
    let copied = "\u{1b}]52;c;dmVjdG9ycy9taW5pYzg5L3NvdXJjZS5qc29uOjpnY2Q=\u{7}";
    session.wait(|it| it.written().contains(copied));
    session.press("yy");
    // vmconf explore 'vectors/minic89/source.json::gcd' --max-steps 100000 --at 3
    let copied = concat!(
        "\u{1b}]52;c;dm1jb25mIGV4cGxvcmUgJ3ZlY3RvcnMvbWluaWM4OS9zb3VyY2UuanNvbjo6Z2NkJyAtLW1heC1zdGVwcyAxMDAwMDAg",
        "LS1hdCAz\u{7}"
    );
    session.wait(|it| it.written().contains(copied));
    session.press("q");
    assert_eq!(session.end().1, 0);
}

/// A machine in another process is started once a case is picked.
#[test]
fn a_case_of_another_machine_is_picked() {
    let arguments = "vectors/minic89/source.json --vm 'mine=vmconf serve minic89'";
    let Some(mut session) = Session::of(arguments, "", "cases;") else { return };
    session.press("\r");
    session.wait(|it| it.written().contains("mine"));
    session.press("q");
    assert_eq!(session.end().1, 0);
}

/// A terminal without a screen is none.
#[test]
fn a_dumb_terminal_is_refused() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (log, explore) = (folder.path().join("log"), format!("vmconf explore {GCD}"));
    let mut script = Command::new("script");
    script.args(["-qec", &explore]).arg(&log).current_dir(at_root(""));
    script.envs([("TERM", "dumb"), ("SHELL", "/bin/sh")]).env("PATH", path_with_vmconf());
    let status = script.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    let written = fs::read_to_string(log).unwrap();
    let refusal = "error: explore needs a terminal; --html FILE writes a page instead";
    assert!(status.code() == Some(2) && written.contains(refusal) && !written.contains(ENTERS), "{written}");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let Some(session) = Session::start("", "of 73") else { return };
    assert!(session.kill("-TERM"));
    let (text, exit) = session.end();
    assert!(text.contains(LEAVES) && exit == 130, "{exit} {text:?}");
}

#[test]
fn the_explorer_ends_when_its_terminal_closes() {
    let Some(mut session) = Session::start("", "of 73") else { return };
    assert!(session.kill("-0"));
    session.script.kill().unwrap();
    session.script.wait().unwrap();
    session.wait(|it| !it.kill("-0"));
}

/// A larger terminal is used up to its last line, where the failure and the keys are.
#[test]
fn it_takes_the_size_that_its_terminal_gets() {
    let Some(mut session) = Session::start("", "of 73") else { return };
    assert!(!session.written().contains("\u{1b}[40;"));
    let terminal = fs::read_to_string(session.folder.path().join("pid.tty")).unwrap();
    let size = ["cols", "120", "rows", "40"];
    assert!(Command::new("stty").arg("-F").arg(terminal.trim()).args(size).status().unwrap().success());
    session.wait(|it| it.written().contains("\u{1b}[40;"));
    session.press("q");
    assert_eq!(session.end().1, 0);
}
