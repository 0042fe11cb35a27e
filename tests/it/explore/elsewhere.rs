//! `vmconf explore --vm` and `--trace`: what machines that are not embedded executed.

use std::cell::RefCell;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::rc::Rc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::{Position, Rect};
use scraper::Html;
use tempfile::TempDir;
use vmconf::explain::explore::beside::{ComparedSide, PairedExplorer};
use vmconf::explain::explore::{self, Explorer, Pane, screen};
use vmconf::explain::playback::TraceFile;
use vmconf::machines::evm::EVM;
use vmconf::model::{CaseId, Value};
use vmconf::wire::gzip::decompressed;

use super::{TYPE, after, press, screen_of, texts};
use crate::support::browser::browser;
use crate::support::{Ran, at_root, golden, path_with_vmconf, vmconf};

const SERVE: &str = "vmconf serve evm";

/// The explorer of a trace.
fn of_trace(name: &str, text: &str) -> ComparedSide {
    let run = Rc::new(RefCell::new(TraceFile::read(name, text.into()).unwrap()));
    let case = explore::whole_run("evm", Value::Null.into());
    let id = CaseId::of_file(name.into());
    let opened = explore::open_played(id, &case, run.clone(), Vec::new()).unwrap();
    let explorer = Explorer::new(opened.recording, format!("evm  {name}"), Vec::new(), Vec::new());
    ComparedSide { explorer, name: name.to_owned(), run: Some(run), isa: &EVM }
}

fn example(name: &str) -> String {
    fs::read_to_string(at_root("docs/examples/bisect").join(name)).unwrap()
}

/// A trace alone, and two beside each other, which open at the first difference.
#[test]
fn screens_of_traces() {
    let mut text = String::new();
    let mut alone = of_trace("ours.jsonl", &example("ours.jsonl")).explorer;
    press(&mut alone, "ss");
    text += &screen_of(&mut alone, 80, 24);
    press(&mut alone, "G");
    text += "\nthe end:\n";
    text += &screen_of(&mut alone, 80, 24);
    let mut sides = ["ours.jsonl", "theirs.jsonl"].map(|name| of_trace(name, &example(name)));
    let first = PairedExplorer::first_difference(&mut sides).unwrap();
    // EXP is the third instruction, and gives 8 in one of them, 9 in the other.
    assert_eq!(first, Some(3));
    let mut pair = PairedExplorer::new(sides, first);
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| screen::paint_pair(&mut pair, frame)).unwrap();
    text += "\nbeside each other:\n";
    text += &terminal.backend().to_string();
    golden::file("explore-traces", &text);
    // A click gives the keys to a run, and selects a line of it.
    let area = Rect::new(0, 0, 80, 24);
    for (place, expected) in [
        ((5, 2), Some((0, Pane::Code, 0))),
        ((50, 3), Some((1, Pane::Code, 1))),
        ((50, 11), Some((1, Pane::State, 1))),
        ((50, 22), None),
    ] {
        let place = Position { x: place.0, y: place.1 };
        assert_eq!(screen::line_of_pair_at(&pair, area, place), expected, "{place:?}");
    }
    let differs: Vec<_> = pair.differs().iter().map(|it| it.at.to_string()).collect();
    assert_eq!(differs, ["stack[0]"]);
}

/// What a hostile trace contains is text: it does not reach the terminal as it is, and long lines and large numbers
/// do no harm.
#[test]
fn a_hostile_trace_is_shown_as_text() {
    let huge = u64::MAX;
    let lines = [
        format!(
            r#"{{"pc":{huge},"op":{huge},"opName":"\u001b[2J\u202eSTOP","depth":{huge},"gas":"0xffffffffffffffffffffff"}}"#
        ),
        format!(
            r#"{{"pc":0,"op":1,"stack":[{}],"memory":"0x{}"}}"#,
            vec!["1"; 100_000].join(","),
            "ff".repeat(1_000_000)
        ),
        r#"{"pc":1,"op":2,"depth":0}"#.to_owned(),
        r#"{"output":"0x","pass":false}"#.to_owned(),
    ];
    let mut explorer = of_trace("hostile", &lines.join("\n")).explorer;
    assert_eq!(explorer.recording().steps(), 3);
    for keys in ["", "s", "s", "G", "0", "ouxpnw\n", "/STOP\n"] {
        press(&mut explorer, keys);
        let text = screen_of(&mut explorer, 80, 24);
        assert!(!text.replace('\n', "").contains(vmconf::model::escape::is_harmful), "{text:?}");
    }
    press(&mut explorer, "0");
    let wide = screen_of(&mut explorer, 200, 24);
    assert!(wide.contains(r"\u{1b}[2J"), "{wide}");
}

