//! An independent EVM beside ours: both run the same random programs and must agree on
//! every result of a program that can be observed.
//!
//! `VMCONF_SEED` is the seed of the first program, each further one has the next; `VMCONF_PROGRAMS`
//! says how many.

#[path = "../it/executed_ops.rs"]
mod executed_ops;
mod generate;
mod peer;
#[path = "../it/random.rs"]
mod random;
mod scenario;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use vmconf::isa::disassembler::disassemble;
use vmconf::machines::evm::{EVM, Evm};
use vmconf::machines::machine::{Machine, Watch};
use vmconf::machines::observe::Observe;
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Program, Value};

use executed_ops::ExecutedOps;
use scenario::Scenario;

/// Enough that every opcode is reached many times.
const PROGRAMS: u64 = 5_000;

/// At least one program in so many ends normally.
const NORMAL: u64 = 8;

/// What is compared after a normal end. After a halt there is nothing to compare.
const FIELDS: [&str; 7] = ["gas", "out", "logs", "post", "stack", "memory", "refund"];

/// Opcodes that our machine records and answers but does not run.
const NOT_RUN: [&str; 4] = ["CREATE", "CALL", "CALLCODE", "DELEGATECALL"];

/// The fields after a normal end, or why the machine halted.
type Outcome = Result<Value, String>;

#[test]
fn agrees_with_revm_on_random_programs() {
    let first = random::number("VMCONF_SEED", 0);
    let programs = random::number("VMCONF_PROGRAMS", PROGRAMS);
    let (mut reached, mut normal) = (ExecutedOps::default(), 0);
    for seed in (0..programs).map(|nth| first.wrapping_add(nth)) {
        let agreed =
            catch_unwind(AssertUnwindSafe(|| compare_around(&mut Scenario::random(seed), &mut reached)));
        let Ok(ended) = agreed else { panic!("again with VMCONF_SEED={seed} VMCONF_PROGRAMS=1") };
        normal += u64::from(ended);
    }
    assert!(normal >= programs / NORMAL, "{normal} of {programs} programs ended normally");
    if programs >= PROGRAMS {
        let missed = reached.missing(&EVM).map(|op| op.name);
        let missed: Vec<_> = missed.filter(|name| !NOT_RUN.contains(name)).collect();
        assert!(missed.is_empty(), "no program that ended normally has {missed:?}");
    }
}

/// Compares with the scenario's gas; then, if that was enough, with exactly enough and with one
/// less. Whether it was enough.
fn compare_around(scenario: &mut Scenario, reached: &mut ExecutedOps) -> bool {
    let Some(left) = compare(scenario, reached) else { return false };
    let used = scenario.gas - left;
    for gas in [used, used.saturating_sub(1)] {
        scenario.gas = gas;
        compare(scenario, reached);
    }
    true
}

/// Runs the scenario on both machines. Adds the opcodes whose effect was compared to `reached`,
/// and gives the gas left if the program ended normally.
fn compare(scenario: &Scenario, reached: &mut ExecutedOps) -> Option<u64> {
    let program = scenario.program();
    let mut seen = ExecutedOps::default();
    let (ours, watched) = (run(&program, None), run(&program, Some(&mut seen)));
    assert!(same(&ours, &watched), "being watched matters\n{}", report(scenario, &ours, &watched));
    let theirs = peer::run(scenario);
    assert!(same(&ours, &theirs), "ours, then revm's\n{}", report(scenario, &ours, &theirs));
    let Value::Int(gas) = ours.ok()?.get("gas")?.clone() else { return None };
    reached.add(&seen);
    u64::try_from(gas).ok()
}

fn run(program: &Program, watch: Option<&mut dyn Watch>) -> Outcome {
    let mut machine = Evm::new(&Limits::default());
    machine.load(program).expect("scenarios are programs");
    let status = machine.run(u64::MAX, watch);
    assert_eq!(status, Status::Ended, "{}", machine.describe());
    if machine.observe("outcome") != Some(Value::text("success")) {
        return Err(machine.describe());
    }
    let observe = |name: &str| (name.to_owned(), machine.observe(name).unwrap_or(Value::Null));
    Ok(Value::record(FIELDS.map(observe)))
}

/// All halts are the same.
fn same(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// The program and all that the two outcomes do not have in common.
fn report(scenario: &Scenario, one: &Outcome, other: &Outcome) -> String {
    let mut text = format!("gas 0x{:x}\ncode {}\n", scenario.gas, hex::encode(&scenario.code));
    for line in disassemble(&EVM, &scenario.code) {
        let _ = writeln!(text, "{:6x}  {}", line.offset, line.source());
    }
    match (one, other) {
        (Ok(one), Ok(other)) => {
            for field in FIELDS {
                differences(&mut text, field, &shown(one, field), &shown(other, field));
            }
        }
        _ => {
            for outcome in [one, other] {
                let how = |fields: &Value| format!("success, gas {:?}", shown(fields, "gas"));
                let _ =
                    writeln!(text, "{}", outcome.as_ref().map_or_else(|halt| format!("halt, {halt}"), how));
            }
        }
    }
    text
}

/// The items of a list, or the one value.
fn shown(fields: &Value, field: &str) -> Vec<String> {
    match fields.get(field) {
        Some(Value::List(items)) => items.iter().map(Value::to_string).collect(),
        Some(value) => vec![value.to_string()],
        None => Vec::new(),
    }
}

fn differences(text: &mut String, field: &str, one: &[String], other: &[String]) {
    for index in 0..one.len().max(other.len()) {
        let [one, other] = [one, other].map(|items| items.get(index).map_or("(absent)", String::as_str));
        if one != other {
            let _ = writeln!(text, "{field}[{index}]\n  {one}\n  {other}");
        }
    }
}
