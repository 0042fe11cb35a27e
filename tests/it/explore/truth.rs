//! What the explorer shows is what happened: the instruction that is executed, the data that it wrote, the datum that
//! is selected, in the terminal and in the page.

use std::fs;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use vmconf::explain::explore::{Explorer, Pane};
use vmconf::explain::recording::{
    Datum, Direction, FoundPlace, FoundWrite, Recording, Sought, TimeColumns, sections_of,
};
use vmconf::model::escaped;

use super::{FAILING, GCD, after, explorer, opened, page, press, screen_of, texts};
use crate::support::browser::browser;
use crate::support::{Ran, at_root, command, ran};

/// A file of vectors.
pub(super) struct Vector {
    _folder: TempDir,
    pub(super) path: String,
}

pub(super) fn vector(content: &Json) -> Vector {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vector.json");
    fs::write(&path, content.to_string()).unwrap();
    Vector { path: path.to_str().unwrap().to_owned(), _folder: folder }
}

pub(super) fn neo3(script: &Json) -> Vector {
    neo3_steps(script, &json!([{ "actions": ["execute"], "result": { "state": "FAULT" } }]))
}

pub(super) fn neo3_steps(script: &Json, steps: &Json) -> Vector {
    let test = json!({ "name": "it", "script": script, "steps": steps });
    vector(&json!({ "category": "it", "name": "it", "tests": [test] }))
}

pub(super) fn tinyvm(instructions: &Json) -> Vector {
    let test = json!({ "name": "it", "instructions": instructions, "expect": { "stop": "yield" } });
    vector(&json!({ "machine": "tinyvm", "tests": [test] }))
}

pub(super) fn evm(code: &str) -> Vector {
    let text = fs::read_to_string(at_root("tests/samples/trace/long.json")).unwrap();
    vector(&serde_json::from_str(&text.replace("0x5b600056", code)).unwrap())
}

/// A contract stores 7 at 1, and calls another one, which stores 3 at 1 and reverts.
pub(super) fn inner_revert() -> Json {
    let text = fs::read_to_string(at_root("tests/samples/statetest/wrong/balance.json")).unwrap();
    let mut content: Json = serde_json::from_str(&text).unwrap();
    let pre = &mut content["balance"]["pre"];
    // PUSH1 7, PUSH1 1, SSTORE, CALL with 0xffff gas, no value and no data, POP, PUSH1 9, PUSH1 2, SSTORE, STOP
    let outer = "0x600760015560006000600060006000\
                 7300000000000000000000000000000000000000c061fffff150600960025500";
    pre["0x00000000000000000000000000000000000000b0"]["code"] = json!(outer);
    // PUSH1 3, PUSH1 1, SSTORE, PUSH1 0xee, PUSH1 0, MSTORE8, PUSH1 1, PUSH1 0, REVERT
    pre["0x00000000000000000000000000000000000000c0"] = json!({
        "balance": "0x00", "nonce": "0x01", "code": "0x600360015560ee60005360016000fd", "storage": {}
    });
    content
}

/// The lines of the code and of the state, the latter from the mark of the selection on.
pub(super) fn panes(explorer: &mut Explorer) -> (Vec<String>, Vec<String>) {
    let screen = screen_of(explorer, 200, 60);
    let half = |line: &str, from: usize, count: usize| {
        line.trim_matches('"').chars().skip(from).take(count).collect::<String>().trim_end().to_owned()
    };
    screen.lines().map(|line| (half(line, 0, 90), half(line, 90, 110))).unzip()
}

/// The lines of the code and of the state on a wide screen, without titles and without the marks of the selection.
pub(super) fn panes_of(explorer: &mut Explorer, width: u16, height: u16) -> (Vec<String>, Vec<String>) {
    let screen = screen_of(explorer, width, height);
    let middle = usize::from(width) * 45 / 100;
    let half = |line: &str, from: usize, count: usize| {
        let half: String = line.trim_matches('"').chars().skip(from).take(count).collect();
        half.trim_start_matches('▏').to_owned()
    };
    let lines: Vec<_> = screen.lines().skip(2).collect();
    let end = lines.iter().position(|line| line.trim_matches(['"', ' ']).is_empty()).unwrap_or(lines.len());
    let both = |line: &&str| (half(line, 0, middle), half(line, middle, usize::from(width)));
    lines[..end].iter().map(both).unzip()
}

