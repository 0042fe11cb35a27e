//! `vmconf explore`: what is on the screen and what keys do, in a buffer and in a terminal, and the page in a browser.

mod alike;
mod compounds;
mod counted;
mod elsewhere;
mod failures;
mod hand;
mod long;
mod report;
mod search;
mod statetest;
mod tasks;
mod terminal;
mod truth;
mod values;
mod viewer;
mod writes;

use std::fs;
use std::process::Command;

use crate::support::browser::{Browser, browser};
use crate::support::{Ran, at_root, command, files_of, golden, ran};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::{Position, Rect};
use scraper::{Html, Selector};
use vmconf::explain::explore::{self, Explorer, ExplorerFlow, ExplorerKey, OpenedCase, Pane, screen};
use vmconf::run::{self, LoadOptions};

/// A failing case of each machine.
const FAILING: [(&str, &str); 6] = [
    ("evm", "tests/samples/vmtests/wrong/storage-value.json"),
    ("neo3", "tests/samples/neovm-n3/wrong/deep-element.json"),
    ("neo2", "tests/samples/neovm-2x/wrong/alt-stack.json"),
    ("tinyvm", "tests/samples/tinyvm/wrong/third-test-fails.json"),
    ("minic89", "tests/samples/minic89/wrong/trap-code.json"),
    ("ethereum", "tests/samples/statetest/wrong/balance.json"),
];

const GCD: &str = "vectors/minic89/source.json::gcd";

fn opened(id: &str) -> OpenedCase {
    let options = LoadOptions::default();
    let (file, name) = id.split_once("::").unwrap_or((id, ""));
    let sources = files_of(at_root(file));
    let loaded = run::open(&sources[0], &options);
    let case = loaded.ids().position(|it| name.is_empty() || it.in_file() == name).unwrap();
    explore::open(&loaded, case, &options.run).unwrap()
}

fn explorer(id: &str) -> Explorer {
    let OpenedCase { machine, recording, assertions, demands, .. } = opened(id);
    let source =
        if id == GCD { (1..30).map(|line| format!("source line {line}")).collect() } else { Vec::new() };
    let explorer = Explorer::new(recording, format!("{machine}  {id}"), assertions, source);
    explorer.with_case(id.to_owned(), [id].into_iter().collect(), demands)
}

fn press(explorer: &mut Explorer, keys: &str) {
    for key in keys.chars() {
        let key = match key {
            '\n' => ExplorerKey::Enter,
            '\t' => ExplorerKey::Tab,
            character => ExplorerKey::Char(character),
        };
        assert_eq!(explorer.press(key, &mut |_| true), ExplorerFlow::Continue);
    }
}

