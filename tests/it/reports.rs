//! Every report of one mixed run: its exact text as a golden file, and that readers of its format accept it, whatever
//! names a vector has.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::browser::browser;
use crate::support::{at_root, cache_of_test, command, golden, ran, vmconf};
use roxmltree::{Document, Node};
use scraper::{ElementRef, Html, Selector};
use vmconf::model::{
    Breakdown, CaseDifference, CaseId, CaseReport, Diagnostic, DiagnosticPlace, Event, Expected,
    ExplainedCase, Failure, FirstTry, KnownListing, MemoryWindow, NotPassed, Path as At, Renderer,
    RunSummary, StateRow, StateTable, Suspect, SuspectAnalysis, SuspectName, UsedVm, Value, Verdict,
    VerdictKind, is_harmful,
};
use vmconf::report::{FileEnds, Grouping, REPORTS, ReportOptions, STEP_SUMMARY, Verbosity};
use vmconf::text::shell::ShellWords;
use vmconf::text::source_text::SourceText;

/// Names that mean something to one reader or another.
fn hostile_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "\u{1b}[31mred\u{7}\0\r\n::error::stop",
        "quotes \" ' ` and \\",
        "</script></pre></details><img src=x onerror=alert(1)>",
        "]]> &amp; & <!-- --!>",
        "emoji 🦀 and \u{202e}right to left",
        "# SKIP not really # TODO",
        "100%0A, a: b",
        "| **bold** [link](http://x) @someone #1 <b>",
        "--- ...\n... - a: &b *c",
        "\u{ffff}\u{fffe}\u{85}\u{2028}",
        "",
    ]
    .map(str::to_owned)
    .into();
    names.push("n".repeat(LONG));
    names
}

const LONG: usize = 10_000;

const TEXT: &str = "{\n  \"expect\": {\"value\": 8}\n}\n";

fn place() -> DiagnosticPlace {
    SourceText::new(TEXT).place(24)
}

fn case(file: &str, name: &str, verdict: Verdict) -> Event {
    nth_case(1, file, name, verdict)
}

fn nth_case(nth: u32, file: &str, name: &str, verdict: Verdict) -> Event {
    let id = CaseId { file: file.into(), name: Some(name.into()), nth };
    let ran = !matches!(verdict, Verdict::Skip(_));
    let time = ran.then(|| Duration::from_micros(1_234_500 * u64::from(nth)));
    Event::Finished(CaseReport {
        id,
        format: Some("vmtests".into()),
        machine: Some("evm".into()),
        line: Some(2),
        verdict,
        listed: None,
        cached: false,
        content: None,
        time,
    })
}

fn fail(at: At, expected: Expected, actual: Option<Value>, ended: &str) -> Verdict {
    let difference = CaseDifference { step: None, at, expected, actual, place: place(), note: None };
    Verdict::Fail(Failure {
        differences: vec![difference],
        ended: ended.to_owned(),
        instructions: None,
        state: None,
        first: None,
    })
}

fn storage(account: u32, expected: u64, actual: u64) -> Verdict {
    let at = At::field("post").child(format!("0x{account:02x}")).child("storage").child("0x00".to_owned());
    fail(at, Expected::Is(Value::int(expected)), Some(Value::int(actual)), "stopped at 0x8 STOP, 12 gas left")
}

fn outcome(at: u32) -> Verdict {
    let (expected, actual) = (Expected::Is(Value::text("success")), Value::text("halt"));
    fail(At::field("outcome"), expected, Some(actual), &format!("out of gas at 0x{at:x} SSTORE, 0 gas left"))
}

/// An entry of its own for each reason.
fn listing(reason: &str) -> KnownListing {
    let link = Some("https://example.com/17".to_owned());
    let place = format!("known.toml:1:{}", 1 + reason.bytes().map(usize::from).sum::<usize>());
    KnownListing { place, reason: reason.to_owned(), link }
}

fn known(reason: &str) -> Verdict {
    let Verdict::Fail(failure) = outcome(0x1f) else { unreachable!() };
    Verdict::Known(NotPassed::Fail(failure), listing(reason))
}

fn known_crash(reason: &str) -> Verdict {
    let crash = NotPassed::Crash(breakdown("killed by SIGSEGV", ""));
    Verdict::Known(crash, listing(reason))
}

/// A case that crashes, and that a list expects to do something else.
fn crash_instead(why: &str) -> Event {
    let mut event = case("a.json", "crash-instead", Verdict::Crash(breakdown("killed by SIGSEGV", "")));
    if let Event::Finished(report) = &mut event {
        report.listed = Some(format!("known.toml:1:1: {why}"));
    }
    event
}

fn error(what: &str) -> Verdict {
    let diagnostic = Diagnostic::new(what).expected("hex").with_place(Some(place()));
    Verdict::Error(vec![diagnostic, Diagnostic::new("and nowhere")])
}

fn breakdown(what: &str, stderr: &str) -> Breakdown {
    Breakdown { what: what.to_owned(), stderr: stderr.to_owned() }
}

fn flaky(what: &str, stderr: &str) -> Verdict {
    Verdict::Flaky(FirstTry { breakdown: breakdown(what, stderr), time: Duration::from_millis(250) })
}

fn used_vm(name: &str, implementation: &str) -> UsedVm {
    UsedVm {
        name: name.to_owned(),
        implementation: implementation.to_owned(),
        release: "1".to_owned(),
        language: None,
        not_compared: Vec::new(),
        lacks: Vec::new(),
        extensions: Vec::new(),
    }
}

