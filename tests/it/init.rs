//! `vmconf init`: what it writes can be run as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vmconf::formats::family::BUILT_IN;
use vmconf::machines::MACHINES;

use crate::support::{Ran, command, ran};

fn init(folder: &Path, args: &[&str]) -> Ran {
    ran(command(&[&["init"], args].concat()).current_dir(folder).output().unwrap())
}

/// Runs a line of a shell in which `vmconf` is the one under test.
fn sh(folder: &Path, line: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_vmconf")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).env("VMCONF_CACHE", folder.join("cache"));
    ran(shell.output().unwrap())
}

/// The commands that it prints.
fn next(printed: &str) -> Vec<&str> {
    printed.lines().skip_while(|line| *line != "Next:").skip(1).map(str::trim).collect()
}

/// The example of a machine passes, that of a family has no fault, and every printed command works.
#[test]
fn the_next_commands_work() {
    let families = BUILT_IN.iter().map(|family| (family.name, false));
    for (name, is_machine) in MACHINES.iter().map(|machine| (machine.name, true)).chain(families) {
        let folder = TempDir::new().unwrap();
        let Ran { exit, stdout, stderr } = init(folder.path(), &[name]);
        assert_eq!((exit, &*stderr), (0, ""), "{name}");
        let commands = next(&stdout);
        assert_eq!(commands.len(), 3, "{stdout}");
        for line in commands {
            let Ran { exit, stdout, stderr } = sh(folder.path(), line);
            // The template of an adapter supports no program.
            let expected = if line.contains("--vm") { 4 } else { 0 };
            assert_eq!(exit, expected, "{name}: {line}: {stdout}{stderr}");
            if line == "vmconf run" {
                assert!(
                    stdout.contains(" 0 failed, 0 errors, 0 skipped") && !stdout.starts_with("0 "),
                    "{stdout}"
                );
            }
        }
        let settings = fs::read_to_string(folder.path().join("vmconf.toml")).unwrap();
        assert_eq!(settings.contains(&format!("family = \"{name}\"")), !is_machine, "{settings}");
    }
}

/// Without a terminal, nobody is asked.
#[test]
fn without_an_argument_it_is_the_default() {
    let folder = TempDir::new().unwrap();
    let Ran { exit, stdout, stderr } = init(folder.path(), &[]);
    assert_eq!((exit, &*stderr), (0, ""));
    assert!(stdout.contains("\nvectors/vmtests.json\n"), "{stdout}");
    let Ran { exit, stderr, .. } = init(folder.path(), &["nes650"]);
    assert!(exit == 2 && stderr.contains("nes6502"), "{stderr}");
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}

#[test]
fn nothing_is_replaced() {
    for path in ["vmconf.toml", ".github/workflows/vmconf.yml", "vectors/tinyvm.json", "vectors/sum.asm"] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        // A link that leads nowhere counts as a file, so that nothing is written to where it leads.
        std::os::unix::fs::symlink("nowhere", &file).unwrap();
        let Ran { exit, stdout, stderr } = init(folder.path(), &["tinyvm"]);
        // Settings that cannot be read are an error of every command.
        assert!(exit == 2 && stdout.is_empty() && stderr.contains(path), "{path}: {exit} {stderr}");
        let left: Vec<_> = if folder.path().join(path).is_dir() { vec![] } else { all_files(folder.path()) };
        assert_eq!(left, [file], "{path}");
    }
}

/// What cannot be written whole is not written, so that the command can be repeated.
#[test]
fn nothing_is_left_of_a_failure() {
    for path in ["vectors", ".github", ".github/workflows"] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        for _ in 0..2 {
            let Ran { exit, stdout, stderr } = init(folder.path(), &["evm"]);
            let expected = format!("{path}: not a folder; vmconf init wrote nothing\n");
            assert!(exit == 2 && stdout.is_empty() && stderr.ends_with(&expected), "{exit} {stderr}");
        }
        assert_eq!(all_files(folder.path()), std::slice::from_ref(&file));
        fs::remove_file(&file).unwrap();
        assert_eq!(init(folder.path(), &["evm"]).exit, 0);
    }
    // A link that leads nowhere is no folder, either.
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("vectors")).unwrap();
    for _ in 0..2 {
        let Ran { exit, stderr, .. } = init(folder.path(), &["evm"]);
        let expected = "vectors: not a folder; vmconf init wrote nothing\n";
        assert!(exit == 2 && stderr.ends_with(expected), "{exit} {stderr}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    fs::remove_file(folder.path().join("vectors")).unwrap();
    assert_eq!(init(folder.path(), &["evm"]).exit, 0);
}
