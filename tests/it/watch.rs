//! `vmconf run --watch`: which cases a change runs again, what is reported, and how it ends.
//!
//! No test sleeps for a fixed time: each waits for output, with a timeout that fits a slow machine.

#![cfg(unix)]
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use crate::support::{PATIENCE, at_root, command, vmconf, wait_until};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A process that watches.
struct Watching {
    child: Child,
    /// What it writes, to standard output and standard error, in its order.
    lines: Receiver<String>,
}

/// Kills what a failed test leaves.
impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it writes until it waits again.
#[derive(Debug)]
struct Round(Vec<String>);

impl Round {
    /// Each case that ran: its verdict and its file.
    fn cases(&self) -> Vec<String> {
        let lines = self.0.iter().filter_map(|line| serde_json::from_str::<Json>(line).ok());
        let cases = lines.filter(|line| line["type"] == "case");
        cases
            .map(|line| format!("{} {}", line["verdict"].as_str().unwrap(), line["file"].as_str().unwrap()))
            .collect()
    }

    fn says(&self, what: &str) -> bool {
        self.0.iter().any(|line| line.contains(what))
    }
}

impl Watching {
    fn new(folder: &Path, args: &[&str]) -> Watching {
        let (reader, writer) = io::pipe().unwrap();
        let mut command = command(&[&["run", "--watch"], args].concat());
        // The last run of each test is its own.
        command.env("VMCONF_CACHE", folder.join("cache"));
        command.current_dir(folder).stdout(writer.try_clone().unwrap()).stderr(writer);
        let child = command.spawn().unwrap();
        // Its ends of the pipe would keep the reader from seeing the end.
        drop(command);
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(reader).lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Watching { child, lines }
    }

    fn line(&self, deadline: Instant) -> Option<String> {
        let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
        assert!(!line.contains("panicked") && !line.contains('\u{1b}'), "{line}");
        Some(line)
    }

    /// All lines to one that says this.
    fn until(&self, what: &str) -> Round {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            let line = self.line(deadline);
            lines.push(line.unwrap_or_else(|| panic!("nothing says {what:?} but {lines:#?}")));
            if lines.last().unwrap().contains(what) {
                return Round(lines);
            }
        }
    }

    fn round(&self) -> Round {
        self.until("waiting for changes")
    }

    /// The round in which these cases have these ends. A machine that is slow may see a change in pieces,
    /// but in each of them only these files run.
    fn runs(&self, cases: &[&str]) -> Round {
        let deadline = Instant::now() + PATIENCE;
        let file = |case: &str| case.split_once(' ').unwrap().1.to_owned();
        let files: Vec<_> = cases.iter().map(|case| file(case)).collect();
        loop {
            let round = self.round();
            let ran = round.cases();
            assert!(ran.iter().all(|case| files.contains(&file(case))), "not only {cases:?}: {round:#?}");
            if ran == cases {
                return round;
            }
            assert!(Instant::now() < deadline, "never {cases:?}");
        }
    }

    /// The very next round, which is of these cases. The change that leads to it is one event: see [`replace`].
    fn runs_once(&self, cases: &[&str]) {
        let round = self.round();
        assert_eq!(round.cases(), cases, "{round:#?}");
    }

    /// The exit code after Ctrl-C.
    fn interrupt(mut self) -> i32 {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        wait_until("Ctrl-C ends it", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap().code().unwrap()
    }
}

