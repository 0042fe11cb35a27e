//! The terminal and the page show the same lines with the same marks, in every state of a run.

use vmconf::explain::explore::Explorer;

use super::truth::{inner_revert, neo3, panes_of, set_between, vector};
use super::{FAILING, after, explorer, page, press, texts};
use crate::support::browser::browser;

/// What a page shows in a dozen states and the last ones: the lines of the code, those of the state, and both after
/// `X` from the last one.
const ASK: &str = "history.replaceState = () => {};\
    const listed = (list) => [...list.children].map((line) => line.textContent);\
    const states = [];\
    for (let at = 0; at < run.count; at += 1) {\
      if (at % Math.ceil(run.count / 12) > 0 && at < run.count - 4) continue;\
      go(at);\
      states.push([run.first + at, listed(view.code), listed(view.state)]);\
    }\
    const found = states.map(([step]) => {\
      const went = [];\
      for (const move of ['nextExecution', 'lastExecution', 'over', 'out']) { go(step); moves[move](); went.push(now); }\
      return went;\
    });\
    say(JSON.stringify([states, found]));";

type Shown = (Vec<(u64, Vec<String>, Vec<String>)>, Vec<[u64; 4]>);

/// The lines of a pane without what follows the text of a row in one form only, and without more than one space.
fn plain(lines: Vec<String>) -> Vec<String> {
    let words = |line: String| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.into_iter().map(words).filter(|line| !line.is_empty()).collect()
}

/// Calls, exceptions that are caught, stops of a debugger, a driver.
const OTHERS: [&str; 4] = [
    "tests/samples/statetest/wrong/storage-after-failed-call.json",
    "vectors/neo3/exceptions/array-index.json::PICKITEM just behind an empty Array can be caught",
    "vectors/neo3/debugger/states.json::Several steps at once",
    "vectors/tinyvm/driver/budget.json::budget zero is a timeout at once",
];

#[test]
fn both_forms_show_the_same_lines() {
    let Some(browser) = browser() else { return };
    let revert = vector(&inner_revert());
    let arrays = neo3(&serde_json::json!([
        "PUSH2", "NEWARRAY", "DUP", "DUP", "PUSH0", "PUSH5", "SETITEM", "DUP", "PUSH1", "PUSH6", "SETITEM",
        "ABORT"
    ]));
    let set = set_between();
    let mut compared = 0;
    for id in FAILING.iter().map(|it| it.1).chain(OTHERS).chain([&*revert.path, &arrays.path, &set.path]) {
        let shown = after(browser, &page(id), ASK, "");
        let (states, found): Shown = serde_json::from_str(&texts(&shown, "#status")[0]).unwrap();
        assert!(!states.is_empty() && states.len() == found.len(), "{id}: {} states", states.len());
        compared += states.len();
        let mut explorer = explorer(id);
        for ((step, code, state), went) in states.into_iter().zip(found) {
            let go = |explorer: &mut Explorer| press(explorer, &format!("g{step}\n"));
            go(&mut explorer);
            let (our_code, our_state) = panes_of(&mut explorer, 1000, 120);
            assert_eq!(plain(our_state), plain(state), "{id}, step {step}: state");
            assert_eq!(plain(our_code), plain(code), "{id}, step {step}: code");
            let ours = ["\tx\t", "\tX\t", "o", "u"].map(|keys| {
                go(&mut explorer);
                press(&mut explorer, keys);
                explorer.recording().now().step()
            });
            assert_eq!(ours, went, "{id}, step {step}: executions, over and out");
        }
    }
    assert!(compared > 50, "{compared} states");
}
