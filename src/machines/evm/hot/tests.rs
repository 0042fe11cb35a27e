//! Faults planted in blocks: the machine that runs in parallel to the hot tier detects each. And own vectors make blocks
//! of every form.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use num_bigint::BigUint;
use serde_json::Value as Json;

use super::block::{
    BlockAction, BlockExit, BlockPlace, BlockStep, CONSTANTS, Condition, HotBlock, NextBlock, Test,
};
use super::role::{self, Role};
use crate::isa::OpInfo;
use crate::isa::assembler::assemble;
use crate::machines::evm::program::EvmProgram;
use crate::machines::evm::{EVM, Evm, Op};
use crate::machines::machine::Machine;
use crate::machines::status::Status;
use crate::machines::tiers::Tiers;
use crate::model::limits::Limits;
use crate::model::{MemberShape, Program, Shape, Value, hex_bytes};

/// A loop with every kind of step and exit, each of which all later values depend on.
const SOURCE: &str = "
    PUSH32 0x123456789abcdef0fedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0
    PUSH32 0xfedcba98765432100123456789abcdef0123456789abcdeffedcba9876543210
    PUSH1 0
    again: JUMPDEST
    PUSH1 1
    ADD
    SWAP2
    PUSH32 0xf0e1d2c3b4a5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff
    MUL
    NOT
    PUSH1 3
    EXP
    DUP2
    ADD
    SWAP1
    DUP2
    XOR
    SWAP2
    DUP3
    DUP3
    LT
    PUSH2 @on
    JUMPI
    SWAP2
    PUSH1 3
    SWAP1
    DIV
    SWAP2
    on: JUMPDEST
    PUSH2 @back
    PUSH2 @part
    JUMP
    part: JUMPDEST
    DUP4
    DUP4
    DUP1
    MULMOD
    PUSH1 1
    ADD
    DUP5
    ADD
    SWAP4
    POP
    SWAP3
    SWAP2
    SWAP3
    DUP4
    PUSH1 64
    MSTORE
    JUMP
    back: JUMPDEST
    PUSH2 @again
    JUMP";

/// A machine that has translated the loop to blocks, and its reference machine.
fn warm() -> Evm {
    warmed_by(SOURCE)
}

/// A machine that has executed a part of a loop, and its reference machine.
fn warmed_by(source: &str) -> Evm {
    let mut machine = Evm::new(&Limits::default());
    machine.choose(Tiers::Both);
    let bytes = |length| Value::Bytes(vec![0; length]);
    let numbers = ["gasPrice", "value", "difficulty", "gasLimit", "number", "timestamp"];
    let mut members: Vec<_> = numbers.iter().map(|name| ((*name).to_owned(), Value::int(0))).collect();
    let addresses = ["address", "caller", "origin", "coinbase"];
    members.extend(addresses.iter().map(|name| ((*name).to_owned(), bytes(20))));
    members.extend([
        ("code".to_owned(), Value::Bytes(assemble(&EVM, source).expect("a source"))),
        ("gas".to_owned(), Value::int(1_000_000)),
        ("data".to_owned(), bytes(0)),
        ("debit".to_owned(), Value::Bool(false)),
        ("pre".to_owned(), Value::Record(Vec::new())),
    ]);
    assert_eq!(machine.load(&Program::from(Value::record(members))), Ok(()));
    assert_eq!(machine.run(3000, None), Status::Running);
    machine
}

/// Whether a fault is detected while the loop continues.
fn is_noticed(plant: impl FnOnce(&mut Evm)) -> bool {
    is_noticed_in(SOURCE, plant)
}

fn is_noticed_in(source: &str, plant: impl FnOnce(&mut Evm)) -> bool {
    panic_in(source, plant).is_some_and(|message| message.starts_with("the engines differ in "))
}

