//! `vmconf matrix`: several machines over the same cases.

use std::fs;
use std::path::Path;
use std::process::Command;

use scraper::{Html, Selector};
use serde_json::Value as Json;
use tempfile::TempDir;
use vmconf::model::Renderer;
use vmconf::report::matrix::{MATRICES, badge};
use vmconf::wire::matrix::{Agreement, Matrix, MatrixCell, MatrixGroup, MatrixSuite};

use crate::support::browser::browser;
use crate::support::validator::Validator;
use crate::support::{Ran, at_root, command, counts, path_with_vmconf, ran, vmconf};

const SERVE: &str = "vmconf serve evm";

/// The matrix of three machines: one of ours, one that computes something else, one that lacks a field.
fn three(form: &str, more: &[&str]) -> Ran {
    let ours = format!("ours={SERVE}");
    let wrong = format!("wrong=sh -c '{SERVE} | sed -u s/0x13872/0x13873/'");
    let lacking = format!("lacking=sh -c '{SERVE} | sed -u s/callcreates/nothing/'");
    let args = [
        "matrix",
        "vectors/evm/arithmetic",
        "vectors/evm/gas",
        "--vm",
        &ours,
        "--vm",
        &wrong,
        "--vm",
        &lacking,
    ];
    vmconf(&[&args[..], &["--output", form], more].concat())
}

#[test]
fn disagreements_come_first() {
    let Ran { exit, stdout, stderr } = three("json", &[]);
    assert_eq!((exit, &*stderr), (1, ""));
    Validator::named("matrix").assert_accepts(&serde_json::from_str::<Json>(&stdout).unwrap(), "the matrix");
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    assert_eq!(matrix.machines, ["ours", "wrong", "lacking"]);
    let names: Vec<_> = matrix.suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["arithmetic", "gas"]);
    for suite in &matrix.suites {
        let [ours, wrong, lacking] = suite.cells[..] else { panic!("{suite:?}") };
        assert_eq!(ours.passed, ours.cases());
        assert_eq!(wrong.passed + wrong.failed, ours.passed);
        assert!(lacking.unsupported > 0 && lacking.passed + lacking.unsupported == ours.passed, "{suite:?}");
    }
    let first = &matrix.groups[0];
    assert_eq!(first.what, Agreement::Disagree);
    assert_eq!(first.outcomes, ["pass", "evm gas: other value", "unsupported: no field callcreates"]);
    assert_eq!(matrix.groups.last().unwrap().what, Agreement::Unsupported);
}

/// The command that explains a case has the flags with which the cases ran, and the one machine.
#[test]
fn the_next_command_explains_what_ran() {
    let Ran { stdout, .. } = three("json", &["--max-steps", "5000"]);
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    let next = matrix.groups[0].next.as_ref().unwrap();
    assert!(next.contains(" --max-steps 5000") && next.matches("--vm").count() == 1, "{next}");
    assert!(next.contains("--vm 'wrong="), "{next}");
}

#[test]
fn every_form_names_machines_and_causes() {
    let folder = TempDir::new().unwrap();
    let badges = folder.path().to_str().unwrap();
    for form in ["text", "markdown", "html"] {
        let Ran { exit, stdout, .. } = three(form, &["--badges", badges]);
        assert_eq!(exit, 1);
        for part in ["ours", "wrong", "lacking", "the machines disagree", "unsupported"] {
            assert!(stdout.contains(part), "{form}: no {part}: {stdout}");
        }
    }
    let badge = fs::read_to_string(folder.path().join("ours.svg")).unwrap();
    let badge = roxmltree::Document::parse(&badge).unwrap();
    assert!(badge.root_element().attribute("aria-label").unwrap().starts_with("ours: "));
}

/// The badge of a machine with these counts: what it says, and the colour of that.
fn badge_of(cell: MatrixCell) -> (String, String) {
    let suites = vec![MatrixSuite { name: "suite".to_owned(), cells: vec![cell] }];
    let machines = vec!["m".to_owned()];
    let matrix = Matrix { machines, broken: vec![], suites, groups: vec![], not_compared: vec![] };
    let badge = badge(&matrix, 0).unwrap();
    let badge = roxmltree::Document::parse(&badge).unwrap();
    let last = |tag: &str| badge.descendants().rfind(|it| it.has_tag_name(tag)).unwrap();
    (last("text").text().unwrap().to_owned(), last("rect").attribute("fill").unwrap().to_owned())
}

/// A badge counts the cases that ran. Its colour is that of success if the machine passes all that it supports.
#[test]
fn a_badge_says_how_many_cases_pass() {
    let none = MatrixCell::default();
    let (said, good) = badge_of(MatrixCell { passed: 2, skipped: 4, ..none });
    assert_eq!(said, "2 of 2");
    let (said, color) = badge_of(MatrixCell { passed: 2, unsupported: 1, skipped: 4, ..none });
    assert_eq!((&*said, &color), ("2 of 3, 1 unsupported", &good));
    for (cell, expected) in [
        (MatrixCell { passed: 2, failed: 1, ..none }, "2 of 3"),
        (MatrixCell { passed: 2, known: 1, unsupported: 1, ..none }, "2 of 4, 1 known, 1 unsupported"),
        (MatrixCell { passed: 2, known: 1, ..none }, "2 of 3, 1 known"),
        (MatrixCell { unsupported: 3, ..none }, "0 of 3, 3 unsupported"),
        (none, "0 of 0"),
    ] {
        let (said, color) = badge_of(cell);
        assert_eq!(said, expected);
        assert_ne!(color, good, "{said}");
    }
}

