//! The embedded machines through `vmconf serve`.

use std::time::Duration;

use vmconf::machines::MACHINES;
use vmconf::model::limits::Limits;
use vmconf::model::{Event, Verdict};
use vmconf::run::{self, FileOptions, LoadOptions, RunOptions};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::TesteeCommand;

use super::command_line::Project;
use super::{command, start};
use crate::support::{at_root, is_table, sources_of};

/// The verdicts on all cases of a machine, without what only the embedded machine knows: the names that the source
/// of a program gives its data.
fn verdicts(machine: &str, folder: &str, testee: MakeTestee) -> Vec<(String, Verdict)> {
    let run = RunOptions { testee, jobs: 2, ..RunOptions::default() };
    // Endless samples reach a limit before a time-out.
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let mut verdicts = Vec::new();
    let sources = sources_of(folder).into_iter().filter(|source| !is_table(&source.path)).collect();
    run::run(&sources, &LoadOptions { run, file, ..LoadOptions::default() }, &mut |event| {
        let Event::Finished(mut report) = event else { return };
        if let Verdict::Fail(failure) = &mut report.verdict {
            failure.differences.iter_mut().for_each(|difference| difference.note = None);
            failure.instructions = None;
        }
        if report.machine.as_deref() == Some(machine) {
            verdicts.push((report.id.to_string(), report.verdict));
        }
    });
    verdicts
}

/// Each request has its time, however many are in flight: what one takes is not counted for those behind it.
#[cfg(unix)]
#[test]
fn requests_in_flight_do_not_wait_for_each_other() {
    let project = Project::new();
    // Five answers, together 4 seconds.
    let slowly = "while IFS= read -r line; do case $line in *'\"hello\"'*) ;; *) sleep 0.8 ;; esac; echo \"$line\"; done";
    project.write("slow.sh", &format!("'{}' serve evm | {slowly}\n", env!("CARGO_BIN_EXE_vmconf")));
    let report = ["--report", "json=report.json"];
    let ran = project.run(
        &[&["run", "-q", "-j", "1", "add.json", "--vm", "m=sh slow.sh", "--timeout", "3s"], &report[..]]
            .concat(),
    );
    assert!(ran.exit == 0 && ran.stdout.starts_with("5 passed, 0 failed, 0 errors"), "{ran:?}");
    assert_eq!(ran.stderr, "");
    // A process answers one after the other.
    let report = std::fs::read_to_string(project.path("report.json")).unwrap();
    let lines: Vec<serde_json::Value> =
        report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seconds = |of: &str| {
        lines.iter().filter(|it| it["type"] == of).filter_map(|it| it["seconds"].as_f64()).sum::<f64>()
    };
    assert!(seconds("case") > 0.0 && seconds("case") <= seconds("summary"), "{report}");
}

/// A process that takes long to start is no slow case: with two threads, the second one starts a process during the run.
#[cfg(unix)]
#[test]
fn the_time_of_a_case_does_not_include_the_start_of_its_process() {
    let late = "late=sh -c 'sleep 3; exec vmconf serve evm'";
    let project = Project::new();
    let vectors = at_root("vectors/evm/arithmetic");
    let run = ["run", vectors.to_str().unwrap(), "-j", "2", "--vm", late, "--report", "json=report.json"];
    let ran = project.run(&run);
    let report = std::fs::read_to_string(project.path("report.json")).unwrap();
    let lines = report.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let cases = lines.filter(|it| it["type"] == "case");
    let seconds: Vec<_> = cases.filter_map(|it| it["seconds"].as_f64()).collect();
    assert!(ran.exit == 0 && !seconds.is_empty(), "{ran:?}");
    assert!(seconds.iter().all(|it| *it < 3.0), "{seconds:?}");
}