/// The message of the panic that a fault causes while the loop continues.
fn panic_in(source: &str, plant: impl FnOnce(&mut Evm)) -> Option<String> {
    let mut machine = warmed_by(source);
    plant(&mut machine);
    let panic = catch_unwind(AssertUnwindSafe(|| machine.run(3000, None))).err()?;
    Some(*panic.downcast().expect("a message with details"))
}

/// The blocks that are executed. Code that was executed by itself at first may later be so as a part of others.
fn executed() -> Vec<HotBlock> {
    let blocks = warm().hot.blocks;
    // An exit outside the code panics.
    let is_executed = |number: usize| {
        panic_in(SOURCE, |machine| machine.hot.blocks[number].exit = BlockExit::Plain(usize::MAX))
    };
    let executed: Vec<_> = (1..blocks.len()).filter(|number| is_executed(*number).is_some()).collect();
    assert!(executed.len() >= 3, "{executed:?}");
    executed.into_iter().map(|number| blocks[number].clone()).collect()
}

/// A wrong step in place of the right one.
fn faulty(step: &BlockStep) -> BlockStep {
    const NOT: BlockAction = BlockAction::of(Op::NOT as u8);
    const ADD: BlockAction = BlockAction::of(Op::ADD as u8);
    let mut step = *step;
    match step.action {
        BlockAction::INCREASE | BlockAction::COPY => {
            // The slot below the stack, which is never written.
            (step.action, step.from[0]) = (BlockAction::COPY, BlockPlace::default());
        }
        NOT => step.action = BlockAction::of(Op::ISZERO as u8),
        ADD => step.action = BlockAction::of(Op::SUB as u8),
        _ => step.action = ADD,
    }
    step
}

#[test]
fn no_instruction_has_the_code_of_another_action() {
    let ops = (0..=u8::MAX).filter_map(Op::of_code);
    assert_eq!(
        ops.filter(|op| [BlockAction::INCREASE, BlockAction::COPY].contains(&BlockAction::of(*op as u8)))
            .count(),
        0
    );
}

#[test]
fn without_a_fault_both_agree() {
    assert_eq!(panic_in(SOURCE, |_| {}), None);
}

#[test]
fn a_fault_in_a_step_is_noticed() {
    let steps = warm().hot.steps;
    let executed: Vec<_> = executed().into_iter().flat_map(|block| block.steps).collect();
    let has = |kind: fn(&BlockAction) -> bool| executed.iter().any(|number| kind(&steps[*number].action));
    assert!(has(|it| *it == BlockAction::INCREASE) && has(|it| *it == BlockAction::COPY));
    assert!(has(|it| *it == BlockAction::of(Op::EXP as u8)));
    for number in executed {
        let step: &BlockStep = &steps[number];
        let is_seen = is_noticed(|machine| machine.hot.steps[number] = faulty(step));
        assert!(is_seen, "step {number}: {step:?}");
    }
}

/// A loop in which the result of `op` is added to one of its operands.
fn loop_of(op: &OpInfo) -> String {
    let operands = "DUP3\n".repeat(usize::from(op.pops));
    format!(
        "PUSH32 0x123456789abcdef0fedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0
        PUSH32 0xf0e1d2c3b4a5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff\nPUSH1 77
        again: JUMPDEST\n{operands}{}\nPUSH1 5\nADD\nDUP4\nADD
        SWAP3\nPOP\nSWAP2\nSWAP1\nPUSH1 1\nADD\nPUSH2 @again\nJUMP",
        op.name
    )
}

#[test]
fn a_fault_in_each_instruction_that_computes_is_noticed() {
    let mut computing = 0;
    for op in EVM.ops {
        let Some(it) = u8::try_from(op.code).ok().filter(|code| role::part(*code).role == Role::Computes)
        else {
            continue;
        };
        computing += 1;
        let source = loop_of(op);
        assert_eq!(panic_in(&source, |_| {}), None, "{}", op.name);
        let steps = warmed_by(&source).hot.steps;
        let of_it: Vec<_> =
            (0..steps.len()).filter(|number| steps[*number].action == BlockAction::of(it)).collect();
        assert!(!of_it.is_empty(), "{}", op.name);
        let is_seen = is_noticed_in(&source, |machine| {
            for number in &of_it {
                machine.hot.steps[*number] = faulty(&steps[*number]);
            }
        });
        assert!(is_seen, "{}", op.name);
    }
    assert_eq!(computing, 22);
}