/// Of many cases in which machines differ alike, some are named and the others counted.
#[test]
fn cases_that_are_not_named_are_counted() {
    let matrix = |count: usize| Matrix {
        machines: vec!["a".to_owned(), "b".to_owned()],
        broken: vec![],
        suites: vec![],
        groups: vec![MatrixGroup {
            what: Agreement::Disagree,
            outcomes: vec!["pass".to_owned(), "fail".to_owned()],
            count,
            cases: vec!["x.json::<b>one</b>".to_owned(), "x.json::two".to_owned()],
            differences: vec![None, Some("out: expected \"<b>\", actual \"<i>\"".to_owned())],
            next: None,
            explore: None,
        }],
        not_compared: vec![],
    };
    let written = |form: &str, count: usize| {
        let mut out = Vec::new();
        (Renderer::by_name(MATRICES, form).unwrap().new)(&mut out, &matrix(count)).unwrap();
        String::from_utf8(out).unwrap()
    };
    for form in ["text", "html"] {
        assert!(written(form, 7).contains("and 5 more"), "{form}: {}", written(form, 7));
        assert!(!written(form, 2).contains("more"), "{form}: {}", written(form, 2));
    }
    // What differs is text of the page, and no part of it.
    let html = written("html", 7);
    let page = Html::parse_document(&html);
    assert_eq!(page.select(&Selector::parse("b, i").unwrap()).count(), 0, "{html}");
    let text = page.root_element().text().collect::<String>();
    assert!(text.contains("b: out: expected \"<b>\", actual \"<i>\""), "{text}");
}

#[test]
fn machines_have_different_names() {
    let ours = format!("ours={SERVE}");
    assert_eq!(vmconf(&["matrix", "--vm", &ours, "--vm", &ours]).exit, 2);
    assert_eq!(vmconf(&["matrix", "vectors/evm/gas"]).exit, 2);
}

/// Files in the working folder are the suite of that name, also beside those of others.
#[test]
fn the_working_folder_is_a_suite() {
    let folder = TempDir::new().unwrap();
    let arithmetic = folder.path().join("arithmetic");
    fs::create_dir_all(arithmetic.join("more")).unwrap();
    let suites = |files: &[&str]| -> Vec<String> {
        for file in files {
            fs::copy(at_root("vectors/evm/arithmetic/add.json"), arithmetic.join(file)).unwrap();
        }
        let args = ["matrix", ".", "--vm", &format!("ours={SERVE}"), "--output", "json"];
        let ran = ran(command(&args).current_dir(&arithmetic).output().unwrap());
        let matrix: Matrix = serde_json::from_str(&ran.stdout).unwrap();
        matrix.suites.into_iter().map(|suite| suite.name).collect()
    };
    assert_eq!(suites(&["add.json"]), ["arithmetic"]);
    assert_eq!(suites(&["add.json", "more/add.json"]), ["arithmetic", "more"]);
    // A folder of the same name is another suite.
    fs::create_dir(arithmetic.join("arithmetic")).unwrap();
    assert_eq!(suites(&["arithmetic/add.json"]), ["arithmetic", "arithmetic/arithmetic", "more"]);
}

/// A folder may have the name of the one that it is in: its files are a suite of their own.
#[test]
fn suites_of_one_name_are_two() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("v/v")).unwrap();
    let suites = |file: &str| {
        fs::copy(at_root("vectors/evm/arithmetic/add.json"), folder.path().join(file)).unwrap();
        let args = ["matrix", "v", "--vm", &format!("ours={SERVE}"), "--output", "json"];
        let ran = ran(command(&args).current_dir(folder.path()).output().unwrap());
        let matrix: Matrix = serde_json::from_str(&ran.stdout).unwrap();
        let count = |suite: &MatrixSuite| (suite.name.clone(), suite.cells[0].passed);
        matrix.suites.iter().map(count).collect::<Vec<_>>()
    };
    let one = suites("v/add.json");
    let cases = one[0].1;
    assert!(cases > 0);
    assert_eq!(one, [("v".to_owned(), cases)]);
    assert_eq!(suites("v/v/add.json"), [("v".to_owned(), cases), ("v/v".to_owned(), cases)]);
}

/// A machine that does not start has a column, and the others run. Without `--vm`, the machines are those of the
/// configuration.
#[test]
fn a_machine_that_does_not_start_does_not_end_the_others() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("vectors/evm/arithmetic/add.json"), folder.path().join("add.json")).unwrap();
    let lacking = format!("sh -c '{SERVE} | sed -u s/callcreates/nothing/'");
    let config = format!(
        "[vm.dead]\ncommand = \"no-such-program\"\n[vm.ours]\ncommand = \"{SERVE}\"\n\
         [vm.lacking]\ncommand = \"{lacking}\"\n"
    );
    fs::write(folder.path().join("vmconf.toml"), config).unwrap();
    let run = |args: &[&str]| {
        let mut command = command(&[&["matrix", "add.json"], args].concat());
        ran(command.current_dir(&folder).env("VMCONF_CACHE", folder.path()).output().unwrap())
    };
    let Ran { exit, stdout, .. } = run(&["--badges", "."]);
    assert_eq!(exit, 3, "{stdout}");
    assert!(stdout.starts_with("error: dead: no-such-program cannot be started: "), "{stdout}");
    assert!(
        stdout.contains("  dead     5 errors\n  lacking  5 unsupported\n  ours     5 passed\n"),
        "{stdout}"
    );
    let badge = fs::read_to_string(folder.path().join("lacking.svg")).unwrap();
    assert!(badge.contains(">0 of 5, 5 unsupported<"), "{badge}");
    // Nothing fails where nothing is supported.
    let Ran { exit, stdout, .. } = run(&["--vm", "lacking"]);
    assert_eq!(exit, 4, "{stdout}");
    assert!(stdout.starts_with("5 cases: supported by no machine\n"), "{stdout}");
}

/// The values that differ, and the command that explains them, which works as it is printed.
#[test]
fn the_difference_and_the_next_command_are_shown() {
    let Ran { stdout, .. } = three("json", &[]);
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    let first = &matrix.groups[0];
    let [None, Some(difference), None] = &first.differences[..] else { panic!("{first:?}") };
    assert_eq!(difference, "gas: expected 0x13872 (79986), actual 0x13873 (79987)");
    let mut next = Command::new("sh");
    next.args(["-c", first.next.as_ref().unwrap()]).current_dir(at_root("")).env("PATH", path_with_vmconf());
    let explained = next.output().unwrap();
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.status.code() == Some(1) && text.contains("actual   0x13873 (79987)"), "{text}");
    let Ran { stdout, .. } = three("text", &[]);
    assert!(stdout.contains(difference) && stdout.contains("  why: vmconf diff "), "{stdout}");
}

