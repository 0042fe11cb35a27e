//! Completions, the manual page, and Ctrl-C.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::{Ran, at_root, command, ran, vmconf};
use tempfile::TempDir;

/// The commands that help lists.
fn commands() -> Vec<String> {
    let help = vmconf(&["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    commands.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let all = ["completions bash", "completions zsh", "completions fish", "completions powershell", "man"];
    for args in all {
        let Ran { exit, stdout, stderr } = vmconf(&args.split(' ').collect::<Vec<_>>());
        assert_eq!((exit, &*stderr), (0, ""), "{args}");
        for name in commands() {
            assert!(stdout.contains(&name), "{args} does not name {name}");
        }
    }
}

fn interrupt(child: &Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

/// Files of cases that each take a while, so that some are done at any moment.
fn long_run(report: &TempDir, jobs: &str) -> Child {
    let vectors = report.path().join("vectors");
    std::fs::create_dir_all(&vectors).unwrap();
    for number in 0..100 {
        let sample = at_root("tests/samples/vmtests/limits/endless.json");
        std::fs::copy(sample, vectors.join(format!("{number}.json"))).unwrap();
    }
    let option = format!("json={}", report.path().join("report.json").display());
    let args = ["run", "--jobs", jobs, "--max-steps", "5000000", "--report", &option];
    let mut command = command(&[&args[..], &[vectors.to_str().unwrap()]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_whole() {
    for (jobs, milliseconds) in [("1", 0), ("1", 157), ("2", 83), ("2", 211), ("8", 119)] {
        let folder = TempDir::new().unwrap();
        let child = long_run(&folder, jobs);
        // From then on the run has begun: its report is being written, beside where it will be.
        while std::fs::read_dir(folder.path()).unwrap().count() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        interrupt(&child);
        let Ran { exit, stdout, stderr } = ran(child.wait_with_output().unwrap());
        assert_eq!(exit, 130, "{stdout}{stderr}");
        assert!(stdout.lines().last().unwrap().contains(" errors, 0 skipped in "), "{stdout}");
        let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
        let lines: Vec<serde_json::Value> =
            report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.last().unwrap()["exit"], 130);
        // The report, the vectors, and no file that is half written.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
