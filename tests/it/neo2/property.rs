//! Properties of random scripts and numbers.

use std::cell::Cell;

use num_bigint::{BigInt, Sign};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use vmconf::machines::machine::Machine;
use vmconf::machines::neo2::{NEO2, Neo2};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::model::Value;
use vmconf::model::limits::Limits;

use crate::support::config;

use super::{assembled, executed, loaded, outcome, program, script};

/// Everything that can be observed.
fn everything(machine: &Neo2) -> Vec<Option<Value>> {
    ["state", "invocationStack", "resultStack", "itemCount"].map(|field| machine.observe(field)).into()
}

/// Bytes that are instructions more often than not, small numbers and short jumps among them.
fn any_script() -> impl Strategy<Value = Vec<u8>> {
    let op = prop::sample::select(NEO2.ops).prop_map(|op| op.code as u8);
    let number = 0x51..=0x60_u8;
    let instruction = prop_oneof![
        4 => number.prop_map(|code| vec![code]),
        4 => (0x61..=0xcd_u8).prop_map(|code| vec![code]),
        1 => op.prop_map(|code| vec![code]),
        1 => (0x62..=0x65_u8, any::<i8>()).prop_map(|(code, way)| {
            let [low, high] = i16::from(way / 4).to_le_bytes();
            vec![code, low, high]
        }),
        1 => (0..4_u8, 0..4_u8, 3..20_u8).prop_map(|(results, arguments, way)| vec![0xe0, results, arguments, way, 0]),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(instruction, 0..80).prop_map(|instructions| instructions.concat())
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_run_ends_the_same_however_it_is_driven(
        code in any_script(),
        slices in prop::collection::vec(0..20_u64, 1..50),
    ) {
        const MAX_COUNT: u64 = 2000;
        let program = program([
            ("script", Value::Bytes(code)),
            ("scriptTable", Value::List(vec![])),
            ("message", Value::Bytes(vec![1])),
        ]);
        let limits = Limits { steps: 5_000_000, memory: 10_000_000, ..Limits::default() };
        let mut at_once = loaded(&program, &limits);
        let status = at_once.run(MAX_COUNT, None);
        let mut stepped = loaded(&program, &limits);
        let mut steps = 0;
        while steps < MAX_COUNT && stepped.run(1, None) == Status::Running {
            steps += 1;
        }
        prop_assert_eq!(everything(&stepped), everything(&at_once));
        prop_assert_eq!(stepped.describe(), at_once.describe());
        // The same machine again, in pieces.
        let mut left = MAX_COUNT;
        stepped.load(&program).unwrap();
        for slice in slices {
            stepped.run(slice, None);
            left -= slice;
        }
        prop_assert_eq!(stepped.run(left, None), status);
        prop_assert_eq!(everything(&stepped), everything(&at_once));
    }

    #[test]
    fn numbers_have_the_shortest_bytes(bytes in prop::collection::vec(any::<u8>(), 1..76)) {
        let number = BigInt::from_signed_bytes_le(&bytes);
        let mut code = vec![bytes.len() as u8];
        code.extend(&bytes);
        code.extend(assembled("INVERT, INVERT, DUP, PUSH0, CAT"));
        let expected = format!("Halt: B{} I{number}", hex::encode(shortest(&number)));
        prop_assert_eq!(outcome(&executed(&script(code))), expected);
    }

    #[test]
    fn arithmetic_is_that_of_whole_numbers(op in 0..BINARY.len(), one in any_number(), other in any_number()) {
        let (name, operation) = BINARY[op];
        let code = [push(&one), push(&other), assembled(name)].concat();
        let machine = executed(&script(code));
        if let Some(result) = operation(&one, &other) {
            prop_assert_eq!(outcome(&machine), format!("Halt: {result}"), "{}", name);
        } else {
            prop_assert_eq!(machine.observe("state"), Some(Value::text("Fault")), "{}", name);
        }
    }
}

/// Behind items enough that most instructions find theirs.
#[test]
fn exact_changes_of_the_number_of_items_sum_up() {
    const FIRST: &str =
        "PUSH1, PUSH2, PUSH0, PUSH1, DUP, TOALTSTACK, DUP, TOALTSTACK, PUSH2, PUSH1, PUSH1, PUSH2";
    let compared = Cell::new(0);
    let names = prop::collection::vec(prop::sample::select(STRICT), 0..100);
    let cases = config(256).cases;
    let tried = TestRunner::new(config(256)).run(&names, |names| {
        let code = assembled(&[&[FIRST], &names[..]].concat().join(", "));
        let mut machine = loaded(&script(code), &Limits::default());
        while machine.run(1, None) == Status::Running {
            let Some(Value::List(frames)) = machine.observe("invocationStack") else { panic!() };
            let count: usize = frames
                .iter()
                .map(|frame| {
                    ["evaluationStack", "altStack"].map(|it| frame.get(it).and_then(Value::len).unwrap())
                })
                .map(|[stack, alt]| stack + alt)
                .sum();
            prop_assert_eq!(machine.observe("itemCount"), Some(Value::int(count)));
            compared.set(compared.get() + 1);
        }
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));
    assert!(compared.get() > 20 * cases, "{} states of {cases} scripts", compared.get());
}

/// Instructions that know exactly how they change the number of items.
const STRICT: &[&str] = &[
    "PUSH0",
    "PUSH1",
    "PUSH2",
    "PUSHBYTES1 0xaa",
    "DUP",
    "DUP",
    "OVER",
    "TUCK",
    "SWAP",
    "ROT",
    "PICK",
    "ROLL",
    "XSWAP",
    "XTUCK",
    "DEPTH",
    "TOALTSTACK",
    "FROMALTSTACK",
    "DUPFROMALTSTACK",
    "ADD",
    "SUB",
    "CAT",
    "LEFT",
    "INC",
    "NUMEQUAL",
    "WITHIN",
    "NOP",
    "SIZE",
];

fn shortest(number: &BigInt) -> Vec<u8> {
    let zero = number.sign() == Sign::NoSign;
    if zero { vec![0] } else { number.to_signed_bytes_le() }
}

/// Numbers of all sizes, those at the edges of their sizes more often than others.
fn any_number() -> impl Strategy<Value = BigInt> {
    let power = (0..=256_usize, -1..=1_i8).prop_map(|(bits, by)| (BigInt::from(1) << bits) + by);
    prop_oneof![
        any::<i64>().prop_map(BigInt::from),
        (-300..300_i64).prop_map(BigInt::from),
        (power, any::<bool>()).prop_map(|(number, negative)| if negative { -number } else { number }),
        prop::collection::vec(any::<u8>(), 0..34).prop_map(|bytes| BigInt::from_signed_bytes_le(&bytes)),
    ]
}

fn push(number: &BigInt) -> Vec<u8> {
    let bytes = shortest(number);
    [&[bytes.len() as u8], &bytes[..]].concat()
}

/// The number in 32 bytes.
fn fits(number: &BigInt) -> bool {
    shortest(number).len() <= 32
}

#[allow(clippy::needless_pass_by_value, reason = "the last step of a calculation")]
fn bounded(number: BigInt) -> Option<String> {
    fits(&number).then(|| format!("I{number}"))
}

fn shifted(number: &BigInt, by: &BigInt, direction: i32) -> Option<String> {
    let by = i32::try_from(by).ok().filter(|by| (-256..=256).contains(by))? * direction;
    let factor = BigInt::from(1) << by.unsigned_abs();
    let floor = |number: &BigInt| {
        let remainder = ((number % &factor) + &factor) % &factor;
        (number - remainder) / &factor
    };
    fits(number).then(|| if by < 0 { floor(number) } else { number * &factor }).and_then(bounded)
}

fn truth(truth: bool) -> Option<String> {
    Some(if truth { "T" } else { "F" }.to_owned())
}

type Operation = fn(&BigInt, &BigInt) -> Option<String>;

/// Instructions of two operands, the lower one first, and their results; `None` for a fault.
const BINARY: &[(&str, Operation)] = &[
    ("ADD", |b, a| (fits(a) && fits(b)).then(|| b + a).and_then(bounded)),
    ("SUB", |b, a| (fits(a) && fits(b)).then(|| b - a).and_then(bounded)),
    ("MUL", |b, a| (fits(a) && fits(b)).then(|| b * a).and_then(bounded)),
    ("DIV", |b, a| (fits(a) && fits(b)).then(|| b.checked_div(a)).flatten().map(|it| format!("I{it}"))),
    ("MOD", |b, a| {
        let quotient = (fits(a) && fits(b)).then(|| b.checked_div(a)).flatten()?;
        Some(format!("I{}", b - quotient * a))
    }),
    ("SHL", |b, a| shifted(b, a, 1)),
    ("SHR", |b, a| shifted(b, a, -1)),
    // The latter two by way of the first: by De Morgan, and as what is in one but not in both.
    ("AND", |b, a| Some(format!("I{}", b & a))),
    ("OR", |b, a| Some(format!("I{}", !(!b & !a)))),
    ("XOR", |b, a| Some(format!("I{}", b + a - ((b & a) << 1)))),
    ("NUMEQUAL", |b, a| truth(b == a)),
    ("NUMNOTEQUAL", |b, a| truth(b != a)),
    ("LT", |b, a| truth(b < a)),
    ("GT", |b, a| truth(b > a)),
    ("LTE", |b, a| truth(b <= a)),
    ("GTE", |b, a| truth(b >= a)),
    ("MIN", |b, a| Some(format!("I{}", b.min(a)))),
    ("MAX", |b, a| Some(format!("I{}", b.max(a)))),
    ("EQUAL", |b, a| truth(shortest(b) == shortest(a))),
    ("PUSH3, WITHIN", |b, a| truth(a <= b && *b < BigInt::from(3))),
];
