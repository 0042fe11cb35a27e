//! An EVM ends the same however it is driven.

use std::sync::OnceLock;

use crate::support::{config, read, written_in};
use proptest::prelude::*;
use vmconf::machines::evm::{EVM, Evm};
use vmconf::machines::machine::{At, Machine, Watch};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Name, Program, Value};

/// Everything that can be seen of an EVM.
const FIELDS: [&str; 12] = [
    "outcome",
    "gas",
    "out",
    "logs",
    "logsHash",
    "callcreates",
    "post",
    "pc",
    "stack",
    "memory",
    "memorySize",
    "refund",
];

fn everything(machine: &Evm) -> Vec<(&'static str, Option<Value>)> {
    FIELDS.map(|field| (field, machine.observe(field))).to_vec()
}

/// The program of an own vector with another code and other gas.
fn program(code: &[u8], gas: u64) -> Program {
    static MODEL: OnceLock<Value> = OnceLock::new();
    let model = MODEL.get_or_init(|| {
        let path = crate::support::at_root("vectors/evm/layout-2015/demo.json");
        Value::clone(&read(&path).1.remove(0).case.program.0)
    });
    let Value::Record(members) = model else { panic!("a program that is no record") };
    let with = |(name, value): &(Name, Value)| match &**name {
        "code" => (name.clone(), Value::Bytes(code.to_vec())),
        "gas" => (name.clone(), Value::int(gas)),
        _ => (name.clone(), value.clone()),
    };
    Program::from(Value::record(members.iter().map(with)))
}

fn loaded(program: &Program) -> Evm {
    let mut machine = Evm::new(&Limits::default());
    machine.load(program).unwrap();
    machine
}

/// Collects what is executed.
#[derive(Default)]
struct Trace(Vec<(usize, u16, Vec<u8>)>);

impl Watch for Trace {
    fn before(&mut self, at: &At<'_>) {
        assert_eq!(at.op.map(|op| op.code), EVM.by_code(at.code).map(|_| at.code));
        assert_eq!(at.state.observe("pc"), Some(Value::int(at.pc)));
        self.0.push((at.pc, at.code, at.operand.to_vec()));
    }
}

/// Runs a program in every way and demands the same of each. Gives how many instructions it has.
fn driven_in_every_way(code: &[u8], gas: u64, budgets: &[u64]) -> Result<usize, TestCaseError> {
    let program = program(code, gas);
    let mut at_once = loaded(&program);
    let status = at_once.run(u64::MAX, None);
    prop_assert_eq!(&status, &Status::Ended);
    let (expected, described) = (everything(&at_once), at_once.describe());
    let same = |machine: &Evm, how: &str| {
        prop_assert_eq!(everything(machine), expected.clone(), "{}", how);
        prop_assert_eq!(machine.describe(), described.clone(), "{}", how);
        Ok(())
    };

    let mut sliced = loaded(&program);
    let mut budgets = budgets.iter().chain([&1]).cycle();
    while sliced.run(*budgets.next().unwrap(), None) == Status::Running {}
    same(&sliced, "in slices")?;

    let mut stepped = loaded(&program);
    let mut steps = 1;
    while stepped.run(1, None) == Status::Running {
        steps += 1;
    }
    same(&stepped, "step by step")?;

    let mut watched = loaded(&program);
    let mut trace = Trace::default();
    prop_assert_eq!(watched.run(u64::MAX, Some(&mut trace)), Status::Ended);
    same(&watched, "watched")?;
    // The end of the code is a step that is no instruction.
    let last = trace.0.last().map_or(0, |it| it.0);
    let behind = at_once.observe("pc") != Some(Value::int(last)) || trace.0.is_empty();
    prop_assert_eq!(steps, trace.0.len() + usize::from(behind));

    let mut both = loaded(&program);
    let mut pieces = Trace::default();
    while both.run(7, Some(&mut pieces)) == Status::Running {}
    same(&both, "watched in slices")?;
    prop_assert_eq!(&pieces.0, &trace.0);

    // An ended machine stays as it is, and one that was used is as good as new.
    prop_assert_eq!(at_once.run(1000, None), Status::Ended);
    same(&at_once, "run again")?;
    at_once.load(&program).unwrap();
    at_once.run(u64::MAX, None);
    same(&at_once, "loaded again")?;
    Ok(trace.0.len())
}

/// Code that gets somewhere: small numbers are pushed in front of most instructions.
fn likely_code() -> impl Strategy<Value = Vec<u8>> {
    let push = any::<u8>().prop_map(|byte| vec![0x60, byte % 96]);
    let defined: Vec<u8> =
        EVM.ops.iter().map(|op| op.code as u8).filter(|code| !matches!(code, 0x00 | 0xf3 | 0xff)).collect();
    let piece = prop_oneof![
        5 => push,
        5 => prop::sample::select(defined).prop_map(|code| vec![code]),
        1 => Just(vec![0x5b]),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => prop::collection::vec(any::<u8>(), 33).prop_map(|mut bytes| { bytes[0] = 0x7f; bytes }),
    ];
    (prop::collection::vec(any::<u8>(), 0..12), prop::collection::vec(piece, 0..60)).prop_map(
        |(pushed, pieces)| {
            let start = pushed.iter().flat_map(|byte| [0x60, *byte]).collect();
            [vec![start], pieces].concat().concat()
        },
    )
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn any_bytes_run_the_same_however_they_are_driven(
        code in prop::collection::vec(any::<u8>(), 0..80),
        gas in 0u64..200_000,
        budgets in prop::collection::vec(1u64..40, 1..5),
    ) {
        driven_in_every_way(&code, gas, &budgets)?;
    }

    #[test]
    fn likely_code_runs_the_same_however_it_is_driven(
        code in likely_code(),
        gas in 0u64..200_000,
        budgets in prop::collection::vec(0u64..40, 1..5),
    ) {
        driven_in_every_way(&code, gas, &budgets)?;
    }
}

/// What the properties say of random code, for the code of every own vector.
#[test]
fn vectors_run_the_same_however_they_are_driven() {
    let mut instructions = 0;
    for path in written_in("vectors/evm") {
        for case in read(&path).1 {
            let program = &case.case.program.0;
            let (Some(Value::Bytes(code)), Some(Value::Int(gas))) = (program.get("code"), program.get("gas"))
            else {
                panic!("a program without code and gas")
            };
            let gas = u64::try_from(gas.clone()).unwrap();
            instructions += driven_in_every_way(code, gas.min(50_000), &[1, 2, 1000]).unwrap();
        }
    }
    assert!(instructions > 5000, "{instructions} instructions");
}