/// A run with every verdict, every kind of difference, and every hostile name in each place.
pub(crate) fn mixed() -> Vec<Event> {
    let logs = At::field("logs");
    let mut events = vec![
        Event::Started { files: 2, vm: None },
        Event::Note { file: "a.json".into(), diagnostic: Diagnostic::new("unknown member") },
        case("a.json", "passes", Verdict::Pass),
        case("a.json", "value", storage(1, 8, 7)),
        case("a.json", "value-elsewhere", storage(0xabc, 80, 70)),
        case("a.json", "end", outcome(0x1f)),
        case("a.json", "missing", fail(logs.child(0), Expected::Is(Value::int(1u64)), None, "ended")),
        case("a.json", "extra", fail(logs.clone(), Expected::Absent, Some(Value::int(1u64)), "ended")),
        case("a.json", "length", fail(logs.clone(), Expected::Len(2), Some(Value::List(vec![])), "ended")),
        case("a.json", "type", fail(logs, Expected::Is(Value::int(1u64)), Some(Value::text("1")), "ended")),
        case("a.json", "broken", error("\"0x0g\" is not a quantity")),
        case("a.json", "skipped", Verdict::Skip("--max-fail 1 was reached".to_owned())),
        case("a.json", "known", known("no limits yet")),
        case("a.json", "known-crash", known_crash("crashes in calls")),
        crash_instead("fails differently: listed evm timeout, now evm crash: killed by SIGSEGV"),
        case("a.json", "fixed", Verdict::Fixed(listing("no limits yet"))),
        case("a.json", "unsupported", Verdict::Unsupported("no call recording".to_owned())),
        case("a.json", "crash", Verdict::Crash(breakdown("killed by SIGSEGV", "one\ntwo\n"))),
        case("a.json", "timeout", Verdict::Timeout(breakdown("no answer in 10 s", ""))),
        case("a.json", "flaky", flaky("killed by SIGSEGV", "three\nfour\n")),
        Event::FileDone,
    ];
    let has = |kind: VerdictKind| {
        events.iter().any(|it| matches!(it, Event::Finished(report) if report.verdict.kind() == kind))
    };
    assert!(VerdictKind::ALL.iter().all(|kind| has(*kind)));
    events.extend(hostile_names().iter().flat_map(|name| named(name)));
    ended(events)
}

/// A file with every verdict, in which all text is this name.
pub(crate) fn named(name: &str) -> Vec<Event> {
    let actual = Some(Value::text(name));
    let verdict = fail(At::field("stop").child(name.to_owned()), Expected::Absent, actual, name);
    let listed = [known(name), Verdict::Fixed(listing(name))];
    let verdicts = [verdict, error(name), Verdict::Skip(name.to_owned()), Verdict::Pass];
    let foreign = [
        Verdict::Unsupported(name.to_owned()),
        Verdict::Crash(breakdown(name, name)),
        Verdict::Timeout(breakdown(name, name)),
        flaky(name, name),
    ];
    let verdicts = verdicts.into_iter().chain(listed).chain(foreign);
    let cases = (1..).zip(verdicts).map(|(nth, verdict)| nth_case(nth, name, name, verdict));
    cases.chain([Event::FileDone]).collect()
}