/// A report with these lines between the first and the last.
fn report(vm: &str, cases: &[Json]) -> String {
    let start = serde_json::json!({
        "type": "run", "version": 1, "vmconf": "0.1.0", "files": 1, "system": "plan9 <mips>",
        "vm": {"name": vm, "implementation": "<img src=x onerror=alert(1)>", "release": "1 | 2`\u{1b}[31m",
               "extensions": ["0xf1 <script>|`\n# x\u{1b}[31m"]},
        "versions": [{"folder": ".", "version": "1 <script>|`\n# x\u{1b}[31m", "commit": "<script>\n# x"}]
    });
    let mut summary = serde_json::json!({"type": "summary", "exit": 0, "seconds": 0.1});
    summary.as_object_mut().unwrap().extend(counts(cases));
    let lines = std::iter::once(&start).chain(cases).chain([&summary]);
    lines.map(Json::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

fn case(file: &str, name: &str, verdict: &Json) -> Json {
    let mut case = serde_json::json!({
        "type": "case", "id": format!("{file}::{name}"), "file": file, "name": name, "format": "neovm-n3",
        "machine": "neo3", "seconds": 0.1
    });
    case.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    case
}

/// The paths of reports in the folder.
fn reports(folder: &Path, reports: &[(&str, String)]) -> Vec<String> {
    let write = |(name, text): &(&str, String)| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    reports.iter().map(write).collect()
}

fn known(reason: &str, link: &str) -> Json {
    serde_json::json!({
        "verdict": "known", "ended": "HALT", "differences": [{"path": "gas", "expected": {"int": "1"},
        "actual": {"int": "2"}, "line": 1, "column": 1}],
        "known": {"place": "known.toml:1:1", "reason": reason, "link": link}
    })
}

/// What the pages say comes from the reports: counts, history, deviations with reasons, categories.
#[test]
fn the_site_shows_what_reports_say() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let unsupported = serde_json::json!({"verdict": "unsupported", "reason": "no syscalls"});
    let old = report("mine", &[case("suites/refs/a.json", "one", &unsupported)]);
    let cases = [
        case("suites/refs/a.json", "one", &pass),
        case("suites/limits/b.json", "two", &known("counts <b>otherwise</b>", "https://example.org/1")),
        case("suites/limits/b.json", "three", &unsupported),
        case("suites/limits/b.json", "three", &unsupported),
    ];
    let paths = reports(
        folder.path(),
        &[
            ("old.json", old),
            ("new.json", report("mine", &cases)),
            ("other.json", report("other", &cases[..1])),
        ],
    );
    let site = folder.path().join("site");
    let args = ["matrix", "--site", site.to_str().unwrap(), "--output", "json"];
    let args: Vec<_> =
        args.into_iter().chain(paths.iter().flat_map(|path| ["--results", path.as_str()])).collect();
    let Ran { exit, stdout, stderr } = vmconf(&args);
    assert_eq!((exit, &*stderr), (0, ""));
    let matrix: Matrix = serde_json::from_str(&stdout).unwrap();
    assert_eq!(matrix.machines, ["mine", "other"]);
    let cells: Vec<_> =
        matrix.suites.iter().map(|suite| (&*suite.name, suite.cells[0], suite.cells[1])).collect();
    let [("limits", mine, other), ("refs", _, refs)] = cells[..] else { panic!("{cells:?}") };
    // What the other machine's report does not have was not run, and is no error.
    assert_eq!((mine.failed, mine.known, mine.unsupported, other.cases(), refs.passed), (0, 1, 1, 0, 1));
    let read = |name: &str| fs::read_to_string(site.join(name)).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(&site).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let of =
        |slug| ["-statement.html", "-statement.md", ".html", ".svg"].map(|ending| format!("{slug}{ending}"));
    let expected: Vec<_> =
        std::iter::once("index.html".to_owned()).chain(of("mine")).chain(of("other")).collect();
    assert_eq!(names, expected);
    let page = read("mine.html");
    for part in ["1 of 3", "1 known, 1 unsupported", "no syscalls", "counts &#60;b&#62;otherwise", "0 of 1"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        page.contains("<a href=\"https:&#47;") || page.contains("<a href=\"https://example.org/1\""),
        "{page}"
    );
    let statement = read("mine-statement.md");
    for part in [
        "| reference counting | 1 of 1 |",
        "| limits | 0 of 2 | 1 known, 1 unsupported |",
        "- 1 case: <code>neo3 gas&#58; other value</code>; known: <code>counts &#60;b&#62;otherwise",
        "| report | <code>new&#46;json</code> |",
        "No case: exceptions",
        "| system | <code>plan9 &#60;mips&#62;</code> |",
    ] {
        assert!(statement.contains(part), "{part}: {statement}");
    }
    assert!(read("mine.svg").contains(">1 of 3, 1 known, 1 unsupported<"), "{}", read("mine.svg"));
    // The same reports give the same pages, which replace those of vmconf and no others.
    let index = read("index.html");
    assert!(index.contains(">not run<"), "{index}");
    assert_eq!(vmconf(&args).exit, 0);
    assert_eq!(read("index.html"), index);
    fs::write(site.join("other.html"), "of somebody").unwrap();
    let refused = vmconf(&args);
    assert!(refused.exit == 2 && refused.stderr.contains("other.html: this file exists"), "{refused:?}");
    // A statement is on one machine.
    let file = folder.path().join("st.md");
    let one = ["matrix", "--results", &paths[1], "--statement", file.to_str().unwrap()];
    assert_eq!(vmconf(&one).exit, 0);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().next(), statement.lines().next());
    let two = [&one[..], &["--results", &paths[2]]].concat();
    let refused = vmconf(&two);
    assert!(refused.exit == 2 && refused.stderr.contains("mine, other"), "{refused:?}");
}

