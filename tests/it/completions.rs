//! The completions of the shells, and the manual page.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{Ran, at_root, command, ended, ran, vmconf};

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
        let asks = match shell {
            "bash" | "fish" => format!("COMPLETE={shell} vmconf --"),
            "zsh" => "COMPLETE=\"zsh\"".to_owned(),
            _ => "COMPLETE".to_owned(),
        };
        assert!(stdout.contains(&asks), "{shell}: {stdout}");
    }
    let page = vmconf(&["man"]).stdout;
    for name in commands() {
        let entry = format!("vmconf\\-{}(1)", name.replace('-', "\\-"));
        assert!(page.lines().any(|line| line == entry), "the manual does not list {name}");
    }
}

/// What bash inserts for this command line, in this folder, in place of its last part, which begins behind a break of
/// words.
fn inserted(folder: &Path, line: &str, replaced: &str) -> Vec<String> {
    let mut vmconf = Command::new(env!("CARGO_BIN_EXE_vmconf"));
    vmconf.args(["--", "vmconf", replaced, "before"]).current_dir(folder);
    let point = line.chars().count().to_string();
    vmconf.envs([("COMPLETE", "bash"), ("COMP_LINE", line), ("COMP_POINT", &*point)]);
    let output = vmconf.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The scripts of zsh and fish ask the program with these variables, and show a description behind each word.
#[test]
fn zsh_and_fish_complete_every_command() {
    for (shell, separator) in [("zsh", ':'), ("fish", '\t')] {
        let mut vmconf = Command::new(env!("CARGO_BIN_EXE_vmconf"));
        vmconf.args(["--", "vmconf", ""]).envs([("COMPLETE", shell), ("_CLAP_COMPLETE_INDEX", "1")]);
        let offered = ran(vmconf.output().unwrap()).stdout;
        let words: Vec<_> = offered.lines().map(|line| line.split(separator).next().unwrap()).collect();
        let missing: Vec<_> = commands().into_iter().filter(|name| !words.contains(&&**name)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?} of {offered}");
    }
}

#[test]
fn bash_completes_what_the_command_line_knows() {
    let check = |line: &str, replaced: &str, offered: &[&str]| {
        assert_eq!(inserted(&at_root(""), line, replaced), offered, "{line}");
    };
    check("vmconf ru", "ru", &["run "]);
    check("vmconf run --max-ste", "--max-ste", &["--max-steps "]);
    check("vmconf list --value-debit o", "o", &["on", "off"]);
    check("vmconf isa --max-st", "--max-st", &[]);
    check("vmconf isa tiny", "tiny", &["tinyvm "]);
    check("vmconf isa 'tiny", "tiny", &["tinyvm"]);
    check("vmconf schema neovm-", "neovm-", &["neovm-n3", "neovm-2x"]);
    check("vmconf run --report ju", "ju", &["junit "]);
    check("vmconf run --report=ju", "ju", &["junit "]);
    check("vmconf run --report junit=Cargo.t", "Cargo.t", &["Cargo.toml "]);
    check("vmconf run --report junit=Cargo.t", "junit=Cargo.t", &["junit=Cargo.toml "]);
    check("vmconf run Cargo.t", "Cargo.t", &["Cargo.toml "]);
    check("vmconf run Carg\\o.t", "Carg\\o.t", &["Cargo.toml "]);
    check("vmconf run vect", "vect", &["vectors/"]);
    check("vmconf run --family spc", "spc", &["spc700 "]);
    check("vmconf family show sm", "sm", &["sm83 "]);
    check("vmconf schema spc", "spc", &["spc700 "]);
}

/// The machines and families of the nearest `vmconf.toml`, even if its other settings are wrong.
#[test]
fn bash_completes_what_the_configuration_names() {
    let folder = TempDir::new().unwrap();
    let config = "[vm.mine]\ncommand = 'a'\n[family]\nown8 = 'own8.toml'\n[profile.default]\nnone = 1\n";
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    let below = folder.path().join("below");
    assert_eq!(inserted(&below, "vmconf run --vm m", "m"), ["mine "]);
    assert_eq!(inserted(&below, "vmconf run --family ow", "ow"), ["own8 "]);
}

/// Whether bash begins a word behind a `:` or not.
#[test]
fn bash_completes_case_ids() {
    let add = "vectors/evm/arithmetic/add.json";
    let listed = vmconf(&["list", add]).stdout;
    let listed: Vec<_> = listed.lines().collect();
    let line = format!("vmconf run {add}::");
    assert_eq!(inserted(&at_root(""), &line, &format!("{add}::")), listed);
    let names: Vec<_> = listed.iter().map(|id| id.strip_prefix(&format!("{add}::")).unwrap()).collect();
    assert_eq!(inserted(&at_root(""), &line, ""), names);
    assert_eq!(
        inserted(&at_root(""), &format!("vmconf diff {}", listed[0]), names[0]),
        [format!("{} ", names[0])]
    );
}

/// The shell waits for what is offered, and a pipe may never be written to.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_read_for_case_ids() {
    let folder = TempDir::new().unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe.json")).status().unwrap().success());
    let mut vmconf = Command::new(env!("CARGO_BIN_EXE_vmconf"));
    vmconf.args(["--", "vmconf", "pipe.json::"]).current_dir(folder.path());
    vmconf.envs([("COMPLETE", "bash"), ("COMP_LINE", "vmconf run pipe.json::"), ("COMP_POINT", "22")]);
    let child = vmconf.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let Ran { exit, stdout, stderr } = ended(child);
    assert_eq!((exit, &*stdout, &*stderr), (0, "", ""));
}