/// The events, followed by the end of the run.
pub(crate) fn ended(mut events: Vec<Event>) -> Vec<Event> {
    let mut summary = RunSummary { seconds: 1.5, ..RunSummary::default() };
    for event in &events {
        if let Event::Finished(report) = event {
            summary.count(report);
        }
    }
    events.push(Event::Ended(summary));
    events
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn render(name: &str, options: &ReportOptions, events: &[Event]) -> String {
    let out = Shared::default();
    let mut report = (Renderer::by_name(REPORTS, name).unwrap().new.make)(Box::new(out.clone()), options);
    for event in events {
        report.event(event).unwrap();
    }
    let written = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    anstream::adapter::strip_str(&written).to_string()
}

fn rendered(name: &str) -> String {
    let selection = ShellWords::from_iter(["a.json"]);
    let when = Some("2026-11-22T17:30:00Z".to_owned());
    let options =
        ReportOptions { selection, when, slow: Some(Duration::from_secs(5)), ..ReportOptions::default() };
    render(name, &options, &mixed())
}

/// A report and its name, without what is no report's own but the page's or the version's.
fn laid_out(name: &str, text: &str) -> (String, String) {
    let text = without(&without(text, "<style>", "</style>"), "<script>", "</script>");
    let text = without(&text, "style-src 'sha256-", "'");
    let text = without(&text, "script-src 'sha256-", "'").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    (name.to_owned(), text)
}

#[test]
fn reports_of_a_run_with_every_verdict() {
    let rendered = |name: &str| rendered(name).replace(&"n".repeat(LONG), "{10000 n}");
    golden::folder("reports", REPORTS.iter().map(|kind| laid_out(kind.name, &rendered(kind.name))));
    // It has room for the longest names and texts, which do not fit a comment.
    let out = Shared::default();
    let mut summary = (STEP_SUMMARY.new.make)(Box::new(out.clone()), &ReportOptions::default());
    for event in mixed() {
        summary.event(&event).unwrap();
    }
    let written = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    golden::file("reports-step-summary", &written.replace(&"n".repeat(LONG), "{10000 n}"));
}

/// A text report is recognised by its last line, whatever that counts.
#[test]
fn each_summary_is_recognised() {
    let wrote = Renderer::by_name(REPORTS, "text").unwrap().new.wrote;
    let is_summary = |line: &str| wrote(&FileEnds { start: String::new(), last_line: line.to_owned() });
    let vm = used_vm("passed", "a, b");
    for &kind in VerdictKind::ALL {
        for (cached, interrupted, vm) in [(0, false, None), (1, false, None), (0, true, Some(vm.clone()))] {
            let mut summary = RunSummary { passed: 2, cached, interrupted, ..RunSummary::default() };
            summary.count_kind(kind);
            let events = [Event::Started { files: 1, vm }, Event::Ended(summary)];
            let text = render("text", &ReportOptions::default(), &events);
            assert!(is_summary(text.trim_end()), "{text}");
        }
    }
    for other in [
        "",
        "2 passed",
        "two passed, 0 failed, ",
        "2 passed (all), 0 failed, 1 error",
        "2 of 3 passed, 0 failed, ",
    ] {
        assert!(!is_summary(other), "{other}");
    }
}

#[test]
fn reports_of_each_case_in_a_line() {
    let options = ReportOptions { verbosity: Verbosity::Cases, ..ReportOptions::default() };
    let text = render("text", &options, &mixed()).replace(&"n".repeat(LONG), "{10000 n}");
    let (lines, rest) = text.split_once("\n\n").unwrap();
    // The reasons of cases that did not run are in their lines.
    let without = render("text", &ReportOptions::default(), &mixed()).replace(&"n".repeat(LONG), "{10000 n}");
    let is_reason = |line: &&str| {
        ["skip: ", "unsupported: ", "  and 16 cases with other reasons"].iter().any(|it| line.starts_with(it))
    };
    let (reasons, others): (Vec<_>, Vec<_>) = without.lines().partition(is_reason);
    assert!(reasons.len() == 11 && reasons[1] == "unsupported: 1 case: no call recording", "{reasons:?}");
    assert_eq!(rest.lines().collect::<Vec<_>>(), others);
    golden::file("report-text-cases", lines);
}

/// JUnit has no place for it: there the cases that did not run are missing.
#[test]
fn every_report_says_that_a_run_was_interrupted() {
    let mut events = mixed();
    let Some(Event::Ended(summary)) = events.last_mut() else { unreachable!() };
    summary.interrupted = true;
    for kind in REPORTS.iter().filter(|kind| kind.name != "junit") {
        let text = render(kind.name, &ReportOptions::default(), &events);
        let last = text.lines().last().unwrap();
        let says = match kind.name {
            "json" => last.contains("\"exit\":130"),
            "tap" => last == "Bail out! interrupted",
            "text" => last.ends_with(", interrupted"),
            "github" => last.contains(", interrupted"),
            "sarif" => text.contains("\"executionSuccessful\":false,\"exitCode\":130"),
            _ => text.contains(", interrupted"),
        };
        assert!(says, "{}: {last}", kind.name);
    }
}

/// The text without what stands between the first of these.
fn without(text: &str, before: &str, after: &str) -> String {
    let Some((start, rest)) = text.split_once(before) else { return text.to_owned() };
    let (_, end) = rest.split_once(after).unwrap();
    format!("{start}{before}{after}{end}")
}

/// Whatever is in a name, no control character and no hidden one reaches a reader.
#[test]
fn reports_contain_no_control_characters() {
    for kind in REPORTS {
        let text = rendered(kind.name);
        let harmful: Vec<_> = text.chars().filter(|it| is_harmful(*it) && *it != '\n').collect();
        assert!(harmful.is_empty(), "{}: {harmful:?}", kind.name);
    }
}

#[test]
fn reports_of_a_run_without_cases() {
    let events = ended(vec![Event::Started { files: 0, vm: None }]);
    let rendered = |name: &str| render(name, &ReportOptions::default(), &events);
    golden::folder(
        "reports-without-cases",
        REPORTS.iter().map(|kind| laid_out(kind.name, &rendered(kind.name))),
    );
    valid_tap(&rendered("tap"));
    valid_junit(&rendered("junit"));
}

/// Fifty failures of three causes are three blocks; on wish they are fifty.
#[test]
fn failures_with_one_cause_are_one_block() {
    let verdict = |number: u32| match number % 3 {
        0 => storage(number, u64::from(number) + 1, 0),
        1 => outcome(number),
        _ => error(&format!("\"0x{number}g\" is not a quantity")),
    };
    let cases = (0..50).map(|number| case("a.json", &format!("case-{number}"), verdict(number)));
    let events = ended(cases.collect());
    let blocks = |text: &str| text.lines().filter(|line| line.starts_with(['F', 'E'])).count();
    let selection = ShellWords::from_iter(["a.json"]);
    let text =
        render("text", &ReportOptions { selection: selection.clone(), ..ReportOptions::default() }, &events);
    assert_eq!(blocks(&text), 3, "{text}");
    for more in [16, 16, 15] {
        let line = format!("  and {more} more like it: vmconf run a.json -E 'cause(\"evm ");
        assert!(text.contains(&line), "{text}");
    }
    let flat = render(
        "text",
        &ReportOptions { selection, grouping: Grouping::None, ..ReportOptions::default() },
        &events,
    );
    assert_eq!(blocks(&flat), 50);
    assert!(!flat.contains("more like it"));
    let causes: HashSet<String> = render("json", &ReportOptions::default(), &events)
        .lines()
        .filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            Some(line.get("signature")?.as_str()?.to_owned())
        })
        .collect();
    assert_eq!(causes.len(), 3, "{causes:?}");
}

/// A flaky case may pass while a run selects it by the cause.
#[test]
fn many_flaky_cases_are_selected_by_their_verdict() {
    let cases = (0..20).map(|number| case("a.json", &number.to_string(), flaky("killed by SIGSEGV", "")));
    let text = render("text", &ReportOptions::default(), &ended(cases.collect()));
    assert!(text.contains("and 19 more like it: vmconf run -E 'verdict(flaky)' --no-group\n"), "{text}");
}

