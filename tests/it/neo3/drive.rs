//! However a program is driven, in one go, in slices or instruction by instruction, it ends the
//! same; and no program makes the machine panic.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use vmconf::isa::{ImmediateOperand, OpInfo};
use vmconf::machines::machine::{At, Machine, Watch, perform};
use vmconf::machines::neo3::{NEO3, Op};
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Action, Value};

use super::{config, limited};
use crate::neo3::bounds::extent;

/// Everything that can be seen of the machine, the stacks last.
const FIELDS: [&str; 5] = ["state", "refs", "exceptionMessage", "resultStack", "invocationStack"];
/// What is looked at in every machine if the stacks are seen as more values than this. A few items
/// that are shared can be a million.
const SMALL_FIELDS: &[&str] = FIELDS.split_at(3).0;
const MAX_VALUES: usize = 20_000;

/// The number of instructions that a program may execute.
const MAX_COUNT: u64 = 20_000;

/// What can be seen of a machine, also for a person.
fn seen(machine: &dyn Machine, fields: &[&str]) -> (Vec<Option<Value>>, String) {
    (fields.iter().map(|field| machine.observe(field)).collect(), machine.describe())
}

/// Counts what is executed.
struct Count(u64);

impl Watch for Count {
    fn before(&mut self, at: &At<'_>) {
        assert_eq!(at.op.map(|op| op.code), NEO3.by_code(at.code).map(|op| op.code));
        self.0 += 1;
    }
}

/// Runs a program in every way and demands the same of each. Gives the state that it ends in.
fn driven_in_every_way(script: &[u8], slices: &[u64]) -> Result<String, TestCaseError> {
    let limits = Limits { steps: MAX_COUNT, ..Limits::default() };
    let mut at_once = limited(script, &limits);
    let status = perform(&mut *at_once, &Action::Execute, None);
    let mut fields = &FIELDS[..];
    let mut expected = seen(&*at_once, fields);
    if expected.0.iter().flatten().map(|value| extent(value).0).sum::<usize>() > MAX_VALUES {
        fields = SMALL_FIELDS;
        expected.0.truncate(fields.len());
    }
    let same = |machine: &dyn Machine, how: &str| {
        prop_assert_eq!(&seen(machine, fields), &expected, "{}", how);
        Ok(())
    };

    let mut stepped = limited(script, &limits);
    let mut last = Status::Running;
    while last == Status::Running {
        last = perform(&mut *stepped, &Action::StepInto, None);
    }
    prop_assert_eq!(&last, &status);
    same(&*stepped, "step by step")?;
    let used = |machine: &mut dyn Machine| (machine.account().units(), machine.account().used());
    prop_assert_eq!(used(&mut *stepped), used(&mut *at_once));

    let mut sliced = limited(script, &limits);
    let (mut left, mut slices) = (MAX_COUNT, slices.iter().chain([&1]).cycle());
    while left > 0 {
        let slice = left.min(*slices.next().unwrap());
        if sliced.run(slice, None) != Status::Running {
            break;
        }
        left -= slice;
    }
    same(&*sliced, "in slices")?;

    let mut watched = limited(script, &limits);
    let mut count = Count(0);
    let status = watched.run(MAX_COUNT, Some(&mut count));
    same(&*watched, "watched")?;
    prop_assert!(count.0 <= MAX_COUNT && (count.0 == MAX_COUNT || status != Status::Running));

    if status == Status::Ended {
        // What has ended stays as it is, and without a budget it would have ended the same.
        for action in [Action::Execute, Action::StepInto, Action::StepOver, Action::StepOut] {
            perform(&mut *at_once, &action, None);
            same(&*at_once, "after the end")?;
        }
        let mut unmetered = limited(script, &limits);
        unmetered.run(u64::MAX, None);
        same(&*unmetered, "without a budget")?;
    }
    match &expected.0[0] {
        Some(Value::Text(state)) => Ok(state.to_string()),
        other => Err(TestCaseError::fail(format!("state {other:?}"))),
    }
}

/// The codes of types, and one undefined code.
const TYPES: [u8; 11] = [0x00, 0x10, 0x20, 0x21, 0x28, 0x30, 0x40, 0x41, 0x48, 0x60, 0x22];