/// A loop with two branches, chosen by a condition: whether the lower of two numbers `is` so.
fn branches(condition: &str) -> String {
    format!(
        "PUSH4 0x12345678\nPUSH1 3
        again: JUMPDEST\nPUSH4 1664525\nMUL\nPUSH4 1013904223\nADD\nPUSH4 0xffffffff\nAND
        DUP2\nDUP2\n{condition}\nPUSH2 @on\nJUMPI\nSWAP1\nPUSH1 7\nADD\nPUSH4 0xffffffff\nAND\nSWAP1
        on: JUMPDEST\nPUSH2 @again\nJUMP"
    )
}

#[test]
fn a_fault_in_each_test_of_a_branch_is_noticed() {
    // A bit that changes irregularly.
    let bit = "XOR\nPUSH1 64\nSWAP1\nDIV\nPUSH1 1\nAND";
    let conditions = [
        ("LT".to_owned(), Test::Less),
        ("GT\nISZERO".to_owned(), Test::Less),
        (format!("{bit}\nPUSH1 1\nEQ"), Test::Equal),
        (bit.to_owned(), Test::IsZero),
        (format!("{bit}\nISZERO"), Test::IsZero),
    ];
    let faults: [fn(&mut Condition); 3] = [
        |condition| condition.holds = !condition.holds,
        |condition| {
            condition.test = match condition.test {
                Test::IsZero => Test::Equal,
                Test::Less | Test::Equal => Test::IsZero,
            };
        },
        // The slot below the stack is 0.
        |condition| condition.of = [BlockPlace::default(); 2],
    ];
    for (condition, test) in conditions {
        let source = branches(&condition);
        assert_eq!(panic_in(&source, |_| {}), None, "{condition}");
        for (number, plant) in faults.iter().enumerate() {
            let mut planted = 0;
            let is_seen = is_noticed_in(&source, |machine| {
                for block in &mut machine.hot.blocks {
                    if let BlockExit::Branch(condition, _) | BlockExit::Repeat { condition, .. } =
                        &mut block.exit
                    {
                        assert_eq!(condition.test, test);
                        plant(condition);
                        planted += 1;
                    }
                }
            });
            assert!(planted > 0 && is_seen, "fault {number} in {condition}");
        }
    }
}

#[test]
fn a_fault_in_a_block_is_noticed() {
    let faults: [fn(&mut HotBlock); 4] = [
        |block| block.gas += 1,
        |block| block.instructions += 1,
        |block| block.results += 1,
        |block| block.exit = faulty_exit(block.exit),
    ];
    let all = executed();
    let has = |kind: fn(&BlockExit) -> bool| all.iter().any(|block| kind(&block.exit));
    assert!(has(|exit| matches!(exit, BlockExit::Branch(..))));
    assert!(has(|exit| matches!(exit, BlockExit::Plain(_))));
    for block in all {
        let number = warm().hot.blocks.iter().position(|it: &HotBlock| *it == block).expect("a block");
        for (fault, plant) in faults.iter().enumerate() {
            let is_seen = is_noticed(|machine| plant(&mut machine.hot.blocks[number]));
            assert!(is_seen, "fault {fault} in {block:?}");
        }
    }
}