/// The command after "more like it" shows as many cases as the report says are left, or the whole group.
#[cfg(unix)]
#[test]
fn the_command_for_the_remaining_failures_works() {
    let text = vmconf(&["run", crate::support::WRONG]).stdout;
    let mut named = 0;
    for line in text.lines().filter(|line| line.contains(" more like it: ")) {
        let (count, rest) = line.split_once(" more like it: vmconf ").unwrap();
        let count: usize = count.trim_start_matches("  and ").parse().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("\"$0\" {rest}"), env!("CARGO_BIN_EXE_vmconf")]).current_dir(at_root(""));
        shell.env("VMCONF_CACHE", cache_of_test());
        let shown = ran(shell.output().unwrap()).stdout.lines().filter(|it| it.starts_with("FAIL")).count();
        // The whole group is one more: the case above the line.
        let expected = if rest.ends_with("--no-group") { count + 1 } else { count };
        assert_eq!(shown, expected, "{line}");
        named += usize::from(rest.starts_with("diff"));
    }
    assert!(named > 0, "{text}");
}

/// A result for each failing case at the line that demands what differs, a rule for each cause, and a fingerprint that
/// neither other cases nor other lines change.
#[test]
fn sarif_is_as_its_schema_says() {
    let validator = crate::check::sarif_validator();
    let run = |args: &[&str]| -> serde_json::Value {
        let ran = vmconf(&[&["run", "--report", "sarif"], args].concat());
        let sarif: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        validator.assert_accepts(&sarif, &format!("{args:?}"));
        sarif
    };
    let passing = run(&["vectors/evm/arithmetic/add.json"]);
    assert_eq!(passing["runs"][0]["results"], serde_json::json!([]));
    let all = run(&["tests/samples", "--max-steps", "100000"]);
    let results = all["runs"][0]["results"].as_array().unwrap();
    let rules = all["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.len() > rules.len() && rules.len() > 10, "{} {}", results.len(), rules.len());
    for result in results {
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    }
    let gas = "tests/samples/vmtests/wrong/gas.json";
    let alone = run(&[gas]);
    let alone = &alone["runs"][0]["results"][0];
    assert_eq!(alone["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], gas);
    let line = alone["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
    let text = fs::read_to_string(at_root(gas)).unwrap();
    assert!(text.lines().nth(line as usize - 1).unwrap().contains("\"gas\""), "{line}");
    let same = results.iter().find(|it| it["partialFingerprints"] == alone["partialFingerprints"]).unwrap();
    assert_eq!(same["locations"], alone["locations"]);
}

/// In the text of a message, `{0}` would stand for an argument, and brackets before a target in parentheses for a link.
#[test]
fn messages_of_sarif_have_no_arguments_and_no_links() {
    let sarif: serde_json::Value = serde_json::from_str(&rendered("sarif")).unwrap();
    let run = &sarif["runs"][0];
    let messages = run["results"].as_array().unwrap().iter().map(|it| &it["message"]["text"]);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap().iter();
    let texts = messages.chain(rules.map(|it| &it["shortDescription"]["text"]));
    let texts: Vec<_> = texts.map(|it| it.as_str().unwrap()).collect();
    for text in &texts {
        let others = text.replace("{{", "").replace("}}", "");
        assert!(!others.contains(['{', '}']), "{text}");
        assert!(!text.contains("[link]"), "{text}");
    }
    for escaped in [r"\u{{202e}}", r"\[link\](http://x)"] {
        assert!(texts.iter().any(|it| it.contains(escaped)), "{escaped}");
    }
}

#[test]
fn text_is_the_same_for_any_number_of_threads() {
    let run = |report: &str, jobs: &str| {
        let suites = [crate::support::WRONG, "vectors/neo2/faults", "vectors/neo2/containers"];
        let text = vmconf(&[&["run"], &suites[..], &["--report", report, "--jobs", jobs]].concat()).stdout;
        // The time of the run is the last column of a table.
        let timeless = |line: &str| {
            line.strip_suffix(" s |").map_or(line, |row| row.rsplit_once('|').unwrap().0).to_owned()
        };
        text.lines().map(timeless).collect::<Vec<_>>()
    };
    for kind in REPORTS {
        assert_eq!(run(kind.name, "1"), run(kind.name, "4"), "{}", kind.name);
    }
}

/// What CI servers demand of JUnit XML, as far as the report goes: no schema of it may be passed on
/// with this project, so these are the rules of the common one (elements, attributes, counts) again.
fn valid_junit(text: &str) {
    const ATTRIBUTES: &[(&str, &str, &[&str])] = &[
        ("testsuites", "", &["name", "tests", "failures", "errors", "time"]),
        ("testsuite", "testsuites", &["name", "tests", "skipped", "failures", "errors"]),
        ("testcase", "testsuite", &["name", "classname", "file", "line", "time"]),
        ("failure", "testcase", &["message", "type"]),
        ("error", "testcase", &["message", "type"]),
        ("skipped", "testcase", &["message"]),
    ];
    let document = Document::parse(text).unwrap();
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let row = ATTRIBUTES.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("<{name}>"));
        let parent = node.parent_element().map_or("", |parent| parent.tag_name().name());
        assert_eq!(parent, row.1);
        let attributes: HashSet<_> = node.attributes().map(|attribute| attribute.name()).collect();
        let mut expected: HashSet<_> = row.2.iter().copied().collect();
        if node.attribute("name") == Some("(file)") {
            expected.remove("line");
        }
        // A case that did not run has no time.
        if name == "testcase" && node.attribute("time").is_none() {
            assert!(node.children().any(|it| it.has_tag_name("skipped")));
            expected.remove("time");
        }
        assert_eq!(attributes, expected, "<{name}>");
        if row.2.contains(&"tests") {
            let counts =
                [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
            for (attribute, element) in counts.into_iter().filter(|it| row.2.contains(&it.0)) {
                let count = node.descendants().filter(|it| it.has_tag_name(element)).count();
                assert_eq!(node.attribute(attribute), Some(&*count.to_string()), "{attribute} of <{name}>");
            }
        }
    }
}

#[test]
fn junit_is_valid() {
    valid_junit(&rendered("junit"));
}

/// A test case has one list of properties, whatever is known about it: the machine, the suspect, or both.
#[test]
fn junit_has_one_list_of_properties_for_each_case() {
    let suspect = |op: &str, cases: &[&str]| Suspect {
        name: SuspectName { machine: "evm".to_owned(), op: op.to_owned() },
        score: 1.0,
        cases: cases.iter().map(|name| format!("a.json::{name}")).collect(),
        alone: 0,
        diverging: 0,
        failing: cases.len() as u64,
        passing: 0,
        condition: None,
        example: None,
    };
    let analysis = SuspectAnalysis {
        suspects: vec![suspect("SDIV", &["two", "four"]), suspect("BYTE", &["five"])],
        ..SuspectAnalysis::default()
    };
    let properties = |vm: Option<UsedVm>| {
        let cases = [
            case("a.json", "one", Verdict::Pass),
            case("a.json", "two", storage(1, 8, 7)),
            case("a.json", "three", storage(1, 8, 7)),
            case("a.json", "four", storage(1, 8, 7)),
            case("a.json", "five", outcome(0x1f)),
        ];
        let started = [Event::Started { files: 1, vm }].into_iter();
        let events = started.chain(cases).chain([Event::Suspects(Box::new(analysis.clone()))]);
        let junit = render("junit", &ReportOptions::default(), &ended(events.collect()));
        let document = Document::parse(&junit).unwrap();
        let of_case = |case: Node<'_, '_>| -> Vec<Vec<String>> {
            let lists = case.children().filter(|it| it.has_tag_name("properties"));
            let shown =
                |it: Node<'_, '_>| Some(format!("{}={}", it.attribute("name")?, it.attribute("value")?));
            lists.map(|list| list.children().filter_map(shown).collect()).collect()
        };
        document.descendants().filter(|it| it.has_tag_name("testcase")).map(of_case).collect::<Vec<_>>()
    };
    let vm = "vm=mine (mine 1)";
    let [first, other] = ["suspect-example=yes", "suspect=SDIV"];
    let expected: [&[&[&str]]; 5] =
        [&[&[vm]], &[&[other, first, vm]], &[&[vm]], &[&[other, vm]], &[&["suspect=BYTE", first, vm]]];
    assert_eq!(properties(Some(used_vm("mine", "mine"))), expected);
    let expected: [&[&[&str]]; 5] = [&[], &[&[other, first]], &[], &[&[other]], &[&["suspect=BYTE", first]]];
    assert_eq!(properties(None), expected);
}

/// TAP version 14, read strictly: the version, test points numbered from 1, each with a YAML block of the members
/// below if it ran, the plan, comments.
fn valid_tap(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let (mut count, mut plan, mut in_block, mut needs_block) = (0, None, false, false);
    for line in lines {
        if in_block {
            in_block = line != "  ...";
            let scalar = line.trim_start_matches([' ', '-']);
            let scalar = scalar.split_once(": ").map_or(scalar, |(key, rest)| {
                if key.chars().all(|it| it.is_alphanumeric() || it == '_') { rest } else { scalar }
            });
            let known = ["text:", "...", "fail", "fixed", "error", "crash", "timeout", "flaky"]
                .contains(&scalar)
                || line == "  ...";
            assert!(known || serde_json::from_str::<serde_json::Value>(scalar).is_ok(), "{line}");
            continue;
        }
        if needs_block || line == "  ---" {
            assert_eq!(line, "  ---");
            (in_block, needs_block) = (true, false);
        } else if let Some(rest) = line.strip_prefix("ok ").or_else(|| line.strip_prefix("not ok ")) {
            count += 1;
            let description = rest.strip_prefix(&format!("{count} - ")).unwrap_or_else(|| panic!("{line}"));
            let directive = description.replace(r"\\", "").replace(r"\#", "");
            let directive = directive.split_once('#').map(|it| it.1);
            let is_bad = line.starts_with("not");
            let wanted = if is_bad { " TODO " } else { " SKIP " };
            assert!(directive.is_none_or(|it| it.starts_with(wanted)), "{line}");
            needs_block = !directive.is_some_and(|it| it.starts_with(" SKIP "));
        } else if let Some(rest) = line.strip_prefix("1..") {
            assert_eq!(plan, None, "a second plan");
            plan = Some(rest.split(' ').next().unwrap().parse().unwrap());
        } else {
            assert!(line.starts_with("# "), "{line}");
        }
    }
    assert!(!in_block && !needs_block);
    assert_eq!(plan, Some(count));
}

#[test]
fn tap_is_valid() {
    valid_tap(&rendered("tap"));
}

/// As GitHub reads workflow commands: properties between commas, a message, escapes.
#[test]
fn github_annotates_lines_of_the_vector() {
    let text = rendered("github");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.iter().filter(|line| line.starts_with("::error ")).count(), 10);
    assert_eq!(lines.len(), 11, "{text}");
    for line in &lines[..10] {
        let (properties, message) = line.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        let keys: Vec<_> = properties.split(',').map(|it| it.split_once('=').unwrap().0).collect();
        assert_eq!(keys, ["file", "line", "col", "title"], "{line}");
        let last = if properties.contains("title=fixed ") { "%0Alisted: " } else { "%0Awhy: vmconf diff " };
        assert!(message.contains(last), "{line}");
    }
    assert!(
        lines[0].starts_with("::error file=a.json,line=2,col=23,title=fail a.json%3A%3Avalue::post/0x01/")
    );
    assert!(!text.contains("value-elsewhere"), "one of each cause comes first: {text}");
    assert!(lines[10].starts_with(
        "::notice title=vmconf::13 passed, 19 failed, 14 known, 13 fixed, 14 crashed, 13 timed out, 13 flaky, 13 errors, 13 unsupported, 13 skipped; 75 more"
    ));
}

/// GitHub reads back the properties and the message of an annotation, whatever characters they have: in both, `%`
/// begins an escape, and a comma separates properties.
#[test]
fn github_reads_back_what_an_annotation_says() {
    let file = "100%0A, a: b/title=x,line=7.json";
    let events =
        ended(vec![case(file, "50%25, a: b", fail(At::field("out"), Expected::Len(1), None, "a%0Ab"))]);
    let text = render("github", &ReportOptions::default(), &events);
    let line = text.lines().next().unwrap();
    let (properties, message) = line.strip_prefix("::error ").unwrap().split_once("::").unwrap();
    let plain = |text: &str| {
        let text = text.replace("%3A", ":").replace("%2C", ",");
        text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    };
    let properties: Vec<_> = properties.split(',').map(|it| it.split_once('=').unwrap()).collect();
    let properties: Vec<_> = properties.iter().map(|(name, value)| (*name, plain(value))).collect();
    let title = format!("fail {file}::50%25, a: b");
    let expected = [("file", file), ("line", "2"), ("col", "23"), ("title", &*title)];
    assert_eq!(properties, expected.map(|(name, value)| (name, value.to_owned())));
    assert_eq!(plain(message).lines().nth(1), Some("ended: a%0Ab"));
}

/// What a machine does wrong outside of cases is in no file.
#[test]
fn what_a_machine_does_wrong_is_in_no_file() {
    let events = |source: CaseId| {
        ended(vec![Event::Broken { source, errors: vec![Diagnostic::new("wrote after its last answer")] }])
    };
    let shown = |name: &str, source| render(name, &ReportOptions::default(), &events(source));
    for (source, is_file) in
        [(CaseId::of_machine("mine"), false), (CaseId::of_file("known.toml".into()), true)]
    {
        let junit = shown("junit", source.clone());
        let document = Document::parse(&junit).unwrap();
        let case = document.descendants().find(|it| it.has_tag_name("testcase")).unwrap();
        assert_eq!(case.has_attribute("file"), is_file, "{junit}");
        let sarif: serde_json::Value = serde_json::from_str(&shown("sarif", source.clone())).unwrap();
        // Code scanning of GitHub refuses a result without a place.
        let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], if is_file { "known.toml" } else { "vmconf.toml" }, "{sarif}");
        let github = shown("github", source);
        assert_eq!(github.starts_with("::error file="), is_file, "{github}");
        assert!(github.starts_with("::error "), "{github}");
    }
}

