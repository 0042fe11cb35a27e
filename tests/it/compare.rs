//! Recorded runs, and what `vmconf compare` says of two of them.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::validator::Validator;
use crate::support::{
    MALFORMED, Ran, WRONG, at_root, command, counts, golden, ran, record_text, recorded_runs,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use vmconf::model::{RunSummary, VerdictKind};
use vmconf::wire::comparison::{self, Comparison, RecordedOutcome, RecordedRun, ReportedChange};

const ADD: &str = "vectors/evm/arithmetic/add.json";
const GAS: &str = "tests/samples/vmtests/wrong/gas.json";

/// A cache of its own, and reports beside it.
struct Cache(TempDir);

impl Cache {
    fn new() -> Cache {
        Cache(TempDir::new().unwrap())
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = command(args);
        command.env("VMCONF_CACHE", self.0.path());
        command
    }

    /// The command in the project's folder.
    fn vmconf(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// The command in the folder of the reports.
    fn beside(&self, args: &[&str]) -> Ran {
        ran(self.command(args).current_dir(self.0.path()).output().unwrap())
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    /// The runs that are recorded, the oldest first.
    fn runs(&self) -> Vec<PathBuf> {
        recorded_runs(self.0.path())
    }
}

fn lines(path: &Path) -> Vec<Json> {
    let text = record_text(path);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first line of a report without its end.
const HEAD: &str = r#"{"type":"run","version":1,"vmconf":"0.1.0","files":1"#;

/// The last line without its exit code.
const SUMMARY: &str = r#"{"type":"summary","passed":0,"failed":0,"errors":0,"skipped":0,"seconds":0.5"#;

/// A report with these further members in its first and last line.
fn report(head: &str, cases: &[Json], summary: &str) -> String {
    let head = format!("{HEAD}{head}}}");
    let counts = Json::from(counts(cases)).to_string();
    let end =
        format!("{{\"type\":\"summary\",\"seconds\":0.5,{}{summary}}}\n", counts.trim_matches(['{', '}']));
    std::iter::once(head).chain(cases.iter().map(Json::to_string)).chain([end]).collect::<Vec<_>>().join("\n")
}

fn case(id: &str, verdict: &str, signature: Option<&str>) -> Json {
    let mut case = json!({"type": "case", "id": id, "verdict": verdict});
    if let Some(signature) = signature {
        case["signature"] = signature.into();
    }
    case
}

fn broken(id: &str, message: &str, signature: &str) -> Json {
    let mut case = case(id, "error", Some(signature));
    case["problems"] = json!([{"message": message}, {"message": "another"}]);
    case
}

/// Two runs with every kind of change, and names that could do harm.
fn two_runs() -> [String; 2] {
    let evil = "a.json::</script>\u{1b}[31m\r\n\"'`|<b>*_#🦀 \u{202e}";
    let long = format!("a.json::{}", "long|".repeat(2000));
    let gas = Some("evm gas: other value");
    let out = Some("evm out: missing");
    let mut before = vec![
        case("a.json::stays", "pass", None),
        case("a.json::fails as before", "fail", gas),
        case("a.json::known as before", "known", None),
        case("a.json::breaks", "pass", None),
        case("a.json::becomes an error", "pass", None),
        case("a.json::becomes known", "pass", None),
        case("a.json::breaks out of fixed", "fixed", None),
        case("a.json::fails otherwise", "fail", gas),
        case("a.json::fails, then error", "fail", gas),
        case("a.json::fails, then known", "fail", gas),
        case("a.json::known, then fails", "known", None),
        broken("a.json::first problem stays", "\"ä\" is no number", "evm error: \"…\" is no number"),
        case("a.json::repaired", "fail", out),
        case("a.json::was known", "known", None),
        broken("a.json::was broken", "\"ä\" is no number", "evm error: \"…\" is no number"),
        case("a.json::goes", "pass", None),
        case("a.json::goes, failing", "fail", out),
        case("a.json::skipped now", "pass", None),
        case("a.json::skipped before", "skip", None),
        case(evil, "pass", None),
        case(&long, "fail", Some(&"long `signature` ".repeat(50))),
    ];
    let mut after = vec![
        case("a.json::new, passes", "pass", None),
        case("a.json::new, known", "known", None),
        case("a.json::new, fails", "fail", gas),
        broken("new.json", "not JSON", "error: not JSON"),
        case("a.json::stays", "pass", None),
        case("a.json::fails as before", "fail", gas),
        case("a.json::known as before", "known", None),
        case("a.json::breaks", "fail", gas),
        broken("a.json::becomes an error", "</pre> | `x` \u{7}", "evm error: …"),
        case("a.json::becomes known", "known", None),
        case("a.json::breaks out of fixed", "fail", gas),
        case("a.json::fails otherwise", "fail", out),
        broken("a.json::fails, then error", "\"ä\" is no number", "evm error: \"…\" is no number"),
        case("a.json::fails, then known", "known", None),
        case("a.json::known, then fails", "fail", gas),
        broken("a.json::first problem stays", "\"ä\" is no number", "evm error: \"…\" is no number; another"),
        case("a.json::repaired", "pass", None),
        case("a.json::was known", "fixed", None),
        case("a.json::was broken", "pass", None),
        case("a.json::skipped now", "skip", None),
        case("a.json::skipped before", "fail", gas),
        case(evil, "fail", gas),
        case(&long, "pass", None),
    ];
    before.extend((0..25).map(|number| case(&format!("b.json::{number}"), "fail", gas)));
    after.extend((0..25).map(|number| case(&format!("b.json::{number}"), "pass", None)));
    let part = r#","partition":{"kind":"hash","part":1,"of":2,"selection":"0"},"command":"vmconf run""#;
    let asked = r#","command":"vmconf run `a` | b\u001b""#;
    [report(asked, &before, r#","exit":130"#), report(part, &after, END)]
}

/// The exit code in the summary of a completed run.
const END: &str = r#","exit":0"#;

#[test]
fn every_kind_of_change() {
    let cache = Cache::new();
    let [before, after] = two_runs();
    cache.file("before.jsonl", &before);
    cache.file("after.jsonl", &after);
    let compared = |args: &[&str]| {
        let ran = cache.beside(&[&["compare", "before.jsonl", "after.jsonl"], args].concat());
        assert_eq!((ran.exit, &*ran.stderr), (1, ""));
        ran.stdout
    };
    let text = compared(&[]);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    golden::file("compare-text", &text);
    golden::file("compare-markdown", &compared(&["--output", "markdown"]));
    let line: Json = serde_json::from_str(&compared(&["--output", "json"])).unwrap();
    Validator::named("comparison").assert_accepts(&line, "the comparison");
    let changes = |change: &str| {
        line["changed"].as_array().unwrap().iter().filter(|changed| changed["change"] == change).count()
    };
    let counted = ["broken", "fails differently", "fixed", "new", "gone"].map(changes);
    let numbers = text.lines().next().unwrap().split([' ', ',']).filter_map(|word| word.parse().ok());
    assert_eq!(numbers.take(5).collect::<Vec<usize>>(), counted);
    let all = compared(&["--all"]);
    assert!(all.contains(&"long|".repeat(2000)) && all.contains("b.json::24"));
    assert!(!all.contains("more; --all shows them"));
    assert!(all.chars().all(|it| it == '\n' || !vmconf::model::escape::is_harmful(it)));
}

/// What fails now and did not before is worse, what is broken now and was not before, and what passed and is not
/// supported.
#[test]
fn a_comparison_fails_if_a_case_is_worse() {
    let cache = Cache::new();
    let kinds =
        ["none", "pass", "fixed", "skip", "known", "unsupported", "fail", "error", "timeout", "flaky"];
    let whole = |kind: &str| {
        let cases = [kind].into_iter().filter(|kind| *kind != "none");
        report("", &cases.map(|kind| case("a", kind, Some(kind))).collect::<Vec<_>>(), END)
    };
    let mut worse = Vec::new();
    for before in kinds {
        for after in kinds {
            cache.file("before", &whole(before));
            cache.file("after", &whole(after));
            let ran = cache.beside(&["compare", "before", "after"]);
            assert!(ran.exit <= 1, "{before} to {after}: {ran:?}");
            worse.extend((ran.exit == 1).then_some((before, after)));
        }
    }
    let any_of = |before: &[&'static str], after: &'static str| {
        before.iter().map(|before| (*before, after)).collect::<Vec<_>>()
    };
    let none = ["none", "pass", "fixed", "skip", "known", "unsupported"];
    let with_fail = [&none[..], &["fail"]].concat();
    let mut expected = [
        any_of(&["pass", "fixed"], "unsupported"),
        any_of(&none, "fail"),
        any_of(&with_fail, "error"),
        any_of(&with_fail, "timeout"),
        any_of(&with_fail, "flaky"),
        // It passed when it was tried again.
        ["fail", "error", "timeout"].map(|after| ("flaky", after)).to_vec(),
    ]
    .concat();
    worse.sort_unstable();
    expected.sort_unstable();
    assert_eq!(worse, expected);
}

/// What a machine lacks does not fail.
#[test]
fn unsupported_cases_do_not_still_fail() {
    let cache = Cache::new();
    for (kind, said) in
        [("unsupported", "nothing is worse\n"), ("known", "nothing is worse; 1 unchanged case still fails\n")]
    {
        cache.file("run", &report("", &[case("a", kind, Some(kind))], END));
        let ran = cache.beside(&["compare", "run", "run"]);
        assert!(ran.exit == 0 && ran.stdout.contains(said), "{kind}: {ran:?}");
    }
}

#[test]
fn a_record_says_what_the_report_says() {
    let cache = Cache::new();
    let samples = [WRONG, MALFORMED, "tests/samples/vmtests/broken", ADD];
    let report = cache.0.path().join("report.jsonl");
    let option = format!("json={}", report.display());
    assert_eq!(cache.vmconf(&[&["run", "--report", &option], &samples[..]].concat()).exit, 3);
    let ran = cache.vmconf(&["compare", report.to_str().unwrap(), "last"]);
    let start = "0 broken, 0 fail differently, 0 fixed, 0 new, 0 gone, ";
    assert!(ran.exit == 0 && ran.stdout.starts_with(start), "{ran:?}");

    let [run] = &cache.runs()[..] else { panic!("one run is recorded") };
    let (record, report) = (lines(run), lines(&report));
    let cases =
        |lines: &[Json]| lines.iter().filter(|line| line["type"] == "case").cloned().collect::<Vec<_>>();
    assert_eq!(cases(&record).len(), cases(&report).len());
    for (record, report) in cases(&record).iter().zip(cases(&report)) {
        for (name, value) in record.as_object().unwrap() {
            match name.as_str() {
                // The first problem, and of that what it says.
                "problems" => assert_eq!(value[0]["message"], report["problems"][0]["message"]),
                _ => assert_eq!(value, &report[name], "{name}"),
            }
        }
        let passes = record["verdict"] == "pass";
        assert_eq!((record.get("file").is_none(), record.get("signature").is_none()), (passes, passes));
    }
    let [.., summary, checksum] = &record[..] else { panic!("{record:?}") };
    assert_eq!((Some(summary), &checksum["type"]), (report.last(), &"checksum".into()));
    let head = &record[0];
    assert_eq!(head["command"], format!("vmconf run --report '{option}' {}", samples.join(" ")));
    assert!(head["when"].as_str().unwrap().ends_with('Z'), "{head}");
    let folder = fs::read_to_string(run.with_file_name("folder.txt")).unwrap();
    assert_eq!(Path::new(folder.trim_end()), at_root("").canonicalize().unwrap());
}

#[test]
fn runs_and_reports_that_do_not_exist_are_named() {
    let cache = Cache::new();
    for args in [&["compare"][..], &["compare", "last", "last"], &["diff"], &["run", "--rerun", "failed"]] {
        let ran = cache.vmconf(args);
        assert_eq!(
            (ran.exit, &*ran.stderr),
            (4, "note: no run from this folder is recorded; vmconf run PATHS records one\n"),
            "{args:?}"
        );
    }
    cache.file("broken.json", "{");
    for broken in ["nowhere.json", "broken.json"] {
        let told = cache.beside(&["compare", broken, "last"]);
        let expected = "; expected last, last~N, a name that vmconf compare --list prints, or the file of vmconf run \
                        --report json=FILE\n";
        assert!(
            told.exit == 2 && told.stderr.contains(broken) && told.stderr.ends_with(expected),
            "{told:?}"
        );
    }
    assert!(cache.vmconf(&["compare", "--list"]).stderr.contains("no run from this folder is recorded"));
    assert_eq!(cache.vmconf(&["run", ADD]).exit, 0);
    let ran = cache.vmconf(&["compare", "last~1"]);
    assert!(ran.exit == 2 && ran.stderr.contains("there is no last~1: 1 run from this folder is"), "{ran:?}");
    assert_eq!(cache.vmconf(&["run", ADD, GAS]).exit, 1);
    assert_eq!(cache.vmconf(&["run", GAS]).exit, 1);
    // A run of no case says nothing of any.
    assert_eq!(cache.vmconf(&["run", "--filter", "no-such-name"]).exit, 4);
    let start = |args: &[&str], exit: i32| {
        let ran = cache.vmconf(&[&["compare"], args].concat());
        assert_eq!(ran.exit, exit, "{ran:?}");
        ran.stdout.lines().next().unwrap().to_owned()
    };
    let fewer = "0 broken, 0 fail differently, 0 fixed, 0 new, 5 gone, 1 as before";
    assert_eq!(start(&["last~1", "last"], 0), fewer);
    assert_eq!(start(&["last~1"], 0), fewer);
    let more = "0 broken, 0 fail differently, 0 fixed, 1 new, 0 gone, 5 as before";
    assert_eq!(start(&["last~2", "last~1"], 1), more);
    let names: Vec<_> =
        cache.runs().iter().map(|it| it.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(start(&[&names[0], &names[1]], 1), more);
    for wrong in [
        "last~3",
        "last~",
        "last~x",
        "last~-1",
        "last~99999999999999999999",
        "20000101-000000-000",
        "nowhere",
    ] {
        assert_eq!(cache.vmconf(&["compare", wrong]).exit, 2, "{wrong}");
    }
    let list = cache.vmconf(&["compare", "--list"]).stdout;
    for (row, name) in list.lines().step_by(2).zip(&names) {
        assert!(row.contains(name) && row.contains(" passed, "), "{list}");
    }
    assert!(list.ends_with(&format!("vmconf run {GAS}\n")), "{list}");
    // No run from this other folder is recorded.
    assert_eq!(cache.beside(&["compare"]).exit, 4);
}

/// Without names, the last run is compared with the one before it of the same selection.
#[test]
fn runs_of_the_same_selection() {
    let cache = Cache::new();
    assert_eq!(cache.vmconf(&["run", ADD]).exit, 0);
    assert_eq!(cache.vmconf(&["run", GAS]).exit, 1);
    let none = cache.vmconf(&["compare"]);
    assert_eq!(none.exit, 4);
    assert!(none.stderr.starts_with("note: before the last run (vmconf run"), "{none:?}");
    // The same selection, typed differently.
    let absolute = at_root(ADD);
    assert_eq!(cache.vmconf(&["run", "-q", absolute.to_str().unwrap(), &format!("./{ADD}")]).exit, 0);
    let compared = cache.vmconf(&["compare"]);
    let names: Vec<_> =
        cache.runs().iter().map(|it| it.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let lines: Vec<_> = compared.stdout.lines().collect();
    assert_eq!(lines[0], "0 broken, 0 fail differently, 0 fixed, 0 new, 0 gone, 5 as before");
    assert_eq!(lines[2], format!("  from {}  vmconf run {ADD}", names[0]));
    assert!(lines[3].starts_with(&format!("  to   {}  vmconf run -q ", names[2])), "{}", lines[3]);
    // A filter is another selection.
    assert_eq!(cache.vmconf(&["run", ADD, "--filter", "small"]).exit, 0);
    assert_eq!(cache.vmconf(&["compare"]).exit, 4);
}

#[test]
fn the_newest_records_are_kept() {
    let cache = Cache::new();
    let named = |run: usize| format!("{ADD}::{}", ["small", "wraps"][run % 2]);
    for run in 0..23 {
        assert_eq!(cache.vmconf(&["run", "-q", &named(run)]).exit, 0);
    }
    let runs = cache.runs();
    assert_eq!(runs.len(), 20);
    let commands: Vec<_> = runs.iter().map(|run| lines(run)[0]["command"].clone()).collect();
    let newest: Vec<Json> = (3..23).map(|run| format!("vmconf run -q '{}'", named(run)).into()).collect();
    assert_eq!(commands, newest);
}

/// Old runs are deleted, too, when they take too much space together; the last two stay.
#[test]
fn the_newest_records_that_fit_are_kept() {
    let cache = Cache::new();
    let run = || assert_eq!(cache.vmconf(&["run", "-q", ADD]).exit, 0);
    run();
    let first = cache.runs().remove(0);
    let old = |millisecond: u64, bytes: u64| {
        let path = first.with_file_name(format!("20200101-000000-{millisecond:03}"));
        fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        path
    };
    let old = [old(1, 1), old(2, 50 << 20), old(3, 20 << 20), old(4, 10)];
    run();
    assert!(!old[0].exists() && !old[1].exists() && old[2].exists() && old[3].exists());
    assert_eq!(cache.runs().len(), 4);
    fs::File::create(&first).unwrap().set_len(65 << 20).unwrap();
    fs::remove_file(cache.runs().pop().unwrap()).unwrap();
    run();
    assert_eq!(cache.runs().iter().filter(|run| **run == first).count(), 1);
    assert_eq!(cache.runs().len(), 2);
}

#[test]
fn records_of_simultaneous_runs_are_whole() {
    let cache = Cache::new();
    let start = || cache.command(&["run", "vectors/evm/arithmetic"]).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    for child in children {
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    }
    assert_eq!(cache.runs().len(), 8);
    for back in 1..8 {
        let ran = cache.vmconf(&["compare", &format!("last~{back}"), "last"]);
        assert!(
            ran.exit == 0 && ran.stdout.starts_with("0 broken, 0 fail differently, 0 fixed, 0 new, 0 gone")
        );
    }
    // Nothing half written is left.
    let folder = cache.runs()[0].parent().unwrap().to_owned();
    assert_eq!(fs::read_dir(folder).unwrap().count(), 9);
}

/// A report says what its run was of, and so does a record.
#[test]
fn runs_of_other_cases_are_noted() {
    let cache = Cache::new();
    let report = |name: &str, more: &[&str]| {
        let json = format!("json={}", cache.0.path().join(name).display());
        assert_eq!(cache.vmconf(&[&["run", ADD, "--report", &json], more].concat()).exit, 0);
    };
    report("all.json", &[]);
    let id = format!("{ADD}::small");
    assert_eq!(cache.vmconf(&["run", &id]).exit, 0);
    report("some.json", &["--filter", "small"]);
    let [some, one] = ["--filter=small", &id].map(|selected| format!("only of the cases of {selected}"));
    for (before, after, expected) in [
        ("all.json", "some.json", Some(format!("all.json is of all cases and some.json is {some}"))),
        ("all.json", "all.json", None),
        ("some.json", "last", None),
        ("all.json", "last", Some(format!("is {some}"))),
        ("all.json", "last~1", Some(format!("is {one}"))),
    ] {
        // Runs are recorded in the project's folder, and reports are elsewhere.
        let [first, second] = [before, after].map(|name| match name {
            "last" | "last~1" => name.to_owned(),
            name => cache.0.path().join(name).display().to_string(),
        });
        let folder = format!("{}/", cache.0.path().display());
        let stdout = cache.vmconf(&["compare", &first, &second, "--all"]).stdout.replace(&folder, "");
        match expected {
            Some(expected) => assert!(stdout.contains(&expected), "{before} {after}: {stdout}"),
            None => assert!(!stdout.contains("of all cases"), "{before} {after}: {stdout}"),
        }
    }
}

/// Flags that decide how a run is reported are no reason for other cases.
#[test]
fn other_command_lines_are_noted_if_they_decide_what_ran() {
    let cache = Cache::new();
    let vector = fs::read_to_string(at_root(ADD)).unwrap();
    let path = cache.0.path().join("v.json");
    let run = |text: &str, flags: &[&str]| {
        fs::write(&path, text).unwrap();
        cache.vmconf(&[&["run", path.to_str().unwrap()], flags].concat());
    };
    let noted = |flags: &[&str]| {
        run(&vector, &["-q", "-j", "2"]);
        run(&vector.replacen("small", "little", 1), flags);
        let compared = cache.vmconf(&["compare", "last~1", "last"]);
        assert!(compared.stdout.contains("1 new, 1 gone"), "{compared:?}");
        compared.stdout.contains("the command lines differ")
    };
    let report = format!("json={}", cache.0.path().join("r.jsonl").display());
    assert!(!noted(&["--report", &report, "--no-group", "--slow", "5s", "-q"]));
    assert!(noted(&["--ignore", "gas"]));
    assert!(noted(&["--filter", "*"]));
    assert!(noted(&["--fail-fast"]));
}

/// Either of the runs may have been interrupted.
#[test]
fn each_interrupted_run_is_noted() {
    let run = |interrupted| {
        let summary = RunSummary { interrupted, ..RunSummary::default() };
        RecordedRun { summary, ..RecordedRun::default() }
    };
    let noted = |before, after| {
        let (before, after) = (run(before), run(after));
        comparison::cautions(&before, &after, ["a", "b"], [None; 2], &comparison::compare(&before, &after))
    };
    let note = |name: &str| format!("{name} was interrupted: the cases that it did not reach are not in it");
    assert_eq!(noted(false, false), [""; 0]);
    assert_eq!(noted(true, false), [note("a")]);
    assert_eq!(noted(false, true), [note("b")]);
    assert_eq!(noted(true, true), [note("a"), note("b")]);
}

/// Cases are in the order of the later run; those that it lacks or skipped follow.
#[test]
fn cases_that_are_gone_come_last() {
    let run = |cases: &[(&str, &str)]| {
        let cases: Vec<_> = cases.iter().map(|(id, verdict)| case(id, verdict, None)).collect();
        read(report("", &cases, END).as_bytes()).unwrap()
    };
    let before = run(&[("gone", "pass"), ("skipped", "pass"), ("breaks", "pass")]);
    let after = run(&[("skipped", "skip"), ("new", "pass"), ("breaks", "fail")]);
    let compared = comparison::compare(&before, &after);
    let changed: Vec<_> = compared.changed.iter().map(|it| (it.id, it.change)).collect();
    let (new, broken, gone) = (ReportedChange::New, ReportedChange::Regressed, ReportedChange::Gone);
    assert_eq!(changed, [("new", new), ("breaks", broken), ("skipped", gone), ("gone", gone)]);
}

/// The run is what it is; that it was not recorded is a note.
#[test]
fn a_cache_folder_that_cannot_be_written_is_a_warning() {
    let cache = Cache::new();
    cache.file("file", "");
    let path = cache.0.path().join("file").join("below");
    let ran = ran(command(&["run", ADD]).env("VMCONF_CACHE", path).output().unwrap());
    assert_eq!((ran.exit, ran.stderr.lines().count()), (0, 1));
    assert!(ran.stderr.starts_with("note: the run cannot be recorded"), "{ran:?}");
}

/// A damaged record is reported, with its position, by the commands that read it, and stops no run.
#[test]
fn a_damaged_record_is_an_error_of_those_that_read_it() {
    let cache = Cache::new();
    cache.vmconf(&["run", ADD, GAS]);
    cache.vmconf(&["run", ADD, GAS]);
    let run = cache.runs().pop().unwrap();
    let bytes = fs::read(&run).unwrap();
    fs::write(&run, &bytes[..bytes.len() / 2]).unwrap();
    for args in [&["compare"][..], &["diff"], &["run", "--rerun", "failed"], &["list", "-E", "verdict(fail)"]]
    {
        let ran = cache.vmconf(args);
        assert_eq!((ran.exit, &*ran.stdout), (2, ""), "{args:?}");
        assert!(ran.stderr.starts_with(&format!("error: {}:", run.display())), "{ran:?}");
    }
    let list = cache.vmconf(&["compare", "--list"]);
    assert!(
        list.exit == 0 && list.stdout.contains("damaged") && list.stdout.lines().count() == 4,
        "{list:?}"
    );
    assert_eq!(cache.vmconf(&["run", ADD, GAS]).exit, 1);
    assert_eq!(cache.vmconf(&["compare", "last~2", "last"]).exit, 0);
}

fn read(text: &[u8]) -> Result<RecordedRun, String> {
    comparison::read("it", &mut &*text).map_err(|error| error.to_string())
}

#[test]
fn mistakes_in_reports_have_lines_and_columns() {
    let head = format!("{HEAD}}}");
    let head = head.as_str();
    let end = format!("{SUMMARY}{END}}}");
    let end = end.as_str();
    let deep = "[".repeat(1_000_000);
    let inside = |line: &str| format!("{head}\n{line}\n{end}\n");
    let texts = [
        String::new(),
        "\n".to_owned(),
        "7".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        end.to_owned(),
        head.to_owned(),
        r#"{"type":"run"}"#.to_owned(),
        r#"{"type":"run","version":2}"#.to_owned(),
        r#"{"type":"run","version":"1"}"#.to_owned(),
        format!(r#"{HEAD},"partition":{{"kind":"hash"}}}}"#),
        format!(r#"{HEAD},"partition":{{"kind":"rash","part":1,"of":2,"selection":"0"}}}}"#),
        r#"{"type":"run","version":1}"#.to_owned(),
        inside(head),
        inside(end),
        inside("{"),
        inside(&deep),
        inside(&format!(r#"{{"type":"case","id":{deep}"#)),
        inside(&format!(r#"{{"type":"case","differences":{deep}"#)),
        inside(r#"{"type":"other"}"#),
        inside(r#"{"type":"case","id":"a"}"#),
        inside(r#"{"type":"case","verdict":"pass"}"#),
        inside(r#"{"type":"case","verdict":"passed","id":"a"}"#),
        inside(r#"{"type":"case","verdict":"pass","id":1}"#),
        inside(r#"{"type":"case","verdict":"pass","id":"a","id":"b"}"#),
        inside(r#"{"type":"case","verdict":"fail","id":"a","signature":[]}"#),
        inside(r#"{"type":"case","verdict":"error","id":"a","problems":[1]}"#),
        inside(
            "{\"type\":\"case\",\"verdict\":\"pass\",\"id\":\"a\"}\n{\"type\":\"case\",\"verdict\":\"fail\",\"id\":\"a\"}",
        ),
        format!("{head}\n{SUMMARY}}}\n"),
        format!("{head}\n{{\"type\":\"summary\",\"exit\":0,\"passed\":-1}}\n"),
        format!("{head}\n{}{END}}}\n", SUMMARY.replace("0.5", "-1")),
        inside(r#"{"type":"case","verdict":"fail","id":"a"}"#),
        format!("{head}\n{}{END}}}\n", SUMMARY.replace("\"passed\":0", "\"passed\":1")),
    ];
    let told: Vec<_> = texts.iter().map(|text| read(text.as_bytes()).unwrap_err()).collect();
    golden::file("compare-wrong-reports", &told.join("\n"));
    assert!(read(&[head.as_bytes(), b"\n\xff\n"].concat()).unwrap_err().starts_with("it:2: "));
}

/// A case that was named twice ran twice or was skipped the second time: its first outcome counts.
#[test]
fn a_case_that_was_skipped_the_second_time_is_one_case() {
    let twice = |second: &str| report("", &[case("a", "fail", None), case("a", second, None)], END);
    let run = read(twice("skip").as_bytes()).unwrap();
    assert_eq!((run.cases.len(), run.cases["a"].kind), (1, VerdictKind::Fail));
    assert!(read(twice("pass").as_bytes()).unwrap_err().ends_with("occurs twice, with different outcomes"));
}

/// The checksum is the last line of a record: what somebody adds behind it is no part of the run.
#[test]
fn nothing_follows_the_checksum_of_a_record() {
    let cache = Cache::new();
    cache.vmconf(&["run", ADD]);
    let whole = record_text(&cache.runs()[0]);
    assert!(read(whole.as_bytes()).is_ok());
    let error = read(format!("{whole}{}\n", case("added", "pass", None)).as_bytes()).unwrap_err();
    let line = whole.lines().count() + 1;
    assert_eq!(error, format!("it:{line}: follows the summary, which must be the last line of a report"));
}

/// What is nested deep in a member that is passed over is passed over.
#[test]
fn unused_members_of_a_report_are_not_read() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let line = format!(r#"{{"type":"case","verdict":"fail","id":"a","differences":{deep}}}"#);
    let text = report("", &[case("a", "fail", None), case("b", "pass", None)], END);
    let second = text.lines().nth(1).unwrap();
    let text = text.replacen(second, &line, 1);
    assert_eq!(read(text.as_bytes()).unwrap().cases.len(), 2);
}

/// A line without an end takes no more memory than a line may have.
#[test]
fn endless_lines_are_refused() {
    for byte in *b" [\"a" {
        let mut endless = BufReader::with_capacity(1 << 16, std::io::repeat(byte));
        let error = comparison::read("it", &mut endless).unwrap_err().to_string();
        assert_eq!(error, format!("it:1: is longer than {} bytes", comparison::MAX_REPORT_LINE));
    }
}

/// Lines without an end are too many at some time.
#[test]
fn too_many_cases_are_refused() {
    let mut number = 0;
    let head = format!("{HEAD}}}\n");
    let lines = std::iter::from_fn(move || {
        number += 1;
        Some(format!("{{\"type\":\"case\",\"verdict\":\"pass\",\"id\":\"{number}\"}}\n"))
    });
    let mut endless = BufReader::new(Lines(std::iter::once(head).chain(lines), Vec::new()));
    let error = comparison::read_at_most(1_000, "it", &mut endless).unwrap_err();
    assert_eq!(error.to_string(), "it:1002: is of one more case than 1000; no report has more");
}

/// Lines as they are read.
struct Lines<I>(I, Vec<u8>);

impl<I: Iterator<Item = String>> Read for Lines<I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.next().unwrap_or_default().into_bytes();
        }
        let count = buffer.len().min(self.1.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// Some of few ids, in some order, with an outcome each.
fn any_run() -> impl Strategy<Value = RecordedRun> {
    let outcome = (0..VerdictKind::ALL.len(), prop::option::of("[ab]")).prop_map(|(kind, signature)| {
        RecordedOutcome { kind: VerdictKind::ALL[kind], unlisted: None, signature, problem: None, file: None }
    });
    prop::collection::vec(("[a-f]", outcome), 0..8)
        .prop_map(|cases| RecordedRun { cases: cases.into_iter().collect(), ..RecordedRun::default() })
}

/// The ids of each kind of change, by name.
fn ids(comparison: &Comparison<'_>) -> [Vec<String>; 5] {
    std::array::from_fn(|change| {
        let mut ids: Vec<_> =
            comparison.of(ReportedChange::ALL[change]).map(|changed| changed.id.to_owned()).collect();
        ids.sort();
        ids
    })
}

proptest! {
    #![proptest_config(crate::support::config(2000))]

    #[test]
    fn comparing_in_the_other_direction_mirrors_the_changes(one in any_run(), other in any_run()) {
        let (there, back) = (comparison::compare(&one, &other), comparison::compare(&other, &one));
        let [broken, differently, fixed, new, gone] = ids(&there);
        prop_assert_eq!([fixed, differently, broken, gone, new], ids(&back));
        prop_assert_eq!((there.same, there.same_not_passing <= there.same), (back.same, true));
        // Each case that is in one of them is somewhere.
        let run = |run: &RecordedRun| run.cases.iter().filter(|it| it.1.kind != VerdictKind::Skip).map(|it| it.0.clone()).collect::<Vec<_>>();
        let all: std::collections::BTreeSet<_> = run(&one).into_iter().chain(run(&other)).collect();
        prop_assert_eq!(there.changed.len() + there.same, all.len());
    }

    #[test]
    fn a_run_compared_with_itself_has_no_changes(run in any_run()) {
        let comparison = comparison::compare(&run, &run);
        prop_assert!(comparison.changed.is_empty() && !comparison.is_worse());
    }
}