/// The rows that are marked with a sign.
fn signed(explorer: &mut Explorer, sign: char) -> Vec<String> {
    let rows = panes(explorer).1;
    let signed = rows.into_iter().filter(|row| row.chars().nth(1) == Some(sign));
    signed.map(|row| row.chars().skip(2).collect::<String>().trim().to_owned()).collect()
}

/// The instruction that is marked.
pub(super) fn marked(explorer: &mut Explorer) -> String {
    let code = panes(explorer).0;
    let is_marked = |line: &&String| matches!(line.chars().nth(1), Some('>' | '!'));
    let found = code.iter().find(is_marked).unwrap_or_else(|| panic!("nothing is marked in {code:#?}"));
    found.chars().skip(1).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

// ---- The code

/// The operands of PUSHDATA1 are executed as PUSH7 and PUSH8.
#[test]
fn a_jump_into_an_instruction_shows_what_is_executed() {
    let vector = neo3(&json!(["JMP", "0x04", "PUSHDATA1", "0x02", "0x1718", "RET"]));
    let mut explorer = explorer(&vector.path);
    let expected = [
        "> 0000 JMP 4 ; 0004",
        "> 0004 PUSH7 (inside another instruction)",
        "> 0005 PUSH8 (inside another instruction)",
        "> 0006 RET",
    ];
    press(&mut explorer, "0");
    for (step, text) in expected.into_iter().enumerate() {
        assert_eq!(marked(&mut explorer), text, "step {step}");
        press(&mut explorer, "s");
    }
    let Some(browser) = browser() else { return };
    let (text, before) = (page(&vector.path), "PUSHDATA1 0x1718");
    for (step, text_of_line) in expected.iter().enumerate() {
        let shown = after(browser, &text, "", &format!("#step={step}"));
        let now: Vec<String> = texts(&shown, "#code .now");
        let words = now[0].split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((now.len(), &*words), (1, *text_of_line));
        assert!(texts(&shown, "#code li")[1].contains(before), "the listing stays");
    }
}

/// A TinyVM has words after its program, and they are executed.
#[test]
fn what_follows_the_code_is_named() {
    let vector = tinyvm(&json!(["lw r1, 5"]));
    let mut explorer = explorer(&vector.path);
    press(&mut explorer, "0s");
    assert_eq!(marked(&mut explorer), "> 0001 .word 0x0000 (not in the code: after its end)");
    // A NeoVM executes a RET there.
    let mut explorer = explorer_of(&neo3(&json!(["PUSH1"])));
    press(&mut explorer, "0s");
    assert_eq!(marked(&mut explorer), "> 0001 RET (not in the code: after its end)");
}

fn explorer_of(vector: &Vector) -> Explorer {
    explorer(&vector.path)
}

/// An instruction that fails is marked, and its code stays.
#[test]
fn the_instruction_that_failed_is_marked() {
    let mut trap = explorer("tests/samples/minic89/wrong/trap-code.json");
    press(&mut trap, "G");
    assert_eq!(marked(&mut trap), "! 2 DIV");
    let mut fault = explorer_of(&neo3(&json!(["PUSH1", "PUSH2", "ABORT"])));
    press(&mut fault, "G");
    assert_eq!(marked(&mut fault), "! 0002 ABORT");
    // PUSH1 1, and an instruction that is none.
    let mut halt = explorer_of(&evm("0x6001fe"));
    press(&mut halt, "G");
    assert!(marked(&mut halt).starts_with("! 0002 "));
}

// ---- The marks

#[test]
fn a_revert_marks_what_it_undid_and_nothing_else() {
    let mut explorer = explorer_of(&vector(&inner_revert()));
    press(&mut explorer, "0/revert\n");
    // SSTORE, MSTORE8 and four PUSH came before.
    assert_eq!(signed(&mut explorer, '*').last().unwrap(), "[1]: 0");
    press(&mut explorer, "s");
    let rows = panes(&mut explorer).1;
    assert!(rows.iter().any(|row| row.ends_with("0x01: 7")), "{rows:#?}");
    let marked = signed(&mut explorer, '*');
    // The word of the account is as before, and the call has ended.
    let [gas_or_frames @ .., call, word] = &marked[..] else { panic!("{marked:#?}") };
    assert!(
        gas_or_frames.iter().all(|row| ["gas", "frames"].iter().any(|it| row.starts_with(it))),
        "{marked:#?}"
    );
    assert!(call.starts_with("2 CALL: reverted with 0xee (1 byte)"), "{marked:#?}");
    assert_eq!(word, "storage 0x01: 0");
    assert_eq!(signed(&mut explorer, '~'), [""; 0]);
}

#[test]
fn a_return_does_not_mark_the_locals_of_the_caller() {
    let mut explorer = explorer(GCD);
    // Step 6 calls gcd, and step 71 returns.
    press(&mut explorer, "g71\n");
    let rows = panes(&mut explorer).1;
    assert!(rows.iter().any(|row| row.trim_start().starts_with("x: 12")), "{rows:#?}");
    let marked = signed(&mut explorer, '*');
    let names: Vec<_> = marked.iter().map(|row| row.split(':').next().unwrap()).collect();
    assert_eq!(names, ["step", "pc", "[0]"], "{marked:#?}");
}

#[test]
fn memory_that_only_grows_is_not_marked() {
    // PUSH1 0x40, MLOAD, PUSH1 1, PUSH1 0x20, MSTORE
    let mut explorer = explorer_of(&evm("0x60405160016020526000"));
    press(&mut explorer, "0ss");
    let memory = |rows: Vec<String>| rows.into_iter().filter(|row| row.starts_with("0x")).collect::<Vec<_>>();
    assert_eq!(memory(signed(&mut explorer, '*')), [""; 0]);
    assert!(panes(&mut explorer).1.iter().any(|row| row.contains("0x0040: 00")));
    press(&mut explorer, "sss");
    assert_eq!(memory(signed(&mut explorer, '*')), [format!("0x0020: {:064x}", 1)]);
}

/// What is stored is marked, also if it was there before.
#[test]
fn a_write_of_the_same_value_is_marked() {
    // PUSH1 0, PUSH1 0, MSTORE, twice
    let mut explorer = explorer_of(&evm("0x600060005260006000526000"));
    press(&mut explorer, "g6\n");
    let row = format!("0x0000: {:064x}", 0);
    assert_eq!(signed(&mut explorer, '*').last(), Some(&row));
}

// ---- The selection

/// The values of the operand stack are shown with the top one first.
#[test]
fn the_selection_is_a_datum() {
    // PUSH1 5, PUSH1 6, PUSH1 7, POP, POP, POP, PUSH1 8
    let mut explorer = explorer_of(&evm("0x6005600660075050506008"));
    let selected = |explorer: &mut Explorer| {
        let rows = panes(explorer).1;
        rows.into_iter().find_map(|row| Some(row.strip_prefix('▏')?.trim_matches(['*', ' ']).to_owned()))
    };
    press(&mut explorer, "0s");
    let row = panes(&mut explorer).1.iter().position(|row| row.ends_with("[0]: 5")).unwrap();
    explorer.click(Pane::State, row - 2);
    assert_eq!(selected(&mut explorer).unwrap(), "[0]: 5");
    press(&mut explorer, "ss");
    assert_eq!(selected(&mut explorer).unwrap(), "[0]: 5");
    press(&mut explorer, "sss");
    assert_eq!(selected(&mut explorer), None);
    assert!(
        panes(&mut explorer).1[1].contains("stack [0] from the bottom is not in it"),
        "{:?}",
        panes(&mut explorer).1
    );
    // Where it was written is still known, and it comes back.
    press(&mut explorer, "p");
    assert_eq!(explorer.recording().now().step(), 0);
    press(&mut explorer, "n");
    assert_eq!(
        (explorer.recording().now().step(), selected(&mut explorer).unwrap()),
        (1, "[0]: 5".to_owned())
    );
    press(&mut explorer, "n");
    assert_eq!(
        (explorer.recording().now().step(), selected(&mut explorer).unwrap()),
        (7, "[0]: 8".to_owned())
    );
}

// ---- The questions

/// The answers of a page to all questions about writes, at some steps: step, datum, the last write and the next one.
const ASK: &str = "const answers = [];\
    for (const step of new Set([0, 1, run.all >> 2, run.all >> 1, run.all - 1, run.all])) {\
      go(step - run.first);\
      for (const row of sections.flatMap(rowsOf)) {\
        if (row.datum === null) continue;\
        datum = row.datum; places = row.places;\
        answers.push([step, run.data[datum], lastWrite(), nextWrite()]);\
      }\
    }\
    const searches = [];\
    for (const step of new Set([0, 1, run.all >> 1, run.all])) {\
      go(step - run.first);\
      for (const text of ['=1', '=0x0', '=5', '\"[0]', '\"1', '\"frame', 'push', 'r', 'ret']) {\
        for (const isBack of [false, true]) {\
          const found = search(text, isBack);\
          const its = found === null || found.datum === null ? null : run.data[found.datum];\
          searches.push([step, text, isBack, found === null ? null : found.at, its]);\
        }\
      }\
    }\
    const lines = [1, 7, 60].map((most) => { const { depths, writes } = timeLine(most); return [depths, writes]; });\
    const its = datum === null ? null : run.data[datum];\
    document.getElementById('status').textContent = JSON.stringify([answers, searches, its, lines]);";

/// What a page answers: the writes, the searches, and the time line of a datum in several widths.
type Answers = (
    Vec<(u64, String, Option<u64>, Option<u64>)>,
    Vec<(u64, String, bool, Option<u64>, Option<String>)>,
    Option<String>,
    Vec<(Vec<usize>, Vec<u64>)>,
);

#[test]
fn both_forms_answer_the_same() {
    let Some(browser) = browser() else { return };
    let revert = vector(&inner_revert());
    let arrays = neo3(&json!([
        "PUSH2", "NEWARRAY", "DUP", "DUP", "PUSH0", "PUSH5", "SETITEM", "DUP", "PUSH1", "PUSH6", "SETITEM",
        "ABORT"
    ]));
    let set = set_between();
    let ids = FAILING.iter().map(|it| it.1).chain([GCD, &revert.path, &arrays.path, &set.path]);
    let (mut count, mut found, mut places) = (0, 0, 0);
    for id in ids {
        let shown = after(browser, &page(id), ASK, "");
        let (answers, searches, its, lines): Answers =
            serde_json::from_str(&texts(&shown, "#status")[0]).unwrap();
        let mut recording = opened(id).recording;
        for (step, name, last, next) in answers {
            let ours = [Direction::Back, Direction::Forward].map(|it| asked(&mut recording, step, &name, it));
            assert_eq!(ours, [last, next], "{id}, step {step}: {name}");
            count += 1;
            found += usize::from(last.is_some());
        }
        for (step, text, is_back, at, datum) in searches {
            let direction = if is_back { Direction::Back } else { Direction::Forward };
            recording.go_to(recording.moment(step));
            let ours = recording.search_for(&Sought::parse(&text), direction, &mut |_| true);
            let ours = match ours {
                FoundPlace::Instruction(step) => (Some(step - 1), None),
                FoundPlace::Row(step, datum) => {
                    (Some(step), Some(escaped(&datum.id.to_string()).into_owned()))
                }
                FoundPlace::Nothing | FoundPlace::Cancelled => (None, None),
            };
            places += usize::from(ours.0.is_some());
            assert_eq!(ours, (at, datum), "{id}, step {step}: {text}, {direction:?}");
        }
        let end = recording.steps();
        let mut line = recording.time_line(&mut |_| true).unwrap();
        if let Some(name) = its {
            let datum = datum_of(&mut recording, end, &name);
            assert!(recording.add_writes(&mut line, &datum, &mut |_| true));
        }
        for ((depths, writes), most) in lines.into_iter().zip([1, 7, 60]) {
            for column in 0..depths.len() {
                let first = line.first_of(column, most);
                assert_eq!(line.column_of(first, most), column, "{id}");
                assert!(first == 0 || line.column_of(first - 1, most) < column, "{id}: {column} of {most}");
            }
            assert_eq!(line.columns(most), TimeColumns { depths, writes }, "{id}");
        }
    }
    assert!(count > 400 && found > 150, "{found} of {count}");
    assert!(places > 150, "{places}");
}

/// r1 is 1 and then 2; the vector sets it to 7 and, after one more instruction, to 9 before the last one.
pub(super) fn set_between() -> Vector {
    let program = ["lw r1, 1", "lw r1, 2", "mov r2, r1", "yield"];
    let test = json!({
        "name": "it", "instructions": program, "steps": 2, "expect": { "stop": "limit" },
        "then": [
            { "registers": { "r1": 7 }, "steps": 1, "expect": { "stop": "limit" } },
            { "registers": { "r1": 9 }, "expect": { "stop": "yield", "registers": { "r1": 2 } } }
        ]
    });
    vector(&json!({ "machine": "tinyvm", "tests": [test] }))
}

/// What the vector sets between two instructions is no instruction's write, and one that is found and listed.
#[test]
fn values_that_the_vector_sets_are_writes_of_the_vector() {
    let vector = set_between();
    let mut recording = opened(&vector.path).recording;
    let mut write = |step, direction| {
        let datum = datum_of(&mut recording, step, "register r1");
        recording.write_of(&datum, direction, &mut |_| true)
    };
    let back: Vec<_> = (0..=4).map(|step| write(step, Direction::Back)).collect();
    let (instruction, vector_after) = (FoundWrite::Instruction, FoundWrite::Vector);
    assert_eq!(
        back,
        [FoundWrite::Nothing, instruction(1), vector_after(2), vector_after(3), vector_after(3)]
    );
    let ahead: Vec<_> = (0..=4).map(|step| write(step, Direction::Forward)).collect();
    assert_eq!(
        ahead,
        [instruction(1), instruction(2), vector_after(3), FoundWrite::Nothing, FoundWrite::Nothing]
    );
    let mut explorer = explorer(&vector.path);
    let row = panes(&mut explorer).1.iter().position(|row| row.contains("r1: ")).unwrap();
    explorer.click(Pane::State, row - 2);
    press(&mut explorer, "p");
    assert_eq!(explorer.recording().now().step(), 3);
    let says = |explorer: &mut Explorer| screen_of(explorer, 120, 30);
    assert!(
        says(&mut explorer).contains("register r1: the vector sets it here, after step 3"),
        "{}",
        says(&mut explorer)
    );
    press(&mut explorer, "w");
    let lines =
        ["1  lw r1, 1: 0 -> 1", "2  lw r1, 2: 1 -> 2", "2  the vector: 2 -> 7", "3  the vector: 7 -> 9"];
    for line in lines {
        assert!(says(&mut explorer).contains(line), "{line}\n{}", says(&mut explorer));
    }
    press(&mut explorer, "k\n");
    assert_eq!(explorer.recording().now().step(), 2);
    let Some(browser) = browser() else { return };
    let script = "choose([...view.state.querySelectorAll('[role=option]')].find((it) => /r1:/.test(it.textContent)));\
                  moves.lastWrite(); const said = view.status.textContent; moves.writes(); say(`${run.first + now} ${said}`);";
    let shown = after(browser, &page(&vector.path), script, "");
    assert_eq!(texts(&shown, "#status"), ["3 register r1: the vector sets it here, after step 3"]);
    let listed = ["1  lw r1, 1: 0 -> 1", "2  lw r1, 2: 1 -> replaced by the vector"];
    let listed =
        listed.into_iter().chain(["2  the vector: replaced by the vector -> 7", "3  the vector: 7 -> 9"]);
    assert_eq!(texts(&shown, "#writes li"), listed.collect::<Vec<_>>());
}

/// The datum with this name in a state.
pub(super) fn datum_of(recording: &mut Recording, step: u64, name: &str) -> Datum {
    recording.go_to(recording.moment(step));
    let mut rows = sections_of(recording.machine().inspect()).into_iter().flat_map(|section| section.rows);
    rows.find(|row| escaped(&row.datum.id.to_string()) == name).unwrap().datum
}

/// The answer of the terminal.
fn asked(recording: &mut Recording, step: u64, name: &str, direction: Direction) -> Option<u64> {
    let datum = datum_of(recording, step, name);
    written(recording, step, &datum, direction)
}

/// The same of a datum that the state may not have.
pub(super) fn written(
    recording: &mut Recording,
    step: u64,
    datum: &Datum,
    direction: Direction,
) -> Option<u64> {
    recording.go_to(recording.moment(step));
    match recording.write_of(datum, direction, &mut |_| true) {
        FoundWrite::Instruction(step) | FoundWrite::Vector(step) => Some(step),
        FoundWrite::Nothing => None,
        FoundWrite::Cancelled => panic!("nobody cancels"),
    }
}

/// The word that a reverted call stored and the one that its caller stored have the same key.
#[test]
fn the_write_before_is_that_of_the_same_account() {
    let vector = vector(&inner_revert());
    let word = format!("storage 0x01 of 0x{:040x}", 0xb0);
    let mut recording = opened(&vector.path).recording;
    let end = recording.steps();
    // PUSH1, PUSH1, SSTORE
    assert_eq!(asked(&mut recording, end - 1, &word, Direction::Back), Some(3));
    // The other one was undone by the last of 8 instructions after PUSH1 7 and PUSH1 1, SSTORE, 5 PUSH1, PUSH20, PUSH2
    // and CALL.
    let word = format!("storage 0x01 of 0x{:040x}", 0xc0);
    assert_eq!(asked(&mut recording, 14, &word, Direction::Forward), Some(20));
}

/// What an instruction leaves where it was is not written: what DUP3 copies, and what lies between those that SWAP2
/// swaps.
#[test]
fn values_that_stay_are_not_written() {
    // PUSH1 5, PUSH1 6, PUSH1 7, DUP3, SWAP2
    let mut recording = opened(&evm("0x6005600660078291").path).recording;
    let mut writer =
        |place: usize| asked(&mut recording, 5, &format!("stack [{place}] from the bottom"), Direction::Back);
    assert_eq!([0, 1, 2, 3].map(&mut writer), [1, 5, 3, 5].map(Some));
}

#[test]
fn a_page_without_all_states_says_so() {
    let text = fs::read_to_string(at_root("tests/samples/trace/long.json")).unwrap();
    // 12 gas for 3 steps.
    let long = vector(&serde_json::from_str(&text.replace("0x124f80", "0x63000")).unwrap());
    let Ran { exit, stdout, stderr } =
        ran(command(&["explore", &long.path, "--html", "-"]).output().unwrap());
    assert_eq!(exit, 0, "{stderr}");
    let note = "the page has all 101377 steps, with the values of 60002 states; in a terminal, vmconf explore has all of them";
    assert_eq!(stderr, format!("note: {note}\n"));
    let Some(browser) = browser() else { return };
    let script = "const row = sections.flatMap(rowsOf).find((row) => row.label === 'refund');\
        datum = row.datum; places = row.places; moves.lastWrite();";
    let shown = after(browser, &stdout, script, "#step=51400");
    assert_eq!(texts(&shown, "#cut"), [note]);
    let said = "status, refund: no write before; only the states that this page has are considered";
    assert_eq!(texts(&shown, "#status"), [said]);
}
