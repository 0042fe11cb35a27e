//! Failing assertions as a list, and the instruction that decided a datum that none writes.

use serde_json::json;
use vmconf::explain::explore::ExplorerKey;

use super::truth::neo3_steps;
use super::{FAILING, TYPE, after, explorer, opened, page, press, screen_of, texts};
use crate::support::browser::browser;

/// Five data of different kinds are wrong.
const SEVERAL: &str = "tests/samples/vmtests/wrong/several.json";

#[test]
fn all_failing_assertions_are_places_to_go() {
    let opened = opened(SEVERAL);
    let lines: Vec<_> = opened.assertions.iter().map(|it| it.line.clone()).collect();
    assert_eq!(lines.len(), 5, "{lines:#?}");
    let mut explorer = explorer(SEVERAL);
    let shown = |explorer: &mut super::Explorer| {
        let screen = screen_of(explorer, 120, 30);
        let of = |line: &str| Some(line.split_once(" of 5)")?.0.rsplit_once('(')?.1.to_owned());
        screen.lines().find_map(of).unwrap_or_else(|| panic!("{screen}"))
    };
    for (keys, number) in
        [("", "1"), ("a", "2"), ("aaa", "5"), ("a", "5"), ("AAA", "2"), ("0f", "2"), ("lk\n", "1")]
    {
        press(&mut explorer, keys);
        assert_eq!(shown(&mut explorer), number, "{keys:?}");
    }
    press(&mut explorer, "l");
    let screen = screen_of(&mut explorer, 120, 30);
    assert!(lines.iter().all(|line| screen.contains(&**line)), "{screen}");
    explorer.press(ExplorerKey::Esc, &mut |_| true);
    assert!(!screen_of(&mut explorer, 120, 30).contains("5 failing assertions"));
    let mut with_one = super::explorer(FAILING[0].1);
    press(&mut with_one, "l");
    assert!(screen_of(&mut with_one, 120, 30).contains(" 1 failing assertion; "));
    let Some(browser) = browser() else { return };
    let page = page(SEVERAL);
    let second = after(browser, &page, &format!("{TYPE} type('a');"), "");
    assert!(texts(&second, "#failure")[0].contains("(2 of 5)"));
    assert_eq!(texts(&second, "#failures option"), lines);
    let script = "view.failures.value = '2'; view.failures.dispatchEvent(new Event('change'));";
    let third = after(browser, &page, script, "");
    assert!(texts(&third, "#failure")[0].contains("(3 of 5)"));
    // The address that the page gets names the assertion, also away from where it fails.
    let address =
        &texts(&after(browser, &page, "moves.back(); say(location.hash);", "#failure=4"), "#status")[0];
    assert!(address.starts_with("#step="), "{address}");
    let fourth = after(browser, &page, "say(String(run.first + now));", address);
    assert!(texts(&fourth, "#failure")[0].contains("(4 of 5)"), "{address}");
    assert!(address.starts_with(&format!("#step={}&", texts(&fourth, "#status")[0])), "{address}");
}

/// Keys work in the list of failing assertions and on the time line, and leave them; Escape closes what is open.
#[test]
fn the_keys_of_a_page_leave_what_they_opened() {
    let Some(browser) = browser() else { return };
    let keys = [
        ("l", "failures 0 true"),
        ("b", "failures -1 true"),
        ("Escape", "state -1 true"),
        ("t", "time -1 true"),
        ("b", "time -2 true"),
        ("t", "state -2 true"),
        ("t", "time -2 true"),
        ("Escape", "state -2 true"),
        ("y", "state -2 false"),
        ("Escape", "state -2 true"),
    ];
    let names: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
    let script = format!(
        "const start = now; const seen = {}.map((key) => {{\
         document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true }}));\
         return `${{document.activeElement.id}} ${{now - start}} ${{view.details.hidden}}`; }}); say(seen.join('; '));",
        json!(names)
    );
    let shown = after(browser, &page(SEVERAL), &script, "");
    let expected: Vec<_> = keys.iter().map(|(_, shown)| *shown).collect();
    assert_eq!(texts(&shown, "#status"), [expected.join("; ")]);
}

/// The failing datum, and the instruction that `p` goes to from where the explorer opens.
#[test]
fn what_decided_a_datum_is_found_from_where_it_opens() {
    let fault = |script: serde_json::Value, state: &str| {
        neo3_steps(&script, &json!([{ "actions": ["execute"], "result": { "state": state } }]))
    };
    let halts = fault(json!(["PUSH1", "RET"]), "FAULT");
    let faults = fault(json!(["PUSH1", "PUSH0", "DIV", "RET"]), "HALT");
    let gas = "tests/samples/vmtests/wrong/gas.json";
    let trap = "tests/samples/minic89/wrong/trap-code.json";
    let logs = "tests/samples/statetest/wrong/logs.json";
    let out = "tests/samples/vmtests/wrong/out.json";
    let log = "tests/samples/vmtests/wrong/log-missing.json";
    let stop = "tests/samples/tinyvm/wrong/stop.json";
    for (id, expected) in [
        (&*halts.path, "RET"),
        (&faults.path, "DIV"),
        (gas, "PUSH1 0x1e"),
        (trap, "DIV"),
        (out, "RETURN"),
        (log, "LOG1"),
        (stop, ".word 0x0000"),
    ] {
        let mut explorer = explorer(id);
        press(&mut explorer, "p");
        let recording = explorer.recording();
        assert_eq!(recording.machine().instruction(), expected, "{id}");
        let step = recording.now().step();
        let Some(browser) = browser() else { continue };
        let shown =
            after(browser, &page(id), &format!("{TYPE} type('p'); say(String(run.first + now));"), "");
        assert_eq!(texts(&shown, "#status"), [step.to_string()], "{id}");
    }
    // Where no instruction is to blame, that is said.
    let mut explorer = explorer(logs);
    press(&mut explorer, "p");
    let screen = screen_of(&mut explorer, 110, 20);
    assert!(screen.contains("logs: no instruction wrote it"), "{screen}");
}
