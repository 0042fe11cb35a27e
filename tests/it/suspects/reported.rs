//! Suspects in reports of runs, and in what selects cases.

use std::collections::HashMap;
use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::explain::spectrum::{SpectrumCache, analyse};
use vmconf::model::VerdictKind;
use vmconf::model::limits::Limits;
use vmconf::model::suspects::MAX_FAILURES;
use vmconf::run::cache::ProgramKey;
use vmconf::run::{self, CaseVerdicts, FileOptions, LoadOptions};

use crate::support::validator::Validator;
use crate::support::{Ran, command, ran, sources_of, vmconf};

/// The vectors of the page on suspects, and how many of them fail with each instruction.
const PATHS: [&str; 2] = ["vectors/evm/arithmetic", "vectors/evm/bitwise"];
const EXPLAINED: [(&str, usize); 2] = [("BYTE", 6), ("SDIV", 5)];

/// A machine that executes SDIV as DIV and BYTE as AND, as on that page.
fn swapped() -> String {
    let vmconf = env!("CARGO_BIN_EXE_vmconf");
    format!(r#"mine=sh -c 'sed -u -e s/05600055/04600055/ -e s/1a600055/16600055/ | "{vmconf}" serve evm'"#)
}

/// Runs the vectors on that machine, with these arguments.
fn run(folder: &TempDir, args: &[&str]) -> Ran {
    let mut command = command(&[&["run"], &PATHS[..], &["--vm", &swapped()], args].concat());
    ran(command.env("VMCONF_CACHE", folder.path()).output().unwrap())
}

#[test]
fn reports_name_the_suspects() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, junit) = (file("json"), file("junit"));
    let all = run(&folder, &["--report", &format!("json={json}"), "--report", &format!("junit={junit}")]);
    assert!(all.stdout.contains("11 failures, 2 suspects: BYTE (6), SDIV (5)"), "{}", all.stdout);
    let junit = fs::read_to_string(junit).unwrap();
    let xml = roxmltree::Document::parse(&junit).unwrap();
    let json = fs::read_to_string(json).unwrap();
    let mut lines = json.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let line = lines.find(|line| line["type"] == "suspects").expect("a line with suspects");
    for (number, (op, count)) in EXPLAINED.into_iter().enumerate() {
        let suspect = &line["analysis"]["suspects"][number];
        assert_eq!((&suspect["op"], suspect["cases"].as_array().unwrap().len()), (&Json::from(op), count));
        let is_suspect = |node: &roxmltree::Node<'_, '_>| {
            node.attribute("name") == Some("suspect") && node.attribute("value") == Some(op)
        };
        assert_eq!(xml.descendants().filter(is_suspect).count(), count, "{op}");
    }
}

/// The newest run that names it tells which cases a suspect explains. `--group symptom` and `--no-group` name none.
#[test]
fn a_suspect_selects_its_cases() {
    let folder = TempDir::new().unwrap();
    run(&folder, &[]);
    let listed = |expression: &str| {
        let mut command = command(&[&["list"], &PATHS[..], &["-E", expression]].concat());
        ran(command.env("VMCONF_CACHE", folder.path()).output().unwrap()).stdout
    };
    for (op, count) in EXPLAINED {
        let cases = listed(&format!("cause({op})"));
        assert_eq!(cases.lines().filter(|line| line.contains("::")).count(), count, "{cases}");
    }
    // A run of the cases of one suspect leaves the suspects as they are.
    for _ in 0..2 {
        let only = run(&folder, &["-E", "cause(SDIV)"]);
        assert!(only.stdout.contains("0 passed, 5 failed"), "{}", only.stdout);
    }
    for args in [&["--group", "symptom"][..], &["--no-group"]] {
        let text = run(&folder, args).stdout;
        assert!(!text.contains(" suspects: "), "{text}");
    }
}

