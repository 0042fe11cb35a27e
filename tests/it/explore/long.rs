//! Pages of runs with more steps than a page has states.

use std::fs;

use serde_json::json;
use vmconf::explain::explore::{self, page::PageCut};
use vmconf::explain::recording::{Direction, FoundMoment, FoundPlace, Sought};
use vmconf::run::{self, LoadOptions};

use super::truth::{Vector, datum_of, vector, written};
use super::{TYPE, after, opened, texts};
use crate::support::browser::browser;
use crate::support::{at_root, files_of};

/// How often each of three loops runs; a round has 7 instructions.
const ROUNDS: u32 = 10_000;

/// The instructions that store 5 at 1 after the first loop, and 7 at 0 after the second one.
const STORES: [u64; 2] = [70_005, 140_010];

/// Loops, and between them a word that is stored. It is demanded that the second one is 8.
fn stores_between_loops() -> Vector {
    let stores = ["6005600155", "6007600055", "00"];
    let code = stores.iter().fold(String::from("0x"), |code, store| {
        // PUSH3 rounds; JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH2 the JUMPDEST, JUMPI; POP
        let target = (code.len() - 2) / 2 + 4;
        format!("{code}62{ROUNDS:06x}5b600190038061{target:04x}5750{store}")
    });
    let text = fs::read_to_string(at_root("docs/examples/transfer.json")).unwrap();
    let mut content: serde_json::Value = serde_json::from_str(&text).unwrap();
    let test = &mut content["pays-30-of-100"];
    let account = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    test["exec"]["code"] = json!(code);
    test["exec"]["gas"] = json!("0x3d0900");
    test["pre"][account]["storage"] = json!({});
    test["post"][account]["storage"] = json!({ "0x00": "0x08", "0x01": "0x05" });
    // 26 for a round, 5 around each loop, 20,006 for what is stored.
    test["gas"] = json!(format!("{:#x}", 4_000_000 - 3 * (u64::from(ROUNDS) * 26 + 5) - 2 * 20_006));
    vector(&content)
}

fn page_of(path: &str) -> (String, PageCut) {
    let mut page = Vec::new();
    let command = [path].into_iter().collect();
    let cut = explore::page::write(opened(path), &[], &command, &mut page).unwrap();
    (String::from_utf8(page).unwrap(), cut)
}

/// What a page answers at some steps, also where it has no state: the last write and the next one of some data, the
/// next instruction of some texts in both directions, the selected instruction, the end of the frame.
const ASK: &str = "const writes = [], searches = [], executions = [];\
    const rowsAt = (step) => { go(step); return sections.flatMap(rowsOf); };\
    const rows = [...rowsAt(8), ...rowsAt(run.all)].filter((row) => /^(\\[0\\]|0x0[01])$/.test(row.label));\
    for (const step of [0, 70004, 70005, 100000, 140009, 140010, 150000, run.all]) {\
      go(step);\
      for (const row of rows) {\
        ({ datum, places } = row);\
        writes.push([step, run.data[datum], lastWrite(), nextWrite()]);\
      }\
      for (const text of ['sstore', 'jumpi', 'sload']) {\
        for (const isBack of [false, true]) searches.push([step, text, isBack, search(text, isBack)?.at ?? null]);\
      }\
    }\
    for (const step of [8, 70004, 100000]) {\
      go(step); moves.nextExecution(); const next = now; go(step); moves.lastExecution();\
      executions.push([step, next, now]);\
    }\
    go(100000); moves.out();\
    say(JSON.stringify([writes, searches, executions, now]));";

type Answers = (
    Vec<(u64, String, Option<u64>, Option<u64>)>,
    Vec<(u64, String, bool, Option<u64>)>,
    Vec<(u64, u64, u64)>,
    u64,
);

#[test]
fn where_a_long_run_went_and_what_it_wrote_is_in_its_page() {
    let vector = stores_between_loops();
    let mut recording = opened(&vector.path).recording;
    let end = recording.steps();
    assert_eq!(end, 210_013);
    let word = |number: usize| format!("storage 0x0{number}");
    let data = [word(0), word(1), "stack [0] from the bottom".to_owned()].map(|name| {
        let step = if name.starts_with("storage") { end } else { 8 };
        (datum_of(&mut recording, step, &name), name)
    });
    for ((datum, _), store) in data.iter().zip([STORES[1], STORES[0]]) {
        assert_eq!(written(&mut recording, end, datum, Direction::Back), Some(store));
    }
    let (text, cut) = page_of(&vector.path);
    let lacks = cut.text().unwrap();
    assert!(lacks.starts_with("the page has all 210013 steps, with the values of "), "{lacks}");
    let Some(browser) = browser() else { return };
    let shown = after(browser, &text, ASK, "");
    assert_eq!(texts(&shown, "#cut"), [lacks]);
    let answers = serde_json::from_str(&texts(&shown, "#status")[0]);
    let (writes, searches, executions, out): Answers = answers.unwrap();
    assert_eq!((writes.len(), searches.len()), (24, 48));
    for (step, name, last, next) in writes {
        let datum = &data.iter().find(|datum| datum.1 == name).unwrap().0;
        let ours = [Direction::Back, Direction::Forward].map(|it| written(&mut recording, step, datum, it));
        assert_eq!(ours, [last, next], "step {step}: {name}");
    }
    for (step, text, is_back, at) in searches {
        let direction = if is_back { Direction::Back } else { Direction::Forward };
        recording.go_to(recording.moment(step));
        let ours = match recording.search_for(&Sought::parse(&text), direction, &mut |_| true) {
            FoundPlace::Instruction(step) => Some(step - 1),
            _ => None,
        };
        assert_eq!(ours, at, "step {step}: {text}, {direction:?}");
    }
    for (step, next, last) in executions {
        let ours = [Direction::Forward, Direction::Back].map(|direction| {
            let machine = recording.go_to(recording.moment(step));
            let (pc, unit) = (machine.next().unwrap().pc, machine.unit());
            match recording.execution_of(pc, unit, direction, &mut |_| true) {
                FoundMoment::At(found) => found - 1,
                _ => step,
            }
        });
        assert_eq!(ours, [next, last], "step {step}");
    }
    assert_eq!(out, end);
}

