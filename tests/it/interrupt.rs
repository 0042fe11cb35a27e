//! Ctrl-C.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, io};

use crate::random;
use crate::support::{Killed, Ran, at_root, command, ended, error_line, full_pipe, vmconf, wait_until};
use tempfile::TempDir;
use vmconf::machines::machine::{At, Watch};
use vmconf::model::CaseId;
use vmconf::report::REPORTS;
use vmconf::run::anchor::Anchor;
use vmconf::run::running::RunningCases;
use vmconf::run::{self, LoadOptions, Worker, sources};

fn interrupt(child: &Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

/// More steps than a machine executes in days.
const ENDLESS: u64 = 1_000_000_000_000_000;

/// Files of cases that each execute this number of steps, but for the last, which is endless, with every report to a
/// file, and one to `stdout`.
fn long_run(folder: &Path, jobs: &str, steps: u64, stdout: Stdio) -> Killed {
    let vectors = folder.join("vectors");
    fs::create_dir_all(&vectors).unwrap();
    let endless = fs::read_to_string(at_root("tests/samples/vmtests/limits/endless.json")).unwrap();
    // The three instructions of the loop take 1 + 3 + 8.
    let ending = endless.replace("0x7fffffffffffffff", &format!("0x{:x}", 4 * steps));
    assert_ne!(ending, endless);
    for number in 0..99 {
        fs::write(vectors.join(format!("{number}.json")), &ending).unwrap();
    }
    fs::write(vectors.join("99.json"), endless).unwrap();
    let reports = REPORTS.iter().map(|kind| {
        let path = folder.join(format!("report.{}", kind.name));
        format!("--report={}={}", kind.name, path.display())
    });
    let limit = ENDLESS.to_string();
    let args = ["run", "--no-group", "--jobs", jobs, "--max-steps", &limit, vectors.to_str().unwrap()];
    let args: Vec<_> = args.map(str::to_owned).into_iter().chain(reports).collect();
    let mut command = command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let child = Killed::new(command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap());
    // From then on the run has begun: its reports are being written, beside where they will be.
    wait_until("the reports are being written", || names(folder).len() > REPORTS.len());
    child
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
    fs::read_dir(folder).unwrap().map(name).collect()
}

/// Whether a report is whole: each ends with what no other line of it begins with.
fn is_whole(kind: &str, text: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    text.ends_with('\n')
        && match kind {
            "text" => last.ends_with(" s, interrupted"),
            "json" => last.contains("\"exit\":130"),
            "junit" => {
                last == "</testsuites>" && text.contains("<error message=\"interrupted: not all cases ran\"")
            }
            "tap" => last == "Bail out! interrupted",
            "github" => last.starts_with("::notice title=vmconf::"),
            "markdown" => text.starts_with("## vmconf: ") && text.contains(", interrupted\n"),
            "html" => last == "</html>",
            "sarif" => last == "}]}" && text.contains("\"exitCode\":130"),
            _ => false,
        }
}

/// The reports, the vectors, and nothing that is half written. `run` identifies the run in messages.
fn assert_whole_reports(folder: &Path, run: &str) {
    for kind in REPORTS {
        let text = fs::read_to_string(folder.join(format!("report.{}", kind.name))).unwrap();
        assert!(is_whole(kind.name, &text), "{run}: {}: {text}", kind.name);
    }
    assert_eq!(names(folder).len(), REPORTS.len() + 1, "{run}");
}

/// At random moments; `VMCONF_SEED` repeats those of a run.
#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_whole() {
    let seed = random::number("VMCONF_SEED", RandomState::new().hash_one(0));
    for (round, jobs) in ["1", "1", "2", "2", "8"].into_iter().enumerate() {
        let wait = Duration::from_millis((seed >> (8 * round)) % 250);
        let folder = TempDir::new().unwrap();
        let child = long_run(folder.path(), jobs, 5_000_000, Stdio::piped());
        std::thread::sleep(wait);
        interrupt(&child);
        let Ran { exit, stdout, stderr } = ended(child.released());
        assert_eq!(exit, 130, "{stdout}{stderr}");
        assert!(stdout.lines().last().unwrap().ends_with(" s, interrupted"), "{stdout}");
        assert_whole_reports(folder.path(), &format!("round {round}"));
    }
}