/// Names and texts of reports become text of the pages, and nothing else. Pages ask for nothing.
#[test]
fn reports_are_hostile() {
    let folder = TempDir::new().unwrap();
    let evil = "</h1><script>alert(1)</script>\u{202e}|`\n# x";
    let name = "<script>alert(1)</script>|`";
    let cases = [
        case("a/<script>.json", name, &known(evil, "javascript:alert(1)")),
        case("a/<script>.json", "quotes", &known(evil, "https://x/\" onclick=\"alert(1)\" id='")),
        case("a/b.json", name, &serde_json::json!({"verdict": "unsupported", "reason": evil})),
    ];
    let paths = reports(folder.path(), &[("evil.json", report("../../<script>", &cases))]);
    let site = folder.path().join("in/site");
    let Ran { exit, stderr, .. } =
        vmconf(&["matrix", "--results", &paths[0], "--site", site.to_str().unwrap(), "--output", "html"]);
    assert_eq!((exit, &*stderr), (0, ""));
    // No file is outside of the folder.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    for file in fs::read_dir(&site).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for part in ["<script", "<img", "href=\"javascript", "\u{202e}", "\u{1b}", "\n# x"] {
            assert!(!text.contains(part), "{}: {part}: {text}", path.display());
        }
        let page = Html::parse_document(&text);
        let clicked = page.select(&Selector::parse("[onclick]").unwrap()).count();
        assert_eq!(clicked, 0, "{}: {text}", path.display());
    }
    if let Some(browser) = browser() {
        let dom = browser.dom(&site.join("script.html"), "");
        assert!(dom.contains("unsupported because") && !dom.contains("<script"), "{dom}");
    }
}

/// Pages say which vectors each machine ran, and which machines did not run the same.
#[test]
fn pages_say_which_vectors_ran() {
    let folder = TempDir::new().unwrap();
    let case = |file: &str, content: Option<&str>| {
        let mut verdict = serde_json::json!({"verdict": "pass"});
        if let Some(content) = content {
            verdict["content"] = Json::from(content.repeat(16));
        }
        case(file, "one", &verdict)
    };
    let mine = [case("s/a/x.json", Some("01")), case("s/b/y.json", Some("02"))];
    let other = [case("s/a/x.json", Some("01")), case("s/b/y.json", Some("03"))];
    let old = [case("s/a/x.json", None), case("s/b/y.json", None)];
    let paths = reports(
        folder.path(),
        &[
            ("mine.json", report("mine", &mine)),
            ("other.json", report("other", &other)),
            ("old.json", report("old", &old)),
        ],
    );
    let site = folder.path().join("site");
    let results: Vec<_> = paths.iter().flat_map(|path| ["--results", path]).collect();
    let Ran { exit, stderr, .. } =
        vmconf(&[&["matrix", "--site", site.to_str().unwrap()], &results[..]].concat());
    let what = "1 file with other content: s/b/y.json";
    let warning = format!("warning: b: the results of mine and other cannot be compared: {what}\n");
    assert_eq!((exit, stderr), (0, warning));
    let read = |name: &str| fs::read_to_string(site.join(name)).unwrap();
    assert!(read("index.html").contains(what), "{}", read("index.html"));
    let digests = |name: &str| -> Vec<String> {
        let statement = read(&format!("{name}-statement.md"));
        let (_, suites) = statement.split_once("| digest |\n").unwrap();
        let last = |line: &str| line.rsplit(" | ").next().unwrap().to_owned();
        suites.lines().skip(1).map(last).collect()
    };
    let (mine, other) = (digests("mine"), digests("other"));
    assert!(mine[0] == other[0] && mine[1] != other[1], "{mine:?} {other:?}");
    assert_eq!(mine[0].len(), "`".len() + 64 + "` |".len());
    assert_eq!(digests("old"), ["not said by the report |"; 2]);
    // The page has the start of the digest, and the whole as a title.
    let whole = mine[0].trim_matches(|it| "`| ".contains(it));
    let shown = format!("<abbr title=\"{whole}\">{}</abbr>", &whole[..12]);
    assert!(read("mine-statement.html").contains(&shown), "{}", read("mine-statement.html"));
}

/// A run of some of the cases is no run of all, although the files, and so the digests, are the same.
#[test]
fn statements_say_that_only_some_cases_ran() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |name: &str, more: &[&str]| {
        let json = format!("json={}", path(name));
        let args = ["run", "vectors/evm/arithmetic/div.json", "--report", &json];
        assert_eq!(vmconf(&[&args[..], more].concat()).exit, 0);
        fs::read_to_string(path(name)).unwrap()
    };
    assert!(!run("all.json", &[]).contains("\"only\""));
    let some = run("some.json", &["-E", "name(~wide)", "--sample", "1"]);
    let first: Json = serde_json::from_str(some.lines().next().unwrap()).unwrap();
    assert_eq!(first["only"], serde_json::json!(["-E=name(~wide)", "--sample=1:0"]));
    let case = "vectors/evm/arithmetic/div.json::wide";
    let json = format!("json={}", path("one.json"));
    assert_eq!(vmconf(&["run", case, "--report", &json]).exit, 0);
    let one = fs::read_to_string(path("one.json")).unwrap();
    let first: Json = serde_json::from_str(one.lines().next().unwrap()).unwrap();
    assert_eq!(first["only"], serde_json::json!([case]));

    let statement = |args: &[&str]| {
        let file = path("statement.md");
        let ran = vmconf(&[&["matrix"], args, &["--statement", &file]].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        (fs::read_to_string(file).unwrap(), ran.stderr)
    };
    let row = "| run | <code>only the cases of ";
    let (text, warned) = statement(&["--results", &path("some.json")]);
    assert!(text.contains(row), "{text}");
    assert_eq!(warned, "warning: embedded ran only the cases of -E=name(~wide) --sample=1:0\n");
    let (text, warned) = statement(&["--results", &path("all.json")]);
    assert!(!text.contains(row) && warned.is_empty(), "{warned} {text}");
    let vm = format!("ours={SERVE}");
    let (text, _) = statement(&["vectors/evm/arithmetic/div.json", "--filter", "wide", "--vm", &vm]);
    assert!(text.contains(row), "{text}");

    let results = [format!("all={}", path("all.json")), format!("one={}", path("one.json"))];
    let site = path("site");
    let args = ["matrix", "--site", &site, "--results", &results[0], "--results", &results[1]];
    let warned = vmconf(&args).stderr;
    assert!(warned.contains("the results of all and one cannot be compared: the first ran "), "{warned}");
    let page = fs::read_to_string(folder.path().join("site/one.html")).unwrap();
    assert!(page.contains("only the cases of "), "{page}");
}