/// Each error names the line, and what was expected there.
#[test]
fn malformed_traces_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("t.jsonl");
    let step = r#"{"pc":0,"op":1}"#;
    let explore = |text: &str| {
        fs::write(&path, text).unwrap();
        let Ran { exit, stdout, stderr } =
            vmconf(&["explore", "--trace", path.to_str().unwrap(), "--html", "-"]);
        assert!(exit == 0 || stdout.is_empty(), "{stdout}");
        (exit, stderr.replace(&*folder.path().to_string_lossy(), ""))
    };
    let list = r#"/t.jsonl:2: stack: expected a list of numbers such as ["0x2a", "0x1"], in "#;
    for (text, exit, expected) in [
        (format!("{step}\n"), 0, ""),
        (
            String::new(),
            3,
            "/t.jsonl: no line of it is a step of a trace: expected JSON objects with pc and op",
        ),
        (format!("{step}\n{{\"pc\":1,\"op\":1,\"stack\":[\"x\"]}}\n"), 3, list),
        (format!("{step}\n{{\"pc\":1,\"op\":1,\"stack\":7}}\n"), 3, list),
        (
            format!("{{\"pc\":-1,\"op\":1}}\n{step}\n"),
            3,
            "/t.jsonl:1: pc: expected a number below 2^64 such as 10, or any in hex as \"0xa\"",
        ),
        (
            format!("{{\"pc\":1,\"op\":\"ADD\"}}\n{step}\n"),
            3,
            "/t.jsonl:1: op: expected a number below 2^64 such as 10",
        ),
        (
            format!("{step}\n{{\"output\":\"0x\"}}\n{step}\n"),
            3,
            "/t.jsonl:3: a step after the summary in line 2: expected one run in a file",
        ),
        (format!("{step}\n{}\n", ",".repeat(200_001)), 3, "/t.jsonl:2: a line with more than 200000 items"),
        (
            format!("INFO start\n{step}\n"),
            0,
            "note: /t.jsonl:1: \"INFO start\" is not a step of a trace; 1 line ignored",
        ),
    ] {
        let (found, stderr) = explore(&text);
        assert_eq!(found, exit, "{stderr}");
        assert!(
            stderr.contains(expected) && (exit != 0 || !expected.is_empty() || stderr.is_empty()),
            "{stderr}"
        );
    }
}

/// A vector that stores 3 + 4.
fn sum(folder: &Path) -> String {
    let path = folder.join("sum.json").to_str().unwrap().to_owned();
    assert_eq!(vmconf(&["exec", "evm", "0x6003600401600055", "--vector", &path]).exit, 0);
    path
}

