//! The 16-bit machine as a whole: which words are instructions, and that a program ends the same
//! however it is driven, alone and under a test driver.

use crate::support::config;
use proptest::prelude::*;
use vmconf::machines::machine::{At, Machine, Watch, perform};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::machines::tinyvm::{TINYVM, TinyVm};
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Program, Value};

fn record<const N: usize>(members: [(&'static str, Value); N]) -> Value {
    Value::record(members)
}

fn segment(words: &[u16]) -> Value {
    Value::Bytes(words.iter().flat_map(|word| word.to_be_bytes()).collect())
}

fn loaded(program: &Value) -> TinyVm {
    let mut machine = TinyVm::new(&Limits::default());
    machine.load(&Program::from(program.clone())).unwrap();
    machine
}

fn text(machine: &TinyVm, field: &str) -> Option<String> {
    machine.observe(field).map(|value| value.to_string())
}

/// Reference, section 1.2.
#[test]
fn as_many_words_execute_as_the_reference_says() {
    for (features, count) in [(Vec::new(), 35_076), (vec![Value::text("expRoot")], 35_588)] {
        let features = Value::List(features);
        let mut machine = TinyVm::new(&Limits::default());
        let executes = |word: &u16| {
            let program = record([("instructions", segment(&[*word])), ("features", features.clone())]);
            machine.load(&Program::from(program)).unwrap();
            machine.run(1, None);
            let is_illegal = machine.observe("stop") == Some(Value::text("illegal"));
            assert!(is_illegal || TINYVM.by_code(*word).is_some(), "{word:04x} executes and has no row");
            !is_illegal
        };
        assert_eq!((0..=u16::MAX).filter(executes).count(), count);
    }
}

const SINGLE: [&str; 7] = ["stop", "value", "registers", "data", "pc", "time", "usedRnd"];
const DRIVER: [&str; 8] =
    ["outcome", "value", "results", "rating", "driverInstructions", "testeeInstructions", "driver", "testee"];

fn everything(machine: &TinyVm, fields: &[&str]) -> Vec<Option<String>> {
    fields.iter().map(|field| text(machine, field)).collect()
}

struct Count(u64);

impl Watch for Count {
    fn before(&mut self, at: &At<'_>) {
        assert_eq!(at.op, TINYVM.by_code(at.code));
        self.0 += 1;
    }
}

/// Runs a program for `most` instructions in every way and demands the same of each.
fn driven_in_every_way(
    program: &Value,
    fields: &[&str],
    most: u64,
    slices: &[u64],
) -> Result<(), TestCaseError> {
    let mut at_once = loaded(program);
    let ended = at_once.run(most, None);
    let expected = everything(&at_once, fields);

    let mut sliced = loaded(program);
    let mut left = most;
    let mut sizes = slices.iter().chain([&1]).cycle();
    let mut status = Status::Running;
    while left > 0 && status == Status::Running {
        let size = left.min(*sizes.next().unwrap());
        status = sliced.run(size, None);
        left -= size;
    }
    prop_assert_eq!(&status, &ended);
    prop_assert_eq!(everything(&sliced, fields), expected.clone(), "in slices");

    let mut stepped = loaded(program);
    for _ in 0..most {
        if perform(&mut stepped, &Action::StepInto, None) != Status::Running {
            break;
        }
    }
    prop_assert_eq!(everything(&stepped, fields), expected.clone(), "step by step");

    let mut watched = loaded(program);
    let mut count = Count(0);
    prop_assert_eq!(watched.run(most, Some(&mut count)), ended);
    prop_assert_eq!(everything(&watched, fields), expected, "watched");
    prop_assert!(count.0 <= most);
    Ok(())
}

/// Words that are mostly instructions, with few distinct registers and small distances.
fn likely_words(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u16>> {
    let word = prop_oneof![
        2 => (0..16u16, 0..=255u16).prop_map(|(register, byte)| 0x3000 | (register % 4) << 8 | byte),
        4 => (8..16u16, 0..4u16, 0..4u16).prop_map(|(f, a, b)| 0x5000 | f << 8 | a << 4 | b),
        4 => (0..16u16, 0..4u16, 0..4u16).prop_map(|(f, a, b)| 0x6000 | f << 8 | a << 4 | b),
        2 => (0..16u16, 0..4u16, 0..4u16).prop_map(|(f, a, b)| 0x8000 | f << 8 | a << 4 | b),
        2 => (0..3u16, 0..4u16, 0..4u16).prop_map(|(f, a, b)| 0x2000 | f << 8 | a << 4 | b),
        2 => (0..4u16, 0..8u16, any::<bool>()).prop_map(|(r, d, back)| 0x9000 | r << 8 | d | u16::from(back) << 7),
        1 => (0..8u16, any::<bool>()).prop_map(|(d, back)| 0xa000 | d | u16::from(back) << 11),
        2 => 0x102a..=0x102du16,
        1 => any::<u16>(),
    ];
    prop::collection::vec(word, length)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn any_words_run_the_same_however_they_are_driven(
        words in prop::collection::vec(any::<u16>(), 0..60),
        features in any::<bool>(),
        slices in prop::collection::vec(1u64..40, 1..4),
    ) {
        let features = if features { vec![Value::text("expRoot")] } else { Vec::new() };
        let program = record([("instructions", segment(&words)), ("features", Value::List(features))]);
        driven_in_every_way(&program, &SINGLE, 300, &slices)?;
    }

    #[test]
    fn likely_words_run_the_same_however_they_are_driven(
        words in likely_words(0..60),
        seed in any::<u64>(),
        slices in prop::collection::vec(1u64..40, 1..4),
    ) {
        let program = record([("instructions", segment(&words)), ("rnd", Value::int(seed))]);
        driven_in_every_way(&program, &SINGLE, 300, &slices)?;
    }

    /// Drivers that give commands: registers are set to small numbers before most yields.
    #[test]
    fn drivers_run_the_same_however_they_are_driven(
        commands in prop::collection::vec((0u16..11, any::<[u8; 3]>(), likely_words(0..4)), 0..12),
        testee in likely_words(0..30),
        budget in 0u64..400,
        zero_is_fatal in any::<bool>(),
        slices in prop::collection::vec(1u64..40, 1..4),
    ) {
        let mut driver = Vec::new();
        for (command, registers, words) in &commands {
            driver.extend(words);
            driver.push(0x3000 | command);
            driver.extend((1..4).zip(registers).map(|(register, byte)| 0x3000 | register << 8 | u16::from(*byte)));
            driver.push(0x102a);
        }
        let program = record([
            ("driver", record([("instructions", segment(&driver))])),
            ("testee", record([("instructions", segment(&testee))])),
            ("budget", Value::int(budget)),
            ("zeroLimit", Value::text(if zero_is_fatal { "fatal" } else { "timeout" })),
        ]);
        driven_in_every_way(&program, &DRIVER, 1000, &slices)?;
    }
}

/// The memory of instructions is a ring: a program without a jump goes on at its start, and is interrupted where the
/// budget ends on either side of the end.
#[test]
fn programs_go_on_around_the_end_of_the_memory() {
    // debug, and once incr r1
    let mut words = vec![0x102c; 1 << 16];
    words[0xfff0] = 0x5911;
    let program = record([("instructions", segment(&words))]);
    for most in [0xfff0, 0xfff1, 0xffff, 0x1_0000, 0x1_0001, 0x1_fff0, 0x1_fff1, 0x2_0005] {
        let mut machine = loaded(&program);
        assert_eq!(machine.run(most, None), Status::Running);
        let rounds = (most + 0x1_0000 - 0xfff1) / 0x1_0000;
        let seen = ["time", "pc"].map(|field| machine.observe(field).unwrap());
        assert_eq!(seen, [Value::int(most), Value::int(most % 0x1_0000)]);
        let registers = machine.observe("registers").unwrap();
        assert_eq!(registers.get("r1"), Some(&Value::int(rounds)), "{most}");
    }
    // Past what a program writes, and from there around the end.
    let program = record([
        (
            "instructions",
            Value::record([
                ("0x0000".to_owned(), Value::Bytes(vec![0x59, 0x11, 0x00, 0x00])),
                ("0xfffe".to_owned(), Value::Bytes(vec![0x59, 0x11, 0x59, 0x11])),
            ]),
        ),
        ("pc", Value::int(0xfffe)),
    ]);
    let mut machine = loaded(&program);
    assert_eq!(machine.run(100, None), Status::Ended);
    assert_eq!(text(&machine, "stop"), Some(Value::text("illegal").to_string()));
    assert_eq!(machine.observe("time"), Some(Value::int(3)));
    assert_eq!(machine.observe("pc"), Some(Value::int(1)));
}

/// What a driver reports is named test by test, and what is wrong with its report where that is.
#[test]
fn reports_of_drivers_are_explained() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("v.json");
    let ended = |data: &[(u16, u16)], tests: &str| {
        let stores =
            data.iter().map(|(at, word)| format!(r#""lw r2, {at}", "lw r3, 0x{word:04x}", "sw r2, r3","#));
        let stores: String = stores.collect();
        let driver = format!(r#"[{stores} "lw r0, 2", "lw r1, {tests}", "yield"]"#);
        let text = format!(
            r#"{{"machine": "tinyvm", "tests": [{{"name": "a", "driver": {driver},
            "expect": {{"outcome": "timeout"}}}}]}}"#
        );
        std::fs::write(&file, text).unwrap();
        let ran = crate::support::vmconf(&["run", "--no-config", file.to_str().unwrap()]);
        let line = ran.stdout.lines().find_map(|line| line.split_once("ended: ")).unwrap().1.to_owned();
        line.split_once(';').unwrap().0.to_owned()
    };
    let markers = |at: u16| [(at, 0x650d), (at + 1, 0x4585)];
    let four = [(0, 1), (1, 2), (2, 4), (3, 1)];
    assert_eq!(
        ended(&[&four[..], &markers(4)].concat(), "4"),
        "completed, rated fail: pass 1 4, fail 2, skip 3"
    );
    assert_eq!(
        ended(&[&[(0, 3), (1, 1), (2, 1)][..], &markers(3)].concat(), "3"),
        "completed, rated fatal: fatal 1, pass 2-3"
    );
    assert_eq!(ended(&[&[(0, 9)][..], &markers(1)].concat(), "1"), "completed, rated driverError: invalid 1");
    assert_eq!(
        ended(&[(0, 1)], "1"),
        "completed, rated driverError (marker 0x650d expected at 0x0001, found 0x0000): pass 1"
    );
    assert_eq!(
        ended(&[(0, 1), (1, 0x650d), (2, 7)], "1"),
        "completed, rated driverError (marker 0x4585 expected at 0x0002, found 0x0007): pass 1"
    );
    let too_many = ended(&[], "-1");
    assert!(
        too_many.starts_with("completed, rated driverError (at most 65534 tests): invalid "),
        "{too_many}"
    );
}