/// Of very many skipped cases, the first are named, and the others are counted.
#[test]
fn markdown_names_some_skipped_cases() {
    let skipped = |count: u32| {
        let skip = || Verdict::Skip("too slow".to_owned());
        let cases = (0..count).map(|number| case("a.json", &format!("case {number}"), skip()));
        let text = render("markdown", &ReportOptions::default(), &ended(cases.collect()));
        let (_, list) = text.split_once("### Skipped\n\n").unwrap();
        list.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(skipped(20).len(), 20);
    let many = skipped(25);
    assert_eq!((many.len(), &*many[20]), (21, "- and 5 more"));
}

/// A table of states shows a part of a memory, and counts the cells that differ elsewhere. Differences that it has no
/// place for follow.
#[test]
fn cells_that_a_table_does_not_show_are_counted() {
    let text = |differing: usize| {
        let at = At::field("ram").child("0x1");
        let Verdict::Fail(mut failure) = fail(at.clone(), Expected::Is(Value::int(8)), None, "ended") else {
            unreachable!()
        };
        let Verdict::Fail(other) = fail(At::field("code"), Expected::Len(2), None, "ended") else {
            unreachable!()
        };
        failure.differences.extend(other.differences);
        let [expected, actual] = ["08", "07"].map(|text| Some(text.to_owned()));
        let cells = vec![StateRow { at, before: None, expected, actual, differs: true }];
        let memories = vec![MemoryWindow { field: "ram".to_owned(), cells, differing }];
        failure.state = Some(Box::new(StateTable { step: None, rows: Vec::new(), memories }));
        let events = ended(vec![case("a.json", "a", Verdict::Fail(failure))]);
        render("text", &ReportOptions::default(), &events)
    };
    for (differing, said) in [(1, "  2:23\n"), (2, "; 1 more cell differs\n"), (4, "; 3 more cells differ\n")]
    {
        let text = text(differing);
        let line = text.split_inclusive('\n').find(|line| line.contains("* ram/0x1")).unwrap();
        assert!(line.ends_with(said), "{text}");
        assert!(text.contains(": code\n"), "{text}");
    }
}

/// A case is slow if it takes at least that time.
#[test]
fn slow_cases_took_at_least_the_time() {
    let events = ended(vec![case("a.json", "a", Verdict::Pass), nth_case(2, "a.json", "a", Verdict::Pass)]);
    let slow = |micros: u64| {
        let slow = Some(Duration::from_micros(micros));
        let text = render("text", &ReportOptions { slow, ..ReportOptions::default() }, &events);
        text.lines().find_map(|line| line.strip_prefix("slow: ")).map(str::to_owned)
    };
    // The cases take 1.2345 s and 2.469 s.
    assert_eq!(slow(1_234_500).as_deref(), Some("2 cases took at least 1.2345 s"));
    assert_eq!(slow(1_234_501).as_deref(), Some("1 case took at least 1.234501 s"));
    assert_eq!(slow(2_469_001), None);
}

/// Annotations name files relative to the checkout, wherever in it the job runs and `vmconf.toml` is.
#[test]
fn github_annotations_are_relative_to_the_checkout() {
    let checkout = tempfile::tempdir().unwrap();
    let vm = checkout.path().join("crates/vm");
    fs::create_dir_all(vm.join("vectors")).unwrap();
    let gas = at_root("tests/samples/vmtests/wrong/gas.json");
    fs::copy(&gas, vm.join("vectors/gas.json")).unwrap();
    fs::copy(&gas, checkout.path().join("crates/other.json")).unwrap();
    let annotated = |workspace: &Path, file: &str| {
        let mut command = command(&["run", file, "--report", "github"]);
        let run = ran(command.current_dir(&vm).env("GITHUB_WORKSPACE", workspace).output().unwrap());
        let file = run.stdout.strip_prefix("::error file=").unwrap_or(&run.stdout).split(',').next();
        file.unwrap().to_owned()
    };
    assert_eq!(annotated(checkout.path(), "vectors"), "crates/vm/vectors/gas.json");
    assert_eq!(annotated(checkout.path(), "../other.json"), "crates/other.json");
    assert_eq!(annotated(&vm, "vectors"), "vectors/gas.json");
    assert_eq!(annotated(Path::new("/nowhere"), "vectors"), "vectors/gas.json");
    fs::write(checkout.path().join("crates/vmconf.toml"), "").unwrap();
    assert_eq!(annotated(checkout.path(), "vectors"), "crates/vm/vectors/gas.json");
}

/// A result of SARIF has the same file and fingerprint wherever in the checkout the command runs.
#[test]
fn sarif_fingerprints_do_not_depend_on_the_working_folder() {
    let checkout = tempfile::tempdir().unwrap();
    fs::create_dir(checkout.path().join("vm")).unwrap();
    fs::copy(at_root("tests/samples/vmtests/wrong/gas.json"), checkout.path().join("vm/gas.json")).unwrap();
    let result = |from: &Path, file: &str| -> serde_json::Value {
        let mut command = command(&["run", file, "--report", "sarif"]);
        let run = ran(command.current_dir(from).env("GITHUB_WORKSPACE", checkout.path()).output().unwrap());
        let sarif: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        sarif["runs"][0]["results"][0].clone()
    };
    let [inside, above] =
        [result(&checkout.path().join("vm"), "gas.json"), result(checkout.path(), "vm/gas.json")];
    for result in [&inside, &above] {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "vm/gas.json");
    }
    assert!(inside["partialFingerprints"].is_object(), "{inside}");
    assert_eq!(inside["partialFingerprints"], above["partialFingerprints"]);
}