fn screen_of(explorer: &mut Explorer, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen::paint(explorer, frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn screens_of_each_machine() {
    let mut screens = Vec::new();
    for (machine, id) in FAILING {
        let mut explorer = explorer(id);
        for (width, height) in [(80, 24), (120, 40)] {
            let mut text = screen_of(&mut explorer, width, height);
            text += "\nthe write before:\n";
            press(&mut explorer, "p");
            text += &screen_of(&mut explorer, width, height);
            press(&mut explorer, "f");
            screens.push((format!("{machine}-{width}x{height}"), text));
        }
    }
    let mut gcd = explorer(GCD);
    press(&mut gcd, "g20\n");
    screens.push(("source-120x40".to_owned(), screen_of(&mut gcd, 120, 40)));
    press(&mut gcd, "?");
    for (width, height) in [(80, 24), (60, 20)] {
        screens.push((format!("help-{width}x{height}"), screen_of(&mut gcd, width, height)));
    }
    press(&mut gcd, "?");
    screens.push(("tiny-20x5".to_owned(), screen_of(&mut gcd, 20, 5)));
    golden::folder("explore", screens);
}

#[test]
fn keys_go_where_they_say() {
    let mut explorer = explorer(GCD);
    let now = |explorer: &Explorer| explorer.recording().now().step();
    assert_eq!((now(&explorer), explorer.recording().steps()), (0, 73));
    // Step 6 calls gcd.
    for (keys, step) in [
        ("sss", 3),
        ("b", 2),
        ("g5\n", 5),
        ("s", 6),
        ("u", 71),
        ("g5\no", 71),
        ("0", 0),
        ("b", 0),
        ("/mod\n", 14),
        ("N", 33),
        ("P", 14),
        ("G\\mod\n", 52),
        ("P", 33),
        ("P", 14),
        ("N", 33),
        ("\tX", 14),
        ("x", 33),
        ("G", 73),
        ("s", 73),
        ("g999999999999999999999\n", 73),
        ("gx\n", 73),
        ("f", 73),
    ] {
        press(&mut explorer, keys);
        assert_eq!(now(&explorer), step, "{keys:?}");
    }
    assert_eq!(explorer.press(ExplorerKey::Char('q'), &mut |_| true), ExplorerFlow::Quit);
}

#[test]
fn a_click_selects_a_line() {
    let mut explorer = explorer(GCD);
    let area = Rect::new(0, 0, 80, 24);
    assert_eq!(screen::line_at(&explorer, area, Position { x: 3, y: 4 }), Some((Pane::Code, 2)));
    assert_eq!(screen::line_at(&explorer, area, Position { x: 60, y: 3 }), Some((Pane::State, 1)));
    assert_eq!(screen::line_at(&explorer, area, Position { x: 60, y: 0 }), None);
    assert_eq!(screen::line_at(&explorer, area, Position { x: 60, y: 20 }), None);
    explorer.click(Pane::Code, 5);
    press(&mut explorer, "x");
    assert_eq!(explorer.recording().now().step(), 5);
}

/// A terminal has two columns for each of these characters.
#[test]
fn a_title_of_wide_characters_leaves_room_for_the_step() {
    let OpenedCase { recording, assertions, .. } = opened(GCD);
    let end = format!(" step 0 of {}\"", recording.steps());
    let mut explorer = Explorer::new(recording, "日本".repeat(40), assertions, Vec::new());
    let screen = screen_of(&mut explorer, 80, 24);
    assert!(screen.lines().next().unwrap().contains(&end), "{screen}");
}

#[test]
fn strings_of_a_vector_are_not_commands_for_the_terminal() {
    let mut explorer = explorer("tests/samples/trace/hostile.json");
    press(&mut explorer, "G");
    let text = screen_of(&mut explorer, 120, 40);
    assert!(!text.replace('\n', "").contains(vmconf::model::escape::is_harmful), "{text:?}");
}

#[test]
fn without_a_terminal_it_says_so() {
    let Ran { exit, stdout, stderr } = ran(command(&["explore", GCD]).output().unwrap());
    assert_eq!((exit, &*stdout), (2, ""), "{stderr}");
    assert!(stderr.contains("explore needs a terminal; --html FILE writes a page instead"), "{stderr}");
}

// ---- The page

fn page(id: &str) -> String {
    let mut page = Vec::new();
    let command = [id].into_iter().collect();
    explore::page::write(opened(id), &["int main() </script>".to_owned()], &command, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn a_page_loads_nothing_and_has_only_its_own_elements() {
    for id in ["tests/samples/trace/hostile.json", FAILING[0].1] {
        let text = page(id);
        let document = Html::parse_document(&text);
        assert_eq!(document.errors, Vec::<std::borrow::Cow<str>>::new());
        assert_eq!(texts(&document, "script").len(), 2);
        for element in document.root_element().descendent_elements() {
            for (name, value) in element.value().attrs() {
                assert!(!["src", "href", "srcset", "action"].contains(&name), "{name}={value}");
                assert!(!name.starts_with("on"), "{name}={value}");
            }
        }
        assert!(text.contains("default-src 'none'"));
    }
}

fn texts(page: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).map(|element| element.text().collect()).collect()
}

/// What is on a page after a script did something with it. The policy of the page allows its own script alone, so
/// the policy is taken out.
fn after(browser: &Browser, text: &str, script: &str, fragment: &str) -> Html {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let (before, rest) = text.split_once("<meta http-equiv").unwrap();
    let (_, rest) = rest.split_once(">\n").unwrap();
    let wait = format!(
        "<script>const wait = setInterval(() => {{ if (document.getElementById('page').hidden) return;\
         clearInterval(wait); {script} }}, 10);</script></body>"
    );
    let with_script =
        if script.is_empty() { text.to_owned() } else { format!("{before}{rest}").replace("</body>", &wait) };
    fs::write(&path, with_script).unwrap();
    Html::parse_document(&browser.dom(&path, fragment))
}

const TYPE: &str = "const type = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', \
                    { key, bubbles: true }));\
                    const click = (move) => document.querySelector(`[data-move=${move}]`).click();";

#[test]
fn a_page_works_in_a_browser() {
    let Some(browser) = browser() else { return };
    // With its own policy: it opens at the failure, with the datum selected.
    let storage = page(FAILING[0].1);
    let opened = after(browser, &storage, "", "");
    assert_eq!(texts(&opened, "#state [aria-selected=true]"), ["  0x00: 1, demanded 2"]);
    assert!(texts(&opened, "#failure")[0].contains("expected 2"));
    assert!(texts(&opened, "#status")[0].starts_with("ended: returned at 0x4e RETURN"));
    // Back to the write, over there a step on and back.
    let script = format!("{TYPE} type('p'); click('forward'); type('b'); type('ArrowRight');");
    let written = after(browser, &storage, &script, "");
    assert!(texts(&written, "#state .changed").contains(&"* 0x00: 1, demanded 2".to_owned()));
    let filtered = format!(
        "{TYPE} click('first'); const f = document.getElementById('filter'); f.value = 'gas';\
         f.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    );
    let filtered = after(browser, &storage, &filtered, "");
    assert_eq!(texts(&filtered, "#state [role=option]").len(), 1);
    assert_eq!(texts(&filtered, "#state .changed").len(), 0);
    // Strings of the vector are text, and the address names a step.
    let hostile = after(browser, &page("tests/samples/trace/hostile.json"), "", "#step=1");
    assert!(texts(&hostile, "#source li")[0].contains("int main() </script>"));
    assert_eq!(texts(&hostile, "script").len(), 2);
}

/// Writes before and after, across the states that are written in full, are those that looking at all states finds.
#[test]
fn a_page_finds_each_write() {
    let Some(browser) = browser() else { return };
    let text = fs::read_to_string(at_root("tests/samples/trace/long.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.json");
    // 12 gas for 3 steps: 533 rounds, and in the next one the third step lacks gas. The initial state is one, too.
    fs::write(&path, text.replace("0x124f80", "0x1900")).unwrap();
    // In each round, PUSH1 writes the stack, and each instruction takes gas.
    let script = "let count = 0; const wrong = []; go(2);\
        const [gas, item] = ['gas', '[0]'].map((label) => sections.flatMap(rowsOf).find((row) => row.label === label));\
        const ask = (row, at) => { ({ datum, places } = row); go(at); count += 1; return [lastWrite(), nextWrite()]; };\
        const none = (at, least, most) => at < least || at > most ? null : at;\
        for (const at of [0, 1, 2, 498, 499, 500, 501, 502, 999, 1000, 1001, 1601]) {\
          const last = at - ((at + 1) % 3);\
          if (String(ask(gas, at)) !== String([none(at, 1, 1601), none(at + 1, 1, 1601)])) wrong.push(['gas', at]);\
          if (String(ask(item, at)) !== String([none(last, 2, 1602), none(last + 3, 0, 1601)])) wrong.push(['item', at]);\
        }\
        document.getElementById('status').textContent = `${run.count} ${count} ${JSON.stringify(wrong)}`;";
    let shown = after(browser, &page(path.to_str().unwrap()), script, "");
    assert_eq!(texts(&shown, "#status"), ["1603 24 []"]);
}

#[test]
fn the_command_writes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut command: Command = command(&["explore", GCD, "--html"]);
    let Ran { exit, stdout, stderr } = ran(command.arg(&path).output().unwrap());
    assert_eq!((exit, &*stdout, &*stderr), (0, "", ""));
    assert!(fs::read_to_string(path).unwrap().starts_with("<!DOCTYPE html>"));
}