/// A loop that counts down to a failing assertion, which its block expects to hold.
#[test]
fn a_fault_in_a_guard_is_noticed() {
    let source = "PUSH2 300
        again: JUMPDEST\nDUP1\nISZERO\nISZERO\nPUSH2 @on\nJUMPI\n.byte 0xfe
        on: JUMPDEST\nPUSH1 1\nSWAP1\nSUB\nDUP1\nPOP\nDUP1\nPOP\nMSIZE\nPOP\nPUSH2 @again\nJUMP";
    let faults: [fn(&mut Option<Condition>); 3] = [
        |guard| *guard = None,
        |guard| guard.as_mut().expect("a guard").holds ^= true,
        // A constant that is not 0.
        |guard| guard.as_mut().expect("a guard").of = [BlockPlace::slot(CONSTANTS.start); 2],
    ];
    assert_eq!(panic_in(source, |_| {}), None);
    for (number, plant) in faults.iter().enumerate() {
        let mut planted = 0;
        let is_seen = is_noticed_in(source, |machine| {
            for guard in machine.hot.blocks.iter_mut().map(|block| &mut block.guard) {
                if guard.is_some() {
                    plant(guard);
                    planted += 1;
                }
            }
        });
        assert!(planted > 0 && is_seen, "fault {number} in {planted} guards");
    }
}

/// A block ends after some jumps and continues with another one, and ends where a function returns.
#[test]
fn a_fault_where_a_block_goes_on_is_noticed() {
    let hops: Vec<_> = (1..8).map(|hop| format!("PUSH2 @hop{hop}\nJUMP\nhop{hop}: JUMPDEST")).collect();
    let hops = hops.join("\n");
    let hops = format!("PUSH1 0\nagain: JUMPDEST\nPUSH1 3\nADD\n{hops}\nPUSH2 @again\nJUMP");
    let call = |back| format!("PUSH2 @{back}\nPUSH2 @function\nJUMP\n{back}: JUMPDEST\n");
    let calls = format!(
        "PUSH1 7\nagain: JUMPDEST\n{}{}PUSH2 @again\nJUMP
        function: JUMPDEST\nSWAP1\nPUSH1 3\nMUL\nDUP1\nPUSH1 4\nAND\nPUSH2 @on\nJUMPI\nPUSH1 5\nADD
        on: JUMPDEST\nPUSH1 1\nADD\nSWAP1\nJUMP",
        call("one"),
        call("two")
    );
    let goes_on = |exit: &BlockExit| matches!(exit, BlockExit::To(_));
    let returns = |exit: &BlockExit| matches!(exit, BlockExit::Jump { .. });
    for (source, is_meant) in [(hops, goes_on as fn(&BlockExit) -> bool), (calls, returns)] {
        assert_eq!(panic_in(&source, |_| {}), None, "{source}");
        let mut planted = 0;
        let is_seen = is_noticed_in(&source, |machine| {
            for block in machine.hot.blocks.iter_mut().filter(|block| is_meant(&block.exit)) {
                block.exit = faulty_exit(block.exit);
                planted += 1;
            }
        });
        assert!(planted > 0 && is_seen, "{planted} in {source}");
    }
}

/// An exit to another place, or with another condition.
fn faulty_exit(exit: BlockExit) -> BlockExit {
    match exit {
        BlockExit::To(next) => BlockExit::To(NextBlock::at(next.pc + 1)),
        BlockExit::Branch(mut condition, to) => {
            condition.holds = !condition.holds;
            BlockExit::Branch(condition, to)
        }
        BlockExit::Repeat { mut condition, start, after } => {
            condition.holds = !condition.holds;
            BlockExit::Repeat { condition, start, after }
        }
        BlockExit::Jump { at, gas } => BlockExit::Jump { at, gas: gas + 1 },
        BlockExit::Plain(at) => BlockExit::Plain(at - 1),
    }
}