#[test]
fn github_gets_a_step_summary_behind_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.md");
    fs::write(&path, "before\n").unwrap();
    let mut command = command(&["run", crate::support::WRONG, "--report", "github"]);
    let ran = ran(command.env("GITHUB_STEP_SUMMARY", &path).output().unwrap());
    assert!(ran.stdout.starts_with("::error file=tests/samples/"), "{}", ran.stdout);
    let summary = fs::read_to_string(path).unwrap();
    assert!(summary.starts_with("before\n## vmconf: "), "{summary}");
    assert!(!summary.contains('\u{1b}'));
}

/// Outside <pre>, where Markdown does not look, no text of a vector has a character that means
/// something; and no element is there but the report's own.
#[test]
fn markdown_has_only_its_own_elements() {
    let text = rendered("markdown");
    let page = Html::parse_fragment(&text);
    for element in page.root_element().descendent_elements() {
        let known = ["html", "details", "summary", "code", "pre"];
        assert!(known.contains(&element.value().name()), "{:?}", element.value());
    }
    assert!(text.len() < 1 << 20, "{}", text.len());
    for part in text.split("<code>").skip(1) {
        let (inside, _) = part.split_once("</code>").unwrap();
        assert!(!inside.contains(['<', '*', '[', '`', '|', '@']), "{inside}");
    }
}