/// Beside the embedded machine, with all that it reports, or only its instructions, or only its states.
#[test]
fn a_page_of_another_machine_steps_both() {
    let folder = TempDir::new().unwrap();
    let file = sum(folder.path());
    let Some(browser) = browser() else { return };
    for (less, expected) in [
        ("", "≠ stack[1]: embedded 4, other 5"),
        ("| sed -u -e s/.run.,// -e s/.step-into.,//", "≠ top[0]: embedded 4, other 5"),
        ("| sed -u 's/.digests.,.trace.//'", "≠ stack[1]: embedded 4, other 5"),
    ] {
        let script = folder.path().join("other.sh");
        fs::write(&script, format!("sed -u s/6003600401/6003600501/ | {SERVE} {less}\n")).unwrap();
        let other = format!("other=sh {}", script.display());
        let Ran { exit, stdout, stderr } = vmconf(&["explore", &file, "--vm", &other, "--html", "-"]);
        assert_eq!((exit, &*stderr), (0, ""), "{less}");
        assert_eq!(Html::parse_document(&stdout).errors, Vec::<std::borrow::Cow<str>>::new());
        // It opens at the second PUSH1.
        let opened = after(browser, &stdout, "", "");
        assert_eq!(texts(&opened, "#differs"), [expected], "{less}");
        assert_eq!(texts(&opened, "#status"), ["the first difference: after step 2"]);
        assert_eq!(texts(&opened, "#state [aria-selected=true]"), ["≠ [1]: 4"]);
        assert_eq!(texts(&opened, "#state-2 [aria-selected=true]"), ["≠ [1]: 5"]);
        // Both step, and go back to where nothing differs.
        let script = format!("{TYPE} type('b');");
        let before = after(browser, &stdout, &script, "");
        assert_eq!(texts(&before, "#differs"), ["no difference in what both report here"]);
        assert!(texts(&before, "#code .now")[0].starts_with("> 0002  PUSH1 0x04"));
        let script = format!("{TYPE} type('s'); type('d');");
        let again = after(browser, &stdout, &script, "");
        assert_eq!(texts(&again, "#differs"), [expected]);
    }
}

/// What differs again after two thousand states, and is the same between, is compared as well.
#[test]
fn a_page_of_two_machines_compares_all_states() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("loop.json").to_str().unwrap().to_owned();
    // PUSH1 4, POP, PUSH2 300; 300 times JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 6, JUMPI; POP, PUSH1 8, STOP
    let code = "0x60045061012c5b6001900380600657506008";
    assert_eq!(vmconf(&["exec", "evm", &format!("{code}00"), "--vector", &file]).exit, 0);
    let script = folder.path().join("other.sh");
    let others = "s/600450/600550/;s/57506008/57506009/";
    fs::write(&script, format!("sed -u '{others}' | {SERVE}\n")).unwrap();
    let other = format!("other=sh {}", script.display());
    let Ran { exit, stdout, stderr } = vmconf(&["explore", &file, "--vm", &other, "--html", "-"]);
    assert_eq!((exit, &*stderr), (0, ""));
    let script = "say(JSON.stringify([0, 1, 2, 1500, 2104, 2105, 2106].map((step) => {\
        go(step); return [run.first + now, view.differs.textContent]; })));";
    let shown = after(browser, &stdout, script, "");
    let told: Vec<(u64, String)> = serde_json::from_str(&texts(&shown, "#status")[0]).unwrap();
    let none = "no difference in what both report here";
    let expected = [
        (0, none),
        (1, "≠ stack[0]: embedded 4, other 5"),
        (2, none),
        (1500, none),
        (2104, none),
        (2105, "≠ stack[0]: embedded 8, other 9"),
        (2106, "≠ stack[0]: embedded 8, other 9"),
    ];
    assert_eq!(told, expected.map(|(step, text)| (step, text.to_owned())));
}

/// A machine whose adapter reports nothing about single steps is refused, with what it would need.
#[test]
fn a_machine_that_tells_no_steps_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = sum(folder.path());
    let script = folder.path().join("mute.sh");
    fs::write(&script, format!("{SERVE} | sed -u 's/.run.,//; s/.step-into.,//; s/.digests.,.trace.//'\n"))
        .unwrap();
    let mute = format!("mute=sh {}", script.display());
    let Ran { exit, stdout, stderr } = vmconf(&["explore", &file, "--vm", &mute, "--html", "-"]);
    assert_eq!((exit, &*stdout), (2, ""));
    let expected = "error: --vm mute cannot be explored for evm: its adapter tells nothing about single steps: it needs \
                    the request trace in requests of its hello, or run or step-into in actions; the page on the protocol describes both\n";
    assert_eq!(stderr, expected);
}

