//! A machine that breaks the protocol outside of cases, and what was finished when a run is interrupted: no command and
//! no report omits either.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

use super::command_line::Project;
use super::hostile::write;
use crate::support::validator::Validator;
use crate::support::{Ran, command, ended, timeless, wait_until};

const SERVE: &str = env!("CARGO_BIN_EXE_vmconf");

/// What a machine does wrong that writes `bye` after its last answer.
const BYE: &str = "the machine wrote an unexpected line: \"bye\"";

/// A project with an embedded machine as `sh loud.sh`, which says `bye` while there is a file of that name.
fn project() -> Project {
    let project = Project::new();
    project.write("loud.sh", &format!("'{SERVE}' serve evm\n[ ! -e bye ] || echo bye\n"));
    project.write("bye", "");
    project
}

const VM: [&str; 2] = ["--vm", "m=sh loud.sh"];

fn run(project: &Project, args: &[&str]) -> Ran {
    project.run(&[&["run", "add.json"], &VM[..], args].concat())
}

#[test]
fn results_of_a_machine_that_breaks_the_protocol_are_not_kept() {
    let project = project();
    project.write("vmconf.toml", "[vm.m]\ncommand = 'sh loud.sh'\ncache-key = ['loud.sh']\n");
    let cached = || project.run(&["run", "-q", "--cached", "--vm", "m", "add.json"]);
    for _ in 0..2 {
        let ran = cached();
        assert!(ran.exit == 3 && ran.stdout.starts_with("5 passed, 0 failed, 1 error, "), "{ran:?}");
        assert_eq!(ran.stderr, "note: --cached: the machine broke the protocol; nothing is kept\n");
    }
    fs::remove_file(project.path("bye")).unwrap();
    assert!(!cached().stdout.contains("cache"));
    assert!(cached().stdout.contains("5 of them from the cache"));
}

#[test]
fn commands_without_reports_say_that_the_machine_broke_the_protocol() {
    let project = project();
    let commands: [&[&str]; 3] =
        [&["diff", "add.json"], &["bless", "--yes", "add.json"], &["exec", "evm", "0x6001"]];
    for args in commands {
        let ran = project.run(&[args, &VM].concat());
        assert!(
            ran.exit == 3 && ran.stderr.contains("--vm m: ") && ran.stderr.contains(BYE),
            "{args:?}: {ran:?}"
        );
    }
    fs::remove_file(project.path("bye")).unwrap();
    for args in commands {
        let ran = project.run(&[args, &VM].concat());
        assert!(ran.exit == 0 && ran.stderr.is_empty(), "{args:?}: {ran:?}");
    }
}

/// It is in no file, and no command explains it.
#[test]
fn annotations_of_a_machine_are_in_no_vector() {
    let project = project();
    let github = run(&project, &["--report", "github"]).stdout;
    let annotation = github.lines().next().unwrap();
    assert_eq!(annotation, format!("::error title=error --vm m::{BYE}"));
    let sarif: Json = serde_json::from_str(&run(&project, &["--report", "sarif"]).stdout).unwrap();
    crate::check::sarif_validator().assert_accepts(&sarif, "sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["message"]["text"], format!("error --vm m\n{BYE}"));
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "vmconf.toml");
}

#[test]
fn merged_parts_have_one_error_of_the_machine() {
    let project = project();
    for part in ["1", "2"] {
        let (partition, report) = (format!("slice:{part}/2"), format!("json={part}.json"));
        run(&project, &["--partition", &partition, "--report", &report]);
    }
    let (merged, whole) = (project.run(&["merge", "1.json", "2.json"]), run(&project, &[]));
    assert!(whole.stdout.contains(BYE), "{whole:?}");
    assert_eq!((timeless(&merged.stdout), merged.exit), (timeless(&whole.stdout), 3));
}

#[test]
fn a_matrix_of_reports_counts_only_cases() {
    let project = project();
    run(&project, &["--report", "json=m.json"]);
    let args = ["matrix", "--results", "m.json", "--badges", "badges", "--statement", "m.md", "-o", "json"];
    let matrix: Json = serde_json::from_str(&project.run(&args).stdout).unwrap();
    assert_eq!(matrix["broken"][0]["error"], BYE);
    let suites = matrix["suites"].as_array().unwrap();
    assert_eq!(
        (suites.len(), &suites[0]["cells"][0]["passed"], &suites[0]["cells"][0]["errors"]),
        (1, &Json::from(5), &Json::from(0))
    );
    let badge = fs::read_to_string(project.path("badges/m.svg")).unwrap();
    assert!(badge.contains("5 of 5"), "{badge}");
    let statement = fs::read_to_string(project.path("m.md")).unwrap();
    assert!(statement.contains("5 of 5") && !statement.contains("--vm"), "{statement}");
    assert!(
        statement.contains("| outside of cases | <code>the machine wrote an unexpected line"),
        "{statement}"
    );
}