/// What a machine says of itself is true of each of its processes.
#[cfg(unix)]
#[test]
fn a_process_that_describes_another_machine_is_broken() {
    let project = Project::new();
    // The second process has another release, and the first one ends at its second request.
    let script = "if mkdir first 2>/dev/null; then n=0; else n=-99; fi
while IFS= read -r line; do n=$((n+1)); [ $n = 3 ] && exit 1; echo \"$line\"; done |";
    let other = "{ if [ -d second ]; then sed -u s/vmconf/other/; else mkdir second; cat; fi; }";
    let serve = env!("CARGO_BIN_EXE_vmconf");
    project.write("m.sh", &format!("{script} '{serve}' serve evm | {other}\n"));
    let ran = project.run(&["run", "-j", "1", "add.json", "--vm", "m=sh m.sh"]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stdout.contains("answered hello differently from the first process"), "{ran:?}");
}

/// As many processes run as there are jobs, however many requests each takes, also after they broke down.
#[cfg(unix)]
#[test]
fn jobs_limit_the_processes() {
    // Each one notes how many of them run once it has started, and ends at its seventh request.
    let counting = "mkdir -p started; touch started/$$; n=0
for pid in started/*; do if kill -0 \"${pid#*/}\" 2>/dev/null; then n=$((n+1)); fi; done
echo $n >>counts
while IFS= read -r line; do case $line in *'\"id\":7,'*) exit 0 ;; esac; echo \"$line\"; done |";
    for jobs in ["1", "2"] {
        let project = Project::new();
        project.write("count.sh", &format!("{counting} '{}' serve evm\n", env!("CARGO_BIN_EXE_vmconf")));
        let vectors = at_root("vectors/evm/memory");
        let vm = ["--vm", "m=sh count.sh", "--flaky", "pass"];
        let ran =
            project.run(&[&["run", "-q", "-j", jobs, &vectors.display().to_string()], &vm[..]].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        let counts = std::fs::read_to_string(project.path("counts")).unwrap();
        let most = counts.lines().map(|it| it.trim().parse::<u16>().unwrap()).max();
        // One that has ended may still be there for a moment when the next one starts.
        let (most, jobs): (u16, u16) = (most.unwrap(), jobs.parse().unwrap());
        assert!((jobs..=jobs + 1).contains(&most), "{counts}");
        assert!(counts.lines().count() > 4, "{counts}");
    }
}

/// A machine gets the limits that the user sets, and no others.
#[cfg(unix)]
#[test]
fn limits_that_are_set_are_in_each_request() {
    let vectors = at_root("vectors/neo3/bitwise-arithmetic").display().to_string();
    let vm = "m=sh -c 'tee log | vmconf serve neo3'";
    for (flags, expected) in
        [(&["--max-steps", "9000000"][..], Some(r#""limits":{"max-steps":9000000}"#)), (&[], None)]
    {
        let project = Project::new();
        let ran = project.run(&[&["run", "-q", "-j", "1", &vectors, "--vm", vm], flags].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        let log = std::fs::read_to_string(project.path("log")).unwrap();
        let requests: Vec<_> = log.lines().filter(|line| line.contains(r#""program""#)).collect();
        assert!(requests.len() > 10, "{log}");
        let is_right =
            |line: &&str| expected.map_or(!line.contains("limits"), |limits| line.contains(limits));
        assert!(requests.iter().all(is_right), "{requests:?}");
    }
}

#[test]
fn machines_behind_the_protocol_get_the_same_verdicts() {
    for info in MACHINES {
        let words = [env!("CARGO_BIN_EXE_vmconf"), "serve", info.name];
        let vm = start(TesteeCommand { timeout: Duration::from_mins(2), ..command(words) }).unwrap();
        let folders = [&*format!("vectors/{}", info.name), "tests/samples"];
        for folder in folders {
            let embedded = verdicts(info.name, folder, MakeTestee::default());
            let served = verdicts(info.name, folder, MakeTestee::in_processes(vm.clone()));
            assert!(embedded.len() > 20, "{} of {folder}: {}", info.name, embedded.len());
            let ids =
                |verdicts: &[(String, Verdict)]| verdicts.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
            assert_eq!(ids(&embedded), ids(&served), "{folder}");
            for ((id, embedded), (_, served)) in embedded.iter().zip(&served) {
                assert_eq!(embedded, served, "{id}");
            }
        }
    }
}