/// The case of each suspect is the same in all reports.
#[test]
fn all_reports_show_the_same_case() {
    let folder = TempDir::new().unwrap();
    let forms = ["json", "junit", "html", "github", "markdown"];
    let file = |form: &str| folder.path().join(form).to_str().unwrap().to_owned();
    let reports = forms.map(|form| format!("{form}={}", file(form)));
    let args: Vec<_> = reports.iter().flat_map(|report| ["--report", report]).collect();
    let text = run(&folder, &args).stdout;
    let read = |form: &str| fs::read_to_string(file(form)).unwrap();
    let (json, junit, html, github) = (read("json"), read("junit"), read("html"), read("github"));
    let mut lines = json.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let analysis = lines.find(|line| line["type"] == "suspects").expect("suspects")["analysis"].take();
    let xml = roxmltree::Document::parse(&junit).unwrap();
    for (number, (op, _)) in EXPLAINED.into_iter().enumerate() {
        let case = analysis["suspects"][number]["example"].as_str().unwrap();
        // The first case below the line of the suspect.
        let below = &text[text.find(&format!("\n{op}: ")).unwrap()..];
        assert!(below.lines().find(|line| line.starts_with("FAIL")).unwrap().ends_with(case), "{below}");
        assert!(read("markdown").contains(case), "{case}");
        let name = case.split_once("::").unwrap().1;
        let marked = xml.descendants().filter(|it| it.attribute("name") == Some("suspect-example"));
        let marked: Vec<_> = marked.map(|it| it.ancestors().nth(2).unwrap()).collect();
        assert!(marked.iter().any(|it| it.attribute("name").unwrap().contains(name)), "{marked:?}");
        assert_eq!(marked.len(), EXPLAINED.len());
        let annotation = github.lines().nth(number).unwrap().replace("%3A", ":");
        assert!(annotation.contains(case), "{annotation}");
        // The link of the suspect leads to the case.
        let item = &html[html.find(&format!("<code>{op}: ")).unwrap() - 40..];
        let anchor = item.split("href=\"#").nth(1).unwrap().split('"').next().unwrap();
        let target = &html[html.find(&format!("id=\"{anchor}\"")).unwrap()..];
        assert!(target.find(name).is_some_and(|at| at < 400), "{anchor}: {name}");
    }
}

/// A second run with the same failures executes nothing again on the embedded machine.
#[test]
fn what_cases_execute_is_kept() {
    let (sources, options) = (sources_of("vectors/evm/bitwise"), LoadOptions::default());
    let mut failing = HashMap::new();
    for source in &sources_of("vectors/evm/bitwise/byte.json") {
        let file = run::open(&source, &options);
        failing.extend(file.ids().map(|id| (id.to_string(), VerdictKind::Fail)));
    }
    let verdicts = CaseVerdicts::new(failing, Some(VerdictKind::Pass));
    let program = || ProgramKey::of(&b"this program"[..]).unwrap();
    let first = SpectrumCache::new(program());
    let analysis = analyse(&sources, &options, Some(&first), &verdicts);
    let text = first.text().expect("what the cases execute");
    let mut second = SpectrumCache::new(program());
    second.read(&text).unwrap();
    assert_eq!(analyse(&sources, &options, Some(&second), &verdicts), analysis);
    assert_eq!(second.text(), None, "cases were executed again");
    assert_eq!(analyse(&sources, &options, None, &verdicts), analysis);
    // Other options of the machine are another content.
    let limits = Limits { steps: 1_000, ..Limits::default() };
    let other =
        LoadOptions { file: FileOptions { limits, ..FileOptions::default() }, ..LoadOptions::default() };
    analyse(&sources, &other, Some(&second), &verdicts);
    assert!(second.text().is_some(), "cases were not executed under other limits");
}

/// Failures without suspects, since they are too many for a run to keep, say where to find them.
#[test]
fn a_run_with_too_many_failures_names_the_command_for_them() {
    let folder = TempDir::new().unwrap();
    let one: Json =
        serde_json::from_str(&fs::read_to_string("tests/samples/vmtests/wrong/gas.json").unwrap()).unwrap();
    let case = one.as_object().unwrap().values().next().unwrap();
    let note = |count: usize| {
        let cases: serde_json::Map<_, _> = (0..count).map(|it| (format!("gas{it}"), case.clone())).collect();
        fs::write(folder.path().join("gas.json"), Json::Object(cases).to_string()).unwrap();
        let ran = ran(command(&["run", "gas.json"]).current_dir(folder.path()).output().unwrap());
        assert!(ran.stdout.contains(&format!("0 passed, {count} failed")), "{ran:?}");
        ran.stderr.contains("note: more than 5000 cases fail") && ran.stderr.contains("vmconf suspects")
    };
    assert!(note(MAX_FAILURES + 1));
    assert!(!note(MAX_FAILURES));
}

