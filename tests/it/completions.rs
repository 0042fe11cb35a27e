//! The completions of the shells, and the manual page.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Ran, at_root, vmconf};

/// The commands that help lists.
pub(crate) fn commands() -> Vec<String> {
    let help = vmconf(&["--help"]).stdout;
    let (_, groups) = help.split_once("\nRun:\n").unwrap();
    let (groups, _) = groups.split_once("\nOptions:\n").unwrap();
    let commands =
        groups.lines().filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    commands.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn completions_are_made_and_the_manual_names_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let Ran { exit, stdout, stderr } = vmconf(&["completions", shell]);
        assert_eq!((exit, &*stderr), (0, ""), "{shell}");
        assert!(stdout.contains("COMPLETE"), "{stdout}");
    }
    let page = vmconf(&["man"]).stdout;
    for name in commands() {
        let entry = format!("vmconf\\-{}(1)", name.replace('-', "\\-"));
        assert!(page.lines().any(|line| line == entry), "the manual does not list {name}");
    }
}

/// What bash offers for the last of these words.
fn completed(words: &[&str]) -> String {
    let last = words.len() - 1;
    let ask = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={last}; _clap_complete_vmconf vmconf '{}' '{}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\" | tr '\\v' '\\n'",
        vmconf(&["completions", "bash"]).stdout,
        words.join(" "),
        words[last],
        words[last - 1],
    );
    let folder = Path::new(env!("CARGO_BIN_EXE_vmconf")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &ask]).env("PATH", path).current_dir(at_root(""));
    let output = bash.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().replace('\n', " ")
}

#[test]
fn bash_completes_what_the_command_line_knows() {
    let check = |words: &[&str], offered: &str| assert_eq!(completed(words), offered, "{words:?}");
    check(&["vmconf", "ru"], "run");
    check(&["vmconf", "run", "--max-ste"], "--max-steps");
    check(&["vmconf", "list", "--value-debit", "o"], "on off");
    check(&["vmconf", "isa", "--max-st"], "");
    check(&["vmconf", "isa", "tiny"], "tinyvm");
    check(&["vmconf", "schema", "neovm-"], "neovm-n3 neovm-2x");
    check(&["vmconf", "run", "--report", "ju"], "junit");
    check(&["vmconf", "run", "--report", "junit=Cargo.t"], "junit=Cargo.toml");
    check(&["vmconf", "run", "Cargo.t"], "Cargo.toml");
}

/// Bash would split the words of an id at `:`; the script makes it a part of words.
#[test]
fn bash_completes_case_ids() {
    let add = "vectors/evm/arithmetic/add.json";
    let listed = vmconf(&["list", add]).stdout;
    assert_eq!(completed(&["vmconf", "run", &format!("{add}::")]), listed.trim_end().replace('\n', " "));
    let first = listed.lines().next().unwrap();
    assert_eq!(completed(&["vmconf", "diff", first]), first);
    let script = vmconf(&["completions", "bash"]).stdout;
    assert!(script.starts_with("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}\n"), "{script}");
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = TempDir::new().unwrap();
    assert_eq!(vmconf(&["man", "--all", folder.path().to_str().unwrap()]).exit, 0);
    for name in commands() {
        let page = fs::read_to_string(folder.path().join(format!("vmconf-{name}.1"))).unwrap();
        assert!(page.contains("EXIT STATUS"), "{page}");
        assert_eq!(page, vmconf(&["man", &name]).stdout);
    }
    assert!(folder.path().join("vmconf-known-update.1").exists());
    assert_eq!(vmconf(&["man", "rnu"]).exit, 2);
}