#[test]
fn recorded_runs_show_that_the_machine_is_broken() {
    let project = project();
    fs::remove_file(project.path("bye")).unwrap();
    assert_eq!(run(&project, &[]).exit, 0);
    project.write("bye", "");
    assert_eq!(run(&project, &[]).exit, 3);
    let compared = project.run(&["compare"]);
    assert!(compared.exit == 1 && compared.stdout.contains("--vm m"), "{compared:?}");
    // It is no case that could run again.
    let rerun = project.run(&["run", "--rerun", "failed"]);
    assert_eq!(rerun.exit, 4, "{rerun:?}");
}

#[test]
fn the_schema_accepts_explanations_of_a_machine() {
    let project = Project::new();
    let ran = project.run(&["diff", "wrong.json", "--vm", "mine", "--output", "json"]);
    let schema = Validator::named("diff");
    // Times are left out of what a command prints.
    let timed = ran.stdout.replace("TIME", "0.1");
    let lines: Vec<Json> = timed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["seconds"].is_number()), "{ran:?}");
    for line in &lines {
        schema.assert_accepts(line, "diff");
    }
}

/// A machine that passes each case, and does something else with that of the input 0x08.
fn machine(folder: &Path, otherwise: &str) {
    let hello = r#"{"type":"hello","version":1,"name":"a","release":"1","machines":[{"machine":"evm","fields":["outcome"]}]}"#;
    let script = format!(
        r#"read -r hello
echo '{hello}'
while read -r request; do
    id=${{request#*'"id":'}}
    id=${{id%%,*}}
    answer='{{"type":"done","id":'$id',"steps":[{{"fields":{{"outcome":"halt"}}}}],"ended":"halted"}}'
    case $request in
    *'"data":"0x08"'*) {otherwise} ;;
    esac
    echo "$answer"
    echo answered >> log
done
"#
    );
    fs::write(folder.join("machine.sh"), script).unwrap();
}

fn run_of_machine(folder: &Path, args: &[&str]) -> Command {
    let common = ["run", "--timeout", "1000s", "--vm", "a=sh machine.sh", "--report", "json=report.json"];
    let mut command = command(&[&common, args].concat());
    command.current_dir(folder).env("VMCONF_CACHE", folder.join("cache")).stdout(Stdio::piped());
    command
}

fn interruptible(folder: &Path, args: &[&str]) -> Child {
    run_of_machine(folder, args).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the processes of the machine have answered this number of requests, and each has another one that it
/// does not answer, so that vmconf has read its answers; then ends the run.
fn interrupted(child: Child, folder: &Path, answers: usize, processes: usize) -> Ran {
    let answered = || fs::read_to_string(folder.join("log")).map_or(0, |log| log.lines().count());
    let asked = || fs::read_to_string(folder.join("asked")).map_or(0, |asked| asked.lines().count());
    wait_until("the answers and the last questions", || answered() == answers && asked() == processes);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    ended(child)
}

/// The names of the cases that the report has, in order.
fn reported(folder: &Path) -> Vec<String> {
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    let lines = report.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.filter_map(|line| Some(line["name"].as_str()?.to_owned())).collect()
}

/// One thread waits for the first case of a file. What others have finished behind it is reported, in order.
#[test]
fn what_is_finished_behind_an_unfinished_case_is_reported() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    machine(folder, "echo asked >> asked; exec sleep 1000");
    // The cases of a file of this size are shared by all threads.
    let names: Vec<_> = (1..20).map(|number| format!("a{number:02}")).collect();
    let mut cases = vec![("slow", 0x08)];
    cases.extend(names.iter().map(|name| (&**name, 0)));
    cases.push(("slow3", 0x08));
    write(&folder.join("a.json"), &cases);
    write(&folder.join("b.json"), &[("b1", 0), ("b2", 0)]);
    write(&folder.join("c.json"), &[("c1", 0), ("slow2", 0x08), ("c2", 0)]);
    let ran = interrupted(interruptible(folder, &["-j3", "a.json", "b.json", "c.json"]), folder, 22, 3);
    assert_eq!(ran.exit, 130, "{ran:?}");
    let finished: Vec<_> = names.iter().map(String::as_str).chain(["b1", "b2", "c1"]).collect();
    assert_eq!(reported(folder), finished);
    assert!(ran.stdout.lines().last().unwrap().starts_with("22 passed, 0 failed, "), "{ran:?}");
}

/// What a machine wrote between its answers is an error of an interrupted run, too.
#[test]
fn an_interrupted_run_says_that_the_machine_broke_the_protocol() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    machine(folder, "echo asked >> asked; exec sleep 1000");
    let script = fs::read_to_string(folder.join("machine.sh")).unwrap();
    fs::write(
        folder.join("machine.sh"),
        script.replace("echo \"$answer\"\n", "echo \"$answer\"\necho \"$answer\"\n"),
    )
    .unwrap();
    write(&folder.join("a.json"), &[("a", 0), ("slow", 0x08)]);
    let ran = interrupted(interruptible(folder, &["-j1", "a.json"]), folder, 1, 1);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert!(ran.stdout.contains("the machine wrote a second answer to request 1"), "{ran:?}");
    assert!(ran.stdout.lines().last().unwrap().starts_with("1 passed, 0 failed, 1 error, "), "{ran:?}");
}

