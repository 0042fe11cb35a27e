//! The command as a user meets it: exit codes, what is selected, limits, where output goes.

mod output;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::completions::commands;
use crate::support::{MALFORMED, WRONG, at_root, command, ran, shown, vmconf};
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::model::limits;

const GAS: &str = "tests/samples/vmtests/wrong/gas.json";
const ONE_OF_THREE: &str = "tests/samples/vmtests/wrong/one-of-three.json";
const BROKEN: &str = "tests/samples/vmtests/broken";
const ADD: &str = "vectors/evm/arithmetic/add.json";
const STOPPED: &str = "tests/samples/vmtests/malformed/account-is-null.json";

fn stdout(args: &[&str]) -> String {
    vmconf(args).stdout
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The lines of the JSON report on standard output.
fn json_lines(args: &[&str]) -> Vec<Json> {
    stdout(args).replace(":TIME", ":0").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verdicts(lines: &[Json]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["verdict"].as_str()).collect()
}

fn ids(lines: &[Json]) -> Vec<&str> {
    lines.iter().filter(|line| line["type"] == "case").map(|line| line["id"].as_str().unwrap()).collect()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn each_outcome_has_its_exit_code() {
    fn check(args: &str, exit: i32) {
        let ran = vmconf(&words(args));
        assert_eq!(ran.exit, exit, "vmconf {args}: {ran:?}");
    }
    check("run", 0);
    check("list", 0);
    check("isa evm", 0);
    check("--version", 0);
    check("run --help", 0);
    check("disasm evm 0x00", 0);

    check(&format!("run {GAS}"), 1);
    check(&format!("run {ADD} {GAS}"), 1);

    check("", 2);
    check("nonsense", 2);
    check("run --nonsense", 2);
    check("run nowhere.json", 2);
    check("run nowhere.json::name", 2);
    check("list nowhere/", 2);
    check("run --filter [", 4);
    check("run --report xml", 2);
    check("run --report json=", 2);
    check("run --format nonsense", 2);
    check("run --jobs 0", 2);
    check("run --max-steps many", 2);
    check("run --max-steps -1", 2);
    check("run --value-debit sometimes", 2);
    check("isa nonsense", 2);
    check("asm evm nowhere.asm", 2);
    check("disasm evm 0x0", 2);

    check(&format!("run {ADD} --report json=nowhere/report.json"), 3);
    check(&format!("run {STOPPED}"), 3);
    check(&format!("run {STOPPED} {GAS}"), 3);
    check(&format!("run {GAS} {STOPPED}"), 3);
    check(&format!("run {GAS} {STOPPED} {ADD}"), 3);
    check(&format!("run {BROKEN}/empty.json"), 3);
    check(&format!("list {BROKEN}/empty.json"), 3);

    check("run --filter no-such-name", 4);
    check("list --filter no-such-name", 4);
    check(&format!("run {ADD}::nonsense"), 2);
    check("run src", 4);
    check("list src", 4);
}

#[test]
fn paths_filters_and_ids_select_cases() {
    fn check(args: &str, names: &[&str]) {
        let listed = stdout(&words(args));
        let found: Vec<_> = listed.lines().map(|id| id.split_once("::").unwrap().1).collect();
        assert_eq!(found, names, "vmconf {args}");
    }
    let all = ["small", "wraps-to-zero", "wraps", "carry-64", "carry-128-192"];
    check(&format!("list {ADD}"), &all);
    check(&format!("list {ADD} {ADD}"), &all);
    check(&format!("list ./{ADD} {ADD}"), &all);
    check(&format!("list {ADD} --filter wraps"), &["wraps-to-zero", "wraps"]);
    check(&format!("list {ADD} -f wraps -f small"), &["small", "wraps-to-zero", "wraps"]);
    check(&format!("list {ADD} --filter *::wraps"), &["wraps"]);
    check(&format!("list {ADD} --filter *::carry-?"), &[]);
    check(&format!("list {ADD} --filter *::carry-??"), &["carry-64"]);
    check(&format!("list {ADD} --filter *::{{small,carry-64}}"), &["small", "carry-64"]);
    check(&format!("list {ADD} --filter *::[sc]*"), &["small", "carry-64", "carry-128-192"]);
    check(&format!("list {ADD} --filter {ADD}::small"), &["small"]);
    check(&format!("list {ADD}::wraps"), &["wraps"]);
    check(&format!("list {ADD}::wraps {ADD}::small"), &["wraps", "small"]);
    check("list vectors/evm/arithmetic --filter arithmetic/add.json::small", &["small"]);
    // A part of a name is not a case.
    check(&format!("list {ADD}::wrap"), &[]);
}

/// The command that the report gives explains that case alone, whatever its name is.
#[cfg(unix)]
#[test]
fn the_line_that_explains_a_case_works() {
    let report = stdout(&["run", "--no-group", &format!("{WRONG}/names.json")]);
    let lines: Vec<_> = report.lines().filter_map(|line| line.strip_prefix("  why:   vmconf ")).collect();
    assert_eq!(lines.len(), 10);
    for line in lines {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("\"$VMCONF\" {line}")]).env("VMCONF", env!("CARGO_BIN_EXE_vmconf"));
        let again = ran(shell.current_dir(at_root("")).output().unwrap());
        assert_eq!((again.exit, again.stdout.matches("FAIL  ").count()), (1, 1), "{line}");
    }
}