/// The data of a vector as a value; a number has hex digits.
fn value_of(shape: &Shape, json: &Json) -> Value {
    let digits = || json.as_str().and_then(|text| text.strip_prefix("0x")).expect("0x and digits");
    match shape {
        Shape::Bytes => Value::Bytes(hex_bytes(digits()).expect("pairs of digits")),
        Shape::Int(_) => Value::int(BigUint::parse_bytes(digits().as_bytes(), 16).expect("hex digits")),
        Shape::Record(members) => {
            let member = |member: &MemberShape| (member.name, value_of(&member.shape, &json[member.name]));
            Value::record(members.iter().map(member))
        }
        Shape::Map(_, inner) => {
            let members = json.as_object().expect("an object").iter();
            Value::record(members.map(|(key, value)| (key.clone(), value_of(inner, value))))
        }
        other => panic!("no part of a vector is {other:?}"),
    }
}

/// The program of a vector in the notation of 2018.
fn program_of(vector: &Json) -> Program {
    let member = |member: &MemberShape| {
        let of_block = format!("current{}{}", member.name[..1].to_uppercase(), &member.name[1..]);
        let json = [&vector["exec"][member.name], &vector["env"][of_block], &vector[member.name]];
        let found = json.into_iter().find(|json| !json.is_null());
        (member.name, found.map_or(Value::Bool(false), |json| value_of(&member.shape, json)))
    };
    Program::from(Value::record(EvmProgram::MEMBERS.iter().map(member)))
}

/// The parts of a block that the hot tier has code of its own for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BlockPart {
    Step(BlockAction),
    Guard(Test, bool),
    Exit(&'static str),
    BranchIf(Test, bool),
    RepeatIf(Test, bool),
}

fn parts_of<'m>(block: &HotBlock, steps: &'m [BlockStep]) -> impl Iterator<Item = BlockPart> + use<'m> {
    let guard = block.guard.map(|guard| BlockPart::Guard(guard.test, guard.holds));
    let exit = match block.exit {
        BlockExit::To(_) => BlockPart::Exit("to a known place"),
        BlockExit::Branch(condition, _) => BlockPart::BranchIf(condition.test, condition.holds),
        BlockExit::Repeat { condition, .. } => BlockPart::RepeatIf(condition.test, condition.holds),
        BlockExit::Jump { .. } => BlockPart::Exit("to a computed place"),
        BlockExit::Plain(_) => BlockPart::Exit("to the plain loop"),
    };
    let steps = steps[block.steps.clone()].iter().map(|step| BlockPart::Step(step.action));
    steps.chain(guard).chain([exit])
}

fn all_parts() -> BTreeSet<BlockPart> {
    let computes = |code: &u8| matches!(role::part(*code).role, Role::Computes);
    let computed = (0..=u8::MAX).filter(computes).map(BlockAction::of);
    let steps = computed.chain([BlockAction::INCREASE, BlockAction::COPY]).map(BlockPart::Step);
    let exits = ["to a known place", "to a computed place", "to the plain loop"].map(BlockPart::Exit);
    let forms = [BlockPart::Guard, BlockPart::BranchIf, BlockPart::RepeatIf];
    let tests = [Test::IsZero, Test::Less, Test::Equal];
    let conditions = forms.into_iter().flat_map(|form| {
        tests.into_iter().flat_map(move |test| [true, false].map(|holds| form(test, holds)))
    });
    steps.chain(exits).chain(conditions).collect()
}

/// The generated vectors, which have the loops, make blocks with every part that a block can have.
#[test]
fn own_vectors_make_blocks_of_every_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/evm/tables");
    let mut machine = Evm::new(&Limits::default());
    let mut made = BTreeSet::new();
    for file in std::fs::read_dir(folder).expect("a folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        let vectors: Json = serde_json::from_str(&text).expect("JSON");
        for vector in vectors.as_object().expect("an object").values() {
            assert_eq!(machine.load(&program_of(vector)), Ok(()));
            assert_eq!(machine.run(u64::MAX, None), Status::Ended);
            let blocks = machine.hot.blocks.iter().skip(1);
            made.extend(blocks.flat_map(|block| parts_of(block, &machine.hot.steps)));
        }
    }
    assert_eq!(all_parts().difference(&made).collect::<Vec<_>>(), Vec::<&BlockPart>::new());
}