/// The names of cases come from vectors: what is inserted is a word with the name of the case, in any quotes.
#[test]
fn no_name_becomes_a_command() {
    const NAMES: [&str; 8] = [
        "three and four",
        "$(touch made)",
        "`touch made`",
        "x; touch made",
        "it's",
        "a \"b\" !x",
        "c\\d",
        "*",
    ];
    let folder = TempDir::new().unwrap();
    let vector = fs::read_to_string(at_root("vectors/evm/arithmetic/add.json")).unwrap();
    let vector: serde_json::Map<_, _> = serde_json::from_str(&vector).unwrap();
    let test = vector.values().next().unwrap();
    let vectors: serde_json::Map<_, _> =
        NAMES.iter().map(|name| ((*name).to_owned(), test.clone())).collect();
    fs::write(folder.path().join("my file.json"), serde_json::to_string(&vectors).unwrap()).unwrap();
    let listed = ran(command(&["list", "my file.json"]).current_dir(folder.path()).output().unwrap()).stdout;
    let ids: Vec<_> = listed.lines().map(|id| format!("{id}\n")).collect();
    assert_eq!(ids.len(), NAMES.len(), "{listed}");
    for (typed, replaced) in [
        ("my\\ file.json::", ""),
        ("my\\ file.json::", "my\\ file.json::"),
        ("'my file.json::", "my file.json::"),
        ("\"my file.json::", ""),
    ] {
        let words = inserted(folder.path(), &format!("vmconf run {typed}"), replaced);
        let head = typed.strip_suffix(replaced).unwrap();
        let quote = head.matches(['\'', '"']).next().unwrap_or_default();
        let mut read = Vec::new();
        for word in words {
            let mut bash = Command::new("bash");
            bash.args(["--norc", "-c", &format!("printf '%s\\n' {head}{word}{quote}")])
                .current_dir(folder.path());
            read.push(String::from_utf8(bash.output().unwrap().stdout).unwrap());
        }
        assert_eq!(read, ids, "{typed}");
    }
    assert!(!folder.path().join("made").exists());
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
    assert_eq!(vmconf(&["man", "known", "update"]).stdout, vmconf(&["man", "known-update"]).stdout);
    let unknown = vmconf(&["man", "rnu"]);
    assert_eq!((unknown.exit, &*unknown.stderr), (2, "error: there is no command rnu\n"));
}