fn select<'p>(page: &'p Html, selector: &str) -> Vec<ElementRef<'p>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

#[test]
fn html_is_valid_and_loads_nothing() {
    let mut events = mixed();
    let explained = "why <b>&amp;\n  \u{1b}second line";
    let id = CaseId { file: "a.json".into(), name: Some("value".into()), nth: 1 };
    events.insert(events.len() - 1, Event::Explained(ExplainedCase::Text { id, text: explained.to_owned() }));
    let text = render("html", &ReportOptions::default(), &events);
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, Vec::<std::borrow::Cow<str>>::new());
    for element in page.root_element().descendent_elements() {
        for (name, value) in element.value().attrs() {
            let loads = ["src", "srcset", "href", "action", "data", "poster"].contains(&name);
            assert!(!loads || value.starts_with('#'), "{name}={value}");
            assert!(!name.starts_with("on"), "{name}={value}");
        }
    }
    assert_eq!(select(&page, "script, style, link, img, iframe, b").len(), 2);
    assert_eq!(select(&page, "#cases > li").len(), 18 + 10 * hostile_names().len());
    let first = select(&page, "#cases > li.fail pre")[0].text().collect::<String>();
    assert_eq!(first, "why <b>&amp;\n  \\u{1b}second line");
    for cause in select(&page, "#causes a") {
        assert_eq!(select(&page, cause.attr("href").unwrap()).len(), 1);
    }
    let count = |it: &ElementRef<'_>| -> u64 {
        it.text().collect::<String>().strip_suffix(" ×").unwrap().parse().unwrap()
    };
    let counts: Vec<_> = select(&page, "#causes .count").iter().map(count).collect();
    assert!(counts.len() > 1 && counts.is_sorted_by(|one, next| one >= next), "{counts:?}");
}