/// A vector that passes when the sum is 7.
fn sum(value: u32) -> String {
    let expect = format!(r#""registers": {{"r1": 4}}, "expect": {{"stop": "yield", "value": {value}}}"#);
    format!(
        r#"{{"machine": "tinyvm", "tests": [{{"name": "sum", "instructions": ["lw r0, 3", "add r1 r0", "yield", ".word 0x5712"], {expect}}}]}}"#
    )
}

/// The same of a program beside it.
fn sum_of_file(name: &str) -> String {
    format!(
        r#"{{"machine": "tinyvm", "tests": [{{"name": "sum", "instructions": {{"file": "{name}"}}, "registers": {{"r1": 4}}, "expect": {{"stop": "yield", "value": 7}}}}]}}"#
    )
}

fn program(number: u32) -> String {
    format!("lw r0, {number}\nadd r1 r0\nyield\n.word 0x5712\n")
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes a file elsewhere and moves it into its place, which nobody sees in pieces.
fn replace(folder: &Path, name: &str, text: &str) {
    let elsewhere = TempDir::new().unwrap();
    write(elsewhere.path(), "file", text);
    fs::rename(elsewhere.path().join("file"), folder.join(name)).unwrap();
}

#[test]
fn only_what_changed_runs_again() {
    let folder = folder(&[
        ("suite/a.json", &sum(7)),
        ("suite/b.json", &sum(7)),
        ("suite/p/c.json", &sum_of_file("sum.asm")),
        ("suite/p/sum.asm", &program(3)),
    ]);
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    let path = |name: &str| folder.path().join(name);
    let watching = Watching::new(folder.path(), &["--report", "json", "suite"]);
    watching.runs(&["pass suite/a.json", "pass suite/b.json", "pass suite/p/c.json"]);

    write("suite/a.json", &sum(8));
    assert!(watching.runs(&["fail suite/a.json"]).says("running again: suite/a.json"));
    write("suite/a.json", &sum(7));
    watching.runs(&["pass suite/a.json"]);

    // A file that is not a vector and that no vector names changes nothing.
    write("suite/README.md", "sums");
    write("suite/d.json", &sum(7));
    watching.runs(&["pass suite/d.json"]);

    // As an editor does: a file beside it takes its place.
    write("suite/.a.json.swp", "x");
    write("suite/a.json~", &sum(8));
    fs::rename(path("suite/a.json~"), path("suite/a.json")).unwrap();
    fs::remove_file(path("suite/.a.json.swp")).unwrap();
    watching.runs(&["fail suite/a.json"]);
    // As another one does: the file is moved away before.
    fs::rename(path("suite/a.json"), path("suite/a.json~")).unwrap();
    write("suite/a.json", &sum(7));
    watching.runs(&["pass suite/a.json"]);

    write("suite/a.json", "{\"machine\": \"tinyvm\", \"te");
    watching.runs(&["error suite/a.json"]);
    write("suite/a.json", &sum(7));
    watching.runs(&["pass suite/a.json"]);

    write("suite/new/below/e.json", &sum(7));
    watching.runs(&["pass suite/new/below/e.json"]);
    write("suite/new/below/e.json", &sum(8));
    watching.runs(&["fail suite/new/below/e.json"]);

    write("suite/p/sum.asm", &program(4));
    watching.runs(&["fail suite/p/c.json"]);
    fs::remove_file(path("suite/p/sum.asm")).unwrap();
    watching.runs(&["error suite/p/c.json"]);
    write("suite/p/sum.asm", &program(3));
    watching.runs(&["pass suite/p/c.json"]);

    fs::remove_dir_all(path("suite/new")).unwrap();
    watching.until("deleted: suite/new/below/e.json");
    // It was no run, and the last one passed.
    assert_eq!(watching.interrupt(), 0);
}

/// A summary counts only what ran, so what failed before is named until it passes or is deleted.
#[test]
fn failures_that_are_not_run_again_stay_outstanding() {
    let folder = folder(&[
        ("vectors/a.json", &sum(8)),
        ("vectors/b.json", &sum(9)),
        ("vectors/c.json", "{\"machine\": \"tinyvm\", \"te"),
    ]);
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    let watching = Watching::new(folder.path(), &["--report", "json"]);
    let round = watching.runs(&["fail vectors/a.json", "fail vectors/b.json", "error vectors/c.json"]);
    assert!(!round.says("before, not run again"), "{round:?}");
    write("vectors/a.json", &sum(7));
    let round = watching.runs(&["pass vectors/a.json"]);
    let before = "1 failed, 1 broken before, not run again: vectors/b.json::sum, vectors/c.json";
    assert!(round.0.iter().any(|line| line == before), "{round:?}");
    fs::remove_file(folder.path().join("vectors/c.json")).unwrap();
    watching.until("deleted: vectors/c.json");
    write("vectors/a.json", &sum(6));
    let round = watching.runs(&["fail vectors/a.json"]);
    assert!(round.0.iter().any(|line| line == "1 failed before, not run again: vectors/b.json::sum"));
    write("vectors/a.json", &sum(7));
    watching.runs(&["pass vectors/a.json"]);
    // The last run passed, and a failure is outstanding.
    assert_eq!(watching.interrupt(), 1);
}

/// Fixtures that are generated again: their folder is removed, and created some time later.
#[test]
fn a_folder_that_is_created_again_runs() {
    for (searched, removed) in [("gen/vectors", "gen/vectors"), ("gen/vectors", "gen"), ("gen", "gen")] {
        let folder = folder(&[("gen/vectors/a.json", &sum(7))]);
        let watching = Watching::new(folder.path(), &["--report", "json", searched]);
        watching.runs(&["pass gen/vectors/a.json"]);
        fs::remove_dir_all(folder.path().join(removed)).unwrap();
        watching.until("error: ");
        write(folder.path(), "gen/vectors/a.json", &sum(8));
        watching.runs(&["fail gen/vectors/a.json"]);
        write(folder.path(), "gen/vectors/a.json", &sum(7));
        watching.runs(&["pass gen/vectors/a.json"]);
        assert_eq!(watching.interrupt(), 0);
    }
}

/// A named file that is deleted does not keep the others from running, and runs when it is back.
#[test]
fn a_named_file_that_is_written_again_runs() {
    let folder = folder(&[("a.json", &sum(7)), ("b.json", &sum(7))]);
    let watching = Watching::new(folder.path(), &["--report", "json", "a.json", "b.json"]);
    watching.runs(&["pass a.json", "pass b.json"]);
    fs::remove_file(folder.path().join("a.json")).unwrap();
    assert!(watching.until("deleted: a.json").says("note: a.json: no such file or folder"));
    write(folder.path(), "b.json", &sum(8));
    watching.runs(&["fail b.json"]);
    write(folder.path(), "a.json", &sum(8));
    watching.runs(&["fail a.json"]);
    write(folder.path(), "a.json", &sum(7));
    write(folder.path(), "b.json", &sum(7));
    watching.runs(&["pass a.json", "pass b.json"]);
    assert_eq!(watching.interrupt(), 0);
}

/// The settings are those of the file as it is: none, one, another, a wrong one, and none again.
#[test]
fn settings_are_read_again_after_a_change() {
    let folder = folder(&[("vectors/a.json", &sum(7)), ("vectors/b.json", &sum(7))]);
    let write = |text: &str| write(folder.path(), "vmconf.toml", text);
    let watching = Watching::new(folder.path(), &["--report", "json"]);
    watching.runs(&["pass vectors/a.json", "pass vectors/b.json"]);
    write("[profile.default]\nfilter = [\"b.json\"]\n");
    assert!(watching.runs(&["pass vectors/b.json"]).says("vmconf.toml changed: all cases run again"));
    write("[profile.default]\nfilter = [\"a.json\"]\n");
    watching.runs(&["pass vectors/a.json"]);
    write("[profile.default]\nfliter = [\"b.json\"]\n");
    watching.until("unknown setting");
    fs::remove_file(folder.path().join("vmconf.toml")).unwrap();
    watching.runs(&["pass vectors/a.json", "pass vectors/b.json"]);
    assert_eq!(watching.interrupt(), 0);
}

/// A list of known failures that a changed vmconf.toml names may be written after it.
#[test]
fn a_list_that_is_missing_is_read_when_it_appears() {
    let folder = folder(&[("vectors/a.json", &sum(8))]);
    let watching = Watching::new(folder.path(), &["--report", "json"]);
    watching.runs(&["fail vectors/a.json"]);
    write(folder.path(), "vmconf.toml", "[profile.default]\nknown = \"k.toml\"\n");
    watching.until("k.toml: No such file");
    write(folder.path(), "k.toml", "[[known]]\nid = \"*.json::sum\"\nreason = \"sums\"\n");
    watching.runs(&["known vectors/a.json"]);
    assert_eq!(watching.interrupt(), 0);
}

/// All cases run as a declaration says that changed, also after one that is wrong, typed or in `vmconf.toml`.
#[test]
fn declarations_are_read_again_after_a_change() {
    let declaration = |after: &str| {
        format!(
            "machine = \"acc\"\n[state]\na = \"u8\"\n[format]\ncases = \"$\"\n\
             program = {{ a = \"$.before\" }}\nexpect = {{ a = \"$.{after}\" }}\n"
        )
    };
    let config = ("vmconf.toml", "[family]\nacc = \"own/acc.toml\"\n".to_owned());
    for (config, args) in [(None, &["--family", "own/acc.toml"][..]), (Some(config), &[])] {
        let files = [
            ("own/acc.toml", declaration("after")),
            ("vectors/a.json", r#"{"before": 1, "after": 2}"#.to_owned()),
        ];
        let files: Vec<_> = files.into_iter().chain(config).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        let folder = folder(&files);
        let watching = Watching::new(folder.path(), &[&["--report", "json"], args].concat());
        watching.runs(&["unsupported vectors/a.json"]);
        write(folder.path(), "own/acc.toml", &declaration("then"));
        let round = watching.runs(&["unsupported vectors/a.json"]);
        let says = ["acc.toml changed: all cases run again", "unknown member \"after\" is ignored"];
        assert!(says.iter().all(|what| round.says(what)), "{round:?}");
        write(folder.path(), "own/acc.toml", "machine = ");
        assert!(watching.until("own/acc.toml:1:").says("error: "));
        write(folder.path(), "own/acc.toml", &declaration("after"));
        watching.runs(&["unsupported vectors/a.json"]);
        assert_eq!(watching.interrupt(), 4);
    }
}

#[test]
fn the_exit_code_is_that_of_the_last_run() {
    let folder = folder(&[("vectors/a.json", &sum(7)), ("vectors/b.json", &sum(7))]);
    let watching = Watching::new(folder.path(), &["--report", "json"]);
    assert!(watching.round().says("waiting for changes of vectors/; Ctrl-C ends"));
    write(folder.path(), "vectors/b.json", &sum(8));
    watching.runs(&["fail vectors/b.json"]);
    assert_eq!(watching.interrupt(), 1);
}

#[test]
fn changes_of_named_files_and_lists_run_cases_again() {
    let folder = folder(&[
        ("a.json", &sum(8)),
        ("b.json", &sum_of_file("p/sum.asm")),
        ("other.json", &sum(7)),
        ("p/sum.asm", &program(3)),
        ("known/list.toml", ""),
    ]);
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    let args = ["--report", "json", "--report", "json=report.json", "--known", "known/list.toml"];
    let watching = Watching::new(folder.path(), &[&args[..], &["a.json", "b.json::sum"]].concat());
    watching.runs(&["fail a.json", "pass b.json"]);

    write("other.json", &sum(8));
    write("p/sum.asm", &program(4));
    watching.runs(&["fail b.json"]);
    // The file is of what ran.
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap();
    assert_eq!(Round(report.lines().map(str::to_owned).collect()).cases(), ["fail b.json"]);

    write("known/list.toml", "[[known");
    watching.until("error: known/list.toml:1:");
    write("known/list.toml", "[[known]]\nid = \"*.json::sum\"\nreason = \"sums\"\n");
    watching.runs(&["known a.json", "known b.json"]);
    // The entry names no case of what runs then, which is no error.
    write("known/list.toml", "[[known]]\nid = \"a.json::sum\"\nreason = \"sums\"\n");
    watching.runs(&["known a.json", "fail b.json"]);
    write("p/sum.asm", &program(3));
    watching.runs(&["pass b.json"]);

    fs::rename(folder.path().join("a.json"), folder.path().join("a.old")).unwrap();
    assert!(watching.until("deleted: a.json").says("note: a.json: no such file"));
    watching.round();
    write("a.json", &sum(7));
    watching.runs(&["fixed a.json"]);
    assert_eq!(watching.interrupt(), 1);
}

/// Each run writes its reports among the vectors; that starts no other run.
#[test]
fn a_written_report_does_not_run_cases_again() {
    let folder = folder(&[("a.json", &sum(7))]);
    let args = ["--report", "json", "--report", "json=report.json", "--report", "text=report.txt", "."];
    let watching = Watching::new(folder.path(), &args);
    watching.runs_once(&["pass a.json"]);
    for value in [8, 7, 8] {
        replace(folder.path(), "a.json", &sum(value));
        watching.runs_once(&[if value == 7 { "pass a.json" } else { "fail a.json" }]);
    }
    // A run that the last report started would come before that of another file, or be one with it.
    replace(folder.path(), "b.json", &sum(7));
    watching.runs_once(&["pass b.json"]);
    assert_eq!(watching.interrupt(), 1);
}

/// Files with cases that each take a while; the report shows when the run has begun.
fn long_run() -> (TempDir, Watching) {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("reports")).unwrap();
    let endless = fs::read_to_string(at_root("tests/samples/vmtests/limits/endless.json")).unwrap();
    for number in 10..99 {
        write(folder.path(), &format!("vectors/{number}.json"), &endless);
    }
    let args = ["--jobs", "1", "--max-steps", "5000000", "--report", "json", "--report", "tap=reports/tap"];
    let watching = Watching::new(folder.path(), &args);
    let reports = folder.path().join("reports");
    wait_until("a report is being written", || fs::read_dir(&reports).unwrap().count() > 0);
    (folder, watching)
}

#[test]
fn a_change_during_a_run_waits_for_its_end() {
    let (folder, watching) = long_run();
    write(folder.path(), "vectors/50.json", &sum(7));
    assert_eq!(watching.round().cases().len(), 89);
    watching.runs(&["pass vectors/50.json"]);
    // The errors of the others are outstanding.
    assert_eq!(watching.interrupt(), 3);
}

#[test]
fn watch_is_interrupted_like_a_run() {
    let (folder, watching) = long_run();
    assert_eq!(watching.interrupt(), 130);
    let tap = fs::read_to_string(folder.path().join("reports/tap")).unwrap();
    assert!(tap.ends_with("Bail out! interrupted\n"), "{tap}");
}

#[test]
fn flags_without_meaning_are_refused() {
    let parts = vmconf(&["run", "--watch", "--partition", "hash:1/2"]);
    assert!(parts.exit == 2 && parts.stderr.contains("cannot be used with"), "{parts:?}");
    let nothing = vmconf(&["run", "--watch", "nowhere"]);
    assert!(nothing.exit == 2 && nothing.stderr.contains("nowhere: no such file"), "{nothing:?}");
    let folder = folder(&[("vmconf.toml", "[profile.default]\nwatch = true\n")]);
    let output = command(&["run"]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("watch"), "{said}");
}