/// A case that would take days is ended by the first signal, on one thread and on two.
#[cfg(unix)]
#[test]
fn a_long_case_is_interrupted() {
    for jobs in ["1", "2"] {
        let folder = TempDir::new().unwrap();
        let mut child = long_run(folder.path(), jobs, ENDLESS, Stdio::piped());
        // That the case is slow: before a case runs, a signal ends the run without reports.
        assert!(error_line(&mut child).starts_with("slow: "));
        interrupt(&child);
        let Ran { exit, stdout, .. } = ended(child.released());
        assert_eq!(exit, 130, "{stdout}");
        assert_whole_reports(folder.path(), jobs);
    }
}

/// Opens a pipe for writing as soon as it is open for reading.
#[cfg(unix)]
fn writer_of(pipe: &Path) -> fs::File {
    let mut options = fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options.write(true), libc::O_NONBLOCK);
    let mut writer = None;
    wait_until("the pipe is open for reading", || {
        writer = options.open(pipe).ok();
        writer.is_some()
    });
    writer.unwrap()
}

/// Before any case runs, there is nothing to wait for.
#[cfg(unix)]
#[test]
fn the_first_signal_ends_a_run_that_reads_its_inputs() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("known.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = command(&["run", "--known", pipe.to_str().unwrap(), "tests/samples/vmtests"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let writer = writer_of(&pipe);
    interrupt(&child);
    let Ran { exit, stdout, stderr } = ended(child);
    assert_eq!((exit, &*stdout), (130, ""), "{stderr}");
    drop(writer);
}