/// The newest report of a machine is what counts: what only earlier ones have is not lost in silence.
#[test]
fn folders_that_only_earlier_reports_have_are_named() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let paths = reports(
        folder.path(),
        &[
            ("evm.json", report("mine", &[case("evm/gas/a.json", "one", &pass)])),
            ("neo.json", report("mine", &[case("neo/a.json", "one", &pass)])),
        ],
    );
    let ran = vmconf(&["matrix", "--results", &paths[0], "--results", &paths[1]]);
    let warning = "warning: mine: only the newest report counts, and it has no case of evm/gas, which earlier reports have\n";
    assert_eq!((ran.exit, &*ran.stderr), (0, warning));
    let others = [format!("a={}", paths[0]), format!("b={}", paths[1])];
    assert_eq!(vmconf(&["matrix", "--results", &others[0], "--results", &others[1]]).stderr, "");
}

/// The error of a list of known failures is none of a case.
#[test]
fn errors_of_lists_are_not_counted_as_cases() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("known.toml");
    fs::write(&list, "[[known]]\nid = \"vectors/evm/gas/gone.json::a\"\nreason = \"gone\"\n").unwrap();
    let report = folder.path().join("r.jsonl").display().to_string();
    let json = format!("json={report}");
    let run = ["run", "vectors/evm/gas", "--known", list.to_str().unwrap(), "--report", &json];
    let ran = vmconf(&run);
    assert!(ran.exit == 3 && ran.stdout.contains("no case matches vectors/evm/gas/gone.json::a"), "{ran:?}");
    let file = folder.path().join("s.md");
    let stated = |args: &[&str]| {
        assert_eq!(vmconf(&[args, &["--statement", file.to_str().unwrap()]].concat()).exit, 0);
        let text = fs::read_to_string(&file).unwrap();
        text.lines()
            .find(|line| line.starts_with("| passed |"))
            .map(str::to_owned)
            .expect("how many cases passed")
    };
    let vm = format!("mine={SERVE}");
    assert_eq!(
        stated(&["matrix", "--results", &report]),
        stated(&["matrix", "vectors/evm/gas", "--vm", &vm])
    );
}

/// Reports of runs that began in different folders have no case in common.
#[test]
fn the_same_files_under_other_names_are_noted() {
    let folder = TempDir::new().unwrap();
    let outer = at_root("vectors/evm/gas");
    let run = |name: &str, working: &Path, path: &str| {
        let report = folder.path().join(name).display().to_string();
        let args = ["run", path, "--report", &format!("json={report}")];
        assert_eq!(ran(command(&args).current_dir(working).output().unwrap()).exit, 0);
        report
    };
    let one = run("one.jsonl", outer.parent().unwrap(), "gas");
    let other = run("other.jsonl", &outer, ".");
    let args = ["matrix", "--results", &format!("a={one}"), "--results", &format!("b={other}")];
    let warned = vmconf(&args).stderr;
    assert!(warned.contains("the results of a and b cannot be compared: gas/"), "{warned}");
    assert!(warned.contains(" of the first is "), "{warned}");
    let same = ["matrix", "--results", &format!("a={one}"), "--results", &format!("b={one}")];
    assert_eq!(vmconf(&same).stderr, "");
}

/// A report that says of one case that it passed and that it failed says nothing.
#[test]
fn a_case_with_two_outcomes_is_refused() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let fail = serde_json::json!({"verdict": "unsupported", "reason": "no syscalls"});
    let of = |second: &Json| report("x", &[case("a.json", "one", &pass), case("a.json", "one", second)]);
    let skip = serde_json::json!({"verdict": "skip", "reason": "it ran before"});
    let texts = [("same.json", of(&pass)), ("other.json", of(&fail)), ("skipped.json", of(&skip))];
    let paths = reports(folder.path(), &texts);
    for path in [&paths[0], &paths[2]] {
        let Ran { exit, stdout, .. } = vmconf(&["matrix", "--results", path, "--output", "json"]);
        let cell = &serde_json::from_str::<Json>(&stdout).unwrap()["suites"][0]["cells"][0];
        assert_eq!((exit, &cell["passed"], &cell["skipped"]), (0, &1.into(), &0.into()), "{path}");
    }
    let Ran { exit, stdout, stderr } = vmconf(&["matrix", "--results", &paths[1]]);
    assert_eq!((exit, &*stdout), (2, ""));
    let expected = format!("error: {}:3: \"a.json::one\" occurs twice, with different outcomes\n", paths[1]);
    assert_eq!(stderr, expected);
}

/// Nothing is written if one of the badges cannot be.
#[test]
fn badges_are_checked_before_one_is_written() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let of = |vm: &str| report(vm, &[case("a.json", "one", &pass)]);
    let machines = ["ours", "Ours", "no/name"].map(|vm| (format!("{}.json", vm.replace('/', "")), of(vm)));
    let named: Vec<_> = machines.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    fs::create_dir(folder.path().join("reports")).unwrap();
    let paths = reports(&folder.path().join("reports"), &named);
    let badges = folder.path().join("badges");
    for (other, said) in [
        (1, "ours and Ours would be one file on some systems; rename one of them"),
        (2, "\"no/name\" is not a file name"),
    ] {
        let results = ["matrix", "--results", &paths[0], "--results", &paths[other]];
        let refused = vmconf(&[&results[..], &["--badges", badges.to_str().unwrap()]].concat());
        assert!(refused.exit == 2 && refused.stderr.contains(said), "{refused:?}");
        assert!(!badges.exists());
    }
}

/// Files of the site have the names of their machines, each its own, and replace none of somebody else.
#[test]
fn files_of_the_site_replace_no_others() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let of = |vm: &str| report(vm, &[case("evm/gas/a.json", "one", &pass)]);
    let paths = reports(folder.path(), &[("1.json", of("x")), ("2.json", of("x-statement"))]);
    let site = folder.path().join("site");
    let args = ["matrix", "--results", &paths[0], "--results", &paths[1], "--site", site.to_str().unwrap()];
    assert_eq!(vmconf(&args).exit, 0);
    let read = |name: &str| fs::read_to_string(site.join(name)).unwrap();
    assert!(read("x-statement.html").contains("Conformance statement: x<"), "{}", read("x-statement.html"));
    assert_eq!(vmconf(&args).exit, 0, "its own files are replaced");
    for (name, kind) in [("x-statement.md", "statement"), ("x.svg", "badge"), ("x.html", "page")] {
        let own = read(name);
        fs::write(site.join(name), "<svg xmlns=\"http://www.w3.org/2000/svg\">of somebody</svg>").unwrap();
        let refused = vmconf(&args);
        let what = format!("{name}: this file exists and is no {kind} of vmconf");
        assert!(refused.exit == 2 && refused.stderr.contains(&what), "{refused:?}");
        fs::write(site.join(name), own).unwrap();
    }
    let badges = ["matrix", "--results", &paths[0], "--badges", site.to_str().unwrap()];
    assert_eq!(vmconf(&badges).exit, 0);
    fs::write(site.join("x.svg"), "of somebody").unwrap();
    let refused = vmconf(&badges);
    assert!(refused.exit == 2 && refused.stderr.contains("x.svg: this file exists"), "{refused:?}");
}

