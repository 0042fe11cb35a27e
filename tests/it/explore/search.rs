//! Searching both ways, links to a place, and lines that are longer than the screen.

use ratatui::layout::{Position, Rect};
use serde_json::{Value as Json, json};
use vmconf::explain::explore::{Explorer, ExplorerKey, screen};

use super::truth::{evm, neo3, panes};
use super::{TYPE, after, explorer, page, press, screen_of, texts};
use crate::support::browser::browser;

/// PUSH1 5, PUSH1 6, PUSH1 7, POP, POP, POP, PUSH1 8
const PUSHES: &str = "0x6005600660075050506008";

/// What is typed, the step that it leads to, and the row that is selected there.
const SEARCHES: [(&str, u64, &str); 9] = [
    ("0/=7\n", 3, "[2]: 7"),
    ("0/= 0x6\n", 2, "[1]: 6"),
    ("G\\=6\n", 2, "[1]: 6"),
    ("0/\"[0]: 8\n", 7, "[0]: 8"),
    ("P", 7, "[0]: 8"),
    // Before the first POP, then the second, and back.
    ("0/pop\n", 3, ""),
    ("N", 4, ""),
    ("P", 3, ""),
    ("G\\PUSH1\n", 6, ""),
];

fn selected(explorer: &mut Explorer) -> String {
    let rows = panes(explorer).1;
    let row =
        rows.into_iter().find_map(|row| Some(row.strip_prefix('▏')?.trim_matches(['*', ' ']).to_owned()));
    row.unwrap_or_default()
}

#[test]
fn searches_lead_to_instructions_values_and_texts() {
    let vector = evm(PUSHES);
    let mut explorer = explorer(&vector.path);
    for (keys, step, row) in SEARCHES {
        press(&mut explorer, keys);
        assert_eq!(explorer.recording().now().step(), step, "{keys:?}");
        assert!(row.is_empty() || selected(&mut explorer) == row, "{keys:?}: {}", selected(&mut explorer));
    }
    press(&mut explorer, "0/=77\n");
    let screen = screen_of(&mut explorer, 80, 24);
    assert!(screen.contains("no datum gets this value after this; P searches back"), "{screen}");
    // What changed: the gas, the value that was pushed, and from the start again.
    press(&mut explorer, "g3\n");
    explorer.click(super::Pane::State, 0);
    for row in ["gas", "[2]: 7", "gas"] {
        press(&mut explorer, "m");
        assert!(selected(&mut explorer).starts_with(row), "{row}: {}", selected(&mut explorer));
    }
}

/// The command and the address open the same step with the same datum.
#[test]
fn links_lead_to_a_datum_in_a_state() {
    let vector = evm(PUSHES);
    let mut one = explorer(&vector.path);
    press(&mut one, "0/=7\ny");
    let link = format!("vmconf explore {} --at 3 --datum 'stack [2] from the bottom'", vector.path);
    let screen = screen_of(&mut one, 200, 24);
    assert!(screen.contains(&link) && screen.contains("[2]: 7"), "{screen}");
    for (key, text) in
        [("y", &*link), ("yi", &*vector.path), ("yv", "7"), ("yd", "stack [2] from the bottom")]
    {
        press(&mut one, key);
        assert_eq!(one.take_copied().as_deref(), Some(text));
    }
    let mut other = explorer(&vector.path);
    other.open_at(Some(3), Some("stack [2] from the bottom"));
    assert_eq!((other.recording().now().step(), &*selected(&mut other)), (3, "[2]: 7"));
    other.open_at(Some(0), Some("stack [2] from the bottom"));
    assert!(screen_of(&mut other, 80, 24).contains("stack [2] from the bottom is not in this state"));
    let Some(browser) = browser() else { return };
    let script = format!(
        "{TYPE} const row = () => view.state.querySelector('[aria-selected=true]')?.textContent ?? '';\
         const said = [[now, row(), link()]];\
         const typed = (key, text) => {{ type(key); view.search.value = text;\
           view.search.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter' }})); said.push([now, row(), document.activeElement.id]); }};\
         typed('/', '=8'); typed('\\\\', '\"[1]: 6'); typed('/', 'pop'); type('P'); type('y');\
         said.push([view.details.hidden, view.detailsText.textContent, view.time.getAttribute('aria-valuetext')]);\
         view.time.value = '7'; view.time.dispatchEvent(new Event('input')); said.push([now, view.timeText.textContent]);\
         say(JSON.stringify(said));"
    );
    let fragment = "#step=3&datum=stack+%5B2%5D+from+the+bottom";
    let shown = after(browser, &page(&vector.path), &script, fragment);
    let said: Json = serde_json::from_str(&texts(&shown, "#status")[0]).unwrap();
    let time = "frames over steps 0 to 7: at most 1 frame; below, 1 write of stack [1] from the bottom; \
                over the whole height, where an assertion fails: step 7";
    assert_eq!(
        said,
        json!([
            [3, "* [2]: 7", fragment],
            [7, "* [0]: 8", "state"],
            [2, "* [1]: 6", "state"],
            [3, "  [1]: 6", "state"],
            [false, "[1]: 6", "step 3 of 7, 1 frame, next POP"],
            [7, time],
        ])
    );
}