/// A report to a pipe waits for the reader, and no case has run.
#[cfg(unix)]
#[test]
fn the_first_signal_ends_a_run_whose_report_nobody_reads() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reports =
        [format!("tap={}", folder.path().join("tap").display()), format!("json={}", pipe.display())];
    let mut command =
        command(&["run", "--report", &reports[0], "--report", &reports[1], "tests/samples/vmtests/wrong"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first report is begun, and the second one follows.
    wait_until("a report is begun", || names(folder.path()).len() == 2);
    interrupt(&child);
    let Ran { exit, stdout, stderr } = ended(child);
    assert_eq!((exit, &*stdout, &*stderr), (130, "", ""));
    assert_eq!(names(folder.path()), ["pipe"]);
}

/// A pipe is waited for until the first signal, with a writer and without. The file between the two ran.
#[cfg(unix)]
#[test]
fn a_wait_for_a_pipe_is_interrupted() {
    let folder = TempDir::new().unwrap();
    let [without, with] = ["without.json", "with.json"].map(|name| folder.path().join(name));
    assert!(Command::new("mkfifo").args([&without, &with]).status().unwrap().success());
    let endless = "tests/samples/vmtests/limits/endless.json";
    let [first, last] = [&without, &with].map(|pipe| pipe.to_str().unwrap());
    let args = ["run", "--no-group", "--jobs", "2", "--max-steps", "1000", first, endless, last];
    let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // One thread waits for the first pipe. The other one opens the second pipe after it has run the file.
    let writer = writer_of(&with);
    interrupt(&child);
    let Ran { exit, stdout, stderr } = ended(child);
    assert_eq!(exit, 130, "{stdout}{stderr}");
    for pipe in ["without.json", "with.json"] {
        let error = format!("{pipe}: cannot be read: the run was interrupted");
        assert!(stdout.contains(&error), "{stdout}");
    }
    assert!(stdout.contains("--max-steps 1000"), "{stdout}");
    drop(writer);
}

/// The first signal cannot end a run whose output nobody reads; the second ends it and leaves nothing.
#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_twice_leaves_nothing() {
    let (_unread, full) = full_pipe();
    let folder = TempDir::new().unwrap();
    // What an earlier run wrote is no result of this one.
    fs::write(folder.path().join("report.junit"), "").unwrap();
    let mut child = long_run(folder.path(), "2", 1000, full.into());
    wait_until("the second signal ends the run", || {
        interrupt(&child);
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(folder.path()), ["vectors"]);
}

/// A case that never ends by itself is named while it runs, and listed at the end of an ordinary run.
#[cfg(unix)]
#[test]
fn slow_cases_are_named() {
    let endless = "tests/samples/vmtests/limits/endless.json";
    let id = vmconf(&["list", endless]).stdout.trim_end().to_owned();
    // The default is a second.
    for (flag, time) in [(&["--slow", "0.1"][..], "0.1"), (&[], "1")] {
        let args = [&["run", "--max-steps", "1000000000000", endless], flag].concat();
        let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let line = error_line(&mut child);
        interrupt(&child);
        assert_eq!(ended(child).exit, 130, "{line}");
        assert_eq!(line, format!("slow: {id} has been running for {time} s\n"));
    }

    let Ran { stdout, .. } = vmconf(&["run", "--slow", "0", "--max-steps", "1000", endless]);
    let (_, slow) = stdout.split_once("slow: 1 case took at least 0 s\n").unwrap();
    assert!(slow.lines().next().unwrap().ends_with(&format!(" s  {id}")), "{stdout}");
    for args in [&["--slow", "1000000"][..], &["--slow", "0", "-q"]] {
        let Ran { stdout, .. } = vmconf(&[&["run", "--max-steps", "1000", endless], args].concat());
        assert!(!stdout.contains("slow"), "{stdout}");
    }
}

/// Sees which cases run.
struct Looks {
    running: RunningCases,
    seen: Vec<CaseId>,
}

impl Watch for Looks {
    fn before(&mut self, _: &At<'_>) {
        self.seen = self.running.for_at_least(Duration::ZERO);
    }
}

/// A case whose instructions are watched, for an explanation or `-E`, is among those that are named when slow.
#[test]
fn a_watched_case_is_among_those_that_run() {
    let path = at_root("vectors/evm/arithmetic/add.json");
    let found = sources::find(&[path], &Anchor::at(&at_root("")).unwrap()).unwrap();
    let options = LoadOptions::default();
    let loaded = run::open(&found.sources.iter().next().unwrap(), &options);
    let mut looks = Looks { running: options.run.running.clone(), seen: Vec::new() };
    let watched = Worker::new(&options.run).watch_case(&loaded, 0, &mut looks);
    assert_eq!(looks.seen, [watched.report.id]);
    assert_eq!(options.run.running.for_at_least(Duration::ZERO), []);
}

/// Ctrl-C while a case becomes small leaves the smallest file so far.
#[cfg(unix)]
#[test]
fn an_interrupted_minimization_writes_what_it_has() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let slow = format!(
        "sed -u s/9b12a2/9b129a/ | '{}' serve neo3 | while IFS= read -r line; do sleep 0.1; \
         n=$((n + 1)); [ $n = 60 ] && touch '{}'; printf '%s\\n' \"$line\"; done\n",
        env!("CARGO_BIN_EXE_vmconf"),
        path("asked")
    );
    fs::write(path("slow.sh"), slow).unwrap();
    let (vm, out) = (format!("m=sh {}", path("slow.sh")), path("small.json"));
    let vector = "docs/examples/sum-of-squares.json";
    let mut command = command(&["minimize", vector, "--vm", &vm, "--out", &out]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("changes are tried", || Path::new(&path("asked")).exists());
    interrupt(&child);
    let ran = ended(child);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert!(ran.stderr.contains(" tried; interrupted"), "{ran:?}");
    // The case has its name, and the other one is gone.
    let small: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    let tests = small["tests"].as_array().unwrap();
    assert_eq!((tests.len(), &tests[0]["name"]), (1, &"of 1 to 5, and whether it is odd".into()));
}