/// A machine that gets several requests at the same time works on one of them.
#[test]
fn cases_that_wait_behind_a_slow_one_are_not_named() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    machine(folder, "while [ ! -e go ]; do sleep 0.01; done");
    let script = fs::read_to_string(folder.join("machine.sh")).unwrap();
    let several = script.replace("\"version\":1,", "\"version\":1,\"inFlight\":8,");
    assert_ne!(script, several);
    fs::write(folder.join("machine.sh"), several).unwrap();
    write(&folder.join("a.json"), &[("a", 0), ("slow", 0x08), ("b", 0), ("c", 0)]);
    let errors = folder.join("errors");
    let mut run = run_of_machine(folder, &["-j1", "--slow", "2", "a.json"]);
    let child = run.stderr(fs::File::create(&errors).unwrap()).spawn().unwrap();
    let read = || fs::read_to_string(&errors).unwrap();
    wait_until("a slow case", || read().ends_with('\n'));
    fs::write(folder.join("go"), "").unwrap();
    let ran = ended(child);
    let id = "a.json::slow";
    assert_eq!((ran.exit, read()), (0, format!("slow: {id} has been running for 2 s\n")), "{ran:?}");
    assert_eq!(reported(folder), ["a", "slow", "b", "c"]);
}

/// A machine that does not copy the number of a request answers none.
#[test]
fn an_answer_with_a_wrong_number_is_named() {
    let project = Project::new();
    let serve = env!("CARGO_BIN_EXE_vmconf");
    for (number, what) in [
        ("0", "no answer in 0.3 s, after an answer to request 0, which it did not get: "),
        ("1", "no answer in 0.3 s, after a second answer to request 1: "),
    ] {
        project
            .write("wrong.sh", &format!("'{serve}' serve evm | sed -u 's/\"id\":[0-9]*/\"id\":{number}/'\n"));
        let ran =
            project.run(&["run", "add.json", "--timeout", "300ms", "--jobs", "1", "--vm", "m=sh wrong.sh"]);
        assert!(ran.exit != 0 && ran.stdout.contains(what), "{number}: {ran:?}");
    }
}

/// The request on which a machine breaks down is printed, so that it can be sent by hand.
#[test]
fn the_request_of_a_crash_is_printed() {
    let project = Project::new();
    let serve = env!("CARGO_BIN_EXE_vmconf");
    project.write(
        "crash.sh",
        &format!("read -r hello\nprintf '%s\\n' \"$hello\" | '{serve}' serve evm\nread -r request\nexit 7\n"),
    );
    let ran = project.run(&["diff", "add.json", "--vm", "m=sh crash.sh"]);
    let request = ran.stdout.lines().find_map(|line| line.strip_prefix("  request: ")).unwrap_or_default();
    assert!(ran.exit == 3 && request.starts_with("{\"type\":\"run\",\"id\":1,"), "{ran:?}");
    project.write("request", &format!("{request}\n"));
    project.write("send.sh", &format!("'{serve}' serve evm <request\n"));
    let sent = Command::new("sh").arg(project.path("send.sh")).current_dir(project.path("")).output();
    let answer = String::from_utf8(sent.unwrap().stdout).unwrap();
    assert!(answer.starts_with("{\"type\":\"done\",\"id\":1,"), "{request}: {answer}");
    let embedded = project.run(&["diff", "wrong.json"]);
    assert!(embedded.exit == 1 && !embedded.stdout.contains("request: "), "{embedded:?}");
}