/// An instruction with an operand that often means something.
fn instruction(op: &'static OpInfo) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 64).prop_map(move |random| {
        let mut bytes = vec![op.code as u8];
        for (operand, random) in op.operands.iter().zip(random.chunks(33)) {
            let (first, rest) = (random[0], &random[1..]);
            match *operand {
                ImmediateOperand::Offset(size) | ImmediateOperand::LaterOffset(size) => {
                    let offset = i32::from(first % 24) - if rest[0] % 4 == 0 { 12 } else { 0 };
                    bytes.extend_from_slice(&offset.to_le_bytes()[..size.into()]);
                }
                ImmediateOperand::Prefixed(size) => {
                    let length = first % 5;
                    bytes.extend_from_slice(&[length, 0, 0, 0][..size.into()]);
                    bytes.extend_from_slice(&rest[..length.into()]);
                }
                ImmediateOperand::Data(1) => bytes.push(TYPES[usize::from(first) % TYPES.len()]),
                ImmediateOperand::Unsigned(1) => bytes.push(first % 4),
                ImmediateOperand::Unsigned(4) => {
                    let services = [[0x77; 4], [0xde, 0xad, 0xde, 0xad]];
                    bytes.extend_from_slice(&services[usize::from(first % 2)]);
                }
                ImmediateOperand::Signed(size)
                | ImmediateOperand::Unsigned(size)
                | ImmediateOperand::Word(size)
                | ImmediateOperand::Data(size) => {
                    let size = usize::from(size);
                    bytes.extend(if first < 64 { &rest[..size] } else { &[0; 32][..size] });
                }
            }
        }
        bytes
    })
}

/// A program that gets somewhere: there are items on the stack and variables, containers are made
/// and used, a loop ends.
fn likely_script() -> impl Strategy<Value = Vec<u8>> {
    let code = |op: Op| vec![op as u8];
    let ending = [Op::ABORT, Op::ABORTMSG, Op::ASSERT, Op::ASSERTMSG, Op::CALLT].map(|op| op as u16);
    let all: Vec<_> = NEO3.ops.iter().filter(|op| !ending.contains(&op.code)).collect();
    let blocks = vec![Op::CALL, Op::CALL_L, Op::TRY, Op::TRY_L, Op::ENDTRY, Op::PUSHA, Op::JMPIF, Op::JMPLT];
    let blocks: Vec<_> = blocks.into_iter().map(|op| NEO3.by_code(op as u16).unwrap()).collect();
    let containers =
        vec![Op::NEWARRAY0, Op::NEWSTRUCT0, Op::NEWMAP, Op::NEWARRAY, Op::PACK, Op::PACKSTRUCT, Op::DUP];
    let used = vec![
        vec![Op::OVER, Op::APPEND],
        vec![Op::DUP, Op::DUP, Op::APPEND],
        vec![Op::DUP, Op::PUSH0, Op::PUSH5, Op::SETITEM],
        vec![Op::DUP, Op::PUSH0, Op::PICKITEM],
        vec![Op::DUP, Op::VALUES],
        vec![Op::DUP, Op::CLEARITEMS],
        vec![Op::UNPACK],
        vec![Op::PUSH2, Op::PACKMAP],
    ];
    let used = used.into_iter().map(|ops| ops.into_iter().map(|op| op as u8).collect()).collect::<Vec<_>>();
    let numbers = (Op::PUSHM1 as u8..=Op::PUSH4 as u8).prop_map(|code| vec![code]);
    let piece = prop_oneof![
        3 => prop::sample::select(all).prop_flat_map(instruction),
        8 => numbers.clone(),
        3 => prop::sample::select(blocks).prop_flat_map(instruction),
        3 => prop::sample::select(containers).prop_map(code),
        3 => prop::sample::select(used),
    ];
    let variables = vec![Op::INITSLOT as u8, 3, 2, Op::INITSSLOT as u8, 3];
    let pieces = prop::collection::vec(piece, 0..30);
    let repeats = prop::bool::weighted(0.2);
    (prop::collection::vec(numbers, 2..9), pieces, repeats).prop_map(move |(pushed, pieces, repeats)| {
        let mut pieces = pieces.concat();
        if repeats {
            let back = -(pieces.len() as i32);
            pieces.extend([&[Op::JMP_L as u8][..], &back.to_le_bytes()].concat());
        }
        [pushed.concat(), vec![Op::NEWARRAY0 as u8; 2], variables.clone(), pieces].concat()
    })
}

/// Drives random programs. Gives how many end in HALT, in FAULT, and not at all.
fn driven(cases: u32, scripts: impl Strategy<Value = Vec<u8>>) -> [u32; 3] {
    let counts = ["HALT", "FAULT", "BREAK"].map(|state| (state, Cell::new(0)));
    let slices = prop::collection::vec(1u64..60, 1..5);
    let run = |(script, slices): (Vec<u8>, Vec<u64>)| {
        let state = driven_in_every_way(&script, &slices)?;
        let count = &counts.iter().find(|count| count.0 == state).unwrap().1;
        count.set(count.get() + 1);
        Ok(())
    };
    TestRunner::new(config(cases)).run(&(scripts, slices), run).unwrap_or_else(|why| panic!("{why}"));
    counts.map(|count| count.1.get())
}

#[test]
fn any_bytes_run_the_same_however_they_are_driven() {
    driven(1500, prop::collection::vec(any::<u8>(), 0..120));
}

#[test]
fn likely_programs_run_the_same_however_they_are_driven() {
    let [halted, faulted, unended] = driven(3000, likely_script());
    // Otherwise the programs say little.
    let all = halted + faulted + unended;
    assert!(
        halted * 20 > all && faulted * 20 > all && unended * 1_000 > all,
        "{halted} HALT, {faulted} FAULT, {unended} BREAK"
    );
}
