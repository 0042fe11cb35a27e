//! The completions of the shells, and the manual page.

use std::process::Command;

use crate::support::{Ran, vmconf};

/// The commands that help lists.
pub(crate) fn commands() -> Vec<String> {
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

/// What bash offers for the last of these words, in the words of the script.
fn completed(script: &str, words: &[&str]) -> String {
    let last = words.len() - 1;
    let ask = format!(
        "{script}\nCOMP_WORDS=({}); COMP_CWORD={last}; _vmconf vmconf '{}' '{}'; echo \"${{COMPREPLY[*]}}\"",
        words.join(" "),
        words[last],
        words[last - 1],
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn bash_completes_commands_and_flags() {
    let script = vmconf(&["completions", "bash"]).stdout;
    let check = |words: &[&str], offered: &str| assert_eq!(completed(&script, words), offered, "{words:?}");
    check(&["vmconf", "ru"], "run");
    check(&["vmconf", "help", "bl"], "bless");
    check(&["vmconf", "run", "--max-st"], "--max-steps");
    check(&["vmconf", "list", "--value-debit", "o"], "on off");
    check(&["vmconf", "isa", "--max-st"], "");
}