/// Where a page has no state it says so, and what it does not consider.
#[test]
fn what_a_page_does_not_know_of_a_long_run_it_says() {
    let Some(browser) = browser() else { return };
    let vector = stores_between_loops();
    let (text, _) = page_of(&vector.path);
    let path = &vector.path;
    let script = format!(
        "{TYPE} const said = [];\
         const select = (label) => {{ ({{ datum, places }} = sections.flatMap(rowsOf).find((row) => row.label === label)); }};\
         const tell = () => said.push(`${{run.first + now}}: ${{view.status.textContent}}`);\
         tell(); type('p'); tell();\
         moves.last(); select('0x01'); type('p'); tell();\
         said.push(view.state.hidden, view.absent.hidden, view.absent.children[1].textContent);\
         type('e'); tell(); type('e');\
         said.push(view.state.hidden, view.absent.hidden);\
         go(100000); type('n'); tell();\
         moves.last(); select('gas'); type('p'); tell(); go(100000); type('p'); tell();\
         sought = '=0xbeef'; type('N'); tell();\
         view.condition.value = '=5'; moves.first(); moves.last(); select('0x01'); moves.first(); goToChange(); tell();\
         type('w'); said.push(view.writesTitle.textContent, view.writes.textContent);\
         say(JSON.stringify(said));"
    );
    let shown = after(browser, &text, &script, "");
    let said: Vec<serde_json::Value> = serde_json::from_str(&texts(&shown, "#status")[0]).unwrap();
    let expected = [
        json!("210013: ended: stopped at 0x37 STOP, 3179973 gas left, 0 on the stack"),
        json!("140009: storage 0x00 is not in this state"),
        // The store of what nobody demands.
        json!("70004: step 70004, next SSTORE; this state is not in the page"),
        json!(true),
        json!(false),
        json!(format!("vmconf explore {path} --at 70004 --datum 'storage 0x01'")),
        json!("10000: storage 0x01 is not in this state"),
        json!(false),
        json!(true),
        json!("100000: storage 0x01: no write after"),
        // STOP takes no gas, but POP does.
        json!("210011: step 210011, next POP"),
        json!("9999: step 9999, next SWAP1; only the states that this page has are considered"),
        json!(
            "9999: no datum gets this value after this; P searches back; only the states that this page has are considered"
        ),
        json!(
            "0: storage 0x01: no such write after; the page does not have the values of 1 write before that"
        ),
        json!("1 write of storage 0x01; the page does not have the values of 1"),
        json!("70005  SSTORE: ? -> ?"),
    ];
    assert_eq!(said, expected);
}

/// A page of ten million steps has five megabytes at most: what each further step of a loop takes is known from two
/// runs.
#[test]
fn ten_million_steps_fit_a_page() {
    let text = fs::read_to_string(at_root("tests/samples/trace/long.json")).unwrap();
    let sizes = [300_000, 1_500_000].map(|steps| {
        // 12 gas for 3 steps.
        let long =
            vector(&serde_json::from_str(&text.replace("0x124f80", &format!("{:#x}", steps * 4))).unwrap());
        let (page, cut) = page_of(&long.path);
        assert!(cut.text().unwrap().starts_with(&format!("the page has all {} steps", steps + 1)), "{cut:?}");
        page.len() as u64
    });
    let more = sizes[1] - sizes[0];
    assert!(more > 0 && sizes[0] + more * 10_000_000 / 1_200_000 < 5_000_000, "{sizes:?}");
}

/// The limit on watched instructions is for cases that run, not for searches in what was recorded.
#[test]
fn a_long_search_does_not_lose_its_place() {
    let mut options = LoadOptions::default();
    options.file.limits.watched = 1_000;
    let sources = files_of(at_root("tests/samples/trace/long.json"));
    let loaded = run::open(&sources[0], &options);
    let mut recording = explore::open(&loaded, 0, &options.run).unwrap().recording;
    recording.go_to(recording.moment(0));
    let sought = Sought::parse("sload");
    assert_eq!(recording.search_for(&sought, Direction::Forward, &mut |_| true), FoundPlace::Nothing);
    let datum = datum_of(&mut recording, 2, "stack [0] from the bottom");
    assert_eq!(written(&mut recording, 299_999, &datum, Direction::Back), Some(299_999));
    recording.go_to(recording.moment(200_000));
    // JUMPDEST, PUSH1 0, JUMP: 12 gas.
    let left = recording.machine().gas().unwrap().left;
    assert_eq!(left, 1_200_000 - 200_000 / 3 * 12 - 4);
}
