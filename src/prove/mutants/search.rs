//! Searches for a program on which a machine with a fault differs, and turns it into a vector.
//!
//! The programs are short: operands from a list of boundary values, the instruction, and code that shows its
//! results. The same programs are tried each time.

use std::sync::Arc;

use num_bigint::BigInt;
use serde_json::Value as Json;

use super::fault::{FaultKind, RowFault};
use super::faulty::Faulty;
use crate::formats::{Inputs, MakeVector, NewVector, StateOf, made_for};
use crate::machines::program_parts::SingleInstruction;
use crate::model::limits::Limits;
use crate::model::{Interrupt, Value, bytes_key};
use crate::prove::numbers::Numbers;
use crate::prove::suite::SuiteCase;
use crate::run::sources::{SourceOrigin, VectorSource};
use crate::run::{self, LoadOptions, catch_panic};
use crate::testees::embedded::Embedded;

/// The maximum number of instructions that a program may execute.
const MAX_STEPS: u64 = 10_000;

/// The result of a search.
#[derive(Debug, Default)]
pub struct FaultSearchResult {
    /// How many programs were tried.
    pub tried: u32,
    /// Whether a machine with the fault differs on the last one.
    pub is_found: bool,
}

/// Tries at most this number of programs.
pub fn search(fault: RowFault, programs: u32) -> FaultSearchResult {
    let mut searched = FaultSearchResult::default();
    // Programs cannot be generated for every machine.
    let programs = generate(fault, Numbers::new(0)).map_or(0, |_| programs);
    while searched.tried < programs && !searched.is_found {
        searched.is_found = program(fault, searched.tried).is_some();
        searched.tried += 1;
    }
    searched
}

/// The vector file of the program with this number, from 0. It passes on a machine without the fault but not
/// on one with it. `None` if the program makes no difference.
pub fn program(fault: RowFault, number: u32) -> Option<String> {
    let (_, make) = made_for(fault.machine.name)?;
    let name = fault.to_string().replace('/', "-");
    let Generated { code, inputs } = generate(fault, Numbers::new(number.into()))?;
    vector(fault, make, &name, &code, &inputs).filter(|vector| notices(fault, vector))
}

/// A program and its initial state.
struct Generated {
    code: Vec<u8>,
    inputs: Inputs,
}

/// The height of the stack before the instruction so that it is full before or after it; with one value more, it
/// exceeds the limit.
fn full(fault: RowFault) -> usize {
    let machine = (fault.machine.new)(&Limits::default());
    let of_references = machine.references().map(|references| references.limit);
    let limit = machine.stack_limit().or(of_references).unwrap_or(0);
    limit - usize::from(fault.op.pushes.saturating_sub(fault.op.pops)).min(limit)
}

/// A program that executes the instruction and shows what it did.
fn generate(fault: RowFault, mut numbers: Numbers) -> Option<Generated> {
    let pops = usize::from(fault.op.pops);
    let count = match fault.kind {
        FaultKind::TooFew => pops - 1,
        FaultKind::OneMoreNeeded => pops,
        FaultKind::LimitLess => full(fault),
        FaultKind::LimitMore => full(fault) + 1,
        _ => pops + numbers.below(2),
    };
    let first = numbers.boundary();
    // Equal operands are as interesting as different ones.
    let mut operand = || if numbers.below(4) == 0 { first.clone() } else { numbers.boundary() };
    let operands: Vec<_> = (0..count).map(|_| operand()).collect();
    let mut instruction = vec![u8::try_from(fault.op.code).ok()?];
    for operand in fault.op.operands {
        instruction.extend(numbers.immediate(*operand));
    }
    let inputs = Inputs::default();
    match fault.machine.parts?.single {
        SingleInstruction::Pushed(program) => {
            Some(Generated { code: program(&operands, &instruction, fault.op), inputs })
        }
        SingleInstruction::OnStack => {
            let stack: Vec<_> = operands.iter().map(BigInt::to_string).collect();
            let stack = (!stack.is_empty()).then(|| stack.join(","));
            Some(Generated { code: instruction, inputs: Inputs { stack, ..inputs } })
        }
        SingleInstruction::Never => None,
    }
}

/// The program as a vector, with the results of a machine without the fault.
fn vector(fault: RowFault, make: &MakeVector, name: &str, code: &[u8], inputs: &Inputs) -> Option<String> {
    let program = Json::String(bytes_key(code));
    let text = |state: Option<&StateOf<'_>>| {
        let new = NewVector { name, program: &program, inputs, state };
        (make.make)(&new).ok().map(|document| format!("{document:#}\n"))
    };
    let (case, _) = read(&text(None)?)?;
    let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
    let mut plain = Embedded::of((fault.machine.new)(&limits), &Interrupt::default());
    let fields: Vec<_> = fault.machine.fields.iter().map(|field| field.name).collect();
    let mut left: Vec<(&str, Value)> = Vec::new();
    plain
        .watch(&case.program, &case.steps, None, &mut |_, state| {
            left = fields.iter().filter_map(|name| Some((*name, state.observe(name)?))).collect();
        })
        .ok()?;
    text(Some(&|field: &str| left.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone())))
}

/// The only case of a vector file.
fn read(text: &str) -> Option<(crate::model::Case, Limits)> {
    let source = VectorSource::new("search.json".into(), "search.json".into(), SourceOrigin::Stream);
    let options = LoadOptions::default();
    let file = run::open_text(&source, text.to_owned(), &options);
    Some((file.case(0)?.read().ok()?.case?, options.file.limits.clone()))
}

/// Whether the vector passes without the fault but not with it.
fn notices(fault: RowFault, vector: &str) -> bool {
    let Some((case, limits)) = read(vector) else { return false };
    let limits = Limits { steps: MAX_STEPS, ..limits };
    let case = SuiteCase {
        id: String::new(),
        machine: fault.machine,
        case,
        limits: limits.clone(),
        ignored: Vec::new(),
        steps: 0,
        units: 0,
        codes: std::collections::BTreeSet::new(),
        failing: std::collections::BTreeSet::new(),
        points: crate::explain::observer::CoveragePoints::new(),
    };
    let interrupt = Interrupt::default();
    let mut plain = Embedded::of((fault.machine.new)(&limits), &interrupt);
    let faulty = Faulty::new(fault, &limits, Arc::default());
    let mut faulty = Embedded::of(Box::new(faulty), &interrupt);
    let passes = |testee: &mut Embedded| matches!(catch_panic(|| case.passes_on(testee)), Ok(Ok(true)));
    passes(&mut plain) && !passes(&mut faulty)
}