/// A machine that breaks down whenever it is asked for instructions is not started again for each of them.
#[test]
fn a_machine_that_breaks_down_is_asked_a_few_times() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("long.json").to_str().unwrap().to_owned();
    // 8,000 JUMPDESTs, which are in eight answers.
    let code = format!("0x{}", "5b".repeat(8_000));
    assert_eq!(vmconf(&["exec", "evm", &code, "--vector", &file]).exit, 0);
    let (script, starts) = (folder.path().join("breaks.sh"), folder.path().join("starts"));
    // `sed -u` reads each byte with a system call, and there are ten million.
    let breaks = "perl -pe 'BEGIN { $| = 1 } s/\"instructions\":\\[.*/broken/'";
    fs::write(&script, format!("echo >> {}\n{SERVE} | {breaks}\n", starts.display())).unwrap();
    let breaks = format!("breaks=sh {}", script.display());
    let patient = ["--timeout", "100s"];
    let args = [&["explore", &file, "--vm", &breaks, "--html", "-"], &patient[..]].concat();
    let Ran { exit, stderr, .. } = vmconf(&args);
    assert_eq!(exit, 0, "{stderr}");
    let count = fs::read_to_string(starts).unwrap().lines().count();
    assert!((2..=10).contains(&count), "{count}");
}

/// The error names the case, and a note the command that shows the run of the embedded machine.
#[test]
fn a_case_on_which_a_machine_crashes_is_named() {
    let folder = TempDir::new().unwrap();
    let file = sum(folder.path());
    let crashes = format!("crashes=sh -c 'head -n 1 | {SERVE}; exit 7'");
    let Ran { exit, stderr, .. } = vmconf(&["explore", &file, "--vm", &crashes, "--html", "-"]);
    assert!(exit == 3 && stderr.starts_with("note: vmconf explore '"), "{exit} {stderr}");
    assert!(stderr.contains("sum.json::sum' shows the run of the embedded machine\n"), "{stderr}");
    let error = stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    assert!(
        error.ends_with("sum.json::sum: the machine broke down: crashes: ended with exit code 7"),
        "{stderr}"
    );
}

/// A run that does not end by itself is shown as far as the machine answers.
#[test]
fn a_run_without_end_is_shown_from_its_start() {
    let folder = TempDir::new().unwrap();
    let file = sum(folder.path());
    // JUMPDEST, PUSH1 0, JUMP, for which this machine takes no gas limit of the case.
    let script = folder.path().join("loop.sh");
    fs::write(
        &script,
        format!("sed -u 's/6003600401600055/5b6000565b5b5b5b/; s/0xf4240/0xffffffffffffff/' | {SERVE}\n"),
    )
    .unwrap();
    let other = format!("loop=sh {}", script.display());
    // To compare the states of more steps takes long.
    let most = ["--timeout", "5s", "--max-steps", "2000"];
    let args = [&["explore", &file, "--vm", &other, "--html", "-"], &most[..]].concat();
    let Ran { exit, stdout, stderr } = vmconf(&args);
    assert_eq!(exit, 0, "{stderr}");
    let page = Html::parse_document(&stdout);
    // What both differ in is packed first.
    let packed = texts(&page, "#data")[0].split(',').next().map(|part| BASE64_STANDARD.decode(part).unwrap());
    let mut data = Vec::new();
    decompressed(&mut &packed.unwrap()[..]).unwrap().read_to_end(&mut data).unwrap();
    let data = String::from_utf8_lossy(&data);
    // The embedded machine ends after 5 steps.
    let differing = data.split_once("\"differs\":").map_or("", |(_, rest)| rest);
    assert!(differing.contains("],[20,["), "{data}");
}

/// The command that `bisect` and `matrix` print opens the runs.
#[test]
fn printed_commands_open_the_explorer() {
    let folder = TempDir::new().unwrap();
    let file = sum(folder.path());
    let other = format!("other=sh -c 'sed -u s/6003600401/6003600501/ | {SERVE}'");
    for args in [["bisect", &file, "--vm", &other], ["matrix", &file, "--vm", &other]] {
        let Ran { stdout, .. } = vmconf(&args);
        let look = stdout.lines().find_map(|line| line.trim().strip_prefix("look: ")).unwrap();
        let look = format!("{look} --html -");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &look]).current_dir(at_root("")).env("PATH", path_with_vmconf());
        let shown = shell.output().unwrap();
        let page = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.status.success() && page.contains("embedded beside other"), "{look}: {shown:?}");
    }
}