#[test]
fn a_named_format_is_not_detected() {
    let folder = folder(&[("object.json", r#"{"name": {"a": 1}}"#)]);
    let path = folder.path().join("object.json").to_str().unwrap().to_owned();
    let ran = vmconf(&["run", "--format", "vmtests", &path]);
    assert_eq!(ran.exit, 3);
    assert!(ran.stdout.contains("test without \"exec\""), "{}", ran.stdout);
    let vectors = "vectors/evm";
    assert_eq!(vmconf(&["run", "--format", "vmtests", vectors]), vmconf(&["run", vectors]));
}

/// Files with notes and with all kinds of verdict, so that their order is in it too.
const EVERYTHING: [&str; 7] = [
    "vectors/neo3/bitwise-arithmetic",
    "vectors/neo3/exceptions",
    "vectors/neo3/slots",
    "vectors/neo3/types",
    WRONG,
    MALFORMED,
    BROKEN,
];

#[test]
fn the_number_of_threads_changes_nothing() {
    for options in [&[][..], &["--report", "json"], &["--fail-fast"], &["--max-fail=5", "--report", "json"]] {
        let run = |jobs: &str| vmconf(&[&["run", "--jobs", jobs], options, &EVERYTHING].concat());
        let one = run("1");
        // The first cases that do not pass fail; later ones are broken.
        assert_eq!(one.exit, if options.iter().any(|it| it.contains("fail")) { 1 } else { 3 });
        assert!(one == run("8"), "--jobs 1 and --jobs 8 differ with {options:?}");
    }
}

#[test]
fn fail_fast_skips_what_comes_after() {
    let check = |paths: &[&str], expected: &[&str]| {
        for jobs in ["1", "8"] {
            let lines =
                json_lines(&[&["run", "--report", "json", "--fail-fast", "-j", jobs], paths].concat());
            assert_eq!(verdicts(&lines), expected, "{paths:?} with {jobs} jobs");
        }
    };
    check(&[ONE_OF_THREE], &["pass", "fail", "skip"]);
    check(&[STOPPED, GAS], &["error", "skip"]);
    check(&[GAS, STOPPED], &["fail", "skip"]);
    check(&[ADD, GAS], &["pass", "pass", "pass", "pass", "pass", "fail"]);
    // A file that cannot be read counts too, and is itself skipped after a failure.
    let empty = format!("{BROKEN}/empty.json");
    check(&[&empty, GAS, ONE_OF_THREE], &["error", "skip", "skip", "skip", "skip"]);
    check(&[GAS, &empty], &["fail", "skip"]);
}

#[test]
fn max_fail_stops_a_run() {
    for jobs in ["1", "8"] {
        let args = ["run", "--report", "json", "--max-fail", "2", "-j", jobs, GAS, STOPPED, ADD];
        let lines = json_lines(&args);
        let skipped = verdicts(&json_lines(&["run", "--report", "json", ADD])).len();
        let expected = [vec!["fail", "error"], vec!["skip"; skipped]].concat();
        assert_eq!(verdicts(&lines), expected, "{jobs} jobs");
    }
}

/// Paths and ids come from standard input, a line each; an empty input selects nothing.
#[test]
fn paths_are_read_from_standard_input() {
    let run = |input: &str| {
        let mut command = command(&["list", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ran(child.wait_with_output().unwrap())
    };
    let ids = stdout(&["list", ADD]);
    assert_eq!(run(&format!("{ADD}\n")).stdout, ids);
    assert_eq!(run(&ids).stdout, ids);
    assert_eq!(run(&format!("\u{feff}{ids}")).stdout, ids);
    assert_eq!(run("").exit, 4);
}

#[test]
fn only_color_always_colours_a_pipe() {
    let colours = |args: &[&str]| stdout(&[&["run", GAS], args].concat()).contains('\u{1b}');
    assert!(!colours(&[]) && !colours(&["--color", "never"]) && colours(&["--color", "always"]));
}

/// Each limit: a value that is enough, one less that is not, and the sample. Reaching it is an
/// error that names the flag.
#[test]
fn each_limit_of_the_runner_ends_a_case_that_exceeds_it() {
    const LIMITS: &[(&str, u64, &str)] = &[
        // PUSH1, PUSH1, ADD, STOP.
        ("max-steps", 4, "steps"),
        // CALLDATACOPY of 1024 bytes counts more than its instructions.
        ("max-steps", 5, "words"),
        ("max-watched", 4, "steps"),
        ("max-memory", 1024, "memory"),
        // 32 bytes of memory, and five times the result: copies of it are compared and reported.
        ("max-memory", 192, "output"),
        // Three words of storage.
        ("max-memory", 2304, "items"),
        // What is written before the last step.
        ("max-output", 0, "steps"),
        ("max-file-size", 1111, "steps"),
        // File, test, post, account, storage.
        ("max-depth", 5, "items"),
    ];
    for (flag, enough, sample) in LIMITS {
        let path = format!("tests/samples/vmtests/limits/{sample}.json");
        let size = fs::metadata(at_root(&path)).unwrap().len();
        let enough = match *flag {
            "max-file-size" => size,
            "max-output" => stdout(&["trace", &path]).find("     4").unwrap() as u64 + 1,
            _ => *enough,
        };
        let command = if ["max-watched", "max-output"].contains(flag) { "trace" } else { "run" };
        let run = |limit: u64| vmconf(&[command, &format!("--{flag}"), &limit.to_string(), &path]);
        assert_eq!(run(enough).exit, 0, "--{flag} {enough} {sample}: {:?}", run(enough));
        let short = run(enough - 1);
        assert_eq!(short.exit, 3, "--{flag} {} {sample}: {short:?}", enough - 1);
        assert!(short.stdout.contains(&format!("--{flag}")), "{}", short.stdout);
    }
    let tested: BTreeSet<_> = LIMITS.iter().map(|row| row.0).collect();
    let of_runner = |row: &&limits::LimitRow| row.owner == limits::LimitOwner::Runner;
    let there_are: BTreeSet<_> = limits::ROWS.iter().filter(of_runner).map(|row| row.flag).collect();
    assert_eq!(tested, there_are);
}

/// Also for a datum that is examined long after another one that was examined completely.
#[test]
fn an_early_cause_is_found() {
    let sample = fs::read_to_string(at_root("tests/samples/neovm-n3/wrong/made-long-ago.json")).unwrap();
    let early = "\"steps\": [\n        {\"actions\": [\"stepInto\"], \"result\": {\"state\": \"HALT\"}},";
    let text = sample.replacen("\"steps\": [", early, 1);
    let folder = folder(&[("late.json", &text)]);
    let path = folder.path().join("late.json");
    let told = vmconf(&["diff", "--last", "2", path.to_str().unwrap()]);
    assert!(told.stdout.contains("vector step 1, state"), "{}", told.stdout);
    // The third instruction of the script; 300,000 others follow it.
    assert!(told.stdout.contains("made by  step 3, 0x02 ADD of Integer 4, Integer 3"), "{}", told.stdout);
}

/// What it does all the time is shown, without seeing all of it.
#[test]
fn an_endless_loop_is_explained() {
    for steps in ["1000", "20000003"] {
        let told = vmconf(&["diff", "tests/samples/vmtests/limits/endless.json", "--max-steps", steps]);
        assert_eq!(told.exit, 3);
        assert!(told.stdout.contains(&format!("last 10 of {steps} instructions, and")), "{}", told.stdout);
        assert_eq!(told.stdout.matches("  JUMP        0\n").count(), 3, "{}", told.stdout);
    }
}

#[test]
fn an_endless_loop_reaches_the_step_limit() {
    let ran = vmconf(&["run", "tests/samples/vmtests/limits/endless.json", "--max-steps", "1000"]);
    assert_eq!(ran.exit, 3);
    assert!(ran.stdout.contains("limit of the runner reached: --max-steps 1000"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("0 passed, 0 failed, 1 error, 0 skipped in TIME s\n"), "{}", ran.stdout);
}

#[test]
fn strict_makes_errors_of_notes() {
    fn check(sample: &str, notes: &[&str]) {
        let path = format!("tests/samples/vmtests/notes/{sample}.json");
        let tolerant = vmconf(&["run", &path]);
        assert_eq!(tolerant.exit, 0, "{tolerant:?}");
        let expected: Vec<_> = notes.iter().map(|note| format!("note: {path}:{note}\n")).collect();
        assert_eq!(tolerant.stderr, expected.concat());
        let strict = vmconf(&["run", "--strict", &path]);
        assert_eq!((strict.exit, &*strict.stderr), (3, ""), "{strict:?}");
        for note in notes.iter().map(|note| note.trim_end_matches(" (and 1 more)")) {
            assert!(strict.stdout.contains(&format!("{path}:{note}")), "{note} is not in {}", strict.stdout);
        }
    }
    check(
        "unknown-members",
        &[
            "22:7: unknown member \"colour\" of exec is ignored",
            "31:5: unknown member \"remarks\" of test is ignored",
        ],
    );
    check("comments", &["1:1: comment (and 1 more)", "30:6: comma before a closing bracket"]);
}

#[test]
fn notes_and_cases_are_shown_on_request() {
    let notes = |level: &str| {
        let ran = vmconf(&["run", level, "tests/samples/vmtests/notes"]);
        (ran.stderr.lines().count(), ran.stdout.lines().filter(|line| line.starts_with("pass ")).count())
    };
    let all = vmconf(&["run", "--report", "json", "tests/samples/vmtests/notes"]).stdout;
    let told = |kind: &str| all.matches(&format!("\"type\":\"{kind}\"")).count();
    assert_eq!(notes("-vv"), (told("note"), told("case")));
    assert!(notes("-v").0 < told("note"));
    assert_eq!(notes("-v").1, told("case"));
}

#[test]
fn list_and_report_name_the_same_cases() {
    let paths = ["vectors/neo2", "vectors/ethereum", WRONG];
    let listed = stdout(&[&["list"], &paths[..]].concat());
    let lines = json_lines(&[&["run", "--report", "json"], &paths[..]].concat());
    let ids = ids(&lines);
    assert!(ids.len() > 600, "{} ids", ids.len());
    assert_eq!(listed.lines().collect::<Vec<_>>(), ids);
    let different: BTreeSet<_> = ids.iter().collect();
    assert_eq!(different.len(), ids.len(), "an id stands twice");
}

#[test]
fn the_json_report_says_what_the_summary_says() {
    let lines = json_lines(&[&["run", "--report", "json"][..], &EVERYTHING].concat());
    let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
    assert_eq!((first["type"].as_str(), last["type"].as_str()), (Some("run"), Some("summary")));
    let verdicts = verdicts(&lines);
    let count = |verdict: &str| verdicts.iter().filter(|it| **it == verdict).count();
    for (member, verdict) in
        [("passed", "pass"), ("failed", "fail"), ("errors", "error"), ("skipped", "skip")]
    {
        assert_eq!(last[member], count(verdict), "{member}");
    }
    assert!(count("pass") > 600 && count("fail") > 40 && count("error") > 150, "{last}");
    assert_eq!(last["exit"], 3);
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let vector = fs::read_to_string(at_root(ADD)).unwrap();
    let outside = folder(&[("outside.json", &vector)]);
    let inside = folder(&[("inside.json", &vector)]);
    let (inside, outside) = (inside.path(), outside.path());
    symlink(outside.join("outside.json"), inside.join("file.json")).unwrap();
    symlink(outside, inside.join("folder")).unwrap();
    symlink(inside, inside.join("loop")).unwrap();
    let path = inside.to_str().unwrap();
    let listed = vmconf(&["list", path]);
    assert_eq!(listed.stdout.lines().count(), 5, "{}", listed.stdout);
    assert!(listed.stdout.lines().all(|id| id.contains("/inside.json::")), "{}", listed.stdout);
    let note = |name: &str| format!("note: {}/{name}: a symbolic link, not followed\n", shown(path));
    assert_eq!(listed.stderr, ["file.json", "folder", "loop"].map(note).concat());
    // One that the user names is.
    let named = inside.join("folder");
    assert_eq!(stdout(&["list", named.to_str().unwrap()]).lines().count(), 5);
}

/// A file whose machine is misspelled is an error: skipped, its cases would be lost.
#[test]
fn a_misspelled_machine_is_an_error() {
    for (vector, wrong) in [
        ("neo3/control/assertions.json", "neo"),
        ("neo3/control/assertions.json", "other"),
        ("neo2/flow/call.json", "Neo2"),
        ("tinyvm/machine/bits.json", "tinyVM"),
        ("minic89/programs/sum-to-100.json", "minic98"),
    ] {
        let text = fs::read_to_string(at_root("vectors").join(vector)).unwrap();
        let text: Vec<_> = text.lines().filter(|line| !line.contains("\"machine\"")).collect();
        let text = text.join("\n").replacen('{', &format!("{{\"machine\": \"{wrong}\","), 1);
        let folder = folder(&[("a.json", &text)]);
        let ran = vmconf(&["run", folder.path().to_str().unwrap()]);
        let error = format!("\"machine\" is \"{wrong}\"");
        assert!(ran.exit == 3 && ran.stdout.contains(&error), "{vector}: {ran:?}");
    }
}

#[test]
fn a_file_without_vectors_is_an_error() {
    let vector = fs::read_to_string(at_root(ADD)).unwrap();
    let folder = folder(&[("a/add.json", &vector), ("package.json", r#"{"name": "x"}"#), ("readme.md", "{")]);
    let path = folder.path().to_str().unwrap();
    let ran = vmconf(&["run", path]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let note = "skipped: not a vector file: an object with \"name\"";
    assert_eq!(ran.stderr, format!("note: {}/package.json: {note}\n", shown(path)));
    // A folder of which one expects vectors, such as that of a submodule which was not fetched
    fs::create_dir(folder.path().join("empty")).unwrap();
    let beside =
        vmconf(&["run", "-q", &format!("{path}/empty"), &format!("{path}/a"), &format!("{path}/a/add.json")]);
    assert_eq!(beside.stderr, format!("note: {}/empty: no .json file in it\n", shown(path)));
    let named = vmconf(&["run", &format!("{path}/package.json"), &format!("{path}/a")]);
    assert_eq!(named.exit, 3);
    assert!(named.stdout.contains("package.json:1:1: not a vector file"), "{}", named.stdout);
    assert!(named.stdout.contains("5 passed, 0 failed, 1 error"), "{}", named.stdout);
    // A file that is not JSON is an error even in a folder.
    fs::write(folder.path().join("cut.json"), "{").unwrap();
    assert_eq!(vmconf(&["run", path]).exit, 3);
}

#[test]
fn isa_prints_every_row() {
    let table = stdout(&["isa", "evm"]);
    let rows = table.lines().skip(2);
    assert_eq!(rows.clone().count(), vmconf::machines::evm::EVM.ops.len());
    for (row, op) in rows.zip(vmconf::machines::evm::EVM.ops) {
        let start = format!("0x{:02x}  {} ", op.code, op.name);
        assert!(row.starts_with(&start) && row.ends_with(&op.meaning()), "{row}");
    }
    // One of a range of instructions has its number in every column.
    assert!(
        table.contains("0x82  DUP3                    3      3     4       copy item 3 from the top\n"),
        "{table}"
    );
}

#[test]
fn asm_and_disasm_are_inverse() {
    let with_input = |args: &[&str], input: &str| {
        let mut command = command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ran(child.wait_with_output().unwrap())
    };
    let check = |program: &str, source: &str| {
        let back = vmconf(&["disasm", "evm", "--source", program]);
        assert_eq!((back.exit, &*back.stdout), (0, source), "{program}");
        let there = with_input(&["asm", "evm", "-"], source);
        assert_eq!((there.exit, there.stdout), (0, format!("{program}\n")), "{source}");
        let from_input = with_input(&["disasm", "evm", "--source", "-"], &format!(" {program}\n"));
        assert_eq!(from_input.stdout, source);
    };
    check("0x", "");
    check("0x602a00", "PUSH1 0x2a\nSTOP\n");
    check("0x5b600056", "JUMPDEST\nPUSH1 0x00\nJUMP\n");
    check("0x0c61", ".byte 0x0c ; no instruction\n.byte 0x61 ; PUSH2 cut off by the end\n");
    assert_eq!(stdout(&["disasm", "evm", "0x602a00"]), "0000  PUSH1 0x2a\n0002  STOP\n");
    let wrong = with_input(&["asm", "evm", "-"], "STOP\n  PUSH9\n");
    assert_eq!(wrong.exit, 3);
    assert!(wrong.stderr.starts_with("error: -:2:3: PUSH9 without its operand"), "{}", wrong.stderr);
}

/// Every command shows an example in its help, and each example works.
#[cfg(unix)]
#[test]
fn examples_in_help_work() {
    let commands: Vec<_> = commands().into_iter().filter(|it| it != "help").collect();
    assert!(commands.len() > 5, "{commands:?}");
    let cache = TempDir::new().unwrap();
    for name in commands {
        let help = stdout(&[&name, "--help"]);
        let example = help.lines().find_map(|line| line.strip_prefix("Example: ")).expect(&name);
        let folder = std::path::Path::new(env!("CARGO_BIN_EXE_vmconf")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", example]).env("PATH", path).env("VMCONF_CACHE", cache.path());
        // `init` writes to the folder that it is in.
        let place = if name == "init" { cache.path().to_owned() } else { at_root("") };
        let ran = ran(shell.current_dir(place).output().unwrap());
        // Two runs that differ are what bisect is for, and what is new is to be reviewed.
        let expected = i32::from(["bisect", "snapshot"].contains(&&*name));
        assert_eq!(ran.exit, expected, "{example}: {}", ran.stderr);
        assert_ne!(ran.stdout, "", "{example}");
    }
}

/// A flag with an earlier name does what it did, with a note; a value or a path of that name is none.
#[test]
fn earlier_names_of_flags_work_with_a_note() {
    let file = "docs/examples/formats/vmtests.json";
    for (command, form) in [("trace", "json"), ("check", "sarif")] {
        let now = vmconf(&[command, file, "--output", form]);
        assert_eq!((now.exit, &*now.stderr), (0, ""));
        for earlier in [&["--as", form][..], &[&format!("--as={form}")]] {
            let ran = vmconf(&[&[command, file], earlier].concat());
            assert_eq!((ran.exit, ran.stdout), (0, now.stdout.clone()), "{command}");
            assert_eq!(ran.stderr, "note: --as is --output now; the next minor version does not know it\n");
        }
    }
    let path = vmconf(&["check", file, "--", "--as"]);
    assert!(path.exit == 2 && !path.stderr.contains("note: --as"), "{path:?}");
    assert!(vmconf(&["run", "--as", "json"]).stderr.contains("unexpected argument"));
}

#[test]
fn help_names_every_limit_and_exit_code() {
    let help = stdout(&["help", "limits"]);
    for row in limits::ROWS {
        assert!(help.contains(&format!("--{} ", row.flag)), "{}", row.flag);
        assert!(help.contains(&format!("[{}]", row.range())), "{}", row.flag);
    }
    let help = stdout(&["--help"]);
    for code in 0..=4 {
        assert!(help.contains(&format!("\n  {code}    ")), "exit code {code}");
    }
}

/// A folder with failures of a few causes: one explanation of each, the command that shows its group, counts.
#[test]
fn diff_groups_by_cause() {
    let folder = TempDir::new().unwrap();
    for number in 0..30 {
        let name = if number % 3 == 0 { "gas" } else { "storage-value" };
        let to = folder.path().join(format!("{number}.json"));
        fs::copy(at_root(format!("{WRONG}/{name}.json")), to).unwrap();
    }
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let grouped = vmconf(&["diff", "."]);
    assert_eq!(grouped.exit, 1);
    assert_eq!(grouped.stdout.matches("FAIL  ").count(), 2, "{}", grouped.stdout);
    assert!(grouped.stdout.ends_with("\n0 passed, 30 failed, 0 errors, 0 skipped\n"), "{}", grouped.stdout);
    let command = "vmconf diff . -E 'cause(\"evm gas: other value\")' --no-group";
    assert!(grouped.stdout.contains(&format!("  and 9 more like it: {command}\n")), "{}", grouped.stdout);
    let group = vmconf(&["diff", ".", "-E", "cause(\"evm gas: other value\")", "--no-group"]);
    assert_eq!(group.stdout.matches("FAIL  ").count(), 10);
    let run = vmconf(&["run", "."]);
    let command = "vmconf run . -E 'cause(\"evm gas: other value\")' --no-group";
    assert!(run.stdout.contains(command), "{}", run.stdout);
    // Cases that are named are explained each.
    let named = vmconf(&["diff", "0.json::gas", "3.json::gas"]);
    assert_eq!(named.stdout.matches("FAIL  ").count(), 2);
}

/// `trace` and `diff` give an instruction the same number.
#[test]
fn steps_count_from_1() {
    let case = "tests/samples/vmtests/wrong/gas.json::gas";
    let diff = vmconf(&["diff", case, "--last", "1000"]).stdout;
    let trace = vmconf(&["trace", case]).stdout;
    let rows = |text: &str| -> Vec<(u64, String)> {
        let row = |line: &str| {
            let mut words = line.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.trim_start_matches("0x").to_owned()))
        };
        text.lines()
            .filter(|line| line.contains("  0") || line.starts_with("  "))
            .filter_map(row)
            .filter(|row| u64::from_str_radix(&row.1, 16).is_ok() && row.1.len() == 4)
            .collect()
    };
    let (diff, trace) = (rows(&diff), rows(&trace));
    assert!(diff.len() > 1 && diff[0].0 == 1, "{diff:?}");
    for (number, pc) in diff {
        let parse = |pc: &str| u64::from_str_radix(pc, 16).unwrap();
        assert!(
            trace.iter().any(|(other, its)| *other == number && parse(its) == parse(&pc)),
            "{number} {pc}"
        );
    }
}

#[test]
fn wrong_digits_are_named() {
    let says = |program: &str| vmconf(&["disasm", "evm", program]).stderr;
    assert!(says("5b61").starts_with("error: hex digits begin with 0x: 0x5b61"), "{}", says("5b61"));
    assert_eq!(says("0x6001600g"), "error: the program: invalid hex digit 'g' at offset 9\n");
    assert_eq!(says("0x600"), "error: the program: 3 hex digits is not a whole number of bytes\n");
}

#[test]
fn a_report_in_a_missing_folder_is_an_error_with_exit_code_3() {
    let ran = vmconf(&["run", ADD, "--report", "junit=no/such/folder/report.xml"]);
    assert_eq!(ran.exit, 3);
    assert!(ran.stderr.contains("there is no folder no/such/folder\n"), "{}", ran.stderr);
}

/// Our own vectors give `--strict` nothing to say, whatever their programs do.
#[test]
fn own_vectors_pass_with_strict() {
    let ran = vmconf(&["run", "--strict", "-q"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
}

/// Of many failures of one cause and few of another, both are explained on the page, and failures come first.
#[test]
fn explanations_are_shared_among_causes() {
    let folder = TempDir::new().unwrap();
    for number in 0..=220 {
        let name = if number == 220 { "storage-value" } else { "gas" };
        fs::copy(at_root(format!("{WRONG}/{name}.json")), folder.path().join(format!("{number:03}.json")))
            .unwrap();
    }
    fs::copy(at_root(ADD), folder.path().join("000-passes.json")).unwrap();
    let ran = ran(command(&["run", ".", "--report", "html"]).current_dir(folder.path()).output().unwrap());
    let rows: Vec<_> =
        ran.stdout.split("<li class=").skip(1).filter(|row| row.contains("data-machine")).collect();
    let explained = |row: &&&str| row.contains("and the stack before each");
    assert_eq!(rows.iter().filter(explained).count(), 200);
    let last = rows.iter().find(|row| row.contains("220.json")).unwrap();
    assert!(explained(&last), "{last}");
    let first_pass = rows.iter().position(|row| row.starts_with("\"pass\"")).unwrap();
    assert_eq!(first_pass, 221);
}

/// The identity of a test case in JUnit does not depend on its result.
#[test]
fn the_identity_of_a_junit_case_does_not_depend_on_its_result() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.json");
    let identity = |from: &str| {
        fs::copy(at_root(from), &path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let renamed = text.replacen("\"small\"", "\"gas\"", 1).replacen("\"account-is-null\"", "\"gas\"", 1);
        fs::write(&path, renamed).unwrap();
        let ran = ran(command(&["run", "a.json", "--report", "junit"])
            .current_dir(folder.path())
            .output()
            .unwrap());
        let start = ran.stdout.find("<testcase").unwrap();
        let case = &ran.stdout[start..];
        case[..case.find('>').unwrap()].trim_end_matches('/').to_owned()
    };
    let passes = identity(ADD);
    assert!(passes.starts_with(r#"<testcase name="gas" classname="a.json" "#), "{passes}");
    assert!(passes.contains(r#"file="a.json""#) && passes.contains("line=\""), "{passes}");
    for other in [GAS, STOPPED] {
        assert_eq!(identity(other).split("line=").next(), passes.split("line=").next());
    }
}

/// If the outcome is ignored, everything else is still compared.
#[test]
fn an_ignored_outcome_hides_no_difference() {
    let run = |file: &str| vmconf(&["run", &format!("{WRONG}/{file}"), "--ignore", "outcome"]);
    let ran = run("success-expected.json");
    assert!(ran.exit == 1 && ran.stdout.contains("not compared: outcome"), "{ran:?}");
    // Nothing else is demanded.
    assert_eq!(run("halt-expected.json").exit, 4);
}