/// The row ends after 100 bytes, and the line on request has all of them, in lines of the screen.
#[test]
fn a_line_is_shown_whole() {
    let bytes = "ab".repeat(149) + "cd";
    let vector = neo3(&json!(["PUSHDATA1", "0x96", format!("0x{bytes}"), "RET"]));
    let mut explorer = explorer(&vector.path);
    press(&mut explorer, "0s");
    let rows = panes(&mut explorer).1;
    let line = rows.iter().position(|row| row.contains("[0]: ByteString")).unwrap();
    explorer.click(super::Pane::State, line - 2);
    explorer.press(ExplorerKey::Enter, &mut |_| true);
    let screen = screen_of(&mut explorer, 80, 24);
    let text: String = screen.lines().map(|line| line.trim_matches(['"', '│', ' '])).collect();
    assert!(text.contains(&format!("[0]: ByteString 0x{bytes}")), "{screen}");
    explorer.press(ExplorerKey::Esc, &mut |_| true);
    assert!(!screen_of(&mut explorer, 200, 60).contains(&bytes));
}

/// Frames over the states, and the two writes of the selected datum.
#[test]
fn the_time_line_has_frames_and_writes() {
    let vector = evm(PUSHES);
    let mut explorer = explorer(&vector.path);
    press(&mut explorer, "0/=5\nt");
    let screen = screen_of(&mut explorer, 80, 24);
    let lines: Vec<_> = screen.lines().map(|line| line.trim_matches('"')).collect();
    let line = |name: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{screen}"));
        line.chars().skip(7).collect::<String>().trim_end().to_owned()
    };
    // Eight states, each in its own column; the last one has no frame. The case fails there.
    assert_eq!(line("frames "), "▁▁▁▁▁▁▁");
    assert_eq!(line("writes "), " |     ✗");
    assert_eq!(line("now "), " ▲ at most 1 frame; 2 writes of stack [0] from the bottom");
    // Each column is a place to go, but not the names in front of them, and nothing below the time line.
    let first = lines.iter().position(|line| line.starts_with("frames ")).unwrap();
    let at = |x: usize, y: usize| {
        let place = Position { x: u16::try_from(x).unwrap(), y: u16::try_from(y).unwrap() };
        screen::time_at(&explorer, Rect::new(0, 0, 80, 24), place)
    };
    for step in 0..8 {
        assert_eq!(at(7 + step, first), Some(step as u64));
        assert_eq!(at(7 + step, first + 2), Some(step as u64));
    }
    assert_eq!([at(6, first), at(7, first + 3), at(7, first - 1)], [None; 3]);
    press(&mut explorer, "t");
    assert!(!screen_of(&mut explorer, 80, 24).contains("at most 1 frame"));
    assert_eq!(screen::time_at(&explorer, Rect::new(0, 0, 80, 24), Position { x: 7, y: 20 }), None);
}