/// What an earlier site has of a machine that is no longer given stays, with a note. Files of somebody else are none.
#[test]
fn files_of_an_earlier_site_are_noted() {
    let folder = TempDir::new().unwrap();
    let of = |vm: &str| report(vm, &[case("evm/gas/a.json", "one", &serde_json::json!({"verdict": "pass"}))]);
    let paths = reports(folder.path(), &[("1.json", of("x")), ("2.json", of("y"))]);
    let site = folder.path().join("site");
    let write = |results: &[&str]| {
        let results: Vec<_> = results.iter().flat_map(|path| ["--results", path]).collect();
        vmconf(&[&["matrix", "--site", site.to_str().unwrap()], &results[..]].concat())
    };
    assert_eq!(write(&[&paths[0], &paths[1]]).stderr, "");
    fs::write(site.join("empty.html"), "").unwrap();
    fs::write(site.join("other.html"), "<p>of somebody</p>").unwrap();
    let again = write(&[&paths[0]]);
    let noted: Vec<_> = again.stderr.lines().filter_map(|line| line.rsplit('/').next()).collect();
    let of_y = [
        ("y-statement.html", "page"),
        ("y-statement.md", "statement"),
        ("y.html", "page"),
        ("y.svg", "badge"),
    ];
    let expected =
        of_y.map(|(name, kind)| format!("{name} is a {kind} of an earlier site, to which nothing links"));
    assert_eq!(noted, expected, "{}", again.stderr);
    let refused = vmconf(&["matrix", "--results", &paths[0], "--statement", "-"]);
    assert_eq!(refused.exit, 2);
    assert!(refused.stderr.contains("--statement -: standard output has the table"), "{}", refused.stderr);
}

/// A statement quotes what the machine says that it does beyond the specification.
#[test]
fn statements_have_the_extensions_of_the_machine() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("mine.sh");
    let declare = r#"s/"requests"/"extensions":["0xf1 is LOG of <mine>"],"requests"/"#;
    fs::write(&script, format!("{SERVE} | sed -u '{declare}'\n")).unwrap();
    let vm = format!("mine=sh {}", script.display());
    let file = folder.path().join("mine.md");
    let run = ["matrix", "vectors/evm/gas", "--vm", &vm, "--statement", file.to_str().unwrap()];
    assert_eq!(vmconf(&run).exit, 0);
    let statement = fs::read_to_string(&file).unwrap();
    let section = "## Extensions\n\n- <code>0xf1 is LOG of &#60;mine&#62;</code>\n\n";
    assert!(statement.contains(section), "{statement}");
    // The report of a run says it, too.
    let report = folder.path().join("mine.json");
    let json = format!("json={}", report.display());
    assert_eq!(vmconf(&["run", "vectors/evm/gas", "--vm", &vm, "--report", &json]).exit, 0);
    let of_report = ["matrix", "--results", report.to_str().unwrap(), "--statement", file.to_str().unwrap()];
    assert_eq!(vmconf(&of_report).exit, 0);
    assert!(fs::read_to_string(&file).unwrap().contains(section));
}

/// A statement says in which language the machine is written, and of one that does not start, that nothing else is
/// known.
#[test]
fn statements_say_what_the_machine_is() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("s.md");
    let stated = |vm: &str, exit: i32| {
        let run = ["matrix", "vectors/evm/gas", "--vm", vm, "--statement", file.to_str().unwrap()];
        assert_eq!(vmconf(&run).exit, exit, "{vm}");
        fs::read_to_string(&file).unwrap()
    };
    let script = folder.path().join("mine.sh");
    fs::write(&script, format!("{SERVE} | sed -u 's/\"language\":\"Rust\"/\"language\":\"C\"/'\n")).unwrap();
    let of_c = stated(&format!("mine=sh {}", script.display()), 0);
    assert!(of_c.contains("| language | <code>C</code> |\n"), "{of_c}");
    let broken = stated("mine=false", 3);
    let unknown = "| implementation | <code>not known&#58; the machine does not start</code> |\n";
    assert!(
        broken.contains(unknown) && broken.contains("| passed | <code>no case ran</code> |\n"),
        "{broken}"
    );
    assert!(broken.contains("| outside of cases | ") && !broken.contains("## Deviations"), "{broken}");
    // The pages say the same.
    let site = folder.path().join("site");
    let run = ["matrix", "vectors/evm/gas", "--vm", "mine=false", "--site", site.to_str().unwrap()];
    assert_eq!(vmconf(&run).exit, 3);
    for page in ["mine.html", "mine-statement.html"] {
        let page = fs::read_to_string(site.join(page)).unwrap();
        assert!(
            page.contains("not known: the machine does not start") && !page.contains("Deviations"),
            "{page}"
        );
    }
    // With two machines, nothing runs.
    let two = ["matrix", "--vm", "a=false", "--vm", "b=false", "--statement", file.to_str().unwrap()];
    let ran = vmconf(&two);
    assert!(ran.exit == 2 && ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.ends_with("--statement takes one machine; there are a, b\n"), "{ran:?}");
}