/// A recorded run says something about the selected cases only: counts and the exit code are theirs. Without paths, all
/// its cases are selected.
#[test]
fn a_recorded_run_is_about_the_selected_cases() {
    let folder = TempDir::new().unwrap();
    let vector = |value: u8| {
        let result = format!(r#"{{"state":"HALT","resultStack":[{{"type":"Integer","value":{value}}}]}}"#);
        let steps = format!(r#"[{{"actions":["Execute"],"result":{result}}}]"#);
        let case = |name: &str, op: &str| format!(r#"{{"name":"{name}","script":["{op}"],"steps":{steps}}}"#);
        let cases = [case("c", "PUSH6"), case("d", "PUSH7")].join(",");
        format!(r#"{{"machine":"neo3","category":"c","name":"n","tests":[{cases}]}}"#)
    };
    // In a.json, c passes and d fails; in b.json, d passes and c fails.
    fs::write(folder.path().join("a.json"), vector(6)).unwrap();
    fs::write(folder.path().join("b.json"), vector(7)).unwrap();
    let vmconf = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(folder.path()).env("VMCONF_CACHE", folder.path().join("cache"));
        ran(command.output().unwrap())
    };
    let suspects = |args: &[&str]| vmconf(&[&["suspects", "--run"], args].concat());
    let none = suspects(&["last"]);
    assert!(none.exit == 4 && none.stderr.contains("no run from this folder is recorded"), "{none:?}");
    for file in ["a.json", "b.json"] {
        assert_eq!(vmconf(&["run", "-q", file]).exit, 1);
    }
    for other in ["a.json", "a.json::c"] {
        let ran = suspects(&["last", other]);
        assert_eq!((ran.exit, &*ran.stdout), (4, ""), "{ran:?}");
        assert_eq!(ran.stderr, "note: --run last: no selected case is in this run\n");
    }
    let passed = suspects(&["last~1", "a.json::c"]);
    assert_eq!((passed.exit, &*passed.stdout), (0, "1 passed, nothing to explain\n"), "{passed:?}");
    assert_eq!(suspects(&["last~1", "a.json::d"]).exit, 1);
    assert_eq!(suspects(&["last~1", ".", "--filter", "::c"]).exit, 0);
    assert_eq!(suspects(&["last", ".", "--filter", "::c"]).exit, 1);
    // Without paths.
    for (run, name) in [("last", "b.json::c"), ("last~1", "a.json::d")] {
        let all = suspects(&[run, "--output", "json"]);
        let json: Json = serde_json::from_str(&all.stdout).unwrap();
        assert_eq!((all.exit, &json["failures"], &json["passing"]), (1, &1.into(), &1.into()), "{all:?}");
        assert!(all.stdout.contains(name), "{all:?}");
    }
    // What a list expects to fail has failed all the same.
    fs::write(folder.path().join("known.toml"), "[[known]]\nid = \"a.json::d\"\nreason = \"x\"\n").unwrap();
    assert_eq!(vmconf(&["run", "-q", "a.json", "--known", "known.toml"]).exit, 0);
    let listed = suspects(&["last"]);
    assert!(listed.exit == 1 && listed.stdout.starts_with("1 failure"), "{listed:?}");
    assert_eq!(vmconf(&["run", "-q", "b.json"]).exit, 1);
    // Cases that no longer exist are counted.
    fs::write(folder.path().join("b.json"), vector(7).replace("\"name\":\"d\"", "\"name\":\"e\"")).unwrap();
    let fewer = suspects(&["last"]);
    assert!(fewer.exit == 1 && fewer.stderr.starts_with("note: 1 case of this run left out"), "{fewer:?}");
}

/// If a machine reports other gas in each case, no instruction is to blame: what differs is said once.
#[test]
fn what_differs_in_cases_without_a_suspect_is_said() {
    let serve = env!("CARGO_BIN_EXE_vmconf");
    let vm = format!(r#"mine=sh -c '"{serve}" serve evm | sed -u -e s/.gas.:.0x/\&1/'"#);
    let args = ["suspects", "vectors/evm/arithmetic", "--vm", &vm];
    let Ran { exit, stdout, stderr } = vmconf(&args);
    assert_eq!((exit, &*stderr), (1, ""));
    let (_, told) = stdout.split_once("\n\nnot explained: ").unwrap();
    let lines: Vec<_> = told.lines().collect();
    let [all, differing, next] = &lines[..] else { panic!("{stdout}") };
    let cases = all.strip_suffix(" cases").unwrap();
    // None of them ends with a halt, so that each demands gas.
    assert_eq!(cases, vmconf(&["list", "vectors/evm/arithmetic"]).stdout.lines().count().to_string());
    assert_eq!(*differing, format!("  evm gas: other value: {cases} cases"));
    assert!(next.starts_with("    next: vmconf diff 'vectors/evm/arithmetic/"), "{stdout}");
    let json = vmconf(&[&args[..], &["--output", "json"]].concat()).stdout;
    let json: Json = serde_json::from_str(&json).unwrap();
    Validator::named("suspects").assert_accepts(&json, "differing");
    assert_eq!(json["differing"][0]["cases"].to_string(), cases);
    assert_eq!(json["differing"][0]["example"], json["unexplained"][0]);
}

/// What the cases of a run on another machine do is compared with the embedded machine, so that machine is asked for.
#[test]
fn a_recorded_run_on_another_machine_needs_that_machine() {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(&folder, &["-q"]).exit, 1);
    let suspects = |args: &[&str]| {
        let mut command = command(&[&["suspects", "--run", "last"], args].concat());
        ran(command.env("VMCONF_CACHE", folder.path()).output().unwrap())
    };
    let unnamed = suspects(&[]);
    assert_eq!((unnamed.exit, &*unnamed.stdout), (2, ""));
    assert!(
        unnamed.stderr.starts_with("error: --run last: this run was on the machine mine, "),
        "{unnamed:?}"
    );
    let named = suspects(&["--vm", &swapped()]);
    assert!(named.stdout.starts_with("11 failures, 2 suspects: BYTE (6), SDIV (5)\n"), "{named:?}");
}
