//! All writes of a datum, and conditions on them.

use serde_json::json;
use vmconf::explain::recording::sections_of;

use super::truth::Vector;
use super::{Explorer, TYPE, after, explorer, page, press, screen_of, texts};
use crate::support::browser::browser;

/// A TinyVM adds 1 to r1 in each of 3,840 rounds, but 2 when 1,777 rounds are left. It executes 76,807 instructions.
pub(super) fn one_wrong_addition() -> Vector {
    let start = ["lw r1, 0", "lw r2, 3840", "lw r6, 1777", "lw r8, 0"];
    let round = ["lw r5, 1", "mov r7, r2", "eq r6 r7", "add r7 r5", "add r5 r1"];
    let others = ["mov r9, r8"; 13];
    let end = ["decr r2", "b r2 -19", "yield"];
    let program: Vec<_> = start.into_iter().chain(round).chain(others).chain(end).collect();
    let test = json!({ "name": "it", "instructions": program, "steps": 100_000, "expect": { "stop": "yield", "registers": { "r1": 3840 } } });
    super::truth::vector(&json!({ "machine": "tinyvm", "tests": [test] }))
}

/// The number of the instruction that adds 2: before it are those that load, and 20 of each of 3,840 - 1,777 rounds.
pub(super) fn wrong_step(explorer: &Explorer) -> u64 {
    let loads = explorer.recording().steps() - 20 * 3840 - 1;
    loads + 20 * (3840 - 1777) + 5
}

fn r1(explorer: &Explorer) -> String {
    let mut rows = sections_of(explorer.recording().machine().inspect()).into_iter().flat_map(|it| it.rows);
    rows.find(|row| row.row.name == "r1").unwrap().row.value
}

#[test]
fn a_wrong_addition_among_thousands_takes_four_keys() {
    let vector = one_wrong_addition();
    let mut explorer = explorer(&vector.path);
    assert_eq!(r1(&explorer), "0xf01 (3841)");
    let wrong = wrong_step(&explorer);
    // To the start, the condition, 1, enter.
    press(&mut explorer, "0c1\n");
    assert_eq!(explorer.recording().now().step(), wrong);
    let said = format!("step {wrong}  ADD r5 r1: ");
    let screen = screen_of(&mut explorer, 120, 30);
    assert!(screen.to_lowercase().contains(&said.to_lowercase()), "{said}\n{screen}");
    // No other one.
    press(&mut explorer, "c1\n");
    assert_eq!(explorer.recording().now().step(), wrong);
    assert!(screen_of(&mut explorer, 120, 30).contains("r1: no such write after"));
    press(&mut explorer, "0c=7\n");
    assert_eq!(r1(&explorer), "7");
    press(&mut explorer, "cx\n");
    assert!(screen_of(&mut explorer, 120, 30).contains("\"x\" is neither a number nor"));
    let Some(browser) = browser() else { return };
    let script = "moves.first(); view.condition.value = '1'; view.condition.dispatchEvent(new Event('change'));\
                  const found = run.first + now; goToChange();\
                  say(`${found} ${run.first + now} ${view.status.textContent}`);";
    let shown = after(browser, &page(&vector.path), script, "");
    assert!(
        texts(&shown, "#status")[0].starts_with(&format!("{wrong} {wrong} ")),
        "{:?}",
        texts(&shown, "#status")
    );
}

#[test]
fn all_writes_are_places_to_go() {
    let vector = super::truth::evm("0x6005600660075050506008");
    let mut explorer = explorer(&vector.path);
    press(&mut explorer, "0s");
    let rows = screen_of(&mut explorer, 120, 60);
    let line = rows.lines().position(|line| line.contains("[0]: 5")).unwrap();
    explorer.click(super::Pane::State, line - 2);
    press(&mut explorer, "w");
    let screen = screen_of(&mut explorer, 120, 30);
    assert!(screen.contains("2 writes of stack [0] from the bottom"), "{screen}");
    assert!(
        screen.contains("▏1  PUSH1 0x05: nothing -> 5") && screen.contains(" 7  PUSH1 0x08: nothing -> 8"),
        "{screen}"
    );
    press(&mut explorer, "j\n");
    assert_eq!(explorer.recording().now().step(), 6);
    let Some(browser) = browser() else { return };
    let script = format!(
        "{TYPE} go(1); choose([...view.state.querySelectorAll('[role=option]')].find((it) => \
         it.textContent.includes('[0]: 5'))); type('w'); view.writes.querySelectorAll('button')[1].click();"
    );
    let shown = after(browser, &page(&vector.path), &script, "");
    assert_eq!(texts(&shown, "#writes li"), ["1  PUSH1 0x05: nothing -> 5", "7  PUSH1 0x08: nothing -> 8"]);
    assert!(texts(&shown, "#code .now")[0].contains("PUSH1 0x08"));
}