/// A listed failure that passes is a pass: no group says that no machine passes, or that machines disagree.
#[test]
fn listed_cases_that_pass_are_passes() {
    let folder = TempDir::new().unwrap();
    fs::copy(at_root("docs/examples/formats/vmtests.json"), folder.path().join("vmtests.json")).unwrap();
    let id = "vmtests.json::three-and-four";
    fs::write(folder.path().join("known.toml"), format!("[[known]]\nid = \"{id}\"\nreason = \"mended\"\n"))
        .unwrap();
    let report = |file: &str, more: &[&str]| {
        let json = format!("json={file}");
        let mut run = command(&[&["run", "vmtests.json", "--report", &json], more].concat());
        ran(run.current_dir(folder.path()).output().unwrap());
        folder.path().join(file).to_str().unwrap().to_owned()
    };
    let files = [report("listed.json", &["--known", "known.toml"]), report("plain.json", &[])];
    let listed = fs::read_to_string(&files[0]).unwrap();
    assert!(listed.contains("\"fixed\""), "{listed}");
    let named = [format!("one={}", files[0]), format!("two={}", files[1])];
    for named in [&named[..1], &named] {
        let args: Vec<_> = named.iter().flat_map(|file| ["--results", file]).collect();
        let ran = vmconf(&[&["matrix"], &*args].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(!ran.stdout.contains("no machine passes") && !ran.stdout.contains("disagree"), "{ran:?}");
    }
}

/// What a machine says that it lacks is in the text, in the JSON report, and in a statement made of that.
#[test]
fn reports_have_what_the_machine_lacks() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("mine.sh");
    let declare = r#"s/"requests"/"lacks":["forks","blobs"],"requests"/"#;
    fs::write(&script, format!("{SERVE} | sed -u '{declare}'\n")).unwrap();
    let vm = format!("mine=sh {}", script.display());
    let report = folder.path().join("mine.json");
    let json = format!("json={}", report.display());
    let run = ["run", "vectors/evm/gas", "--vm", &vm, "--report", "text", "--report", &json];
    let ran = vmconf(&run);
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.contains("mine says that it lacks: forks, blobs\n"), "{}", ran.stdout);
    let lines = fs::read_to_string(&report).unwrap();
    let head: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(head["vm"]["lacks"], serde_json::json!(["forks", "blobs"]));
    let file = folder.path().join("mine.md");
    let of_report = ["matrix", "--results", report.to_str().unwrap(), "--statement", file.to_str().unwrap()];
    assert_eq!(vmconf(&of_report).exit, 0);
    let statement = fs::read_to_string(&file).unwrap();
    assert!(statement.contains("- says that it lacks: <code>blobs</code>\n"), "{statement}");
    // On pages, a machine has the name that is given with its report.
    let (site, results) = (folder.path().join("site"), format!("named={}", report.display()));
    assert_eq!(vmconf(&["matrix", "--results", &results, "--site", site.to_str().unwrap()]).exit, 0);
    let page = fs::read_to_string(site.join("named.html")).unwrap();
    assert!(page.contains("<p>named says that it lacks: forks, blobs.</p>"), "{page}");
}

/// A report that is cut, is of a part, or is none: the line and what is wrong with it.
#[test]
fn broken_reports_are_errors() {
    let folder = TempDir::new().unwrap();
    let whole = report("mine", &[case("a.json", "b", &serde_json::json!({"verdict": "pass"}))]);
    let (cut, _) = whole.trim_end().rsplit_once('\n').unwrap();
    let part = whole.replacen(
        "\"files\":1",
        "\"files\":1,\"partition\":{\"kind\":\"hash\",\"part\":1,\"of\":2,\"selection\":\"\"}",
        1,
    );
    let twice = format!("{whole}{whole}");
    let (head, rest) = whole.split_once('\n').unwrap();
    let (case_line, summary) = rest.split_once('\n').unwrap();
    let after = format!("{whole}{case_line}\n");
    let missing = format!("{head}\n{summary}");
    let nowhere = report("mine", &[case("a.json", "b", &known("no limits", "https://example.org"))]);
    let nowhere = nowhere.replacen("\"column\":1", "\"column\":0", 1);
    let other_id = whole.replacen("a.json::b", "b.json::b", 1);
    for (text, expected) in [
        (cut, ":3: ends before the run does"),
        (&part, ":1: is of part 1 of 2; vmconf merge joins them"),
        (&twice, ":4: another run begins"),
        (&after, ":4: follows the summary, which must be the last line of a report"),
        (&missing, ":2: has other cases than its summary counts"),
        (&nowhere, ":2: has a line or column 0; the first is 1"),
        (&other_id, ":2: \"b.json::b\" is not an id of this file and name"),
        ("", ":1: is empty"),
        ("{}", ":1: "),
        ("# Conformance", ":1: is not JSON"),
    ] {
        let paths = reports(folder.path(), &[("broken.json", text.to_owned())]);
        let ran = vmconf(&["matrix", "--results", &paths[0]]);
        assert!(ran.exit == 2 && ran.stderr.contains(expected), "{expected}: {ran:?}");
    }
    let flag = vmconf(&["matrix", "--results", "a.json", "--filter", "x"]);
    assert!(flag.exit == 2 && flag.stderr.contains("--filter cannot be used with --results"), "{flag:?}");
}

/// The statement on a report with these cases.
fn statement(cases: &[Json]) -> String {
    let folder = TempDir::new().unwrap();
    let paths = reports(folder.path(), &[("a.json", report("a", cases))]);
    let file = folder.path().join("a.md");
    let ran = vmconf(&["matrix", "--results", &paths[0], "--statement", file.to_str().unwrap()]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    fs::read_to_string(file).unwrap()
}

/// The part of a statement below a heading.
fn below<'s>(statement: &'s str, heading: &str) -> Vec<&'s str> {
    let (_, rest) = statement.split_once(&format!("## {heading}\n\n")).unwrap();
    rest.split("\n\n").next().unwrap().lines().collect()
}

/// A statement says that nothing is left out only if that is so.
#[test]
fn statements_say_what_is_not_supported() {
    let pass = case("a.json", "one", &serde_json::json!({"verdict": "pass"}));
    let unsupported = serde_json::json!({"verdict": "unsupported", "reason": "no syscalls"});
    let heading = "Not supported, not compared";
    let whole = statement(std::slice::from_ref(&pass));
    assert_eq!((below(&whole, heading), below(&whole, "Deviations")), (vec!["Nothing."], vec!["None."]));
    let mut listed = unsupported.clone();
    (listed["verdict"], listed["unlisted"]) = ("known".into(), "unsupported".into());
    listed["known"] = serde_json::json!({"place": "known.toml:1:1", "reason": "not yet"});
    for unsupported in [unsupported, listed] {
        let partly = statement(&[pass.clone(), case("a.json", "two", &unsupported)]);
        assert_eq!(below(&partly, heading), ["- 1 case unsupported: <code>no syscalls</code>"]);
    }
}

