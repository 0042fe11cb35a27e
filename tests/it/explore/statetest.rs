//! State tests: accounts, logs, and the tree of calls.

use super::{after, explorer, page, press, screen_of, texts};
use crate::support::browser::browser;
use crate::support::golden;

/// A call fails and gives a reason, after another one in it succeeded.
const FAILED_CALL: &str = "tests/samples/statetest/wrong/storage-after-failed-call.json";

/// The line of the state that has this text.
fn line(screen: &str, part: &str) -> String {
    let line =
        screen.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part}:\n{screen}"));
    line.chars().skip(50).collect()
}

#[test]
fn accounts_and_calls_are_on_the_screen() {
    const WORD: &str = "storage 0x01: 0, before 2";
    let mut explorer = explorer(FAILED_CALL);
    let at_end = screen_of(&mut explorer, 140, 60);
    // The failing assertion's datum is selected, and shows what it was; what the failed call did is undone.
    assert!(line(&at_end, WORD).contains('▏'), "{at_end}");
    assert!(line(&at_end, "1 CALL").contains("returned 0x (0 bytes)"), "{at_end}");
    assert!(line(&at_end, "2 CALL").contains("reverted, \"no funds\""), "{at_end}");
    assert!(line(&at_end, "3 CALL").contains("returned 0x (0 bytes)"), "{at_end}");
    press(&mut explorer, "p");
    let writer = screen_of(&mut explorer, 140, 60);
    assert!(line(&writer, "step ").contains("step 44 of 53"), "{writer}");
    press(&mut explorer, "s");
    let written = screen_of(&mut explorer, 140, 60);
    assert!(line(&written, WORD).contains('*'), "{written}");
    // Inside the call that is undone later.
    press(&mut explorer, "g14\n");
    let inside = screen_of(&mut explorer, 140, 60);
    assert!(line(&inside, "2 CALL").contains("runs"), "{inside}");
    golden::file(
        "explore-of-state-tests",
        &format!("{at_end}\nafter the write:\n{written}\nstep 14:\n{inside}"),
    );
}

/// The page has the same rows, with the whole text of each.
#[test]
fn the_page_has_the_same_rows() {
    let Some(browser) = browser() else { return };
    let page = after(browser, &page(FAILED_CALL), "", "");
    assert_eq!(texts(&page, "#state [aria-selected=true]"), ["    storage 0x01: 0, before 2, demanded 1"]);
    let rows = texts(&page, "#state [role=option]");
    let row = |part: &str| {
        rows.iter().find(|row| row.contains(part)).unwrap_or_else(|| panic!("{part}: {rows:#?}"))
    };
    assert!(row("2 CALL").contains("reverted, \"no funds\", 46901 gas used"), "{rows:#?}");
    assert!(row("3 CALL").ends_with("; undone, since its caller failed"), "{rows:#?}");
    assert!(
        row("topics").contains("(1)") && row("balance: 0x3ed").ends_with("before 5, as demanded"),
        "{rows:#?}"
    );
}