/// The page in a browser: the script runs, filters by what the address says, opens what a link names,
/// and nothing is refused or logged.
#[test]
fn html_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, rendered("html")).unwrap();
    let open = |fragment: &str| {
        let page = Html::parse_document(&browser.dom(&path, fragment));
        let visible = select(&page, "#cases > li:not([hidden])").len();
        assert_eq!(select(&page, "#filters[hidden]").len(), 0, "the script did not run");
        let said = select(&page, "#shown")[0].text().collect::<String>();
        assert_eq!(said, format!("{visible} of {} cases", 18 + 10 * hostile_names().len()));
        (page, visible)
    };
    assert_eq!(open("").1, 18 + 10 * hostile_names().len());
    assert_eq!(open("#verdict=error&verdict=skip&machine=evm&q=a.JSON+broken").1, 1);
    assert_eq!(open("#cause=0").1, 2);
    let (page, _) = open("");
    let link = select(&page, "#causes a")[0].attr("href").unwrap().to_owned();
    let (page, _) = open(&link);
    assert_eq!(select(&page, &format!("{link} details[open]")).len(), 1);
}

/// A link to a case opens it, also one that has nothing to open, and stays in the address, so that it can be copied.
#[test]
fn a_link_to_a_case_stays_in_the_address() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    // The policy of the page allows no script but its own.
    let text = rendered("html");
    let (before, rest) = text.split_once("<meta http-equiv").unwrap();
    let (_, rest) = rest.split_once(">\n").unwrap();
    let script = "<script>setTimeout(() => { document.title = location.hash; }, 1000);</script></body>";
    let text = format!("{before}{rest}").replace("</body>", script);
    let text = text.replacen("<li class=\"pass\"", "<li id=\"bare\" class=\"pass\"", 1);
    let page = Html::parse_document(&text);
    let link = select(&page, "#causes a")[0].attr("href").unwrap();
    for (fragment, opened) in [(link, 1), ("#bare", 0)] {
        // Another file, since the browser does not open the one again that it shows.
        let path = folder.path().join(format!("{opened}.html"));
        fs::write(&path, &text).unwrap();
        let page = Html::parse_document(&browser.dom(&path, fragment));
        assert_eq!(select(&page, "title")[0].text().collect::<String>(), fragment);
        assert_eq!(select(&page, "#cases > li[hidden]").len(), 0);
        assert_eq!(select(&page, "#cases details[open]").len(), opened, "{fragment}");
    }
}

/// The page lists the causes of the cases that other reports group, and these cases first.
#[test]
fn html_has_the_causes_of_other_reports() {
    let page = rendered("html");
    let page = Html::parse_document(&page);
    let rows = select(&page, "#cases > li");
    assert!(rows.is_sorted_by_key(|row| row.attr("data-cause").is_none()));
    let of = |has_cause: bool| -> HashSet<&str> {
        let rows = rows.iter().filter(|row| row.attr("data-cause").is_some() == has_cause);
        rows.filter_map(|row| row.attr("class")).collect()
    };
    assert_eq!(of(true), HashSet::from(["fail", "fixed", "error", "crash", "timeout", "flaky"]));
    assert_eq!(of(false), HashSet::from(["pass", "known", "unsupported", "skip"]));
}

/// GitHub takes 65,536 characters in a comment, and 1 MiB for a step. What does not fit, for a step in half of that, is
/// counted.
#[test]
fn a_summary_in_markdown_has_a_largest_size() {
    const CASES: usize = 6_000;
    let case = |number: usize| {
        let result =
            format!(r#"{{"state":"HALT","resultStack":[{{"type":"Integer","value":{}}}]}}"#, number + 7);
        let steps = format!(r#"[{{"actions":["Execute"],"result":{result}}}]"#);
        format!(r#"{{"name":"{number}","script":["PUSH6"],"steps":{steps}}}"#)
    };
    let cases: Vec<_> = (0..CASES).map(case).collect();
    let folder = tempfile::tempdir().unwrap();
    let vector = folder.path().join("v.json");
    let text = format!(r#"{{"machine":"neo3","category":"c","name":"n","tests":[{}]}}"#, cases.join(","));
    fs::write(&vector, text).unwrap();
    let step = folder.path().join("step.md");
    let args = ["run", vector.to_str().unwrap(), "--no-group", "--report", "github"];
    let comment = folder.path().join("comment.md");
    let markdown = format!("markdown={}", comment.display());
    ran(command(&[&args[..], &["--report", &markdown]].concat())
        .env("GITHUB_STEP_SUMMARY", &step)
        .output()
        .unwrap());
    for (path, most) in [(comment, 65_536), (step, 512 << 10)] {
        let summary = fs::read_to_string(path).unwrap();
        assert!((most / 10 * 9..=most).contains(&summary.len()), "{} of {most}", summary.len());
        let last = summary.lines().last().unwrap();
        let left_out =
            last.strip_prefix("and ").and_then(|rest| rest.strip_suffix(" more that do not fit here"));
        let left_out: usize = left_out.unwrap_or_else(|| panic!("{last}")).parse().unwrap();
        assert_eq!(summary.matches("<summary>").count() + left_out, CASES);
    }
}