/// Known failures come first, then those of most cases; of very many, the others are counted.
#[test]
fn deviations_of_a_statement_are_in_order() {
    let fail = |path: &str| {
        let mut fail = known("", "");
        (fail["verdict"], fail["differences"][0]["path"]) = ("fail".into(), path.into());
        fail.as_object_mut().unwrap().remove("known");
        fail
    };
    let few = [("one", fail("x")), ("two", fail("y")), ("three", fail("y")), ("four", known("slow", "l"))];
    let few = few.map(|(name, verdict)| case("a.json", name, &verdict));
    let written = statement(&few);
    let starts: Vec<_> =
        below(&written, "Deviations").iter().map(|line| line.split("</code>").next()).collect();
    let expected = ["- 1 case: <code>neo3 gas", "- 2 cases: <code>neo3 y", "- 1 case: <code>neo3 x"];
    let expected = expected.map(|start| Some(format!("{start}&#58; other value")));
    assert_eq!(starts, expected.each_ref().map(Option::as_deref));
    let many: Vec<_> = (0..1002)
        .map(|number| case("a.json", &number.to_string(), &known(&number.to_string(), "l")))
        .collect();
    let written = statement(&many);
    let lines = below(&written, "Deviations");
    assert_eq!(lines.len(), 202);
    assert_eq!(lines[200..], ["- and 800 more deviations", "- and 2 cases of other deviations"]);
}

/// What the list of a machine in `vmconf.toml` expects is known, as in a run.
#[test]
fn known_failures_of_machines_are_counted_as_known() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(at_root("vectors/evm/arithmetic/mul.json"), path("mul.json")).unwrap();
    let config = format!(
        "[vm.wrong]\ncommand = \"sh -c '{SERVE} | sed -u s/0x13872/0x13873/'\"\nknown = \"known.toml\"\n"
    );
    fs::write(path("vmconf.toml"), config).unwrap();
    fs::write(path("known.toml"), "").unwrap();
    let vmconf = |args: &[&str]| ran(command(args).current_dir(folder.path()).output().unwrap());
    let of_matrix = || {
        let matrix = vmconf(&["matrix", "mul.json", "--vm", "wrong", "--output", "json"]);
        let parsed: Json = serde_json::from_str(&matrix.stdout).unwrap();
        let cell = &parsed["suites"][0]["cells"][0];
        (matrix.exit, ["passed", "failed", "known"].map(|name| cell[name].as_u64().unwrap()))
    };
    let (exit, [passed, failed, known]) = of_matrix();
    assert!(exit == 1 && failed > 0 && known == 0);
    let accepted = ["known", "update", "known.toml", "mul.json", "--vm", "wrong", "--accept", "not yet"];
    assert_eq!(vmconf(&accepted).exit, 0);
    assert_eq!(of_matrix(), (0, [passed, 0, failed]));
    // A machine without a list does the same: they agree.
    let config = fs::read_to_string(path("vmconf.toml")).unwrap();
    let other = config.replace("[vm.wrong]", "[vm.other]").replace("known = \"known.toml\"\n", "");
    fs::write(path("vmconf.toml"), format!("{config}{other}")).unwrap();
    let both = vmconf(&["matrix", "mul.json", "--vm", "wrong", "--vm", "other"]);
    assert!(both.exit == 1 && !both.stdout.contains("disagree"), "{both:?}");
    // The exit code is that of a run: for a listed case that passes, and for an entry without a case.
    let list = fs::read_to_string(path("known.toml")).unwrap();
    let run = || vmconf(&["run", "mul.json", "--vm", "wrong"]).exit;
    let text = || vmconf(&["matrix", "mul.json", "--vm", "wrong"]);
    let all = vmconf(&["list", "mul.json"]).stdout;
    let id = all.lines().find(|id| !list.contains(*id)).expect("a case that passes");
    fs::write(path("known.toml"), format!("{list}\n[[known]]\nid = {id:?}\nreason = \"mended\"\n")).unwrap();
    let fixed = text();
    assert_eq!((fixed.exit, run()), (1, 1), "{fixed:?}");
    let warning = "warning: wrong: 1 case in its list of known failures passed; vmconf run on this machine lists them\n";
    assert_eq!(fixed.stderr, warning);
    fs::write(path("known.toml"), format!("{list}\n[[known]]\nid = \"mul.json::no\"\nreason = \"x\"\n"))
        .unwrap();
    let unmatched = text();
    assert_eq!((unmatched.exit, run()), (3, 3), "{unmatched:?}");
    let error = format!("known.toml:{}:6: no case matches mul.json::no", list.lines().count() + 3);
    assert!(unmatched.stdout.contains(&error), "{error}: {unmatched:?}");
}

/// What a run skipped, for example after its last allowed failure, may be supported.
#[test]
fn skipped_cases_are_not_unsupported() {
    let folder = TempDir::new().unwrap();
    let (pass, skip) =
        (serde_json::json!({"verdict": "pass"}), serde_json::json!({"verdict": "skip", "reason": "late"}));
    let of = |first: &Json, second: &Json| {
        [case("a.json", "one", first), case("a.json", "two", second), case("a.json", "three", &pass)]
    };
    let files = [("a.json", report("a", &of(&pass, &skip))), ("b.json", report("b", &of(&skip, &skip)))];
    let paths = reports(folder.path(), &files);
    let shown = vmconf(&["matrix", "--results", &paths[0], "--results", &paths[1]]);
    let heading = |line: &&str| line.contains(" case: ");
    let headings: Vec<_> = shown.stdout.lines().filter(heading).collect();
    assert_eq!(headings, ["1 case: skipped on some machines"; 2], "{shown:?}");
    let warnings = "warning: the run of a skipped 1 case\nwarning: the run of b skipped 2 cases\n";
    assert_eq!(shown.stderr, warnings);
}

/// A run that was interrupted says nothing about the cases that it did not reach.
#[test]
fn interrupted_runs_are_named() {
    let folder = TempDir::new().unwrap();
    let pass = serde_json::json!({"verdict": "pass"});
    let report = report("a", &[case("a.json", "one", &pass)]).replace("\"exit\":0", "\"exit\":130");
    let paths = reports(folder.path(), &[("a.json", report)]);
    let shown = vmconf(&["matrix", "--results", &paths[0]]);
    assert_eq!(shown.stderr, "warning: the run of a was interrupted: not all cases ran\n");
}
