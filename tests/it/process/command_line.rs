//! `--vm` in commands, and `[vm.NAME]` in `vmconf.toml`.

use std::fs;

use tempfile::TempDir;

use crate::support::{Ran, at_root, command, ran, timeless};

/// A project with a machine `mine`, which is an embedded one, and `dead`, which does not start.
struct Project(TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(TempDir::new().unwrap());
        let vmconf = env!("CARGO_BIN_EXE_vmconf");
        let config = format!(
            "[vm.mine]\ncommand = ['{vmconf}', 'serve', 'evm']\nknown = 'known.toml'\n\n\
             [vm.dead]\ncommand = 'no-such-program'\n"
        );
        project.write("vmconf.toml", &config);
        project.write("known.toml", "");
        for (name, from) in [
            ("add.json", "vectors/evm/arithmetic/add.json"),
            ("wrong.json", "tests/samples/vmtests/wrong/storage-value.json"),
        ] {
            fs::copy(at_root(from), project.0.path().join(name)).unwrap();
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(self.0.path()).env("VMCONF_CACHE", self.0.path().join("cache"));
        ran(command.output().unwrap())
    }

    /// The last line of standard output, and the exit code.
    fn summary(&self, args: &[&str]) -> (String, i32) {
        let Ran { exit, stdout, stderr } = self.run(args);
        (stdout.lines().last().unwrap_or_else(|| panic!("{stderr}")).to_owned(), exit)
    }
}

#[test]
fn a_run_on_a_machine_of_the_configuration() {
    let project = Project::new();
    let (summary, exit) = project.summary(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert!(
        summary.ends_with(" 1 failed, 0 errors, 0 skipped in TIME s on mine (vmconf 0.1.0)"),
        "{summary}"
    );
    assert_eq!(exit, 1);
    let known = "[[known]]\nid = \"wrong.json::*\"\nreason = \"not yet\"\n";
    project.write("known.toml", known);
    let (summary, exit) = project.summary(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert!(summary.contains(" 0 failed, 1 known, "), "{summary}");
    assert_eq!(exit, 0);
    // The list is that of the machine.
    assert_eq!(project.summary(&["run", "wrong.json"]).1, 1);
}

#[test]
fn what_is_wrong_with_a_machine() {
    let project = Project::new();
    for (args, exit, expected) in [
        (&["--vm", "mien"][..], 2, "error: --vm: there is no [vm.mien] in vmconf.toml; did you mean mine?\n"),
        (&["--vm", "a="], 2, "error: --vm: this is not a command\n"),
        (&["--vm", "a='"], 2, "error: --vm: this is not a command\n"),
        (&["--timeout", "1s"], 2, "error: --timeout and --vm-memory are for the machine of --vm\n"),
        (&["--vm", "dead"], 3, "error: --vm dead: no-such-program cannot be started: "),
        (&["--vm", "a=false"], 3, "error: --vm a: ended with exit code 1\n"),
        (
            &["--vm", "a=echo hi"],
            3,
            "error: --vm a: wrote a line that is not an answer: it expected value in column 1\n",
        ),
    ] {
        let Ran { exit: code, stderr, .. } = project.run(&[&["run", "add.json"], args].concat());
        assert!(stderr.starts_with(expected), "{args:?}: {stderr}");
        assert_eq!(code, exit, "{args:?}");
    }
}

/// The instructions are those of the embedded machine, and marked.
#[test]
fn diff_explains_with_the_embedded_machine() {
    let project = Project::new();
    let embedded = project.run(&["diff", "wrong.json"]);
    let foreign = project.run(&["diff", "--vm", "mine", "wrong.json"]);
    let mark = "  instructions are those of the embedded evm; its verdict: fail\n";
    assert!(foreign.stdout.contains(mark), "{}", foreign.stdout);
    assert_eq!(foreign.stdout.replace(mark, ""), embedded.stdout);
    assert_eq!((foreign.exit, embedded.exit), (1, 1));
}

#[test]
fn the_cache_has_results_of_each_machine() {
    let project = Project::new();
    let run = |args: &[&str]| project.summary(&[&["run", "--cached", "add.json"], args].concat()).0;
    assert!(!run(&[]).contains("cache"));
    assert!(!run(&["--vm", "mine"]).contains("cache"));
    assert!(run(&["--vm", "mine"]).contains("of them from the cache"));
    let changed = format!("mine={} serve evm", env!("CARGO_BIN_EXE_vmconf"));
    assert!(!run(&["--vm", &changed, "--vm-memory", "4000000000"]).contains("cache"));
}

#[test]
fn parts_on_a_machine_are_merged() {
    let project = Project::new();
    for part in ["1", "2"] {
        let partition = format!("slice:{part}/2");
        let report = format!("json={part}.jsonl");
        project.run(&[
            "run",
            "--vm",
            "mine",
            "add.json",
            "wrong.json",
            "--partition",
            &partition,
            "--report",
            &report,
        ]);
    }
    let merged = project.run(&["merge", "1.jsonl", "2.jsonl"]);
    let whole = project.run(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    assert_eq!(timeless(&merged.stdout), timeless(&whole.stdout));
    assert_eq!(merged.exit, 1);
}

#[test]
fn failures_on_a_machine_run_again() {
    let project = Project::new();
    project.run(&["run", "--vm", "mine", "add.json", "wrong.json"]);
    let (summary, _) = project.summary(&["run", "--vm", "mine", "--rerun", "failed"]);
    assert!(summary.starts_with("0 passed, 1 failed, "), "{summary}");
}
